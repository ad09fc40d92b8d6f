#include "agents/api/untrusted.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"

namespace stile {

std::string UntrustedText(const Config& config) {
  if (config.untrusted_validators.empty()) return "";
  return absl::StrCat(absl::StrJoin(config.untrusted_validators, ", "),
                      config.untrusted_validators.size() == 1 ? " does" : " do",
                      " not count, because this workspace is not trusted: nothing is judged as "
                      "declared there; read the file, then run: stile trust");
}

absl::Status CheckUntrusted(const Config& config) {
  if (!config.rejects_untrusted || config.untrusted_validators.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(UntrustedText(config),
                   " (gate.untrusted is reject; under report the run starts without them)"));
}

void AddUntrusted(const Config& config, Json* run_started) {
  for (const std::string& key : config.untrusted_validators) {
    (*run_started)["untrusted"].push_back(ToUtf8(key));
  }
}

void SayUntrusted(const Config& config, EventStream* events) {
  const std::string text = UntrustedText(config);
  if (text.empty()) return;
  events->Emit(Warning(ToUtf8(text)));
}

}  // namespace stile
