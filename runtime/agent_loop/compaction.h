// Shortening a conversation that has become too long for what is left of the budget. The oldest
// turns are left out; what must not be lost with them is kept as data, taken from the state of the
// run and not from its text.
#ifndef STILE_RUNTIME_AGENT_LOOP_COMPACTION_H_
#define STILE_RUNTIME_AGENT_LOOP_COMPACTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/agent_loop/budget.h"
#include "runtime/base/json.h"
#include "runtime/model/message.h"
#include "runtime/validation/validation_service.h"

namespace stile {

// Whether the next request comes near `context_limit` (0: none); or more than half of limits.tokens
// is used, and requests of that length leave only a few turns. `last`: of the last reply, behind
// which the messages after the last assistant's were added; what a provider does not count is
// estimated.
bool IsCompactionDue(const Budget& budget, int64_t context_limit, const Usage& last,
                     const std::vector<Message>& messages);

// The index of the first message that stays behind the first two (system, task): an assistant's,
// with as many of the last turns as leave out half of the rest. nullopt when too little is won.
std::optional<size_t> FirstKept(const std::vector<Message>& messages);

// What stands for the messages from the third one up to `first_kept`, and for those that `before`
// (an earlier record; null: none) stood for:
//
//   {turns_left_out, plan: the model's first words, notes: [its latest ones], files: [that its
//   calls named], changed: [paths], validation: {verdict, summary, errors: [one line each],
//   missing: [what keeps the gate shut]} | null}
//
// `first_kept` is of FirstKept.
Json MakeContextRecord(const std::vector<Message>& messages, size_t first_kept, const Json& before,
                       const std::vector<std::string>& changed,
                       const std::optional<ValidationReport>& last_report);

// Whether the record is so short that it is worth it. An earlier record counts as nothing won.
bool IsWorthwhile(const std::vector<Message>& messages, size_t first_kept, const Json& record);

// Puts the record in their place. False, and nothing is done, when `first_kept` does not fit.
bool LeaveOut(size_t first_kept, const Json& record, std::vector<Message>* messages);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_COMPACTION_H_
