#include "runtime/workflow/step_work.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/script/expression.h"
#include "runtime/template/template.h"
#include "runtime/template/template_value.h"
#include "runtime/tool/json_schema.h"

namespace stile {
namespace {

constexpr size_t kMaxViolations = 5;

StepReply Failure(std::string message) {
  StepReply reply;
  reply.ok = false;
  reply.message = std::move(message);
  return reply;
}

// Of several reasons the one that says most: a failure, before what was skipped or never ran.
int Weight(absl::string_view reason) {
  if (reason == kSkipDependencyFailed) return 3;
  if (reason == kSkipEmpty) return 2;
  return reason == kSkipDependencySkipped ? 1 : 0;
}

}  // namespace

absl::Status CheckFits(const Json& schema, const Json& value, absl::string_view what) {
  if (schema.is_null()) return absl::OkStatus();
  const std::vector<std::string> violations = JsonSchema(schema).Violations(value);
  if (violations.empty()) return absl::OkStatus();
  const size_t shown = std::min(violations.size(), kMaxViolations);
  return absl::InvalidArgumentError(absl::StrCat(
      what, " does not fit the schema: ",
      absl::StrJoin(violations.begin(), violations.begin() + static_cast<ptrdiff_t>(shown), "; "),
      shown < violations.size() ? "; …" : ""));
}

absl::string_view SkipBehind(StepVerdict verdict, absl::string_view reason) {
  switch (verdict) {
    case StepVerdict::kNotRun:
      return kSkipDependencyNotRun;
    case StepVerdict::kFailed:
      return kSkipDependencyFailed;
    case StepVerdict::kPassed:
    case StepVerdict::kSkipped:
      break;
  }
  for (const absl::string_view same : {kSkipDependencyFailed, kSkipEmpty, kSkipDependencyNotRun}) {
    if (reason == same) return same;
  }
  return kSkipDependencySkipped;
}

// The scope is none of its items, or it would not be empty.
bool StepWork::IsEmptyList(const Scope& scope, int step, StepVerdict verdict) const {
  if (!Step(step).for_each || verdict != StepVerdict::kPassed) return false;
  const Json* const output = scope.OwnOutput(step);
  return output != nullptr && output->empty();
}

// How often it has begun in the scope.
int StepWork::Attempt(const Scope& scope, int step) {
  const auto state = scope.steps().find(step);
  return state == scope.steps().end() ? 0 : state->second.runs;
}

std::optional<StepWork::Skip> StepWork::UnmetDependency(const Scope& scope, int step) const {
  for (const std::vector<std::string>& any_of : Step(step).depends_on) {
    std::optional<Skip> unmet;
    for (const std::string& name : any_of) {
      const int dependency = workflow_.Find(name);
      const auto [verdict, reason] = scope.Verdict(workflow_, dependency);
      const bool empty = IsEmptyList(scope, dependency, verdict);
      const bool met = (verdict == StepVerdict::kPassed && !empty) ||
                       (verdict == StepVerdict::kFailed && Step(dependency).continue_on_failure);
      if (met) {
        unmet.reset();
        break;
      }
      const absl::string_view behind = empty ? kSkipEmpty : SkipBehind(verdict, reason);
      if (!unmet.has_value() || Weight(behind) > Weight(unmet->reason)) {
        unmet = Skip{std::string(behind), name};
      }
    }
    if (unmet.has_value()) return unmet;
  }
  return std::nullopt;
}

std::optional<StepWork::Skip> StepWork::WhyNot(const Scope& scope, int step) const {
  if (auto unmet = UnmetDependency(scope, step)) return unmet;
  const WorkflowStep& itself = Step(step);
  const std::pair<const std::string*, absl::string_view> tests[] = {
      {&itself.condition, kSkipCondition}, {&itself.assume, kSkipAssume}};
  for (const auto& [expression, reason] : tests) {
    if (expression->empty()) continue;
    const auto value =
        Evaluate(*expression,
                 Globals(VariablesFor(*expression, workflow_, scope, Attempt(scope, step) + 1,
                                      variables_, nullptr)),
                 Options());
    if (!value.ok()) {
      return Skip{std::string(reason), absl::StrCat(*expression, ": ", value.status().message())};
    }
    if (!IsTrue(*value)) return Skip{std::string(reason), *expression};
  }
  return std::nullopt;
}

ScriptGlobals StepWork::Globals(Json variables) const {
  ScriptGlobals globals;
  for (auto it = variables.begin(); it != variables.end(); ++it) {
    globals[it.key()] = std::move(it.value());
  }
  if (globals.erase("memory") > 0) {
    Json spaces = variables_.memory_spaces;
    spaces[variables_.memory_namespace] = variables_.memory;
    globals[std::string(kMemoryGlobal)] = {{"namespace", variables_.memory_namespace},
                                           {"spaces", std::move(spaces)}};
  }
  return globals;
}

ScriptOptions StepWork::Options() const {
  ScriptOptions options;
  options.now = variables_.now;
  return options;
}

absl::StatusOr<Json> StepWork::Output(const Scope& root, const Workflow::Output& output) const {
  const std::string& text = output.value_js.empty() ? output.value : output.value_js;
  Json variables = VariablesFor(text, workflow_, root, 1, variables_, nullptr);
  if (!output.value_js.empty()) return Evaluate(text, Globals(std::move(variables)), Options());
  STILE_ASSIGN_OR_RETURN(const Template parsed, Template::Parse(text));
  STILE_ASSIGN_OR_RETURN(std::string filled, parsed.Render(variables));
  return filled;
}

Json StepWork::Variables(const std::string& text, const Scope& scope, int step,
                         const Json* output) const {
  Json variables = VariablesFor(text, workflow_, scope, Attempt(scope, step), variables_, output);
  const WorkflowStep& itself = Step(step);
  const auto add = [&](const char* name, const auto& value) {
    if (MayName(text, name) && !variables.contains(name)) variables[name] = value();
  };
  add("checkName", [&] { return Json(itself.name); });
  add("step", [&] {
    return Json{{"id", itself.name}, {"group", itself.group}, {"tags", itself.tags}};
  });
  add("error", [&] {
    const auto state = scope.steps().find(step);
    const bool failed =
        state != scope.steps().end() && state->second.verdict == StepVerdict::kFailed;
    if (!failed) return Json();
    return Json{{"message", state->second.message}, {"stderr", state->second.message}};
  });
  add("issues", [&] {
    const bool has = output != nullptr && output->is_object() && output->contains("issues");
    return has ? (*output)["issues"] : Json::array();
  });
  return variables;
}

absl::StatusOr<Json> StepWork::Value(const Scope& scope, int step, const std::string& expression,
                                     const Json* output) const {
  return Evaluate(expression, Globals(Variables(expression, scope, step, output)), Options());
}

absl::StatusOr<ScriptResult> StepWork::Result(const Scope& scope, int step,
                                              const std::string& script, const Json* output) const {
  STILE_ASSIGN_OR_RETURN(
      ScriptResult result,
      RunScript(script, Globals(Variables(script, scope, step, output)), Options()));
  for (ScriptResult::Write& write : result.writes) {
    Json& memory = variables_.Memory(write.space);
    if (write.deletes) {
      memory.erase(write.key);
    } else {
      memory[write.key] = std::move(write.value);
    }
  }
  return result;
}

absl::StatusOr<Json> StepWork::Report(const Scope& root, const std::string& script,
                                      const Json& facts) const {
  Json variables = VariablesFor(script, workflow_, root, 1, variables_, nullptr);
  variables.update(facts);
  STILE_ASSIGN_OR_RETURN(ScriptResult result,
                         RunScript(script, Globals(std::move(variables)), Options()));
  return std::move(result.value);
}

absl::Status StepWork::Fill(const Scope& scope, int step, Json* value) const {
  if (value->is_structured()) {
    for (Json& item : *value) STILE_RETURN_IF_ERROR(Fill(scope, step, &item));
    return absl::OkStatus();
  }
  if (!value->is_string()) return absl::OkStatus();
  const std::string& text = value->get_ref<const std::string&>();
  if (!absl::StrContains(text, "{{") && !absl::StrContains(text, "{%")) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const Template parsed, Template::Parse(text));
  STILE_ASSIGN_OR_RETURN(std::string filled,
                         parsed.Render(VariablesFor(text, workflow_, scope, Attempt(scope, step),
                                                    variables_, nullptr)));
  *value = std::move(filled);
  return absl::OkStatus();
}

