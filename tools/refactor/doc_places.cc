#include "tools/refactor/doc_places.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/code_index.h"
#include "tools/index/module_map.h"
#include "tools/index/package_imports.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/doc_examples.h"
#include "tools/refactor/doc_mentions.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// `json.load`, where the file imports json: a name of that module.
bool IsBehindImport(const SourceFile& file, uint32_t begin) {
  const absl::string_view text = file.text;
  if (begin == 0 || text[begin - 1] != '.') return false;
  uint32_t from = begin - 1;
  while (from > 0 && IsIdentifierByte(text[from - 1])) --from;
  const absl::string_view qualifier = text.substr(from, begin - 1 - from);
  if (LanguageBackendOf(file.language.id).generation.imports_packages &&
      ImportedPackages(file).count(qualifier) > 0) {
    return true;
  }
  return std::any_of(file.scopes.bindings.begin(), file.scopes.bindings.end(),
                     [&](const Binding& binding) {
                       return binding.kind == BindingKind::kImport && binding.name == qualifier;
                     });
}

// Rust: whether the type of the symbol has a field and a method of the name.
bool HasFieldAndMethod(const Resolution& symbol) {
  const Declaration& first = symbol.targets[0];
  if (first.symbol < 0 ||
      !LanguageBackendOf(first.file->language.id).naming.fields_have_own_names) {
    return false;
  }
  return std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
    return other.symbol >= 0 && !symbol.IsTarget(*other.file, other.symbol) &&
           other.AsSymbol().container == first.AsSymbol().container;
  });
}

// Whether another type or namespace, such as an enum, declares a symbol of the name that is not
// among those `renamed`.
bool HasNamesake(const Resolution& symbol,
                 const std::set<std::pair<std::string, uint32_t>>& renamed) {
  const Declaration& first = symbol.targets[0];
  return first.symbol >= 0 &&
         std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
           return other.symbol >= 0 && other.AsSymbol().kind != SymbolKind::kConstructor &&
                  other.AsSymbol().container != first.AsSymbol().container &&
                  renamed.count({other.file->path, other.name_begin()}) == 0;
         });
}

// Whether another symbol of the name is in scope where the first target, a member, is documented:
// a function of the file, or of the package in Go.
bool HasNamesakeInScope(const Resolution& symbol) {
  const Declaration& first = symbol.targets[0];
  if (first.symbol < 0 || !IsMember(first.AsSymbol().kind)) return false;
  const bool has_packages = LanguageBackendOf(first.file->language.id).naming.docs_begin_with_name;
  return std::any_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
    const std::string& path = other.file->path;
    const bool is_near =
        has_packages ? DirName(path) == DirName(first.file->path) : path == first.file->path;
    return other.symbol >= 0 && is_near && !IsMember(other.AsSymbol().kind) &&
           !symbol.IsTarget(*other.file, other.symbol);
  });
}

// The names behind which code writes a symbol that is no member.
std::vector<std::string> ModulesOf(const SourceFile& file, const Symbol& symbol,
                                   const std::string& crate, ModuleMap* map) {
  const std::string base = BaseName(file.path);
  std::vector<std::string> modules = {base.substr(0, base.find('.')), BaseName(DirName(file.path)),
                                      LastComponent(symbol.container)};
  for (const Symbol& other : file.symbols) {
    if (other.kind == SymbolKind::kNamespace) modules.push_back(LastComponent(other.name));
  }
  if (!crate.empty()) modules.push_back(crate);
  if (LanguageBackendOf(file.language.id).generation.imports_files) {
    const std::string package = map->PackageNameOf(file.path);
    modules.push_back(package.substr(package.rfind('/') + 1));  // npos + 1 is 0
  }
  return modules;
}

// The parts of the list in brackets at the start of a text, `(int a, Map<K, V> b)`; nullopt: there
// is none. Type parameters before it are left out.
std::optional<std::vector<absl::string_view>> ListAt(absl::string_view text) {
  constexpr size_t kMaxBytes = 4000;
  text = text.substr(0, kMaxBytes);
  std::vector<absl::string_view> parts;
  std::string open;  // brackets
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (open.empty() && c != '(' && c != '<') return std::nullopt;
    if (c == '(' && open.empty()) begin = at + 1;
    if (c == '(' || c == '<' || c == '[' || c == '{') {
      open += c;
    } else if (c == ',' && open == "(") {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && open.back() == '<')) {
      open.pop_back();
    }
    if (c != ')' || !open.empty()) continue;
    const absl::string_view last = text.substr(begin, at - begin);
    if (!parts.empty() || !absl::StripAsciiWhitespace(last).empty()) parts.push_back(last);
    return parts;
  }
  return std::nullopt;
}

