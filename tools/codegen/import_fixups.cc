#include "tools/codegen/import_fixups.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/new_file.h"
#include "tools/index/type_relations.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

bool Binds(const SourceFile& file, const std::string& name) {
  return std::any_of(
      file.scopes.bindings.begin(), file.scopes.bindings.end(),
      [&](const Binding& binding) { return binding.is_file_level && binding.name == name; });
}

bool Declares(const SourceFile& file, const std::string& name) {
  return std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
    const bool is_top =
        symbol.parent < 0 ||
        file.symbols[static_cast<size_t>(symbol.parent)].kind == SymbolKind::kNamespace;
    return is_top && symbol.name == name && symbol.kind != SymbolKind::kNamespace;
  });
}

std::string SpaceOf(const SourceFile& file) {
  for (const Symbol& symbol : file.symbols) {
    if (symbol.kind == SymbolKind::kNamespace) {
      return symbol.container.empty() ? symbol.name
                                      : absl::StrCat(symbol.container, ".", symbol.name);
    }
  }
  return "";
}

std::string WithoutExtension(const std::string& path) {
  for (const absl::string_view extension :
       {".d.ts", ".tsx", ".mts", ".cts", ".ts", ".jsx", ".mjs", ".cjs", ".js", ".pyi", ".py"}) {
    if (absl::EndsWith(path, extension)) return path.substr(0, path.size() - extension.size());
  }
  return path;
}

// Whether relative imports of the file name the compiled file: './order.js'.
bool WritesExtensions(absl::string_view text) {
  return absl::StrContains(text, ".js'") || absl::StrContains(text, ".js\"");
}

std::string EcmaImport(const std::string& name, const std::string& module, bool is_type,
                       absl::string_view to_text) {
  const auto singles = std::count(to_text.begin(), to_text.end(), '\'');
  const auto doubles = std::count(to_text.begin(), to_text.end(), '"');
  const char* quote = doubles > singles ? "\"" : "'";
  return absl::StrCat("import ", is_type ? "type " : "", "{ ", name, " } from ", quote, module,
                      quote, ";");
}

// A relative module of one file, seen from another.
std::string Rebased(const std::string& module, const std::string& from, const std::string& to) {
  if (!absl::StartsWith(module, ".")) return module;
  return RelativeModule(to, CleanPath(JoinPath(DirName(from), module)));
}

// Which namespace a name comes from is not known: all that the other file uses.
void BorrowNameSpaces(const CodeSite& from, const CodeSite& to, std::set<std::string>* lines) {
  const std::string from_space = SpaceOf(*from.file);
  const std::string to_space = SpaceOf(*to.file);
  const bool sees =
      from_space.empty() || from_space == to_space || absl::StartsWith(to_space, from_space + ".");
  if (!sees) lines->insert(absl::StrCat("using ", from_space, ";"));
  for (const Import& import : FindImports(from.file->grammar, from.tree, from.text())) {
    const std::string line(from.text().substr(import.begin, import.end - import.begin));
    if (!absl::StartsWith(line, "global ") && import.module != to_space) lines->insert(line);
  }
}

bool Brings(const Import& import, const std::string& name, const GenerationFacts& facts) {
  if (!import.alias.empty() && import.alias == name) return true;
  if (facts.imports_packages) return import.alias.empty() && BaseName(import.module) == name;
  if (import.name.empty()) return import.module == name;
  return import.alias.empty() && import.name == name;
}

// The import of one file as another writes it; "" where its language is none of those known.
std::string ImportSeenFrom(const CodeSite& to, const CodeSite& from, const Import& import) {
  const GenerationFacts& facts = to.generation();
  if (facts.imports_packages) {
    return absl::StrCat("import ", import.alias.empty() ? "" : import.alias + " ", "\"",
                        import.module, "\"");
  }
  if (facts.imports_types)
    return std::string(from.text().substr(import.begin, import.end - import.begin));
  if (facts.imports_dotted_modules) {
    const std::string alias = import.alias.empty() ? "" : absl::StrCat(" as ", import.alias);
    return import.name.empty()
               ? absl::StrCat("import ", import.module, alias)
               : absl::StrCat("from ", import.module, " import ", import.name, alias);
  }
  if (!to.facts().has_annotations || !facts.imports_files) return "";
  std::string name = import.name;
  if (!import.alias.empty()) {
    const bool is_whole = import.name.empty() || import.name == "*";
    name = is_whole ? import.alias : absl::StrCat(import.name, " as ", import.alias);
  }
  const std::string module = Rebased(import.module, from.file->path, to.file->path);
  return EcmaImport(name, module, true, to.text());
}

}  // namespace

std::string RelativePath(const std::string& folder, const std::string& path) {
  std::vector<std::string> here;
  if (folder != ".") here = absl::StrSplit(folder, '/');
  const std::vector<std::string> there = absl::StrSplit(path, '/');
  size_t shared = 0;
  while (shared < here.size() && shared + 1 < there.size() && here[shared] == there[shared]) {
    ++shared;
  }
  std::string relative;
  for (size_t i = shared; i < here.size(); ++i) absl::StrAppend(&relative, "../");
  return absl::StrCat(relative, absl::StrJoin(there.begin() + static_cast<std::ptrdiff_t>(shared),
                                              there.end(), "/"));
}