absl::StatusOr<StepCall> StepWork::Prepare(const Scope& scope, int step) const {
  const WorkflowStep& itself = Step(step);
  StepCall call;
  call.step = &itself;
  call.settings = itself.settings;
  for (auto it = call.settings.begin(); it != call.settings.end(); ++it) {
    if (IsVerbatim(itself.type, it.key())) continue;
    STILE_RETURN_IF_ERROR(WithContext(Fill(scope, step, &it.value()), it.key()));
  }
  for (const auto& [name, text] : itself.env) {
    Json value = text;
    STILE_RETURN_IF_ERROR(WithContext(Fill(scope, step, &value), absl::StrCat("env.", name)));
    call.env[name] = value.get<std::string>();
  }
  const bool wants_input = itself.type == StepType::kGate ||
                           (itself.type == StepType::kAgent && !itself.settings.contains("prompt"));
  if (!wants_input) return call;
  call.input = Json::object();
  std::vector<int> sources = plan_.DependenciesOf(step);
  if (itself.settings.contains("from")) {
    sources = {workflow_.Find(JsonString(itself.settings, "from").value_or(""))};
  }
  for (const int source : sources) {
    const StepState state = scope.Look(workflow_, source);
    // One of several that would do (`a|b`); with all of them skipped, the step is skipped, too.
    if (state.verdict == StepVerdict::kSkipped && sources.size() > 1) continue;
    call.input[Step(source).name] = state.output;
  }
  return call;
}

