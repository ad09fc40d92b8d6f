#include "runtime/workflow/workflow_reader.h"

#include <algorithm>
#include <optional>
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
#include "runtime/template/template.h"
#include "runtime/tool/json_schema.h"

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
      {StepType::kCommand, "command", {"exec", "stdin", "cwd", "log", "network", "mcp"}, {}, {}},
      {StepType::kScript, "script", {"content"}, {"content"}, {"content"}},
      {StepType::kGate, "gate", {"from"}, {}, {"from"}},
      {StepType::kTool, "tool", {"tool", "arguments", "log"}, {"tool"}, {"tool"}},
      {StepType::kResource, "resource", {"server", "uri"}, {"server", "uri"}, {"server"}},
      {StepType::kVerify,
       "verify",
       {"target", "exclude", "requirements", "workingDir", "maxRounds", "minRounds",
        "stopOnCritical", "maxTokens", "autoConsolidate", "fix", "model"},
       {"target"},
       {"model"}},
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

absl::Status ReadBool(const Yaml& map, absl::string_view key, bool* out) {
  const Yaml* const value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsBool());
  return absl::OkStatus();
}

void ReadFanout(const Yaml& map, YamlErrors* errors, std::optional<Fanout>* out) {
  const Yaml* const value = map.Find("fanout");
  std::string word;
  if (value == nullptr || !errors->Add(value->AsString(), &word)) return;
  if (word != "map" && word != "reduce") errors->Add(value->Error("wants map or reduce"));
  *out = word == "map" ? Fanout::kMap : Fanout::kReduce;
}

void ReadGoto(const Yaml& value, YamlErrors* errors, Routing* routing) {
  Goto go;
  go.line = value.line;
  if (value.kind != Yaml::Kind::kMap) {
    errors->Add(value.AsString(), &go.to);
  } else {
    errors->Add(CheckKeys(value, {"to", "then"}));
    if (errors->Add(ReadKey(value, "to", &go.to)) && go.to.empty()) {
      errors->Add(value.Error("wants `to`, the name of a step"));
    }
    std::string word = "alone";
    if (errors->Add(ReadKey(value, "then", &word)) && word != "forward" && word != "alone") {
      errors->Add(value.Find("then")->Error("wants forward or alone"));
    }
    go.then_forward = word == "forward";
  }
  if (!go.to.empty()) routing->go = std::move(go);
}

void ReadRunTarget(const Yaml& item, YamlErrors* errors, Routing* routing) {
  Routing::Run run;
  run.line = item.line;
  if (item.kind != Yaml::Kind::kMap) {
    errors->Add(item.AsString(), &run.step);
  } else {
    errors->Add(CheckKeys(item, {"step", "fanout"}));
    if (errors->Add(ReadKey(item, "step", &run.step)) && run.step.empty()) {
      errors->Add(item.Error("wants `step`, the name of a step"));
    }
    ReadFanout(item, errors, &run.fanout);
  }
  if (!run.step.empty()) routing->run.push_back(std::move(run));
}

void ReadRun(const Yaml& value, YamlErrors* errors, Routing* routing) {
  if (value.kind != Yaml::Kind::kList) return ReadRunTarget(value, errors, routing);
  for (const Yaml& item : value.items) ReadRunTarget(item, errors, routing);
}

void ReadRetry(const Yaml& value, YamlErrors* errors, Routing* routing) {
  errors->Add(CheckKeys(value, {"max", "backoff"}));
  errors->Add(ReadCount(value, "max", 0, 100, &routing->max_retries));
  const Yaml* const backoff = value.Find("backoff");
  if (backoff == nullptr) return;
  errors->Add(CheckKeys(*backoff, {"mode", "delay_ms"}));
  errors->Add(ReadCount(*backoff, "delay_ms", 0, 3'600'000, &routing->delay_ms));
  const Yaml* const mode = backoff->Find("mode");
  std::string word;
  if (mode == nullptr || !errors->Add(mode->AsString(), &word)) return;
  if (word != "fixed" && word != "exponential") {
    errors->Add(mode->Error("wants fixed or exponential"));
  }
  routing->backoff = word == "fixed" ? Routing::Backoff::kFixed : Routing::Backoff::kExponential;
}

