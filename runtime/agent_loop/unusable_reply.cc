#include "runtime/agent_loop/unusable_reply.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {

std::string UnusableText(const ModelReply& reply) {
  const std::string text = TruncateMiddle(reply.text, 500);
  switch (reply.finish_reason) {
    case FinishReason::kRefusal:
      return absl::StrCat("the model refuses", text.empty() ? "" : ": ", text);
    case FinishReason::kContentFilter:
      return absl::StrCat("the provider's content filter stopped the reply",
                          text.empty() ? "" : ": ", text);
    case FinishReason::kLength:
      return absl::StrCat("the reply was cut off by its length limit", text.empty() ? "" : ": ",
                          text);
    default:
      return text.empty() ? "the reply holds neither text nor a tool call" : text;
  }
}

std::string UnusableObservation(const ModelReply& reply) {
  if (!reply.unparsable.empty()) return reply.unparsable;
  switch (reply.finish_reason) {
    case FinishReason::kLength:
      return "Your reply was cut off by its length limit and is no finish. Answer shorter: call "
             "one "
             "tool, or finish.";
    case FinishReason::kContentFilter:
      return "Your reply was stopped by the provider's content filter. Go on with a tool call, or "
             "finish.";
    case FinishReason::kRefusal:
      return "You declined. If the task cannot be done, call finish with status gave_up and the "
             "reason; else go on.";
    default:
      return "Your reply was empty. Call a tool, or finish.";
  }
}

}  // namespace stile
