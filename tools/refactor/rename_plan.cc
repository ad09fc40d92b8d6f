#include "tools/refactor/rename_plan.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_errors.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/edit/trial.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"
#include "tools/refactor/crate_name.h"
#include "tools/refactor/doc_examples.h"
#include "tools/refactor/doc_mentions.h"
#include "tools/refactor/doc_places.h"
#include "tools/refactor/library_members.h"
#include "tools/refactor/name_edits.h"
#include "tools/refactor/new_name.h"
#include "tools/refactor/parameter_family.h"
#include "tools/refactor/pasted_names.h"
#include "tools/refactor/property_key_literals.h"
#include "tools/refactor/prototype_members.h"
#include "tools/refactor/quoted_keys.h"
#include "tools/refactor/rename_conventions.h"
#include "tools/refactor/symbol_family.h"
#include "tools/refactor/unbound_places.h"

namespace stile {
namespace {

using Place = std::pair<std::string, uint32_t>;

std::string DescribeAll(const Resolution& resolution) {
  constexpr size_t kMaxShown = 10;
  std::vector<std::string> shown;
  for (const Declaration& target : resolution.targets) {
    if (shown.size() == kMaxShown) break;
    shown.push_back(absl::StrCat(ToUtf8(target.QualifiedName()), " (", ToUtf8(target.file->path),
                                 ":", target.place().line, ")"));
  }
  return absl::StrCat(absl::StrJoin(shown, ", "),
                      resolution.targets.size() > shown.size()
                          ? absl::StrCat(" and ", resolution.targets.size() - shown.size(), " more")
                          : "");
}

// Adds those whose place is none of a candidate yet.
void AddNew(std::vector<RenameCandidate> found, std::vector<RenameCandidate>* candidates) {
  std::set<Place> known;
  for (const RenameCandidate& candidate : *candidates) known.insert(PlaceOf(candidate));
  for (RenameCandidate& candidate : found) {
    if (known.insert(PlaceOf(candidate)).second) candidates->push_back(std::move(candidate));
  }
}

std::vector<RenameCandidate> UnboundCandidates(const Resolution& symbol,
                                               const std::string& new_name, CodeIndex* index) {
  std::vector<RenameCandidate> found = MembersOfModules(symbol, new_name, index);
  AddNew(PassedByName(symbol.targets[0], new_name, index), &found);
  AddNew(QuotedKeys(symbol, index), &found);
  return found;
}

// Replaces the candidates at `places` by `found`.
void Supersede(std::vector<RenameCandidate> found, const std::set<Place>& places,
               std::vector<RenameCandidate>* candidates) {
  std::erase_if(*candidates,
                [&](const RenameCandidate& other) { return places.count(PlaceOf(other)) > 0; });
  for (RenameCandidate& candidate : found) candidates->push_back(std::move(candidate));
}

// Adds what other files require by the old name. `both`: what a resolver writes where it renames
// the variable of a pattern alone.
void AddRequired(std::vector<RenameCandidate> found, const std::string& both,
                 const std::string& new_name, std::vector<RenameCandidate>* candidates) {
  std::map<Place, RenameCandidate*> renamed;
  for (RenameCandidate& candidate : *candidates) {
    if (candidate.is_renamed) renamed.emplace(PlaceOf(candidate), &candidate);
  }
  std::vector<RenameCandidate> more;
  std::set<Place> places;
  for (RenameCandidate& required : found) {
    const auto known = renamed.find(PlaceOf(required));
    if (known == renamed.end()) {
      places.insert(PlaceOf(required));
      more.push_back(std::move(required));
    } else if (required.is_renamed && known->second->replacement == both) {
      known->second->replacement = new_name;
    }
  }
  Supersede(std::move(more), places, candidates);
}

// Adds names that follow by convention.
void AddConventional(std::vector<RenameCandidate> found, std::vector<RenameCandidate>* candidates) {
  std::set<Place> exact;
  for (const RenameCandidate& candidate : found) {
    if (candidate.certainty == Certainty::kExact) exact.insert(PlaceOf(candidate));
  }
  Supersede(std::move(found), exact, candidates);
}

// C++: the member of the class around, in code that the preprocessor takes away, such as
// `assert(size_ > 0)` under NDEBUG. No other class of that name has such a member.
bool IsOfClassAround(const Resolution& symbol, const RenameCandidate& candidate) {
  const Declaration& first = symbol.targets[0];
  if (first.symbol < 0 || !IsMember(first.AsSymbol().kind)) return false;
  const bool has_namesake =
      std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
        return other.symbol >= 0 && !symbol.IsTarget(*other.file, other.symbol) &&
               other.AsSymbol().container == first.AsSymbol().container;
      });
  const NamingFacts& naming = LanguageBackendOf(candidate.file->language.id).naming;
  return !has_namesake && naming.has_prototypes && naming.implicit_this &&
         candidate.certainty == Certainty::kExact && !candidate.is_declaration &&
         candidate.occurrence.role == OccurrenceRole::kReference &&
         candidate.occurrence.binding < 0;
}

