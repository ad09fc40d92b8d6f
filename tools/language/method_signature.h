// The head of a function as somebody wrote it down for us: whole, or only its parameters, in the
// spelling of the language or nearly so.
#ifndef STILE_TOOLS_LANGUAGE_METHOD_SIGNATURE_H_
#define STILE_TOOLS_LANGUAGE_METHOD_SIGNATURE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/language/brackets.h"
#include "tools/language/language_family.h"

namespace stile {

struct MethodSignature {
  std::vector<std::string> attributes;  // decorators and attributes, each as it is written
  std::vector<std::string> modifiers;
  std::string receiver;    // of Go, without parentheses
  std::string returns;     // "" where nothing was said
  std::string name;        // "" where nothing was said
  std::string generics;    // with its brackets
  std::string parameters;  // without parentheses
  std::string suffix;      // throws, where, const
  std::optional<std::string> body;
  bool body_is_expression = false;  // `=> x` of C#: written as such again
  bool touches_type = false;        // `int *find`
  bool only_parameters = false;     // nothing stood before them

  bool HasModifier(absl::string_view word) const;
  bool HasAnyOf(const std::vector<std::string>& words) const;
};

// "" gives an empty head. `wanted` is the name that the caller knows already, which tells a lone
// name from a lone parameter. InvalidArgument, fit for a model, for brackets that do not close.
absl::StatusOr<MethodSignature> ParseMethodSignature(const LanguageFamily& family,
                                                     absl::string_view signature,
                                                     absl::string_view wanted = "");

// The head in the language's own order, without body.
std::string WriteSignature(const LanguageFamily& family, const MethodSignature& header);

// One of the parameters of a list.
struct Parameter {
  std::string name;
  std::string type;   // "" where none is written
  std::string value;  // its default
  std::string text;   // as written
  bool is_self = false;
};
std::vector<Parameter> ParseParameters(const LanguageFamily& family, absl::string_view parameters);

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_METHOD_SIGNATURE_H_
