#include "tools/code/search_tool.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/code/code_text.h"
#include "tools/index/search_index.h"

namespace stile {
namespace {

constexpr int64_t kDefaultLimit = 10;
constexpr int64_t kMaxLimit = 200;

Json ToJson(const SearchHit& hit) {
  constexpr double kPlaces = 1000;
  Json json = {{"line", hit.line},
               {"startLine", hit.first_line},
               {"endLine", hit.last_line},
               {"symbol", hit.symbol},
               {"kind", hit.kind},
               {"signature", hit.signature},
               {"documentation", hit.documentation},
               {"excerptLine", hit.excerpt_line},
               {"excerpt", hit.excerpt},
               {"score", std::round(hit.score * kPlaces) / kPlaces}};
  SetPath(&json, "file", hit.path);
  return json;
}

std::string ToText(const SearchHit& hit) {
  std::string text = absl::StrCat(DisplayPath(hit.path), ":", hit.first_line);
  if (hit.last_line > hit.first_line) absl::StrAppend(&text, "-", hit.last_line);
  absl::StrAppend(&text, " ", hit.kind, hit.symbol.empty() ? "" : absl::StrCat(" ", hit.symbol),
                  "\n");
  if (!hit.signature.empty()) absl::StrAppend(&text, "  ", Shortened(hit.signature), "\n");
  if (!hit.documentation.empty()) {
    absl::StrAppend(&text, "  | ", Shortened(hit.documentation), "\n");
  }
  if (hit.excerpt_line > 0 && hit.excerpt_line != hit.line) {
    absl::StrAppend(&text, "  ", hit.excerpt_line, ": ", Shortened(hit.excerpt), "\n");
  }
  return text;
}

class CodeSearchTool : public Tool {
 public:
  explicit CodeSearchTool(CodeIndex* index) : search_(index) {
    spec_.name = "code.search";
    spec_.description = "Find code by what it is about, best first.";
    spec_.parameters =
        ObjectSchema({Required("query", "string", "Words or names that describe the code."),
                      Optional("filePattern", "string", "Glob: only files that match."),
                      Optional("limit", "integer", "Most hits to show.", kDefaultLimit)});
    const Json hit = ObjectSchema(
        {Required("file", "string"), Optional("fileBase64", "string"), Required("line", "integer"),
         Required("startLine", "integer"), Required("endLine", "integer"),
         Required("symbol", "string"), Required("kind", "string"), Required("signature", "string"),
         Required("documentation", "string"), Required("excerptLine", "integer"),
         Required("excerpt", "string"), Required("score", "number")});
    spec_.output = ObjectSchema({{"hits", ArraySchema(hit), true},
                                 Required("files", "integer"),
                                 Required("unreadable", "integer")});
    spec_.read_only = true;
    spec_.argument_aliases = {{"q", "query"},           {"text", "query"},
                              {"pattern", "query"},     {"glob", "filePattern"},
                              {"files", "filePattern"}, {"maxResults", "limit"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext&) override {
    SearchRequest request;
    request.query = std::string(absl::StripAsciiWhitespace(*JsonString(arguments, "query")));
    if (request.query.empty()) return ToolResult::Error("the query is empty");
    request.file_pattern = JsonString(arguments, "filePattern").value_or("");
    request.limit = static_cast<size_t>(
        std::clamp<int64_t>(JsonInt(arguments, "limit").value_or(kDefaultLimit), 1, kMaxLimit));
    const SearchAnswer answer = search_.Search(request);
    std::string text;
    Json list = Json::array();
    for (const SearchHit& hit : answer.hits) {
      absl::StrAppend(&text, ToText(hit));
      list.push_back(ToJson(hit));
    }
    if (answer.hits.empty()) {
      text = absl::StrCat("Nothing in ", Count(answer.files, "file"),
                          " has any of these words; search.grep finds text in any file.\n");
    }
    if (answer.unreadable > 0) {
      absl::StrAppend(&text, "Not looked at: ", Count(answer.unreadable, "unreadable file"), "\n");
    }
    return ToolResult::Success(
        std::move(text),
        {{"hits", std::move(list)}, {"files", answer.files}, {"unreadable", answer.unreadable}});
  }

 private:
  ToolSpec spec_;
  SearchIndex search_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeSearchTool(CodeIndex* index) {
  return std::make_unique<CodeSearchTool>(index);
}

}  // namespace stile