// Whether scope binds the place to a name of the same file that the resolver gives `new_name`:
// servers do not look into every quoted name.
bool IsBoundToResolved(const RenameCandidate& candidate, const ResolvedSymbol& resolved,
                       const std::string& new_name) {
  const int bound = candidate.occurrence.binding;
  if (bound < 0 || resolved.names_every_place) return false;
  const Binding& binding = candidate.file->scopes.bindings[static_cast<size_t>(bound)];
  const auto end = binding.name_begin + static_cast<uint32_t>(binding.name.size());
  const auto edit = resolved.edits.find({candidate.file->path, binding.name_begin, end});
  return edit != resolved.edits.end() && edit->second == new_name;
}

// Whether the resolution is one symbol that can have the name, as far as names tell.
absl::Status CheckNames(const Resolution& resolution, const std::string& new_name) {
  const std::string& old_name = resolution.targets[0].name();
  STILE_RETURN_IF_ERROR(CheckNewName(resolution.targets[0].file->language, new_name));
  if (!IsIdentifier(old_name)) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(old_name), " is not a name that can be changed"));
  }
  if (new_name == old_name) {
    return absl::FailedPreconditionError(absl::StrCat("it is called ", new_name, " already"));
  }
  if (!resolution.IsUnambiguous()) {
    return absl::FailedPreconditionError(
        absl::StrCat("several symbols are called ", ToUtf8(old_name), ": ", DescribeAll(resolution),
                     ". Give Owner.name as symbolName, or filePath and line, to choose one"));
  }
  if (resolution.targets[0].symbol >= 0 &&
      resolution.targets[0].AsSymbol().kind == SymbolKind::kConstructor) {
    return absl::FailedPreconditionError("a constructor is renamed with its type; name the type");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RenamePlan> RenamePlan::Make(Resolution resolution, std::string new_name,
                                            CodeIndex* index) {
  RenamePlan plan;
  if (resolution.targets.empty()) return absl::NotFoundError("nothing to rename");
  plan.old_name_ = resolution.targets[0].name();
  STILE_RETURN_IF_ERROR(CheckNames(resolution, new_name));
  const std::string outside = KnownOutside(resolution, index);
  if (!outside.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(plan.old_name_, outside, ". Use file.modify if this is wrong"));
  }
  CompleteFamily(&resolution, index);
  const std::string caller = CalledOutside(resolution, new_name);
  if (!caller.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("Nothing was changed: ", caller, ". Choose another NEW-NAME"));
  }
  plan.new_name_ = std::move(new_name);
  plan.symbol_ = std::move(resolution);
  plan.unbound_ = UnboundCandidates(plan.symbol_, plan.new_name_, index);
  plan.Classify({}, {});
  const bool is_declared = std::any_of(
      plan.candidates_.begin(), plan.candidates_.end(),
      [](const RenameCandidate& c) { return c.is_declaration && !c.is_other_declaration; });
  if (!is_declared) {
    return absl::FailedPreconditionError(absl::StrCat(
        ToUtf8(plan.old_name_), " is declared as a string, not as a name; use file.modify"));
  }
  std::string conflict = NameConflict(plan.symbol_, plan.candidates_, plan.new_name_, index);
  if (conflict.empty()) conflict = PassedTogether(plan.symbol_.targets[0], plan.new_name_, index);
  if (!conflict.empty()) return absl::FailedPreconditionError(conflict);
  const Declaration& first = plan.symbol_.targets[0];
  if (LanguageBackendOf(first.file->language.id).naming.doc_tests) {
    plan.crate_ = CrateOf(index->workspace(), first.file->path);
  }
  // A keyword, or what else cannot stand there.
  const std::string after = ApplyEdits(
      first.file->text,
      {{first.name_begin(), first.name_begin() + static_cast<uint32_t>(plan.old_name_.size()),
        plan.new_name_}});
  if (!IntroducedErrors(first.file->grammar, first.file->text, after).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(plan.new_name_, " cannot be a name in ",
                                                   first.file->language.name, "; choose another"));
  }
  return plan;
}

