#include "agents/api/workflow_reports.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxReports = 100;
constexpr size_t kMaxReportBytes = size_t{16} << 20;
constexpr size_t kShort = 200;

}  // namespace

absl::Status KeepReport(const RunPaths& run, const Json& report) {
  return WriteFileAtomically(DiskFileSystem(), run.report, absl::StrCat(DumpJson(report, 2), "\n"),
                             0600);
}

Json EarlierReports(const RunStore& store, const std::string& workflow,
                    const std::string& workspace, const std::string& run_id) {
  Json reports = Json::array();
  const auto runs = store.RunsWithReport();
  if (!runs.ok()) return reports;
  for (const RunPaths& run : *runs) {
    if (run.id == run_id) continue;
    const auto summary = store.Summarize(run);
    if (!summary.ok() || summary->kind != "workflow" || summary->task != workflow ||
        summary->workspace != ToUtf8(workspace)) {
      continue;
    }
    const auto text = DiskFileSystem()->ReadFile(run.report, kMaxReportBytes);
    if (!text.ok()) continue;
    auto report = ParseJson(*text);
    if (!report.ok()) continue;
    Json facts = Json::object();
    for (const auto& [name, value] : report->is_object() ? report->items() : facts.items()) {
      const bool is_short =
          value.is_string() && value.get_ref<const std::string&>().size() < kShort;
      if (value.is_number() || value.is_boolean() || is_short) facts[name] = value;
    }
    reports.push_back(std::move(facts));
    if (reports.size() == kMaxReports) break;
  }
  return reports;
}

}  // namespace stile
