// From an old list of parameters to a new one.
#ifndef STILE_TOOLS_REFACTOR_PARAMETER_MAPPING_H_
#define STILE_TOOLS_REFACTOR_PARAMETER_MAPPING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/language/method_signature.h"

namespace stile {

// One parameter of the new list.
struct MappedParameter {
  Parameter parameter;
  int old = -1;            // its place among the old ones, without self; -1: new
  std::string call_value;  // what calls pass for a new one; "": its default
  // The default of the old one, if the new one has another or none: what calls mean that leave the
  // argument out.
  std::string lost_default;
  bool renamed = false;
};

struct ParameterMapping {
  std::vector<Parameter> before;       // without self
  std::vector<MappedParameter> after;  // without self
  std::string self;                    // as it is written; "" for none
};

// By name; a new name in the place of one that went is that one renamed. InvalidArgument for a new
// parameter without a value, FailedPrecondition for one that takes any number of arguments.
absl::StatusOr<ParameterMapping> MapParameters(const LanguageFamily& family,
                                               const std::vector<Parameter>& before,
                                               const std::vector<Parameter>& after);

// As it is declared: without a value that calls pass, and without any unless `says_defaults`.
std::string DeclaredText(const LanguageFamily& family, const MappedParameter& target,
                         bool says_defaults);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PARAMETER_MAPPING_H_