// From the symbol as it is known by now. What a compiler has decided stays decided.
void RenamePlan::Classify(const std::set<Place>& decided_in, const std::set<Place>& decided_out) {
  candidates_.clear();
  std::set<Place> seen;
  for (Reference& reference : FindReferences(symbol_)) {
    RenameCandidate candidate{std::move(reference.file), reference.occurrence, reference.certainty,
                              reference.is_declaration};
    candidate.is_renamed = candidate.certainty == Certainty::kExact;
    const int binding = candidate.occurrence.binding;
    if (binding >= 0 && symbol_.targets[0].symbol >= 0 &&
        candidate.file->scopes.bindings[static_cast<size_t>(binding)].kind ==
            BindingKind::kImport) {
      candidate.group = binding;
    }
    seen.insert(PlaceOf(candidate));
    candidates_.push_back(std::move(candidate));
  }
  const bool is_symbol = symbol_.targets[0].symbol >= 0;
  AddNew(DeclaredInComments(symbol_), &candidates_);
  for (const Declaration& other : symbol_.all) {
    if (!is_symbol || other.symbol < 0 || !AreAlike(symbol_.targets[0], other)) continue;
    RenameCandidate candidate{other.file, {}, Certainty::kLikely, true, true};
    candidate.occurrence.begin = other.name_begin();
    candidate.occurrence.end = other.name_begin() + static_cast<uint32_t>(old_name_.size());
    candidate.occurrence.role = OccurrenceRole::kDefinition;
    if (seen.insert(PlaceOf(candidate)).second) candidates_.push_back(std::move(candidate));
  }
  if (is_symbol && symbol_.targets[0].AsSymbol().kind == SymbolKind::kMethod) {
    AddNew(AnonymousMembers(symbol_), &candidates_);
    AddNew(UnnamedInterfaces(symbol_), &candidates_);
  }
  if (is_symbol && IsMember(symbol_.targets[0].AsSymbol().kind)) AddTexts();
  AddNew(unbound_, &candidates_);
  if (resolved_.has_value()) {
    ApplyResolved();
  } else if (IsOfPrototype(symbol_.targets[0])) {
    KeepToPrototype(symbol_, &candidates_);
  }
  if (is_symbol) {
    AddRequired(RequiredNames(symbol_, new_name_), absl::StrCat(old_name_, ": ", new_name_),
                new_name_, &candidates_);
  }
  AddConventional(ConventionalNames(symbol_, new_name_), &candidates_);
  if (is_symbol) AddDocExamples();
  for (const RenameCandidate& added : added_) {
    const bool is_known =
        std::any_of(candidates_.begin(), candidates_.end(),
                    [&](const RenameCandidate& other) { return PlaceOf(other) == PlaceOf(added); });
    if (!is_known) candidates_.push_back(added);
  }
  for (RenameCandidate& candidate : candidates_) {
    if (decided_in.count(PlaceOf(candidate)) > 0) candidate.is_renamed = true;
    if (decided_out.count(PlaceOf(candidate)) > 0) candidate.is_renamed = false;
  }
}

