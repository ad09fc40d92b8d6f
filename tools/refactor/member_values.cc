#include "tools/refactor/member_values.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stile {
namespace {

// How a member is written that gets its value from its place.
enum class Numbering {
  kNone,
  kCast,      // as kCounted, if code casts members to numbers
  kCounted,   // one more than the member before, where it has no value
  kRepeated,  // the expression of the member before, where `iota` counts
  kCalled,    // the one that calls `auto()` gets a number after those before it
};

Numbering NumberingOf(TSNode member, absl::string_view text) {
  const TSNode list = ts_node_parent(member);
  const absl::string_view type = TypeOf(list);
  if (IsOneOf(TypeOf(member), {"enumerator", "enum_member_declaration", "enum_assignment"})) {
    return Numbering::kCounted;
  }
  if (type == "enum_body" && IsOneOf(TypeOf(member), {"property_identifier", "string"})) {
    return Numbering::kCounted;
  }
  if (IsNode(member, "enum_constant")) return Numbering::kCast;  // of Java
  if (IsNode(member, "enum_variant")) {
    // Numbers matter where one is written, or the layout is fixed.
    bool has_numbers = absl::StrContains(TextOf(list, text), "=");
    for (TSNode above = ts_node_prev_named_sibling(ts_node_parent(list));
         IsNode(above, "attribute_item"); above = ts_node_prev_named_sibling(above)) {
      has_numbers = has_numbers || absl::StrContains(TextOf(above, text), "repr");
    }
    return has_numbers ? Numbering::kCounted : Numbering::kCast;
  }
  if (IsNode(member, "const_spec")) return Numbering::kRepeated;
  return IsNode(member, "expression_statement") && type == "block" ? Numbering::kCalled
                                                                   : Numbering::kNone;
}

// A part of a member by its field; in Python, by that of the assignment.
TSNode PartOf(TSNode member, const char* field, const char* python_field) {
  const TSNode part = FieldOf(member, field);
  if (!ts_node_is_null(part) || ts_node_named_child_count(member) == 0) return part;
  return FieldOf(ts_node_named_child(member, 0), python_field);
}

TSNode ValueOfMember(TSNode member) { return PartOf(member, "value", "right"); }

std::string NameOfMember(TSNode member, absl::string_view text) {
  const TSNode name = PartOf(member, "name", "left");
  return std::string(TextOf(ts_node_is_null(name) ? member : name, text));
}

bool CallsAuto(TSNode value, absl::string_view text) {
  if (!IsNode(value, "call")) return false;
  const absl::string_view function = TextOf(FieldOf(value, "function"), text);
  return function == "auto" || absl::EndsWith(function, ".auto");
}

// Whether a file that names the type makes something a number of Rust or of Java.
bool IsCast(const std::string& type, CodeIndex* index) {
  for (const auto& file : index->FilesWith(type)) {
    for (const char* cast : {" as u", " as i", ".ordinal()"}) {
      if (absl::StrContains(file->text, cast)) return true;
    }
  }
  return false;
}

// The members of the list that stand behind `member`, those in directives included.
std::vector<TSNode> MembersAfter(TSNode member, Numbering numbering, absl::string_view text) {
  TSNode list = ts_node_parent(member);
  while (absl::StartsWith(TypeOf(list), "preproc_")) list = ts_node_parent(list);
  std::vector<TSNode> found;
  WalkTree(list, [&](TSNode node) {
    if (BeginOf(node) >= EndOf(member) && NumberingOf(node, text) == numbering) {
      found.push_back(node);
      return false;
    }
    return true;
  });
  return found;
}

}  // namespace

std::string MemberThatShifts(const SourceFile& file, const SyntaxTree& tree, const Symbol& member,
                             CodeIndex* index) {
  const absl::string_view text = file.text;
  TSNode node = NodeAt(tree, member.name_begin, member.name_end);
  // From the name up to its member: an identifier, an assignment and a statement at most.
  for (int i = 0; i < 3 && NumberingOf(node, text) == Numbering::kNone; ++i) {
    if (ts_node_is_null(node) || ts_node_is_null(ts_node_parent(node))) return "";
    node = ts_node_parent(node);
  }
  const Numbering numbering = NumberingOf(node, text);
  if (numbering == Numbering::kNone) return "";
  if (numbering == Numbering::kCast && !IsCast(LastComponent(member.container), index)) return "";
  for (const TSNode next : MembersAfter(node, numbering, text)) {
    const TSNode value = ValueOfMember(next);
    const bool has_value = !ts_node_is_null(value);
    switch (numbering) {
      case Numbering::kCast:
      case Numbering::kCounted:
        // A value of its own ends the counting.
        return has_value ? "" : NameOfMember(next, text);
      case Numbering::kRepeated:
        if (!has_value || HoldsWord(TextOf(value, text), "iota")) return NameOfMember(next, text);
        break;
      case Numbering::kCalled:
        if (CallsAuto(value, text)) return NameOfMember(next, text);
        break;
      case Numbering::kNone:
        break;
    }
  }
  return "";
}

}  // namespace stile
