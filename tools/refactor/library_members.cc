#include "tools/refactor/library_members.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/code_index.h"
#include "tools/index/file_reading.h"
#include "tools/index/symbol_query.h"
#include "tools/index/trait_impls.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

constexpr size_t kMaxTypes = 100;

absl::Status AddBases(const SourceFile& file, const Symbol& type, Resolver* resolver,
                      std::vector<OutsidePlace>* bases) {
  for (const std::string& name : type.bases) {
    const size_t at = FindWord(file.text, LastComponent(name), type.name_begin + type.name.size());
    if (at == absl::string_view::npos || at >= type.end) continue;
    const auto places = resolver->Definition({file.path, static_cast<uint32_t>(at)});
    if (!places.ok()) {
      if (absl::IsUnimplemented(places.status()) || absl::IsFailedPrecondition(places.status()) ||
          absl::IsInvalidArgument(places.status())) {
        continue;
      }
      return places.status();
    }
    bases->insert(bases->end(), places->outside.begin(), places->outside.end());
  }
  return absl::OkStatus();
}

// Rust: `mod shop;`, whose code is in shop.rs or shop/mod.rs.
bool IsModuleOfFile(const Declaration& module) {
  const Symbol& symbol = module.AsSymbol();
  return symbol.kind == SymbolKind::kNamespace && symbol.end > 0 &&
         LanguageBackendOf(module.file->language.id).generation.files_are_declared &&
         module.file->text[symbol.end - 1] == ';';
}

// Whether the project may declare the trait: its method is among those of the name, or a macro has
// the declaration.
bool IsDeclaredTrait(const std::string& trait, const Resolution& symbol, CodeIndex* index,
                     TraitImpls* traits) {
  const bool has_method =
      std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
        return other.symbol >= 0 && traits->TraitOf(other) == trait &&
               LastComponent(other.AsSymbol().container) == trait;
      });
  if (has_method) return true;
  const auto files = index->FilesWith(trait);
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    return HoldsWord(file->text, absl::StrCat("trait ", trait));
  });
}

}  // namespace

absl::StatusOr<std::string> DeclaredByLibrary(const OutsidePlace& place,
                                              const std::vector<std::string>& names,
                                              const SourceFile& like, Resolver* resolver) {
  std::vector<OutsidePlace> open = {place};
  std::set<OutsidePlace> seen;
  while (!open.empty() && seen.size() < kMaxTypes) {
    const OutsidePlace next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    std::string text;
    if (!ReadRegularFile(next.path, kMaxCodeBytes, &text)) continue;
    const auto parsed = SourceFile::Parse(next.path, like.language, like.grammar, std::move(text));
    if (!parsed.ok()) continue;
    const SourceFile& file = **parsed;
    for (size_t i = 0; i < file.symbols.size(); ++i) {
      const Symbol& type = file.symbols[i];
      if (!IsType(type.kind) || file.PlaceOf(type.name_begin).line != next.line) continue;
      for (const Symbol& member : file.symbols) {
        const bool is_it = std::find(names.begin(), names.end(), member.name) != names.end();
        if (is_it && IsMember(member.kind) && member.parent == static_cast<int>(i)) {
          return member.name;
        }
      }
      STILE_RETURN_IF_ERROR(AddBases(file, type, resolver, &open));
    }
  }
  return "";
}

std::string AssertedContract(const SourceFile& file, const Symbol& method,
                             const std::string& name) {
  const LanguageBackend& backend = LanguageBackendOf(file.language.id);
  if (backend.family == nullptr || method.kind != SymbolKind::kMethod) return "";
  const std::vector<AssertedMethod>& asserted = backend.facts.asserted_methods;
  if (std::none_of(asserted.begin(), asserted.end(),
                   [&](const AssertedMethod& wanted) { return wanted.name == name; })) {
    return "";
  }
  const auto head = ParseMethodSignature(
      *backend.family,
      absl::string_view(file.text).substr(method.begin, method.signature_end - method.begin),
      method.name);
  if (!head.ok()) return "";
  // Spellings of one type.
  const auto plain = [](absl::string_view type) {
    return absl::StrReplaceAll(
        type, {{" ", ""}, {"interface{}", "any"}, {"uint8", "byte"}, {"rune", "int32"}});
  };
  const auto types_of = [&](absl::string_view list) {
    std::vector<std::string> types;
    for (const Parameter& one : ParseParameters(*backend.family, list)) {
      types.push_back(plain(one.type.empty() ? one.text : one.type));
    }
    return types;
  };
  // Results may have names.
  const auto results_of = [&](absl::string_view text) {
    text = absl::StripAsciiWhitespace(text);
    const bool is_list = absl::ConsumePrefix(&text, "(") && absl::ConsumeSuffix(&text, ")");
    return is_list ? types_of(text) : std::vector<std::string>{plain(text)};
  };
  for (const AssertedMethod& wanted : asserted) {
    if (wanted.name != name) continue;
    std::vector<std::string> parameters;
    for (const std::string& type : wanted.parameters) parameters.push_back(plain(type));
    const bool is_it = types_of(head->parameters) == parameters &&
                       results_of(head->returns) == results_of(wanted.result);
    if (is_it) return wanted.wanted_by;
  }
  return "";
}

static bool IsLinkedByName(const SourceFile& file, const Symbol& symbol) {
  if (!LanguageBackendOf(file.language.id).generation.impl_blocks) return false;
  const auto head =
      absl::string_view(file.text).substr(symbol.begin, symbol.name_begin - symbol.begin);
  if (absl::StrContains(head, "no_mangle")) return true;
  const auto tree = absl::StrContains(file.text, "extern ")
                        ? SyntaxTree::Parse(file.grammar, file.text)
                        : absl::StatusOr<SyntaxTree>(absl::NotFoundError(""));
  if (!tree.ok()) return false;
  TSNode node = ts_node_descendant_for_byte_range(tree->root(), symbol.name_begin, symbol.name_end);
  while (!ts_node_is_null(node) && !IsNode(node, "foreign_mod_item")) node = ts_node_parent(node);
  return !ts_node_is_null(node) && !absl::StrContains(head, "link_name");
}

std::string KnownOutside(const Resolution& symbol, CodeIndex* index) {
  TraitImpls traits;
  for (const Declaration& target : symbol.targets) {
    if (target.symbol < 0) continue;
    if (IsLinkedByName(*target.file, target.AsSymbol())) {
      return " is the name by which the linker knows the symbol (extern \"C\", no_mangle): code of "
             "other languages has it, too";
    }
    if (IsModuleOfFile(target)) return " is the name of its file, too: rename both by hand";
    const std::string trait = traits.TraitOf(target);
    if (!trait.empty() && !IsDeclaredTrait(trait, symbol, index, &traits)) {
      return absl::StrCat(" has its name from outside of the project: the trait ", ToUtf8(trait),
                          " of a library declares it");
    }
    const std::string contract =
        AssertedContract(*target.file, target.AsSymbol(), target.AsSymbol().name);
    if (contract.empty()) continue;
    return absl::StrCat(
        " has its name from outside of the project: a library looks for a method of this name and "
        "signature while the program runs (",
        contract, ")");
  }
  return "";
}

std::string CalledOutside(const Resolution& symbol, const std::string& new_name) {
  for (const Declaration& target : symbol.targets) {
    if (target.symbol < 0) continue;
    const std::string contract = AssertedContract(*target.file, target.AsSymbol(), new_name);
    if (contract.empty()) continue;
    return absl::StrCat("a library looks for a method ", new_name,
                        " of this signature while the program runs (", contract, "), and calls it");
  }
  return "";
}

}  // namespace stile
