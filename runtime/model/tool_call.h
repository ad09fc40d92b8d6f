// What every reader and writer of tool calls needs, whatever the provider.
#ifndef STILE_RUNTIME_MODEL_TOOL_CALL_H_
#define STILE_RUNTIME_MODEL_TOOL_CALL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/model/message.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {

// Reads the argument text of a call: `call->arguments` when it is a JSON object (empty text counts
// as {}), else `call->malformed` says what is wrong.
void SetArguments(absl::string_view text, ToolCall* call);

// Says in every malformed call of a reply cut off by its length that this was the reason, and marks
// a last call whose arguments had not begun.
void MarkCutOffCalls(ModelReply* reply);

// Gives every call of `reply` an id that is neither empty nor used before in `request` or `reply`.
void MakeCallIdsUnique(const ModelRequest& request, ModelReply* reply);

// `name` in the letters that model APIs allow: dots and anything else outside [A-Za-z0-9_-] become
// '_', at most 64 characters, never empty.
std::string ProviderToolName(absl::string_view name);

// The parameters of `tool`; an object without properties if it has none.
Json ParameterSchema(const ToolDefinition& tool);
// {"type":"function","function":{…}}, as OpenAI and Ollama want a tool.
Json FunctionJson(const ToolDefinition& tool);

// What the model that now answers made of its own earlier reply: Message::provider_data if it is
// `endpoint`'s, or does not say whose it is; else null.
const Json& KeptData(const Message& message, const ProviderEndpoint& endpoint);

// "data:image/png;base64,…".
std::string DataUrl(const ImageData& image);

// Parses JSON from the wire; bytes that are not UTF-8 become U+FFFD first.
absl::StatusOr<Json> ParseWireJson(absl::string_view text);

Json ToolCallToJson(const ToolCall& call);

// All of a request that decides the reply, as JSON; equal requests give equal values.
Json ToJson(const ModelRequest& request);
std::string RequestSha256(const ModelRequest& request);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_TOOL_CALL_H_
