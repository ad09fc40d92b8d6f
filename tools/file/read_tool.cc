// file.read: numbered lines for the model, the exact text in the data. A long file is cut after
// whole lines and says how to read on; a long line is cut by itself.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/picture.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/file/file_access.h"
#include "tools/file/file_tools.h"

namespace stile {
namespace {

// What of a text file is given.
struct ReadLimits {
  size_t lines = 2000;
  size_t text_bytes = size_t{48} << 10;
  size_t line_bytes = 2000;
};
constexpr size_t kMaxBase64Bytes = size_t{32} << 10;  // of the file

bool LooksBinary(absl::string_view content) {
  return absl::StrContains(content.substr(0, 8192), absl::string_view("\0", 1));
}

class FileReadTool : public Tool {
 public:
  FileReadTool() {
    spec_.name = "file.read";
    spec_.description = "Read a file; lines are shown numbered.";
    spec_.parameters = ObjectSchema(
        {Required("path", "string", "File to read."),
         Optional("startLine", "integer", "First line to read, counted from 1.", 1),
         Optional("endLine", "integer", "Last line to read, inclusive; default: the end.")});
    spec_.output = ObjectSchema({Required("path", "string"), Optional("pathBase64", "string"),
                                 Required("content", "string"), Optional("contentBase64", "string"),
                                 Required("startLine", "integer"), Required("endLine", "integer"),
                                 Required("totalLines", "integer"), Required("bytes", "integer"),
                                 Required("binary", "boolean"), Required("truncated", "boolean")});
    spec_.read_only = true;
    spec_.permission_argument = "path";
    spec_.argument_aliases = PathAliases();
    for (const char* name : {"start", "from", "line", "offset"}) {
      spec_.argument_aliases.emplace_back(name, "startLine");
    }
    for (const char* name : {"end", "to"}) spec_.argument_aliases.emplace_back(name, "endLine");
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    auto file = OpenWorkspaceFile(context, *JsonString(arguments, "path"));
    if (!file.ok()) return ToolResult::FromStatus(file.status());
    if (const std::string type = PictureType(file->content); !type.empty()) {
      return Picture(*file, type);
    }
    if (LooksBinary(file->content)) return Binary(*file);

    const std::vector<absl::string_view> lines = SplitLines(file->content);
    const int64_t total = static_cast<int64_t>(lines.size());
    const int64_t start = JsonInt(arguments, "startLine").value_or(1);
    const int64_t end = JsonInt(arguments, "endLine").value_or(std::max<int64_t>(total, start));
    const std::string shown = DisplayPath(file->path.relative);
    if (start < 1 || end < start) {
      return ToolResult::Error(
          absl::StrCat("startLine must be at least 1 and endLine at least startLine, not ", start,
                       " and ", end, ". ", shown, " has ", Count(lines.size(), "line"), "."));
    }
    if (start > std::max<int64_t>(total, 1)) {
      return ToolResult::Error(absl::StrCat("startLine ", start, " is past the end: ", shown,
                                            " has ", Count(lines.size(), "line"), "."));
    }
    ReadLimits limits;
    const size_t whole = context.max_whole_file_bytes;
    if (whole > 0 && file->content.size() <= whole) {
      limits = {whole, whole * 10, whole};  // an empty line costs 9 bytes
    }
    return Lines(*file, limits, lines, static_cast<size_t>(start - 1),
                 static_cast<size_t>(std::min(end, total)));
  }

 private:
  // Lines first … last-1, counted from 0.
  static ToolResult Lines(const OpenedFile& file, const ReadLimits& limits,
                          const std::vector<absl::string_view>& lines, size_t first, size_t last) {
    size_t stop = first;
    size_t bytes = 0;
    bool line_cut = false;
    while (stop < last && stop - first < limits.lines) {
      const size_t shown_bytes = std::min(lines[stop].size(), limits.line_bytes) + 8;
      if (bytes + shown_bytes > limits.text_bytes && stop > first) break;
      bytes += shown_bytes;
      line_cut = line_cut || lines[stop].size() > limits.line_bytes;
      ++stop;
    }
    const std::vector<absl::string_view> shown(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                               lines.begin() + static_cast<std::ptrdiff_t>(stop));
    std::string text = NumberedLines(shown, first + 1, limits.line_bytes);
    if (lines.empty()) text = "(empty file)";
    if (stop < last) {
      absl::StrAppend(&text, "[lines ", first + 1, "-", stop, " of ", lines.size(),
                      "; read on with startLine=", stop + 1, "]\n");
    }
    if (line_cut) {
      absl::StrAppend(&text, "[long lines are cut; search.grep shows a place within one, ",
                      "shell.execute with cut -b a range of it]\n");
    }
    const absl::string_view raw =
        shown.empty() ? absl::string_view()
                      : absl::string_view(
                            shown.front().data(),
                            static_cast<size_t>(shown.back().end() - shown.front().data()) +
                                (shown.back().end() != file.content.data() + file.content.size()));
    // A line may be as long as the file; what is cut for the model is cut in the data, too.
    const absl::string_view kept = raw.substr(0, limits.text_bytes);
    return Result(file, std::move(text), kept, first + 1, stop, lines.size(), false,
                  stop < last || line_cut || kept.size() < raw.size());
  }

  static ToolResult Picture(const OpenedFile& file, const std::string& type) {
    const absl::string_view raw = absl::string_view(file.content).substr(0, kMaxBase64Bytes);
    ToolResult result =
        Result(file, absl::StrCat("(a picture, ", type, ", ", file.content.size(), " bytes)\n"),
               raw, 1, 1, CountLines(file.content), true, raw.size() < file.content.size());
    result.pictures.emplace_back(type, file.content);
    return result;
  }

  static ToolResult Binary(const OpenedFile& file) {
    const absl::string_view head = absl::string_view(file.content).substr(0, 1024);
    std::string visible;
    for (const char c : head) {
      const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
      visible += control ? '\xff' : c;
    }
    std::string text = absl::StrCat("(binary file, ", file.content.size(), " bytes; its first ",
                                    head.size(), ", where � is no text)\n", ToUtf8(visible), "\n");
    const absl::string_view raw = absl::string_view(file.content).substr(0, kMaxBase64Bytes);
    return Result(file, std::move(text), raw, 1, 1, CountLines(file.content), true,
                  raw.size() < file.content.size());
  }

  static ToolResult Result(const OpenedFile& file, std::string text, absl::string_view raw,
                           size_t first, size_t last, size_t total, bool binary, bool truncated) {
    Json data;
    SetPath(&data, "path", file.path.relative);
    data["content"] = ToUtf8(raw);
    data["startLine"] = first;
    data["endLine"] = last;
    data["totalLines"] = total;
    data["bytes"] = file.content.size();
    data["binary"] = binary;
    data["truncated"] = truncated;
    if (!IsUtf8(raw)) {
      const absl::string_view carried = raw.substr(0, kMaxBase64Bytes);
      data["contentBase64"] = Base64Encode(carried);
      if (!binary)
        absl::StrAppend(&text, "[bytes that are not UTF-8 show as �; file.modify cannot ",
                        "match them]\n");
    }
    return ToolResult::Success(std::move(text), std::move(data));
  }

  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewFileReadTool() { return std::make_unique<FileReadTool>(); }

}  // namespace stile
