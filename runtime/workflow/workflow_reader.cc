#include "runtime/workflow/workflow_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/script/expression.h"
#include "runtime/tool/json_schema.h"
#include "runtime/workflow/template.h"

namespace stile {
namespace {

struct TypeRow {
  StepType type;
  const char* name;
  std::vector<std::string> keys;      // of its settings
  std::vector<std::string> required;  // of them
  std::vector<std::string> verbatim;  // strings that are no templates
};

const std::vector<TypeRow>& TypeRows() {
  static const auto* const kRows = new std::vector<TypeRow>{
      {StepType::kAgent,
       "agent",
       {"prompt", "agent", "model", "max_turns"},
       {},
       {"agent", "model"}},
      {StepType::kCommand, "command", {"exec", "stdin", "cwd", "log", "network"}, {}, {}},
      {StepType::kScript, "script", {"content"}, {"content"}, {"content"}},
      {StepType::kGate, "gate", {"from"}, {}, {"from"}},
      {StepType::kTool, "tool", {"tool", "arguments", "log"}, {"tool"}, {"tool"}},
      {StepType::kVerify, "verify", {"target"}, {"target"}, {}},
      {StepType::kHttp, "http", {"url", "method", "headers", "body"}, {"url"}, {"method"}},
      {StepType::kMemory,
       "memory",
       {"operation", "key", "value", "value_js", "namespace"},
       {"operation"},
       {"operation", "value_js"}},
      {StepType::kLog, "log", {"message", "level"}, {"message"}, {"level"}},
      {StepType::kWorkflow, "workflow", {"file", "inputs"}, {"file"}, {}},
      {StepType::kHuman, "human", {"question"}, {"question"}, {}},
      {StepType::kNoop, "noop", {}, {}, {}},
      {StepType::kForeign, "foreign", {"kind"}, {"kind"}, {"kind"}},
  };
  return *kRows;
}

const TypeRow& RowOf(StepType type) {
  return *std::find_if(TypeRows().begin(), TypeRows().end(),
                       [&](const TypeRow& row) { return row.type == type; });
}

bool Holds(const std::vector<std::string>& list, absl::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool IsStepName(absl::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
}

absl::Status ReadExpression(const Yaml& map, absl::string_view key, std::string* out) {
  const Yaml* const value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsString());
  if (absl::StripAsciiWhitespace(*out).empty()) return value->Error("the expression is empty");
  return AtPlace(*value, CheckExpression(*out));
}

absl::Status ReadBool(const Yaml& map, absl::string_view key, bool* out) {
  const Yaml* const value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsBool());
  return absl::OkStatus();
}

absl::StatusOr<Fanout> ReadFanout(const Yaml& value) {
  STILE_ASSIGN_OR_RETURN(const std::string word, value.AsString());
  if (word == "map") return Fanout::kMap;
  if (word == "reduce") return Fanout::kReduce;
  return value.Error("wants map or reduce");
}

// Every string below is a template that has to parse.
absl::Status CheckTemplates(const Yaml& value) {
  for (const Yaml& item : value.items) STILE_RETURN_IF_ERROR(CheckTemplates(item));
  for (const Yaml::Entry& entry : value.keys) STILE_RETURN_IF_ERROR(CheckTemplates(entry.second));
  if (value.kind != Yaml::Kind::kScalar || !absl::StrContains(value.scalar, "{")) {
    return absl::OkStatus();
  }
  return AtPlace(value, Template::Parse(value.scalar).status());
}

absl::StatusOr<Goto> ReadGoto(const Yaml& value) {
  Goto go;
  go.line = value.line;
  if (value.kind != Yaml::Kind::kMap) {
    STILE_ASSIGN_OR_RETURN(go.to, value.AsString());
    return go;
  }
  STILE_RETURN_IF_ERROR(CheckKeys(value, {"to", "then"}));
  STILE_RETURN_IF_ERROR(ReadKey(value, "to", &go.to));
  if (go.to.empty()) return value.Error("wants `to`, the name of a step");
  if (const Yaml* then = value.Find("then")) {
    STILE_ASSIGN_OR_RETURN(const std::string word, then->AsString());
    if (word != "forward" && word != "alone") return then->Error("wants forward or alone");
    go.then_forward = word == "forward";
  }
  return go;
}

absl::Status ReadRun(const Yaml& value, Routing* routing) {
  const auto add = [&](const Yaml& item) -> absl::Status {
    Routing::Run run;
    run.line = item.line;
    if (item.kind == Yaml::Kind::kMap) {
      STILE_RETURN_IF_ERROR(CheckKeys(item, {"step", "fanout"}));
      STILE_RETURN_IF_ERROR(ReadKey(item, "step", &run.step));
      if (run.step.empty()) return item.Error("wants `step`, the name of a step");
      if (const Yaml* fanout = item.Find("fanout")) {
        STILE_ASSIGN_OR_RETURN(run.fanout, ReadFanout(*fanout));
      }
    } else {
      STILE_ASSIGN_OR_RETURN(run.step, item.AsString());
    }
    routing->run.push_back(std::move(run));
    return absl::OkStatus();
  };
  if (value.kind != Yaml::Kind::kList) return add(value);
  for (const Yaml& item : value.items) STILE_RETURN_IF_ERROR(add(item));
  return absl::OkStatus();
}

absl::Status ReadRetry(const Yaml& value, Routing* routing) {
  STILE_RETURN_IF_ERROR(CheckKeys(value, {"max", "backoff"}));
  STILE_RETURN_IF_ERROR(ReadCount(value, "max", 0, 100, &routing->max_retries));
  const Yaml* const backoff = value.Find("backoff");
  if (backoff == nullptr) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckKeys(*backoff, {"mode", "delay_ms"}));
  STILE_RETURN_IF_ERROR(ReadCount(*backoff, "delay_ms", 0, 3'600'000, &routing->delay_ms));
  const Yaml* const mode = backoff->Find("mode");
  if (mode == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::string word, mode->AsString());
  if (word != "fixed" && word != "exponential") return mode->Error("wants fixed or exponential");
  routing->backoff = word == "fixed" ? Routing::Backoff::kFixed : Routing::Backoff::kExponential;
  return absl::OkStatus();
}

