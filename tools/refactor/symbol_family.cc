#include "tools/refactor/symbol_family.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/trait_impls.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/prototype_members.h"

namespace stile {
namespace {

// Deep or circular hierarchies end somewhere.
constexpr size_t kMaxTypes = 2000;

bool IsFieldLike(const Declaration& declaration) {
  const SymbolKind kind = declaration.AsSymbol().kind;
  return kind == SymbolKind::kField || kind == SymbolKind::kEnumMember;
}

// Whether a member of that kind can be overridden or stand for one of an interface.
bool CanOverride(const Declaration& declaration) {
  const SymbolKind kind = declaration.AsSymbol().kind;
  if (kind == SymbolKind::kMethod) return true;
  if (kind == SymbolKind::kProperty) return true;
  return kind == SymbolKind::kField &&
         LanguageBackendOf(declaration.file->language.id).naming.fields_override;
}

// C and C++: known in its own file only.
bool HasInternalLinkage(const Declaration& declaration) {
  const Symbol& symbol = declaration.AsSymbol();
  const absl::string_view head = absl::string_view(declaration.file->text)
                                     .substr(symbol.begin, symbol.name_begin - symbol.begin);
  return symbol.container.empty() && absl::StartsWith(head, "static ");
}

bool IsHeader(absl::string_view path) {
  const absl::string_view extension = path.substr(path.rfind('.') + 1);
  return absl::StartsWith(extension, "h");
}

// The name in the package clause: a folder may hold a program of its own beside its package, and
// tests of another package.
std::string PackageOf(const SourceFile& file) {
  const auto clause =
      std::find_if(file.symbols.begin(), file.symbols.end(),
                   [](const Symbol& symbol) { return symbol.kind == SymbolKind::kNamespace; });
  return clause == file.symbols.end() ? "" : clause->name;
}

// C#: "INamed" of `string INamed.Name`; "" where no interface is written before the name.
std::string ImplementedInterface(const Declaration& member) {
  const Symbol& symbol = member.AsSymbol();
  absl::string_view head =
      absl::string_view(member.file->text).substr(symbol.begin, symbol.name_begin - symbol.begin);
  if (!LanguageBackendOf(member.file->language.id).naming.explicit_interface_members ||
      !absl::ConsumeSuffix(&head, ".")) {
    return "";
  }
  // `IBox<int>.Value`
  int depth = 0;
  size_t begin = head.size();
  for (; begin > 0; --begin) {
    const char c = head[begin - 1];
    depth += c == '>' ? 1 : c == '<' ? -1 : 0;
    if (depth == 0 && c != '<' && !IsIdentifierByte(c)) break;
  }
  head = head.substr(begin);
  return std::string(head.substr(0, head.find('<')));
}

// Whether a line of the file includes one of the other's name.
bool Includes(const SourceFile& file, const SourceFile& other) {
  const std::string name = BaseName(other.path);
  for (const absl::string_view line : absl::StrSplit(file.text, '\n')) {
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&rest, "#")) continue;
    rest = absl::StripLeadingAsciiWhitespace(rest);
    if (!absl::ConsumePrefix(&rest, "include")) continue;
    rest = absl::StripAsciiWhitespace(rest);
    if (rest.size() < 2) continue;
    const absl::string_view path = rest.substr(1, rest.find_first_of("\">", 1) - 1);
    if (BaseName(path) == name) return true;
  }
  return false;
}

bool IsSameThing(const Declaration& a, const Declaration& b, TraitImpls* traits) {
  if (!AreAlike(a, b) || a.AsSymbol().container != b.AsSymbol().container) return false;
  if (traits->TraitOf(a) != traits->TraitOf(b)) return false;
  if (ImplementedInterface(a) != ImplementedInterface(b)) return false;
  if (a.file->path == b.file->path) return true;
  const LanguageBackend& language = LanguageBackendOf(a.file->language.id);
  if (language.naming.partial_types) return true;
  if (language.generation.imports_packages) {
    return DirName(a.file->path) == DirName(b.file->path) &&
           PackageOf(*a.file) == PackageOf(*b.file);
  }
  if (language.naming.has_prototypes) {
    // Each file may add to a namespace. Other programs of the workspace may have one of the name.
    if (a.AsSymbol().kind == SymbolKind::kNamespace) {
      return Includes(*a.file, *b.file) || Includes(*b.file, *a.file);
    }
    const bool one_is_header = IsHeader(a.file->path) || IsHeader(b.file->path);
    if ((HasInternalLinkage(a) || HasInternalLinkage(b)) && !one_is_header) return false;
    return !a.AsSymbol().is_definition || !b.AsSymbol().is_definition ||
           (IsMember(a.AsSymbol().kind) && !a.AsSymbol().container.empty());
  }
  return false;
}