// Whether each argument of documentation, `Map`, is a word of its parameter, `Map<K, V> counts`,
// but of none of its type arguments.
bool AreNamedIn(const std::vector<absl::string_view>& arguments,
                const std::vector<absl::string_view>& parameters) {
  return std::equal(arguments.begin(), arguments.end(), parameters.begin(), parameters.end(),
                    [](absl::string_view argument, absl::string_view parameter) {
                      absl::string_view type = absl::StripAsciiWhitespace(argument);
                      type = type.substr(0, type.find_first_of("<[ "));
                      type = type.substr(type.rfind('.') + 1);  // npos + 1 is 0
                      const absl::string_view head = parameter.substr(0, parameter.find('<'));
                      const absl::string_view tail = parameter.substr(parameter.rfind('>') + 1);
                      return !type.empty() && (HoldsWord(head, type) || HoldsWord(tail, type));
                    });
}

// Whether documentation that writes arguments behind the name, `#add(int, int)`, can mean the
// symbol: they are as many as its parameters, and do not name those of an overload that keeps its
// name.
bool FitsOverload(const Resolution& all, const std::set<std::pair<std::string, uint32_t>>& renamed,
                  const SourceFile& file, const Symbol& symbol, absl::string_view doc, size_t end) {
  const auto arguments = ListAt(doc.substr(end));
  if (!arguments.has_value()) return true;
  // nullopt: of a field.
  const auto parameters_of = [](const SourceFile& of, const Symbol& declared) {
    return ListAt(absl::string_view(of.text).substr(declared.name_end));
  };
  const auto own = parameters_of(file, symbol);
  const bool is_named = own.has_value() && AreNamedIn(*arguments, *own);
  return std::none_of(all.all.begin(), all.all.end(), [&](const Declaration& other) {
    const bool is_twin =
        other.symbol >= 0 && other.file->path == file.path &&
        other.AsSymbol().container == symbol.container &&
        (other.AsSymbol().kind == SymbolKind::kMethod || symbol.kind == SymbolKind::kField) &&
        renamed.count({file.path, other.name_begin()}) == 0;
    if (!is_twin) return false;
    if (!own.has_value() || arguments->size() != own->size()) return true;
    const auto parameters = parameters_of(*other.file, other.AsSymbol());
    return !is_named && parameters.has_value() && AreNamedIn(*arguments, *parameters);
  });
}

// Whether documentation says at `at` which of the two it means: "`indent()`",
// "#structfield.indent".
bool NamesKind(absl::string_view doc, uint32_t at, const std::string& name, SymbolKind kind) {
  const absl::string_view before = doc.substr(0, at);
  if (kind == SymbolKind::kField) return absl::EndsWith(before, "structfield.");
  return absl::EndsWith(before, "method.") || absl::StartsWith(doc.substr(at + name.size()), "(");
}

// Where a comment behind the closing brace says what ends there: `}  // namespace geo`,
// `};  /* end of class Map */`. nullopt: there is none, or it says more.
std::optional<uint32_t> NameBehind(absl::string_view text, uint32_t end, const std::string& name) {
  static const auto* const kWords = new std::set<absl::string_view>{
      "end", "of", "namespace", "class", "struct", "union", "enum", "interface", "function"};
  if (end > text.size()) return std::nullopt;
  const size_t brace = text.substr(0, end).find_last_not_of("; \t");
  if (brace == absl::string_view::npos || text[brace] != '}') return std::nullopt;
  const absl::string_view line = text.substr(end, text.find('\n', end) - end);
  const size_t mark = line.find_first_not_of("; \t");
  if (mark == absl::string_view::npos ||
      (line.substr(mark, 2) != "//" && line.substr(mark, 2) != "/*")) {
    return std::nullopt;
  }
  std::optional<uint32_t> found;
  for (size_t at = mark; at < line.size(); ++at) {
    if (!IsIdentifierByte(line[at])) continue;
    const size_t begin = at;
    while (at < line.size() && IsIdentifierByte(line[at])) ++at;
    const absl::string_view word = line.substr(begin, at - begin);
    if (word == name && !found.has_value()) {
      found = end + static_cast<uint32_t>(begin);
    } else if (kWords->count(word) == 0) {
      return std::nullopt;
    }
  }
  return found;
}

}  // namespace

