#include "runtime/validation/report_text.h"

#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/validation/diagnostic_text.h"

namespace stile {
namespace {

constexpr size_t kMaxErrors = 20;
constexpr size_t kMaxWarnings = 5;
constexpr size_t kMaxRemaining = 30;
constexpr size_t kMaxOutputBytes = 4000;
constexpr size_t kMaxDataDiagnostics = 500;

std::vector<const Diagnostic*> OfSeverity(const ValidationReport& report, Severity severity) {
  std::vector<const Diagnostic*> found;
  for (const TargetReport& target : report.targets) {
    for (const Diagnostic& diagnostic : target.result.diagnostics) {
      if (diagnostic.severity == severity) found.push_back(&diagnostic);
    }
  }
  return found;
}

std::string TargetName(const TargetReport& target) {
  return absl::StrCat(target.root == "." ? "workspace" : ToUtf8(target.root), " (",
                      target.validator.empty() ? target.language : target.validator, ", ",
                      LevelName(target.level), ")");
}

// What the model needs beyond the diagnostics to understand the verdict.
std::string Reason(const TargetReport& target) {
  const ValidationResult& result = target.result;
  std::string text;
  const auto add = [&](absl::string_view line) {
    if (!line.empty()) absl::StrAppend(&text, "  ", line, "\n");
  };
  switch (result.verdict) {
    case Verdict::kRemoved:
      break;
    case Verdict::kPass:
    case Verdict::kFlakyPass:
    case Verdict::kChangedDuringRun:
    case Verdict::kTimeout:
      add(ToUtf8(result.message));
      break;
    case Verdict::kNoValidator:
    case Verdict::kSyntaxOnly:
      add(ToUtf8(result.message));
      if (!absl::StrContains(result.message, result.toolchain.install_hint)) {
        add(ToUtf8(result.toolchain.install_hint));
      }
      break;
    case Verdict::kFail:
    case Verdict::kInfraError: {
      const bool explained =
          result.verdict == Verdict::kFail && CountErrors(result.diagnostics) > 0;
      add(ToUtf8(result.message));
      if (explained) break;
      add(result.command.empty() ? "" : absl::StrCat("command: ", ToUtf8(result.command)));
      if (!result.output.empty()) {
        const std::string output = TruncateMiddle(ToUtf8(result.output), kMaxOutputBytes);
        absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(output), "\n");
      }
      break;
    }
  }
  return text;
}

std::string TargetText(const TargetReport& target) {
  const ValidationResult& result = target.result;
  const size_t errors = CountErrors(result.diagnostics);
  std::string text = absl::StrFormat("%s: %s", TargetName(target), VerdictName(result.verdict));
  if (errors > 0) absl::StrAppend(&text, ", ", Count(errors, "error"));
  if (result.tests.has_value()) {
    absl::StrAppend(&text, ", tests: ", result.tests->passed, " passed, ", result.tests->failed,
                    " failed, ", result.tests->skipped, " skipped");
  }
  absl::StrAppendFormat(&text, " (%.1f s)\n", absl::ToDoubleSeconds(result.duration));
  return text + Reason(target);
}

std::string ClosingText(const ValidationReport& report) {
  if (report.remaining.empty()) {
    return report.verdict == Verdict::kPass ? "Nothing is left to validate.\n" : "";
  }
  std::string text = "Still not validated:\n";
  for (size_t i = 0; i < report.remaining.size() && i < kMaxRemaining; ++i) {
    absl::StrAppend(&text, "- ", ToUtf8(report.remaining[i]), "\n");
  }
  if (report.remaining.size() > kMaxRemaining) {
    absl::StrAppend(&text, "[", report.remaining.size() - kMaxRemaining, " more]\n");
  }
  return text;
}

Json DiagnosticsData(const std::vector<const Diagnostic*>& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic* diagnostic : diagnostics) {
    if (list.size() >= kMaxDataDiagnostics) break;
    list.push_back({{"file", ToUtf8(diagnostic->file)},
                    {"line", diagnostic->line},
                    {"column", diagnostic->column},
                    {"code", ToUtf8(diagnostic->code)},
                    {"message", ToUtf8(diagnostic->message)}});
  }
  return list;
}

}  // namespace

