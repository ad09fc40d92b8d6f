#include "tools/code/navigate_hits.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "tools/code/code_text.h"

namespace stile {
namespace {

Hit HitOf(const Declaration& declaration, Certainty certainty) {
  return {declaration.file, declaration.name_begin(), certainty};
}

}  // namespace

std::vector<Hit> Definitions(const Resolution& resolution) {
  std::vector<Hit> hits;
  const Certainty certainty = resolution.IsUnambiguous() ? Certainty::kExact : Certainty::kLikely;
  const bool any_body = std::any_of(resolution.targets.begin(), resolution.targets.end(),
                                    [](const Declaration& target) {
                                      return target.symbol < 0 || target.AsSymbol().is_definition;
                                    });
  for (const Declaration& target : resolution.targets) {
    // A prototype is only the definition where there is nothing better.
    if (any_body && target.symbol >= 0 && !target.AsSymbol().is_definition) continue;
    hits.push_back(HitOf(target, certainty));
  }
  return hits;
}

std::vector<Hit> References(const Resolution& resolution, bool with_declarations, bool calls_only) {
  std::vector<Hit> hits;
  for (const Reference& reference : FindReferences(resolution)) {
    if (reference.is_declaration && !with_declarations) continue;
    if (calls_only && !reference.occurrence.is_call) continue;
    hits.push_back({reference.file, reference.occurrence.begin, reference.certainty});
  }
  return hits;
}

std::vector<Hit> Related(const std::vector<RelatedSymbol>& symbols) {
  std::vector<Hit> hits;
  for (const RelatedSymbol& related : symbols) {
    hits.push_back(HitOf(related.declaration, related.certainty));
  }
  return hits;
}

Json HitJson(const Hit& hit) {
  const TextPlace place = hit.file->PlaceOf(hit.offset);
  Json json = {{"line", place.line},
               {"column", place.column},
               {"symbol", ToUtf8(hit.file->QualifiedName(hit.file->SymbolAround(hit.offset)))},
               {"text", ShownLine(*hit.file, place.line)},
               {"certainty", hit.certainty == Certainty::kExact ? "exact" : "likely"},
               {"depth", hit.depth}};
  SetPath(&json, "file", hit.file->path);
  return json;
}

std::string HitText(const Hit& hit) {
  const TextPlace place = hit.file->PlaceOf(hit.offset);
  const std::string around = hit.file->QualifiedName(hit.file->SymbolAround(hit.offset));
  const std::string indent(2 * static_cast<size_t>(hit.depth - 1), ' ');
  return absl::StrCat(indent, DisplayPath(hit.file->path), ":", place.line, ":", place.column,
                      hit.certainty == Certainty::kExact ? "" : " (likely)",
                      around.empty() ? "" : absl::StrCat(" in ", ToUtf8(around)), ": ",
                      ShownLine(*hit.file, place.line), "\n");
}

std::vector<uint32_t> PlacesIn(const std::string& operation, const Declaration& target) {
  std::vector<uint32_t> found;
  if (target.symbol < 0) return found;
  const Symbol& symbol = target.AsSymbol();
  if (operation == "base_types") {
    for (const std::string& base : symbol.bases) {
      const size_t at = FindWord(target.file->text, LastComponent(base), symbol.name_end);
      if (at < symbol.end) found.push_back(static_cast<uint32_t>(at));
    }
    return found;
  }
  for (const FileScopes::Identifier& identifier : target.file->scopes.identifiers) {
    const Occurrence& occurrence = identifier.occurrence;
    if (occurrence.is_call && occurrence.begin >= symbol.begin && occurrence.end <= symbol.end) {
      found.push_back(occurrence.begin);
    }
  }
  return found;
}

std::vector<Hit> FindDefinitions(const std::string& operation, const Resolution& resolution,
                                 CodeIndex* index) {
  std::vector<Hit> hits;
  std::set<std::string> names;
  for (const Declaration& target : resolution.targets) {
    const SourceFile& file = *target.file;
    for (const uint32_t place : PlacesIn(operation, target)) {
      size_t end = place;
      while (end < file.text.size() && IsIdentifierByte(file.text[end])) ++end;
      const std::string name = file.text.substr(place, end - place);
      if (!names.insert(name).second) continue;
      SymbolQuery query;
      query.name = name;
      query.file = file.path;
      const auto declared = Resolve(query, index);
      if (!declared.ok()) continue;
      const auto certainty = declared->IsOnlyOne() ? Certainty::kExact : Certainty::kLikely;
      for (const Declaration& found : declared->targets) {
        const bool is_wanted =
            found.symbol >= 0 && (operation != "base_types" || IsType(found.AsSymbol().kind));
        if (is_wanted) hits.push_back(HitOf(found, certainty));
      }
    }
  }
  return hits;
}

}  // namespace stile
