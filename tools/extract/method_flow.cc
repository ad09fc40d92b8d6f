#include "tools/extract/method_flow.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

absl::Status Refuse(const SourceFile& file, TSNode node, absl::string_view reason) {
  return absl::FailedPreconditionError(
      absl::StrCat("line ", file.PlaceOf(BeginOf(node)).line, " ", reason, "; choose other lines"));
}

// Jumps of the statements themselves, not of functions within them.
class Jumps {
 public:
  Jumps(const SourceFile& file, const StatementRange& range) : file_(file), range_(range) {}

  absl::Status Look(StatementFlow* flow) {
    for (const TSNode statement : range_.statements) Walk(statement, flow);
    return status_;
  }
  size_t returns() const { return returns_; }
  size_t values() const { return values_; }

 private:
  void Walk(TSNode statement, StatementFlow* flow) {
    WalkTree(statement, [&](TSNode node) {
      if (!status_.ok()) return false;
      if (IsFunctionNode(node)) return ArrowOnly(node, flow);
      const absl::string_view type = TypeOf(node);
      if (type == "return_statement") {
        ++returns_;
        if (ts_node_named_child_count(node) > 0) ++values_;
      } else if (absl::StartsWith(type, "yield") || type == "yield") {
        status_ = Refuse(file_, node, "yields a value of the function around it");
      } else if (absl::StartsWith(type, "await")) {
        flow->awaits = true;
      } else if (IsOneOf(type, {"break_statement", "continue_statement"})) {
        if (!StaysInside(node, type == "break_statement")) {
          status_ = Refuse(file_, node, "leaves a loop that is not among the lines");
        }
      } else if (IsOneOf(type, {"goto_statement", "labeled_statement", "fallthrough_statement"})) {
        status_ = Refuse(file_, node, "jumps");
      } else if (type == "defer_statement") {
        status_ = Refuse(file_, node, "defers to the end of its function");
      } else if (IsOneOf(type, {"this", "this_expression", "super", "base", "base_expression"})) {
        flow->uses_this = true;
      } else if (type == "explicit_constructor_invocation") {
        status_ = Refuse(file_, node, "calls another constructor");
      } else if (type == "local_declaration_statement" &&
                 absl::StartsWith(TextOf(node, file_.text), "using ")) {
        status_ = Refuse(file_, node, "disposes of something at the end of its block");
      } else if (type == "call_expression" &&
                 absl::StartsWith(TextOf(node, file_.text), "super(")) {
        status_ = Refuse(file_, node, "calls the constructor of the base");
      } else if (type == "identifier" && TextOf(node, file_.text) == "arguments" &&
                 LanguageBackendOf(file_.language.id).facts.has_arguments_object) {
        status_ = Refuse(file_, node, "uses the arguments of its function");
      }
      return true;
    });
  }

  // An arrow has the `this` of what is around it.
  bool ArrowOnly(TSNode function, StatementFlow* flow) {
    if (!IsOneOf(TypeOf(function), {"arrow_function", "lambda_expression", "lambda", "func_literal",
                                    "anonymous_method_expression"})) {
      return false;
    }
    WalkTree(function, [&](TSNode node) {
      if (IsOneOf(TypeOf(node), {"this", "this_expression", "super", "base_expression"})) {
        flow->uses_this = true;
      }
      return true;
    });
    return false;
  }

  bool StaysInside(TSNode jump, bool is_break) const {
    if (ts_node_named_child_count(jump) > 0) return false;  // to a label
    for (TSNode node = ts_node_parent(jump); !ts_node_is_null(node); node = ts_node_parent(node)) {
      if (BeginOf(node) < range_.span.begin || EndOf(node) > range_.span.end) return false;
      const absl::string_view type = TypeOf(node);
      const bool takes_break = is_break && absl::StrContains(type, "switch");
      if (IsLoopNode(node) || takes_break || type == "select_statement") return true;
    }
    return false;
  }

  const SourceFile& file_;
  const StatementRange& range_;
  absl::Status status_;
  size_t returns_ = 0;
  size_t values_ = 0;
};

