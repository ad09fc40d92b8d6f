#include "validators/diagnostics/javac_diagnostics.h"

#include <set>
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

// "symbol:   variable y" → "symbol: variable y"
std::string Squeezed(absl::string_view text) {
  std::string squeezed(text);
  absl::RemoveExtraAsciiWhitespace(&squeezed);
  return ToUtf8(squeezed);
}

bool IsCaretLine(absl::string_view line) {
  return !line.empty() && line.back() == '^' && line.find_first_not_of(" \t") == line.size() - 1;
}

// Reads the source line, the caret and the details below a header; returns the first line after
// them.
size_t ReadBelow(const std::vector<absl::string_view>& lines, size_t next, Diagnostic* diagnostic) {
  if (next + 1 < lines.size() && IsCaretLine(absl::StripTrailingAsciiWhitespace(lines[next + 1]))) {
    const absl::string_view caret = absl::StripTrailingAsciiWhitespace(lines[next + 1]);
    // One character of the caret line for each UTF-16 unit of the source line, tabs kept as tabs.
    diagnostic->column =
        ByteColumn(lines[next], static_cast<int>(caret.size()), ColumnUnit::kUtf16);
    next += 2;
  }
  while (next < lines.size() && absl::StartsWith(lines[next], "  ")) {
    absl::StrAppend(&diagnostic->message, "; ", Squeezed(lines[next]));
    ++next;
  }
  return next;
}

}  // namespace

std::vector<Diagnostic> ParseJavac(absl::string_view output, absl::string_view base_dir,
                                   absl::string_view workspace) {
  static const Pattern* const kHeader =
      new Pattern(R"((.+\.java):(\d+): (error|warning): (?:\[([a-z-]+)\] )?(.*?)\r?)");
  static const Pattern* const kPlain =
      new Pattern(R"((error|warning): (?:\[([a-z-]+)\] )?(.*?)\r?)");
  std::vector<Diagnostic> diagnostics;
  const std::vector<absl::string_view> lines = SplitLines(output);
  for (size_t i = 0; i < lines.size();) {
    std::string file, line_number, severity, code, message;
    Diagnostic diagnostic;
    const absl::string_view line = lines[i++];
    if (kHeader->Matches(line, &file, &line_number, &severity, &code, &message)) {
      diagnostic.file = WorkspaceFile(file, base_dir, workspace);
      diagnostic.line = PositiveNumber(line_number);
    } else if (!kPlain->Matches(line, &severity, &code, &message)) {
      continue;
    }
    diagnostic.severity = severity == "error" ? Severity::kError : Severity::kWarning;
    diagnostic.code = code;
    diagnostic.message = ToUtf8(message);
    if (diagnostic.line > 0) i = ReadBelow(lines, i, &diagnostic);
    diagnostics.push_back(std::move(diagnostic));
  }
  DropDuplicates(&diagnostics);
  return diagnostics;
}

std::vector<Diagnostic> ParseMaven(absl::string_view output, absl::string_view base_dir,
                                   absl::string_view workspace) {
  static const Pattern* const kCompiler = new Pattern(
      R"(\[(ERROR|WARNING)\] (\S.*\.\w+):\[(\d+),(\d+)\] (?:\[([a-z-]+)\] )?(?:error: )?(.*?)\r?)");
  static const Pattern* const kPom = new Pattern(
      R"(\[(?:ERROR|FATAL)\]\s+(?:Malformed POM|Non-(?:readable|parseable) POM) (.+?): (.*?))"
      R"((?:@ .*)?(?:@|, line |line )(\d+)(?::|, column )(\d+).*)");
  static const Pattern* const kModel = new Pattern(
      R"(\[(ERROR|WARNING)\] ('.*?) @ (?:[^,]*, )?(?:(/.*?), )?line (\d+), column (\d+)\r?)");
  std::vector<Diagnostic> diagnostics;
  std::set<std::string> places;  // maven tells everything twice, the second time with other details
  const std::vector<absl::string_view> lines = SplitLines(output);
  for (size_t i = 0; i < lines.size();) {
    const absl::string_view line = lines[i++];
    std::string severity = "ERROR", file = "pom.xml", line_number, column, code, message;
    const bool from_compiler =
        kCompiler->Matches(line, &severity, &file, &line_number, &column, &code, &message);
    if (!from_compiler && !kPom->Matches(line, &file, &message, &line_number, &column) &&
        !kModel->Matches(line, &severity, &message, &file, &line_number, &column)) {
      continue;
    }
    if (file.empty()) file = "pom.xml";
    Diagnostic diagnostic;
    diagnostic.severity = severity == "ERROR" ? Severity::kError : Severity::kWarning;
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
    diagnostic.line = PositiveNumber(line_number);
    diagnostic.column = PositiveNumber(column);
    diagnostic.code = code;
    diagnostic.message = Squeezed(message);
    if (from_compiler) {
      for (; i < lines.size() && absl::StartsWith(lines[i], "  "); ++i) {
        absl::StrAppend(&diagnostic.message, "; ", Squeezed(lines[i]));
      }
    }
    const std::string place = absl::StrCat(diagnostic.file, ":", line_number, ":", column, ":",
                                           from_compiler ? Squeezed(message) : "");
    if (places.insert(place).second) diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

std::vector<Diagnostic> ParseGradle(absl::string_view output, absl::string_view base_dir,
                                    absl::string_view workspace) {
  static const Pattern* const kWhere =
      new Pattern(R"((?:Build|Settings) file '(.+)' line: (\d+)\r?)");
  std::vector<Diagnostic> diagnostics;
  for (Diagnostic& diagnostic : ParseJavac(output, base_dir, workspace)) {
    if (diagnostic.line > 0) diagnostics.push_back(std::move(diagnostic));
  }
  const std::vector<absl::string_view> lines = SplitLines(output);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string file, line_number;
    if (!kWhere->Matches(lines[i], &file, &line_number)) continue;
    Diagnostic diagnostic;
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
    diagnostic.line = PositiveNumber(line_number);
    for (++i; i < lines.size() && !absl::StartsWith(lines[i], "* Try:"); ++i) {
      const absl::string_view line = absl::StripAsciiWhitespace(lines[i]);
      if (line.empty() || absl::StartsWith(line, "* ")) continue;
      absl::StrAppend(&diagnostic.message, diagnostic.message.empty() ? "" : " ", Squeezed(line));
    }
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace stile
