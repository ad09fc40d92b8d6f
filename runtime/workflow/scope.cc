#include "runtime/workflow/scope.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/script/expression.h"

namespace stile {
namespace {

// Where the step itself has a state: here, or in a scope around it.
const StepState* OwnState(const Scope& scope, int step) {
  const auto found = scope.steps().find(step);
  return found == scope.steps().end() || found->second.verdict == StepVerdict::kNotRun
             ? nullptr
             : &found->second;
}

// The items of a list of this scope in which the step has something to show; null: of none.
const std::vector<std::unique_ptr<Scope>>* ItemsWith(const Scope& scope, int step) {
  for (const auto& [list, items] : scope.items()) {
    for (const std::unique_ptr<Scope>& item : items) {
      if (OwnState(*item, step) != nullptr || ItemsWith(*item, step) != nullptr) return &items;
    }
  }
  return nullptr;
}

// Outputs and verdicts of one step in one scope, of its items where it ran for them.
class Reader {
 public:
  Reader(const Workflow& workflow, int step)
      : step_(step), itself_(workflow.steps[static_cast<size_t>(step)]) {}

  std::pair<StepVerdict, std::string> Verdict(const Scope& scope) const {
    if (const StepState* own = OwnState(scope, step_)) return {own->verdict, own->reason};
    const auto* const items = ItemsWith(scope, step_);
    if (items == nullptr) return {StepVerdict::kNotRun, ""};
    std::pair<StepVerdict, std::string> all = {StepVerdict::kNotRun, ""};
    for (const std::unique_ptr<Scope>& item : *items) {
      const auto one = Verdict(*item);
      if (Weight(one) > Weight(all)) all = one;
    }
    return all;
  }

  Json Output(const Scope& scope) const {
    if (const StepState* own = OwnState(scope, step_)) return own->output;
    Json list = Json::array();
    if (const auto* items = ItemsWith(scope, step_)) {
      for (const std::unique_ptr<Scope>& item : *items) list.push_back(Output(*item));
    }
    return list;
  }

  // Of all its runs.
  void History(const Scope& scope, std::vector<Json> StepState::*what,
               std::vector<Json>* history) const {
    if (const StepState* own = OwnState(scope, step_)) {
      history->insert(history->end(), (own->*what).begin(), (own->*what).end());
      return;
    }
    if (const auto* items = ItemsWith(scope, step_)) {
      for (const std::unique_ptr<Scope>& item : *items) History(*item, what, history);
    }
  }

  // Of the first item that has one.
  std::string Message(const Scope& scope) const {
    if (const StepState* own = OwnState(scope, step_)) return own->message;
    if (const auto* items = ItemsWith(scope, step_)) {
      for (const std::unique_ptr<Scope>& item : *items) {
        if (Verdict(*item).first != StepVerdict::kFailed) continue;
        return absl::StrCat(item->name(), ": ", Message(*item));
      }
    }
    return "";
  }

 private:
  // What decides for all items together.
  int Weight(const std::pair<StepVerdict, std::string>& one) const {
    switch (one.first) {
      case StepVerdict::kNotRun:
        return 0;
      case StepVerdict::kSkipped:
        return one.second == kSkipDependencyFailed ? 3 : 1;
      case StepVerdict::kPassed:
        return 2;
      case StepVerdict::kFailed:
        return itself_.continue_on_failure ? 2 : 4;
    }
    return 0;
  }

  const int step_;
  const WorkflowStep& itself_;
};

// The scope, this one or one around it, from which the step is seen.
const Scope* SeenFrom(const Scope& scope, int step) {
  for (const Scope* at = &scope; at != nullptr; at = at->parent()) {
    if (OwnState(*at, step) != nullptr || ItemsWith(*at, step) != nullptr) return at;
  }
  return nullptr;
}

// Whether `scope` is an item of the list, or lies within one; the item's scope.
const Scope* ItemOf(const Scope& scope, int list) {
  for (const Scope* at = &scope; at != nullptr; at = at->parent()) {
    if (at->list() == list) return at;
  }
  return nullptr;
}

bool IsNameByte(char c) { return IsIdentifierByte(c) || c == '-'; }

// The members of `variable` that a text names; nullopt: it may be any of them.
std::optional<std::set<std::string>> MembersNamed(absl::string_view text,
                                                  absl::string_view variable,
                                                  const Workflow& workflow) {
  for (const absl::string_view way : {"\\u", "this", "This", "eval", "Function"}) {
    if (absl::StrContains(text, way)) return std::nullopt;
  }
  std::set<std::string> names;
  for (size_t at = text.find(variable); at != absl::string_view::npos;
       at = text.find(variable, at + 1)) {
    absl::string_view rest = text.substr(at + variable.size());
    if ((at > 0 && IsIdentifierByte(text[at - 1])) ||
        (!rest.empty() && IsIdentifierByte(rest.front()))) {
      continue;  // a part of another name
    }
    if (rest.empty()) return std::nullopt;
    if (rest.front() == '.') {
      rest.remove_prefix(1);
      // Templates allow dashes in names, and expressions do not.
      const auto end_of = [&](bool (*fits)(char)) {
        return static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), fits) - rest.begin());
      };
      const size_t with_dashes = end_of(IsNameByte);
      if (with_dashes == 0) return std::nullopt;
      const std::string longer(rest.substr(0, with_dashes));
      const std::string shorter(rest.substr(0, end_of(IsIdentifierByte)));
      // A method, or `size`: it may look at all of them.
      if (workflow.Find(longer) < 0 && workflow.Find(shorter) < 0) return std::nullopt;
      names.insert({longer, shorter});
      continue;
    }
    const char quote = rest.size() > 2 && rest.front() == '[' ? rest[1] : ' ';
    const size_t end = quote == '"' || quote == '\'' ? rest.find(quote, 2) : rest.npos;
    if (end == rest.npos || !absl::StartsWith(rest.substr(end + 1), "]")) return std::nullopt;
    const absl::string_view name = rest.substr(2, end - 2);
    if (absl::StrContains(name, "\\")) return std::nullopt;
    names.emplace(name);
  }
  return names;
}

