#include "validators/diagnostics/rustdoc_diagnostics.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// By how many lines rustdoc is off at most: it puts lines of its own before the example.
constexpr int kMaxOff = 4;

// One error as rustc prints it for people.
struct Said {
  Diagnostic diagnostic;
  std::string example;  // "src/lib.rs - Order (line 3)"
  std::string code;     // the line that the place names
};

class Reader {
 public:
  Reader(absl::string_view base_dir, absl::string_view workspace, const FileReader& read)
      : base_dir_(base_dir), workspace_(workspace), read_(read) {}

  std::vector<Diagnostic> Read(absl::string_view output) {
    for (const absl::string_view line : SplitLines(output)) Take(absl::StripSuffix(line, "\r"));
    End();
    return std::move(found_);
  }

 private:
  void Take(absl::string_view line) {
    static const auto* const heading = new Pattern(R"(---- (.+) stdout ----)");
    static const auto* const error = new Pattern(R"(error(?:\[(\w+)\])?: (.+))");
    std::string name, text;
    if (heading->Matches(line, &name) || line == "failures:") {
      End();
      example_ = name;
      return;
    }
    if (example_.empty()) return;
    if (error->Matches(line, &name, &text)) {
      End();
      if (absl::StartsWith(text, "aborting due to")) return;
      said_.emplace();
      said_->example = example_;
      said_->diagnostic.code = name;
      said_->diagnostic.message = ToUtf8(text);
    } else if (absl::StartsWith(line, "warning")) {
      End();
    } else if (said_.has_value()) {
      TakePlace(line);
    }
  }

  // The first place of an error, and the code that rustc prints of its line.
  void TakePlace(absl::string_view line) {
    static const auto* const place = new Pattern(R"( *--> (.+?):(\d+):(\d+))");
    static const auto* const code = new Pattern(R"( *(\d+) \| (.*))");
    Diagnostic& diagnostic = said_->diagnostic;
    std::string name, number, column, text;
    if (diagnostic.file.empty() && place->Matches(line, &name, &number, &column)) {
      diagnostic.file = WorkspaceFile(name, base_dir_, workspace_);
      diagnostic.line = PositiveNumber(number);
      diagnostic.column = PositiveNumber(column);
    } else if (said_->code.empty() && code->Matches(line, &number, &text) &&
               PositiveNumber(number) == diagnostic.line) {
      said_->code = text;
    }
  }

  void End() {
    if (!said_.has_value()) return;
    Diagnostic& diagnostic = said_->diagnostic;
    // Of an error over several lines, a bar stands before the code.
    const absl::string_view code = said_->code;
    const bool may_have_bar = absl::StartsWith(code, "| ") || absl::StartsWith(code, "/ ");
    if (!Locate(code, &diagnostic) && !(may_have_bar && Locate(code.substr(2), &diagnostic))) {
      diagnostic.line = 0;
      diagnostic.column = 0;
      diagnostic.message = absl::StrCat(ToUtf8(said_->example), ": ", diagnostic.message);
    }
    found_.push_back(std::move(diagnostic));
    said_.reset();
  }

  // Moves the place to the line that holds the code: near the line that is named, or the only one
  // of the file or of a file that it includes. False if there is none.
  bool Locate(absl::string_view code, Diagnostic* diagnostic) {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(code);
    if (trimmed.empty()) return false;
    const int in_code = ByteColumn(code, diagnostic->column, ColumnUnit::kCodePoint) -
                        static_cast<int>(code.find(trimmed));
    const std::string named = diagnostic->file;
    const std::vector<absl::string_view> lines = SplitLines(TextOf(named));
    for (int off = 0; off <= 2 * kMaxOff; ++off) {
      const int number = diagnostic->line + (off % 2 == 0 ? off / 2 : -(off + 1) / 2);
      if (number < 1 || static_cast<size_t>(number) > lines.size()) continue;
      if (Holds(lines, number, trimmed, in_code, diagnostic)) return true;
    }
    std::vector<std::string> files = IncludedIn(named);
    files.insert(files.begin(), named);
    for (const std::string& file : files) {
      const std::vector<absl::string_view> all = SplitLines(TextOf(file));
      int only = 0;
      size_t count = 0;
      for (size_t i = 0; i < all.size(); ++i) {
        if (!absl::StrContains(all[i], trimmed)) continue;
        only = static_cast<int>(i) + 1;
        ++count;
      }
      if (count != 1) continue;
      diagnostic->file = file;
      return Holds(all, only, trimmed, in_code, diagnostic);
    }
    return false;
  }

  // Sets the place if the line, by its 1-based number, holds the code.
  static bool Holds(const std::vector<absl::string_view>& lines, int number, absl::string_view code,
                    int column_in_code, Diagnostic* diagnostic) {
    const size_t at = lines[static_cast<size_t>(number - 1)].rfind(code);
    if (at == absl::string_view::npos) return false;
    diagnostic->line = number;
    diagnostic->column = static_cast<int>(at) + column_in_code;
    return true;
  }

  // The files that `include_str!("…")` names in a file.
  std::vector<std::string> IncludedIn(const std::string& path) {
    static constexpr absl::string_view kInclude = "include_str!(\"";
    std::vector<std::string> files;
    const absl::string_view text = TextOf(path);
    for (size_t at = 0; (at = text.find(kInclude, at)) != absl::string_view::npos;) {
      at += kInclude.size();
      const absl::string_view included = text.substr(at, text.substr(at).find('"'));
      const std::string file = CleanPath(JoinPath(DirName(path), included));
      const bool is_outside = absl::StartsWith(included, "/") || absl::StartsWith(file, "..");
      if (!is_outside) files.push_back(file);
    }
    return files;
  }

  const std::string& TextOf(const std::string& path) {
    const auto known = texts_.find(path);
    if (known != texts_.end()) return known->second;
    return texts_.emplace(path, read_(path).value_or("")).first->second;
  }

  const absl::string_view base_dir_;
  const absl::string_view workspace_;
  const FileReader& read_;
  std::map<std::string, std::string> texts_;  // by path
  std::string example_;                       // whose output follows; "": none
  std::optional<Said> said_;                  // the error that is read
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> ParseRustdocExamples(absl::string_view output, absl::string_view base_dir,
                                             absl::string_view workspace, const FileReader& read) {
  std::vector<Diagnostic> found = Reader(base_dir, workspace, read).Read(output);
  DropDuplicates(&found);
  return found;
}

}  // namespace stile