absl::Status ReadTransitions(const Yaml& value, Routing* routing) {
  if (value.kind != Yaml::Kind::kList) return value.Error("wants a list of {when, to}");
  for (const Yaml& item : value.items) {
    STILE_RETURN_IF_ERROR(CheckKeys(item, {"when", "to", "goto_event"}));
    Routing::Transition transition;
    STILE_RETURN_IF_ERROR(ReadKey(item, "goto_event", &transition.event));
    transition.line = item.line;
    STILE_RETURN_IF_ERROR(ReadExpression(item, "when", &transition.when));
    if (transition.when.empty()) return item.Error("wants `when`, an expression");
    const Yaml* const to = item.Find("to");
    if (to == nullptr) return item.Error("wants `to`, the name of a step, or null to stop");
    if (to->kind != Yaml::Kind::kNull) {
      STILE_ASSIGN_OR_RETURN(transition.to, to->AsString());
    }
    routing->transitions.push_back(std::move(transition));
  }
  return absl::OkStatus();
}

absl::Status ReadRouting(const Yaml& step, absl::string_view key, bool may_retry,
                         Routing* routing) {
  const Yaml* const value = step.Find(key);
  if (value == nullptr) return absl::OkStatus();
  std::vector<std::string> known = {"run",  "run_js",  "transitions",
                                    "goto", "goto_js", "goto_event"};
  if (may_retry) known.emplace_back("retry");
  STILE_RETURN_IF_ERROR(CheckKeys(*value, known));
  if (const Yaml* run = value->Find("run")) STILE_RETURN_IF_ERROR(ReadRun(*run, routing));
  STILE_RETURN_IF_ERROR(ReadScript(*value, "run_js", &routing->run_js));
  if (const Yaml* transitions = value->Find("transitions")) {
    STILE_RETURN_IF_ERROR(ReadTransitions(*transitions, routing));
  }
  if (const Yaml* go = value->Find("goto"); go != nullptr && go->kind != Yaml::Kind::kNull) {
    STILE_ASSIGN_OR_RETURN(routing->go, ReadGoto(*go));
  }
  STILE_RETURN_IF_ERROR(ReadScript(*value, "goto_js", &routing->goto_js));
  STILE_RETURN_IF_ERROR(ReadKey(*value, "goto_event", &routing->event));
  if (const Yaml* retry = value->Find("retry")) STILE_RETURN_IF_ERROR(ReadRetry(*retry, routing));
  return absl::OkStatus();
}

absl::Status ReadType(const Yaml& yaml, WorkflowStep* step) {
  const Yaml* const type = yaml.Find("type");
  if (type == nullptr) return yaml.Error("wants `type`");
  STILE_ASSIGN_OR_RETURN(std::string word, type->AsString());
  if (word == "ai") word = "agent";
  std::vector<std::string> names;
  for (const TypeRow& row : TypeRows()) {
    if (word == row.name) {
      step->type = row.type;
      return absl::OkStatus();
    }
    names.emplace_back(row.name);
  }
  return type->Error(absl::StrCat("there is no type '", ToUtf8(word), "'; there are ",
                                  absl::StrJoin(names, ", ")));
}

