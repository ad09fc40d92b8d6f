#include "runtime/base/ordered_json.h"

#include "runtime/base/json.h"
#include "runtime/base/status.h"

namespace stile {

absl::StatusOr<OrderedJson> ParseOrderedJson(absl::string_view text) {
  STILE_RETURN_IF_ERROR(ParseJsonStrict(text).status());
  return OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string DumpOrderedJson(const OrderedJson& value, int indent) {
  return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace stile
