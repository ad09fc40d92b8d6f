#include "tools/refactor/twin_methods.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "tools/index/trait_impls.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/doc_examples.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

struct Twins {
  bool has_own = false;
  std::string trait;  // "": none
  bool is_meant = false;
  std::vector<std::string> receivers;  // "&self", "self"; "": none
};

// How a method takes its object.
std::string ReceiverOf(const Declaration& method) {
  const Symbol& symbol = method.AsSymbol();
  absl::string_view list = absl::string_view(method.file->text)
                               .substr(symbol.name_end, symbol.signature_end - symbol.name_end);
  list = list.substr(std::min(list.find('('), list.size()));
  list = list.substr(0, std::min(list.find_first_of(",)"), list.size()));
  std::string receiver;
  for (const char c : list) {
    if (c != '(' && !absl::ascii_isspace(static_cast<unsigned char>(c))) receiver += c;
  }
  return absl::EndsWith(receiver, "self") ? receiver : "";
}

// The methods of the name, by their types.
std::map<std::string, Twins> TwinsOf(const Resolution& symbol) {
  TraitImpls traits;
  std::map<std::string, Twins> by_type;
  for (const Declaration& method : symbol.all) {
    if (method.symbol < 0 || method.AsSymbol().kind != SymbolKind::kMethod) continue;
    Twins& twins = by_type[LastComponent(method.AsSymbol().container)];
    const std::string trait = traits.TraitOf(method);
    if (trait.empty()) {
      twins.has_own = true;
    } else {
      twins.trait = trait;
    }
    twins.is_meant = twins.is_meant || symbol.IsTarget(*method.file, method.symbol);
    twins.receivers.push_back(ReceiverOf(method));
  }
  return by_type;
}

// Whether the project declares `impl Deref for` the type that has the member.
bool DerefsToOther(const Declaration& member, CodeIndex* index) {
  if (member.symbol < 0 || !IsMember(member.AsSymbol().kind) ||
      !LanguageBackendOf(member.file->language.id).naming.deref_methods) {
    return false;
  }
  const std::string owner = LastComponent(member.AsSymbol().container);
  const auto files = index->FilesWith("Deref");
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    return HoldsWord(file->text, absl::StrCat("Deref for ", owner));
  });
}

}  // namespace

bool MayReachTwin(const Resolution& symbol, CodeIndex* index) {
  const Declaration& first = symbol.targets[0];
  if (first.symbol < 0 || !IsMember(first.AsSymbol().kind)) return false;
  const bool has_other =
      std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
        return AreAlike(first, other) && !symbol.IsTarget(*other.file, other.symbol);
      });
  return has_other || DerefsToOther(first, index);
}

std::string CapturedExample(const Resolution& symbol, const std::string& new_name,
                            CodeIndex* index) {
  if (!DerefsToOther(symbol.targets[0], index)) return "";
  for (const auto& file : index->FilesWith(new_name)) {
    for (size_t at = 0; (at = FindWord(file->text, new_name, at)) != absl::string_view::npos;
         at += new_name.size()) {
      const auto begin = static_cast<uint32_t>(at);
      const bool is_member = at > 0 && file->text[at - 1] == '.';
      if (is_member && DocExampleAt(*file, begin).has_value()) {
        return absl::StrCat(ToUtf8(file->path), ":", file->PlaceOf(begin).line);
      }
    }
  }
  return "";
}

std::string UndecidedCalls(const Resolution& symbol,
                           const std::vector<RenameCandidate>& candidates) {
  const Declaration& first = symbol.targets[0];
  if (first.symbol < 0 || !LanguageBackendOf(first.file->language.id).generation.impl_blocks) {
    return "";
  }
  for (const auto& entry : TwinsOf(symbol)) {
    const std::string& type = entry.first;
    const Twins& twins = entry.second;
    if (!twins.has_own || twins.trait.empty() || !twins.is_meant) continue;
    const std::string both = absl::StrCat(ToUtf8(type), " has a method ", ToUtf8(first.name()),
                                          " by itself and one of the trait ", ToUtf8(twins.trait));
    const char* const advice =
        ". Install rust-analyzer (rustup component add rust-analyzer), or use file.modify";
    const bool differ =
        std::any_of(twins.receivers.begin(), twins.receivers.end(),
                    [&](const std::string& other) { return other != twins.receivers[0]; });
    if (differ) {
      return absl::StrCat(both, ", and which one a call means depends on whether its object is a ",
                          "reference", advice);
    }
    for (const RenameCandidate& candidate : candidates) {
      const bool is_open = candidate.certainty == Certainty::kLikely && !candidate.is_declaration &&
                           !candidate.is_text;
      if (!is_open) continue;
      return absl::StrCat(both, ": the compiler accepts either, and it is not known which one ",
                          ToUtf8(candidate.file->path), ":", candidate.line(), " means", advice);
    }
  }
  return "";
}

}  // namespace stile
