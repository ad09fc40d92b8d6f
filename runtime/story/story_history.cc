#include "runtime/story/story_history.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/event/flow_events.h"
#include "runtime/journal/journal.h"

namespace stile {
namespace {

constexpr int kMaxRetries = 1000;  // runs that went on from one another

std::vector<std::string> Strings(const Json& data, absl::string_view key) {
  std::vector<std::string> list;
  const Json* array = JsonMember(data, key);
  if (array == nullptr || !array->is_array()) return list;
  for (const Json& element : *array) {
    if (element.is_string()) list.push_back(element.get<std::string>());
  }
  return list;
}

// The runs of all attempts of a step, by their names: "<story>.<step>", "<story>.<step>.<attempt>".
std::vector<std::string> Attempts(const RunStore& store, const std::string& first) {
  std::vector<std::string> ids;
  for (int attempt = 1;; ++attempt) {
    const std::string id = attempt == 1 ? first : absl::StrCat(first, ".", attempt);
    const absl::StatusOr<RunPaths> run = store.Find(id);
    if (!run.ok() || run->id != id) return ids;
    ids.push_back(id);
  }
}

StoryHistory::Step& StepOf(const Event& event, StoryHistory* history) {
  return history->steps[static_cast<int>(JsonInt(event.data, "step").value_or(0))];
}

void ApplyStepFinished(const Json& data, StoryHistory::Step* step) {
  step->finished = true;
  step->answer = JsonString(data, "answer").value_or("");
  step->changed = Strings(data, "changed");
  step->turns = static_cast<int>(JsonInt(data, "turns").value_or(0));
  if (absl::StatusOr<RunResult> result = RunResultFromJson(data); result.ok()) {
    step->result = *std::move(result);
  }
  const Json* certificate = JsonMember(data, "certificate");
  if (certificate != nullptr && certificate->is_object()) {
    step->certificate = RunResult::CertificateRef{JsonString(*certificate, "path").value_or(""),
                                                  JsonString(*certificate, "sha256").value_or("")};
  }
}

void Apply(const RunStore& store, const Event& event, StoryHistory* history) {
  history->last_seq = event.seq;
  if (event.type == EventType::kStoryStarted) {
    auto started = ReadRecord<StoryStartedEvent>(event);
    history->branch = std::move(started.branch);
    history->workspace = std::move(started.workspace);
    history->hooks = std::move(started.hooks);
    history->hooks_unchanged = false;
  } else if (event.type == EventType::kStoryFinished) {
    auto finished = ReadRecord<StoryFinishedEvent>(event);
    history->commit = std::move(finished.commit);
    history->hooks_unchanged = finished.hooks_unchanged;
  } else if (event.type == EventType::kRunFinished) {
    history->finished = true;
  } else if (event.type == EventType::kRunResumed) {
    history->finished = false;
  } else if (event.type == EventType::kStepStarted) {
    StoryHistory::Step& step = StepOf(event, history);
    step.run_ids = Attempts(store, ReadRecord<StepStartedEvent>(event).step_run_id);
    step.finished = false;  // it may have ended before, and goes on
  } else if (event.type == EventType::kStepFinished) {
    ApplyStepFinished(event.data, &StepOf(event, history));
  }
}

absl::StatusOr<StoryHistory> ReadOne(const RunStore& store, const RunPaths& run,
                                     const SecretMasker* secrets, std::string* retry_of) {
  STILE_ASSIGN_OR_RETURN(const JournalContents contents, ReadJournal(run.journal, secrets));
  if (contents.events.empty() || contents.events[0].type != EventType::kRunStarted ||
      JsonString(contents.events[0].data, "kind").value_or("") != "story") {
    return absl::FailedPreconditionError(
        absl::StrCat(run.id, " is not a story; only the steps of a story are retried"));
  }
  const Json& start = contents.events[0].data;
  StoryHistory history;
  history.story_file = JsonString(start, "story_file").value_or("");
  history.story_sha256 = JsonString(start, "story_sha256").value_or("");
  history.model = JsonString(start, "model").value_or("");
  history.base_url = JsonString(start, "base_url").value_or("");
  history.home = JsonString(start, "workspace").value_or("");
  history.workspace = history.home;
  history.first_step = static_cast<int>(JsonInt(start, "first_step").value_or(1));
  history.options.allow_dirty = JsonBool(start, "allow_dirty").value_or(false);
  history.options.worktree = JsonBool(start, "worktree").value_or(false);
  history.options.paths = Strings(start, "deliver_paths");
  history.options.max_parallelism =
      static_cast<int>(JsonInt(start, "max_parallelism").value_or(StoryOptions().max_parallelism));
  history.options.commit = JsonBool(start, "commit").value_or(true);
  history.retry_of = JsonString(start, "retry_of").value_or("");
  *retry_of = history.retry_of;
  history.origin = BranchOriginFromJson(start.value("ground", Json::object()));
  for (const Event& event : contents.events) Apply(store, event, &history);
  return history;
}

}  // namespace

int StoryHistory::NextStep() const {
  int next = first_step;
  for (auto step = steps.find(next); step != steps.end() && step->second.finished;
       step = steps.find(next)) {
    ++next;
  }
  return next;
}

int StoryHistory::StepToResume() const {
  const int next = NextStep();
  for (const auto& [number, step] : steps) {
    if (number >= first_step && number < next && !step.result.ok()) return number;
  }
  return next;
}

StoryOptions StoryHistory::OptionsFrom(int first) const {
  StoryOptions result = options;
  result.first_step = first;
  result.branch = branch.empty() && origin.has_value() ? origin->branch : branch;
  if (!branch.empty()) {
    result.worktree = false;
    result.allow_dirty = true;  // the uncommitted work is what it goes on with
  }
  for (const auto& [number, step] : steps) {
    result.done_changed.insert(result.done_changed.end(), step.changed.begin(), step.changed.end());
    if (number >= first) continue;
    result.done_summaries.push_back(step.answer);
    if (step.certificate) result.done_certificates.push_back(*step.certificate);
  }
  return result;
}

Json ToJson(const StoryOptions& options) {
  return {{"allow_dirty", options.allow_dirty}, {"worktree", options.worktree},
          {"commit", options.commit},           {"max_parallelism", options.max_parallelism},
          {"deliver_paths", options.paths},     {"first_step", options.first_step}};
}

absl::StatusOr<StoryHistory> ReadStoryHistory(const RunStore& store, const RunPaths& run,
                                              const SecretMasker* secrets) {
  std::string earlier;
  STILE_ASSIGN_OR_RETURN(StoryHistory history, ReadOne(store, run, secrets, &earlier));
  int oldest_first = history.first_step;
  for (int i = 0; i < kMaxRetries && !earlier.empty(); ++i) {
    STILE_ASSIGN_OR_RETURN(const RunPaths paths, store.Find(earlier));
    history.options.earlier_run_ids.push_back(paths.id);
    STILE_ASSIGN_OR_RETURN(StoryHistory before, ReadOne(store, paths, secrets, &earlier));
    for (auto& [number, step] : before.steps) {
      StoryHistory::Step& known = history.steps[number];
      if (number < oldest_first && known.run_ids.empty()) {
        known = std::move(step);
      } else {  // retried later: its runs are undone after those of the retry
        known.run_ids.insert(known.run_ids.begin(), step.run_ids.begin(), step.run_ids.end());
      }
    }
    oldest_first = std::min(oldest_first, before.first_step);
  }
  return history;
}

}  // namespace stile
