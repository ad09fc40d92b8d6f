#include "tools/refactor/unused_imports.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace stile {
namespace {

struct Item {
  uint32_t begin = 0;  // of the name or module
  uint32_t end = 0;    // of its alias, if it has one
  bool is_unused = false;
};

struct Statement {
  uint32_t begin = 0;
  uint32_t end = 0;  // behind its line break
  std::vector<Item> items;
};

// The import statement that begins at the start of a line; nullopt for one that is written in a
// way that is not understood.
std::optional<Statement> ReadStatement(absl::string_view text, uint32_t begin) {
  Statement statement;
  statement.begin = begin;
  absl::string_view rest = text.substr(begin);
  size_t at = 0;
  if (absl::StartsWith(rest, "from ")) {
    at = rest.find(" import");
    const size_t line_end = rest.find('\n');
    if (at == absl::string_view::npos || at > line_end) return std::nullopt;
    at += 1;
  } else if (!absl::StartsWith(rest, "import ")) {
    return std::nullopt;
  }
  at += absl::string_view("import").size();
  while (at < rest.size() && (rest[at] == ' ' || rest[at] == '\t')) ++at;
  const bool has_bracket = at < rest.size() && rest[at] == '(';
  if (has_bracket) ++at;
  const size_t end = has_bracket ? rest.find(')', at) : std::min(rest.find('\n', at), rest.size());
  if (end == absl::string_view::npos) return std::nullopt;
  size_t line_end = std::min(rest.find('\n', end), rest.size());
  const absl::string_view tail = rest.substr(end, line_end - end);
  if (!absl::StripAsciiWhitespace(tail.substr(has_bracket ? 1 : 0)).empty()) return std::nullopt;
  if (rest.substr(at, end - at).find_first_of("#;\\*") != absl::string_view::npos) {
    return std::nullopt;
  }
  while (at < end) {
    const size_t comma = std::min(rest.find(',', at), end);
    absl::string_view item = absl::StripAsciiWhitespace(rest.substr(at, comma - at));
    if (!item.empty()) {
      const auto offset = static_cast<uint32_t>(item.data() - text.data());
      statement.items.push_back({offset, offset + static_cast<uint32_t>(item.size())});
    }
    at = comma + 1;
  }
  statement.end = begin + static_cast<uint32_t>(std::min(line_end + 1, rest.size()));
  return statement;
}

void AddEdits(const Statement& statement, std::vector<TextEdit>* edits) {
  const std::vector<Item>& items = statement.items;
  const bool is_whole =
      std::all_of(items.begin(), items.end(), [](const Item& item) { return item.is_unused; });
  if (is_whole) {
    edits->push_back({statement.begin, statement.end, ""});
    return;
  }
  for (size_t i = 0; i < items.size();) {
    size_t next = i;
    while (next < items.size() && items[next].is_unused) ++next;
    if (next > i && next < items.size()) edits->push_back({items[i].begin, items[next].begin, ""});
    if (next > i && next == items.size()) {
      edits->push_back({items[i - 1].end, items[next - 1].end, ""});
    }
    i = next + 1;
  }
}

}  // namespace

std::vector<TextEdit> RemoveUnusedImports(const SourceFile& file,
                                          const std::vector<CodeRange>& unused) {
  const absl::string_view text = file.text;
  std::vector<TextEdit> edits;
  for (uint32_t begin = 0; begin < text.size();) {
    const auto next = static_cast<uint32_t>(std::min(text.find('\n', begin), text.size() - 1)) + 1;
    std::optional<Statement> statement = ReadStatement(text, begin);
    begin = next;
    if (!statement.has_value()) continue;
    bool has_unused = false;
    for (Item& item : statement->items) {
      item.is_unused = std::any_of(unused.begin(), unused.end(), [&](const CodeRange& range) {
        return range.path == file.path && range.begin >= item.begin && range.end <= item.end;
      });
      has_unused |= item.is_unused;
    }
    if (has_unused) AddEdits(*statement, &edits);
  }
  return edits;
}

}  // namespace stile
