// Expressions of workflows: ECMAScript 5 (Duktape), each in a fresh context that can do nothing but
// compute. The only file that knows the engine is expression.cc.
#ifndef STILE_RUNTIME_WORKFLOW_EXPRESSION_H_
#define STILE_RUNTIME_WORKFLOW_EXPRESSION_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"

namespace stile {

struct ScriptLimits {
  absl::Duration time = absl::Seconds(2);
  size_t memory_bytes = size_t{64} << 20;
  size_t text_bytes = size_t{256} << 10;
};

// Global variables of a script, by name.
using ScriptGlobals = std::map<std::string, Json>;

// The value of an expression, or of the last statement; what JSON has no word for (undefined, NaN,
// a function) is null. Beside `globals` and the language's own objects it sees
//
//   any(list, test)  all(list, test)  none(list, test)  count(list, test)
//
// where `list` may be missing (empty), an object (its values) or one value, and `test` is a
// function, or left out: whether the item itself is true.
//
// InvalidArgument: it does not parse, throws, or is too long; the message has the line.
// DeadlineExceeded after limits.time, however the script spends it. ResourceExhausted beyond the
// memory. Thread-safe; runs in a thread of its own. One that cannot be interrupted (a loop inside
// of the engine) is left to itself when its time is up; while several are, nothing else is
// evaluated (ResourceExhausted).
absl::StatusOr<Json> Evaluate(absl::string_view text, const ScriptGlobals& globals,
                              const ScriptLimits& limits = {});

// The same for statements that give their result with `return`.
absl::StatusOr<Json> RunScript(absl::string_view text, const ScriptGlobals& globals,
                               const ScriptLimits& limits = {});

// InvalidArgument with the line when the text does not parse; nothing runs.
absl::Status CheckExpression(absl::string_view text, const ScriptLimits& limits = {});
absl::Status CheckScript(absl::string_view text, const ScriptLimits& limits = {});

// Whether the text may name the variable: what it cannot name need not be handed over.
bool MayName(absl::string_view text, absl::string_view variable);

// As in JavaScript: null, false, 0 and "" are not true.
bool IsTrue(const Json& value);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_EXPRESSION_H_