// JSON Schema, but for what could take its time over hostile output, or refer to itself without
// end.
absl::Status CheckSchema(const Yaml& schema) {
  if (schema.kind == Yaml::Kind::kList) {
    for (const Yaml& item : schema.items) STILE_RETURN_IF_ERROR(CheckSchema(item));
    return absl::OkStatus();
  }
  for (const Yaml::Entry& entry : schema.keys) {
    if (Holds({"enum", "const", "default", "examples", "required"}, entry.first)) continue;
    if (Holds({"pattern", "patternProperties", "format"}, entry.first)) {
      return entry.second.Error(
          "is not checked in schemas of steps; `guarantee: \"/^[a-z]+$/.test(output)\"` is");
    }
    if (entry.first == "$ref") return entry.second.Error("schemas of steps stand by themselves");
    const bool by_name = Holds({"properties", "definitions", "dependencies"}, entry.first);
    if (!by_name) {
      STILE_RETURN_IF_ERROR(CheckSchema(entry.second));
      continue;
    }
    for (const Yaml::Entry& named : entry.second.keys) {
      STILE_RETURN_IF_ERROR(CheckSchema(named.second));
    }
  }
  return absl::OkStatus();
}

// What a setting has to be: one text, a map, or, as `exec` and `value`, more than that.
absl::Status CheckSetting(StepType type, const std::string& key, const Yaml& value) {
  if (key == "value") return absl::OkStatus();
  if (Holds({"arguments", "headers", "inputs"}, key)) {
    if (value.kind == Yaml::Kind::kMap) return absl::OkStatus();
    return value.Error("wants names and values");
  }
  if (key == "body") return absl::OkStatus();
  if (key == "exec" && value.kind == Yaml::Kind::kList) {
    if (value.items.empty()) return value.Error("wants a program and its arguments");
    return value.AsStringList().status();
  }
  STILE_ASSIGN_OR_RETURN(const std::string text, value.AsString());
  if (type == StepType::kLog && key == "level" &&
      !Holds({"debug", "info", "warning", "error"}, text)) {
    return value.Error("wants debug, info, warning or error");
  }
  if (key == "network" && !absl::StrContains(text, "{") &&
      !Holds({"none", "packages", "cached"}, text)) {
    return value.Error("wants none, packages or cached");
  }
  if (key == "max_turns" && !absl::StrContains(text, "{")) {
    STILE_ASSIGN_OR_RETURN(const int64_t turns, value.AsInt());
    if (turns < 1 || turns > 1000) return value.Error("wants a number from 1 to 1000");
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const Yaml& yaml) {
  STILE_ASSIGN_OR_RETURN(const std::string operation, yaml.Find("operation")->AsString());
  if (!Holds({"get", "has", "set", "append", "increment", "delete", "list", "clear"}, operation)) {
    return yaml.Find("operation")
        ->Error("wants get, has, set, append, increment, delete, list or clear");
  }
  if (yaml.Find("key") == nullptr && operation != "list" && operation != "clear") {
    return yaml.Error(absl::StrCat("to ", operation, " wants `key`"));
  }
  const Yaml* const script = yaml.Find("value_js");
  const bool has_value = yaml.Find("value") != nullptr;
  if (script != nullptr && has_value) {
    return script->Error("`value_js` says what `value` is; give one of them");
  }
  if ((operation == "set" || operation == "append") && script == nullptr && !has_value) {
    return yaml.Error(absl::StrCat("to ", operation, " wants `value` or `value_js`"));
  }
  std::string expression;
  return ReadExpression(yaml, "value_js", &expression);
}

absl::Status ReadSettings(const Yaml& yaml, WorkflowStep* step) {
  const TypeRow& row = RowOf(step->type);
  for (const std::string& key : row.keys) {
    const Yaml* const value = yaml.Find(key);
    if (value == nullptr) {
      if (Holds(row.required, key)) {
        return yaml.Error(absl::StrCat("a step of type ", row.name, " wants `", key, "`"));
      }
      continue;
    }
    STILE_RETURN_IF_ERROR(CheckSetting(step->type, key, *value));
    step->settings[key] = value->AsJson();
    if (!Holds(row.verbatim, key)) STILE_RETURN_IF_ERROR(CheckTemplates(*value));
  }
  if (step->type == StepType::kScript) {
    std::string content;
    return ReadScript(yaml, "content", &content);
  }
  return step->type == StepType::kMemory ? CheckMemory(yaml) : absl::OkStatus();
}

absl::Status ReadDependencies(const Yaml& yaml, WorkflowStep* step) {
  const Yaml* const value = yaml.Find("depends_on");
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> entries, value->AsStringList());
  for (const std::string& entry : entries) {
    std::vector<std::string> any_of;
    for (const absl::string_view name : absl::StrSplit(entry, '|')) {
      any_of.emplace_back(absl::StripAsciiWhitespace(name));
    }
    step->depends_on.push_back(std::move(any_of));
  }
  return absl::OkStatus();
}

