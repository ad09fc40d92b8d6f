// What a new name would collide with. A compiler finds two declarations of one name, but not a use
// that quietly means another one afterwards: these are looked for here.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/plain_reach.h"
#include "tools/refactor/rename_plan.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

std::string At(const SourceFile& file, uint32_t offset) {
  return absl::StrCat(ToUtf8(file.path), ":", file.PlaceOf(offset).line);
}

bool IsPlain(const Occurrence& occurrence) {
  return occurrence.role == OccurrenceRole::kReference ||
         occurrence.role == OccurrenceRole::kType ||
         occurrence.role == OccurrenceRole::kShorthand || occurrence.role == OccurrenceRole::kRaw;
}

// Whether declarations of one name in these two files, outside of types, meet.
bool ShareFileScope(const SourceFile& a, const SourceFile& b) {
  if (a.path == b.path) return true;
  return LanguageBackendOf(a.language.id).generation.imports_packages &&
         DirName(a.path) == DirName(b.path);
}

std::string DeclaredAlready(const Resolution& symbol, const std::string& new_name,
                            const std::vector<std::shared_ptr<const SourceFile>>& files) {
  for (const Declaration& target : symbol.targets) {
    const Symbol& own = target.AsSymbol();
    for (const auto& file : files) {
      if (!SeeEachOther(file->language, target.file->language)) continue;
      for (const Symbol& other : file->symbols) {
        if (other.name != new_name || other.container != own.container) continue;
        if (IsMember(own.kind) != IsMember(other.kind)) continue;
        const bool is_scope_of_files = own.container.empty() || !IsMember(own.kind);
        if (is_scope_of_files && !ShareFileScope(*file, *target.file)) continue;
        return absl::StrCat(own.container.empty() ? ToUtf8(target.file->path) : own.container,
                            " has a ", SymbolKindName(other.kind), " ", new_name, " already (",
                            At(*file, other.name_begin), ")");
      }
    }
  }
  return "";
}

// What the new name means at a place where the old one is renamed.
std::string Hidden(const RenameCandidate& candidate, const std::string& new_name) {
  const SourceFile& file = *candidate.file;
  if (!candidate.is_renamed || !IsPlain(candidate.occurrence)) return "";
  for (const FileScopes::Visibility& visible : file.scopes.visibilities) {
    const Binding& binding = file.scopes.bindings[static_cast<size_t>(visible.binding)];
    if (binding.name != new_name) continue;
    if (candidate.occurrence.begin < visible.begin || visible.end <= candidate.occurrence.begin) {
      continue;
    }
    // Whose own scope is wider than that of the file is hidden by the renamed one, not the reverse.
    const bool is_member =
        binding.kind == BindingKind::kField || binding.kind == BindingKind::kMethod;
    if (binding.is_file_level && binding.kind != BindingKind::kImport && !is_member) {
      if (candidate.occurrence.binding >= 0) continue;
      if (binding.kind != BindingKind::kVariable && binding.kind != BindingKind::kFunction &&
          binding.kind != BindingKind::kType) {
        continue;
      }
    }
    return absl::StrCat(new_name, " means a ", BindingKindName(binding.kind), " (",
                        At(file, binding.name_begin), ") at ", At(file, candidate.occurrence.begin),
                        ", where ", "the symbol is used");
  }
  return "";
}

// A use of the new name for something else, which the renamed symbol would capture.
std::string Captured(const Declaration& target, const SourceFile& file,
                     const std::string& new_name) {
  const bool is_local = target.symbol < 0;
  uint32_t begin = 0;
  auto end = static_cast<uint32_t>(file.text.size());
  if (is_local) {
    if (target.file->path != file.path) return "";
    const Binding& binding = file.scopes.bindings[static_cast<size_t>(target.binding)];
    begin = binding.scope_begin;
    end = binding.scope_end;
  } else if (IsMember(target.AsSymbol().kind)) {
    return "";
  }
  for (const Occurrence& occurrence :
       FindOccurrences(file.grammar, file.scopes, file.text, new_name)) {
    if (occurrence.begin < begin || occurrence.begin >= end || !IsPlain(occurrence)) continue;
    bool is_captured = occurrence.binding < 0;
    if (is_local && occurrence.binding >= 0) {
      const Binding& binding = file.scopes.bindings[static_cast<size_t>(occurrence.binding)];
      is_captured = binding.scope_begin < begin || binding.scope_end > end;
    }
    if (!is_captured) continue;
    return absl::StrCat(new_name, " at ", At(file, occurrence.begin),
                        " means something else now, and would mean the symbol");
  }
  return "";
}

// Members called so already, by the name of their type.
std::multimap<std::string, Declaration> MembersCalled(
    const std::string& name, const Language& language,
    const std::vector<std::shared_ptr<const SourceFile>>& files) {
  std::multimap<std::string, Declaration> members;
  for (const auto& file : files) {
    if (!SeeEachOther(file->language, language)) continue;
    for (size_t i = 0; i < file->symbols.size(); ++i) {
      const Symbol& symbol = file->symbols[i];
      if (symbol.name != name || !IsMember(symbol.kind) || symbol.container.empty()) continue;
      members.emplace(LastComponent(symbol.container), Declaration{file, static_cast<int>(i), -1});
    }
  }
  return members;
}

std::string Described(const Declaration& member) {
  return absl::StrCat(ToUtf8(member.QualifiedName()), " (", At(*member.file, member.name_begin()),
                      ")");
}

