// What the providers' errors mean and what to do about them.
#ifndef STILE_RUNTIME_MODEL_PROVIDER_ERROR_H_
#define STILE_RUNTIME_MODEL_PROVIDER_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// The status for an answer from `url` that is not 2xx.
absl::Status HttpErrorStatus(const ProviderEndpoint& endpoint, absl::string_view url, int status,
                             absl::string_view body);

// The status for an error that came inside a stream after HTTP 200. `error` is the error object, or
// a string. Unavailable where trying again may help.
absl::Status StreamErrorStatus(const ProviderEndpoint& endpoint, const Json& error);

// What to do when no answer came from the endpoint, or an answer of something else: "; start it
// with …".
std::string UnreachableAdvice(const ProviderEndpoint& endpoint);
std::string WrongAnswerAdvice(const ProviderEndpoint& endpoint);

// The provider's own words in an error body: its message, else the first of the text.
std::string ErrorMessage(const ProviderEndpoint& endpoint, absl::string_view body);

// Whether an error says that this model or server knows no tools.
bool RefusesTools(const absl::Status& status);

// Whether an error says that the model answers at the other API of OpenAI: at Responses instead of
// Chat Completions, or the other way round.
bool WantsResponsesApi(const absl::Status& status);
bool WantsChatApi(const absl::Status& status);

// Whether an error body says that credit or quota is used up, which waiting does not mend.
bool IsQuotaExhausted(absl::string_view body);

// Whether an error body complains of the request's parameter `name`: as its "param", or by a
// message in which the name cannot be an ordinary word.
bool NamesParameter(absl::string_view body, absl::string_view name);

// The same error in other words; what else the status carries stays.
absl::Status WithMessage(const absl::Status& status, absl::string_view message);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PROVIDER_ERROR_H_