// Types by name and what they name as bases, looked up once.
class Hierarchy {
 public:
  explicit Hierarchy(CodeIndex* index) : index_(index) {}

  // The types above one, by name; those of libraries among them.
  std::set<std::string> Above(const std::string& type, const Language& language) {
    std::set<std::string> found;
    std::vector<std::string> open = {type};
    while (!open.empty() && found.size() < kMaxTypes) {
      const std::string name = open.back();
      open.pop_back();
      for (const std::string& base : BasesOf(name, language)) {
        if (found.insert(base).second) open.push_back(base);
      }
    }
    return found;
  }

 private:
  const std::set<std::string>& BasesOf(const std::string& type, const Language& language) {
    const auto [known, is_new] = bases_.try_emplace(type);
    if (!is_new) return known->second;
    for (const auto& file : index_->FilesWith(type)) {
      if (!SeeEachOther(file->language, language)) continue;
      for (const Symbol& symbol : file->symbols) {
        if (symbol.name == type && IsType(symbol.kind)) {
          known->second.insert(symbol.bases.begin(), symbol.bases.end());
        }
      }
      if (LanguageBackendOf(file->language.id).generation.may_be_commonjs) {
        known->second.merge(PrototypeBases(*file, type));
      }
    }
    return known->second;
  }

  CodeIndex* const index_;
  std::map<std::string, std::set<std::string>> bases_;
};

void Add(const Declaration& declaration, Resolution* resolution) {
  if (!resolution->IsTarget(*declaration.file, declaration.symbol)) {
    resolution->targets.push_back(declaration);
  }
}

}  // namespace

std::vector<Declaration> ProtocolTwins(const Declaration& method,
                                       const std::vector<Declaration>& all) {
  const auto type_of = [](const Declaration& member) -> const Symbol* {
    const int parent = member.symbol < 0 ? -1 : member.AsSymbol().parent;
    return parent < 0 ? nullptr : &member.file->symbols[static_cast<size_t>(parent)];
  };
  const auto is_protocol = [](const Symbol& type) {
    return std::find(type.bases.begin(), type.bases.end(), "Protocol") != type.bases.end();
  };
  const auto members = [](const SourceFile& file, const Symbol& type) {
    std::set<std::string> names;
    for (const Symbol& symbol : file.symbols) {
      if (symbol.parent >= 0 && &file.symbols[static_cast<size_t>(symbol.parent)] == &type) {
        names.insert(symbol.name);
      }
    }
    return names;
  };
  std::vector<Declaration> twins;
  const Symbol* const own = type_of(method);
  if (own == nullptr) return twins;
  const std::set<std::string> own_members = members(*method.file, *own);
  for (const Declaration& other : all) {
    const Symbol* const type = type_of(other);
    if (type == nullptr || type == own || is_protocol(*type) == is_protocol(*own)) continue;
    const std::set<std::string> its = members(*other.file, *type);
    const std::set<std::string>& wanted = is_protocol(*own) ? own_members : its;
    const std::set<std::string>& has = is_protocol(*own) ? its : own_members;
    if (std::includes(has.begin(), has.end(), wanted.begin(), wanted.end())) {
      twins.push_back(other);
    }
  }
  return twins;
}

bool IsOwnersName(const Resolution& symbol, const std::string& owner, const SourceFile& file) {
  for (const Declaration& target : symbol.targets) {
    if (target.file->path == file.path) return true;
  }
  const bool has_twin =
      std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
        return other.symbol >= 0 && !symbol.IsTarget(*other.file, other.symbol) &&
               LastComponent(other.AsSymbol().container) == owner;
      });
  return !has_twin && std::none_of(file.symbols.begin(), file.symbols.end(),
                                   [&](const Symbol& one) { return one.name == owner; });
}

bool IsMember(SymbolKind kind) {
  return kind == SymbolKind::kMethod || kind == SymbolKind::kField ||
         kind == SymbolKind::kProperty || kind == SymbolKind::kEnumMember ||
         kind == SymbolKind::kConstructor;
}