// Calls `add` with the steps that are named and have run, as the scope sees them.
template <typename Add>
Json ByStep(absl::string_view text, absl::string_view variable, const Workflow& workflow,
            const Scope& scope, const Add& add) {
  Json object = Json::object();
  const auto add_step = [&](int step) {
    const Scope* const from = SeenFrom(scope, step);
    if (from == nullptr) return;
    add(step, *from, &object[workflow.steps[static_cast<size_t>(step)].name]);
  };
  const auto names = MembersNamed(text, variable, workflow);
  if (names.has_value()) {
    for (const std::string& name : *names) {
      if (const int step = workflow.Find(name); step >= 0) add_step(step);
    }
  } else {
    for (size_t i = 0; i < workflow.steps.size(); ++i) add_step(static_cast<int>(i));
  }
  // A step without a state is no member.
  return object;
}

bool NamesHistory(absl::string_view text) {
  return absl::StrContains(text, "outputs.history") ||
         absl::StrContains(text, "outputs['history']") ||
         absl::StrContains(text, "outputs[\"history\"]") || absl::StrContains(text, "?.history");
}

// Lists by step: those of all steps that the text may name, empty where a step has not run.
Json HistoryOf(absl::string_view text, absl::string_view variable,
               std::vector<Json> StepState::*what, const Workflow& workflow, const Scope& scope) {
  Json object =
      ByStep(text, variable, workflow, scope, [&](int other, const Scope& from, Json* value) {
        std::vector<Json> history;
        Reader(workflow, other).History(from, what, &history);
        *value = std::move(history);
      });
  for (const WorkflowStep& step : workflow.steps) {
    if (absl::StrContains(text, step.name) || text == variable) {
      object.emplace(step.name, Json::array());
    }
  }
  return object;
}

// What Visor tells of the pull request that it works on; a run has it from its event.
Json PullRequestOf(const Json& event) {
  Json request = {{"number", 0},
                  {"title", ""},
                  {"body", ""},
                  {"author", ""},
                  {"base", ""},
                  {"head", ""},
                  {"files", Json::array()},
                  {"totalAdditions", 0},
                  {"totalDeletions", 0}};
  if (event.contains("pr") && event["pr"].is_object()) request.update(event["pr"]);
  return request;
}

// Variables that expressions of Visor's files name.
void AddVisorVariables(absl::string_view text, const WorkflowVariables& shared, Json* variables) {
  const auto add = [&](const char* name, const auto& value) {
    if (MayName(text, name) && !variables->contains(name)) (*variables)[name] = value();
  };
  const auto request = [&] { return PullRequestOf(shared.event); };
  const auto files = [&] { return request()["files"]; };
  add("pr", request);
  add("files", files);
  add("filesCount", [&] { return Json(files().size()); });
  add("filesChanged", [&] {
    Json names = Json::array();
    for (const Json& file : files())
      names.push_back(file.is_object() ? file.value("filename", Json()) : file);
    return names;
  });
  add("branch", [&] { return request()["head"]; });
  add("baseBranch", [&] { return request()["base"]; });
}

// What a script finds there already: helpers, and what the language has.
bool IsTaken(absl::string_view name) {
  static constexpr absl::string_view kTaken[] = {
      "all",      "any",        "none",       "count",     "output",   "forEach",  "Array",
      "Boolean",  "Error",      "Infinity",   "JSON",      "Math",     "NaN",      "Number",
      "Object",   "RegExp",     "String",     "TypeError", "eval",     "isFinite", "isNaN",
      "parseInt", "parseFloat", "globalThis", "undefined", "Function", "Symbol",   "Proxy"};
  return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
}

Json ForEachOf(const Workflow& workflow, const Scope& scope) {
  if (scope.parent() == nullptr) return nullptr;
  return {{"step", workflow.steps[static_cast<size_t>(scope.list())].name},
          {"index", scope.index()},
          {"total", scope.total()},
          {"item", scope.item()},
          {"parent", ForEachOf(workflow, *scope.parent())}};
}

}  // namespace

