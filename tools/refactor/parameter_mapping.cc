#include "tools/refactor/parameter_mapping.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

bool IsVariadic(const Parameter& parameter) {
  return absl::StrContains(parameter.text, "...") || absl::StartsWith(parameter.text, "*") ||
         absl::StrContains(parameter.text, "params ");
}

// A new one keeps its default where nothing without one follows; else calls pass the value.
void SetCallValues(bool has_defaults, std::vector<MappedParameter>* parameters) {
  bool trailing = has_defaults;
  for (auto target = parameters->rbegin(); target != parameters->rend(); ++target) {
    if (target->old >= 0) {
      trailing = trailing && !target->parameter.value.empty();
    } else if (!trailing) {
      target->call_value = target->parameter.value;
    }
  }
}

}  // namespace

absl::StatusOr<ParameterMapping> MapParameters(const LanguageFamily& family,
                                               const std::vector<Parameter>& before,
                                               const std::vector<Parameter>& after) {
  ParameterMapping mapping;
  for (const Parameter& parameter : before) {
    if (parameter.is_self) {
      mapping.self = parameter.text;
      continue;
    }
    if (IsVariadic(parameter)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the parameter ", parameter.text, " takes any number of arguments; use file.modify"));
    }
    mapping.before.push_back(parameter);
  }
  std::set<std::string> names;
  std::set<std::string> used;
  for (const Parameter& parameter : after) names.insert(parameter.name);
  const auto find = [&](const std::string& name) {
    for (size_t i = 0; i < mapping.before.size(); ++i) {
      if (mapping.before[i].name == name) return static_cast<int>(i);
    }
    return -1;
  };
  for (const Parameter& parameter : after) {
    if (parameter.is_self) continue;
    if (IsVariadic(parameter)) {
      return absl::FailedPreconditionError("a list of any length cannot be added; use file.modify");
    }
    MappedParameter target;
    target.parameter = parameter;
    target.old = find(parameter.name);
    const size_t place = mapping.after.size();
    const bool replaces =
        target.old < 0 && parameter.value.empty() && place < mapping.before.size() &&
        names.count(mapping.before[place].name) == 0 && used.count(mapping.before[place].name) == 0;
    if (replaces) {
      target.old = static_cast<int>(place);
      target.renamed = true;
      used.insert(mapping.before[place].name);
    }
    if (target.old < 0 && parameter.value.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("give the value that calls pass for the new parameter ", parameter.name,
                       ": ", parameter.text, " = VALUE"));
    }
    if (target.old >= 0) {
      const std::string& before_value = mapping.before[static_cast<size_t>(target.old)].value;
      if (before_value != parameter.value) target.lost_default = before_value;
    }
    mapping.after.push_back(std::move(target));
  }
  SetCallValues(LanguageBackendOf(family.language).naming.has_default_arguments, &mapping.after);
  return mapping;
}

std::string DeclaredText(const LanguageFamily& family, const MappedParameter& target,
                         bool says_defaults) {
  const bool strip =
      !says_defaults ||
      (target.old < 0 && (!target.call_value.empty() ||
                          !LanguageBackendOf(family.language).naming.has_default_arguments));
  if (!strip) return target.parameter.text;
  const size_t equals = target.parameter.text.find('=');
  return std::string(absl::StripAsciiWhitespace(target.parameter.text.substr(0, equals)));
}

}  // namespace stile