// The outermost loop around the range that its function holds.
ByteSpan LoopAround(const StatementRange& range, TSNode function) {
  ByteSpan loop{0, 0};
  for (TSNode node = ts_node_parent(range.statements[0]);
       !ts_node_is_null(node) && !SameNode(node, function); node = ts_node_parent(node)) {
    if (IsLoopNode(node)) loop = {BeginOf(node), EndOf(node)};
  }
  return loop;
}

// The end of the statement, where it is run in every case: from there on the name has its value. 0:
// perhaps not.
uint32_t AssignsAlways(const StatementRange& range, uint32_t at) {
  for (const TSNode statement : range.statements) {
    if (at < BeginOf(statement) || at >= EndOf(statement)) continue;
    return IsOneOf(TypeOf(statement),
                   {"expression_statement", "assignment_statement", "local_declaration_statement",
                    "lexical_declaration", "variable_declaration", "short_var_declaration",
                    "local_variable_declaration"})
               ? EndOf(statement)
               : 0;
  }
  return 0;
}

// `x = …` and not `x += …`: nothing is read.
bool IsPureWrite(const SyntaxTree& tree, const Occurrence& use, absl::string_view text) {
  TSNode node = NodeAt(tree, use.begin, use.end);
  for (int i = 0; i < 4 && !ts_node_is_null(node); ++i, node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (absl::StrContains(type, "augmented") || absl::StrContains(type, "update") ||
        absl::StrContains(type, "unary") || type == "inc_statement" || type == "dec_statement") {
      return false;
    }
    if (absl::StartsWith(type, "assignment") || type == "short_var_declaration") {
      const TSNode left = FieldOf(node, "left");
      const uint32_t end = ts_node_is_null(left) ? EndOf(node) : EndOf(left);
      const size_t equals = text.substr(end).find('=');
      return equals != absl::string_view::npos &&
             absl::StripAsciiWhitespace(text.substr(end, equals)).find_first_not_of(": ") ==
                 absl::string_view::npos;
    }
  }
  return use.role == OccurrenceRole::kDefinition;
}

}  // namespace

std::vector<FlowVariable> StatementFlow::Inputs() const {
  std::vector<FlowVariable> found;
  for (const FlowVariable& variable : variables) {
    if (variable.is_input) found.push_back(variable);
  }
  return found;
}

std::vector<FlowVariable> StatementFlow::Outputs() const {
  std::vector<FlowVariable> found;
  for (const FlowVariable& variable : variables) {
    if (variable.is_output) found.push_back(variable);
  }
  return found;
}

namespace {

// Whether no way leads behind the statement: it returns or throws, or all its branches do.
bool AlwaysLeaves(TSNode node) {
  const absl::string_view type = TypeOf(node);
  if (IsOneOf(type, {"return_statement", "throw_statement", "raise_statement"})) return true;
  if (IsStatementContainer(node) || type == "else_clause") {
    std::vector<TSNode> parts = NamedChildren(node);
    while (!parts.empty() && IsComment(parts.back())) parts.pop_back();
    return !parts.empty() && AlwaysLeaves(parts.back());
  }
  if (type != "if_statement" && type != "elif_clause") return false;
  if (!AlwaysLeaves(FieldOf(node, "consequence"))) return false;
  if (type == "elif_clause") return true;
  // Python has several alternatives; only the last can be an else.
  bool has_else = false;
  for (const TSNode part : NamedChildren(node)) {
    const bool is_branch = IsOneOf(TypeOf(part), {"elif_clause", "else_clause"}) ||
                           SameNode(FieldOf(node, "alternative"), part);
    if (!is_branch) continue;
    if (!AlwaysLeaves(part)) return false;
    has_else = !IsNode(part, "elif_clause");
  }
  return has_else;
}

// Whether the statement is the last of its function, or of the function's outermost block.
bool EndsFunction(TSNode statement, TSNode function) {
  const TSNode body = FieldOf(function, "body");
  if (ts_node_is_null(body)) return false;
  const TSNode block = ts_node_parent(statement);
  const std::vector<TSNode> statements = NamedChildren(block);
  const bool last_of_block = !statements.empty() && SameNode(statements.back(), statement);
  return last_of_block && (SameNode(block, body) || SameNode(ts_node_parent(block), body));
}

absl::Status ReadReturns(const Jumps& jumps, TSNode last, TSNode function, StatementFlow* flow) {
  if (jumps.returns() == 0) return absl::OkStatus();
  flow->returns_value = AlwaysLeaves(last) && jumps.values() == jumps.returns();
  flow->returns_nothing = !flow->returns_value && jumps.values() == 0 &&
                          (EndsFunction(last, function) || IsNode(last, "return_statement"));
  if (flow->returns_value || flow->returns_nothing) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the lines return from the function at some places and go on at others; let them end "
      "with the return, or choose lines without one");
}

