#include "runtime/agent_loop/run_result.h"

#include "runtime/base/text.h"

namespace stile {

Json ToJson(const RunResult& result) {
  Json changed = Json::array();
  for (const std::string& path : result.changed) changed.push_back(ToUtf8(path));
  Json certificate;
  if (result.certificate.has_value()) {
    certificate = {{"path", result.certificate->path}, {"sha256", result.certificate->sha256}};
  }
  Json json = {{"outcome", std::string(RunStateName(result.outcome))},
               {"reason", std::string(StopReasonName(result.reason))},
               {"message", ToUtf8(result.message)},
               {"exit_code", result.exit_code()},
               {"answer", ToUtf8(result.answer)},
               {"changed", std::move(changed)},
               {"certificate", std::move(certificate)},
               {"usage", ToJson(result.usage)},
               {"turns", result.turns},
               {"failures", result.failures},
               {"tools_used", result.tools_used},
               {"duration_ms", absl::ToInt64Milliseconds(result.duration)}};
  if (result.is_final) json["final"] = true;
  if (result.stays_open) json["open"] = true;
  if (result.is_external) json["external"] = true;
  if (result.body_exit_code.has_value()) json["body_exit_code"] = *result.body_exit_code;
  for (const std::string& key : result.untrusted) json["untrusted"].push_back(ToUtf8(key));
  return json;
}

absl::StatusOr<RunResult> RunResultFromJson(const Json& json) {
  RunResult result;
  const std::string outcome = JsonString(json, "outcome").value_or("");
  const std::string reason = JsonString(json, "reason").value_or("");
  bool known = false;
  for (const RunState state :
       {RunState::kSucceeded, RunState::kUnchanged, RunState::kUngated, RunState::kFailed}) {
    if (RunStateName(state) != outcome) continue;
    result.outcome = state;
    known = true;
  }
  if (!known) return absl::DataLossError("stored result without a known outcome");
  for (int i = 0; i <= static_cast<int>(StopReason::kRefused); ++i) {
    const auto candidate = static_cast<StopReason>(i);
    if (StopReasonName(candidate) == reason) result.reason = candidate;
  }
  result.message = JsonString(json, "message").value_or("");
  result.answer = JsonString(json, "answer").value_or("");
  result.is_final = JsonBool(json, "final").value_or(false);
  if (const Json* changed = JsonMember(json, "changed"); changed && changed->is_array()) {
    for (const Json& path : *changed) {
      if (path.is_string()) result.changed.push_back(path.get<std::string>());
    }
  }
  if (const Json* untrusted = JsonMember(json, "untrusted"); untrusted && untrusted->is_array()) {
    for (const Json& key : *untrusted) {
      if (key.is_string()) result.untrusted.push_back(key.get<std::string>());
    }
  }
  if (const Json* certificate = JsonMember(json, "certificate");
      certificate && certificate->is_object()) {
    result.certificate = RunResult::CertificateRef{JsonString(*certificate, "path").value_or(""),
                                                   JsonString(*certificate, "sha256").value_or("")};
  }
  if (const Json* usage = JsonMember(json, "usage")) {
    result.usage.input_tokens = JsonInt(*usage, "input_tokens").value_or(0);
    result.usage.output_tokens = JsonInt(*usage, "output_tokens").value_or(0);
    result.usage.cached_tokens = JsonInt(*usage, "cached_tokens").value_or(0);
    result.usage.cost_usd = JsonNumber(*usage, "cost_usd").value_or(0);
  }
  if (const Json* used = JsonMember(json, "tools_used"); used && used->is_object()) {
    for (const auto& [name, times] : used->items()) {
      if (times.is_number_integer()) result.tools_used[name] = times.get<int>();
    }
  }
  result.turns = static_cast<int>(JsonInt(json, "turns").value_or(0));
  result.is_external = JsonBool(json, "external").value_or(false);
  if (const auto code = JsonInt(json, "body_exit_code")) {
    result.body_exit_code = static_cast<int>(*code);
  }
  result.failures = static_cast<int>(JsonInt(json, "failures").value_or(0));
  result.duration = absl::Milliseconds(JsonInt(json, "duration_ms").value_or(0));
  return result;
}

}  // namespace stile