// Members that every object of the language has, or that its runtime calls by their name.
bool IsOfEveryObject(const Language& language, const std::string& name) {
  const NamingFacts& naming = LanguageBackendOf(language.id).naming;
  if (naming.double_underscores_are_special) {
    return absl::StartsWith(name, "__") && absl::EndsWith(name, "__");
  }
  return std::find(naming.object_members.begin(), naming.object_members.end(), name) !=
         naming.object_members.end();
}

// Whether derived types do not inherit the member. Behind the label `private:` of C++ they may
// override it; the word does not stand in the declaration there.
bool IsPrivate(const Declaration& member) {
  const Symbol& symbol = member.AsSymbol();
  const absl::string_view modifiers =
      absl::string_view(member.file->text).substr(symbol.begin, symbol.name_begin - symbol.begin);
  return LanguageBackendOf(member.file->language.id).naming.has_private_word &&
         HoldsWord(modifiers, "private");
}

// A member that the renamed one would override or hide, or the reverse.
std::string Overridden(const Resolution& symbol,
                       const std::multimap<std::string, Declaration>& members, CodeIndex* index) {
  for (const Declaration& target : symbol.targets) {
    if (!IsMember(target.AsSymbol().kind)) continue;
    const std::string owner = LastComponent(target.AsSymbol().container);
    const std::set<std::string> above = TypesAbove(owner, target.file->language, index);
    for (const auto& [type, member] : members) {
      if (type == owner) continue;
      const bool overrides = above.count(type) > 0 && !IsPrivate(member);
      const bool is_overridden = !overrides && !IsPrivate(target) &&
                                 TypesAbove(type, target.file->language, index).count(owner) > 0;
      if (!overrides && !is_overridden) continue;
      return absl::StrCat("it would stand in one hierarchy with ", Described(member));
    }
  }
  return "";
}

// A member of a type around a use, or of what that type inherits from, which the use would mean.
std::string CapturedByMember(const RenameCandidate& candidate,
                             const std::multimap<std::string, Declaration>& members,
                             CodeIndex* index) {
  const SourceFile& file = *candidate.file;
  const bool has_implicit_this = LanguageBackendOfGrammar(file.grammar.name).naming.implicit_this;
  if (!has_implicit_this || !candidate.is_renamed || !IsPlain(candidate.occurrence)) return "";
  std::set<std::string> around;
  std::set<std::string> above;
  for (int i = file.SymbolAround(candidate.occurrence.begin); i >= 0;
       i = file.symbols[static_cast<size_t>(i)].parent) {
    const std::string& container = file.symbols[static_cast<size_t>(i)].container;
    if (container.empty()) continue;
    const std::string type = LastComponent(container);
    if (around.insert(type).second) above.merge(TypesAbove(type, file.language, index));
  }
  for (const auto& [type, member] : members) {
    if (around.count(type) == 0 && (above.count(type) == 0 || IsPrivate(member))) continue;
    return absl::StrCat("at ", At(file, candidate.occurrence.begin), " it would mean ",
                        Described(member));
  }
  return "";
}

}  // namespace

std::string NameConflict(const Resolution& symbol, const std::vector<RenameCandidate>& candidates,
                         const std::string& new_name, CodeIndex* index) {
  const bool is_method =
      symbol.targets[0].symbol >= 0 && symbol.targets[0].AsSymbol().kind == SymbolKind::kMethod;
  for (const std::string& name : {symbol.targets[0].name(), new_name}) {
    if (!is_method || !IsOfEveryObject(symbol.targets[0].file->language, name)) continue;
    return absl::StrCat(symbol.targets[0].file->language.name, " gives the method name ", name,
                        " a meaning of its own: ",
                        name == new_name ? "the method would override another, or be called. "
                                           "Choose another newName"
                                         : "a method of this name cannot be renamed");
  }
  const auto files = index->FilesWith(new_name);
  if (files.empty()) return "";
  std::string conflict;
  const auto members = MembersCalled(new_name, symbol.targets[0].file->language, files);
  const bool is_symbol = symbol.targets[0].symbol >= 0;
  const bool is_member = is_symbol && IsMember(symbol.targets[0].AsSymbol().kind);
  if (is_symbol) conflict = DeclaredAlready(symbol, new_name, files);
  if (conflict.empty() && is_member) conflict = Overridden(symbol, members, index);
  for (const RenameCandidate& candidate : candidates) {
    if (!conflict.empty() || members.empty()) break;
    conflict = CapturedByMember(candidate, members, index);
  }
  const auto holds = [&](const SourceFile& file) {
    return std::any_of(files.begin(), files.end(),
                       [&](const auto& other) { return other->path == file.path; });
  };
  std::set<std::string> checked;
  for (const RenameCandidate& candidate : candidates) {
    if (!conflict.empty()) break;
    if (!candidate.is_renamed || !holds(*candidate.file)) continue;
    conflict = Hidden(candidate, new_name);
    if (conflict.empty() && checked.insert(candidate.file->path).second) {
      conflict = Captured(symbol.targets[0], *candidate.file, new_name);
    }
  }
  for (const auto& file : files) {
    if (!conflict.empty() || !is_symbol || is_member) break;
    if (checked.count(file->path) > 0) continue;
    for (const Declaration& target : symbol.targets) {
      if (conflict.empty() && ReachesByPlainName(target, *file)) {
        conflict = Captured(target, *file, new_name);
      }
    }
  }
  if (conflict.empty()) return "";
  return absl::StrCat(conflict, ". Choose another newName");
}

}  // namespace stile
