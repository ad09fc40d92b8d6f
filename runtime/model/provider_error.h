// What the providers' errors mean and what to do about them.
#ifndef STILE_RUNTIME_MODEL_PROVIDER_ERROR_H_
#define STILE_RUNTIME_MODEL_PROVIDER_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// The status for an answer that is not 2xx.
absl::Status HttpErrorStatus(const ProviderEndpoint& endpoint, int status, absl::string_view body);

// The status for an error that came inside a stream after HTTP 200. `error` is the error object, or
// a string. Unavailable where trying again may help.
absl::Status StreamErrorStatus(const ProviderEndpoint& endpoint, const Json& error);

// The provider's own words in an error body: its message, else the first of the text.
std::string ErrorMessage(const ProviderEndpoint& endpoint, absl::string_view body);

// Whether an error says that this model or server knows no tools.
bool RefusesTools(const absl::Status& status);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_ERROR_H_
