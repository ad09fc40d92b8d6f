#include "validators/integrity/test_planter.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stile {

void TestPlanter::Replace(size_t begin, size_t end, const std::string& text) {
  const auto next = edits_.upper_bound(begin);
  if (next != edits_.end() && next->first < end) return;
  if (next != edits_.begin() && std::prev(next)->second.first > begin) return;
  edits_.try_emplace(begin, end, text);
}

std::string TestPlanter::WithEdits() const {
  std::string text;
  size_t at = 0;
  for (const auto& [begin, edit] : edits_) {
    absl::StrAppend(&text, code_.text().substr(at, begin - at), edit.second);
    at = edit.first;
  }
  return absl::StrCat(text, code_.text().substr(at));
}

uint32_t TestPlanter::LastFunctionOf(uint32_t call) const {
  const uint32_t arguments = code_.Child(call, "arguments");
  uint32_t found = 0;
  if (arguments == 0) return 0;
  for (const uint32_t child : code_.NamedChildren(arguments)) {
    if (code_.Role(child) == NodeRole::kLambda) found = child;
  }
  return found;
}

// The nodes of a body, those of functions and types in it left out.
std::vector<uint32_t> TestPlanter::OwnNodes(uint32_t body) const {
  std::vector<uint32_t> nodes;
  for (uint32_t i = body; i < code_.End(body); ++i) {
    const NodeRole role = code_.Role(i);
    const bool is_other = role == NodeRole::kLambda || role == NodeRole::kFunction ||
                          role == NodeRole::kClass || code_.Type(i) == "generator_function" ||
                          code_.Type(i) == "async_block";
    if (i != body && is_other) {
      i = code_.End(i) - 1;
      continue;
    }
    nodes.push_back(i);
  }
  return nodes;
}

std::vector<uint32_t> TestPlanter::ReturnsIn(uint32_t body) const {
  std::vector<uint32_t> returns;
  for (const uint32_t i : OwnNodes(body)) {
    const absl::string_view type = code_.Type(i);
    if (type == "return_statement" || type == "return_expression") returns.push_back(i);
  }
  return returns;
}

std::string TestPlanter::ValueOf(uint32_t leave) const {
  const std::vector<uint32_t> children = code_.NamedChildren(leave);
  return children.empty() ? "" : std::string(code_.Text(children[0]));
}

bool TestPlanter::EndsByLeaving(uint32_t body) const {
  const std::vector<uint32_t> statements = code_.NamedChildren(body);
  if (statements.empty()) return false;
  const NodeRole role = code_.Role(statements.back());
  return role == NodeRole::kLeave || role == NodeRole::kThrow;
}

bool TestPlanter::Yields(uint32_t body) const {
  const std::vector<uint32_t> own = OwnNodes(body);
  return std::any_of(own.begin(), own.end(),
                     [this](uint32_t i) { return absl::StartsWith(code_.Type(i), "yield"); });
}

bool TestPlanter::PlantInBlock(uint32_t body, const std::string& failing) {
  if (!absl::StartsWith(code_.Text(body), "{")) return false;
  for (const uint32_t leave : ReturnsIn(body)) {
    Replace(code_.BeginByte(leave), code_.EndByte(leave),
            absl::StrCat("{ ", failing, " ", code_.Text(leave), " }"));
  }
  if (!EndsByLeaving(body)) Insert(code_.EndByte(body) - 1, absl::StrCat(failing, " "));
  return true;
}

void TestPlanter::PlantInExit(uint32_t call, const std::string& failing,
                              absl::string_view discard) {
  const uint32_t arguments = code_.Child(call, "arguments");
  if (arguments == 0) return;
  const std::vector<uint32_t> values = code_.NamedChildren(arguments);
  if (values.size() > 1) return;
  const std::string value = values.empty() ? "0" : std::string(code_.Text(values[0]));
  Replace(code_.BeginByte(arguments), code_.EndByte(arguments),
          failing.empty() ? absl::StrCat("((", discard, "(", value, "), 1))")
                          : absl::StrCat("((", failing, ", (", value, ")))"));
}

}  // namespace stile
