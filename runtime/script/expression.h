// Expressions and scripts of workflows: ECMAScript 2022 (SpiderMonkey), each in a fresh realm that
// can do nothing but compute. The engine runs in a process of its own (main.cc), which starts with
// the first script.
#ifndef STILE_RUNTIME_SCRIPT_EXPRESSION_H_
#define STILE_RUNTIME_SCRIPT_EXPRESSION_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"

namespace stile {

struct ScriptOptions {
  absl::Duration time = absl::Seconds(2);
  size_t memory_bytes = size_t{64} << 20;  // beyond what the engine itself takes
  size_t text_bytes = size_t{256} << 10;
  // What `new Date()` says. The same in all scripts of a run, so that a resumed run decides alike.
  absl::Time now = absl::UnixEpoch();
};

// Global variables of a script, by name.
using ScriptGlobals = std::map<std::string, Json>;

// The global that gives a script `memory`: {"namespace": its default, "spaces": {name: {key:
// value}}}. The script sees the values of the default namespace as members of `memory`, and get,
// has, list, getAll, set, append, increment, delete and clear with (key, …, namespace).
inline constexpr absl::string_view kMemoryGlobal = "$memory";

struct ScriptResult {
  // Of the last statement or `return`. Undefined, NaN and functions are null.
  Json value;
  // What it did to memory, in this order. A null value: the key is deleted.
  struct Write {
    std::string space;
    std::string key;
    Json value;
    bool deletes = false;
  };
  std::vector<Write> writes;
  std::vector<std::string> log;  // lines of log() and console.log()
};

// The value of an expression, or of the last statement; of text that has a `return`, that of a
// function body. Beside `globals` and the language's own objects it sees
//
//   any(list, test)  all(list, test)  none(list, test)  one(list, test)  count(list, test)
//   contains  startsWith  endsWith  length  hasIssue  countIssues  hasFileMatching  always …
//
// where `list` may be missing (empty), an object (its values) or one value, and `test` is a
// function, or left out: whether the item itself is true. It may not change memory.
//
// InvalidArgument: it does not parse, throws, or is too long; the message has the line.
// DeadlineExceeded after options.time, however the script spends it. ResourceExhausted beyond the
// memory. NotFound and Internal: the engine cannot be started; the message says where it was looked
// for. Thread-safe; blocks for at most options.time and two seconds, once the engine has started;
// concurrent calls wait for each other.
absl::StatusOr<Json> Evaluate(absl::string_view text, const ScriptGlobals& globals,
                              const ScriptOptions& options = {});

// The same for statements that give their result with `return`, which may change memory.
absl::StatusOr<ScriptResult> RunScript(absl::string_view text, const ScriptGlobals& globals,
                                       const ScriptOptions& options = {});

// InvalidArgument with the line when the text does not parse; nothing runs.
absl::Status CheckExpression(absl::string_view text, const ScriptOptions& options = {});
absl::Status CheckScript(absl::string_view text, const ScriptOptions& options = {});

// Names in a script, found without running it.
struct ScriptNames {
  // A variable that neither the script nor the language nor prelude.js defines, with the members
  // that are named behind it as constants: `outputs["build"].x` is {"outputs", "build", "x"}.
  struct Use {
    std::vector<std::string> path;
    int line = 1;
    bool is_guarded = false;  // the script asks for `typeof` the variable
  };
  std::vector<Use> uses;  // none where the script makes variables as it runs: `eval`, `with`
  // Constant texts that a script returns, alone, in a list or as one side of `?:`, `||` and `&&`.
  struct Text {
    std::string text;
    int line = 1;
  };
  std::vector<Text> returned;
};
// The errors are those of Check….
absl::StatusOr<ScriptNames> NamesInExpression(absl::string_view text,
                                              const ScriptOptions& options = {});
absl::StatusOr<ScriptNames> NamesInScript(absl::string_view text,
                                          const ScriptOptions& options = {});

// Whether the text may name the variable: what it cannot name need not be handed over.
bool MayName(absl::string_view text, absl::string_view variable);

// As in JavaScript: null, false, 0 and "" are not true.
bool IsTrue(const Json& value);

}  // namespace stile

#endif  // STILE_RUNTIME_SCRIPT_EXPRESSION_H_
