#include "agents/api/workflow_reports.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxReports = 100;
constexpr size_t kMaxReportBytes = size_t{4} << 20;
constexpr size_t kMaxBytes = size_t{8} << 20;

}  // namespace

absl::Status KeepReport(const RunPaths& run, const Json& report) {
  return WriteFileAtomically(DiskFileSystem(), run.report, absl::StrCat(DumpJson(report, 2), "\n"),
                             0600);
}

Json EarlierReports(const RunStore& store, const std::string& workflow,
                    const std::string& workspace) {
  Json reports = Json::array();
  const auto runs = store.RunsWithReport();
  if (!runs.ok()) return reports;
  size_t bytes = 0;
  for (const RunPaths& run : *runs) {
    const auto summary = store.Summarize(run);
    if (!summary.ok() || summary->kind != "workflow" || summary->task != workflow ||
        summary->workspace != ToUtf8(workspace)) {
      continue;
    }
    const auto text = DiskFileSystem()->ReadFile(run.report, kMaxReportBytes);
    if (!text.ok()) continue;
    auto report = ParseJson(*text);
    if (!report.ok()) continue;
    bytes += text->size();
    if (bytes > kMaxBytes || reports.size() == kMaxReports) break;
    reports.push_back(*std::move(report));
  }
  return reports;
}

}  // namespace stile
