// Size: one conversation with a resolver, whose steps share what was found so far.
#include "tools/refactor/resolved_symbol.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/index/es_modules.h"
#include "tools/index/references.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/declaration_files.h"
#include "tools/refactor/dependent_calls.h"
#include "tools/refactor/elaborated_type.h"
#include "tools/refactor/kept_keys.h"
#include "tools/refactor/literal_siblings.h"
#include "tools/refactor/name_edits.h"
#include "tools/refactor/other_meanings.h"
#include "tools/refactor/parameter_family.h"
#include "tools/refactor/prototype_members.h"
#include "tools/refactor/quoted_keys.h"
#include "tools/refactor/resolved_bases.h"
#include "tools/refactor/script_globals.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

constexpr size_t kMaxDeclarations = 200;                   // of one question
constexpr absl::Duration kLookupTime = absl::Seconds(10);  // for places that only hold the name
// A rename that is right is worth the wait for a server that reads its project.
constexpr absl::Duration kTimeLimit = absl::Seconds(60);

// One thing: one conversation with a resolver about one symbol.
class SymbolAsker {
 public:
  SymbolAsker(const Resolution& resolution, std::string new_name,
              const std::map<CodeRange, std::string>& also, CodeIndex* index, Resolver* resolver)
      : resolution_(resolution),
        also_(also),
        seed_(resolution.targets[0]),
        is_member_(seed_.symbol >= 0 && IsMember(seed_.AsSymbol().kind)),
        old_name_(seed_.name()),
        new_name_(std::move(new_name)),
        index_(index),
        resolver_(resolver),
        kept_keys_(old_name_, new_name_),
        bases_(index, resolver),
        declaration_files_(index->workspace()),
        meanings_(old_name_, index, resolver, &found_.edits, &found_.partial) {
    for (const auto& file : resolution.files) {
      if (SeeEachOther(file->language, seed_.file->language)) users_.push_back(file->path);
    }
  }

  absl::StatusOr<ResolvedSymbol> Run() {
    Resolution parts = resolution_;
    const bool is_exact = found_.names_every_place = resolver_->NamesEveryPlace();
    if (seed_.symbol >= 0 && !is_exact) {
      CompleteParts(&parts);
      // A line means one of several overloads, and scope takes others for parts of it.
      if (resolution_.is_by_line && HasOverloads(seed_, parts)) parts = resolution_;
    }
    for (const Declaration& part : parts.targets) {
      Add(part);
      AddDeclarationFiles(part);
    }
    for (const Declaration& twin : DependentTwins(seed_, resolution_)) Add(twin);
    STILE_ASSIGN_OR_RETURN(const std::vector<Declaration> parameters,
                           ParametersOfOverrides(seed_, index_, &bases_, resolver_));
    for (const Declaration& parameter : parameters) Add(parameter);
    STILE_RETURN_IF_ERROR(AskQueue());
    STILE_RETURN_IF_ERROR(DropForeignKeywords(seed_, index_, &found_.edits));
    if (is_member_ && !(is_exact && resolver_->RenamesOverrides())) {
      STILE_RETURN_IF_ERROR(AddFamily());
      STILE_RETURN_IF_ERROR(
          CheckLibraryMembers(declarations_, old_name_, new_name_, &bases_, resolver_));
    }
    STILE_RETURN_IF_ERROR(LookUpOthers());
    STILE_RETURN_IF_ERROR(AskFromUse());
    STILE_RETURN_IF_ERROR(AddUnions());
    STILE_RETURN_IF_ERROR(FindUnseen());
    if (backend().naming.union_names) {
      STILE_RETURN_IF_ERROR(meanings_.Check(absl::Now() + kLookupTime));
    }
    STILE_RETURN_IF_ERROR(
        is_member_ ? kept_keys_.DropImports(index_, resolver_, &found_.edits)
                   : kept_keys_.DropUses(seed_.file->path, index_, resolver_, &found_.edits));
    if (is_exact) {
      STILE_RETURN_IF_ERROR(kept_keys_.DropNames(declarations_, resolver_, &found_.edits));
    }
    KeepToScript(seed_, index_, &found_.edits, &found_.unseen);
    found_.unknown_bases = bases_.unknown();
    found_.resolver = resolver_->name();
    return std::move(found_);
  }