void ReadTransition(const Yaml& item, YamlErrors* errors, Routing* routing) {
  if (!errors->Add(CheckKeys(item, {"when", "to", "goto_event"})) &&
      item.kind != Yaml::Kind::kMap) {
    return;
  }
  Routing::Transition transition;
  errors->Add(ReadKey(item, "goto_event", &transition.event));
  transition.line = item.line;
  errors->Add(ReadExpression(item, "when", &transition.when));
  if (item.Find("when") == nullptr) errors->Add(item.Error("wants `when`, an expression"));
  const Yaml* const to = item.Find("to");
  if (to == nullptr) {
    errors->Add(item.Error("wants `to`, the name of a step, or null to stop"));
  } else if (to->kind != Yaml::Kind::kNull) {
    std::string name;
    if (!errors->Add(to->AsString(), &name)) return;
    transition.to = std::move(name);
  }
  routing->transitions.push_back(std::move(transition));
}

void ReadRouting(const Yaml& step, absl::string_view key, bool may_retry, YamlErrors* errors,
                 Routing* routing) {
  const Yaml* const value = step.Find(key);
  if (value == nullptr) return;
  std::vector<std::string> known = {"run",  "run_js",  "transitions",
                                    "goto", "goto_js", "goto_event"};
  if (may_retry) known.emplace_back("retry");
  errors->Add(CheckKeys(*value, known));
  if (const Yaml* run = value->Find("run")) ReadRun(*run, errors, routing);
  errors->Add(ReadScript(*value, "run_js", &routing->run_js));
  if (const Yaml* transitions = value->Find("transitions")) {
    if (transitions->kind != Yaml::Kind::kList) {
      errors->Add(transitions->Error("wants a list of {when, to}"));
    }
    for (const Yaml& item : transitions->items) ReadTransition(item, errors, routing);
  }
  if (const Yaml* go = value->Find("goto"); go != nullptr && go->kind != Yaml::Kind::kNull) {
    ReadGoto(*go, errors, routing);
  }
  errors->Add(ReadScript(*value, "goto_js", &routing->goto_js));
  errors->Add(ReadKey(*value, "goto_event", &routing->event));
  if (const Yaml* retry = value->Find("retry")) ReadRetry(*retry, errors, routing);
}

// Whether it has a type that there is.
bool ReadType(const Yaml& yaml, bool is_whole, YamlErrors* errors, WorkflowStep* step) {
  const Yaml* const type = yaml.Find("type");
  std::string word;
  if (type == nullptr) {
    if (is_whole) errors->Add(yaml.Error("wants `type`"));
    return false;
  }
  if (!errors->Add(type->AsString(), &word)) return false;
  if (word == "ai") word = "agent";
  std::vector<std::string> names;
  for (const TypeRow& row : TypeRows()) {
    if (word == row.name) {
      step->type = row.type;
      return true;
    }
    names.emplace_back(row.name);
  }
  return errors->Add(type->Error(absl::StrCat("there is no type '", ToUtf8(word), "'; there are ",
                                              absl::StrJoin(names, ", "))));
}

