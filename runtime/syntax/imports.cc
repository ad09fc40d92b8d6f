#include "runtime/syntax/imports.h"

#include <algorithm>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/syntax/query.h"

namespace stile {
namespace {

absl::string_view Unquoted(absl::string_view text) {
  while (text.size() >= 2 && (text.front() == '"' || text.front() == '\'' || text.front() == '<' ||
                              text.front() == '`')) {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

}  // namespace

std::vector<Import> FindImports(const Grammar& grammar, const SyntaxTree& tree,
                                absl::string_view text) {
  const SyntaxQuery* query = FindQuery(grammar, "imports");
  STILE_CHECK(query != nullptr);
  const std::vector<absl::string_view> names = query->CaptureNames();
  struct Found {
    Import import;
    uint32_t place = 0;  // of the name
    uint16_t pattern = 0;
  };
  std::vector<Found> all;
  SyntaxQuery::Matches matches(*query, tree, text);
  while (const TSQueryMatch* match = matches.Next()) {
    Found found;
    found.pattern = match->pattern_index;
    for (uint16_t i = 0; i < match->capture_count; ++i) {
      const TSNode node = match->captures[i].node;
      const absl::string_view capture = names[match->captures[i].index];
      if (capture == "import") {
        found.import.begin = ts_node_start_byte(node);
        found.import.end = ts_node_end_byte(node);
        found.place = std::max(found.place, found.import.begin);
      } else if (capture == "module") {
        found.import.module = std::string(Unquoted(TextOf(node, text)));
      } else if (capture == "name") {
        found.import.name = std::string(TextOf(node, text));
        found.place = ts_node_start_byte(node);
      } else if (capture == "alias") {
        found.import.alias = std::string(TextOf(node, text));
        if (found.import.name.empty()) found.place = ts_node_start_byte(node);
      } else if (capture == "wildcard") {
        found.import.name = "*";
      } else if (capture == "place") {
        found.place = ts_node_start_byte(node);
      }
    }
    all.push_back(std::move(found));
  }
  // Where two patterns match the same, the first one counts.
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return a.place != b.place ? a.place < b.place : a.pattern < b.pattern;
  });
  std::vector<Import> imports;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].place != all[i - 1].place) imports.push_back(std::move(all[i].import));
  }
  return imports;
}

}  // namespace stile
