#include "tools/refactor/doc_examples.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/index/trait_impls.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/literal_place.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

bool IsDocLine(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(line, "///") || absl::StartsWith(line, "//!");
}

// The comment of documentation around the offset: lines with marks of their own, or a block.
std::optional<absl::string_view> DocAround(const SourceFile& file, uint32_t offset) {
  const absl::string_view text = file.text;
  const int line = file.PlaceOf(offset).line;
  if (IsDocLine(file.Line(line))) {
    int first = line;
    while (first > 1 && IsDocLine(file.Line(first - 1))) --first;
    int last = line;
    while (IsDocLine(file.Line(last + 1))) ++last;
    const auto begin = static_cast<size_t>(file.Line(first).data() - text.data());
    const absl::string_view end = file.Line(last);
    return text.substr(begin, static_cast<size_t>(end.data() - text.data()) + end.size() - begin);
  }
  // Looked for once for each name: a comment that is longer is not known to the end.
  constexpr size_t kMaxComment = size_t{16} << 10;
  const size_t from = offset > kMaxComment ? offset - kMaxComment : 0;
  const size_t open = text.substr(from, offset - from).rfind("/*");
  if (open == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = text.substr(from + open);
  const size_t size = std::min(rest.find("*/"), rest.size());
  const bool is_doc = absl::StartsWith(rest, "/**") || absl::StartsWith(rest, "/*!");
  if (!is_doc || from + open + size <= offset) return std::nullopt;
  return rest.substr(0, size);
}

// With the marks of its comment lines.
struct ExampleText {
  absl::string_view text;
  size_t fence = 0;  // offset in the file of the line before it
};

// nullopt outside of examples.
std::optional<ExampleText> ExampleAround(const SourceFile& file, uint32_t offset) {
  const auto doc = DocAround(file, offset);
  if (!doc.has_value()) return std::nullopt;
  const auto doc_begin = static_cast<size_t>(doc->data() - file.text.data());
  const size_t at = offset - doc_begin;
  std::optional<size_t> fence;  // of the open example
  size_t begin = 0;
  for (size_t line = 0; line < doc->size();) {
    const size_t end = std::min(doc->find('\n', line), doc->size() - 1) + 1;
    const bool is_fence = absl::StrContains(doc->substr(line, end - line), "```");
    if (is_fence && line <= at && at < end) return std::nullopt;
    if (is_fence && fence.has_value() && begin <= at && at < line) {
      return ExampleText{doc->substr(begin, line - begin), doc_begin + *fence};
    }
    if (is_fence) fence = fence.has_value() ? std::nullopt : std::optional<size_t>(line);
    if (is_fence) begin = end;
    line = end;
  }
  if (!fence.has_value() || at < begin) return std::nullopt;
  return ExampleText{doc->substr(begin), doc_begin + *fence};
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

// Whether the offset is in a string within the brackets of an attribute `#[doc…`, `#![doc…`.
bool IsInDocAttribute(absl::string_view text, size_t offset) {
  constexpr size_t kMaxAttribute = 4000;
  const size_t from = offset > kMaxAttribute ? offset - kMaxAttribute : 0;
  const absl::string_view before = text.substr(from, offset - from);
  size_t begin = before.rfind("#[doc");
  const size_t inner = before.rfind("#![doc");
  if (begin == absl::string_view::npos || (inner != absl::string_view::npos && inner > begin)) {
    begin = inner;
  }
  if (begin == absl::string_view::npos) return false;
  int depth = 0;
  bool is_string = false;
  for (size_t at = from + begin; at < offset; ++at) {
    const char c = text[at];
    if (c == '"') is_string = !is_string;
    if (is_string && c == '\\') ++at;
    if (!is_string && c == '[') ++depth;
    if (!is_string && c == ']' && --depth == 0) return false;
  }
  return is_string;
}

// Whether documentation of the file takes in a file that holds the name.
bool IncludesInDocs(const SourceFile& file, const std::string& name, const std::string& workspace) {
  constexpr absl::string_view kInclude = "include_str!(\"";
  const absl::string_view text = file.text;
  for (size_t at = 0; (at = text.find(kInclude, at)) != absl::string_view::npos;) {
    at += kInclude.size();
    const absl::string_view path = text.substr(at, text.substr(at).find('"'));
    const std::string included = JoinPath(workspace, CleanPath(JoinPath(DirName(file.path), path)));
    if (absl::StartsWith(path, "/") ||
        absl::StartsWith(CleanPath(JoinPath(DirName(file.path), path)), "..")) {
      continue;
    }
    std::string content;
    const absl::string_view line = file.Line(file.PlaceOf(static_cast<uint32_t>(at)).line);
    const bool holds_name = absl::StrContains(line, "doc") &&
                            ReadRegularFile(included, kMaxCodeBytes, &content) &&
                            FindWord(content, name) != absl::string_view::npos;
    if (holds_name) return true;
  }
  return false;
}

}  // namespace

std::optional<DocExample> DocExampleAt(const SourceFile& file, uint32_t offset) {
  if (!LanguageBackendOf(file.language.id).naming.doc_tests) return std::nullopt;
  if (const auto example = ExampleAround(file, offset)) {
    return DocExample{file.path, file.PlaceOf(static_cast<uint32_t>(example->fence)).line};
  }
  if (IsInDocAttribute(file.text, offset)) return DocExample{file.path, DocExample::kOfProject};
  return std::nullopt;
}

std::set<DocExample> FindDocExamples(const std::string& name,
                                     const std::vector<std::shared_ptr<const SourceFile>>& files,
                                     CodeIndex* index) {
  std::set<DocExample> examples;
  for (const auto& file : files) {
    const std::string& text = file->text;
    for (size_t at = 0; (at = FindWord(text, name, at)) != absl::string_view::npos;
         at += name.size()) {
      if (const auto example = DocExampleAt(*file, static_cast<uint32_t>(at))) {
        examples.insert(*example);
      }
    }
  }
  for (const auto& file : index->FilesWith("include_str")) {
    if (!LanguageBackendOf(file->language.id).naming.doc_tests) continue;
    if (IncludesInDocs(*file, name, index->workspace())) examples.insert({file->path, 0});
  }
  return examples;
}

DocExamples::DocExamples(const Resolution& symbol, std::string crate) : crate_(std::move(crate)) {
  const Declaration& first = symbol.targets[0];
  if (first.symbol < 0 || !LanguageBackendOf(first.file->language.id).naming.doc_tests) return;
  name_ = first.AsSymbol().name;
  is_member_ = IsMember(first.AsSymbol().kind);
  TraitImpls traits;
  for (const Declaration& declaration : symbol.all) {
    if (declaration.symbol < 0) continue;
    const std::string type = LastComponent(declaration.AsSymbol().container);
    const bool is_it = symbol.IsTarget(*declaration.file, declaration.symbol);
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
  return names_it ? Meaning::kSymbol : Meaning::kUnknown;
}

bool DocExamples::Imports(absl::string_view example, absl::string_view name) const {
  for (size_t at = 0; (at = FindWord(example, "use", at)) != absl::string_view::npos; at += 3) {
    absl::string_view path = example.substr(at + 3);
    path = absl::StripLeadingAsciiWhitespace(path.substr(0, path.find(';')));
    if (!absl::ConsumePrefix(&path, crate_) || !absl::StartsWith(path, "::")) continue;
    if (FindWord(path, name) != absl::string_view::npos || absl::EndsWith(path, "*")) return true;
  }
  return false;
}

DocExamples::Meaning DocExamples::MeaningOfName(absl::string_view example,
                                                absl::string_view before) const {
  if (crate_.empty()) return Meaning::kUnknown;
  if (absl::EndsWith(before, ".")) return Meaning::kOther;
  if (!absl::EndsWith(before, "::")) {
    return Imports(example, name_) ? Meaning::kSymbol : Meaning::kUnknown;
  }
  const absl::string_view path =
      before.substr(PathBegin(before, static_cast<uint32_t>(before.size())));
  const absl::string_view first = path.substr(0, path.find(':'));
  return first == crate_ || Imports(example, first) ? Meaning::kSymbol : Meaning::kOther;
}

DocExamples::Meaning DocExamples::MeaningOf(const SourceFile& file, uint32_t offset) const {
  const auto example = ExampleAround(file, offset);
  if (!example.has_value()) return Meaning::kUnknown;
  const absl::string_view text = file.text;
  const absl::string_view before = text.substr(0, offset);
  return is_member_ ? MeaningOfCall(example->text, before, text.substr(offset + name_.size()))
                    : MeaningOfName(example->text, before);
}

DocExamples::Meaning DocExamples::MeaningOfCall(absl::string_view example, absl::string_view before,
                                                absl::string_view behind) const {
  const bool is_path = absl::EndsWith(before, "::");
  const bool is_call = (is_path || absl::EndsWith(before, ".")) &&
                       (absl::StartsWith(behind, "(") || absl::StartsWith(behind, "::<"));
  if (!is_call) return Meaning::kUnknown;
  const absl::string_view receiver =
      ReceiverIn(before.substr(0, before.size() - (is_path ? 2 : 1)));
  if (is_path) {
    const absl::string_view type = receiver.substr(receiver.rfind(':') + 1);
    return types_.count(std::string(type)) > 0 ? Meaning::kSymbol : Meaning::kOther;
  }
  // A method of a trait is called where the trait is imported.
  const bool may_be_called = trait_.empty() ||
                             FindWord(example, trait_) != absl::string_view::npos ||
                             absl::StrContains(example, "::*");
  if (!may_be_called) return Meaning::kOther;
  Meaning meaning = ByTypes(receiver);
  const absl::string_view declared =
      IsIdentifier(receiver) ? DeclarationIn(example, receiver) : absl::string_view();
  if (meaning == Meaning::kUnknown) meaning = ByTypes(declared.empty() ? example : declared);
  const bool is_imported = !trait_.empty() && others_.empty() && declared.empty();
  if (meaning == Meaning::kUnknown && is_imported) meaning = Meaning::kSymbol;
  return meaning == Meaning::kSymbol ? Meaning::kSymbol : Meaning::kOther;
}

std::vector<uint32_t> DocExamples::UsesIn(const SourceFile& file) const {
  std::vector<uint32_t> uses;
  if (name_.empty()) return uses;
  const absl::string_view text = file.text;
  for (size_t at = 0; (at = FindWord(text, name_, at)) != absl::string_view::npos;
       at += name_.size()) {
    const auto offset = static_cast<uint32_t>(at);
    if (MeaningOf(file, offset) == Meaning::kSymbol) uses.push_back(offset);
  }
  return uses;
}

bool DocExamples::IsOther(const SourceFile& file, uint32_t offset) const {
  return !name_.empty() && MeaningOf(file, offset) == Meaning::kOther;
}

}  // namespace stile
