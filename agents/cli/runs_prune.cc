#include "agents/cli/runs_prune.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "agents/api/runs.h"
#include "agents/cli/output.h"
#include "runtime/base/text.h"
#include "runtime/journal/run_prune.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 50;
constexpr int64_t kMaxAge = 1'000'000;
constexpr int kTaskColumns = 60;

struct PruneFlags {
  std::string older_than = "30d";
  bool has_age = false;
  bool has_keep = false;
  size_t keep = 0;
  bool interrupted = false;
  bool dry_run = false;
};

int Prune(const CliContext& context, const PruneFlags& flags) {
  const auto age = ParseAge("--older-than", flags.older_than);
  if (!age.ok()) return ReportStatus(age.status());
  const auto runs = Runs::Open(context.environment);
  PruneOptions options;
  // --keep alone looks at the number only.
  if (flags.has_age || !flags.has_keep) options.before = absl::Now() - *age;
  options.keep = flags.keep;
  options.interrupted = flags.interrupted;
  options.dry_run = flags.dry_run;
  const auto report = runs->Prune(options);
  if (!report.ok()) return ReportStatus(report.status());
  if (!context.json) return Print(FormatPrune(*report, flags.dry_run)) ? 0 : 6;
  Json json = {
      {"dry_run", flags.dry_run},     {"removed", Json::array()},         {"kept", Json::array()},
      {"contents", report->contents}, {"workspaces", report->workspaces}, {"bytes", report->bytes},
      {"partial", report->is_partial}};
  for (const RunSummary& run : report->removed) json["removed"].push_back(run.id);
  for (const PruneReport::Kept& run : report->kept) {
    json["kept"].push_back({{"id", run.id}, {"reason", ToUtf8(run.reason)}});
  }
  PrintJson(json);
  return 0;
}

}  // namespace

absl::StatusOr<absl::Duration> ParseAge(absl::string_view flag, const std::string& text) {
  int64_t number = 0;
  const bool is_number =
      text.size() > 1 && absl::SimpleAtoi(text.substr(0, text.size() - 1), &number);
  if (is_number && number >= 0 && number <= kMaxAge) {
    switch (text.back()) {
      case 's':
        return absl::Seconds(number);
      case 'm':
        return absl::Minutes(number);
      case 'h':
        return absl::Hours(number);
      case 'd':
        return absl::Hours(24 * number);
      case 'w':
        return 7 * absl::Hours(24) * number;
      default:
        break;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " '", ToUtf8(text), "' is no age; give one like 12h, 30d or 2w"));
}

std::string FormatPrune(const PruneReport& report, bool dry_run) {
  std::vector<std::string> what = {Count(report.removed.size(), "run")};
  if (report.contents > 0) what.push_back(Count(report.contents, "stored file"));
  if (report.workspaces > 0) {
    what.push_back(absl::StrCat("the memory of ", Count(report.workspaces, "lost workspace")));
  }
  if (report.removed.empty() && report.bytes == 0) return "no run is old enough to remove\n";
  std::string text = absl::StrCat(dry_run ? "Would remove " : "Removed ", absl::StrJoin(what, ", "),
                                  ": ", FormatCount(static_cast<int64_t>(report.bytes)), "B\n");
  for (size_t i = 0; i < std::min(report.removed.size(), kMaxListed); ++i) {
    const RunSummary& run = report.removed[i];
    absl::StrAppend(&text, "  ", OneLine(run.id), "  ", OneLine(run.outcome), "  ",
                    FitColumns(OneLine(run.task), kTaskColumns), "\n");
  }
  if (report.removed.size() > kMaxListed) {
    absl::StrAppend(&text, "  … and ", report.removed.size() - kMaxListed, " more\n");
  }
  if (!report.kept.empty()) text += "Kept:\n";
  for (const PruneReport::Kept& run : report.kept) {
    absl::StrAppend(&text, "  ", OneLine(run.id), ": ", OneLine(run.reason), "\n");
  }
  if (report.is_partial) {
    text += "A run is at work: stored files stay until a later `stile runs prune`.\n";
  }
  return text;
}

void DeclareRunsPrune(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<PruneFlags>();
  CLI::Option* const age =
      app->add_option("--older-than", flags->older_than,
                      "Only runs that began longer ago: 12h, 30d, 2w (30d, unless --keep is given)")
          ->type_name("AGE");
  CLI::Option* const keep =
      app->add_option("--keep", flags->keep, "Keep this many of the newest runs that could go")
          ->type_name("N")
          ->check(CLI::Range(0, 1000000));
  app->add_flag("--interrupted", flags->interrupted,
                "Also runs that were killed and could be resumed");
  app->add_flag("-n,--dry-run", flags->dry_run, "Only say what would be removed");
  app->footer(
      "Removed runs cannot be shown, undone or resumed any more; the workspaces stay as they are. "
      "A "
      "run\nstays while it is at work, while a working tree of it exists, and, without "
      "--interrupted, "
      "after it was\nkilled.");
  OnCommand(app, [flags, context, age, keep] {
    flags->has_age = age->count() > 0;
    flags->has_keep = keep->count() > 0;
    return Prune(*context, *flags);
  });
}

}  // namespace stile
