#include "validators/integrity/source_findings.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/query.h"

namespace stile {
namespace {

constexpr size_t kMaxTextBytes = 120;

// Where the first thing begins that is no comment.
uint32_t FirstCode(const SyntaxTree& tree) {
  TSTreeCursor cursor = ts_tree_cursor_new(tree.root());
  uint32_t offset = ts_node_end_byte(tree.root());
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
       more = ts_tree_cursor_goto_next_sibling(&cursor)) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (absl::StrContains(ts_node_type(node), "comment")) continue;
    offset = ts_node_start_byte(node);
    break;
  }
  ts_tree_cursor_delete(&cursor);
  return offset;
}

std::optional<SourceFinding::Kind> KindOf(absl::string_view capture, TSNode node,
                                          uint32_t first_code) {
  if (capture == "suppression.line") return SourceFinding::Kind::kSuppressesLine;
  if (capture == "suppression.file") return SourceFinding::Kind::kSuppressesFile;
  if (capture == "suppression.top") {
    return ts_node_start_byte(node) < first_code ? SourceFinding::Kind::kSuppressesFile
                                                 : SourceFinding::Kind::kSuppressesLine;
  }
  if (capture == "check") return SourceFinding::Kind::kAsksForCheck;
  if (capture == "function") return SourceFinding::Kind::kFunction;
  if (capture == "annotated") return SourceFinding::Kind::kAnnotatedFunction;
  return std::nullopt;  // a capture for a predicate
}

std::string FirstLine(absl::string_view text) {
  std::string line(text.substr(0, std::min(text.find('\n'), kMaxTextBytes)));
  absl::RemoveExtraAsciiWhitespace(&line);
  return ToUtf8(line);
}

}  // namespace

std::vector<SourceFinding> FindInSource(const Grammar& grammar, absl::string_view text) {
  std::vector<SourceFinding> findings;
  const SyntaxQuery* query = FindQuery(grammar, "integrity");
  const absl::StatusOr<SyntaxTree> tree = SyntaxTree::Parse(grammar, text);
  if (query == nullptr || !tree.ok()) return findings;
  const uint32_t first_code = FirstCode(*tree);
  query->Run(*tree, text, [&](const std::vector<SyntaxQuery::Capture>& captures) {
    for (const SyntaxQuery::Capture& capture : captures) {
      const auto kind = KindOf(capture.name, capture.node, first_code);
      if (!kind.has_value()) continue;
      findings.push_back({*kind, static_cast<int>(ts_node_start_point(capture.node).row) + 1,
                          FirstLine(TextOf(capture.node, text))});
    }
  });
  return findings;
}

}  // namespace stile
