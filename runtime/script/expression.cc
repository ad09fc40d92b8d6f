#include "runtime/script/expression.h"

#include <utility>

#include "absl/strings/match.h"
#include "runtime/base/status.h"
#include "runtime/script/script_engine.h"

namespace stile {
namespace {

absl::StatusOr<ScriptResult> Run(ScriptRequestHeader::Form form, absl::string_view text,
                                 const ScriptGlobals& globals, const ScriptOptions& options) {
  return ScriptEngine::Shared().Run(
      {.form = form, .task = ScriptRequestHeader::kRun, .text = text, .globals = &globals},
      options);
}

absl::Status Check(ScriptRequestHeader::Form form, absl::string_view text,
                   const ScriptOptions& options) {
  return ScriptEngine::Shared()
      .Run({.form = form, .task = ScriptRequestHeader::kCheck, .text = text, .globals = nullptr},
           options)
      .status();
}

// See names.js.
absl::StatusOr<ScriptNames> Names(ScriptRequestHeader::Form form, absl::string_view text,
                                  const ScriptOptions& options) {
  STILE_ASSIGN_OR_RETURN(
      const ScriptResult result,
      ScriptEngine::Shared().Run(
          {.form = form, .task = ScriptRequestHeader::kNames, .text = text, .globals = nullptr},
          options));
  ScriptNames names;
  for (const Json& use : result.value.at("uses")) {
    names.uses.push_back(
        {use.at(2).get<std::vector<std::string>>(), use.at(0).get<int>(), use.at(1).get<bool>()});
  }
  for (const Json& text_at : result.value.at("returned")) {
    names.returned.push_back({text_at.at(1).get<std::string>(), text_at.at(0).get<int>()});
  }
  return names;
}

}  // namespace

absl::StatusOr<Json> Evaluate(absl::string_view text, const ScriptGlobals& globals,
                              const ScriptOptions& options) {
  STILE_ASSIGN_OR_RETURN(ScriptResult result,
                         Run(ScriptRequestHeader::kExpression, text, globals, options));
  return std::move(result.value);
}

absl::StatusOr<ScriptResult> RunScript(absl::string_view text, const ScriptGlobals& globals,
                                       const ScriptOptions& options) {
  return Run(ScriptRequestHeader::kBody, text, globals, options);
}

absl::Status CheckExpression(absl::string_view text, const ScriptOptions& options) {
  return Check(ScriptRequestHeader::kExpression, text, options);
}

absl::Status CheckScript(absl::string_view text, const ScriptOptions& options) {
  return Check(ScriptRequestHeader::kBody, text, options);
}

absl::StatusOr<ScriptNames> NamesInExpression(absl::string_view text,
                                              const ScriptOptions& options) {
  return Names(ScriptRequestHeader::kExpression, text, options);
}

absl::StatusOr<ScriptNames> NamesInScript(absl::string_view text, const ScriptOptions& options) {
  return Names(ScriptRequestHeader::kBody, text, options);
}

bool MayName(absl::string_view text, absl::string_view variable) {
  for (const absl::string_view way :
       {variable, absl::string_view("\\"), absl::string_view("this"), absl::string_view("This"),
        absl::string_view("eval"), absl::string_view("Function")}) {
    if (absl::StrContains(text, way)) return true;
  }
  return false;
}

bool IsTrue(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.is_null();
}

}  // namespace stile