absl::Status ReadTransform(const Yaml& yaml, WorkflowStep* step) {
  STILE_RETURN_IF_ERROR(ReadExpression(yaml, "transform_js", &step->transform_js));
  const Yaml* const value = yaml.Find("transform");
  if (value == nullptr) return absl::OkStatus();
  if (!step->transform_js.empty()) {
    return value->Error("`transform_js` says what the output becomes; give one of them");
  }
  STILE_ASSIGN_OR_RETURN(step->transform, value->AsString());
  return CheckTemplates(*value);
}

// `name: expression`, or `name: {condition, message, severity}`.
absl::Status ReadConditions(const Yaml& yaml, WorkflowStep* step) {
  const Yaml* const value = yaml.Find("failure_conditions");
  if (value == nullptr) return absl::OkStatus();
  if (value->kind != Yaml::Kind::kMap) return value->Error("wants names and conditions");
  for (const Yaml::Entry& entry : value->keys) {
    WorkflowStep::FailureCondition condition;
    condition.name = entry.first;
    if (entry.second.kind == Yaml::Kind::kMap) {
      STILE_RETURN_IF_ERROR(
          CheckKeys(entry.second, {"condition", "message", "severity", "halt_execution"}));
      STILE_RETURN_IF_ERROR(ReadExpression(entry.second, "condition", &condition.expression));
      STILE_RETURN_IF_ERROR(ReadKey(entry.second, "message", &condition.message));
      std::string severity = "error";
      STILE_RETURN_IF_ERROR(ReadKey(entry.second, "severity", &severity));
      if (!Holds({"info", "warning", "error", "critical"}, severity)) {
        return entry.second.Find("severity")->Error("wants info, warning, error or critical");
      }
      condition.only_warns = severity == "info" || severity == "warning";
    } else {
      STILE_RETURN_IF_ERROR(ReadExpression(*value, entry.first, &condition.expression));
    }
    if (condition.expression.empty()) return entry.second.Error("wants `condition`, an expression");
    step->failure_conditions.push_back(std::move(condition));
  }
  return absl::OkStatus();
}

