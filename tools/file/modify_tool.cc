// file.modify: exact replacement. A miss is answered with the nearest place, so that the next
// attempt can be right.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/edit_transaction.h"
#include "tools/file/file_access.h"
#include "tools/file/file_tools.h"
#include "tools/file/nearest_text.h"
#include "tools/file/text_replacement.h"
#include "tools/report/edit_syntax.h"

namespace stile {
namespace {

constexpr size_t kMaxShownLines = 30;
constexpr size_t kMaxShownLineBytes = 300;
constexpr size_t kMaxListed = 20;

std::string ListLines(const std::vector<size_t>& lines) {
  const size_t shown = std::min(lines.size(), kMaxListed);
  return absl::StrCat(
      absl::StrJoin(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < lines.size() ? absl::StrCat(" and ", lines.size() - shown, " more") : "");
}

// Lines first … last (1-based) of `content`, numbered, with a bound.
std::string Excerpt(absl::string_view content, size_t first, size_t last) {
  const std::vector<absl::string_view> lines = SplitLines(content);
  first = std::max<size_t>(first, 1);
  last = std::min({last, lines.size(), first + kMaxShownLines - 1});
  if (first > last) return "";
  return NumberedLines({lines.begin() + static_cast<std::ptrdiff_t>(first - 1),
                        lines.begin() + static_cast<std::ptrdiff_t>(last)},
                       first, kMaxShownLineBytes);
}

// Whether every line begins as file.read shows it: blanks, a number, a tab.
bool HasLineNumbers(absl::string_view text) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](absl::string_view line) {
    line = absl::StripLeadingAsciiWhitespace(line);
    const size_t digits = line.find_first_not_of("0123456789");
    return digits != 0 && digits != absl::string_view::npos && line[digits] == '\t';
  });
}

class FileModifyTool : public Tool {
 public:
  explicit FileModifyTool(const LanguageRegistry* languages) : languages_(languages) {
    spec_.name = "file.modify";
    spec_.description = "Replace text in a file.";
    spec_.parameters = ObjectSchema(
        {Required("path", "string", "File to change."),
         Required("oldText", "string",
                  "Text to replace, copied exactly from the file; must occur once."),
         Required("newText", "string", "Text to put in its place; empty deletes it."),
         Optional("replaceAll", "boolean", "Replace every occurrence of oldText.", false)});
    spec_.output = ObjectSchema({Required("path", "string"),
                                 Optional("pathBase64", "string"),
                                 Required("replacements", "integer"),
                                 {"lines", ArraySchema({{"type", "integer"}}), true},
                                 {"syntaxErrors", EditSyntax::Schema(), false}});
    spec_.permission_argument = "path";
    spec_.argument_aliases = PathAliases();
    for (const char* name : {"old", "search", "find", "oldString", "oldStr", "from", "original",
                             "before", "searchText", "oldCode", "oldContent"}) {
      spec_.argument_aliases.emplace_back(name, "oldText");
    }
    for (const char* name : {"new", "replace", "newString", "newStr", "to", "replacement", "after",
                             "replaceText", "replaceWith", "newCode", "newContent"}) {
      spec_.argument_aliases.emplace_back(name, "newText");
    }
    for (const char* name : {"all", "global", "replaceAllOccurrences"}) {
      spec_.argument_aliases.emplace_back(name, "replaceAll");
    }
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string old_text = *JsonString(arguments, "oldText");
    const std::string new_text = *JsonString(arguments, "newText");
    if (old_text.empty()) {
      return ToolResult::Error(
          "oldText is empty. To insert, give the line before or after as oldText and repeat it in "
          "newText; to write a whole file, use file.write.");
    }
    if (old_text == new_text) {
      return ToolResult::Error("oldText and newText are equal: nothing would change.");
    }
    auto file = OpenWorkspaceFile(context, *JsonString(arguments, "path"));
    if (!file.ok()) return ToolResult::FromStatus(file.status());
    TextReplacement replacement = ReplaceText(file->content, old_text, new_text);
    const std::string shown = DisplayPath(file->path.relative);
    const size_t count = replacement.lines.size();
    if (count == 0) return Miss(*file, old_text);
    if (count > 1 && !JsonBool(arguments, "replaceAll").value_or(false)) {
      return ToolResult::Error(absl::StrCat(
          "oldText occurs ", count, " times in ", shown, ", at lines ",
          ListLines(replacement.lines),
          ". Nothing was changed. Add surrounding lines to make it unique, or set replaceAll."));
    }
    if (replacement.content == file->content) {
      return ToolResult::Error("newText gives exactly what the file already has: nothing changed.");
    }

    EditSyntax syntax =
        CheckEdit(*languages_, file->path.relative, file->content, replacement.content);
    EditTransaction edit(context.file_system, context.workspace, context.journal_dir);
    absl::Status status = edit.Write(file->path.relative, replacement.content);
    if (status.ok()) {
      edit.Expect(file->path.relative, std::move(file->content));
      status = edit.Commit();
    }
    if (!status.ok()) return ToolResult::FromStatus(status);

    Json data;
    SetPath(&data, "path", file->path.relative);
    data["replacements"] = count;
    data["lines"] = replacement.lines;
    std::string text = absl::StrCat("Modified ", shown, ": ", Count(count, "replacement"),
                                    " at line ", ListLines(replacement.lines), ".\n");
    if (count == 1) {
      const size_t line = replacement.lines[0];
      const size_t new_lines = std::max<size_t>(CountLines(new_text), 1);
      absl::StrAppend(&text, Excerpt(replacement.content, line > 2 ? line - 2 : 1,
                                     line + std::min<size_t>(new_lines, 12) + 1));
    }
    data["syntaxErrors"] = std::move(syntax.errors);
    absl::StrAppend(&text, syntax.text);
    return ToolResult::Success(std::move(text), std::move(data));
  }

 private:
  static ToolResult Miss(const OpenedFile& file, const std::string& old_text) {
    const std::string shown = DisplayPath(file.path.relative);
    std::string text = absl::StrCat("oldText does not occur in ", shown, ". Nothing was changed. ");
    if (file.content.empty()) {
      return ToolResult::Error(absl::StrCat(text, "The file is empty; use file.write."));
    }
    if (HasLineNumbers(old_text)) {
      absl::StrAppend(&text,
                      "It begins with line numbers, which are not part of the file: leave "
                      "them out. ");
      return ToolResult::Error(std::move(text));
    }
    const auto nearest = FindNearestText(file.content, old_text);
    if (!nearest.has_value()) {
      return ToolResult::Error(absl::StrCat(
          text, "Nothing in the file is similar. Read it with file.read, or find the text with ",
          "search.grep."));
    }
    absl::StrAppend(&text, "The nearest text is at lines ", nearest->first_line, "-",
                    nearest->last_line, ". ", nearest->hint, "\n",
                    Excerpt(file.content, nearest->first_line, nearest->last_line),
                    "Repeat with oldText copied from these lines, without their numbers.");
    return ToolResult::Error(std::move(text));
  }

  const LanguageRegistry* const languages_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewFileModifyTool(const LanguageRegistry* languages) {
  return std::make_unique<FileModifyTool>(languages);
}

}  // namespace stile
