#include "tools/index/symbol_query.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// "a.b" for "b", "x.a.b" for "a.b": the owner may be written from anywhere inwards.
bool EndsWithOwner(absl::string_view container, absl::string_view owner) {
  if (owner.empty() || container == owner) return true;
  return container.size() > owner.size() && absl::EndsWith(container, owner) &&
         container[container.size() - owner.size() - 1] == '.';
}

// What the occurrences of the name on the line of the query mean; empty: nothing to go by.
std::vector<Declaration> OnLine(const std::shared_ptr<const SourceFile>& file,
                                const SymbolQuery& query) {
  std::vector<Declaration> found;
  const SourceFile& source = *file;
  for (size_t i = 0; i < source.symbols.size(); ++i) {
    const Symbol& symbol = source.symbols[i];
    if (symbol.name == query.name && symbol.line == query.line) {
      found.push_back({file, static_cast<int>(i), -1});
    }
  }
  if (!found.empty()) return found;
  for (const Occurrence& occurrence :
       FindOccurrences(source.grammar, source.scopes, source.text, query.name)) {
    if (source.PlaceOf(occurrence.begin).line != query.line || occurrence.binding < 0) continue;
    const Binding& binding = source.scopes.bindings[static_cast<size_t>(occurrence.binding)];
    for (size_t i = 0; i < source.symbols.size(); ++i) {
      if (source.symbols[i].name_begin == binding.name_begin &&
          source.symbols[i].name == query.name) {
        found.push_back({file, static_cast<int>(i), -1});
      }
    }
    const bool is_local = !binding.is_file_level && binding.kind != BindingKind::kImport;
    if (found.empty() && is_local) found.push_back({file, -1, occurrence.binding});
    if (!found.empty()) return found;
  }
  return found;
}

// InvalidArgument where the line uses a variable and, by the same name, a member or key:
// `self.x = x`, `{x: x}`.
absl::Status CheckOneMeaning(const Declaration& variable, const SymbolQuery& query) {
  const SourceFile& file = *variable.file;
  const int declared_on = variable.place().line;
  const bool is_local = variable.symbol < 0;
  const bool literals_matter = LanguageBackendOf(file.language.id).naming.literals_declare_members;
  if (declared_on == query.line || (!is_local && !literals_matter)) return absl::OkStatus();
  for (const Occurrence& occurrence :
       FindOccurrences(file.grammar, file.scopes, file.text, query.name)) {
    const bool is_key =
        occurrence.role == OccurrenceRole::kKey ||
        (occurrence.role == OccurrenceRole::kMember && (is_local || occurrence.receiver_end == 0));
    if (!is_key || file.PlaceOf(occurrence.begin).line != query.line) continue;
    const std::string name = ToUtf8(query.name);
    const std::string kind(is_local ? "local" : SymbolKindName(variable.AsSymbol().kind));
    return absl::InvalidArgumentError(absl::StrCat(
        "line ", query.line, " of ", ToUtf8(file.path), " uses ", name,
        " twice: as a member or key, and as the ", kind, " that line ", declared_on,
        " declares. Give that line for the ", kind, ", or Owner.", name, " for the member"));
  }
  return absl::OkStatus();
}

std::vector<Declaration> DeclaredIn(const std::shared_ptr<const SourceFile>& file,
                                    const std::string& name) {
  std::vector<Declaration> found;
  for (size_t i = 0; i < file->symbols.size(); ++i) {
    if (file->symbols[i].name == name) found.push_back({file, static_cast<int>(i), -1});
  }
  return found;
}

void Keep(std::vector<Declaration>* declarations,
          const std::function<bool(const Declaration&)>& wanted) {
  std::vector<Declaration> kept;
  std::copy_if(declarations->begin(), declarations->end(), std::back_inserter(kept), wanted);
  if (!kept.empty()) *declarations = std::move(kept);
}

// Whether a type of that name is around the declaration, though not its owner: a friend function.
bool IsWrittenIn(const Declaration& declaration, const std::string& owner) {
  const SourceFile& file = *declaration.file;
  for (size_t i = 0; declaration.symbol >= 0 && i < file.symbols.size(); ++i) {
    const Symbol& type = file.symbols[i];
    const bool is_around =
        type.begin <= declaration.name_begin() && declaration.name_begin() < type.end;
    if (is_around && IsType(type.kind) &&
        EndsWithOwner(file.QualifiedName(static_cast<int>(i)), owner)) {
      return true;
    }
  }
  return false;
}