absl::Status ReadCache(const Yaml& yaml, WorkflowStep* step) {
  const Yaml* const value = yaml.Find("cache");
  if (value == nullptr) return absl::OkStatus();
  if (step->type != StepType::kCommand) return value->Error("is of steps of type command");
  STILE_RETURN_IF_ERROR(CheckKeys(*value, {"ttl_s", "paths"}));
  step->cache.ttl_s = 300;
  STILE_RETURN_IF_ERROR(ReadCount(*value, "ttl_s", 1, 86'400, &step->cache.ttl_s));
  STILE_RETURN_IF_ERROR(ReadKey(*value, "paths", &step->cache.paths));
  for (const std::string& name : step->cache.paths) {
    if (IsStepName(name) && name.front() != '.') continue;
    return value->Find("paths")->Error("wants names of files or folders in $STILE_ARTIFACTS");
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view StepTypeName(StepType type) { return RowOf(type).name; }

bool IsVerbatim(StepType type, absl::string_view setting) {
  return Holds(RowOf(type).verbatim, setting);
}

absl::Status AtPlace(const Yaml& yaml, const absl::Status& status) {
  return status.ok() ? status : yaml.Error(status.message());
}

absl::Status ReadScript(const Yaml& map, absl::string_view key, std::string* out) {
  const Yaml* const value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsString());
  return AtPlace(*value, CheckScript(*out));
}

absl::Status ReadCount(const Yaml& map, absl::string_view key, int64_t least, int64_t most,
                       int* out) {
  const Yaml* const value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const int64_t number, value->AsInt());
  if (number < least || number > most) {
    return value->Error(absl::StrCat("wants a number from ", least, " to ", most));
  }
  *out = static_cast<int>(number);
  return absl::OkStatus();
}

absl::Status ReadSchema(const Yaml& map, Json* out) {
  const Yaml* const schema = map.Find("schema");
  if (schema == nullptr) return absl::OkStatus();
  if (schema->kind != Yaml::Kind::kMap) return schema->Error("wants a JSON Schema");
  STILE_RETURN_IF_ERROR(CheckSchema(*schema));
  *out = schema->AsJson();
  return AtPlace(*schema, JsonSchema(*out).status());
}

absl::StatusOr<WorkflowStep> ReadStep(const std::string& name, const Yaml& yaml) {
  WorkflowStep step;
  step.name = name;
  step.line = yaml.line;
  if (!IsStepName(name)) {
    return yaml.Error(absl::StrCat("'", ToUtf8(name),
                                   "' is no name of a step: letters, digits, '_', '-' and '.'"));
  }
  STILE_RETURN_IF_ERROR(ReadType(yaml, &step));
  std::vector<std::string> known = {"type",         "description",
                                    "depends_on",   "if",
                                    "assume",       "fail_if",
                                    "guarantee",    "schema",
                                    "manual",       "forEach",
                                    "fanout",       "continue_on_failure",
                                    "on_success",   "on_fail",
                                    "on_finish",    "max_runs",
                                    "timeout_s",    "output_format",
                                    "group",        "tags",
                                    "on",           "env",
                                    "cache",        "transform",
                                    "transform_js", "failure_conditions"};
  const TypeRow& row = RowOf(step.type);
  known.insert(known.end(), row.keys.begin(), row.keys.end());
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, known));
  STILE_RETURN_IF_ERROR(ReadDependencies(yaml, &step));
  STILE_RETURN_IF_ERROR(ReadExpression(yaml, "if", &step.condition));
  STILE_RETURN_IF_ERROR(ReadExpression(yaml, "assume", &step.assume));
  STILE_RETURN_IF_ERROR(ReadExpression(yaml, "fail_if", &step.fail_if));
  STILE_RETURN_IF_ERROR(ReadExpression(yaml, "guarantee", &step.guarantee));
  STILE_RETURN_IF_ERROR(ReadTransform(yaml, &step));
  STILE_RETURN_IF_ERROR(ReadConditions(yaml, &step));
  STILE_RETURN_IF_ERROR(ReadSchema(yaml, &step.schema));
  STILE_RETURN_IF_ERROR(ReadBool(yaml, "manual", &step.manual));
  STILE_RETURN_IF_ERROR(ReadBool(yaml, "forEach", &step.for_each));
  STILE_RETURN_IF_ERROR(ReadBool(yaml, "continue_on_failure", &step.continue_on_failure));
  if (const Yaml* fanout = yaml.Find("fanout")) {
    STILE_ASSIGN_OR_RETURN(step.fanout, ReadFanout(*fanout));
  }
  STILE_RETURN_IF_ERROR(ReadRouting(yaml, "on_success", false, &step.on_success));
  STILE_RETURN_IF_ERROR(ReadRouting(yaml, "on_fail", true, &step.on_fail));
  STILE_RETURN_IF_ERROR(ReadRouting(yaml, "on_finish", false, &step.on_finish));
  STILE_RETURN_IF_ERROR(ReadCount(yaml, "max_runs", 1, 1'000'000, &step.max_runs));
  STILE_RETURN_IF_ERROR(ReadCount(yaml, "timeout_s", 1, 86'400, &step.timeout_s));
  if (step.timeout_s > 0 && step.type != StepType::kCommand && step.type != StepType::kHttp) {
    return yaml.Find("timeout_s")->Error("is of steps of type command and http");
  }
  STILE_RETURN_IF_ERROR(ReadCache(yaml, &step));
  if (const Yaml* format = yaml.Find("output_format")) {
    STILE_ASSIGN_OR_RETURN(const std::string word, format->AsString());
    if (word != "json" && word != "text") return format->Error("wants json or text");
    step.output_json = word == "json";
  }
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "group", &step.group));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "tags", &step.tags));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "on", &step.events));
  if (const Yaml* env = yaml.Find("env")) {
    if (env->kind != Yaml::Kind::kMap) return env->Error("wants names and values");
    STILE_RETURN_IF_ERROR(CheckTemplates(*env));
    for (const Yaml::Entry& entry : env->keys) {
      STILE_ASSIGN_OR_RETURN(step.env[entry.first], entry.second.AsString());
    }
  }
  STILE_RETURN_IF_ERROR(ReadSettings(yaml, &step));
  return step;
}

}  // namespace stile