std::map<CodeRange, std::string> RenamePlan::UnboundPlaces() const {
  std::map<CodeRange, std::string> places;
  for (const RenameCandidate& unbound : unbound_) {
    places.emplace(CodeRange{unbound.file->path, unbound.occurrence.begin, unbound.occurrence.end},
                   ReplacementOf(unbound, new_name_));
  }
  return places;
}

absl::Status RenamePlan::Adopt(ResolvedSymbol resolved, CodeIndex* index) {
  for (const auto& [range, text] : resolved.edits) {
    if (resolved_files_.count(range.path) > 0) continue;
    STILE_ASSIGN_OR_RETURN(resolved_files_[range.path], index->Open(range.path));
  }
  const Declaration& first = symbol_.targets[0];
  const bool has_protocols = IsGradual(first.file->language);
  for (const Declaration& twin :
       has_protocols ? ProtocolTwins(first, symbol_.all) : std::vector<Declaration>()) {
    const auto end = twin.name_begin() + static_cast<uint32_t>(old_name_.size());
    resolved.unseen.insert({twin.file->path, twin.name_begin(), end});
  }
  // Of other prototypes: one may derive from the other in a form that nothing here reads.
  for (const Declaration& other : symbol_.all) {
    if (!IsOfPrototype(first) || !IsOfPrototype(other)) continue;
    const auto end = other.name_begin() + static_cast<uint32_t>(old_name_.size());
    resolved.unseen.insert({other.file->path, other.name_begin(), end});
  }
  resolved_ = std::move(resolved);
  Classify({}, {});
  return absl::OkStatus();
}

void RenamePlan::ApplyResolved() {
  std::map<CodeRange, std::string> missing = resolved_->edits;
  for (RenameCandidate& candidate : candidates_) {
    const CodeRange range{candidate.file->path, candidate.occurrence.begin,
                          candidate.occurrence.end};
    const auto edit = missing.find(range);
    const bool is_it = edit != missing.end();
    const bool is_other = !is_it && resolved_->others.count(range) > 0;
    // By scope it is the symbol, by the resolver it is not: people have to look.
    const bool is_disputed = is_other && candidate.certainty == Certainty::kExact &&
                             candidate.occurrence.role != OccurrenceRole::kMember &&
                             !candidate.is_declaration && !resolved_->names_every_place;
    if (is_disputed) {
      candidate.is_renamed = false;
      candidate.certainty = Certainty::kLikely;
      candidate.group = -1;
    } else if (is_it || is_other) {
      candidate.is_resolved = true;
      candidate.is_renamed = is_it;
      candidate.certainty = Certainty::kExact;
      candidate.group = -1;
      candidate.is_other_declaration = candidate.is_other_declaration && !is_it;
    } else if (!candidate.is_other_declaration && !candidate.is_text) {
      // Where there is no answer, scope tells, and the compiler may object.
      const bool is_by_scope = resolved_->unanswered.count(range) > 0 && candidate.is_renamed &&
                               candidate.certainty == Certainty::kExact;
      candidate.is_renamed = is_by_scope || IsBoundToResolved(candidate, *resolved_, new_name_) ||
                             (resolved_->partial.empty() && IsOfClassAround(symbol_, candidate));
      candidate.certainty =
          candidate.is_renamed && !is_by_scope ? Certainty::kExact : Certainty::kLikely;
      // Of another type of the same name.
      candidate.is_other_declaration = candidate.is_declaration && !is_by_scope;
    }
    candidate.is_unseen = candidate.is_other_declaration && resolved_->unseen.count(range) > 0;
    if (is_it) {
      candidate.replacement = edit->second;
      missing.erase(edit);
    }
  }
  for (auto& [range, text] : missing) {
    const auto& file = resolved_files_.at(range.path);
    if (symbol_.targets[0].symbol >= 0 &&
        IsWordOfDocumentation(*file, range.begin, resolved_->edits))
      continue;
    RenameCandidate candidate{file, {}, Certainty::kExact, false};
    candidate.occurrence.begin = range.begin;
    candidate.occurrence.end = range.end;
    candidate.occurrence.role = OccurrenceRole::kRaw;
    candidate.is_resolved = true;
    candidate.is_renamed = true;
    candidate.replacement = std::move(text);
    candidates_.push_back(std::move(candidate));
  }
}

