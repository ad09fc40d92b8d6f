#include "tools/refactor/type_bases.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/backend/syntax_nodes.h"

namespace stile {

void AddBases(const TypeSite& type, const std::vector<std::string>& interfaces, EditPlan* plan) {
  const CodeSite& site = type.site;
  std::string added;
  for (const std::string& written : interfaces) {
    const std::string name = written.substr(0, written.find_first_of("<["));
    const bool known = std::any_of(
        type.type().bases.begin(), type.type().bases.end(), [&](const std::string& base) {
          return base == name || absl::EndsWith(name, absl::StrCat(".", base));
        });
    if (!known) absl::StrAppend(&added, added.empty() ? "" : ", ", written);
  }
  if (added.empty()) return;
  TSNode declaration =
      ts_node_parent(NodeAt(site.tree, type.type().name_begin, type.type().name_end));
  const auto insert = [&](uint32_t at, const std::string& text) {
    plan->Edit(*site.file, {at, at, text});
  };
  uint32_t end = EndOf(FieldOf(declaration, "name"));
  for (const char* field : {"type_parameters", "superclass", "parameters"}) {
    const TSNode node = FieldOf(declaration, field);
    if (!ts_node_is_null(node)) end = std::max(end, EndOf(node));
  }
  for (const char* child : {"type_parameter_list", "parameter_list", "class_heritage"}) {
    const TSNode node = ChildOf(declaration, child);
    if (!ts_node_is_null(node)) end = std::max(end, EndOf(node));
  }
  if (site.language() == "csharp") {
    const TSNode list = ChildOf(declaration, "base_list");
    if (!ts_node_is_null(list)) return insert(EndOf(list), absl::StrCat(", ", added));
    return insert(end, absl::StrCat(" : ", added));
  }
  if (site.language() == "java") {
    const TSNode list = FieldOf(declaration, "interfaces");
    if (!ts_node_is_null(list)) return insert(EndOf(list), absl::StrCat(", ", added));
    return insert(end, absl::StrCat(" implements ", added));
  }
  if (site.language() == "typescript") {
    const TSNode heritage = ChildOf(declaration, "class_heritage");
    const TSNode list =
        ts_node_is_null(heritage) ? heritage : ChildOf(heritage, "implements_clause");
    if (!ts_node_is_null(list)) return insert(EndOf(list), absl::StrCat(", ", added));
    return insert(end, absl::StrCat(" implements ", added));
  }
  if (site.language() == "python") {
    const TSNode list = FieldOf(declaration, "superclasses");
    if (ts_node_is_null(list)) return insert(end, absl::StrCat("(", added, ")"));
    // Before `metaclass=…`.
    uint32_t at = BeginOf(list) + 1;
    bool any = false;
    for (const TSNode base : NamedChildren(list)) {
      if (IsNode(base, "keyword_argument") || IsComment(base)) continue;
      at = EndOf(base);
      any = true;
    }
    const bool keyword_only = !any && ts_node_named_child_count(list) > 0;
    return insert(at, absl::StrCat(any ? ", " : "", added, keyword_only ? ", " : ""));
  }
}

}  // namespace stile
