#include "tools/refactor/inlined_call.h"

#include "absl/strings/match.h"
#include "runtime/base/status.h"
#include "tools/refactor/inline_uses.h"

namespace stile {
namespace {

// Where the innermost body of a class around the node begins, one without a name included; 0: none.
uint32_t ClassAround(TSNode node) {
  for (node = ts_node_parent(node); !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (absl::EndsWith(type, "_body")
            ? absl::StartsWith(type, "class") || type == "enum_body" || type == "interface_body"
            : type == "declaration_list" || type == "class_definition") {
      return BeginOf(node);
    }
  }
  return 0;
}

}  // namespace

absl::StatusOr<InlinedCall> ReadInlinedCall(const SourceFile& file, const SyntaxTree& tree,
                                            TSNode name) {
  InlinedCall call{file, tree};
  const TSNode parent = ts_node_parent(name);
  TSNode whole = name;
  if (IsNode(parent, "method_invocation") && SameNode(FieldOf(parent, "name"), name)) {
    call.node = parent;
    call.receiver = FieldOf(parent, "object");
    if (!ts_node_is_null(call.receiver) && !IsPath(call.receiver)) {
      return RefuseUse(file, name, "calls it on an expression that may have effects");
    }
  } else {
    STILE_ASSIGN_OR_RETURN(whole, WholeUse(file, name));
    call.node = ts_node_parent(whole);
    if (!SameNode(whole, name)) call.receiver = ts_node_child(whole, 0);
    if (!IsOneOf(TypeOf(call.node), {"call", "call_expression", "invocation_expression"}) ||
        !SameNode(FieldOf(call.node, "function"), whole)) {
      return RefuseUse(file, name, "uses it and does not call it");
    }
  }
  call.arguments = FieldOf(call.node, "arguments");
  const bool is_plain = IsOneOf(TypeOf(call.arguments), {"argument_list", "arguments"}) &&
                        ts_node_is_null(FieldOf(call.node, "type_arguments")) &&
                        !absl::StrContains(TextOf(whole, file.text), "?.");
  if (!is_plain) return RefuseUse(file, name, "calls it in a way that cannot be inlined");
  bool has_comment = false;
  WalkTree(call.node, [&](TSNode node) {
    has_comment = has_comment || IsComment(node);
    return !has_comment;
  });
  if (has_comment) return RefuseUse(file, name, "holds a comment, which would be lost");
  return call;
}

bool IsInClassOf(const InlinedFunction& function, const InlinedCall& call) {
  return call.file.path == function.file().path &&
         ClassAround(call.node) == ClassAround(function.value);
}

}  // namespace stile
