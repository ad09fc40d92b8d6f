#include "tools/resolve/named_place.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/index/es_modules.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// Where the name first stands on the line, as code if the tree knows it, and behind a dot if the
// query names an owner; nullopt: nowhere.
std::optional<uint32_t> OffsetOnLine(const SourceFile& file, const SymbolQuery& query) {
  std::optional<uint32_t> first;
  for (const Occurrence& occurrence :
       FindOccurrences(file.grammar, file.scopes, file.text, query.name)) {
    if (file.PlaceOf(occurrence.begin).line != query.line) continue;
    const bool is_member = occurrence.role == OccurrenceRole::kMember;
    if (query.owner.empty() || is_member) return occurrence.begin;
    if (!first.has_value()) first = occurrence.begin;
  }
  if (first.has_value()) return first;
  const absl::string_view line = file.Line(query.line);
  const size_t at = line.empty() ? absl::string_view::npos : FindWord(line, query.name);
  if (at == absl::string_view::npos) return std::nullopt;
  return static_cast<uint32_t>(line.data() - file.text.data() + static_cast<int64_t>(at));
}

// The offset of `key: value` in an object literal on the line; nullopt: none, or a declaration of
// the name stands there, too.
std::optional<uint32_t> KeyOnLine(const SourceFile& file, const SymbolQuery& query) {
  if (!LanguageBackendOf(file.language.id).naming.literals_declare_members) return std::nullopt;
  std::optional<uint32_t> key;
  for (const Occurrence& occurrence :
       FindOccurrences(file.grammar, file.scopes, file.text, query.name)) {
    if (file.PlaceOf(occurrence.begin).line != query.line) continue;
    if (occurrence.role == OccurrenceRole::kDefinition) return std::nullopt;
    const bool is_key =
        occurrence.role == OccurrenceRole::kKey ||
        (occurrence.role == OccurrenceRole::kMember && occurrence.receiver_end == 0);
    if (is_key && !key.has_value()) key = occurrence.begin;
  }
  return key;
}

bool HasValueOnLine(const SourceFile& file, const SymbolQuery& query) {
  const auto occurrences = FindOccurrences(file.grammar, file.scopes, file.text, query.name);
  return std::any_of(occurrences.begin(), occurrences.end(), [&](const Occurrence& occurrence) {
    return occurrence.role == OccurrenceRole::kReference &&
           file.PlaceOf(occurrence.begin).line == query.line;
  });
}

// If the key on the line declares the member, the query means the key, not its value. nullopt:
// there is no such key, or no resolver. InvalidArgument: the member is declared elsewhere, and the
// value has its name.
absl::StatusOr<std::optional<Resolution>> ResolveKey(const SymbolQuery& query, CodeIndex* index,
                                                     ResolverPool* pool, absl::Duration limit) {
  const auto file = index->Open(query.file);
  const std::optional<uint32_t> key = file.ok() ? KeyOnLine(**file, query) : std::nullopt;
  if (!key.has_value()) return std::nullopt;
  const auto resolver = pool->For(query.file, limit);
  if (absl::IsCancelled(resolver.status())) return resolver.status();
  if (!resolver.ok()) return std::nullopt;
  const auto places = (*resolver)->Definition({query.file, *key});
  if (absl::IsCancelled(places.status())) return places.status();
  if (!places.ok() || places->ranges.size() != 1) return std::nullopt;
  const CodeRange& range = places->ranges[0];
  if (range.path != query.file || range.begin != *key) {
    const auto declaring = index->Open(range.path);
    if (!declaring.ok() || !HasValueOnLine(**file, query)) return std::nullopt;
    return absl::InvalidArgumentError(absl::StrCat(
        "line ", query.line, " of ", ToUtf8(query.file), " uses ", ToUtf8(query.name),
        " twice: as the member that ", ToUtf8(range.path), ":",
        (*declaring)->PlaceOf(range.begin).line,
        " declares, and as a value. Give the line that declares the one that you mean"));
  }
  auto declared = ResolveDeclarationAt(range.path, range.begin, query.name, index);
  if (!declared.ok()) return std::nullopt;
  return *std::move(declared);
}

bool IsMacro(const Declaration& declaration) {
  return declaration.symbol >= 0 && declaration.AsSymbol().kind == SymbolKind::kMacro;
}