std::string RelativeModule(const std::string& from, const std::string& to) {
  const std::string path = RelativePath(DirName(from), WithoutExtension(to));
  return absl::StartsWith(path, "../") ? path : absl::StrCat("./", path);
}

std::string PythonModule(const std::string& workspace, const std::string& path) {
  std::string module = BaseName(WithoutExtension(path));
  std::string folder = DirName(path);
  while (folder != "." && FileExists(JoinPath(JoinPath(workspace, folder), "__init__.py"))) {
    module = module == "__init__" ? BaseName(folder) : absl::StrCat(BaseName(folder), ".", module);
    folder = DirName(folder);
  }
  return module;
}

std::string GoPackageOf(const CodeSite& site) { return SpaceOf(*site.file); }

std::string GoImportPath(const std::string& workspace, const std::string& path) {
  const std::string mod = FindAbove(workspace, path, "go.mod");
  if (mod.empty()) return "";
  const std::string text = ReadText(workspace, mod);
  for (const absl::string_view line : SplitLines(text)) {
    absl::string_view module = line;
    if (!absl::ConsumePrefix(&module, "module ")) continue;
    std::string result(absl::StripAsciiWhitespace(module));
    const std::string root = DirName(mod);
    std::string folder = DirName(path);
    if (root != "." && absl::StartsWith(folder, root)) folder = folder.substr(root.size());
    absl::string_view rest = absl::StripPrefix(folder, "/");
    if (rest == "." || rest.empty()) return result;
    return absl::StrCat(result, "/", rest);
  }
  return "";
}

std::string ImportOf(const GenerateContext& context, const std::string& name, const CodeSite& from,
                     const std::string& to_path, absl::string_view to_text) {
  const GenerationFacts& facts = from.generation();
  if (from.file->path == to_path) return "";
  if (facts.imports_files) {
    bool is_type = false;
    for (const Symbol& symbol : from.file->symbols) {
      if (symbol.name == name) {
        is_type = symbol.kind == SymbolKind::kInterface || symbol.kind == SymbolKind::kTypeAlias;
      }
    }
    const std::string module = absl::StrCat(RelativeModule(to_path, from.file->path),
                                            WritesExtensions(to_text) ? ".js" : "");
    return EcmaImport(name, module, is_type, to_text);
  }
  if (facts.imports_dotted_modules) {
    return absl::StrCat("from ", PythonModule(context.workspace, from.file->path), " import ",
                        name);
  }
  const std::string space = SpaceOf(*from.file);
  if (space.empty()) return "";
  if (facts.imports_types) return absl::StrCat("import ", space, ".", name, ";");
  if (from.facts().imports_name_spaces) return absl::StrCat("using ", space, ";");
  return "";
}

void BorrowNames(const GenerateContext& context, const CodeSite& from, const CodeSite& to,
                 const std::set<std::string>& names, std::set<std::string>* lines) {
  if (from.file->path == to.file->path) return;
  const GenerationFacts& facts = to.generation();
  if (to.facts().imports_name_spaces) {
    BorrowNameSpaces(from, to, lines);
    return;
  }
  if (facts.imports_packages && DirName(from.file->path) == DirName(to.file->path)) return;
  const std::vector<Import> imports = FindImports(from.file->grammar, from.tree, from.text());
  const std::string from_space = SpaceOf(*from.file);
  const bool same_space = facts.imports_types && from_space == SpaceOf(*to.file);
  for (const std::string& name : names) {
    if (Binds(*to.file, name)) continue;
    if (Declares(*from.file, name)) {
      if (!same_space && !facts.imports_packages) {
        lines->insert(ImportOf(context, name, from, to.file->path, to.text()));
      }
      continue;
    }
    const auto import = std::find_if(imports.begin(), imports.end(), [&](const Import& candidate) {
      return Brings(candidate, name, facts);
    });
    if (import != imports.end()) lines->insert(ImportSeenFrom(to, from, *import));
    // A neighbour of the interface's package.
    const std::string sibling = JoinPath(DirName(from.file->path), name + ".java");
    if (facts.imports_types && !same_space && !from_space.empty() &&
        FileExists(JoinPath(context.workspace, sibling))) {
      lines->insert(absl::StrCat("import ", from_space, ".", name, ";"));
    }
  }
}

void AddImports(const CodeSite& site, const std::set<std::string>& lines, EditPlan* plan) {
  const bool has_lists = site.generation().import_lists;
  std::string text;
  // The standard library first, as C# has it.
  for (const bool system : {true, false}) {
    for (const std::string& line : lines) {
      if (absl::StartsWith(line, "using System") != system) continue;
      if (line.empty() || HasLine(site.text(), line)) continue;
      if (has_lists && absl::StrContains(site.text(), line.substr(line.find('"')))) continue;
      absl::StrAppend(&text, text.empty() ? "" : "\n", line);
    }
  }
  if (text.empty()) return;
  // In a list each stands without its keyword.
  if (has_lists && absl::StrContains(site.text(), "import (")) {
    text = absl::StrReplaceAll(text, {{"\nimport ", "\n\t"}});
  }
  plan->Edit(*site.file, InsertImport(*site.file, site.tree, site.style, text));
}

}  // namespace stile
