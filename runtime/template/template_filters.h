// The filters of templates: `value | name: argument, argument`.
#ifndef STILE_RUNTIME_TEMPLATE_TEMPLATE_FILTERS_H_
#define STILE_RUNTIME_TEMPLATE_TEMPLATE_FILTERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/template/template_value.h"

namespace stile {

// InvalidArgument when there is no filter of the name, or it does not take so many arguments.
absl::Status CheckFilter(absl::string_view name, size_t arguments);

// As in Liquid (https://shopify.github.io/liquid/), and of Visor: json and to_json, parse_json,
// memory_get, shell_escape. InvalidArgument for a value that the filter is not for. `date` reads
// and writes UTC; for "now" it takes the time at which the run began.
absl::StatusOr<Json> ApplyFilter(absl::string_view name, const Json& value,
                                 const std::vector<Json>& arguments, const TemplateScope& scope);

// The number of characters (code points) of a text, or of members.
Json SizeOf(const Json& value);

}  // namespace stile

#endif  // STILE_RUNTIME_TEMPLATE_TEMPLATE_FILTERS_H_
