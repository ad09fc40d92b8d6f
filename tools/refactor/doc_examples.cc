#include "tools/refactor/doc_examples.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "tools/index/trait_impls.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

bool IsDocLine(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(line, "///") || absl::StartsWith(line, "//!");
}

// The example around the offset, with the marks of its comment lines; nullopt outside of examples.
std::optional<absl::string_view> ExampleAround(const SourceFile& file, uint32_t offset) {
  const int line = file.PlaceOf(offset).line;
  if (!IsDocLine(file.Line(line))) return std::nullopt;
  int first = line;
  while (first > 1 && IsDocLine(file.Line(first - 1))) --first;
  int open = 0;  // the line of the fence; 0: none is open
  for (int at = first; at <= line; ++at) {
    if (absl::StrContains(file.Line(at), "```")) open = open == 0 ? at : 0;
  }
  if (open == 0 || open == line) return std::nullopt;
  const absl::string_view begin = file.Line(open + 1);
  int last = line;
  while (IsDocLine(file.Line(last + 1)) && !absl::StrContains(file.Line(last + 1), "```")) ++last;
  const absl::string_view end = file.Line(last);
  return absl::string_view(begin.data(),
                           static_cast<size_t>(end.data() + end.size() - begin.data()));
}

// The expression that ends before a dot at the end of `before`: names, calls and indices.
absl::string_view ReceiverIn(absl::string_view before) {
  size_t begin = before.size();
  int depth = 0;
  while (begin > 0) {
    const char c = before[begin - 1];
    if (c == ')' || c == ']') ++depth;
    if (c == '(' || c == '[') --depth;
    if (depth < 0 || c == '\n' ||
        (depth == 0 && !IsIdentifierByte(c) && !absl::StrContains(".:()[]", std::string(1, c)))) {
      break;
    }
    --begin;
  }
  return before.substr(begin);
}

// The statement of the example that declares a variable: `let a = A::new()`.
absl::string_view DeclarationIn(absl::string_view example, absl::string_view name) {
  for (const std::string& start : {absl::StrCat("let ", name), absl::StrCat("let mut ", name),
                                   absl::StrCat("(", name, ":"), absl::StrCat(", ", name, ":")}) {
    size_t at = FindWord(example, start);
    if (absl::EndsWith(start, ":")) at = example.find(start);
    if (at == absl::string_view::npos) continue;
    const absl::string_view rest = example.substr(at);
    return rest.substr(0, rest.find(absl::StartsWith(start, "let") ? ';' : '{'));
  }
  return {};
}

}  // namespace

DocExamples::DocExamples(const Resolution& member) {
  const Declaration& first = member.targets[0];
  if (first.symbol < 0 || !IsMember(first.AsSymbol().kind) ||
      !LanguageBackendOf(first.file->language.id).naming.doc_tests) {
    return;
  }
  name_ = first.AsSymbol().name;
  TraitImpls traits;
  for (const Declaration& declaration : member.all) {
    if (declaration.symbol < 0) continue;
    const std::string type = LastComponent(declaration.AsSymbol().container);
    const bool is_it = member.IsTarget(*declaration.file, declaration.symbol);
    if (is_it && trait_.empty()) trait_ = traits.TraitOf(declaration);
    (is_it ? types_ : others_).insert(type);
  }
  types_.erase("");
  others_.erase("");
}

DocExamples::Meaning DocExamples::ByTypes(absl::string_view text) const {
  const auto is_named = [&](const std::string& type) {
    return FindWord(text, type) != absl::string_view::npos;
  };
  if (std::any_of(others_.begin(), others_.end(), is_named)) return Meaning::kOther;
  const bool names_it = std::any_of(types_.begin(), types_.end(), is_named);
  return names_it ? Meaning::kMember : Meaning::kNoCall;
}

DocExamples::Meaning DocExamples::MeaningOf(const SourceFile& file, uint32_t offset) const {
  const auto example = ExampleAround(file, offset);
  if (!example.has_value()) return Meaning::kNoCall;
  const absl::string_view text = file.text;
  const absl::string_view before = text.substr(0, offset);
  const absl::string_view behind = text.substr(offset + name_.size());
  const bool is_path = absl::EndsWith(before, "::");
  const bool is_call = (is_path || absl::EndsWith(before, ".")) &&
                       (absl::StartsWith(behind, "(") || absl::StartsWith(behind, "::<"));
  if (!is_call) return Meaning::kNoCall;
  const absl::string_view receiver =
      ReceiverIn(before.substr(0, before.size() - (is_path ? 2 : 1)));
  if (is_path) {
    const absl::string_view type = receiver.substr(receiver.rfind(':') + 1);
    return types_.count(std::string(type)) > 0 ? Meaning::kMember : Meaning::kOther;
  }
  // A method of a trait is called where the trait is imported.
  const bool may_be_called = trait_.empty() ||
                             FindWord(*example, trait_) != absl::string_view::npos ||
                             absl::StrContains(*example, "::*");
  if (!may_be_called) return Meaning::kOther;
  Meaning meaning = ByTypes(receiver);
  const absl::string_view declared =
      IsIdentifier(receiver) ? DeclarationIn(*example, receiver) : absl::string_view();
  if (meaning == Meaning::kNoCall) meaning = ByTypes(declared.empty() ? *example : declared);
  const bool is_imported = !trait_.empty() && others_.empty() && declared.empty();
  if (meaning == Meaning::kNoCall && is_imported) meaning = Meaning::kMember;
  return meaning == Meaning::kMember ? Meaning::kMember : Meaning::kOther;
}

std::vector<uint32_t> DocExamples::CallsIn(const SourceFile& file) const {
  std::vector<uint32_t> calls;
  if (name_.empty()) return calls;
  const absl::string_view text = file.text;
  for (size_t at = 0; (at = FindWord(text, name_, at)) != absl::string_view::npos;
       at += name_.size()) {
    const auto offset = static_cast<uint32_t>(at);
    if (MeaningOf(file, offset) == Meaning::kMember) calls.push_back(offset);
  }
  return calls;
}

bool DocExamples::IsOther(const SourceFile& file, uint32_t offset) const {
  return !name_.empty() && MeaningOf(file, offset) == Meaning::kOther;
}

}  // namespace stile
