#include "agents/cli/runs_stats.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "agents/api/config.h"
#include "agents/api/user_folders.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "agents/cli/progress_view.h"
#include "agents/cli/runs_prune.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/journal.h"
#include "runtime/session/edits_body.h"
#include "runtime/validation/validator.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

struct StatsFlags {
  std::string workspace;
  std::string since;
};

bool IsSuccess(const std::string& outcome) {
  return outcome == "succeeded" || outcome == "unchanged" || outcome == "ungated";
}

// Whether the first validation of a run that judged code passed it; nullopt: there was none.
std::optional<bool> PassedAtFirst(const RunStore& store, const std::string& id) {
  const absl::StatusOr<RunPaths> run = store.Find(id);
  if (!run.ok() || run->id != id) return std::nullopt;
  const auto journal = ReadJournal(run->journal);
  if (!journal.ok() || journal->events.empty()) return std::nullopt;
  if (IsOfEdits(journal->events[0].data)) return std::nullopt;
  for (const Event& event : journal->events) {
    if (event.type != EventType::kValidationFinished) continue;
    switch (VerdictFromName(JsonString(event.data, "verdict").value_or(""))
                .value_or(Verdict::kInfraError)) {
      case Verdict::kPass:
        return true;
      case Verdict::kFail:
      case Verdict::kFlakyPass:
      case Verdict::kTimeout:
        return false;
      default:
        break;  // says nothing about the code
    }
  }
  return std::nullopt;
}

void AddRun(const RunSummary& run, RunStats* stats) {
  ++stats->outcomes[run.outcome];
  if (run.outcome == "failed") ++stats->reasons[run.reason];
  const bool success = IsSuccess(run.outcome);
  if (success || run.outcome == "failed") ++stats->succeeded.of;
  if (success) ++stats->succeeded.count;
  stats->turns += run.turns;
  stats->tokens += run.tokens;
  stats->cost_usd += run.cost_usd;
  stats->duration += run.duration;
}

Json ToJson(const RunStats::Share& share) {
  const double part = static_cast<double>(share.count) / static_cast<double>(share.of);
  return {{"count", share.count}, {"of", share.of}, {"share", share.of > 0 ? Json(part) : Json()}};
}

// "7 of 9 (78 %)"
std::string ShareText(const RunStats::Share& share) {
  if (share.of == 0) return "none";
  return absl::StrCat(share.count, " of ", share.of, " (", (200 * share.count / share.of + 1) / 2,
                      " %)");
}

std::string Listed(const std::map<std::string, size_t>& counts) {
  return absl::StrJoin(counts, ", ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, entry.second, " ", OneLine(entry.first));
  });
}

int Stats(const CliContext& context, const StatsFlags& flags) {
  absl::Time since = absl::InfinitePast();
  if (!flags.since.empty()) {
    const auto age = ParseAge("--since", flags.since);
    if (!age.ok()) return ReportStatus(age.status());
    since = absl::Now() - *age;
  }
  std::string workspace;
  if (!flags.workspace.empty()) {
    const auto folder = ResolveFolder(flags.workspace);
    if (!folder.ok()) return ReportStatus(folder.status());
    workspace = *folder;
  }
  const auto state = StateDir(context.environment);
  if (!state.ok()) return ReportStatus(state.status());
  const auto stats = CountRuns(RunStore(DiskFileSystem(), *state), workspace, since);
  if (!stats.ok()) return ReportStatus(stats.status());
  if (context.json) {
    PrintJson(ToJson(*stats));
  } else {
    Print(StatsText(*stats));
  }
  return 0;
}

}  // namespace

absl::StatusOr<RunStats> CountRuns(const RunStore& store, const std::string& workspace,
                                   absl::Time since) {
  RunStats stats;
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> whole, store.List(/*with_steps=*/false));
  std::set<std::string> counted;
  for (const RunSummary& run : whole) {
    const bool is_here = workspace.empty() || run.workspace == ToUtf8(workspace);
    if (!is_here || run.started < since || run.reason == kNotBegun) continue;
    counted.insert(run.id);
    AddRun(run, &stats);
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> all, store.List(/*with_steps=*/true));
  for (const RunSummary& run : all) {
    // A step may work elsewhere than its story.
    if (run.kind != "run") continue;
    bool is_counted = counted.count(run.id) > 0;
    for (size_t dot = run.id.rfind('.'); !is_counted && dot != std::string::npos && dot > 0;
         dot = run.id.rfind('.', dot - 1)) {
      is_counted = counted.count(run.id.substr(0, dot)) > 0;
    }
    if (!is_counted) continue;
    const std::optional<bool> passed = PassedAtFirst(store, run.id);
    if (!passed.has_value()) continue;
    ++stats.first_pass.of;
    if (*passed) ++stats.first_pass.count;
  }
  return stats;
}

Json ToJson(const RunStats& stats) {
  return {{"outcomes", stats.outcomes},
          {"reasons", stats.reasons},
          {"succeeded", ToJson(stats.succeeded)},
          {"first_pass_builds", ToJson(stats.first_pass)},
          {"turns", stats.turns},
          {"tokens", stats.tokens},
          {"cost_usd", stats.cost_usd},
          {"duration_ms", absl::ToInt64Milliseconds(stats.duration)}};
}

std::string StatsText(const RunStats& stats) {
  if (stats.outcomes.empty()) return "no runs\n";
  std::string text = absl::StrCat("runs        ", Listed(stats.outcomes), "\n");
  absl::StrAppend(&text, "succeeded   ", ShareText(stats.succeeded), " of those that have ended\n");
  if (!stats.reasons.empty()) absl::StrAppend(&text, "failed by   ", Listed(stats.reasons), "\n");
  absl::StrAppend(&text, "first pass  ", ShareText(stats.first_pass),
                  " of the runs and steps that validated code passed at once\n");
  absl::StrAppend(&text, "took        ", FormatElapsed(stats.duration), ", ",
                  Count(stats.turns, "turn"), ", ", FormatCount(stats.tokens), " tokens",
                  stats.cost_usd > 0 ? absl::StrFormat(", $%.4f", stats.cost_usd) : "", "\n");
  return text;
}

void DeclareRunsStats(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<StatsFlags>();
  app->add_option("-C,--workspace", flags->workspace, "Only runs in this folder")->type_name("DIR");
  app->add_option("--since", flags->since, "Only runs that began in this time: 12h, 30d, 2w")
      ->type_name("AGE");
  app->footer(
      "first pass: the first validation of a run, or of a step, passed. Validations that say "
      "nothing about\nthe code (infra_error, no_validator) do not count.");
  OnCommand(app, [flags, context] { return Stats(*context, *flags); });
}

}  // namespace stile
