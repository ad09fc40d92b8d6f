#include "runtime/workflow/step_record.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/event/flow_events.h"

namespace stile {
namespace {

absl::StatusOr<StepRecord> RecordFrom(const Json& data) {
  const auto scope = JsonString(data, "scope");
  const auto step = JsonString(data, "step");
  const auto verdict = JsonString(data, "verdict");
  const auto run = JsonInt(data, "run");
  const Json* const output = JsonMember(data, "output");
  if (!scope || !step || !verdict || !run || output == nullptr) {
    return absl::DataLossError("a finished step without scope, step, run, verdict or output");
  }
  StepRecord record;
  record.scope = *scope;
  record.step = *step;
  record.run = static_cast<int>(*run);
  record.wave = static_cast<int>(JsonInt(data, "iteration").value_or(1));
  record.input_sha256 = JsonString(data, "input_sha256").value_or("");
  record.verdict = *verdict == StepVerdictName(StepVerdict::kPassed) ? StepVerdict::kPassed
                                                                     : StepVerdict::kFailed;
  record.message = JsonString(data, "message").value_or("");
  record.duration = absl::Milliseconds(JsonInt(data, "duration_ms").value_or(0));
  record.reply.output = *output;
  record.reply.ok = JsonBool(data, "ok").value_or(false);
  record.reply.turns = static_cast<int>(JsonInt(data, "turns").value_or(0));
  if (const Json* usage = JsonMember(data, "usage")) {
    STILE_ASSIGN_OR_RETURN(record.reply.usage, UsageFromJson(*usage));
  }
  if (const Json* changed = JsonMember(data, "changed"); changed && changed->is_array()) {
    for (const Json& path : *changed) {
      if (path.is_string()) record.reply.changed.push_back(path.get<std::string>());
    }
  }
  return record;
}

StepRunKey KeyFrom(const Json& data) {
  return {JsonString(data, "scope").value_or(""), JsonString(data, "step").value_or(""),
          static_cast<int>(JsonInt(data, "run").value_or(1))};
}

}  // namespace

Json ToJson(const StepRunKey& key) {
  return {{"scope", ToUtf8(key.scope)}, {"step", key.step}, {"run", key.run}};
}

Json ToJson(const StepRecord& record) {
  Json data = {{"scope", ToUtf8(record.scope)},
               {"step", record.step},
               {"iteration", record.wave},
               {"run", record.run},
               {"input_sha256", record.input_sha256},
               {"verdict", std::string(StepVerdictName(record.verdict))},
               {"message", ToUtf8(record.message)},
               {"output", record.reply.output},
               {"ok", record.reply.ok},
               {"duration_ms", absl::ToInt64Milliseconds(record.duration)}};
  if (record.reply.turns > 0) {
    data["turns"] = record.reply.turns;
    data["usage"] = ToJson(record.reply.usage);
  }
  if (!record.reply.changed.empty()) {
    for (const std::string& path : record.reply.changed) data["changed"].push_back(ToUtf8(path));
  }
  return data;
}

absl::StatusOr<StepRecords> StepRecords::FromEvents(const std::vector<Event>& events) {
  StepRecords records;
  for (size_t i = 0; i < events.size(); ++i) {
    STILE_RETURN_IF_ERROR(records.Add(events[i], i));
  }
  return records;
}

absl::Status StepRecords::Add(const Event& event, size_t position) {
  const Json& data = event.data;
  if (event.type == EventType::kWorkflowStepStarted) {
    const auto started = ReadRecord<WorkflowStepStartedEvent>(event);
    const Key key = {started.scope, started.step, std::max(started.run, 1)};
    if (started.workflow_sha256.has_value()) workflows_[key] = *started.workflow_sha256;
    began_[key] = position;
    if (!started.number.empty()) {
      numbers_[key] = started.number;
      used_.insert(started.number);
    }
  } else if (event.type == EventType::kWorkflowStepFinished) {
    STILE_ASSIGN_OR_RETURN(StepRecord record, RecordFrom(data));
    const Key key = {record.scope, record.step, record.run};
    records_[key] = std::move(record);
    ended_[key] = position;
  } else if (event.type == EventType::kWorkflowFinished) {
    failed_.clear();
    const Json failed = ReadRecord<WorkflowFinishedEvent>(event).failed;
    for (const Json& run : failed) failed_.push_back(KeyFrom(run));
  } else if (event.type == EventType::kRunFinished) {
    is_ended_ = true;
  } else if (event.type == EventType::kRunResumed && is_ended_) {
    STILE_RETURN_IF_ERROR(Reopen());
    const Json fresh = data.value("fresh", Json::array());
    for (const Json& number : fresh) {
      if (number.is_string()) Abandon(number.get<std::string>());
    }
  }
  return absl::OkStatus();
}

absl::Status StepRecords::Reopen() {
  is_ended_ = false;
  if (numbers_.empty() && !began_.empty()) {
    return absl::FailedPreconditionError(
        "an older version of Stile wrote this run, and it does not say which calls go on; start "
        "the "
        "workflow again");
  }
  std::optional<size_t> first;  // failure
  for (const Key& key : failed_) {
    const auto ended = ended_.find(key);
    if (ended == ended_.end()) continue;
    first = std::min(first.value_or(ended->second), ended->second);
    if (const auto number = numbers_.find(key); number != numbers_.end()) {
      open_turns_[number->second] = records_[key].reply.turns;
    }
    records_.erase(key);
    ended_.erase(ended);
  }
  failed_.clear();
  if (!first.has_value()) return absl::OkStatus();
  std::set<Key> later;
  for (const auto& [key, position] : began_) {
    if (position > *first) later.insert(key);
  }
  // What only computes has no beginning.
  for (const auto& [key, position] : ended_) {
    if (position > *first && began_.count(key) == 0) later.insert(key);
  }
  for (const Key& key : later) Drop(key);
  return absl::OkStatus();
}

void StepRecords::Drop(const Key& key) {
  if (const auto record = records_.find(key); record != records_.end()) {
    dropped_turns_[key.step] += record->second.reply.turns;
    records_.erase(record);
  }
  workflows_.erase(key);
  numbers_.erase(key);
  began_.erase(key);
  ended_.erase(key);
}

std::set<std::string> StepRecords::OpenCalls() const {
  std::set<std::string> open;
  for (const auto& [key, number] : numbers_) {
    if (records_.count(key) == 0) open.insert(number);
  }
  return open;
}

void StepRecords::Abandon(const std::string& number) {
  for (const auto& [key, known] : numbers_) {
    if (known != number) continue;
    dropped_turns_[key.step] += open_turns_[number];
    open_turns_.erase(number);
    numbers_.erase(Key(key));
    return;
  }
}

int StepRecords::DroppedTurns() const {
  int turns = 0;
  for (const auto& [step, of_step] : dropped_turns_) turns += of_step;
  return turns;
}

int StepRecords::DroppedTurnsOf(const std::string& step) const {
  const auto found = dropped_turns_.find(step);
  return found == dropped_turns_.end() ? 0 : found->second;
}

std::string StepRecords::NumberOf(const StepRecord& run) const {
  const auto found = numbers_.find({run.scope, run.step, run.run});
  return found == numbers_.end() ? "" : found->second;
}

const std::string& StepRecords::WorkflowOf(const StepRecord& run) const {
  static const auto* const kNone = new std::string;
  const auto found = workflows_.find({run.scope, run.step, run.run});
  return found == workflows_.end() ? *kNone : found->second;
}

const StepRecord* StepRecords::Find(const std::string& scope, const std::string& step,
                                    int run) const {
  const auto found = records_.find({scope, step, run});
  return found == records_.end() ? nullptr : &found->second;
}

}  // namespace stile
