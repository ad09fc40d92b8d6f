// Tool calls that a model writes into its text, though its server should have read them.
#ifndef STILE_RUNTIME_MODEL_TEXT_TOOL_CALLS_H_
#define STILE_RUNTIME_MODEL_TEXT_TOOL_CALLS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/model/message.h"

namespace stile {

struct TextToolCalls {
  std::string text;             // what stands before the first call, without thinking
  std::vector<ToolCall> calls;  // without ids
  // A call was begun and cannot be read: what is wrong, fit for the model. `calls` is then empty.
  std::string unparsable;
};

// Reads calls in the forms that open models were trained on: <tool_call>{"name", "arguments"}
// </tool_call> (Hermes, Qwen), <tool_call><function=NAME><parameter=KEY>…, with or without the
// outer tag (Qwen3-Coder), [TOOL_CALLS][{…}] and [TOOL_CALLS]NAME[ARGS]{…} (Mistral); and, if they
// name some of `tools` and nothing follows them, JSON objects {"name", "arguments"} that stand
// alone or in code fences. nullopt: the text holds none of it, and is an answer.
std::optional<TextToolCalls> ReadTextToolCalls(absl::string_view text,
                                               const std::vector<ToolDefinition>& tools);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_TEXT_TOOL_CALLS_H_