bool StepWork::IsComputed(StepType type) {
  return type == StepType::kScript || type == StepType::kMemory || type == StepType::kLog ||
         type == StepType::kNoop;
}

StepReply StepWork::Compute(const Scope& scope, int step, const StepCall& call) const {
  StepReply reply;
  switch (call.step->type) {
    case StepType::kScript: {
      auto result = Result(scope, step, JsonString(call.settings, "content").value_or(""), nullptr);
      if (!result.ok()) return Failure(std::string(result.status().message()));
      reply.output = std::move(result->value);
      reply.log = std::move(result->log);
      return reply;
    }
    case StepType::kMemory:
      return Remember(scope, step, call);
    case StepType::kLog:
      reply.output = call.settings.value("message", Json());
      return reply;
    case StepType::kNoop:
    case StepType::kAgent:
    case StepType::kCommand:
    case StepType::kGate:
    case StepType::kTool:
    case StepType::kResource:
    case StepType::kVerify:
    case StepType::kHttp:
    case StepType::kWorkflow:
    case StepType::kHuman:
    case StepType::kForeign:
      break;
  }
  return reply;
}

namespace {

// `increment` of memory: nothing counts as 0, as numbers of scripts do.
absl::StatusOr<Json> Incremented(const Json& before, const Json& by, absl::string_view key) {
  const Json old = before.is_null() ? Json(0) : before;
  const Json amount = by.is_null() ? Json(1) : by;
  if (!old.is_number() || !amount.is_number()) {
    return absl::InvalidArgumentError(absl::StrCat("memory.", ToUtf8(key),
                                                   " can only be incremented by a number, ",
                                                   "where a number or nothing is"));
  }
  const double sum = old.get<double>() + amount.get<double>();
  if (!std::isfinite(sum)) {
    return absl::InvalidArgumentError(
        absl::StrCat("memory.", ToUtf8(key), " would be more than a number can be"));
  }
  const bool is_whole = std::abs(sum) < 9e15 && sum == std::trunc(sum);
  return is_whole ? Json(static_cast<int64_t>(sum)) : Json(sum);
}

}  // namespace

StepReply StepWork::Remember(const Scope& scope, int step, const StepCall& call) const {
  StepReply reply;
  const std::string operation = JsonString(call.settings, "operation").value_or("");
  const Json key_value = call.settings.value("key", Json());
  const std::string key =
      key_value.is_string() ? key_value.get<std::string>() : DumpJson(key_value);
  Json value = call.settings.value("value", Json());
  if (call.settings.contains("value_js")) {
    auto computed = Value(scope, step, JsonString(call.settings, "value_js").value_or(""), nullptr);
    if (!computed.ok()) {
      return Failure(absl::StrCat("value_js: ", computed.status().message()));
    }
    value = *std::move(computed);
  }
  Json& memory = variables_.Memory(TemplateText(call.settings.value("namespace", Json())));
  if (operation == "get") {
    reply.output = memory.value(key, Json());
  } else if (operation == "has") {
    reply.output = memory.contains(key);
  } else if (operation == "delete") {
    memory.erase(key);
  } else if (operation == "clear") {
    memory = Json::object();
  } else if (operation == "list") {
    reply.output = Json::array();
    for (auto it = memory.begin(); it != memory.end(); ++it) reply.output.push_back(it.key());
  } else if (operation == "set") {
    memory[key] = value;
    reply.output = std::move(value);
  } else if (operation == "append") {
    Json& list = memory[key];
    if (list.is_null()) list = Json::array();
    if (!list.is_array()) return Failure(absl::StrCat("memory.", ToUtf8(key), " is no list"));
    list.push_back(std::move(value));
    reply.output = list;
  } else {
    auto number = Incremented(memory.value(key, Json()), value, key);
    if (!number.ok()) return Failure(std::string(number.status().message()));
    memory[key] = *number;
    reply.output = *std::move(number);
  }
  return reply;
}

