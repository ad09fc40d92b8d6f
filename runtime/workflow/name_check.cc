#include "runtime/workflow/name_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/script/expression.h"
#include "runtime/template/template.h"
#include "runtime/workflow/scope.h"
#include "runtime/workflow/step_work.h"

namespace stile {
namespace {

// A text in which every variable may be named, see MayName.
constexpr char kAnyName[] = "eval";

bool IsOneOf(absl::string_view name, const std::vector<const char*>& names) {
  return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
}

bool IsByStep(absl::string_view variable) {
  return IsOneOf(variable, {"outputs", "outputs_raw", "outputs_history", "changed_history",
                            "tokens_history", "errors"});
}

// Members of the object itself, and methods of the language.
bool IsOwnMember(absl::string_view name) {
  return IsOneOf(name, {"history", "size", "first", "last", "length", "hasOwnProperty", "toString",
                        "valueOf", "constructor", "isPrototypeOf", "propertyIsEnumerable",
                        "toLocaleString", "__proto__"});
}

// One text of a workflow, with the variables that there are when it is evaluated.
struct Text {
  int line = 0;       // in the file
  std::string place;  // "build if"
  const std::set<std::string>* variables = nullptr;
};

class Checker {
 public:
  Checker(const Workflow& workflow, const std::string& file, const std::set<std::string>& inputs)
      : workflow_(workflow), file_(file), declares_inputs_(!workflow.input_defaults.empty()) {
    for (const WorkflowStep& step : workflow.steps) steps_.push_back(step.name);
    const Scope root;
    WorkflowVariables shared;
    const WorkflowPlan no_plan;
    const Json output;
    const StepWork work(&workflow, &no_plan, &shared);
    const auto keys = [&](const Json& variables) {
      std::set<std::string> names = inputs;
      for (const auto& [name, value] : workflow.input_defaults) names.insert(name);
      for (auto it = variables.begin(); it != variables.end(); ++it) names.insert(it.key());
      return names;
    };
    before_ = keys(VariablesFor(kAnyName, workflow, root, 1, shared, nullptr));
    transformed_ = keys(VariablesFor(kAnyName, workflow, root, 1, shared, &output));
    report_ = before_;
    for (const char* name : kReportVariables) report_.insert(name);
    if (workflow.steps.empty()) return;
    at_work_ = keys(work.Variables(kAnyName, root, 0, nullptr));
    after_ = keys(work.Variables(kAnyName, root, 0, &output));
  }

  std::vector<std::string> Run() {
    for (const WorkflowStep& step : workflow_.steps) Check(step);
    for (const Workflow::Output& output : workflow_.outputs) {
      const Text text = {output.line, absl::StrCat("outputs.", output.name), &before_};
      CheckTemplate(text, output.value);
      CheckExpression(text, output.value_js);
    }
    if (workflow_.report.has_value()) {
      const WorkflowReport& report = *workflow_.report;
      CheckScript({report.line, "report", &report_}, report.content, false);
    }
    return std::move(lines_);
  }

 private:
  void Check(const WorkflowStep& step) {
    const auto text = [&](absl::string_view key, const std::set<std::string>& variables) {
      return Text{step.line, absl::StrCat(step.name, " ", key), &variables};
    };
    CheckExpression(text("if", before_), step.condition);
    CheckExpression(text("assume", before_), step.assume);
    CheckSettings(step);
    for (const auto& [name, value] : step.env) {
      CheckTemplate(text(absl::StrCat("env.", name), before_), value);
    }
    CheckTemplate(text("transform", transformed_), step.transform);
    CheckExpression(text("transform_js", after_), step.transform_js);
    CheckExpression(text("fail_if", after_), step.fail_if);
    for (const WorkflowStep::FailureCondition& condition : step.failure_conditions) {
      CheckExpression(text(absl::StrCat("failure_conditions.", condition.name), after_),
                      condition.expression);
    }
    CheckExpression(text("guarantee", after_), step.guarantee);
    for (const auto& [key, routing] :
         {std::pair<const char*, const Routing*>("on_success", &step.on_success),
          {"on_fail", &step.on_fail},
          {"on_finish", &step.on_finish}}) {
      CheckScript(text(absl::StrCat(key, ".run_js"), after_), routing->run_js, true);
      for (const Routing::Transition& transition : routing->transitions) {
        Text when = text(absl::StrCat(key, ".transitions"), after_);
        if (transition.line > 0) when.line = transition.line;
        CheckExpression(when, transition.when);
      }
      CheckScript(text(absl::StrCat(key, ".goto_js"), after_), routing->goto_js, true);
    }
  }

  void CheckSettings(const WorkflowStep& step) {
    for (auto it = step.settings.begin(); it != step.settings.end(); ++it) {
      const Text text = {step.line, absl::StrCat(step.name, " ", it.key()), &at_work_};
      const bool is_script = step.type == StepType::kScript && it.key() == "content";
      if (is_script || it.key() == "value_js") {
        const std::string script = JsonString(step.settings, it.key()).value_or("");
        if (is_script) {
          CheckScript(text, script, false);
        } else {
          CheckExpression(text, script);
        }
      } else if (!IsVerbatim(step.type, it.key())) {
        CheckTemplates({step.line, text.place, &before_}, it.value());
      }
    }
  }

