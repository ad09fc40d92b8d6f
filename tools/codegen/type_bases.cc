#include "tools/codegen/type_bases.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/syntax_nodes.h"

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
  uint32_t end = EndOf(FieldOf(declaration, "name"));
  for (const char* field : {"type_parameters", "superclass", "parameters"}) {
    const TSNode node = FieldOf(declaration, field);
    if (!ts_node_is_null(node)) end = std::max(end, EndOf(node));
  }
  for (const char* child : {"type_parameter_list", "parameter_list", "class_heritage"}) {
    const TSNode node = ChildOf(declaration, child);
    if (!ts_node_is_null(node)) end = std::max(end, EndOf(node));
  }
  const auto place = site.backend().members->PlaceOfBase(declaration, end);
  if (!place.has_value()) return;
  plan->Edit(*site.file, {place->at, place->at, absl::StrCat(place->before, added, place->after)});
}

}  // namespace stile
