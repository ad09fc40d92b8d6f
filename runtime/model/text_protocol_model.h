#ifndef STILE_RUNTIME_MODEL_TEXT_PROTOCOL_MODEL_H_
#define STILE_RUNTIME_MODEL_TEXT_PROTOCOL_MODEL_H_

#include <memory>

#include "runtime/model/chat_model.h"
#include "runtime/model/text_reply_parser.h"

namespace stile {

struct TextProtocolOptions {
  TextForm form = TextForm::kReAct;
  // Use native tool calls until the provider refuses them (info().native_tools of the inner model
  // turns false), then text for the rest of the conversation. Calls that arrive as text all the
  // same are read (text_tool_calls.h).
  bool native_first = false;
  // False: the request goes to the inner model as it is, and only its replies are read as text. For
  // cassettes, which do not look at the request.
  bool render_request = true;
};

// Tool calls in plain text, for models without native ones: tools are described in the system
// message, calls are read from the reply, results go back as "Observation:" messages. A reply that
// fits no form comes back with ModelReply::unparsable set. A reply of the inner model that has tool
// calls already passes unchanged.
std::unique_ptr<ChatModel> NewTextProtocolModel(std::unique_ptr<ChatModel> inner,
                                                TextProtocolOptions options);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_TEXT_PROTOCOL_MODEL_H_