std::string ValidationReportText(const ValidationReport& report, FileSystem* fs,
                                 const std::string& workspace) {
  std::string text = absl::StrCat(absl::AsciiStrToUpper(VerdictName(report.verdict)),
                                  report.summary.empty() ? "" : ": ", ToUtf8(report.summary), "\n");
  for (const TargetReport& target : report.targets) absl::StrAppend(&text, TargetText(target));

  SourceLines lines(fs, workspace);
  const std::vector<const Diagnostic*> errors = OfSeverity(report, Severity::kError);
  if (!errors.empty()) absl::StrAppend(&text, "\n");
  for (size_t i = 0; i < errors.size() && i < kMaxErrors; ++i) {
    absl::StrAppend(&text, DiagnosticText(*errors[i], &lines));
  }
  if (errors.size() > kMaxErrors) {
    absl::StrAppend(&text, "[", Count(errors.size() - kMaxErrors, "more error"), "]\n");
  }
  const std::vector<const Diagnostic*> warnings = OfSeverity(report, Severity::kWarning);
  for (size_t i = 0; i < warnings.size() && i < kMaxWarnings; ++i) {
    absl::StrAppend(&text, ToUtf8(FormatDiagnostic(*warnings[i])), "\n");
  }
  if (warnings.size() > kMaxWarnings) {
    absl::StrAppend(&text, "[", Count(warnings.size() - kMaxWarnings, "more warning"), "]\n");
  }
  return absl::StrCat(text, ClosingText(report));
}

Json ToJson(const ValidationReport& report) {
  const std::vector<const Diagnostic*> errors = OfSeverity(report, Severity::kError);
  const std::vector<const Diagnostic*> warnings = OfSeverity(report, Severity::kWarning);
  Json targets = Json::array();
  std::set<std::string> languages;
  std::vector<std::string> commands;
  for (const TargetReport& target : report.targets) {
    const ValidationResult& result = target.result;
    targets.push_back({{"validator", target.validator},
                       {"root", ToUtf8(target.root)},
                       {"verdict", std::string(VerdictName(result.verdict))},
                       {"command", ToUtf8(result.command)},
                       {"durationMs", absl::ToInt64Milliseconds(result.duration)},
                       {"coverage", result.files_read.has_value() ? Json(result.files_read->size())
                                                                  : Json(nullptr)}});
    Json& data = targets.back();
    data["language"] = target.language;
    data["level"] = std::string(LevelName(target.level));
    if (!result.message.empty()) data["message"] = ToUtf8(result.message);
    if (!result.toolchain.version.empty()) data["version"] = ToUtf8(result.toolchain.version);
    if (result.tests.has_value()) {
      data["tests"] = {{"passed", result.tests->passed},
                       {"failed", result.tests->failed},
                       {"skipped", result.tests->skipped}};
    }
    if (!target.language.empty()) languages.insert(target.language);
    if (!result.command.empty()) commands.push_back(ToUtf8(result.command));
  }
  return {{"success", report.verdict == Verdict::kPass || report.verdict == Verdict::kRemoved},
          {"verdict", std::string(VerdictName(report.verdict))},
          {"targets", std::move(targets)},
          {"language", absl::StrJoin(languages, ", ")},
          {"errorCount", errors.size()},
          {"warningCount", warnings.size()},
          {"errors", DiagnosticsData(errors)},
          {"warnings", DiagnosticsData(warnings)},
          {"command", absl::StrJoin(commands, "; ")},
          {"summary", ToUtf8(report.summary)}};
}

}  // namespace stile