// `CASE(Foo) {` looks like the definition of a function, and may use a macro: then the macro
// becomes the only target, if the resolver says so.
absl::Status PreferMacro(ResolverPool* pool, absl::Duration limit, Resolution* found) {
  const Declaration target = found->targets[0];
  if (IsMacro(target) || std::none_of(found->all.begin(), found->all.end(), IsMacro)) {
    return absl::OkStatus();
  }
  const auto resolver = pool->For(target.file->path, limit);
  if (absl::IsCancelled(resolver.status())) return resolver.status();
  if (!resolver.ok()) return absl::OkStatus();
  const auto places = (*resolver)->Definition({target.file->path, target.name_begin()});
  if (absl::IsCancelled(places.status())) return places.status();
  if (!places.ok() || places->ranges.size() != 1) return absl::OkStatus();
  for (const Declaration& other : found->all) {
    const bool is_it = IsMacro(other) && other.file->path == places->ranges[0].path &&
                       other.name_begin() == places->ranges[0].begin;
    if (!is_it) continue;
    found->targets = {other};
    break;
  }
  return absl::OkStatus();
}

// For the name that an export gives: which places mean it, no syntax tree tells.
absl::Status CheckAlias(const SymbolQuery& query, ResolverPool* pool, absl::Duration limit) {
  const std::string place = absl::StrCat(ToUtf8(query.name), " at ", ToUtf8(query.file), ":",
                                         query.line, " is the name that an export gives");
  if (query.name == "default") {
    return absl::FailedPreconditionError(
        absl::StrCat(place, ": other files import it by that word"));
  }
  if (pool == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(place, "; that needs a language server, and resolvers are off"));
  }
  const absl::Status status = pool->For(query.file, limit).status();
  if (status.ok() || absl::IsCancelled(status)) return status;
  return absl::FailedPreconditionError(
      absl::StrCat(place, "; that needs a language server: ", status.message()));
}

}  // namespace

absl::StatusOr<Resolution> ResolvePlace(const SymbolQuery& query, CodeIndex* index,
                                        ResolverPool* pool, absl::Duration limit) {
  if (pool != nullptr && !query.file.empty() && query.line > 0 && query.owner.empty()) {
    STILE_ASSIGN_OR_RETURN(std::optional<Resolution> key, ResolveKey(query, index, pool, limit));
    if (key.has_value()) return *std::move(key);
  }
  auto found = Resolve(query, index);
  if (found.ok() && found->is_by_line && pool != nullptr) {
    STILE_RETURN_IF_ERROR(PreferMacro(pool, limit, &*found));
  }
  const bool is_clear = found.ok() ? found->is_by_line : !absl::IsNotFound(found.status());
  if (is_clear || query.file.empty() || query.line == 0) return found;
  const auto file = index->Open(query.file);
  if (!file.ok()) return found;
  if (const auto alias = ExportAliasOnLine(**file, query.name, query.line)) {
    STILE_RETURN_IF_ERROR(CheckAlias(query, pool, limit));
    return ResolveDeclarationAt(query.file, *alias, query.name, index, SymbolKind::kVariable);
  }
  if (pool == nullptr) return found;
  const std::optional<uint32_t> offset = OffsetOnLine(**file, query);
  if (!offset.has_value()) return found;
  const auto resolver = pool->For(query.file, limit);
  if (absl::IsCancelled(resolver.status())) return resolver.status();
  if (!resolver.ok()) return found;
  const auto places = (*resolver)->Definition({query.file, *offset});
  if (absl::IsCancelled(places.status())) return places.status();
  if (!places.ok()) return found;
  for (const CodeRange& range : places->ranges) {
    // clangd takes `CASE(Foo) {` for a function where it does not see the macro.
    const bool is_asked = range.path == query.file && range.begin == *offset;
    if (is_asked && found.ok() && std::any_of(found->all.begin(), found->all.end(), IsMacro))
      return found;
    auto declared = ResolveDeclarationAt(range.path, range.begin, query.name, index);
    if (declared.ok()) return declared;
  }
  if (places->ranges.empty() && !places->outside.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(query.name), " at ", ToUtf8(query.file), ":", query.line,
                     " is declared outside of the workspace (", places->outside[0].path, ":",
                     places->outside[0].line, ")"));
  }
  return found;
}

}  // namespace stile