// JSON Schema, but for what could take its time over hostile output, or refer to itself without
// end. Whether all of it is in order.
bool CheckSchema(const Yaml& schema, YamlErrors* errors) {
  bool ok = true;
  if (schema.kind == Yaml::Kind::kList) {
    for (const Yaml& item : schema.items) ok = CheckSchema(item, errors) && ok;
    return ok;
  }
  for (const Yaml::Entry& entry : schema.keys) {
    if (Holds({"enum", "const", "default", "examples", "required"}, entry.first)) continue;
    if (Holds({"pattern", "patternProperties", "format"}, entry.first)) {
      ok = errors->Add(entry.second.Error(
          "is not checked in schemas of steps; `guarantee: \"/^[a-z]+$/.test(output)\"` is"));
    } else if (entry.first == "$ref") {
      ok = errors->Add(entry.second.Error("schemas of steps stand by themselves"));
    } else if (Holds({"properties", "definitions", "dependencies"}, entry.first)) {
      for (const Yaml::Entry& named : entry.second.keys) {
        ok = CheckSchema(named.second, errors) && ok;
      }
    } else {
      ok = CheckSchema(entry.second, errors) && ok;
    }
  }
  return ok;
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
  if (key == "mcp" && !absl::StrContains(text, "{") && text != "true" && text != "false" &&
      !absl::StrContains(text, ".") && !absl::StrContains(text, ":")) {
    return value.Error("wants true, or names such as SERVER.TOOL");
  }
  if (key == "max_turns" && !absl::StrContains(text, "{")) {
    STILE_ASSIGN_OR_RETURN(const int64_t turns, value.AsInt());
    if (turns < 1 || turns > 1000) return value.Error("wants a number from 1 to 1000");
  }
  return absl::OkStatus();
}

void CheckMemory(const Yaml& yaml, bool is_whole, YamlErrors* errors) {
  std::string expression;
  errors->Add(ReadExpression(yaml, "value_js", &expression));
  const Yaml* const script = yaml.Find("value_js");
  const bool has_value = yaml.Find("value") != nullptr;
  if (script != nullptr && has_value) {
    errors->Add(script->Error("`value_js` says what `value` is; give one of them"));
  }
  const Yaml* const given = yaml.Find("operation");
  std::string operation;
  if (given == nullptr || !errors->Add(given->AsString(), &operation)) return;
  if (!Holds({"get", "has", "set", "append", "increment", "delete", "list", "clear"}, operation)) {
    errors->Add(given->Error("wants get, has, set, append, increment, delete, list or clear"));
    return;
  }
  if (!is_whole) return;
  if (yaml.Find("key") == nullptr && operation != "list" && operation != "clear") {
    errors->Add(yaml.Error(absl::StrCat("to ", operation, " wants `key`")));
  }
  if ((operation == "set" || operation == "append") && script == nullptr && !has_value) {
    errors->Add(yaml.Error(absl::StrCat("to ", operation, " wants `value` or `value_js`")));
  }
}

void ReadSettings(const Yaml& yaml, bool is_whole, YamlErrors* errors, WorkflowStep* step) {
  const TypeRow& row = RowOf(step->type);
  for (const std::string& key : row.keys) {
    const Yaml* const value = yaml.Find(key);
    if (value == nullptr) {
      if (is_whole && Holds(row.required, key)) {
        errors->Add(yaml.Error(absl::StrCat("a step of type ", row.name, " wants `", key, "`")));
      }
      continue;
    }
    if (!errors->Add(CheckSetting(step->type, key, *value))) continue;
    step->settings[key] = value->AsJson();
    if (!Holds(row.verbatim, key)) CheckTemplates(*value, errors);
  }
  std::string content;
  if (step->type == StepType::kScript) errors->Add(ReadScript(yaml, "content", &content));
  if (step->type == StepType::kMemory) CheckMemory(yaml, is_whole, errors);
}

void ReadDependencies(const Yaml& yaml, YamlErrors* errors, WorkflowStep* step) {
  const Yaml* const value = yaml.Find("depends_on");
  std::vector<std::string> entries;
  if (value == nullptr || !errors->Add(value->AsStringList(), &entries)) return;
  for (const std::string& entry : entries) {
    std::vector<std::string> any_of;
    for (const absl::string_view name : absl::StrSplit(entry, '|')) {
      any_of.emplace_back(absl::StripAsciiWhitespace(name));
    }
    step->depends_on.push_back(std::move(any_of));
  }
}

void ReadTransform(const Yaml& yaml, YamlErrors* errors, WorkflowStep* step) {
  errors->Add(ReadExpression(yaml, "transform_js", &step->transform_js));
  const Yaml* const value = yaml.Find("transform");
  if (value == nullptr) return;
  if (yaml.Find("transform_js") != nullptr) {
    errors->Add(value->Error("`transform_js` says what the output becomes; give one of them"));
  }
  if (errors->Add(value->AsString(), &step->transform)) CheckTemplates(*value, errors);
}

