#include "tools/refactor/declaration_files.h"

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/es_modules.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// The extensions of declarations, each with those of the code that they declare.
constexpr std::array<std::pair<absl::string_view, absl::string_view>, 5> kExtensions = {
    {{".d.ts", ".js"}, {".d.ts", ".jsx"}, {".d.mts", ".mjs"}, {".d.cts", ".cjs"}, {".pyi", ".py"}}};

bool IsDeclaring(absl::string_view path) {
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](const auto& pair) { return absl::EndsWith(path, pair.first); });
}

bool IsCode(absl::string_view path) {
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](const auto& pair) { return absl::EndsWith(path, pair.second); });
}

// Adds the folder of each declaration file that a value of package.json names. Keys of conditions
// may have versions: "types@>=4.2".
void AddDeclaringFolders(const Json& value, bool is_types, const std::string& folder,
                         std::set<std::string>* folders) {
  if (value.is_string() && is_types) {
    const std::string path = CleanPath(JoinPath(folder, value.get<std::string>()));
    if (IsDeclaring(path)) folders->insert(DirName(path));
  } else if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      AddDeclaringFolders(inner, is_types || key == "types" || absl::StartsWith(key, "types@"),
                          folder, folders);
    }
  } else if (value.is_array()) {
    for (const Json& inner : value) AddDeclaringFolders(inner, is_types, folder, folders);
  }
}

// What the declaration is declared in, for those who import it: `declare module "name"` and
// `module.exports` are the module itself.
std::string Container(const Declaration& declaration) {
  std::string container = declaration.AsSymbol().container;
  for (const absl::string_view of_module : {"module.exports", "exports"}) {
    if (container == of_module) return "";
  }
  for (int i = declaration.AsSymbol().parent; i >= 0;) {
    const Symbol& outer = declaration.file->symbols[static_cast<size_t>(i)];
    i = outer.parent;
    const bool is_quoted = i < 0 && absl::string_view(declaration.file->text)
                                            .substr(outer.begin, outer.name_begin + 1 - outer.begin)
                                            .find_first_of("'\"") != absl::string_view::npos;
    if (!is_quoted) continue;
    absl::string_view rest = container;
    if (absl::ConsumePrefix(&rest, outer.name)) {
      absl::ConsumePrefix(&rest, ".");
      return std::string(rest);
    }
  }
  return container;
}

// Whether the two can be one export: code may make with a function what is declared as a class or
// a constant. An interface has no code.
bool CanBeOne(const Declaration& declaring, const Declaration& code) {
  if (!SeeEachOther(declaring.file->language, code.file->language)) return false;
  const std::string container = Container(declaring);
  if (container != Container(code)) return false;
  if (!container.empty()) return AreAlike(declaring, code);
  const SymbolKind kind = declaring.AsSymbol().kind;
  return kind != SymbolKind::kInterface && kind != SymbolKind::kTypeAlias;
}

}  // namespace

bool DeclarationFiles::AreBeside(absl::string_view declaring, absl::string_view code) {
  return std::any_of(kExtensions.begin(), kExtensions.end(), [&](const auto& pair) {
    absl::string_view declared = declaring;
    absl::string_view written = code;
    return absl::ConsumeSuffix(&declared, pair.first) &&
           absl::ConsumeSuffix(&written, pair.second) && declared == written;
  });
}

DeclarationFiles::Twins DeclarationFiles::Of(const Declaration& declaration,
                                             const std::vector<Declaration>& all) {
  Twins twins;
  const std::string& path = declaration.file->path;
  const bool is_declaring = IsDeclaring(path);
  if (declaration.symbol < 0 || (!is_declaring && !IsCode(path))) return twins;
  if (!is_declaring && !IsExported(declaration)) return twins;
  std::set<std::string> code_files;
  std::vector<Declaration> found;
  bool is_beside = false;
  for (const Declaration& other : all) {
    if (other.symbol < 0) continue;
    const std::string& other_path = other.file->path;
    // Another file of code that the same declaration may mean.
    const bool is_rival =
        !is_declaring && SeeEachOther(other.file->language, declaration.file->language) &&
        IsCode(other_path) && IsExported(other) && Container(other) == Container(declaration) &&
        modules_.ManifestOf(other_path) == modules_.ManifestOf(path);
    if (is_rival) code_files.insert(other_path);
    if (is_declaring ? !IsCode(other_path) : !IsDeclaring(other_path)) continue;
    const Declaration& declaring = is_declaring ? declaration : other;
    const Declaration& code = is_declaring ? other : declaration;
    const bool is_pair = CanBeOne(declaring, code) && IsExported(code) &&
                         Declares(declaring.file->path, code.file->path);
    if (!is_pair) continue;
    code_files.insert(code.file->path);
    if (AreBeside(declaring.file->path, code.file->path)) {
      if (!is_beside) found.clear();
      is_beside = true;
    } else if (is_beside) {
      continue;
    }
    found.push_back(other);
  }
  (is_beside || code_files.size() <= 1 ? twins.same : twins.perhaps) = std::move(found);
  return twins;
}

std::vector<Declaration> DeclarationFiles::OfOtherConditions(const Declaration& declaration,
                                                             const std::vector<Declaration>& all) {
  std::vector<Declaration> found;
  const auto is_top = [](const Declaration& one) {
    return one.symbol >= 0 && one.AsSymbol().container.empty() && IsExported(one);
  };
  if (!is_top(declaration)) return found;
  std::set<std::string> aliases;
  for (std::string& alias : modules_.AliasesOf(declaration.file->path)) {
    if (absl::StartsWith(alias, "#")) aliases.insert(std::move(alias));
  }
  if (aliases.empty()) return found;
  for (const Declaration& other : all) {
    if (other.file->path == declaration.file->path || !is_top(other)) continue;
    const std::vector<std::string> others = modules_.AliasesOf(other.file->path);
    const bool is_it = std::any_of(others.begin(), others.end(), [&](const std::string& alias) {
      return aliases.count(alias) > 0;
    });
    if (is_it) found.push_back(other);
  }
  return found;
}

bool DeclarationFiles::Declares(const std::string& declaring, const std::string& code) {
  if (AreBeside(declaring, code)) return true;
  if (!IsDeclaring(declaring) || !IsCode(code)) return false;
  const ModuleMap::Manifest* const package = modules_.ManifestOf(declaring);
  if (package == nullptr || package != modules_.ManifestOf(code)) return false;
  const std::set<std::string>& folders = FoldersOf(*package);
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return IsWithin(declaring, folder); });
}

bool DeclarationFiles::IsImportOfPackage(const SourceFile& file, uint32_t offset,
                                         const std::string& path) {
  if (!LanguageBackendOf(file.language.id).generation.imports_files) return false;
  for (const ModuleStatements::Name& entry : file.ImportsAndExports().names) {
    if (entry.name_range.first != offset || entry.module.empty()) continue;
    return modules_.IsOfPackage(entry.module, path);
  }
  return false;
}

const std::set<std::string>& DeclarationFiles::FoldersOf(const ModuleMap::Manifest& package) {
  const auto [folders, is_new] = folders_.try_emplace(package.folder);
  if (is_new) {
    for (const char* key : {"types", "typings", "exports"}) {
      if (const Json* value = JsonMember(package.json, key)) {
        const bool is_types = absl::string_view(key) != "exports";
        AddDeclaringFolders(*value, is_types, package.folder, &folders->second);
      }
    }
  }
  return folders->second;
}

}  // namespace stile