 private:
  const LanguageBackend& backend() const { return LanguageBackendOf(seed_.file->language.id); }

  void Add(const Declaration& declaration) {
    if (declarations_.size() >= kMaxDeclarations) {
      found_.partial = absl::StrCat("more than ", kMaxDeclarations, " declarations belong to it");
      return;
    }
    if (declarations_.emplace(PlaceOf(declaration), declaration).second) {
      queue_.push_back(PlaceOf(declaration));
    }
  }

  void AddDeclarationFiles(const Declaration& declaration) {
    const DeclarationFiles::Twins twins = declaration_files_.Of(declaration, resolution_.all);
    for (const Declaration& twin : twins.same) Add(twin);
    for (const Declaration& twin : twins.perhaps) NoteUnseen(PlaceOf(twin));
    for (const Declaration& other :
         declaration_files_.OfOtherConditions(declaration, resolution_.all)) {
      NoteUnseen(PlaceOf(other));
    }
  }

  void NoteUnseen(const CodePlace& place) {
    found_.unseen.insert(
        {place.path, place.offset, place.offset + static_cast<uint32_t>(old_name_.size())});
  }

  // A use may mean the members of several object literals (`for (const t of [{a: 1}, {a: 2}])
  // t.a`): they have one name. A server that is asked for one of them leaves the others as they
  // are.
  absl::Status AddUnions() {
    const NamingFacts& naming = backend().naming;
    // Of members of types, the compiler of TypeScript says so.
    const bool is_checked =
        naming.has_declaration_files && seed_.symbol >= 0 && OwnerOf(seed_).has_value();
    if (!is_member_ || !naming.literals_declare_members || is_checked) return absl::OkStatus();
    const absl::Time end = absl::Now() + kLookupTime;
    const absl::Time wait = absl::Now() + kTimeLimit;  // without all of them it would be wrong
    std::set<CodeRange> asked;
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      const std::map<CodeRange, std::string> edits = found_.edits;
      for (const auto& [range, text] : edits) {
        // In `{a: b}` for `{a}`, the name also means the variable.
        if (text != new_name_ || !asked.insert(range).second) continue;
        STILE_ASSIGN_OR_RETURN(const std::optional<CodeRange> other, meanings_.Of(range, end));
        if (!other.has_value()) continue;
        const absl::Status added = AddPlacesOf({range.path, range.begin});
        if (absl::IsDataLoss(added)) {
          NotePartial("places were not all asked about");
          continue;
        }
        STILE_RETURN_IF_ERROR(added);
        has_grown = true;
      }
      STILE_ASSIGN_OR_RETURN(const bool has_siblings, AddSiblings(wait));
      has_grown = has_grown || has_siblings;
    }
    return absl::OkStatus();
  }

  // TypeScript leaves a literal out of a union if another one has its type: no use leads to it.
  absl::StatusOr<bool> AddSiblings(absl::Time end) {
    std::map<std::string, std::set<uint32_t>> keys;
    for (const auto& [range, text] : found_.edits) keys[range.path].insert(range.begin);
    bool has_grown = false;
    for (const auto& [path, offsets] : keys) {
      STILE_ASSIGN_OR_RETURN(const auto file, index_->Open(path));
      for (const uint32_t key : SiblingKeys(*file, offsets, &parsed_)) {
        if (IsEdited({path, key, key + static_cast<uint32_t>(old_name_.size())})) continue;
        if (absl::Now() > end) {
          return absl::FailedPreconditionError(
              absl::StrCat("the expression around ", ToUtf8(path), ":", file->PlaceOf(key).line,
                           " has more literals with ", old_name_, " than ", resolver_->name(),
                           " could be asked about in time"));
        }
        STILE_RETURN_IF_ERROR(AddPlacesOf({path, key}));
        has_grown = true;
      }
    }
    return has_grown;
  }

  // The declaration of the old name at a range, if there is one that can be part of the symbol.
  std::optional<Declaration> DeclarationAt(const CodeRange& range) {
    const auto file = index_->Open(range.path);
    if (!file.ok()) return std::nullopt;
    for (size_t i = 0; i < (*file)->symbols.size(); ++i) {
      const Symbol& symbol = (*file)->symbols[i];
      if (symbol.name_begin != range.begin || symbol.name != old_name_) continue;
      Declaration declaration{*file, static_cast<int>(i)};
      if (AreAlike(seed_, declaration)) return declaration;
    }
    return std::nullopt;
  }

  absl::Status AskQueue() {
    while (!queue_.empty()) {
      const CodePlace place = queue_.front();
      queue_.pop_front();
      STILE_RETURN_IF_ERROR(AddPlacesOf(place));
      STILE_RETURN_IF_ERROR(AddPrototypes(place));
      if (is_member_ && !resolver_->RenamesOverrides()) {
        STILE_RETURN_IF_ERROR(AddImplementations(place));
      }
    }
    return absl::OkStatus();
  }

  // A server whose index is not complete renames in the file that is asked about and in those that
  // are open. It reads the headers of a definition in any case.
  absl::Status AddPrototypes(const CodePlace& place) {
    if (!backend().naming.has_prototypes) return absl::OkStatus();
    const auto places = resolver_->Declarations(place);
    if (!places.ok()) return IsNoAnswer(places.status()) ? absl::OkStatus() : places.status();
    for (const CodeRange& range : places->ranges) {
      if (TextAt(range, index_).value_or("") != old_name_) continue;
      const CodePlace prototype{range.path, range.begin};
      if (declarations_.count(prototype) > 0 || !prototypes_.insert(prototype).second) continue;
      if (!IsEdited(range)) STILE_RETURN_IF_ERROR(AddPlacesOf(prototype));
    }
    return absl::OkStatus();
  }

  absl::Status AddPlacesOf(const CodePlace& place) {
    const auto renamed = resolver_->Rename(place, new_name_, users_);
    if (renamed.ok()) {
      NotePartial(renamed->partial);
      STILE_RETURN_IF_ERROR(AddEdits(renamed->edits));
      const auto end = static_cast<uint32_t>(place.offset + old_name_.size());
      if (found_.edits.count({place.path, place.offset, end}) > 0) return absl::OkStatus();
      return absl::DataLossError(
          absl::StrCat("it renames places, but not the declaration in ", place.path));
    }
    if (absl::IsNotFound(renamed.status())) return LeaveOut(place);
    const bool may_be_weakness =
        absl::IsUnimplemented(renamed.status()) ||
        (absl::IsFailedPrecondition(renamed.status()) && !resolver_->RefusalIsFinal());
    if (absl::IsFailedPrecondition(renamed.status()) && place == PlaceOf(seed_) &&
        IsOfPrototype(seed_)) {
      return absl::DataLossError("it does not read members that are assigned to a prototype");
    }
    if (absl::IsFailedPrecondition(renamed.status()) && !may_be_weakness) {
      return WithContext(renamed.status(), absl::StrCat(resolver_->name(), " refuses"));
    }
    if (!may_be_weakness) return renamed.status();
    STILE_ASSIGN_OR_RETURN(const ResolvedPlaces places, resolver_->References(place, users_));
    NotePartial(places.partial);
    is_unknown_ = is_unknown_ || (places.ranges.empty() && place == PlaceOf(seed_));
    for (const CodeRange& range : places.ranges) {
      STILE_ASSIGN_OR_RETURN(const std::string before, TextAt(range, index_));
      if (before != old_name_) continue;  // such as a constructor, or an alias
      found_.edits.try_emplace(range, new_name_);
      if (const auto declaration = DeclarationAt(range)) Add(*declaration);
    }
    return absl::OkStatus();
  }

  // A declaration that the build leaves out, such as the one for another system.
  absl::Status LeaveOut(const CodePlace& place) {
    if (place == PlaceOf(seed_)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the build leaves out ", ToUtf8(place.path), " (build constraints), so ",
                       resolver_->name(), " does not resolve its names. Rename ", old_name_,
                       " in a file that is built, then change this one with file.modify"));
    }
    NoteUnseen(place);
    return absl::OkStatus();
  }

  absl::Status AddEdits(const std::vector<ResolvedEdit>& edits) {
    // Roslyn mends a name that would mean something else: `s.Half()` as `Ext.Half(s)`.
    std::string mended;
    bool is_renamed = false;
    for (size_t begin = 0, end = 0; begin < edits.size(); begin = end) {
      const std::string& path = edits[begin].range.path;
      while (end < edits.size() && edits[end].range.path == path) ++end;
      STILE_ASSIGN_OR_RETURN(const auto file, index_->Open(path));
      if (edits[end - 1].range.end > file->text.size()) {
        return absl::DataLossError(absl::StrCat("it names a place behind the end of ", path));
      }
      const std::vector<ResolvedEdit> words = ExpandToWords(
          {edits.begin() + static_cast<int64_t>(begin), edits.begin() + static_cast<int64_t>(end)},
          file->text);
      for (const ResolvedEdit& edit : SplitAtNames(words, file->text, old_name_, new_name_)) {
        const std::string before =
            file->text.substr(edit.range.begin, edit.range.end - edit.range.begin);
        // TypeScript 7 writes the new name there, too: `import("./shape").default`.
        if (before == "default" && old_name_ != before && backend().naming.has_declaration_files)
          continue;
        if (!IsNameChange(before, edit.text, old_name_, new_name_)) {
          mended = absl::StrCat(ToUtf8(path), ":", file->PlaceOf(edit.range.begin).line);
          continue;
        }
        is_renamed = true;
        const std::string after = kept_keys_.ForPattern(
            *file, edit.range, WithoutAlias(before, edit.text, old_name_, new_name_),
            declarations_.count({path, edit.range.begin}) > 0);
        found_.edits[edit.range] = after;
        kept_keys_.Note(*file, edit);
        if (after != new_name_) continue;  // `const { print: parse } = pack` declares another one
        if (const auto declaration = DeclarationAt(edit.range)) Add(*declaration);
      }
    }
    if (mended.empty()) return absl::OkStatus();
    if (!is_renamed) {
      return absl::DataLossError(
          absl::StrCat("it changes something else than the name at ", mended));
    }
    return absl::FailedPreconditionError(
        absl::StrCat(resolver_->name(), " would change more than the name at ", mended,
                     ". The new name may mean something else there; choose another newName"));
  }

  absl::Status AddImplementations(const CodePlace& place) {
    const auto places = resolver_->Implementations(place);
    if (!places.ok()) return IsNoAnswer(places.status()) ? absl::OkStatus() : places.status();
    // A type of Go implements interfaces without saying so.
    const auto asked = declarations_.find(place);
    const auto owner = asked == declarations_.end() ? std::nullopt : OwnerOf(asked->second);
    const bool is_of_interface =
        owner.has_value() && owner->AsSymbol().kind == SymbolKind::kInterface;
    if (!is_of_interface && backend().facts.implicit_interfaces && !places->outside.empty()) {
      const OutsidePlace& wanted = places->outside[0];
      return absl::FailedPreconditionError(
          absl::StrCat(old_name_,
                       " has its name from outside of the project: an interface of a "
                       "library wants it (",
                       wanted.path, ":", wanted.line, ")"));
    }
    for (const CodeRange& range : places->ranges) {
      if (const auto declaration = DeclarationAt(range)) Add(*declaration);
    }
    return absl::OkStatus();
  }

  void NotePartial(const std::string& partial) {
    if (found_.partial.empty()) found_.partial = partial;
  }

  // Declarations of which the syntax tree says that they override or are overridden, as far as the
  // resolver confirms it.
  absl::Status AddFamily() {
    Resolution family = resolution_;
    CompleteFamily(&family, index_);
    std::vector<Declaration> candidates = family.targets;
    for (const Declaration& other : resolution_.all) {
      if (other.symbol >= 0 && AreAlike(seed_, other)) candidates.push_back(other);
    }
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (const Declaration& candidate : candidates) {
        if (declarations_.count(PlaceOf(candidate)) > 0) continue;
        STILE_ASSIGN_OR_RETURN(const bool is_related,
                               IsOfFamily(candidate, declarations_, &bases_, resolver_));
        if (!is_related) continue;
        const size_t known = declarations_.size();
        Add(candidate);
        if (known == declarations_.size()) return absl::OkStatus();  // there are too many
        STILE_RETURN_IF_ERROR(AskQueue());
        has_grown = true;
      }
    }
    return absl::OkStatus();
  }

  // Places that a syntax tree takes for the symbol and the resolver did not name: either they mean
  // something else, or it did not look there.
  absl::Status LookUpOthers() {
    size_t known = 0;
    const absl::Time end = absl::Now() + kLookupTime;
    do {
      known = declarations_.size();
      STILE_RETURN_IF_ERROR(LookUpOnce(end));
      STILE_RETURN_IF_ERROR(AskQueue());
    } while (known < declarations_.size());
    return absl::OkStatus();
  }

  // csharp-ls answers nothing about a file that two projects have, unless it is asked from a use.
  absl::Status AskFromUse() {
    const CodePlace place = PlaceOf(seed_);
    const auto end = static_cast<uint32_t>(place.offset + old_name_.size());
    const CodeRange declared{place.path, place.offset, end};
    if (!is_unknown_ || found_.edits.empty() || IsEdited(declared)) return absl::OkStatus();
    const CodeRange use = found_.edits.begin()->first;
    STILE_RETURN_IF_ERROR(AddPlacesOf({use.path, use.begin}));
    if (IsEdited(declared)) return LookUpOthers();
    return absl::DataLossError(
        absl::StrCat("it renames places, but not the declaration in ", place.path));
  }

  absl::Status LookUpOnce(absl::Time end) {
    Resolution family = resolution_;
    for (const auto& [place, declaration] : declarations_) {
      if (!family.IsTarget(*declaration.file, declaration.symbol)) {
        family.targets.push_back(declaration);
      }
    }
    family.is_family = family.targets.size() > 1;
    // A use of a Protocol may get an object of the class.
    std::set<CodePlace> twins;
    if (is_member_ && backend().naming.gradual_types) {
      for (const Declaration& twin : ProtocolTwins(seed_, resolution_.all)) {
        twins.insert(PlaceOf(twin));
      }
    }
    ModuleResolver modules(family, old_name_);
    for (const Reference& reference : FindReferences(family)) {
      const CodeRange range{reference.file->path, reference.occurrence.begin,
                            reference.occurrence.end};
      if (reference.is_declaration || IsDecided(range)) continue;
      if (!SeeEachOther(reference.file->language, seed_.file->language)) continue;
      if (IsReadFromModule(reference, &modules)) {
        found_.edits.try_emplace(range, new_name_);
        continue;
      }
      STILE_RETURN_IF_ERROR(LookUp(range, new_name_, reference.occurrence.binding < 0, twins, end));
      if (!IsDecided(range) && reference.occurrence.role == OccurrenceRole::kKey) {
        STILE_RETURN_IF_ERROR(AddKey(range, new_name_));
      }
      if (!IsDecided(range) && IsElaboratedType(range, index_) &&
          CanDeclare(*reference.file, range.begin, seed_)) {
        found_.unanswered.insert(range);
      }
      if (!IsDecided(range) &&
          (IsOfSibling(reference) || IsBehindPrototypeOf(seed_, reference, index_, resolver_))) {
        found_.edits.try_emplace(range, new_name_);
      }
    }
    for (const auto& [range, text] : also_) {
      if (IsDecided(range)) continue;
      STILE_RETURN_IF_ERROR(LookUp(range, text, true, twins, end));
      if (IsDecided(range) || !is_member_ || absl::Now() > end) continue;
      STILE_RETURN_IF_ERROR(AddKey(range, text));
    }
    return absl::OkStatus();
  }

  // Python, where a call or a text names a field of an object.
  absl::Status AddKey(const CodeRange& range, const std::string& after) {
    STILE_ASSIGN_OR_RETURN(const bool is_key, IsKeyOf(range, seed_, index_, resolver_));
    if (is_key) found_.edits.try_emplace(range, after);
    return absl::OkStatus();
  }

  bool IsDecided(const CodeRange& range) const {
    return IsEdited(range) || found_.others.count(range) > 0;
  }

  // `shapes.area` after `import * as shapes`. A server takes it for the key that is behind
  // `export const { area } = made()`.
  bool IsReadFromModule(const Reference& reference, ModuleResolver* modules) const {
    const Occurrence& use = reference.occurrence;
    if (is_member_ || use.role != OccurrenceRole::kMember) return false;
    const std::string receiver =
        reference.file->text.substr(use.receiver_begin, use.receiver_end - use.receiver_begin);
    return modules->IsModuleOfTarget(*reference.file, receiver, use.receiver_begin).value_or(false);
  }

  // `super().say()` in a class whose own bases have no such method: the next base of a class that
  // derives from several has it, see IsOfFamily.
  bool IsOfSibling(const Reference& reference) const {
    const Occurrence& use = reference.occurrence;
    return is_member_ && backend().naming.bases_can_compete && bases_.unknown().empty() &&
           reference.certainty == Certainty::kExact &&
           reference.file->text.substr(use.receiver_begin, use.receiver_end - use.receiver_begin) ==
               "super()";
  }

  // `after`: the text that stands there if it is the symbol. `may_be_itself`: the place may be a
  // key of an untyped literal.
  absl::Status LookUp(const CodeRange& range, const std::string& after, bool may_be_itself,
                      const std::set<CodePlace>& twins, absl::Time end) {
    if (absl::Now() > end) {
      NotePartial("places that hold the name were not all looked up in time");
      return absl::OkStatus();
    }
    const auto places = resolver_->Definition({range.path, range.begin});
    if (!places.ok()) {
      const bool is_none = IsNoAnswer(places.status()) || absl::IsInvalidArgument(places.status());
      return is_none ? absl::OkStatus() : places.status();
    }
    bool is_it = false;
    bool is_key = false;
    // A key of an untyped literal means only itself, wherever its object may go.
    bool is_itself = false;
    bool is_open = false;
    bool is_named = false;
    for (const CodeRange& definition : places->ranges) {
      AddFromBeside(definition);
      is_open = is_open || twins.count({definition.path, definition.begin}) > 0;
      const CodePlace defined{definition.path, definition.begin};
      // A declaration of a type may be a use: `friend class Column`, a field that embeds.
      const bool is_use = backend().naming.types_embed || backend().naming.has_prototypes;
      const bool is_own = declarations_.count(defined) > 0 || prototypes_.count(defined) > 0 ||
                          (is_use && IsEdited(definition));
      is_it = is_it || is_own;
      const bool has_name = TextAt(definition, index_).value_or("") == old_name_;
      is_named = is_named || has_name;
      // `api.get` after `api = { get: get }` means the key, and the function behind it.
      is_key = is_key || (!is_own && definition != range && has_name);
      is_itself = is_itself || (may_be_itself && defined == CodePlace{range.path, range.begin});
    }
    if (is_itself || (is_open && !is_it)) return absl::OkStatus();
    // Where clangd cannot tell what the name means, it answers with the declaration around it.
    if (!is_it && !is_named && IsElaboratedType(range, index_)) return absl::OkStatus();
    if (is_it && resolver_->GuessesDefinitions()) return AddReferencesAt(range);
    const bool is_elsewhere =
        places->ranges.empty() ? !places->outside.empty() : !IsFromOwnPackage(places->ranges[0]);
    if (is_it && (is_member_ || !is_key)) {
      found_.edits.try_emplace(range, after);
    } else if (is_it || is_elsewhere) {
      found_.others.insert(range);
    }
    return absl::OkStatus();
  }

  // A server has no references of a declaration that stands in code which is not compiled.
  absl::Status FindUnseen() {
    if (!backend().naming.has_prototypes) return absl::OkStatus();
    const absl::Time end = absl::Now() + kLookupTime;
    for (const Declaration& other : resolution_.all) {
      const CodePlace place = PlaceOf(other);
      const CodeRange range{place.path, place.offset,
                            place.offset + static_cast<uint32_t>(old_name_.size())};
      const bool is_candidate = AreAlike(seed_, other) && declarations_.count(place) == 0 &&
                                !IsEdited(range) && found_.others.count(range) == 0;
      if (!is_candidate) continue;
      if (absl::Now() > end) {
        NotePartial("declarations of the name were not all looked up in time");
        return absl::OkStatus();
      }
      const auto places = resolver_->References(place, {});
      if (!places.ok() && !IsNoAnswer(places.status())) return places.status();
      if (!places.ok() || places->ranges.empty()) found_.unseen.insert(range);
    }
    return absl::OkStatus();
  }

  // A file that the build does not compile is not in the server's index, though the server can read
  // it. References, unlike a definition, are never guessed: in code that is not compiled there are
  // none.
  absl::Status AddReferencesAt(const CodeRange& range) {
    const auto places = resolver_->References({range.path, range.begin}, {});
    if (!places.ok()) return IsNoAnswer(places.status()) ? absl::OkStatus() : places.status();
    const std::vector<CodeRange>& ranges = places->ranges;
    if (std::find(ranges.begin(), ranges.end(), range) == ranges.end()) return absl::OkStatus();
    for (const CodeRange& other : ranges) {
      STILE_ASSIGN_OR_RETURN(const std::string before, TextAt(other, index_));
      if (before == old_name_) found_.edits.try_emplace(other, new_name_);
    }
    return absl::OkStatus();
  }

  // Whether a definition is the name that an import takes from the symbol's package, by the
  // package's own name: the resolver does not find that module, such as one that a build makes.
  bool IsFromOwnPackage(const CodeRange& definition) {
    const auto file = index_->Open(definition.path);
    return file.ok() &&
           declaration_files_.IsImportOfPackage(**file, definition.begin, seed_.file->path);
  }

  void AddFromBeside(const CodeRange& definition) {
    const bool is_beside =
        std::any_of(declarations_.begin(), declarations_.end(), [&](const auto& declared) {
          return DeclarationFiles::AreBeside(definition.path, declared.first.path);
        });
    if (!is_beside) return;
    if (const auto declaration = DeclarationAt(definition)) Add(*declaration);
  }

  bool IsEdited(const CodeRange& range) const { return TouchesEdit(found_.edits, range); }

  const Resolution& resolution_;
  const std::map<CodeRange, std::string>& also_;
  const Declaration seed_;
  const bool is_member_;
  const std::string old_name_;
  const std::string new_name_;
  CodeIndex* const index_;
  Resolver* const resolver_;
  std::vector<std::string> users_;
  ResolvedSymbol found_;
  std::map<CodePlace, Declaration> declarations_;  // of the symbol
  bool is_unknown_ = false;                        // no answer names the declaration
  std::set<CodePlace> prototypes_;                 // of these, where they stand elsewhere
  std::deque<CodePlace> queue_;                    // of them, not yet asked about
  KeptKeys kept_keys_;
  ResolvedBases bases_;
  DeclarationFiles declaration_files_;
  OtherMeanings meanings_;
  ParsedFiles parsed_;
};

}  // namespace

absl::StatusOr<ResolvedSymbol> ResolveSymbol(const Resolution& resolution,
                                             const std::string& new_name,
                                             const std::map<CodeRange, std::string>& also,
                                             CodeIndex* index, ResolverPool* pool) {
  if (resolution.targets.empty()) return absl::NotFoundError("nothing to resolve");
  STILE_ASSIGN_OR_RETURN(Resolver * resolver,
                         pool->For(resolution.targets[0].file->path, kTimeLimit));
  auto found = SymbolAsker(resolution, new_name, also, index, resolver).Run();
  if (found.ok() || absl::IsFailedPrecondition(found.status()) ||
      absl::IsCancelled(found.status())) {
    return found;
  }
  return WithContext(found.status(), resolver->name());
}

}  // namespace stile