bool AreAlike(const Declaration& a, const Declaration& b) {
  if (a.symbol < 0 || b.symbol < 0) return false;
  if (!SeeEachOther(a.file->language, b.file->language)) return false;
  const SymbolKind one = a.AsSymbol().kind;
  const SymbolKind other = b.AsSymbol().kind;
  if (IsType(one) || IsType(other)) return IsType(one) && IsType(other);
  if (IsMember(one) != IsMember(other)) return false;
  const bool are_apart = (one == SymbolKind::kNamespace) != (other == SymbolKind::kNamespace) ||
                         (one == SymbolKind::kMacro) != (other == SymbolKind::kMacro);
  if (are_apart && LanguageBackendOf(a.file->language.id).naming.separate_name_spaces) return false;
  if ((one == SymbolKind::kConstructor) != (other == SymbolKind::kConstructor)) return false;
  return IsFieldLike(a) == IsFieldLike(b) ||
         LanguageBackendOf(a.file->language.id).naming.accessors_are_fields;
}

bool HasOverloads(const Declaration& seed, const Resolution& parts) {
  // A file may add to a namespace several times.
  if (seed.symbol >= 0 && seed.AsSymbol().kind == SymbolKind::kNamespace) return false;
  std::set<std::pair<std::string, bool>> seen;
  return std::any_of(parts.targets.begin(), parts.targets.end(), [&](const Declaration& part) {
    return AreAlike(seed, part) &&
           !seen.emplace(part.file->path, part.AsSymbol().is_definition).second;
  });
}

void CompleteParts(Resolution* resolution) {
  TraitImpls traits;
  for (size_t i = 0; i < resolution->targets.size(); ++i) {
    const Declaration target = resolution->targets[i];
    for (const Declaration& other : resolution->all) {
      if (IsSameThing(target, other, &traits)) Add(other, resolution);
      const bool is_constructor = IsType(target.AsSymbol().kind) &&
                                  other.AsSymbol().kind == SymbolKind::kConstructor &&
                                  other.AsSymbol().container == target.QualifiedName() &&
                                  SeeEachOther(other.file->language, target.file->language);
      if (is_constructor) Add(other, resolution);
    }
  }
}

std::set<std::string> TypesAbove(const std::string& type, const Language& language,
                                 CodeIndex* index) {
  return Hierarchy(index).Above(type, language);
}

bool AreSeparate(const Declaration& a, const Declaration& b) {
  const std::string of_a = ImplementedInterface(a);
  const std::string of_b = ImplementedInterface(b);
  const auto is_for = [](const std::string& interface, const std::string& other,
                         const Declaration& member) {
    const bool is_own = LastComponent(member.AsSymbol().container) == interface;
    return interface.empty() || interface == other || (other.empty() && is_own);
  };
  if (!is_for(of_a, of_b, b) || !is_for(of_b, of_a, a)) return true;
  const auto is_of_interface = [](const Declaration& method) {
    const int parent = method.AsSymbol().parent;
    return parent >= 0 &&
           method.file->symbols[static_cast<size_t>(parent)].kind == SymbolKind::kInterface;
  };
  return LanguageBackendOf(a.file->language.id).facts.implicit_interfaces && !is_of_interface(a) &&
         !is_of_interface(b);
}

void CompleteFamily(Resolution* resolution, CodeIndex* index) {
  if (resolution->targets.empty() || resolution->targets[0].symbol < 0) return;
  CompleteParts(resolution);
  Hierarchy hierarchy(index);
  TraitImpls traits;
  for (size_t i = 0; i < resolution->targets.size(); ++i) {
    const Declaration target = resolution->targets[i];
    if (!CanOverride(target)) continue;
    const std::string owner = LastComponent(target.AsSymbol().container);
    if (owner.empty()) continue;
    const std::set<std::string> above = hierarchy.Above(owner, target.file->language);
    for (const Declaration& other : resolution->all) {
      if (!AreAlike(target, other) || resolution->IsTarget(*other.file, other.symbol)) continue;
      const std::string other_owner = LastComponent(other.AsSymbol().container);
      if (other_owner.empty() || traits.TraitOf(target) != traits.TraitOf(other)) continue;
      if (AreSeparate(target, other)) continue;
      if (above.count(other_owner) > 0 ||
          hierarchy.Above(other_owner, target.file->language).count(owner) > 0) {
        Add(other, resolution);
      }
    }
    CompleteParts(resolution);
  }
  resolution->is_family = true;
}

}  // namespace stile
