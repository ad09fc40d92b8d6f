// What is set about a model, what it costs, and what requests used.
#ifndef STILE_RUNTIME_MODEL_MODEL_SETTINGS_H_
#define STILE_RUNTIME_MODEL_MODEL_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"

namespace stile {

// US dollars for a million tokens, at the standard tier of short contexts.
struct ModelPrice {
  double input = 0;
  double cached = 0;       // input read from the provider's cache
  double cache_write = 0;  // input written to the provider's cache
  double output = 0;       // reasoning included
};

// The model of another program that runs Stile, such as the host of its MCP server. Models named
// "sampling:" or "sampling:HINT" are asked by it.
struct Sampling {
  // Takes the params of `sampling/createMessage` of the Model Context Protocol (revision
  // 2025-11-25), and gives the result. Blocks; may be called on any thread. PermissionDenied: the
  // user of the other program refused. Empty: there is none.
  std::function<absl::StatusOr<Json>(const Json& params)> create_message;
  bool has_tools = false;  // whether it takes `tools`
};

// What --model, --base-url, the configuration and the environment say about a model.
struct ModelSettings {
  std::string model;     // "PROVIDER:MODEL", e.g. "anthropic:claude-sonnet-4-5", "replay:FILE"
  std::string base_url;  // "" : the provider's variable in `environment`, then its public address
  std::string protocol = "auto";  // auto | native | json | text
  std::string api;                // "" : by the model; else chat | responses (of OpenAI)
  std::string effort;             // "" : the model's own; else low | medium | high
  std::string fallback;           // "" | "PROVIDER:MODEL" that answers while `model` is overloaded
  std::map<std::string, std::string> headers;  // added to every request; "${NAME}" is a variable
  std::map<std::string, std::string> query;    // added to every address; likewise
  std::string ca_file;                         // "" : SSL_CERT_FILE, CURL_CA_BUNDLE, the system's
  std::string client_certificate;              // PEM; "" for none
  std::string client_key;                      // PEM; "" : in the certificate's file
  std::map<std::string, ModelPrice> prices;    // by "PROVIDER:MODEL"; overrules the catalogue
  std::string record_file;                     // "" : do not record
  bool replay_strict = false;                  // a recorded request that differs ends the run
  absl::Duration timeout = absl::Seconds(600);
  size_t replay_skip = 0;      // replay: replies an interrupted run consumed before this process
  std::string cassette_step;   // replay:DIR plays DIR/<this>.jsonl
  int64_t context_tokens = 0;  // Ollama's num_ctx; 0: 65 536, its own default being too small
  Sampling sampling;
};

// What requests used.
struct Usage {
  int64_t input_tokens = 0;  // everything sent, cached or not
  int64_t output_tokens = 0;
  int64_t cached_tokens = 0;  // part of input_tokens served from the provider's cache
  double cost_usd = 0;        // 0 where no price is known

  Usage& operator+=(const Usage& other);
  int64_t total() const { return input_tokens + output_tokens; }
};

Json ToJson(const Usage& usage);
// InvalidArgument for what is no usage.
absl::StatusOr<Usage> UsageFromJson(const Json& json);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_MODEL_SETTINGS_H_
