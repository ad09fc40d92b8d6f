#include "tools/language/code_style.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {
namespace {

constexpr size_t kMaxLooked = 4000;  // lines of a file that tell its style

absl::string_view Blanks(absl::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

// The unit that most steps inwards have; "" when nothing is indented.
std::string IndentUnit(absl::string_view text) {
  std::map<size_t, int> steps;
  int tabs = 0;
  int spaces = 0;
  size_t before = 0;
  size_t looked = 0;
  for (const absl::string_view line : SplitLines(text)) {
    if (++looked > kMaxLooked) break;
    const absl::string_view blanks = Blanks(line);
    const absl::string_view rest = absl::StripAsciiWhitespace(line);
    if (rest.empty() || rest[0] == '*') continue;
    if (!blanks.empty() && blanks[0] == '\t') {
      ++tabs;
      continue;
    }
    if (!blanks.empty()) ++spaces;
    if (blanks.size() > before) ++steps[blanks.size() - before];
    before = blanks.size();
  }
  if (tabs > spaces) return "\t";
  size_t best = 0;
  for (const auto& [step, count] : steps) {
    if (step >= 2 && step <= 8 && (best == 0 || count > steps[best])) best = step;
  }
  return std::string(best, ' ');
}

std::set<size_t> LinesInStrings(absl::string_view code, const Grammar& grammar) {
  std::set<size_t> lines;
  if (!absl::StrContains(code, "\n")) return lines;
  const auto tree = SyntaxTree::Parse(grammar, code);
  if (tree.ok()) AddLinesInStrings(tree->root(), &lines);
  return lines;
}

}  // namespace

void AddLinesInStrings(TSNode root, std::set<size_t>* rows) {
  WalkTree(root, [&](TSNode node) {
    const absl::string_view type = ts_node_type(node);
    const uint32_t first = ts_node_start_point(node).row;
    const uint32_t last = ts_node_end_point(node).row;
    if (first == last) return false;
    // A docstring is indented with the code.
    const bool is_docstring =
        type == "expression_statement" && ts_node_named_child_count(node) == 1 &&
        ts_node_type(ts_node_named_child(node, 0)) == absl::string_view("string");
    if (is_docstring) return false;
    if (!absl::StrContains(type, "string")) return true;
    for (uint32_t row = first + 1; row <= last; ++row) rows->insert(row);
    return false;
  });
}

size_t LineBegin(absl::string_view text, size_t offset) {
  const size_t newline = offset == 0 ? absl::string_view::npos : text.rfind('\n', offset - 1);
  return newline == absl::string_view::npos ? 0 : newline + 1;
}

size_t LineEnd(absl::string_view text, size_t offset) {
  const size_t newline = text.find('\n', offset);
  return newline == absl::string_view::npos ? text.size() : newline + 1;
}

absl::string_view IndentationAt(absl::string_view text, size_t offset) {
  return Blanks(text.substr(LineBegin(text, offset)));
}

CodeStyle StyleOf(absl::string_view text, const LanguageFamily& family) {
  CodeStyle style;
  style.indent = IndentUnit(text);
  if (style.indent.empty()) style.indent = family.indent;
  if (absl::StrContains(text, "\r\n")) style.newline = "\r\n";
  style.blocks = family.blocks;
  if (family.blocks != BlockStyle::kColon) {
    int own = 0;
    int same = 0;
    for (const absl::string_view line : SplitLines(text)) {
      const absl::string_view rest = absl::StripAsciiWhitespace(line);
      if (rest == "{") {
        ++own;
      } else if (absl::EndsWith(rest, "{")) {
        ++same;
      }
    }
    if (own > same) style.blocks = BlockStyle::kOwnLine;
    if (same > own) style.blocks = BlockStyle::kSameLine;
  }
  const auto singles = std::count(text.begin(), text.end(), '\'');
  const auto doubles = std::count(text.begin(), text.end(), '"');
  if (doubles > singles) style.quote = "\"";
  return style;
}

std::string Dedent(absl::string_view code, const std::set<size_t>& in_strings) {
  std::vector<absl::string_view> lines = SplitLines(code);
  size_t dropped = 0;
  const auto is_blank = [](absl::string_view line) {
    return absl::StripAsciiWhitespace(line).empty();
  };
  while (!lines.empty() && is_blank(lines.front())) {
    lines.erase(lines.begin());
    ++dropped;
  }
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  size_t shared = std::string::npos;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (is_blank(lines[i]) || in_strings.count(i + dropped) > 0) continue;
    const size_t blanks = Blanks(lines[i]).size();
    // Models cut the first line where it begins and leave the others as they were in the file.
    if (i == 0 && blanks == 0 && lines.size() > 1) continue;
    shared = std::min(shared, blanks);
  }
  if (shared == std::string::npos) shared = 0;
  if (lines.size() > 1 && Blanks(lines[0]).empty()) {
    // Only what the last line shares with the first is common to all.
    const size_t last = Blanks(lines.back()).size();
    const bool closes = absl::StrContains("})]", absl::StripAsciiWhitespace(lines.back())[0]);
    shared = closes ? std::min(shared, last) : 0;
  }
  std::string result;
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::string_view line = absl::StripSuffix(lines[i], "\r");
    const bool kept = in_strings.count(i + dropped) > 0;
    if (!kept) line.remove_prefix(std::min(shared, Blanks(line).size()));
    absl::StrAppend(&result, i == 0 ? "" : "\n", is_blank(line) && !kept ? "" : line);
  }
  return std::string(absl::StripTrailingAsciiWhitespace(result));
}

std::string Indent(absl::string_view code, absl::string_view prefix, const CodeStyle& style,
                   const Grammar& grammar) {
  const std::string unit = IndentUnit(code);
  const std::set<size_t> in_strings = LinesInStrings(code, grammar);
  const std::vector<absl::string_view> lines = SplitLines(code);
  std::string result;
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::string_view line = lines[i];
    if (i > 0) result.push_back('\n');
    if (in_strings.count(i) > 0) {
      absl::StrAppend(&result, line);
      continue;
    }
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    absl::StrAppend(&result, prefix);
    while (!line.empty()) {
      if (line[0] == '\t') {
        line.remove_prefix(1);
      } else if (unit.size() < 2 || !absl::ConsumePrefix(&line, unit)) {
        break;
      }
      absl::StrAppend(&result, style.indent);
    }
    absl::StrAppend(&result, line);
  }
  return result;
}

std::string Block(absl::string_view head, absl::string_view body, const CodeStyle& style,
                  const Grammar& grammar) {
  std::string result(head);
  switch (style.blocks) {
    case BlockStyle::kColon:
      absl::StrAppend(&result, ":\n");
      break;
    case BlockStyle::kOwnLine:
      absl::StrAppend(&result, "\n{\n");
      break;
    case BlockStyle::kSameLine:
      if (body.empty()) return absl::StrCat(head, " {\n}");
      absl::StrAppend(&result, " {\n");
      break;
  }
  CodeStyle tabs;
  tabs.indent = "\t";
  absl::StrAppend(&result, Indent(body, "\t", tabs, grammar), body.empty() ? "" : "\n");
  if (style.blocks == BlockStyle::kColon) {
    result.pop_back();
  } else {
    absl::StrAppend(&result, "}");
  }
  return result;
}

}  // namespace stile
