// Messages between Stile and the program that runs scripts (main.cc), over its standard streams.
// The program writes kScriptReady once it can run scripts, and then a reply to each request. Both
// programs are of one build, so numbers are in memory order.
#ifndef STILE_RUNTIME_SCRIPT_SCRIPT_PROTOCOL_H_
#define STILE_RUNTIME_SCRIPT_SCRIPT_PROTOCOL_H_

#include <cstdint>

namespace stile {

inline constexpr char kScriptReady = 'R';

// Followed by the text, then for each global: the sizes of its name and of its value (two
// uint64_t), its name, its value as JSON.
struct ScriptRequestHeader {
  enum Form : uint32_t {
    kExpression,  // gives the value of its last statement; with a `return`, as a body
    kBody,        // statements that give their result with `return`, and may change memory
  };
  enum Task : uint32_t {
    kRun,
    kCheck,  // parse, do not run
    kNames,  // find names; the value is what names.js gives
  };
  Form form;
  Task task;
  uint64_t time_ms;
  uint64_t memory_bytes;
  double now_ms;  // since 1970, for `new Date()`
  uint64_t text_bytes;
  uint64_t globals;
};

// Followed by two texts: the value as JSON (empty: none) or the message, and the effects as JSON
// {"memory": [[space, key, value], …], "log": [line, …]} (empty: none).
struct ScriptReplyHeader {
  enum Kind : uint64_t { kValue, kError, kTimeIsUp, kMemoryIsUp };
  Kind kind;
  uint64_t text_bytes;
  uint64_t effects_bytes;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SCRIPT_SCRIPT_PROTOCOL_H_
