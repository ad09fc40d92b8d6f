// Whether a model can be asked, before anything begins.
#ifndef STILE_AGENTS_API_MODEL_CHECKS_H_
#define STILE_AGENTS_API_MODEL_CHECKS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agents/api/agent.h"
#include "agents/api/config.h"
#include "runtime/agent_loop/budget.h"
#include "runtime/model/chat_model.h"
#include "runtime/model/model_settings.h"

namespace stile {

// Whether a provider may be asked for `model` ("": of a profile). FailedPrecondition where the
// workspace's own `base_url` does not count: then the request would go to another address.
absl::Status CheckModelAddress(const Config& config, absl::string_view model);

// Whether `settings.model` can be asked, before anything begins: it is named, its provider is
// known, its key is set, and its address counts. Nothing is sent, and no cassette is opened.
// InvalidArgument, FailedPrecondition: what is missing.
absl::Status CheckModelSettings(const AgentOptions& options, const ModelSettings& settings);

// Where `limits` hold a cost, the price of `model` must be known. InvalidArgument says how to set
// it.
absl::Status CheckPrice(const RunLimits& limits, const ModelSettings& settings,
                        const ChatModel& model);

}  // namespace stile

#endif  // STILE_AGENTS_API_MODEL_CHECKS_H_