void StepWork::Transform(const Scope& scope, int step, StepReply* reply) const {
  const WorkflowStep& itself = Step(step);
  if (!reply->ok || (itself.transform.empty() && itself.transform_js.empty())) return;
  const auto fail = [&](absl::string_view key, const absl::Status& status) {
    reply->ok = false;
    reply->message = absl::StrCat(key, ": ", status.message());
  };
  if (!itself.transform_js.empty()) {
    auto value = Value(scope, step, itself.transform_js, &reply->output);
    if (!value.ok()) return fail("transform_js", value.status());
    reply->output = *std::move(value);
    return;
  }
  const auto parsed = Template::Parse(itself.transform);
  if (!parsed.ok()) return fail("transform", parsed.status());
  const auto text = parsed->Render(VariablesFor(itself.transform, workflow_, scope,
                                                Attempt(scope, step), variables_, &reply->output));
  if (!text.ok()) return fail("transform", text.status());
  const std::string stripped(absl::StripAsciiWhitespace(*text));
  auto json = ParseJson(stripped);
  reply->output = json.ok() ? *std::move(json) : Json(stripped);
}

// `failure_conditions`; those that only warn are logged.
absl::Status StepWork::MeetsConditions(const Scope& scope, int step, StepReply* reply) const {
  for (const WorkflowStep::FailureCondition& condition : Step(step).failure_conditions) {
    const auto value = Value(scope, step, condition.expression, &reply->output);
    if (!value.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("failure_conditions: ", condition.name, ": ", value.status().message()));
    }
    if (!IsTrue(*value)) continue;
    const std::string words = absl::StrCat(
        condition.name, ": ", condition.message.empty() ? condition.expression : condition.message);
    if (!condition.only_warns) {
      return absl::InvalidArgumentError(absl::StrCat("failure_conditions: ", words));
    }
    reply->log.push_back(absl::StrCat("warning: ", words));
  }
  return absl::OkStatus();
}

void StepWork::Judge(const Scope& scope, int step, StepRecord* record) const {
  const WorkflowStep& itself = Step(step);
  const Json& output = record->reply.output;
  const auto fail = [&](std::string message) {
    record->verdict = StepVerdict::kFailed;
    record->message = std::move(message);
  };
  if (!record->reply.ok) return fail(record->reply.message);
  if (itself.for_each && !output.is_array()) {
    return fail(absl::StrCat("forEach wants a list, and its output is ", output.type_name()));
  }
  if (const absl::Status fits = CheckFits(itself.schema, output, "the output"); !fits.ok()) {
    return fail(std::string(fits.message()));
  }
  if (!itself.fail_if.empty()) {
    const auto value = Value(scope, step, itself.fail_if, &output);
    if (!value.ok()) return fail(absl::StrCat("fail_if: ", value.status().message()));
    if (IsTrue(*value)) return fail(absl::StrCat("fail_if: ", itself.fail_if));
  }
  if (const absl::Status met = MeetsConditions(scope, step, &record->reply); !met.ok()) {
    return fail(std::string(met.message()));
  }
  if (!itself.guarantee.empty()) {
    const auto value = Value(scope, step, itself.guarantee, &output);
    if (!value.ok()) return fail(absl::StrCat("guarantee: ", value.status().message()));
    if (!IsTrue(*value)) return fail(absl::StrCat("guarantee: ", itself.guarantee));
  }
  record->verdict = StepVerdict::kPassed;
}

}  // namespace stile
