#include "tools/refactor/resolved_bases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/library_members.h"
#include "tools/refactor/prototype_members.h"
#include "tools/refactor/symbol_family.h"

namespace stile {

CodePlace PlaceOf(const Declaration& declaration) {
  return {declaration.file->path, declaration.name_begin()};
}

std::optional<Declaration> OwnerOf(const Declaration& member) {
  const int parent = member.AsSymbol().parent;
  if (parent < 0) return std::nullopt;
  Declaration owner{member.file, parent};
  if (!IsType(owner.AsSymbol().kind)) return std::nullopt;
  return owner;
}

bool IsNoAnswer(const absl::Status& status) {
  return absl::IsUnimplemented(status) || absl::IsFailedPrecondition(status) ||
         absl::IsNotFound(status);
}

absl::StatusOr<const ResolvedBases::Bases*> ResolvedBases::Of(const Declaration& type) {
  const auto known = bases_.find(PlaceOf(type));
  if (known != bases_.end()) return &known->second;
  Bases bases;
  const Symbol& symbol = type.AsSymbol();
  const absl::string_view text = type.file->text;
  for (const std::string& name : symbol.bases) {
    const std::string last = LastComponent(name);
    const size_t at = FindWord(text, last, symbol.name_begin + symbol.name.size());
    if (at == absl::string_view::npos || at >= symbol.end) continue;
    const auto places = resolver_->Definition({type.file->path, static_cast<uint32_t>(at)});
    if (!places.ok()) {
      if (IsNoAnswer(places.status())) continue;
      return places.status();
    }
    const size_t before = bases.types.size();
    bases.outside.insert(bases.outside.end(), places->outside.begin(), places->outside.end());
    for (const CodeRange& range : places->ranges) {
      const auto file = index_->Open(range.path);
      if (!file.ok()) continue;
      for (size_t i = 0; i < (*file)->symbols.size(); ++i) {
        const Symbol& found = (*file)->symbols[i];
        if (found.name_begin == range.begin && IsType(found.kind)) {
          bases.types.push_back({*file, static_cast<int>(i)});
        }
      }
    }
    if (before == bases.types.size() && places->outside.empty()) unknown_.insert(last);
  }
  return &bases_.emplace(PlaceOf(type), std::move(bases)).first->second;
}

absl::StatusOr<bool> ResolvedBases::IsBelow(const Declaration& type, const Declaration& base) {
  std::vector<Declaration> open = {type};
  std::set<CodePlace> seen;
  while (!open.empty()) {
    const Declaration next = open.back();
    open.pop_back();
    if (!seen.insert(PlaceOf(next)).second) continue;
    STILE_ASSIGN_OR_RETURN(const Bases* const bases, Of(next));
    for (const Declaration& found : bases->types) {
      if (PlaceOf(found) == PlaceOf(base)) return true;
      open.push_back(found);
    }
  }
  return false;
}

const std::vector<Declaration>& ResolvedBases::DerivedTypes(const Declaration& type) {
  const auto [known, is_new] = derived_.try_emplace(PlaceOf(type));
  std::vector<Declaration>& found = known->second;
  if (!is_new) return found;
  Resolution types;
  types.targets = types.all = {type};
  for (const RelatedSymbol& derived : FindDerivedTypes(types, index_)) {
    if (IsType(derived.declaration.AsSymbol().kind)) found.push_back(derived.declaration);
  }
  return found;
}

absl::StatusOr<bool> ResolvedBases::HaveDerivedType(const Declaration& one,
                                                    const Declaration& other) {
  for (const Declaration& derived : DerivedTypes(one)) {
    STILE_ASSIGN_OR_RETURN(const bool has_other, IsBelow(derived, other));
    if (!has_other) continue;
    STILE_ASSIGN_OR_RETURN(const bool has_one, IsBelow(derived, one));
    if (has_one) return true;
  }
  return false;
}

const ResolvedBases::Constructor& ResolvedBases::ConstructorOf(const Declaration& method) {
  const std::string name = PrototypeOwner(method);
  const auto [known, is_new] = constructors_.try_emplace(name);
  Constructor& constructor = known->second;
  if (!is_new) return constructor;
  const Language& language = method.file->language;
  for (const auto& file : index_->FilesWith(name)) {
    if (!SeeEachOther(file->language, language)) continue;
    constructor.count += static_cast<size_t>(
        std::count_if(file->symbols.begin(), file->symbols.end(), [&](const Symbol& symbol) {
          return symbol.name == name && symbol.kind == SymbolKind::kFunction;
        }));
  }
  constructor.above = TypesAbove(name, language, index_);
  return constructor;
}

bool ResolvedBases::AreOfRelatedPrototypes(const Declaration& a, const Declaration& b) {
  if (!IsOfPrototype(a) || !IsOfPrototype(b)) return false;
  const Constructor& of_a = ConstructorOf(a);
  const Constructor& of_b = ConstructorOf(b);
  return of_a.count == 1 && of_b.count == 1 &&
         (of_a.above.count(PrototypeOwner(b)) > 0 || of_b.above.count(PrototypeOwner(a)) > 0);
}

namespace {

// A static method of JavaScript that others call as `this.create()`: it can be overridden.
bool IsBoundByThis(const Declaration& member) {
  const Symbol& symbol = member.AsSymbol();
  const auto head =
      absl::string_view(member.file->text).substr(symbol.begin, symbol.name_begin - symbol.begin);
  return LanguageBackendOf(member.file->language.id).facts.call_binds_this &&
         HoldsWord(head, "static");
}

}  // namespace

absl::StatusOr<bool> IsOfFamily(const Declaration& member,
                                const std::map<CodePlace, Declaration>& members,
                                ResolvedBases* bases, Resolver* resolver) {
  const bool is_of_prototypes = std::any_of(members.begin(), members.end(), [&](const auto& known) {
    return bases->AreOfRelatedPrototypes(member, known.second);
  });
  if (is_of_prototypes) return true;
  const auto places = resolver->Implementations(PlaceOf(member));
  const bool is_related =
      places.ok() &&
      std::any_of(places->ranges.begin(), places->ranges.end(), [&](const CodeRange& range) {
        return members.count({range.path, range.begin}) > 0;
      });
  if (is_related || (places.ok() && !IsBoundByThis(member))) return is_related;
  if (!places.ok() && !IsNoAnswer(places.status())) return places.status();
  const std::optional<Declaration> type = OwnerOf(member);
  if (!type.has_value()) return false;
  const bool may_compete = LanguageBackendOf(member.file->language.id).naming.bases_can_compete;
  for (const auto& [place, known] : members) {
    const std::optional<Declaration> owner = OwnerOf(known);
    if (!owner.has_value() || AreSeparate(member, known)) continue;
    STILE_ASSIGN_OR_RETURN(const bool is_below, bases->IsBelow(*type, *owner));
    if (is_below) return true;
    STILE_ASSIGN_OR_RETURN(const bool is_above, bases->IsBelow(*owner, *type));
    if (is_above) return true;
    if (!may_compete) continue;
    STILE_ASSIGN_OR_RETURN(const bool is_beside, bases->HaveDerivedType(*owner, *type));
    if (is_beside) return true;
  }
  return false;
}

absl::Status CheckLibraryMembers(const std::map<CodePlace, Declaration>& members,
                                 const std::string& old_name, const std::string& new_name,
                                 ResolvedBases* bases, Resolver* resolver) {
  std::vector<Declaration> open;
  for (const auto& [place, member] : members) {
    const auto owner = OwnerOf(member);
    if (!owner.has_value()) continue;
    open.push_back(*owner);
    // `class Worker(Loud, Thread)`: there, methods of Loud come before those of Thread.
    if (!LanguageBackendOf(member.file->language.id).naming.bases_can_compete) continue;
    for (const Declaration& derived : bases->DerivedTypes(*owner)) {
      STILE_ASSIGN_OR_RETURN(const bool is_below, bases->IsBelow(derived, *owner));
      if (is_below) open.push_back(derived);
    }
  }
  std::set<CodePlace> seen;
  while (!open.empty()) {
    const Declaration type = open.back();
    open.pop_back();
    if (!seen.insert(PlaceOf(type)).second) continue;
    STILE_ASSIGN_OR_RETURN(const ResolvedBases::Bases* const above, bases->Of(type));
    open.insert(open.end(), above->types.begin(), above->types.end());
    for (const OutsidePlace& base : above->outside) {
      STILE_ASSIGN_OR_RETURN(const std::string declared,
                             DeclaredByLibrary(base, {old_name, new_name}, *type.file, resolver));
      if (declared.empty()) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          declared, " is declared by a library, in a base of ", ToUtf8(type.QualifiedName()), " (",
          base.path, ":", base.line, "): ",
          declared == old_name ? "what overrides it cannot have another name"
                               : "the member would override it. Choose another newName"));
    }
  }
  return absl::OkStatus();
}

}  // namespace stile
