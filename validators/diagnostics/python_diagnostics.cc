#include "validators/diagnostics/python_diagnostics.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

Severity SeverityOf(absl::string_view word) {
  if (word == "error") return Severity::kError;
  return word == "warning" ? Severity::kWarning : Severity::kNote;
}

int SmallNumber(const Json& object, absl::string_view key) {
  const int64_t number = JsonInt(object, key).value_or(0);
  return number < 0 || number > 999'999'999 ? 0 : static_cast<int>(number);
}

Diagnostic FromPyright(const Json& entry, absl::string_view base_dir, absl::string_view workspace) {
  Diagnostic diagnostic;
  diagnostic.severity = SeverityOf(JsonString(entry, "severity").value_or("error"));
  diagnostic.file = WorkspaceFile(JsonString(entry, "file").value_or(""), base_dir, workspace);
  diagnostic.code = JsonString(entry, "rule").value_or("");
  diagnostic.message = JsonString(entry, "message").value_or("");
  const Json* range = JsonMember(entry, "range");
  const Json* start = range == nullptr ? nullptr : JsonMember(*range, "start");
  if (start != nullptr) {
    diagnostic.line = SmallNumber(*start, "line") + 1;
    diagnostic.column = SmallNumber(*start, "character") + 1;
  }
  return diagnostic;
}

}  // namespace

std::vector<Diagnostic> ParseMypy(absl::string_view output, absl::string_view base_dir,
                                  absl::string_view workspace) {
  static const auto* const located = new Pattern(
      R"((.+?):(?:(\d+):(?:(\d+):)?(?:\d+:\d+:)?)? (error|warning|note): (.*?)(?:  \[([a-z0-9-]+)\])?)");
  static const auto* const setting = new Pattern(R"((\S+\.(?:ini|cfg|toml)): (\[.*\]: .*))");
  std::vector<Diagnostic> diagnostics;
  for (absl::string_view line : SplitLines(output)) {
    line = absl::StripSuffix(line, "\r");
    std::string file, row, column, severity, message, code;
    if (located->Matches(line, &file, &row, &column, &severity, &message, &code)) {
      if (file == "mypy" || file == "dmypy") file.clear();  // "mypy: error: …": of the command line
    } else if (setting->Matches(line, &file, &message)) {
      severity = "warning";
    } else {
      continue;
    }
    Diagnostic diagnostic;
    diagnostic.severity = SeverityOf(severity);
    diagnostic.file = WorkspaceFile(file, base_dir, workspace);
    diagnostic.line = PositiveNumber(row);
    diagnostic.column = PositiveNumber(column);
    diagnostic.code = code;
    diagnostic.message = ToUtf8(message);
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

std::vector<Diagnostic> ParsePyright(absl::string_view output, absl::string_view base_dir,
                                     absl::string_view workspace) {
  const size_t begin = output.find('{');
  const size_t end = output.rfind('}');
  if (begin == absl::string_view::npos || end == absl::string_view::npos || end < begin) return {};
  const absl::StatusOr<Json> json = ParseJson(output.substr(begin, end - begin + 1));
  if (!json.ok()) return {};
  const Json* entries = JsonMember(*json, "generalDiagnostics");
  if (entries == nullptr || !entries->is_array()) return {};
  std::vector<Diagnostic> diagnostics;
  for (const Json& entry : *entries) {
    if (entry.is_object()) diagnostics.push_back(FromPyright(entry, base_dir, workspace));
  }
  return diagnostics;
}

std::vector<Diagnostic> ParsePyCompile(absl::string_view output, absl::string_view base_dir,
                                       absl::string_view workspace) {
  std::vector<Diagnostic> diagnostics;
  for (absl::string_view line : SplitLines(output)) {
    const absl::StatusOr<Json> json = ParseJson(line);
    if (!json.ok() || !JsonString(*json, "message").has_value()) continue;
    Diagnostic diagnostic;
    diagnostic.severity = SeverityOf(JsonString(*json, "severity").value_or("error"));
    diagnostic.file = WorkspaceFile(JsonString(*json, "file").value_or(""), base_dir, workspace);
    diagnostic.line = SmallNumber(*json, "line");
    diagnostic.column = SmallNumber(*json, "column");
    diagnostic.code = JsonString(*json, "code").value_or("");
    diagnostic.message = *JsonString(*json, "message");
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace stile
