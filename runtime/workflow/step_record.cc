#include "runtime/workflow/step_record.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

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
  record.wave = static_cast<int>(JsonInt(data, "wave").value_or(1));
  record.input_sha256 = JsonString(data, "input_sha256").value_or("");
  record.verdict = *verdict == StepVerdictName(StepVerdict::kPassed) ? StepVerdict::kPassed
                                                                     : StepVerdict::kFailed;
  record.message = JsonString(data, "message").value_or("");
  record.duration = absl::Milliseconds(JsonInt(data, "ms").value_or(0));
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

}  // namespace

Json ToJson(const StepRecord& record) {
  Json data = {{"scope", ToUtf8(record.scope)},
               {"step", record.step},
               {"wave", record.wave},
               {"run", record.run},
               {"input_sha256", record.input_sha256},
               {"verdict", std::string(StepVerdictName(record.verdict))},
               {"message", ToUtf8(record.message)},
               {"output", record.reply.output},
               {"ok", record.reply.ok},
               {"ms", absl::ToInt64Milliseconds(record.duration)}};
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
  for (const Event& event : events) {
    if (event.type == EventType::kWorkflowStepStarted) {
      const auto sha256 = JsonString(event.data, "workflow_sha256");
      if (!sha256.has_value()) continue;
      records.workflows_[{JsonString(event.data, "scope").value_or(""),
                          JsonString(event.data, "step").value_or(""),
                          static_cast<int>(JsonInt(event.data, "run").value_or(1))}] = *sha256;
    }
    if (event.type != EventType::kWorkflowStepFinished) continue;
    STILE_ASSIGN_OR_RETURN(StepRecord record, RecordFrom(event.data));
    Key key = {record.scope, record.step, record.run};
    records.records_[std::move(key)] = std::move(record);
  }
  return records;
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
