#include "validators/integrity/test_reach.h"

#include "absl/strings/str_cat.h"
#include "validators/integrity/test_calls.h"
#include "validators/integrity/test_expression.h"

namespace stile {
namespace {

bool SkipsAt(const TestCode& code, const SkipNodes& skips, uint32_t i) {
  for (auto it = skips.lower_bound(i); it != skips.end() && it->first < code.End(i); ++it) {
    return true;
  }
  return false;
}

bool LeavesElse(const TestCode& code, const SkipNodes& skips, uint32_t i) {
  if (code.Role(i) != NodeRole::kElse) return Leaves(code, skips, i);
  const auto children = code.NamedChildren(i);
  return !children.empty() && Leaves(code, skips, children.back());
}

}  // namespace

// Whether nothing behind the statement is reached.
bool Leaves(const TestCode& code, const SkipNodes& skips, uint32_t i) {
  const NodeRole role = code.Role(i);
  if (role == NodeRole::kLeave || role == NodeRole::kThrow) return true;
  const absl::string_view type = code.Type(i);
  if (type == "expression_statement") {
    const auto children = code.NamedChildren(i);
    return !children.empty() && Leaves(code, skips, children[0]);
  }
  if (role == NodeRole::kCall) return IsExitCall(code, i) || SkipsAt(code, skips, i);
  if (role == NodeRole::kBlock) {
    for (const uint32_t child : code.NamedChildren(i)) {
      if (Leaves(code, skips, child)) return true;
    }
    return false;
  }
  if (role != NodeRole::kIf) return false;
  const uint32_t condition = code.Child(i, "condition");
  const uint32_t then = code.Child(i, "consequence");
  if (condition == 0 || then == 0 || !Leaves(code, skips, then)) return false;
  if (IsConstantTrue(code.Tokens(condition))) return true;
  const uint32_t otherwise = code.Child(i, "alternative");
  return otherwise != 0 && code.Type(otherwise) != "elif_clause" &&
         LeavesElse(code, skips, otherwise);
}

// The condition under which what follows is not reached, though nothing has failed; or "".
std::string LeavesIf(const TestCode& code, const SkipNodes& skips, uint32_t i) {
  if (code.Role(i) != NodeRole::kIf || code.Child(i, "alternative") != 0) return "";
  const uint32_t condition = code.Child(i, "condition");
  const uint32_t then = code.Child(i, "consequence");
  if (condition == 0 || then == 0 || SkipsAt(code, skips, then)) return "";
  bool leaves = false;
  for (uint32_t node = then; node < code.End(then); ++node) {
    if (code.Role(node) == NodeRole::kThrow || code.Role(node) == NodeRole::kAssert) return "";
    if (code.Role(node) == NodeRole::kLambda) node = code.End(node) - 1;
    if (code.Role(node) == NodeRole::kCall) {
      const CallNames names = NamesOfCall(code, node);
      if (IsFailureCall(code.language(), names.head, names.last) ||
          IsAssertionCall(code.language(), names.head, names.last) || SkipsAt(code, skips, node)) {
        return "";
      }
    }
    leaves |= code.Role(node) == NodeRole::kLeave;
  }
  return leaves ? absl::StrCat("not ", JoinTokens(code.Tokens(condition))) : "";
}

}  // namespace stile