bool IsLocal(const Binding& binding) {
  return !binding.is_file_level &&
         (binding.kind == BindingKind::kLocal || binding.kind == BindingKind::kParameter ||
          binding.kind == BindingKind::kVariable);
}

// All uses of one variable, seen from a range of statements.
struct VariableUses {
  bool read_first = false;            // in the range, before it is certainly written
  bool written = false;               // in the range
  uint32_t always_from = UINT32_MAX;  // from there on, the range has written it in every case
  bool used_after = false;
  bool assigned_before = false;
  bool shared = false;          // by a function around, or one inside
  bool changed_inside = false;  // by a function inside of the one around the range
  bool captured_here = false;   // by a function among the statements
  bool changes = false;         // after its declaration
};

// Reads what a variable is to a range of statements.
class VariableReader {
 public:
  VariableReader(const SourceFile& file, const SyntaxTree& tree, const StatementRange& range,
                 TSNode function)
      : file_(file),
        tree_(tree),
        range_(range),
        function_(function),
        whole_{BeginOf(function), EndOf(function)},
        loop_(LoopAround(range, function)) {}

  // `returns_value`: no way leads behind the range.
  absl::StatusOr<FlowVariable> Read(int index, bool returns_value) const {
    const Binding& binding = file_.scopes.bindings[static_cast<size_t>(index)];
    FlowVariable variable;
    variable.binding = index;
    variable.name = binding.name;
    variable.declared_inside = range_.span.Holds(binding.name_begin);
    VariableUses uses;
    uses.assigned_before = binding.kind == BindingKind::kParameter;
    for (const Occurrence& use : UsesOf(file_, index)) {
      NoteSharing(use, binding, &uses);
      if (range_.span.Holds(use.begin)) {
        STILE_RETURN_IF_ERROR(NoteInside(use, variable, &uses));
      } else {
        NoteOutside(use, binding, variable.declared_inside, &uses);
      }
    }
    // The next round reads what this one has left.
    if (loop_.end > 0 && uses.written && uses.read_first && !variable.declared_inside)
      uses.used_after = true;
    const bool takes_apart =
        variable.declared_inside
            ? uses.captured_here && uses.changes && uses.used_after && !returns_value
            : (uses.written && uses.shared) || uses.changed_inside;
    if (takes_apart) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(variable.name), " is shared with a function ",
                       whole_.Holds(binding.name_begin) ? "inside" : "around",
                       " and changes; choose other lines"));
    }
    variable.is_output = uses.written && uses.used_after && !returns_value;
    const bool conditional = variable.is_output && uses.always_from == UINT32_MAX;
    variable.is_input = !variable.declared_inside && (uses.read_first || conditional) &&
                        (uses.assigned_before || uses.read_first);
    variable.needs_local = !variable.declared_inside && !variable.is_input && uses.written;
    return variable;
  }

 private:
  bool Writes(const Occurrence& use) const {
    return use.role == OccurrenceRole::kDefinition || IsWrite(tree_, use, file_.text);
  }

  bool IsInOtherFunction(const Occurrence& use) const {
    return !SameNode(FunctionAround(NodeAt(tree_, use.begin, use.end)), function_);
  }

  bool TakesAddress(const Occurrence& use) const {
    const TSNode parent = ts_node_parent(NodeAt(tree_, use.begin, use.end));
    return LanguageBackendOf(file_.language.id).facts.takes_addresses &&
           IsNode(parent, "unary_expression") && absl::StartsWith(TextOf(parent, file_.text), "&");
  }

  void NoteSharing(const Occurrence& use, const Binding& binding, VariableUses* uses) const {
    const bool changes = Writes(use) && use.begin != binding.name_begin;
    uses->changes |= changes;
    if (!IsInOtherFunction(use)) return;
    uses->shared = true;
    uses->changed_inside |= changes && whole_.Holds(use.begin);
    uses->captured_here |= range_.span.Holds(use.begin);
  }

  absl::Status NoteInside(const Occurrence& use, const FlowVariable& variable,
                          VariableUses* uses) const {
    const bool writes = Writes(use);
    const bool pure = writes && IsPureWrite(tree_, use, file_.text);
    uses->read_first |= !pure && use.begin < uses->always_from;
    uses->written |= writes;
    const uint32_t from = pure ? AssignsAlways(range_, use.begin) : 0;
    if (from > 0) uses->always_from = std::min(uses->always_from, from);
    if (variable.declared_inside) return absl::OkStatus();
    if (writes && IsInOtherFunction(use)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "a closure among the lines changes ", ToUtf8(variable.name), "; choose other lines"));
    }
    if (TakesAddress(use)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the lines take the address of ", ToUtf8(variable.name), "; choose other lines"));
    }
    return absl::OkStatus();
  }

  void NoteOutside(const Occurrence& use, const Binding& binding, bool declared_inside,
                   VariableUses* uses) const {
    const bool in_loop = loop_.Holds(use.begin) && !declared_inside;
    if ((use.begin >= range_.span.end || in_loop) && whole_.Holds(use.begin)) {
      const bool only_written = Writes(use) && IsPureWrite(tree_, use, file_.text) && !in_loop;
      uses->used_after |= !only_written || declared_inside;
    }
    if (use.begin < range_.span.begin || in_loop) uses->assigned_before |= GivesValue(use, binding);
  }

  // A declaration without a value gives none.
  bool GivesValue(const Occurrence& use, const Binding& binding) const {
    if (use.begin != binding.name_begin) return Writes(use);
    const TSNode declarator = ts_node_parent(NodeAt(tree_, use.begin, use.end));
    return !IsOneOf(TypeOf(declarator), {"variable_declarator", "var_spec"}) ||
           ts_node_named_child_count(declarator) > 1;
  }

  const SourceFile& file_;
  const SyntaxTree& tree_;
  const StatementRange& range_;
  const TSNode function_;
  const ByteSpan whole_;
  const ByteSpan loop_;
};

}  // namespace