// `name: expression`, or `name: {condition, message, severity}`.
void ReadCondition(const Yaml& all, const Yaml::Entry& entry, YamlErrors* errors,
                   WorkflowStep* step) {
  WorkflowStep::FailureCondition condition;
  condition.name = entry.first;
  const Yaml& value = entry.second;
  if (value.kind != Yaml::Kind::kMap) {
    if (!errors->Add(ReadExpression(all, entry.first, &condition.expression))) return;
    step->failure_conditions.push_back(std::move(condition));
    return;
  }
  errors->Add(CheckKeys(value, {"condition", "message", "severity", "halt_execution"}));
  errors->Add(ReadExpression(value, "condition", &condition.expression));
  if (value.Find("condition") == nullptr) {
    errors->Add(value.Error("wants `condition`, an expression"));
  }
  errors->Add(ReadKey(value, "message", &condition.message));
  std::string severity = "error";
  if (errors->Add(ReadKey(value, "severity", &severity)) &&
      !Holds({"info", "warning", "error", "critical"}, severity)) {
    errors->Add(value.Find("severity")->Error("wants info, warning, error or critical"));
  }
  condition.only_warns = severity == "info" || severity == "warning";
  step->failure_conditions.push_back(std::move(condition));
}

void ReadConditions(const Yaml& yaml, YamlErrors* errors, WorkflowStep* step) {
  const Yaml* const value = yaml.Find("failure_conditions");
  if (value == nullptr) return;
  if (value->kind != Yaml::Kind::kMap) errors->Add(value->Error("wants names and conditions"));
  for (const Yaml::Entry& entry : value->keys) ReadCondition(*value, entry, errors, step);
}