void RenamePlan::AddTexts() {
  for (const auto& file : symbol_.files) {
    if (!LanguageBackendOf(file->language.id).naming.has_declaration_files) continue;
    for (const PropertyKeyLiteral& key : FindPropertyKeyLiterals(*file, old_name_)) {
      RenameCandidate candidate{file, {}, Certainty::kLikely, false};
      candidate.occurrence.begin = key.begin;
      candidate.occurrence.end = key.end;
      candidate.occurrence.role = OccurrenceRole::kRaw;
      candidate.is_text = true;
      std::string owner;
      for (const Declaration& target : symbol_.targets) {
        const std::string type = LastComponent(target.AsSymbol().container);
        if (!type.empty() && (type == key.type || HoldsWord(key.object_type, type))) owner = type;
      }
      candidate.may_be_key = !owner.empty() || key.is_looked_for;
      candidate.is_renamed = !owner.empty() && IsOwnersName(symbol_, owner, *file);
      candidates_.push_back(std::move(candidate));
    }
  }
}

bool RenamePlan::AddPlace(const std::string& path, int line, int column, bool in_example) {
  const auto file = std::find_if(symbol_.files.begin(), symbol_.files.end(),
                                 [&](const auto& other) { return other->path == path; });
  if (file == symbol_.files.end()) return false;
  const absl::string_view text = (*file)->Line(line);
  if (text.empty()) return false;
  const auto line_begin = static_cast<uint32_t>(text.data() - (*file)->text.data());
  std::optional<uint32_t> nearest;
  const auto distance = [&](uint32_t begin) {
    return std::abs(static_cast<int>(begin - line_begin) + 1 - column);
  };
  for (size_t at = 0; (at = FindWord(text, old_name_, at)) != absl::string_view::npos;
       at += old_name_.size()) {
    const uint32_t begin = line_begin + static_cast<uint32_t>(at);
    const bool is_known =
        std::any_of(candidates_.begin(), candidates_.end(), [&](const RenameCandidate& other) {
          return PlaceOf(other) == Place{path, begin};
        });
    if (is_known) continue;
    if (in_example && !DocExampleAt(**file, begin).has_value()) continue;
    if (!nearest.has_value() || distance(begin) < distance(*nearest)) nearest = begin;
  }
  if (!nearest.has_value()) return false;
  RenameCandidate candidate{*file, {}, Certainty::kLikely, false};
  candidate.occurrence.begin = *nearest;
  candidate.occurrence.end = *nearest + static_cast<uint32_t>(old_name_.size());
  candidate.occurrence.role = OccurrenceRole::kRaw;
  candidate.is_renamed = true;
  candidate.is_example = DocExampleAt(**file, *nearest).has_value();
  added_.push_back(candidate);
  candidates_.push_back(std::move(candidate));
  return true;
}

