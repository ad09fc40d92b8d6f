#include "validators/diagnostics/gcc_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// The C escapes of a fix-it: \" \\ \n \t and octal.
std::string Unescaped(absl::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char c = text[++i];
    if (c >= '0' && c <= '7') {
      int value = 0;
      size_t digits = 0;
      for (; digits < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++digits) {
        value = value * 8 + (text[i++] - '0');
      }
      --i;
      result += static_cast<char>(value);
    } else {
      result += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return result;
}

class GccParser {
 public:
  GccParser(absl::string_view base_dir, absl::string_view workspace)
      : base_dir_(base_dir), workspace_(workspace) {}

  void Add(absl::string_view line) {
    if (absl::EndsWith(line, "\r")) line.remove_suffix(1);
    if (!AddLocated(line) && !AddFix(line) && !AddLinker(line)) AddToolWords(line);
  }

  std::vector<Diagnostic> Finish() {
    // A fix in several parts is left out: applied in part it is worse than none.
    for (Diagnostic& diagnostic : diagnostics_) {
      std::vector<SuggestedFix>& fixes = diagnostic.fixes;
      if (fixes.size() > 1 || (fixes.size() == 1 && !HasPlace(fixes[0]))) fixes.clear();
    }
    // "collect2: error: ld returned 1 exit status" says nothing once ld has spoken.
    if (CountErrors(diagnostics_) == 0 && !summary_.message.empty()) {
      diagnostics_.push_back(std::move(summary_));
    }
    DropDuplicates(&diagnostics_);
    return std::move(diagnostics_);
  }

 private:
  // "file:line[:column]: error: message [-Wflag]"
  bool AddLocated(absl::string_view line) {
    static const Pattern* const kLocated = new Pattern(
        R"((.+?):(\d+):(?:(\d+):)? (?:fatal )?(error|warning|note|sorry, unimplemented): (.*))");
    static const Pattern* const kFlag = new Pattern(R"((.*) \[(-[Wf][^\[\]]*)\])");
    std::string file, line_number, column, severity, message;
    if (!kLocated->Matches(line, &file, &line_number, &column, &severity, &message)) {
      return NoteUser(line);
    }
    Diagnostic diagnostic;
    diagnostic.severity = severity == "warning" ? Severity::kWarning
                          : severity == "note"  ? Severity::kNote
                                                : Severity::kError;
    diagnostic.file = WorkspaceFile(file, base_dir_, workspace_);
    diagnostic.line = PositiveNumber(line_number);
    diagnostic.column = PositiveNumber(column);
    kFlag->Matches(message, &message, &diagnostic.code);
    diagnostic.message = ToUtf8(message);
    last_takes_fixes_ = diagnostic.severity != Severity::kNote;
    if (last_takes_fixes_ && absl::StartsWith(diagnostic.file, "/") && user_.line > 0) {
      MoveToUser(user_, &diagnostic);
    }
    if (last_takes_fixes_) user_ = Diagnostic();
    if (absl::EndsWith(diagnostic.message, "requested here") && !diagnostics_.empty() &&
        !absl::StartsWith(diagnostic.file, "/") &&
        absl::StartsWith(diagnostics_.back().file, "/")) {
      MoveToUser(diagnostic, &diagnostics_.back());
      return true;
    }
    include_for_ = absl::StrContains(diagnostic.message, "did you forget to") ? LastError()
                                                                              : diagnostics_.size();
    if (last_takes_fixes_ || !absl::StartsWith(diagnostic.file, "/")) {
      diagnostics_.push_back(std::move(diagnostic));
    }
    return true;
  }

  // The size of the list if there is none.
  size_t LastError() const {
    for (size_t i = diagnostics_.size(); i > 0; --i) {
      if (diagnostics_[i - 1].severity == Severity::kError) return i - 1;
    }
    return diagnostics_.size();
  }

  // "src/t.cc:4:37:   required from here": gcc says who uses a template before what is wrong in it,
  // clang says it after, in notes. An error inside a library is placed at its nearest user in the
  // workspace.
  bool NoteUser(absl::string_view line) {
    static const Pattern* const kRequired =
        new Pattern(R"((.+?):(\d+):(?:(\d+):)?\s+(?:recursively )?required (?:from|by) .*)");
    std::string file, line_number, column;
    if (!kRequired->Matches(line, &file, &line_number, &column)) return false;
    const std::string user = WorkspaceFile(file, base_dir_, workspace_);
    if (!absl::StartsWith(user, "/") && user_.line == 0) {
      user_.file = user;
      user_.line = PositiveNumber(line_number);
      user_.column = PositiveNumber(column);
    }
    return true;
  }

  static void MoveToUser(const Diagnostic& user, Diagnostic* diagnostic) {
    absl::StrAppend(&diagnostic->message, " (in ", diagnostic->file, ":", diagnostic->line, ")");
    diagnostic->file = user.file;
    diagnostic->line = user.line;
    diagnostic->column = user.column;
  }

  // fix-it:"src/a.cc":{7:14-7:23}:"horizontal", about the diagnostic before it. Columns in bytes.
  bool AddFix(absl::string_view line) {
    static const Pattern* const kFix =
        new Pattern(R"re(fix-it:"(.*)":\{(\d+):(\d+)-(\d+):(\d+)\}:"(.*)")re");
    std::string file, start_line, start_column, end_line, end_column, replacement;
    if (!kFix->Matches(line, &file, &start_line, &start_column, &end_line, &end_column,
                       &replacement)) {
      return false;
    }
    // A note brings the include that the error before it is about.
    const size_t target = last_takes_fixes_ ? diagnostics_.size() - 1 : include_for_;
    if (target >= diagnostics_.size()) return true;
    if (!last_takes_fixes_ && !diagnostics_[target].fixes.empty()) return true;
    SuggestedFix fix;
    fix.file = WorkspaceFile(Unescaped(file), base_dir_, workspace_);
    fix.start_line = PositiveNumber(start_line);
    fix.start_column = PositiveNumber(start_column);
    fix.end_line = PositiveNumber(end_line);
    fix.end_column = PositiveNumber(end_column);
    fix.replacement = ToUtf8(Unescaped(replacement));
    const bool inserts = fix.start_line == fix.end_line && fix.start_column == fix.end_column;
    fix.title = !last_takes_fixes_        ? std::string(absl::StripAsciiWhitespace(fix.replacement))
                : fix.replacement.empty() ? "remove this"
                : inserts                 ? absl::StrCat("insert '", fix.replacement, "'")
                                          : absl::StrCat("replace with '", fix.replacement, "'");
    diagnostics_[target].fixes.push_back(std::move(fix));
    return true;
  }

  // "b.c:(.text+0x5): undefined reference to `g'", "/usr/bin/ld: cannot find -lx: …"
  bool AddLinker(absl::string_view line) {
    static const Pattern* const kReference =
        new Pattern(R"((?:\S*ld(?:\.\w+)?: )?(?:(.+?):(?:(\d+)|\([^()]*\)): )?)"
                    R"((undefined reference to .*|multiple definition of .*))");
    static const Pattern* const kMissing = new Pattern(R"(\S*ld(?:\.\w+)?: (cannot find .*))");
    std::string file, line_number, message;
    if (!kReference->Matches(line, &file, &line_number, &message) &&
        !kMissing->Matches(line, &message)) {
      return false;
    }
    Diagnostic diagnostic;
    // The linker knows an object by the name of its source at best, and that without its folder.
    if (!absl::EndsWith(file, ".o")) diagnostic.file = WorkspaceFile(file, base_dir_, workspace_);
    diagnostic.line = PositiveNumber(line_number);
    diagnostic.message = ToUtf8(message);
    last_takes_fixes_ = false;
    diagnostics_.push_back(std::move(diagnostic));
    return true;
  }

  // "cc1: fatal error: x.c: No such file or directory", "gcc: error: unrecognized option"
  void AddToolWords(absl::string_view line) {
    static const Pattern* const kTool = new Pattern(
        R"(\S*?((?:cc1|cc1plus|collect2|(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?): )"
        R"((?:fatal )?error: (.*)))");
    std::string whole, message;
    if (!kTool->Matches(line, &whole, &message)) return;
    // Killed by the system is no fault of the code.
    if (absl::StrContains(message, "terminated program") ||
        absl::StrContains(message, "frontend command failed")) {
      return;
    }
    Diagnostic diagnostic;
    diagnostic.message = ToUtf8(message);
    last_takes_fixes_ = false;
    if (absl::StrContains(message, "exit status") || absl::StrContains(message, "exit code")) {
      diagnostic.message = ToUtf8(whole);
      summary_ = std::move(diagnostic);
    } else {
      diagnostics_.push_back(std::move(diagnostic));
    }
  }

  absl::string_view base_dir_;
  absl::string_view workspace_;
  std::vector<Diagnostic> diagnostics_;
  Diagnostic summary_;
  Diagnostic user_;  // where the template that comes next is used; line 0: nowhere yet
  bool last_takes_fixes_ = false;
  size_t include_for_ = 0;  // the diagnostic that a fix after a note is for
};

}  // namespace

bool IsClangOutput(absl::string_view output) {
  static const Pattern* const kCount =
      new Pattern(R"((?m)^\d+ (?:error|warning)s?(?: and \d+ errors?)? generated\.\r?$)");
  return kCount->IsIn(output);
}

std::vector<Diagnostic> ParseGcc(absl::string_view output, absl::string_view base_dir,
                                 absl::string_view workspace) {
  GccParser parser(base_dir, workspace);
  for (absl::string_view line : SplitLines(output)) parser.Add(line);
  return parser.Finish();
}

}  // namespace stile
