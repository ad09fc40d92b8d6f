#include "tools/index/type_relations.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "runtime/syntax/symbols.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// Deep or circular hierarchies end somewhere.
constexpr size_t kMaxTypes = 2000;

// Owner and name of each method that a Go type has, collected by looking for one name at a time.
std::set<std::string> OwnersOfMethod(const std::string& method, const Language& language,
                                     CodeIndex* index) {
  std::set<std::string> owners;
  for (const auto& file : index->FilesWith(method)) {
    if (!SeeEachOther(file->language, language)) continue;
    for (const Symbol& symbol : file->symbols) {
      if (symbol.name == method && symbol.kind == SymbolKind::kMethod && symbol.is_definition) {
        owners.insert(symbol.container);
      }
    }
  }
  return owners;
}

// Types with every method of an interface, as Go has it.
std::vector<RelatedSymbol> WithAllMethods(const Declaration& interface, CodeIndex* index) {
  std::set<std::string> owners;
  bool first = true;
  for (const Symbol& method : interface.file->symbols) {
    if (method.parent != interface.symbol || method.kind != SymbolKind::kMethod) continue;
    std::set<std::string> having = OwnersOfMethod(method.name, interface.file->language, index);
    if (first) {
      owners = std::move(having);
    } else {
      std::set<std::string> both;
      std::set_intersection(owners.begin(), owners.end(), having.begin(), having.end(),
                            std::inserter(both, both.end()));
      owners = std::move(both);
    }
    first = false;
    if (owners.empty()) break;
  }
  std::vector<RelatedSymbol> found;
  for (const std::string& owner : owners) {
    const std::string name = LastComponent(owner);
    for (const auto& file : index->FilesWith(name)) {
      if (!SeeEachOther(file->language, interface.file->language)) continue;
      for (size_t i = 0; i < file->symbols.size(); ++i) {
        const Symbol& symbol = file->symbols[i];
        const bool is_type = IsType(symbol.kind) && symbol.kind != SymbolKind::kInterface;
        if (symbol.name == name && is_type) {
          found.push_back({{file, static_cast<int>(i), -1}, Certainty::kLikely});
        }
      }
    }
  }
  return found;
}

}  // namespace

bool IsType(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kClass:
    case SymbolKind::kStruct:
    case SymbolKind::kInterface:
    case SymbolKind::kEnum:
    case SymbolKind::kTypeAlias:
      return true;
    case SymbolKind::kNamespace:
    case SymbolKind::kEnumMember:
    case SymbolKind::kFunction:
    case SymbolKind::kMethod:
    case SymbolKind::kConstructor:
    case SymbolKind::kField:
    case SymbolKind::kProperty:
    case SymbolKind::kConstant:
    case SymbolKind::kVariable:
    case SymbolKind::kMacro:
      return false;
  }
  return false;
}

std::vector<RelatedSymbol> FindDerivedTypes(const Resolution& types, CodeIndex* index) {
  std::vector<RelatedSymbol> found;
  std::set<std::pair<std::string, uint32_t>> seen;
  struct Base {
    std::string name;
    const Language* language;
    bool is_only_one;
  };
  std::vector<Base> bases;
  for (const Declaration& type : types.targets) {
    if (type.symbol < 0 || !IsType(type.AsSymbol().kind)) continue;
    seen.emplace(type.file->path, type.name_begin());
    bases.push_back({type.AsSymbol().name, &type.file->language, types.IsOnlyOne()});
  }
  for (size_t next = 0; next < bases.size() && found.size() < kMaxTypes; ++next) {
    const Base base = bases[next];
    for (const auto& file : index->FilesWith(base.name)) {
      if (!SeeEachOther(file->language, *base.language)) continue;
      for (size_t i = 0; i < file->symbols.size(); ++i) {
        const Symbol& symbol = file->symbols[i];
        if (std::find(symbol.bases.begin(), symbol.bases.end(), base.name) == symbol.bases.end() ||
            !seen.emplace(file->path, symbol.name_begin).second) {
          continue;
        }
        found.push_back({{file, static_cast<int>(i), -1},
                         base.is_only_one ? Certainty::kExact : Certainty::kLikely});
        bases.push_back({symbol.name, &file->language, base.is_only_one});
      }
    }
  }
  for (const Declaration& type : types.targets) {
    if (type.symbol < 0 || !LanguageBackendOf(type.file->language.id).facts.implicit_interfaces ||
        type.AsSymbol().kind != SymbolKind::kInterface) {
      continue;
    }
    for (RelatedSymbol& related : WithAllMethods(type, index)) {
      if (seen.emplace(related.declaration.file->path, related.declaration.name_begin()).second) {
        found.push_back(std::move(related));
      }
    }
  }
  return found;
}

std::vector<RelatedSymbol> FindImplementations(const Resolution& resolution, CodeIndex* index) {
  std::vector<RelatedSymbol> found;
  for (const Declaration& target : resolution.targets) {
    if (target.symbol < 0) continue;
    const Symbol& symbol = target.AsSymbol();
    Resolution types;
    if (IsType(symbol.kind)) {
      types.targets = {target};
      types.all = resolution.all;
    } else {
      const auto owner = Resolve(ParseSymbolName(symbol.container), index);
      if (!owner.ok()) continue;
      types = *owner;
    }
    for (RelatedSymbol& type : FindDerivedTypes(types, index)) {
      if (IsType(symbol.kind)) {
        const SymbolKind kind = type.declaration.AsSymbol().kind;
        if (kind != SymbolKind::kInterface) found.push_back(std::move(type));
        continue;
      }
      // Overrides, wherever the body of the type, or the method alone, is.
      const std::string owner = type.declaration.QualifiedName();
      for (const Declaration& other : resolution.all) {
        const std::string& container = other.AsSymbol().container;
        if (container == owner || LastComponent(container) == type.declaration.AsSymbol().name) {
          found.push_back({other, type.certainty});
        }
      }
    }
  }
  return found;
}

}  // namespace stile
