// Words for replies that cannot be used: unparsable, empty, cut off, refused.
#ifndef STILE_RUNTIME_AGENT_LOOP_UNUSABLE_REPLY_H_
#define STILE_RUNTIME_AGENT_LOOP_UNUSABLE_REPLY_H_

#include <string>

#include "runtime/model/message.h"

namespace stile {

// Both of a reply for which IsUnusable holds.
std::string UnusableText(const ModelReply& reply);         // why, for people
std::string UnusableObservation(const ModelReply& reply);  // what the model should do instead

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_UNUSABLE_REPLY_H_