absl::StatusOr<StatementFlow> AnalyzeFlow(const SourceFile& file, const SyntaxTree& tree,
                                          const StatementRange& range, TSNode function,
                                          int receiver) {
  StatementFlow flow;
  Jumps jumps(file, range);
  STILE_RETURN_IF_ERROR(jumps.Look(&flow));
  STILE_RETURN_IF_ERROR(ReadReturns(jumps, range.statements.back(), function, &flow));
  const VariableReader reader(file, tree, range, function);
  std::set<int> seen;
  for (const BoundUse& use : UsesIn(file, range.span)) {
    const bool local = IsLocal(file.scopes.bindings[static_cast<size_t>(use.binding)]);
    if (!local || use.occurrence.role == OccurrenceRole::kKey) continue;
    if (use.binding == receiver) {
      flow.uses_this = true;
      continue;
    }
    if (!seen.insert(use.binding).second) continue;
    STILE_ASSIGN_OR_RETURN(FlowVariable variable, reader.Read(use.binding, flow.returns_value));
    if (variable.is_input || variable.is_output || variable.needs_local) {
      flow.variables.push_back(std::move(variable));
    }
  }
  if (flow.returns_nothing && !flow.Outputs().empty()) {
    return absl::FailedPreconditionError("the lines return, and set variables that are used later");
  }
  return flow;
}

}  // namespace stile