// Keeps the members of an owner; without one, what is written in it.
void KeepOwned(const std::string& owner, std::vector<Declaration>* declarations) {
  std::vector<Declaration> owned;
  const auto keep = [&](const auto& is_owned) {
    std::copy_if(declarations->begin(), declarations->end(), std::back_inserter(owned), is_owned);
  };
  keep([&](const Declaration& one) {
    return one.symbol >= 0 && EndsWithOwner(one.AsSymbol().container, owner);
  });
  if (owned.empty()) keep([&](const Declaration& one) { return IsWrittenIn(one, owner); });
  *declarations = std::move(owned);
}

absl::Status NothingFound(const SymbolQuery& query, size_t files) {
  const std::string name =
      query.owner.empty() ? query.name : absl::StrCat(query.owner, ".", query.name);
  if (files == 0) {
    return absl::NotFoundError(
        absl::StrCat("no code in the workspace uses the name ", ToUtf8(name)));
  }
  return absl::NotFoundError(absl::StrCat(
      Count(files, "file"), " of the workspace ", files == 1 ? "holds" : "hold", " the name ",
      ToUtf8(name), ", and no declaration of it is found there; it may come from a library"));
}

}  // namespace

SymbolQuery ParseSymbolName(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  std::string plain = absl::StrReplaceAll(text.substr(0, text.find('(')),
                                          {{"::", "."}, {"->", "."}, {"#", "."}, {"/", "."}});
  // Type arguments are no part of a name; operators are.
  if (!absl::StrContains(plain, "operator")) plain = plain.substr(0, plain.find('<'));
  while (!plain.empty() && plain.back() == '.') plain.pop_back();
  SymbolQuery query;
  const size_t dot = plain.rfind('.');
  query.name = dot == std::string::npos ? plain : plain.substr(dot + 1);
  if (dot != std::string::npos) query.owner = plain.substr(0, dot);
  return query;
}

uint32_t Declaration::name_begin() const {
  return symbol >= 0 ? AsSymbol().name_begin
                     : file->scopes.bindings[static_cast<size_t>(binding)].name_begin;
}

const std::string& Declaration::name() const {
  return symbol >= 0 ? AsSymbol().name : file->scopes.bindings[static_cast<size_t>(binding)].name;
}

std::string Declaration::QualifiedName() const {
  if (symbol >= 0) return file->QualifiedName(symbol);
  const Binding& local = file->scopes.bindings[static_cast<size_t>(binding)];
  const std::string around = file->QualifiedName(file->SymbolAround(local.name_begin));
  return around.empty() ? local.name : absl::StrCat(around, ".", local.name);
}

bool SeeEachOther(const Language& a, const Language& b) {
  const auto family = [](const Language& language) -> absl::string_view {
    const std::string& shared = LanguageBackendOf(language.id).naming.shares_names_with;
    return shared.empty() ? language.id : shared;
  };
  return family(a) == family(b);
}

bool Resolution::IsTarget(const SourceFile& file, int symbol) const {
  return std::any_of(targets.begin(), targets.end(), [&](const Declaration& target) {
    return target.symbol == symbol && target.symbol >= 0 && target.file->path == file.path;
  });
}

bool Resolution::IsUnambiguous() const {
  if (targets.size() < 2 || is_family) return true;
  const Declaration& first = targets[0];
  return std::all_of(targets.begin(), targets.end(), [&](const Declaration& other) {
    // A type and its constructors are one.
    if (first.symbol >= 0 && other.symbol >= 0 &&
        other.AsSymbol().kind == SymbolKind::kConstructor &&
        other.AsSymbol().container == first.QualifiedName()) {
      return true;
    }
    if (first.symbol < 0 || other.symbol < 0) return false;
    if (!SeeEachOther(first.file->language, other.file->language)) return false;
    if (first.AsSymbol().container != other.AsSymbol().container) return false;
    const NamingFacts& naming = LanguageBackendOf(first.file->language.id).naming;
    const bool both_are_fields = (first.AsSymbol().kind == SymbolKind::kField) ==
                                 (other.AsSymbol().kind == SymbolKind::kField);
    if (naming.fields_have_own_names && !both_are_fields) return false;
    // Overloads stand in one file, parts of a type and prototypes of a function in several.
    return first.file->path == other.file->path || !first.AsSymbol().is_definition ||
           !other.AsSymbol().is_definition || !first.AsSymbol().container.empty() ||
           naming.partial_types;
  });
}

bool Resolution::IsOnlyOne() const {
  if (!IsUnambiguous() || targets.empty()) return false;
  return std::all_of(all.begin(), all.end(), [&](const Declaration& other) {
    return IsTarget(*other.file, other.symbol) ||
           !SeeEachOther(targets[0].file->language, other.file->language);
  });
}

