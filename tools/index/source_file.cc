#include "tools/index/source_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/macro_mask.h"

namespace stile {
namespace {

// Blanks and line ends as one blank each.
std::string OnOneLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!absl::ascii_isspace(static_cast<unsigned char>(c))) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// A line of a comment or docstring without what marks it as one.
absl::string_view WithoutMarks(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  for (const absl::string_view mark : {"///", "//!", "//", "/**", "/*!", "/*", "\"\"\"", "'''"}) {
    if (absl::ConsumePrefix(&line, mark)) break;
  }
  while (absl::ConsumePrefix(&line, "#")) {
  }
  for (const absl::string_view mark : {"*/", "\"\"\"", "'''"}) absl::ConsumeSuffix(&line, mark);
  if (absl::StartsWith(line, "* ") || line == "*") line.remove_prefix(1);
  return absl::StripAsciiWhitespace(line);
}

// What was hidden from the parser is an identifier all the same.
void AddMacros(const MaskedText& masked, FileScopes* scopes) {
  for (const auto& [begin, end] : masked.macros) {
    FileScopes::Identifier identifier;
    identifier.occurrence.begin = begin;
    identifier.occurrence.end = end;
    identifier.occurrence.role = OccurrenceRole::kRaw;
    const auto behind =
        std::upper_bound(scopes->identifiers.begin(), scopes->identifiers.end(), begin,
                         [](uint32_t at, const FileScopes::Identifier& other) {
                           return at < other.occurrence.begin;
                         });
    scopes->identifiers.insert(behind, identifier);
  }
}

}  // namespace

std::string SignatureText(absl::string_view written) {
  std::string head = OnOneLine(written);
  while (!head.empty() && absl::StrContains("{:=;", head.back()) &&
         !absl::EndsWith(head, "operator=")) {
    head.pop_back();
    while (!head.empty() && head.back() == ' ') head.pop_back();
  }
  return ToUtf8(head);
}

std::string DocumentationText(absl::string_view comment) {
  std::string words;
  for (const absl::string_view line : SplitLines(comment)) {
    const absl::string_view said = WithoutMarks(line);
    if (said.empty() && words.empty()) continue;
    absl::StrAppend(&words, words.empty() ? "" : "\n", said);
  }
  return ToUtf8(absl::StripAsciiWhitespace(words));
}

SourceFile::SourceFile(std::string file_path, const Language& file_language,
                       const Grammar& file_grammar, std::string file_text)
    : path(std::move(file_path)),
      language(file_language),
      grammar(file_grammar),
      text(std::move(file_text)),
      lines_(text) {}

absl::StatusOr<std::shared_ptr<const SourceFile>> SourceFile::Parse(std::string path,
                                                                    const Language& language,
                                                                    const Grammar& grammar,
                                                                    std::string text) {
  auto file = std::shared_ptr<SourceFile>(
      new SourceFile(std::move(path), language, grammar, std::move(text)));
  const MaskedText masked = MaskMacros(grammar, file->text);
  const absl::string_view parsed = masked.text.empty() ? file->text : masked.text;
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(grammar, parsed));
  file->symbols = FindSymbols(grammar, tree, parsed);
  file->scopes = AnalyzeScopes(grammar, tree, parsed);
  AddMacros(masked, &file->scopes);
  return std::shared_ptr<const SourceFile>(std::move(file));
}

std::shared_ptr<const SourceFile> SourceFile::WithSymbol(const SourceFile& file, Symbol symbol) {
  std::shared_ptr<SourceFile> copy(
      new SourceFile(file.path, file.language, file.grammar, file.text));
  copy->scopes = file.scopes;
  copy->symbols = file.symbols;
  const auto place =
      std::upper_bound(copy->symbols.begin(), copy->symbols.end(), symbol,
                       [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  const auto index = static_cast<int>(place - copy->symbols.begin());
  for (Symbol& other : copy->symbols) {
    if (other.parent >= index) ++other.parent;
  }
  copy->symbols.insert(place, std::move(symbol));
  return copy;
}

TextPlace SourceFile::PlaceOf(uint32_t offset) const {
  const uint32_t line = lines_.LineOf(offset);
  return {static_cast<int>(line), static_cast<int>(offset - lines_.BeginOf(line)) + 1};
}

absl::string_view SourceFile::Line(int line) const {
  if (line < 1 || static_cast<uint32_t>(line) > lines_.count()) return "";
  absl::string_view rest =
      absl::string_view(text).substr(lines_.BeginOf(static_cast<uint32_t>(line)));
  rest = rest.substr(0, rest.find('\n'));
  return absl::StripSuffix(rest, "\r");
}

int SourceFile::SymbolAround(uint32_t offset) const {
  // Those that begin at or before the offset; the last of them that reaches it, or what it lies in.
  auto after =
      std::upper_bound(symbols.begin(), symbols.end(), offset,
                       [](uint32_t at, const Symbol& symbol) { return at < symbol.begin; });
  if (after == symbols.begin()) return -1;
  int index = static_cast<int>(after - symbols.begin()) - 1;
  while (index >= 0 && symbols[static_cast<size_t>(index)].end <= offset) {
    // Siblings that ended before are skipped through their parent only where that holds the offset.
    const int parent = symbols[static_cast<size_t>(index)].parent;
    index = parent;
  }
  return index;
}

std::string SourceFile::QualifiedName(int symbol) const {
  if (symbol < 0) return "";
  const Symbol& found = symbols[static_cast<size_t>(symbol)];
  return found.container.empty() ? found.name : absl::StrCat(found.container, ".", found.name);
}

std::string SourceFile::Signature(const Symbol& symbol) const {
  return SignatureText(
      absl::string_view(text).substr(symbol.begin, symbol.signature_end - symbol.begin));
}

std::string SourceFile::Documentation(const Symbol& symbol) const {
  return DocumentationText(
      absl::string_view(text).substr(symbol.doc_begin, symbol.doc_end - symbol.doc_begin));
}

}  // namespace stile
