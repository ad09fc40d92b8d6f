#include "agents/cli/runs_show.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agents/api/verification_outcome.h"
#include "agents/cli/progress_view.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/session/workspace_state.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

std::string Time(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

// "3m ago", "2d ago".
std::string Age(absl::Duration age) {
  const int64_t seconds = std::max<int64_t>(absl::ToInt64Seconds(age), 0);
  if (seconds < 60) return absl::StrCat(seconds, "s ago");
  if (seconds < 3600) return absl::StrCat(seconds / 60, "m ago");
  if (seconds < 86400) return absl::StrCat(seconds / 3600, "h ago");
  return absl::StrCat(seconds / 86400, "d ago");
}

std::string Outcome(const RunSummary& run) {
  if (run.pid > 0) return absl::StrCat(run.outcome, " (process ", run.pid, ")");
  const absl::string_view undone = run.undone ? ", undone" : "";
  return run.reason.empty() || run.outcome == "damaged"
             ? absl::StrCat(run.outcome, undone)
             : absl::StrCat(run.outcome, " (", run.reason, ")", undone);
}

// "work/api" of "/srv/work/api": the end of the path, which tells folders apart.
std::string ShortFolder(const std::string& path) {
  constexpr size_t kMaxBytes = 24;
  std::string end = path;
  if (const size_t last = path.rfind('/'); last != std::string::npos && last > 0) {
    const size_t before = path.rfind('/', last - 1);
    if (before != std::string::npos) end = path.substr(before + 1);
  }
  if (end.size() > kMaxBytes) end = BaseName(path);
  return FitColumns(OneLine(end), kMaxBytes);
}

Style OutcomeStyle(const RunSummary& run) {
  if (run.outcome == "failed" || run.outcome == "damaged") return Style::kRed;
  return run.outcome == "succeeded" ? Style::kGreen : Style::kPlain;
}

absl::string_view KindOf(const RecordedChange& change) {
  return !change.before ? "added" : !change.after ? "deleted" : "modified";
}

// The timeline is what the progress view showed, with the time of each line in front.
std::string Timeline(const std::vector<Event>& events) {
  std::string text;
  absl::Duration at;
  ProgressView view({}, SystemClock(), [&](absl::string_view line) {
    absl::StrAppend(&text, absl::StrFormat("%8s  ", FormatElapsed(at)), line);
  });
  for (const Event& event : events) {
    at = event.time - events.front().time;
    view.OnEvent(event);
  }
  return text;
}

// How often code was changed and looked at by meaning, and how often as text.
struct ToolUse {
  int semantic_edits = 0;
  int text_edits = 0;
  int semantic_lookups = 0;
  int text_lookups = 0;
};

ToolUse UseOfTools(const std::vector<Event>& events) {
  ToolUse use;
  for (const Event& event : events) {
    // The look-up that follows was one of text after all.
    if (event.type == EventType::kLog && ReadRecord<LogEvent>(event).fallback == "code.navigate") {
      --use.semantic_lookups;
      ++use.text_lookups;
    }
    if (event.type != EventType::kToolFinished) continue;
    const auto finished = ReadRecord<ToolFinishedEvent>(event);
    if (!finished.ok) continue;
    const std::string& tool = finished.tool;
    if (tool == "code.refactor" || tool == "code.generate") ++use.semantic_edits;
    if (tool == "file.write" || tool == "file.modify" || tool == "file.delete") ++use.text_edits;
    if (tool == "code.navigate" || tool == "code.inspect" || tool == "code.search") {
      ++use.semantic_lookups;
    }
    if (tool == "search.grep" || tool == "file.read") ++use.text_lookups;
  }
  return use;
}

}  // namespace

std::string RunTable(const std::vector<RunSummary>& runs, absl::Time now,
                     const Terminal& terminal) {
  if (runs.empty()) return "no runs\n";
  size_t id_width = 2;
  size_t outcome_width = 7;
  size_t folder_width = 9;
  for (const RunSummary& run : runs) {
    id_width = std::max(id_width, run.id.size());
    outcome_width = std::max(outcome_width, Outcome(run).size());
    folder_width = std::max(folder_width, ShortFolder(run.workspace).size());
  }
  std::string text =
      absl::StrFormat("%-*s  %8s  %-*s  %5s  %5s  %-*s  %s\n", id_width, "ID", "AGE", outcome_width,
                      "OUTCOME", "TURNS", "FILES", folder_width, "WORKSPACE", "TASK");
  for (const RunSummary& run : runs) {
    const std::string head =
        absl::StrFormat("%-*s  %8s  ", id_width, run.id, Age(now - run.started));
    const std::string outcome = absl::StrFormat("%-*s", outcome_width, Outcome(run));
    const std::string numbers = absl::StrFormat("  %5d  %5d  %-*s  ", run.turns, run.changed.size(),
                                                folder_width, ShortFolder(run.workspace));
    const int used = static_cast<int>(head.size() + outcome.size() + numbers.size());
    const std::string task =
        OneLine(run.kind == "story" ? absl::StrCat("story: ", run.task) : run.task);
    absl::StrAppend(&text, head, Styled(terminal, OutcomeStyle(run), outcome), numbers,
                    FitColumns(task, terminal.is_tty ? std::max(terminal.columns - used, 20) : 100),
                    "\n");
  }
  return text;
}