void RenamePlan::Set(size_t index, bool renamed) {
  const RenameCandidate chosen = candidates_[index];
  const auto belongs = [&](const RenameCandidate& candidate) {
    if (chosen.group < 0) return PlaceOf(candidate) == PlaceOf(chosen);
    return candidate.group == chosen.group && candidate.file->path == chosen.file->path;
  };
  if (!chosen.is_other_declaration || !renamed) {
    for (RenameCandidate& candidate : candidates_) {
      if (belongs(candidate)) candidate.is_renamed = renamed;
    }
    return;
  }
  std::set<Place> decided_in;
  std::set<Place> decided_out;
  for (const RenameCandidate& candidate : candidates_) {
    if (candidate.is_other_declaration && !candidate.is_renamed) continue;
    (candidate.is_renamed ? decided_in : decided_out).insert(PlaceOf(candidate));
  }
  for (const Declaration& other : symbol_.all) {
    if (other.symbol >= 0 && other.file->path == chosen.file->path &&
        other.name_begin() == chosen.occurrence.begin) {
      symbol_.targets.push_back(other);
    }
  }
  symbol_.is_family = true;
  decided_in.insert(PlaceOf(chosen));  // whatever a resolver has said
  Classify(decided_in, decided_out);
}

void RenamePlan::AddDocumentPlace(const std::string& path, const std::string& text,
                                  uint32_t begin) {
  Document& document = documents_[path];
  document.text = text;
  document.places.insert(begin);
}

void RenamePlan::SetLikely(const std::function<bool(const RenameCandidate&)>& renamed) {
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const RenameCandidate& candidate = candidates_[i];
    if (candidate.certainty == Certainty::kExact || candidate.is_other_declaration ||
        candidate.is_text) {
      continue;
    }
    Set(i, renamed(candidates_[i]));
  }
}

std::string RenamePlan::ReplacementOf(const RenameCandidate& candidate,
                                      const std::string& name) const {
  if (!candidate.replacement.empty() && name == new_name_) return candidate.replacement;
  const bool is_field =
      symbol_.targets[0].symbol >= 0 && symbol_.targets[0].AsSymbol().kind == SymbolKind::kField;
  if (candidate.occurrence.role == OccurrenceRole::kRaw && is_field &&
      !LanguageBackendOf(candidate.file->language.id).naming.pattern_words.empty() &&
      IsShortField(candidate.file->text, candidate.occurrence.begin, candidate.occurrence.end)) {
    return absl::StrCat(name, ": ", old_name_);
  }
  if (candidate.occurrence.role != OccurrenceRole::kShorthand) return name;
  // `{bar}` is key and variable: the one that keeps its name is written beside the other.
  const bool is_key =
      candidate.occurrence.binding < 0 ||
      (symbol_.targets[0].symbol >= 0 && IsMember(symbol_.targets[0].AsSymbol().kind));
  return is_key ? absl::StrCat(name, ": ", old_name_) : absl::StrCat(old_name_, ": ", name);
}

EditPlan RenamePlan::Edits(const std::string& instead,
                           const std::function<bool(const RenameCandidate&)>& asked) const {
  EditPlan plan;
  for (const RenameCandidate& candidate : candidates_) {
    const bool is_asked = asked != nullptr && asked(candidate);
    if (!candidate.is_renamed && !is_asked) continue;
    if (candidate.is_example && !follows_docs_) continue;
    plan.Edit(*candidate.file,
              WithPatternWords(*candidate.file,
                               {candidate.occurrence.begin, candidate.occurrence.end,
                                ReplacementOf(candidate, is_asked ? instead : new_name_)}));
  }
  for (const auto& [file, begin] : DocPlaces()) {
    plan.Edit(*file, {begin, begin + static_cast<uint32_t>(old_name_.size()), new_name_});
  }
  for (const auto& [path, document] : documents_) {
    for (const uint32_t begin : document.places) {
      plan.EditText(path, document.text,
                    {begin, begin + static_cast<uint32_t>(old_name_.size()), new_name_});
    }
  }
  // Where the language wants a file to be called like the type in it, or people do.
  for (const Declaration& target : symbol_.targets) {
    if (target.symbol < 0 || !IsType(target.AsSymbol().kind)) continue;
    if (!LanguageBackendOf(target.file->language.id).naming.types_name_files) continue;
    const std::string base = BaseName(target.file->path);
    const size_t dot = base.find('.');
    if (dot == std::string::npos || base.substr(0, dot) != old_name_) continue;
    plan.Move(*target.file,
              JoinPath(DirName(target.file->path), absl::StrCat(new_name_, base.substr(dot))));
  }
  return plan;
}

