#ifndef STILE_RUNTIME_MODEL_TEXT_REPLY_PARSER_H_
#define STILE_RUNTIME_MODEL_TEXT_REPLY_PARSER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/model/message.h"

namespace stile {

enum class TextForm {
  kReAct,  // Thought: / Action: / Action Input: / Final Answer:
  kJson,   // {"thought", "action", "action_input"}
};

struct TextReply {
  std::string thought;
  std::vector<ToolCall> calls;  // ids empty; a final answer is the call finish{answer}
  std::string kept;             // the reply without what followed its calls (made-up observations)
  std::string unparsable;       // set when the reply fits no form; `calls` is then empty
};

// Reads the reply of a model that was asked for `form`; the other form is understood too. Tolerant
// of code fences, markdown around labels, prose around JSON, single quotes and raw line breaks in
// JSON; what it cannot read for certain is reported, never guessed. `cut_off`: the reply ended at
// the output limit, so an answer at its end is not final. Never fails.
TextReply ParseTextReply(absl::string_view text, TextForm form, bool cut_off);

// The instructions that make a model answer in `form`.
std::string TextFormInstructions(TextForm form);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_TEXT_REPLY_PARSER_H_
