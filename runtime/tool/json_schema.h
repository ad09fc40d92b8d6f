// JSON Schema (draft 7) by valijson, which is used only in json_schema.cc, with its exceptions
// contained.
#ifndef STILE_RUNTIME_TOOL_JSON_SCHEMA_H_
#define STILE_RUNTIME_TOOL_JSON_SCHEMA_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/base/json.h"

namespace stile {

// A compiled schema. Immutable, thread-safe. Only for schemas that callers have checked or written
// themselves: valijson bounds neither references in a circle nor regular expressions. Such a schema
// can exhaust the stack, or run without a limit of time.
class JsonSchema {
 public:
  // Never fails: a schema that cannot be compiled keeps the reason in status().
  explicit JsonSchema(const Json& schema);
  ~JsonSchema();

  // InvalidArgument when the schema itself is unusable.
  const absl::Status& status() const { return status_; }

  // Whether it fits; an unusable schema fits nothing. Stops at the first defect, whereas Violations
  // takes memory for all there are.
  bool Fits(const Json& value) const;

  // What is wrong with `value`, one line each, as "path: reason" ("" for the root); empty when it
  // fits. An unusable schema finds its own defect in every value.
  std::vector<std::string> Violations(const Json& value) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  absl::Status status_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_JSON_SCHEMA_H_
