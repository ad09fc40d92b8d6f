#include "runtime/validation/diagnostic.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

absl::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

}  // namespace

std::string FormatDiagnostic(const Diagnostic& diagnostic) {
  std::string place = diagnostic.file;
  if (diagnostic.line > 0) absl::StrAppend(&place, place.empty() ? "line " : ":", diagnostic.line);
  if (diagnostic.line > 0 && diagnostic.column > 0) absl::StrAppend(&place, ":", diagnostic.column);
  return absl::StrCat(place, place.empty() ? "" : ": ", SeverityName(diagnostic.severity), ": ",
                      diagnostic.message,
                      diagnostic.code.empty() ? "" : absl::StrCat(" [", diagnostic.code, "]"));
}

Json ToJson(const Diagnostic& diagnostic) {
  Json json = {{"severity", std::string(SeverityName(diagnostic.severity))},
               {"file", diagnostic.file},
               {"line", diagnostic.line},
               {"column", diagnostic.column},
               {"code", diagnostic.code},
               {"message", diagnostic.message}};
  for (const SuggestedFix& fix : diagnostic.fixes) {
    json["fixes"].push_back({{"title", fix.title},
                             {"file", fix.file},
                             {"startLine", fix.start_line},
                             {"startColumn", fix.start_column},
                             {"endLine", fix.end_line},
                             {"endColumn", fix.end_column},
                             {"replacement", fix.replacement}});
    if (!fix.is_certain) json["fixes"].back()["certain"] = false;
  }
  return json;
}

size_t CountErrors(const std::vector<Diagnostic>& diagnostics) {
  return static_cast<size_t>(
      std::count_if(diagnostics.begin(), diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::kError; }));
}

}  // namespace stile
