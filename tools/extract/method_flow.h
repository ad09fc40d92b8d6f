// What goes into a range of statements and what comes out of it.
#ifndef STILE_TOOLS_EXTRACT_METHOD_FLOW_H_
#define STILE_TOOLS_EXTRACT_METHOD_FLOW_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/extract/selection.h"

namespace stile {

struct FlowVariable {
  int binding = -1;
  std::string name;
  bool declared_inside = false;  // by the statements: who comes after them needs it declared
  bool is_input = false;
  bool is_output = false;
  bool needs_local = false;  // assigned inside before it is read, and declared outside
};

struct StatementFlow {
  std::vector<FlowVariable> variables;  // inputs, outputs or both, in the order of first use
  bool returns_value = false;  // every way through ends in a return, and the last statement is one
  bool returns_nothing = false;  // `return;` at places, and nothing comes after the statements
  bool awaits = false;
  bool uses_this = false;  // this, super, base, self or the receiver

  std::vector<FlowVariable> Inputs() const;
  std::vector<FlowVariable> Outputs() const;
};

// FailedPrecondition, with line and reason, where the statements cannot stand elsewhere: they jump
// out of themselves, yield, or change what a closure captured. `receiver` is the binding of self or
// of a Go receiver, -1 for none: it is neither input nor output.
absl::StatusOr<StatementFlow> AnalyzeFlow(const SourceFile& file, const SyntaxTree& tree,
                                          const StatementRange& range, TSNode function,
                                          int receiver);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_METHOD_FLOW_H_
