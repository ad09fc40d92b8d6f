// What runs say and do of settings that do not count without trust (trust.h).
#ifndef STILE_AGENTS_API_UNTRUSTED_H_
#define STILE_AGENTS_API_UNTRUSTED_H_

#include <string>

#include "absl/status/status.h"
#include "agents/api/config.h"
#include "runtime/base/json.h"
#include "runtime/event/event.h"

namespace stile {

// What runs say of Config::untrusted_validators; "" where there is nothing to say.
std::string UntrustedText(const Config& config);
// FailedPrecondition where they keep a run from starting (gate.untrusted: reject).
absl::Status CheckUntrusted(const Config& config);
// In run_started, as `untrusted`, and as an event of its own.
void AddUntrusted(const Config& config, Json* run_started);
void SayUntrusted(const Config& config, EventStream* events);

}  // namespace stile

#endif  // STILE_AGENTS_API_UNTRUSTED_H_
