#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/tool/file_walk.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/file/file_access.h"
#include "tools/file/file_tools.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 500;

absl::string_view TypeName(WalkEntry::Kind kind) {
  switch (kind) {
    case WalkEntry::Kind::kFile:
      return "file";
    case WalkEntry::Kind::kFolder:
      return "folder";
    case WalkEntry::Kind::kSymlink:
      return "symlink";
    case WalkEntry::Kind::kOther:
      return "other";
  }
  return "";
}

absl::string_view Mark(WalkEntry::Kind kind) {
  switch (kind) {
    case WalkEntry::Kind::kFile:
      return "";
    case WalkEntry::Kind::kFolder:
      return "/";
    case WalkEntry::Kind::kSymlink:
      return " (symlink)";
    case WalkEntry::Kind::kOther:
      return " (special)";
  }
  return "";
}

class FileListTool : public Tool {
 public:
  FileListTool() {
    spec_.name = "file.list";
    spec_.description = "List files, ignored ones left out.";
    spec_.parameters = ObjectSchema(
        {Optional("path", "string", "Folder to list.", "."),
         Optional("pattern", "string", "Glob: only files that match, such as *.py or src/**/*.ts."),
         Optional("recursive", "boolean",
                  "Also list sub-folders. A pattern with / or ** implies it.", false)});
    Json entry = ObjectSchema({Required("path", "string"),
                               Optional("pathBase64", "string"),
                               {"type", EnumSchema({"file", "folder", "symlink", "other"}), true},
                               Optional("size", "integer")});
    spec_.output = ObjectSchema({Required("path", "string"),
                                 Optional("pathBase64", "string"),
                                 {"entries", ArraySchema(std::move(entry)), true},
                                 Required("total", "integer"),
                                 Required("ignored", "integer"),
                                 Required("truncated", "boolean")});
    spec_.read_only = true;
    spec_.permission_argument = "path";
    spec_.argument_aliases = PathAliases();
    for (const char* name : {"glob", "filter", "filePattern", "include"}) {
      spec_.argument_aliases.emplace_back(name, "pattern");
    }
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    auto start = ResolveInWorkspace(context.workspace, JsonString(arguments, "path").value_or("."));
    if (!start.ok()) return ToolResult::FromStatus(start.status());
    const std::string shown = DisplayPath(start->relative);
    const PathKind kind = KindOf(start->absolute);
    if (kind == PathKind::kAbsent) {
      return ToolResult::Error(
          absl::StrCat("no folder ", shown, ". List a folder above it first."));
    }
    if (kind != PathKind::kFolder) {
      return ToolResult::Error(absl::StrCat(shown, " is not a folder; use file.read for a file."));
    }
    const std::string pattern = JsonString(arguments, "pattern").value_or("");
    // A pattern that names folders means what lies in them.
    const bool recursive = JsonBool(arguments, "recursive").value_or(false) ||
                           absl::StrContains(pattern, "/") || absl::StrContains(pattern, "**");

    Json entries = Json::array();
    std::string text;
    size_t total = 0;
    const auto summary = WalkFiles(context, *start, recursive, [&](const WalkEntry& entry) {
      if (!Wanted(entry, start->relative, pattern, recursive)) return true;
      ++total;
      if (total > kMaxShown) return true;
      absl::StrAppend(&text, DisplayPath(entry.path), Mark(entry.kind), "\n");
      Json item = {{"type", std::string(TypeName(entry.kind))}};
      SetPath(&item, "path", entry.path);
      if (entry.kind == WalkEntry::Kind::kFile) item["size"] = entry.stamp.size;
      entries.push_back(std::move(item));
      return true;
    });
    if (!summary.ok()) return ToolResult::FromStatus(summary.status());

    if (total == 0) {
      text = absl::StrCat(pattern.empty() ? "Nothing" : absl::StrCat("Nothing like ", pattern),
                          " in ", start->relative == "." ? "the workspace" : shown, "\n");
    }
    if (total > kMaxShown) {
      absl::StrAppend(&text, "[", total - kMaxShown,
                      " more not shown; narrow it with path or pattern]\n");
    }
    if (summary->cut) absl::StrAppend(&text, "[the folder is too big to be walked to its end]\n");
    if (summary->ignored > 0)
      absl::StrAppend(&text, "[", summary->ignored, " ignored, not shown]\n");
    if (summary->unreadable > 0) {
      absl::StrAppend(&text, "[", Count(summary->unreadable, "folder"), " could not be read]\n");
    }
    Json data;
    SetPath(&data, "path", start->relative);
    data["entries"] = std::move(entries);
    data["total"] = total;
    data["ignored"] = summary->ignored;
    data["truncated"] = total > kMaxShown || summary->cut;
    return ToolResult::Success(std::move(text), std::move(data));
  }

 private:
  // A recursive listing holds files only; their paths name the folders.
  static bool Wanted(const WalkEntry& entry, absl::string_view start, const std::string& pattern,
                     bool recursive) {
    if (recursive && entry.kind == WalkEntry::Kind::kFolder) return false;
    if (pattern.empty()) return true;
    absl::string_view below = entry.path;
    if (start != ".") below.remove_prefix(start.size() + 1);
    return GlobMatch(pattern, below) || GlobMatch(pattern, entry.path);
  }

  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewFileListTool() { return std::make_unique<FileListTool>(); }

}  // namespace stile