absl::string_view StepVerdictName(StepVerdict verdict) {
  switch (verdict) {
    case StepVerdict::kNotRun:
      return "not_run";
    case StepVerdict::kPassed:
      return "passed";
    case StepVerdict::kFailed:
      return "failed";
    case StepVerdict::kSkipped:
      return "skipped";
  }
  return "";
}

Scope::Scope(Scope* parent, int list, size_t index, size_t total, std::string name, Json item)
    : parent_(parent),
      list_(list),
      index_(index),
      total_(total),
      depth_(parent->depth_ + 1),
      name_(std::move(name)),
      item_(std::move(item)) {}

std::pair<StepVerdict, std::string> Scope::Verdict(const Workflow& workflow, int step) const {
  const Scope* const from = SeenFrom(*this, step);
  if (from == nullptr) return {StepVerdict::kNotRun, ""};
  return Reader(workflow, step).Verdict(*from);
}

const Json* Scope::OwnOutput(int step) const {
  const Scope* const from = SeenFrom(*this, step);
  const StepState* const own = from == nullptr ? nullptr : OwnState(*from, step);
  return own == nullptr ? nullptr : &own->output;
}

StepState Scope::Look(const Workflow& workflow, int step) const {
  StepState state;
  const Scope* const from = SeenFrom(*this, step);
  if (from == nullptr) return state;
  if (const StepState* own = OwnState(*from, step)) return *own;
  const Reader reader(workflow, step);
  std::tie(state.verdict, state.reason) = reader.Verdict(*from);
  state.output = reader.Output(*from);
  state.message = reader.Message(*from);
  reader.History(*from, &StepState::history, &state.history);
  return state;
}

Json& WorkflowVariables::Memory(const std::string& space) {
  if (space.empty() || space == memory_namespace) return memory;
  Json& values = memory_spaces[space];
  if (values.is_null()) values = Json::object();
  return values;
}

Json VariablesFor(absl::string_view text, const Workflow& workflow, const Scope& scope, int attempt,
                  const WorkflowVariables& shared, const Json* output) {
  Json variables = Json::object();
  const auto wants = [&](absl::string_view name) { return MayName(text, name); };
  if (wants("outputs")) {
    variables["outputs"] =
        ByStep(text, "outputs", workflow, scope, [&](int other, const Scope& from, Json* value) {
          const Scope* const item = ItemOf(scope, other);
          *value = item != nullptr ? item->item() : Reader(workflow, other).Output(from);
        });
  }
  if (wants("outputs_raw")) {
    variables["outputs_raw"] = ByStep(text, "outputs_raw", workflow, scope,
                                      [&](int other, const Scope& from, Json* value) {
                                        *value = Reader(workflow, other).Output(from);
                                      });
  }
  const std::pair<const char*, std::vector<Json> StepState::*> histories[] = {
      {"outputs_history", &StepState::history},
      {"tokens_history", &StepState::tokens},
      {"changed_history", &StepState::changed}};
  for (const auto& [name, what] : histories) {
    if (wants(name)) variables[name] = HistoryOf(text, name, what, workflow, scope);
  }
  // Visor's other name of outputs_history; expressions find it by `outputs.history`, too.
  if (NamesHistory(text) && !variables["outputs"].contains("history")) {
    variables["outputs"]["history"] =
        HistoryOf("outputs_history", "outputs_history", &StepState::history, workflow, scope);
  }
  if (wants("errors")) {
    variables["errors"] =
        ByStep(text, "errors", workflow, scope, [&](int other, const Scope& from, Json* value) {
          const Reader reader(workflow, other);
          if (reader.Verdict(from).first == StepVerdict::kFailed) *value = reader.Message(from);
        });
    for (auto it = variables["errors"].begin(); it != variables["errors"].end();) {
      it = it->is_null() ? variables["errors"].erase(it) : std::next(it);
    }
  }
  if (wants("output") && output != nullptr) variables["output"] = *output;
  if (wants("attempt")) variables["attempt"] = attempt;
  if (wants("memory")) variables["memory"] = shared.memory;
  if (absl::StrContains(text, "memory_get")) variables["memory_spaces"] = shared.memory_spaces;
  if (absl::StrContains(text, "date")) variables["now_ms"] = absl::ToUnixMillis(shared.now);
  if (wants("env")) variables["env"] = shared.env;
  if (wants("event")) variables["event"] = shared.event;
  if (wants("inputs")) variables["inputs"] = shared.inputs;
  if (wants("forEach")) variables["forEach"] = ForEachOf(workflow, scope);
  for (auto it = shared.inputs.begin(); it != shared.inputs.end(); ++it) {
    if (!variables.contains(it.key()) && wants(it.key()) && !IsTaken(it.key())) {
      variables[it.key()] = it.value();
    }
  }
  AddVisorVariables(text, shared, &variables);
  return variables;
}

}  // namespace stile