namespace {

// Whether the line of the query lies in the definition of a macro of another name.
bool IsInMacro(const SourceFile& file, const SymbolQuery& query) {
  return query.line > 0 &&
         std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
           return symbol.kind == SymbolKind::kMacro && symbol.name != query.name &&
                  file.PlaceOf(symbol.begin).line <= query.line &&
                  query.line <= file.PlaceOf(symbol.end > 0 ? symbol.end - 1 : 0).line;
         });
}

}  // namespace

absl::StatusOr<Resolution> Resolve(const SymbolQuery& query, CodeIndex* index) {
  Resolution found;
  found.workspace = index->workspace();
  if (query.name.empty()) return absl::InvalidArgumentError("the name of the symbol is empty");
  std::shared_ptr<const SourceFile> given;
  if (!query.file.empty()) {
    STILE_ASSIGN_OR_RETURN(given, index->Open(query.file));
    if (query.line > 0) found.targets = OnLine(given, query);
    const bool is_local = found.targets.size() == 1 && found.targets[0].symbol < 0;
    const std::string container =
        is_local ? given->QualifiedName(given->SymbolAround(found.targets[0].name_begin())) : "";
    if (is_local && !query.owner.empty() && !EndsWithOwner(container, query.owner)) {
      found.targets.clear();  // the member of that owner is meant
    } else if (!found.targets.empty() && (is_local || query.owner.empty())) {
      STILE_RETURN_IF_ERROR(CheckOneMeaning(found.targets[0], query));
    }
    found.is_by_line = !found.targets.empty();
    if (found.targets.size() == 1 && found.targets[0].symbol < 0) {
      found.all = found.targets;
      found.files = {given};
      return found;
    }
  }
  found.files = index->FilesWith(query.name);
  for (const auto& file : found.files) {
    const std::vector<Declaration> declared = DeclaredIn(file, query.name);
    found.all.insert(found.all.end(), declared.begin(), declared.end());
  }
  if (found.targets.empty() && given != nullptr && found.all.size() > 1 &&
      IsInMacro(*given, query)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "line ", query.line, " of ", ToUtf8(query.file), " is in the definition of a macro, and ",
        ToUtf8(query.name), " has ", found.all.size(),
        " declarations: give the line of one of them, or of a use outside of macros"));
  }
  if (found.targets.empty()) {
    found.targets = found.all;
    if (given != nullptr) {
      // The file is where it is declared or, failing that, where it is used.
      Keep(&found.targets,
           [&](const Declaration& declaration) { return declaration.file->path == given->path; });
      Keep(&found.targets, [&](const Declaration& declaration) {
        return SeeEachOther(declaration.file->language, given->language);
      });
    }
  }
  if (!query.owner.empty()) KeepOwned(query.owner, &found.targets);
  if (found.targets.empty()) return NothingFound(query, found.files.size());
  return found;
}

absl::StatusOr<Resolution> ResolveDeclarationAt(const std::string& path, uint32_t offset,
                                                const std::string& name, CodeIndex* index,
                                                std::optional<SymbolKind> kind) {
  STILE_ASSIGN_OR_RETURN(std::shared_ptr<const SourceFile> file, index->Open(path));
  if (FindWord(file->text, name, offset) != offset) {
    return absl::DataLossError(absl::StrCat(ToUtf8(name), " does not stand there in ", path));
  }
  const auto is_there = [&](const Symbol& symbol) {
    return symbol.name_begin == offset && symbol.name == name;
  };
  if (std::none_of(file->symbols.begin(), file->symbols.end(), is_there)) {
    Symbol symbol;
    symbol.name = name;
    symbol.name_begin = symbol.begin = offset;
    symbol.name_end = symbol.end = symbol.signature_end =
        offset + static_cast<uint32_t>(name.size());
    const TextPlace place = file->PlaceOf(offset);
    symbol.line = place.line;
    symbol.column = place.column;
    symbol.parent = file->SymbolAround(offset);
    symbol.container = file->QualifiedName(symbol.parent);
    const bool is_called = file->text.substr(symbol.end, 1) == "(";
    symbol.kind = kind.value_or(is_called ? SymbolKind::kMethod : SymbolKind::kField);
    file = SourceFile::WithSymbol(*file, std::move(symbol));
  }
  Resolution found;
  found.workspace = index->workspace();
  found.is_by_line = true;
  found.files = index->FilesWith(name);
  for (auto& other : found.files) {
    if (other->path == path) other = file;
    for (const Declaration& declared : DeclaredIn(other, name)) {
      found.all.push_back(declared);
      if (other == file && is_there(declared.AsSymbol())) found.targets.push_back(declared);
    }
  }
  if (found.targets.empty()) return absl::AbortedError(absl::StrCat(path, " changed meanwhile"));
  return found;
}

}  // namespace stile
