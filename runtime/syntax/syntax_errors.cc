#include "runtime/syntax/syntax_errors.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {
namespace {

constexpr size_t kMaxErrors = 5;
constexpr size_t kMaxCollected = 1000;
constexpr size_t kMaxTokenBytes = 40;
// Where the old text had errors too, the parser may group them otherwise after an edit; what lies
// further from the edit than this is taken for that.
constexpr int kNearLines = 2;

struct Found {
  uint32_t offset = 0;
  SyntaxError error;
};

SyntaxError At(TSPoint point, std::string message) {
  return {static_cast<int>(point.row) + 1, static_cast<int>(point.column) + 1, std::move(message)};
}

std::string Quoted(absl::string_view token) {
  token = token.substr(0, token.find('\n'));
  return absl::StrCat("'", ToUtf8(token.substr(0, kMaxTokenBytes)), "'");
}

// The innermost error nodes, in the order of the text.
std::vector<Found> ErrorNodes(const SyntaxTree& tree, absl::string_view text) {
  std::vector<Found> found;
  uint32_t last_end = 0;  // of the error node that was found last; what lies in it takes its place
  const auto add = [&](TSNode node, std::string message) {
    const uint32_t start = ts_node_start_byte(node);
    if (!found.empty() && start < last_end) found.pop_back();
    found.push_back({start, At(ts_node_start_point(node), std::move(message))});
    last_end = ts_node_end_byte(node);
  };
  WalkTree(tree.root(), [&](TSNode node) {
    if (found.size() >= kMaxCollected || !ts_node_has_error(node)) return false;
    if (ts_node_is_missing(node)) {
      add(node, ts_node_is_named(node) ? absl::StrCat("expected ", ts_node_type(node))
                                       : absl::StrCat("missing '", ts_node_type(node), "'"));
    } else if (ts_node_is_error(node)) {
      TSNode leaf = node;
      while (ts_node_child_count(leaf) > 0) leaf = ts_node_child(leaf, 0);
      add(node, absl::StrCat("unexpected ", Quoted(TextOf(leaf, text))));
    }
    return true;
  });
  return found;
}

struct Bracket {
  char kind;  // of an opening one: ( [ {
  uint32_t offset;
  TSPoint point;
  int indentation;  // of the line it stands in
};

char OpeningOf(char closing) { return closing == ')' ? '(' : closing == ']' ? '[' : '{'; }

int Indentation(absl::string_view text, TSPoint point, uint32_t offset) {
  const size_t line = offset - std::min(offset, point.column);
  size_t at = line;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return static_cast<int>(at - line);
}

// The first bracket that has no partner. Brackets in strings and comments are no tokens and do not
// count. Which of several open ones was forgotten, indentation tells: a line that closes further
// left than the line that opened was written for an outer one.
std::optional<SyntaxError> UnmatchedBracket(const SyntaxTree& tree, absl::string_view text) {
  std::vector<Bracket> open;
  std::optional<SyntaxError> unmatched;
  const auto never_closed = [](const Bracket& bracket) {
    return At(bracket.point, absl::StrCat("'", std::string(1, bracket.kind), "' is never closed"));
  };
  WalkTree(tree.root(), [&](TSNode node) {
    if (unmatched.has_value()) return false;
    if (ts_node_child_count(node) > 0) return true;
    if (ts_node_is_named(node) || ts_node_is_missing(node)) return false;
    const absl::string_view token = TextOf(node, text);
    if (token.empty()) return false;
    const char last = token.back();  // "${", "#["
    const TSPoint point = ts_node_start_point(node);
    const uint32_t offset = ts_node_start_byte(node);
    if (last == '(' || last == '[' || last == '{') {
      open.push_back({last, offset, point, Indentation(text, point, offset)});
    } else if (token.size() == 1 && (last == ')' || last == ']' || last == '}')) {
      const int indentation = Indentation(text, point, offset);
      const bool begins_line = static_cast<uint32_t>(indentation) == point.column;
      if (open.empty()) {
        unmatched = At(point, absl::StrCat("'", token, "' closes nothing"));
      } else if (open.back().kind != OpeningOf(last) ||
                 (begins_line && indentation < open.back().indentation)) {
        unmatched = never_closed(open.back());
      } else {
        open.pop_back();
      }
    }
    return false;
  });
  if (!unmatched.has_value() && !open.empty()) unmatched = never_closed(open.back());
  return unmatched;
}

int LineOf(absl::string_view text, size_t offset) {
  return static_cast<int>(
             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n')) +
         1;
}

}  // namespace

std::vector<SyntaxError> IntroducedErrors(const Grammar& grammar, absl::string_view before,
                                          absl::string_view after) {
  const absl::StatusOr<SyntaxTree> tree = SyntaxTree::Parse(grammar, after);
  if (!tree.ok() || !tree->has_error()) return {};
  const absl::StatusOr<SyntaxTree> old_tree = SyntaxTree::Reparse(grammar, *tree, after, before);
  if (!old_tree.ok()) return {};
  const bool was_broken = old_tree->has_error();

  const TextChange edit = FindChange(before, after);
  const int64_t growth = static_cast<int64_t>(after.size()) - static_cast<int64_t>(before.size());
  std::set<std::pair<int64_t, std::string>> known;  // by offset in the new text
  std::multiset<std::string> inside;  // of the part that changed, where offsets say nothing
  if (was_broken) {
    for (const Found& found : ErrorNodes(*old_tree, before)) {
      const bool behind = found.offset >= edit.before_end;
      if (!behind && found.offset >= edit.begin) {
        inside.insert(found.error.message);
      } else {
        known.emplace(int64_t{found.offset} + (behind ? growth : 0), found.error.message);
      }
    }
  }
  const int first_line = LineOf(after, edit.begin) - kNearLines;
  const int last_line = LineOf(after, edit.after_end) + kNearLines;
  std::vector<SyntaxError> errors;
  // One bracket too few or too many upsets everything after it: it goes first.
  if (!was_broken || !UnmatchedBracket(*old_tree, before).has_value()) {
    if (std::optional<SyntaxError> bracket = UnmatchedBracket(*tree, after)) {
      errors.push_back(*std::move(bracket));
    }
  }
  for (Found& found : ErrorNodes(*tree, after)) {
    if (errors.size() >= kMaxErrors) break;
    if (known.count({found.offset, found.error.message}) > 0) continue;
    if (found.offset >= edit.begin && found.offset < edit.after_end) {
      const auto same = inside.find(found.error.message);
      if (same != inside.end()) {
        inside.erase(same);  // one of the old errors, not all of them
        continue;
      }
    }
    const bool near = found.error.line >= first_line && found.error.line <= last_line;
    if (was_broken && !near) continue;
    errors.push_back(std::move(found.error));
  }
  return errors;
}

}  // namespace stile