bool IsWordOfDocumentation(const SourceFile& file, uint32_t offset,
                           const std::map<CodeRange, std::string>& edits) {
  if (!LanguageBackendOf(file.language.id).naming.docs_begin_with_name) return false;
  const auto documented = std::find_if(
      file.symbols.begin(), file.symbols.end(),
      [&](const Symbol& symbol) { return symbol.doc_begin <= offset && offset < symbol.doc_end; });
  if (documented == file.symbols.end()) return false;
  if (edits.count({file.path, documented->name_begin, documented->name_end}) > 0) return true;
  const absl::string_view text = file.text;
  uint32_t begin = offset;
  while (begin > 0 && (IsIdentifierByte(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  if (begin > 0 && text[begin - 1] == '*') --begin;  // a link may hold a pointer: `[*ast.Leaf]`
  return begin == 0 || text[begin - 1] != '[';
}

std::set<DocPlace> FindDocPlaces(const Resolution& renamed, const std::string& crate,
                                 const std::vector<RenameCandidate>& candidates) {
  std::set<DocPlace> found;
  const std::string& name = renamed.targets[0].name();
  const DocExamples examples(renamed, crate);
  const bool has_both = HasFieldAndMethod(renamed);
  std::set<std::pair<std::string, uint32_t>> known;
  std::set<std::pair<std::string, uint32_t>> changed;
  for (const RenameCandidate& candidate : candidates) {
    known.insert(PlaceOf(candidate));
    if (candidate.is_renamed) changed.insert(PlaceOf(candidate));
  }
  const bool has_namesake = HasNamesake(renamed, changed);
  const bool is_in_scope = HasNamesakeInScope(renamed);
  ModuleMap modules(renamed.workspace);
  std::vector<std::string> owners;
  for (const Declaration& other : renamed.all) {
    if (other.symbol >= 0 && changed.count({other.file->path, other.name_begin()}) > 0) {
      owners.push_back(LastComponent(other.AsSymbol().container));
    }
  }
  for (const RenameCandidate& candidate : candidates) {
    if (!candidate.is_renamed) continue;
    const SourceFile& file = *candidate.file;
    for (const Symbol& symbol : file.symbols) {
      if (symbol.name_begin != candidate.occurrence.begin) continue;
      const auto behind = NameBehind(file.text, symbol.end, name);
      if (behind.has_value() && known.count({file.path, *behind}) == 0) {
        found.insert({candidate.file, *behind});
      }
      if (symbol.doc_end == 0) continue;
      const auto doc =
          absl::string_view(file.text).substr(symbol.doc_begin, symbol.doc_end - symbol.doc_begin);
      const std::string owner = IsMember(symbol.kind) ? LastComponent(symbol.container) : "";
      const MentionRules rules{
          .names_begin = LanguageBackendOf(file.language.id).naming.docs_begin_with_name,
          .has_namesake = has_namesake,
          .has_namesake_in_scope = is_in_scope,
          .modules = ModulesOf(file, symbol, crate, &modules),
          .owners = owners};
      for (const uint32_t at : FindDocMentions(doc, name, owner, rules)) {
        const uint32_t begin = symbol.doc_begin + at;
        if (known.count({file.path, begin}) > 0 || examples.IsOther(file, begin)) continue;
        if (IsBehindImport(file, begin)) continue;
        if (!FitsOverload(renamed, changed, file, symbol, doc, at + name.size())) continue;
        if (has_both && !NamesKind(doc, at, name, symbol.kind)) continue;
        found.insert({candidate.file, begin});
      }
    }
  }
  for (const auto& file : renamed.files) {
    for (const uint32_t at : examples.UsesIn(*file)) {
      if (known.count({file->path, at}) == 0) found.insert({file, at});
    }
  }
  return found;
}

}  // namespace stile
