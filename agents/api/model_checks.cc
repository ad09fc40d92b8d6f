#include "agents/api/model_checks.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"

namespace stile {

absl::Status CheckModelAddress(const Config& config, absl::string_view model) {
  if (config.untrusted_base_url.empty() || absl::StartsWith(model, "replay:")) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      config.untrusted_base_url,
      ": base_url is ignored, because this workspace is not trusted, and no model is asked at "
      "another address; read the file, then run: stile trust (or give --base-url)"));
}

absl::Status CheckModelSettings(const AgentOptions& options, const ModelSettings& settings) {
  if (absl::StartsWith(settings.model, "replay:")) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckModelAddress(options.config, settings.model));
  return NewChatModel(settings, options.environment, SystemClock()).status();
}

absl::Status CheckPrice(const RunLimits& limits, const ModelSettings& settings,
                        const ChatModel& model) {
  // Replies of a cassette say their cost.
  if (limits.cost_usd <= 0 || absl::StartsWith(settings.model, "replay:") ||
      model.info().price.has_value()) {
    return absl::OkStatus();
  }
  const std::string name = settings.fallback.empty()
                               ? settings.model
                               : absl::StrCat(settings.model, " or of ", settings.fallback);
  return absl::InvalidArgumentError(absl::StrCat(
      "limits.cost_usd cannot be held: the price of ", name,
      " is not known. Set it in the user's configuration, in dollars for a million tokens: "
      "prices: {\"",
      settings.model, "\": {input: 1, output: 2}}; or leave the limit out"));
}

}  // namespace stile