std::set<DocPlace> RenamePlan::DocPlaces() const {
  return follows_docs_ ? FindDocPlaces(symbol_, crate_, candidates_) : std::set<DocPlace>();
}

// The compiler that is asked about examples may take them back.
void RenamePlan::AddDocExamples() {
  if (!LanguageBackendOf(symbol_.targets[0].file->language.id).naming.doc_tests) return;
  for (const auto& [file, begin] : DocPlaces()) {
    if (!DocExampleAt(*file, begin).has_value()) continue;
    RenameCandidate candidate{file, {}, Certainty::kExact, false};
    candidate.occurrence.begin = begin;
    candidate.occurrence.end = begin + static_cast<uint32_t>(old_name_.size());
    candidate.occurrence.role = OccurrenceRole::kRaw;
    candidate.is_renamed = true;
    candidate.is_example = true;
    candidates_.push_back(std::move(candidate));
  }
}

std::set<DocExample> RenamePlan::FindExamples(CodeIndex* index) const {
  const Declaration& first = symbol_.targets[0];
  const bool has_examples = follows_docs_ && first.symbol >= 0 &&
                            LanguageBackendOf(first.file->language.id).naming.doc_tests;
  return has_examples ? FindDocExamples(old_name_, symbol_.files, index) : std::set<DocExample>();
}

std::set<std::string> RenamePlan::UnknownBases(CodeIndex* index) const {
  const Declaration& first = symbol_.targets[0];
  const Language& language = first.file->language;
  if (first.symbol < 0 || !IsMember(first.AsSymbol().kind) || !IsGradual(language)) return {};
  if (resolved_.has_value()) return resolved_->unknown_bases;
  // Their members are few, and have names of their own.
  static const auto* const kHarmless =
      new std::set<std::string>{"object", "ABC", "Exception", "Generic", "Object", "Protocol"};
  std::set<std::string> unknown;
  for (const std::string& base :
       TypesAbove(LastComponent(first.AsSymbol().container), language, index)) {
    const auto files = index->FilesWith(base);
    const bool is_declared = std::any_of(files.begin(), files.end(), [&](const auto& file) {
      return std::any_of(file->symbols.begin(), file->symbols.end(), [&](const Symbol& symbol) {
        return symbol.name == base && IsType(symbol.kind);
      });
    });
    if (!is_declared && kHarmless->count(base) == 0) unknown.insert(base);
  }
  return unknown;
}

std::vector<TextMention> RenamePlan::Mentions() const {
  std::set<Place> known;
  for (const RenameCandidate& candidate : candidates_) {
    // A string for which no compiler asked: `Object.hasOwn(shape, "area")`.
    const bool is_left = candidate.is_text && !candidate.is_renamed && !candidate.may_be_key;
    if (!is_left) known.insert(PlaceOf(candidate));
  }
  for (const auto& [file, begin] : DocPlaces()) known.insert({file->path, begin});
  std::vector<TextMention> mentions;
  for (const auto& file : symbol_.files) {
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, old_name_)) {
      known.insert({file->path, occurrence.begin});
    }
    const std::string& text = file->text;
    for (size_t at = 0; (at = FindWord(text, old_name_, at)) != absl::string_view::npos;
         at += old_name_.size()) {
      const auto begin = static_cast<uint32_t>(at);
      if (known.count({file->path, begin}) > 0) continue;
      mentions.push_back({file, begin, MayBeRun(text, at, at + old_name_.size()),
                          DocExampleAt(*file, begin).has_value()});
    }
    if (!LanguageBackendOf(file->language.id).generation.has_includes) continue;
    for (const uint32_t begin : FindPastedNames(text, old_name_)) {
      mentions.push_back({file, begin, /*is_quoted=*/true, /*is_example=*/false});
    }
  }
  return mentions;
}

}  // namespace stile