  void CheckTemplates(const Text& text, const Json& value) {
    if (value.is_string()) return CheckTemplate(text, value.get<std::string>());
    if (!value.is_structured()) return;
    for (const Json& item : value) CheckTemplates(text, item);
  }

  void CheckTemplate(const Text& text, const std::string& source) {
    if (!absl::StrContains(source, "{{") && !absl::StrContains(source, "{%")) return;
    const auto parsed = Template::Parse(source);
    if (!parsed.ok()) return;
    for (const TemplateUse& use : parsed->Uses()) {
      const std::string& name = use.path.front();
      if (text.variables->count(name) > 0) {
        CheckMembers(text, use.path, use.line);
      } else if ((declares_inputs_ && !use.may_be_missing) || workflow_.Find(name) >= 0 ||
                 !Nearest(name, Variables(text)).empty()) {
        AddUnknown(text, name, use.line);
      }
    }
  }

  void CheckExpression(const Text& text, const std::string& source) {
    if (source.empty()) return;
    if (const auto names = NamesInExpression(source); names.ok()) CheckUses(text, *names);
  }

  // `routes`: what it returns are names of steps.
  void CheckScript(const Text& text, const std::string& source, bool routes) {
    if (source.empty()) return;
    const auto names = NamesInScript(source);
    if (!names.ok()) return;
    CheckUses(text, *names);
    if (!routes) return;
    for (const ScriptNames::Text& returned : names->returned) {
      if (returned.text.empty() || workflow_.Find(returned.text) >= 0) continue;
      Add(text, absl::StrCat("returns '", returned.text, "', which is no step"), returned.line,
          Meant(returned.text, steps_));
    }
  }

  void CheckUses(const Text& text, const ScriptNames& names) {
    for (const ScriptNames::Use& use : names.uses) {
      if (text.variables->count(use.path.front()) > 0) {
        CheckMembers(text, use.path, use.line);
      } else if (!use.is_guarded) {
        AddUnknown(text, use.path.front(), use.line);
      }
    }
  }

  // The members of a variable that there is.
  void CheckMembers(const Text& text, const std::vector<std::string>& path, int line) {
    if (path.size() < 2) return;
    const std::string& variable = path[0];
    if (IsByStep(variable)) {
      const bool by_history = path[1] == "history" && path.size() > 2;
      const std::string& step = by_history ? path[2] : path[1];
      if (workflow_.Find(step) >= 0 || IsOwnMember(step)) return;
      Add(text, absl::StrCat("names a step '", step, "' that there is not"), line,
          Meant(step, steps_));
    } else if (IsOwnMember(path[1])) {
      return;
    } else if (variable == "env") {
      const auto& declared = workflow_.env;
      if (std::find(declared.begin(), declared.end(), path[1]) != declared.end()) return;
      Add(text, absl::StrCat("names env.", path[1], ", which `env:` of the file does not"), line,
          "");
    } else if (variable == "inputs" && declares_inputs_) {
      if (workflow_.input_defaults.count(path[1]) > 0) return;
      Add(text, absl::StrCat("names inputs.", path[1], ", which `inputs:` of the file does not"),
          line, "");
    }
  }

  void AddUnknown(const Text& text, const std::string& name, int line) {
    std::string hint;
    if (workflow_.Find(name) >= 0) {
      const bool is_plain = std::all_of(name.begin(), name.end(), IsIdentifierByte);
      hint = absl::StrCat("; the output of the step is outputs",
                          is_plain ? absl::StrCat(".", name) : absl::StrCat("['", name, "']"));
    } else {
      hint = Meant(name, Variables(text));
      if (hint.empty()) hint = "; `inputs:` declares what callers give";
    }
    Add(text, absl::StrCat("names '", name, "', which nothing defines"), line, hint);
  }

  static std::vector<std::string> Variables(const Text& text) {
    return {text.variables->begin(), text.variables->end()};
  }

  static std::string Meant(const std::string& name, const std::vector<std::string>& known) {
    const std::string nearest = Nearest(name, known);
    return nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?");
  }

  // `line`: of the text. Each finding of a text is told once.
  void Add(const Text& text, const std::string& what, int line, const std::string& hint) {
    const std::string finding = absl::StrCat(text.place, " ", what);
    if (!seen_.insert(finding).second) return;
    lines_.push_back(absl::StrCat(file_, ":", text.line, ": ", ToUtf8(finding),
                                  line > 1 ? absl::StrCat(" (line ", line, ")") : "",
                                  ToUtf8(hint)));
  }

  const Workflow& workflow_;
  const std::string file_;
  const bool declares_inputs_;
  std::vector<std::string> steps_;
  // Variables: before the step works, also in templates; where its output is transformed by a
  // template; of scripts that are its work; once it has worked; of the report.
  std::set<std::string> before_;
  std::set<std::string> transformed_;
  std::set<std::string> at_work_;
  std::set<std::string> after_;
  std::set<std::string> report_;
  std::set<std::string> seen_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> CheckNames(const Workflow& workflow, const std::string& file,
                                    const std::set<std::string>& inputs) {
  return Checker(workflow, file, inputs).Run();
}

}  // namespace stile
