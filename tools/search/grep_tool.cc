#include "tools/search/grep_tool.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/file_walk.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/search/line_matcher.h"

namespace stile {
namespace {

constexpr size_t kDefaultResults = 100;
constexpr int64_t kMaxResults = 1000;
constexpr size_t kMaxFileBytes = size_t{32} << 20;
constexpr size_t kMaxExcerptBytes = 240;
constexpr size_t kMaxPatternBytes = 4096;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The part of a line around the match; the whole line where it is short.
std::string ExcerptOf(absl::string_view line, size_t start, size_t length) {
  if (line.size() <= kMaxExcerptBytes) return ToUtf8(line);
  const size_t shown = std::min(length, kMaxExcerptBytes);
  size_t from = start - std::min(start, (kMaxExcerptBytes - shown) / 2);
  size_t to = std::min(line.size(), from + kMaxExcerptBytes);
  while (from < to && from > 0 && IsContinuation(line[from])) ++from;
  while (to > from && to < line.size() && IsContinuation(line[to])) --to;
  return absl::StrCat(from > 0 ? "…" : "", ToUtf8(line.substr(from, to - from)),
                      to < line.size() ? "…" : "");
}

struct Search {
  const LineMatcher* matcher;
  size_t max_results;
  Json matches = Json::array();
  std::string text;
  size_t lines = 0;  // that match
  size_t files = 0;  // with a match
  size_t searched = 0;
  size_t skipped = 0;  // too big or unreadable
};

void SearchFile(absl::string_view content, const std::string& path, Search* search) {
  ++search->searched;
  const std::string shown = DisplayPath(path);
  size_t number = 0;
  bool found = false;
  for (const absl::string_view raw : SplitLines(content)) {
    ++number;
    const absl::string_view line = absl::StripSuffix(raw, "\r");
    size_t start = 0;
    size_t length = 0;
    if (!search->matcher->Find(line, &start, &length)) continue;
    found = true;
    if (++search->lines > search->max_results) continue;
    std::string excerpt = ExcerptOf(line, start, length);
    absl::StrAppend(&search->text, shown, ":", number, ":", start + 1, ": ", excerpt, "\n");
    Json match = {{"line", number}, {"column", start + 1}, {"text", std::move(excerpt)}};
    SetPath(&match, "file", path);
    search->matches.push_back(std::move(match));
  }
  if (found) ++search->files;
}

void SearchPath(const ToolContext& context, const std::string& path, Search* search) {
  const auto content =
      context.file_system->ReadFile(JoinPath(context.workspace, path), kMaxFileBytes);
  if (!content.ok()) {
    ++search->skipped;
    return;
  }
  const absl::string_view head = absl::string_view(*content).substr(0, 8192);
  if (!absl::StrContains(head, '\0')) SearchFile(*content, path, search);
}

bool Wanted(absl::string_view path, absl::string_view start, const std::string& pattern) {
  if (pattern.empty() || GlobMatch(pattern, path)) return true;
  return start != "." && path.size() > start.size() &&
         GlobMatch(pattern, path.substr(start.size() + 1));
}

class SearchGrepTool : public Tool {
 public:
  SearchGrepTool() {
    spec_.name = "search.grep";
    spec_.description = "Find lines by RE2 regex or literal text.";
    spec_.parameters = ObjectSchema(
        {Required("pattern", "string", "RE2 regex; taken literally where it is none."),
         Optional("path", "string", "File or folder to search.", "."),
         Optional("filePattern", "string", "Glob: only files that match, such as *.go."),
         Optional("caseSensitive", "boolean", "Whether upper and lower case differ.", true),
         Optional("maxResults", "integer", "Most lines to show.", kDefaultResults)});
    Json match = ObjectSchema({Required("file", "string"), Optional("fileBase64", "string"),
                               Required("line", "integer"), Required("column", "integer"),
                               Required("text", "string")});
    spec_.output = ObjectSchema({{"matches", ArraySchema(std::move(match)), true},
                                 Required("totalMatches", "integer"),
                                 Required("filesWithMatches", "integer"),
                                 Required("filesSearched", "integer"),
                                 Required("filesSkipped", "integer"),
                                 Required("literal", "boolean"),
                                 Required("truncated", "boolean")});
    spec_.read_only = true;
    spec_.permission_argument = "path";
    spec_.argument_aliases = {
        {"query", "pattern"},    {"regex", "pattern"},       {"text", "pattern"},
        {"search", "pattern"},   {"searchTerm", "pattern"},  {"file", "path"},
        {"folder", "path"},      {"directory", "path"},      {"dir", "path"},
        {"filePath", "path"},    {"glob", "filePattern"},    {"include", "filePattern"},
        {"limit", "maxResults"}, {"headLimit", "maxResults"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string pattern = *JsonString(arguments, "pattern");
    if (pattern.empty()) return ToolResult::Error("pattern is empty; give the text to look for.");
    if (pattern.size() > kMaxPatternBytes) {
      return ToolResult::Error(
          absl::StrCat("pattern is longer than ", kMaxPatternBytes, " bytes."));
    }
    if (absl::StrContains(pattern, '\n')) {
      return ToolResult::Error(
          "pattern holds a line break, but lines are searched one by one; look for one of them.");
    }
    const int64_t limit = JsonInt(arguments, "maxResults").value_or(kDefaultResults);
    if (limit < 1) return ToolResult::Error("maxResults must be at least 1.");
    auto start = ResolveInWorkspace(context.workspace, JsonString(arguments, "path").value_or("."));
    if (!start.ok()) return ToolResult::FromStatus(start.status());
    if (!FileExists(start->absolute)) {
      return ToolResult::Error(absl::StrCat("no file or folder ", DisplayPath(start->relative),
                                            ". Use file.list to see what there is."));
    }

    const bool case_sensitive = JsonBool(arguments, "caseSensitive").value_or(true);
    const auto max_results = static_cast<size_t>(std::min(limit, kMaxResults));
    const std::string file_pattern = JsonString(arguments, "filePattern").value_or("");
    std::string note;
    LineMatcher matcher(pattern, case_sensitive, /*literal=*/false);
    if (!matcher.problem().empty()) {
      note = absl::StrCat("[searched literally: not a regular expression, ",
                          ToUtf8(matcher.problem()), "]\n");
    }
    auto search = SearchAll(context, *start, file_pattern, matcher, max_results);
    if (!search.ok()) return ToolResult::FromStatus(search.status());
    bool literal = matcher.literal();
    // "items[0]" and "call()" are valid, but rarely meant as regular expressions.
    if (search->lines == 0 && !literal && matcher.has_operators()) {
      const LineMatcher literally(pattern, case_sensitive, /*literal=*/true);
      auto second = SearchAll(context, *start, file_pattern, literally, max_results);
      if (!second.ok()) return ToolResult::FromStatus(second.status());
      if (second->lines > 0) {
        search = std::move(second);
        literal = true;
        note = "[no match as a regular expression; these match it literally]\n";
      }
    }
    return Result(*search, note, literal, *start, file_pattern);
  }

 private:
  static absl::StatusOr<Search> SearchAll(const ToolContext& context, const WorkspacePath& start,
                                          const std::string& file_pattern,
                                          const LineMatcher& matcher, size_t max_results) {
    Search search{&matcher, max_results};
    if (!DirectoryExists(start.absolute)) {
      SearchPath(context, start.relative, &search);
      return search;
    }
    STILE_RETURN_IF_ERROR(
        WalkFiles(context, start, /*recursive=*/true, [&](const WalkEntry& entry) {
          if (entry.kind == WalkEntry::Kind::kFile &&
              Wanted(entry.path, start.relative, file_pattern)) {
            SearchPath(context, entry.path, &search);
          }
          return true;
        }).status());
    return search;
  }

  static ToolResult Result(Search& search, const std::string& note, bool literal,
                           const WorkspacePath& start, const std::string& file_pattern) {
    std::string text = note;
    if (search.lines == 0) {
      absl::StrAppend(
          &text, "No matches in ", Count(search.searched, "file"),
          start.relative == "." ? "" : absl::StrCat(" of ", DisplayPath(start.relative)),
          file_pattern.empty() ? "" : absl::StrCat(" like ", file_pattern), ".\n");
    } else {
      absl::StrAppend(&text, search.text);
    }
    const bool truncated = search.lines > search.max_results;
    if (truncated) {
      absl::StrAppend(&text, "[", search.max_results, " of ", search.lines, " matching lines in ",
                      Count(search.files, "file"), "; narrow the search, or raise maxResults]\n");
    }
    if (search.skipped > 0) {
      absl::StrAppend(&text, "[", Count(search.skipped, "file"),
                      " too big or unreadable, skipped]\n");
    }
    Json data = {{"matches", std::move(search.matches)},
                 {"totalMatches", search.lines},
                 {"filesWithMatches", search.files},
                 {"filesSearched", search.searched},
                 {"filesSkipped", search.skipped},
                 {"literal", literal},
                 {"truncated", truncated}};
    return ToolResult::Success(std::move(text), std::move(data));
  }

  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewSearchGrepTool() { return std::make_unique<SearchGrepTool>(); }

}  // namespace stile