void ReadCache(const Yaml& yaml, YamlErrors* errors, WorkflowStep* step) {
  const Yaml* const value = yaml.Find("cache");
  if (value == nullptr) return;
  if (step->type != StepType::kCommand) {
    errors->Add(value->Error("is of steps of type command"));
    return;
  }
  errors->Add(CheckKeys(*value, {"ttl_s", "paths"}));
  step->cache.ttl_s = 300;
  errors->Add(ReadCount(*value, "ttl_s", 1, 86'400, &step->cache.ttl_s));
  errors->Add(ReadKey(*value, "paths", &step->cache.paths));
  for (const std::string& name : step->cache.paths) {
    if (IsStepName(name) && name.front() != '.') continue;
    errors->Add(value->Find("paths")->Error("wants names of files or folders in $STILE_ARTIFACTS"));
  }
}

void ReadEnv(const Yaml& yaml, YamlErrors* errors, WorkflowStep* step) {
  const Yaml* const env = yaml.Find("env");
  if (env == nullptr) return;
  if (env->kind != Yaml::Kind::kMap) {
    errors->Add(env->Error("wants names and values"));
    return;
  }
  CheckTemplates(*env, errors);
  for (const Yaml::Entry& entry : env->keys) {
    errors->Add(entry.second.AsString(), &step->env[entry.first]);
  }
}

void ReadFormat(const Yaml& yaml, YamlErrors* errors, WorkflowStep* step) {
  const Yaml* const format = yaml.Find("output_format");
  std::string word;
  if (format == nullptr || !errors->Add(format->AsString(), &word)) return;
  if (word != "json" && word != "text") errors->Add(format->Error("wants json or text"));
  step->output_json = word == "json";
}

std::vector<std::string> CommonKeys() {
  return {"type",         "description",
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
}

}  // namespace

absl::string_view StepTypeName(StepType type) { return RowOf(type).name; }

bool IsVerbatim(StepType type, absl::string_view setting) {
  return Holds(RowOf(type).verbatim, setting);
}

absl::Status AtPlace(const Yaml& yaml, const absl::Status& status) {
  if (status.ok() || absl::IsNotFound(status) || absl::IsInternal(status)) return status;
  return yaml.Error(status.message());
}

absl::Status ReadExpression(const Yaml& map, absl::string_view key, std::string* out) {
  const Yaml* const value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsString());
  if (absl::StripAsciiWhitespace(*out).empty()) return value->Error("the expression is empty");
  return AtPlace(*value, CheckExpression(*out));
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

void ReadSchema(const Yaml& map, YamlErrors* errors, Json* out) {
  const Yaml* const schema = map.Find("schema");
  if (schema == nullptr) return;
  if (schema->kind != Yaml::Kind::kMap) {
    errors->Add(schema->Error("wants a JSON Schema"));
    return;
  }
  if (!CheckSchema(*schema, errors)) return;
  *out = schema->AsJson();
  errors->Add(AtPlace(*schema, JsonSchema(*out).status()));
}

void CheckTemplates(const Yaml& value, YamlErrors* errors) {
  for (const Yaml& item : value.items) CheckTemplates(item, errors);
  for (const Yaml::Entry& entry : value.keys) CheckTemplates(entry.second, errors);
  if (value.kind != Yaml::Kind::kScalar || !absl::StrContains(value.scalar, "{")) return;
  errors->Add(AtPlace(value, Template::Parse(value.scalar).status()));
}

WorkflowStep ReadStep(const std::string& name, const Yaml& yaml, bool is_whole,
                      YamlErrors* errors) {
  WorkflowStep step;
  step.name = name;
  step.line = yaml.line;
  if (!IsStepName(name)) {
    errors->Add(yaml.Error(absl::StrCat(
        "'", ToUtf8(name), "' is no name of a step: letters, digits, '_', '-' and '.'")));
  }
  if (yaml.kind != Yaml::Kind::kMap) {
    errors->Add(yaml.Error("wants `type`"));
    return step;
  }
  std::vector<std::string> known = CommonKeys();
  // Of a type that is not known any key may be.
  const bool has_type = ReadType(yaml, is_whole, errors, &step);
  for (const TypeRow& row : TypeRows()) {
    if (has_type && row.type != step.type) continue;
    for (const std::string& key : row.keys) {
      if (!Holds(known, key)) known.push_back(key);
    }
  }
  errors->Add(CheckKeys(yaml, known));
  ReadDependencies(yaml, errors, &step);
  errors->Add(ReadExpression(yaml, "if", &step.condition));
  errors->Add(ReadExpression(yaml, "assume", &step.assume));
  errors->Add(ReadExpression(yaml, "fail_if", &step.fail_if));
  errors->Add(ReadExpression(yaml, "guarantee", &step.guarantee));
  ReadTransform(yaml, errors, &step);
  ReadConditions(yaml, errors, &step);
  ReadSchema(yaml, errors, &step.schema);
  errors->Add(ReadBool(yaml, "manual", &step.manual));
  errors->Add(ReadBool(yaml, "forEach", &step.for_each));
  errors->Add(ReadBool(yaml, "continue_on_failure", &step.continue_on_failure));
  ReadFanout(yaml, errors, &step.fanout);
  ReadRouting(yaml, "on_success", false, errors, &step.on_success);
  ReadRouting(yaml, "on_fail", true, errors, &step.on_fail);
  ReadRouting(yaml, "on_finish", false, errors, &step.on_finish);
  ReadFormat(yaml, errors, &step);
  errors->Add(ReadKey(yaml, "group", &step.group));
  errors->Add(ReadKey(yaml, "tags", &step.tags));
  errors->Add(ReadKey(yaml, "on", &step.events));
  ReadEnv(yaml, errors, &step);
  errors->Add(ReadCount(yaml, "max_runs", 1, 1'000'000, &step.max_runs));
  errors->Add(ReadCount(yaml, "timeout_s", 1, 86'400, &step.timeout_s));
  if (!has_type) return step;
  if (step.timeout_s > 0 && step.type != StepType::kCommand && step.type != StepType::kHttp) {
    errors->Add(yaml.Find("timeout_s")->Error("is of steps of type command and http"));
  }
  ReadCache(yaml, errors, &step);
  ReadSettings(yaml, is_whole, errors, &step);
  return step;
}

}  // namespace stile