Json ToJson(const UndoReport& report) {
  const auto list = [](const std::vector<std::string>& texts) {
    Json result = Json::array();
    for (const std::string& text : texts) result.push_back(ToUtf8(text));
    return result;
  };
  return {{"restored", list(report.restored)},
          {"kept", list(report.kept)},
          {"lost", list(report.lost)},
          {"removed", list(report.removed)},
          {"left", list(report.left)}};
}

std::string UndoText(const UndoReport& report, const std::string& folder) {
  std::string text;
  const auto add_one = [&](absl::string_view word, const std::string& item, absl::string_view why) {
    absl::StrAppend(&text, absl::StrFormat("%-10s", word), OneLine(item), why, "\n");
  };
  const auto add = [&](absl::string_view word, const std::vector<std::string>& list,
                       absl::string_view why) {
    for (const std::string& item : list) add_one(word, item, why);
  };
  add("restored", report.restored, "");
  add("kept", report.kept, "  (changed since the run; `stile runs diff` shows what the run wrote)");
  for (const std::string& path : report.lost) {
    add_one(FileExists(JoinPath(folder, path)) ? "kept" : "lost", path,
            absl::StrCat("  (its content from before the run was not stored: files over ",
                         kMaxKeptBytes >> 20, " MB that are not committed are not)"));
  }
  add("removed", report.removed, "");
  add("left", report.left, "");
  return text;
}

Json ToJson(const RunRecord& record) {
  const ToolUse use = UseOfTools(record.events);
  Json object = {
      {"run", ToJson(record.summary)}, {"changes", Json::array()}, {"events", Json::array()}};
  object["certificate"] = record.certificate.empty() ? Json() : Json(record.certificate);
  object["undone"] = record.undone.has_value() ? ToJson(record.undone->report) : Json();
  if (record.undone.has_value()) {
    object["undone"]["time"] = Time(record.undone->time);
    object["undone"]["begun_again"] = record.undone->begun_again;
  }
  object["edits"] = {{"semantic", use.semantic_edits}, {"text", use.text_edits}};
  object["lookups"] = {{"semantic", use.semantic_lookups}, {"text", use.text_lookups}};
  if (record.changes.has_value()) {
    for (const RecordedChange& change : *record.changes) {
      object["changes"].push_back({{"path", change.path}, {"kind", std::string(KindOf(change))}});
    }
  }
  for (const Event& event : record.events) object["events"].push_back(ToJson(event));
  return object;
}

std::string DescribeRun(const RunRecord& record, const Terminal& terminal) {
  const RunSummary& run = record.summary;
  const ToolUse use = UseOfTools(record.events);
  std::string text = absl::StrCat(
      Styled(terminal, Style::kBold, run.id), "\n", "task       ", OneLine(run.task), "\n",
      "workspace  ", OneLine(run.workspace), "\n", "started    ", Time(run.started), "\n",
      "outcome    ", Styled(terminal, OutcomeStyle(run), Outcome(run)), "\n", "took       ",
      FormatElapsed(run.duration), ", ", Count(run.turns, "turn"), ", ", FormatCount(run.tokens),
      " tokens", run.cost_usd > 0 ? absl::StrFormat(", $%.4f", run.cost_usd) : "", "\n");
  if (run.kind != "story" && run.kind != kVerificationKind) {
    absl::StrAppend(&text, "edits      ", use.semantic_edits, " by meaning, ", use.text_edits,
                    " as text; lookups ", use.semantic_lookups, " by meaning, ", use.text_lookups,
                    " as text\n");
  }
  if (!record.certificate.empty()) {
    absl::StrAppend(&text, "proof      ", record.certificate, "\n");
  }
  if (record.is_torn) text += "The last line of the journal is torn: the process was killed.\n";
  if (record.changes.has_value() && !record.changes->empty()) {
    text += "\nChanged:\n";
    for (const RecordedChange& change : *record.changes) {
      absl::StrAppend(&text, absl::StrFormat("  %-9s", KindOf(change)), OneLine(change.path), "\n");
    }
  }
  if (record.undone.has_value()) {
    absl::StrAppend(&text, "\nUndone at ", Time(record.undone->time),
                    record.undone->begun_again ? ", to do its steps again" : "", ":\n");
    std::string what = UndoText(record.undone->report, record.folder);
    if (what.empty()) what = "nothing";
    for (const absl::string_view line : SplitLines(what)) {
      absl::StrAppend(&text, "  ", line, "\n");
    }
  }
  return absl::StrCat(text, "\nTimeline:\n", Timeline(record.events));
}

std::string ColorDiff(absl::string_view diff, const Terminal& terminal) {
  std::string text;
  for (const absl::string_view line : SplitLines(diff)) {
    Style style = Style::kPlain;
    if (absl::StartsWith(line, "diff --git") || absl::StartsWith(line, "+++ ") ||
        absl::StartsWith(line, "--- ")) {
      style = Style::kBold;
    } else if (absl::StartsWith(line, "@@")) {
      style = Style::kCyan;
    } else if (absl::StartsWith(line, "+")) {
      style = Style::kGreen;
    } else if (absl::StartsWith(line, "-")) {
      style = Style::kRed;
    }
    absl::StrAppend(&text, Styled(terminal, style, Printable(line)), "\n");
  }
  return text;
}

}  // namespace stile
