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

bool OnlyCommentsBefore(TSNode node) {
  for (TSNode at = ts_node_prev_sibling(node); !ts_node_is_null(at);
       at = ts_node_prev_sibling(at)) {
    if (!absl::StrContains(ts_node_type(at), "comment")) return false;
  }
  const TSNode parent = ts_node_parent(node);
  return ts_node_is_null(parent) || ts_node_is_null(ts_node_parent(parent));
}

std::optional<SourceFinding::Kind> KindOf(absl::string_view capture, TSNode node,
                                          bool is_test_file) {
  if (absl::ConsumeSuffix(&capture, ".in_test_file") && !is_test_file) return std::nullopt;
  if (capture == "suppression.line") return SourceFinding::Kind::kSuppressesLine;
  if (capture == "suppression.file") return SourceFinding::Kind::kSuppressesFile;
  if (capture == "suppression.top") {
    return OnlyCommentsBefore(node) ? SourceFinding::Kind::kSuppressesFile
                                    : SourceFinding::Kind::kSuppressesLine;
  }
  if (capture == "test") return SourceFinding::Kind::kTest;
  if (capture == "skip") return SourceFinding::Kind::kSkipsTest;
  return std::nullopt;  // a capture for a predicate
}

std::string FirstLine(absl::string_view text) {
  std::string line(text.substr(0, std::min(text.find('\n'), kMaxTextBytes)));
  absl::RemoveExtraAsciiWhitespace(&line);
  return ToUtf8(line);
}

}  // namespace

std::vector<SourceFinding> FindInSource(const Grammar& grammar, absl::string_view text,
                                        bool is_test_file) {
  std::vector<SourceFinding> findings;
  const SyntaxQuery* query = FindQuery(grammar, "integrity");
  const absl::StatusOr<SyntaxTree> tree = SyntaxTree::Parse(grammar, text);
  if (query == nullptr || !tree.ok()) return findings;
  query->Run(*tree, text, [&](const std::vector<SyntaxQuery::Capture>& captures) {
    for (const SyntaxQuery::Capture& capture : captures) {
      const auto kind = KindOf(capture.name, capture.node, is_test_file);
      if (!kind.has_value()) continue;
      findings.push_back({*kind, static_cast<int>(ts_node_start_point(capture.node).row) + 1,
                          FirstLine(TextOf(capture.node, text))});
    }
  });
  return findings;
}

}  // namespace stile
