// Which statements and expressions a range of lines means, and what is around them.
#ifndef STILE_TOOLS_EXTRACT_SELECTION_H_
#define STILE_TOOLS_EXTRACT_SELECTION_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/validation/validation_service.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// Asks compilers about a plan that is not kept; see ValidationService::Probe. Empty: nobody can be
// asked.
using ProbeEdits = std::function<absl::StatusOr<ProbeReport>(const EditPlan&)>;

struct ByteSpan {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool Holds(uint32_t at) const { return at >= begin && at < end; }
};

// From the first byte that is no blank to the last, of lines counted from 1. InvalidArgument where
// there is nothing.
absl::StatusOr<ByteSpan> SpanOfLines(const SourceFile& file, int start_line, int end_line);

// InvalidArgument for a tree so deep that asking nodes for their parents would take minutes.
absl::Status CheckDepth(const SyntaxTree& tree);

bool IsStatementContainer(TSNode node);  // a block, a case, a module: it holds statements in a row
bool IsFunctionNode(TSNode node);        // methods, closures, constructors, accessors
bool IsLoopNode(TSNode node);

// The node whose parent is a container, at or above; null where something else (an `if` without
// braces, the body of an arrow) comes before one.
TSNode StatementAround(TSNode node);
// Whether something must stand in the place of the statement: it is all of a block that cannot be
// empty, or of an `if` or a loop without braces.
bool IsOnlyStatement(const SourceFile& file, TSNode statement);
// The innermost function around, or null.
TSNode FunctionAround(TSNode node);
// The outermost function around that is a member of a type or stands at the top.
TSNode MemberAround(TSNode node);

struct StatementRange {
  std::vector<TSNode> statements;  // in a row, of one container
  ByteSpan span;                   // with comments between
};

// The statements that the lines hold. InvalidArgument where the lines cut one, with its own lines.
absl::StatusOr<StatementRange> StatementsIn(const SourceFile& file, const SyntaxTree& tree,
                                            int start_line, int end_line);

// Every use of names inside a span that are bound by the file, with the binding.
struct BoundUse {
  Occurrence occurrence;
  int binding = -1;
};
std::vector<BoundUse> UsesIn(const SourceFile& file, ByteSpan span);
// Every use of a binding, its own declarations included.
std::vector<Occurrence> UsesOf(const SourceFile& file, int binding);

// Whether the identifier there gets a value: assigned, counted up, declared, passed by reference.
bool IsWrite(const SyntaxTree& tree, const Occurrence& occurrence, absl::string_view text);

// Whether evaluating it may do more than give a value: calls, assignments, increments, awaits,
// yields. What closures within it do, they do later.
bool HasEffects(TSNode node, absl::string_view text);

// Its code for a message, cut to 80 bytes, as valid UTF-8.
std::string ShortCode(TSNode node, absl::string_view text);

// The name as it can replace the node: with a blank where it would touch another word.
std::string WordFor(TSNode node, absl::string_view name, absl::string_view text);

// InvalidArgument where the name is no identifier or means something at that place already.
absl::Status CheckFreeName(const SourceFile& file, const std::string& name, ByteSpan function);

}  // namespace stile

#endif  // STILE_TOOLS_EXTRACT_SELECTION_H_
