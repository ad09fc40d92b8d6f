#include "tools/index/es_modules.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

using Range = std::pair<uint32_t, uint32_t>;

Range RangeOf(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }

bool Holds(const Range& range, uint32_t offset) {
  return range.first <= offset && offset < range.second;
}

bool IsWritten(const Range& range) { return range.second > range.first; }

TSNode Field(TSNode node, absl::string_view name) {
  return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
}

bool Is(TSNode node, absl::string_view type) {
  return !ts_node_is_null(node) && ts_node_type(node) == type;
}

class StatementReader {
 public:
  explicit StatementReader(const SourceFile& file) : text_(file.text) {}

  ModuleStatements Read(TSNode root) {
    for (uint32_t i = 0; i < ts_node_named_child_count(root); ++i) {
      const TSNode statement = ts_node_named_child(root, i);
      module_ = "";
      const TSNode source = Field(statement, "source");
      if (!ts_node_is_null(source) && RangeOf(source).second > RangeOf(source).first + 1) {
        module_ = std::string(TextOf(source, text_));
        module_ = module_.substr(1, module_.size() - 2);
      }
      if (Is(statement, "import_statement")) {
        Specifiers(statement, false);
      } else if (Is(statement, "export_statement")) {
        Export(statement);
      }
    }
    return std::move(found_);
  }

 private:
  // Below the statement, at most three levels deep.
  void Specifiers(TSNode node, bool is_export) {
    for (uint32_t i = 0; i < ts_node_named_child_count(node); ++i) {
      const TSNode child = ts_node_named_child(node, i);
      if (Is(child, "import_specifier") || Is(child, "export_specifier")) {
        const TSNode name = Field(child, "name");
        const TSNode alias = Field(child, "alias");
        if (ts_node_is_null(name)) continue;
        Add(name, alias, is_export);
      } else if (Is(child, "identifier") && Is(node, "import_clause")) {
        found_.names.push_back(
            {"default", std::string(TextOf(child, text_)), module_, false, {}, {}});
      } else if (Is(child, "namespace_import") || Is(child, "namespace_export")) {
        All(child, is_export);
      } else if (Is(child, "import_clause") || Is(child, "named_imports") ||
                 Is(child, "export_clause")) {
        Specifiers(child, is_export);
      }
    }
  }

  // `* as order`
  void All(TSNode node, bool is_export) {
    if (ts_node_named_child_count(node) == 0) return;
    const TSNode alias = ts_node_named_child(node, 0);
    found_.names.push_back(
        {"*", std::string(TextOf(alias, text_)), module_, is_export, {}, RangeOf(alias)});
  }

  void Add(TSNode name, TSNode alias, bool is_export) {
    ModuleStatements::Name entry;
    entry.name = std::string(TextOf(name, text_));
    entry.alias = ts_node_is_null(alias) ? entry.name : std::string(TextOf(alias, text_));
    entry.module = module_;
    entry.is_export = is_export;
    entry.name_range = RangeOf(name);
    if (!ts_node_is_null(alias)) entry.alias_range = RangeOf(alias);
    found_.names.push_back(std::move(entry));
  }

  void Export(TSNode statement) {
    const TSNode declaration = Field(statement, "declaration");
    const TSNode value = Field(statement, "value");
    bool is_default = false;
    bool is_all = false;
    for (uint32_t i = 0; i < ts_node_child_count(statement); ++i) {
      is_default |= Is(ts_node_child(statement, i), "default");
      is_all |= Is(ts_node_child(statement, i), "*");
    }
    const TSNode local = ts_node_is_null(declaration) ? value : Field(declaration, "name");
    if (is_default && (Is(local, "identifier") || Is(local, "type_identifier"))) {
      found_.names.push_back({std::string(TextOf(local, text_)), "default", "", true, {}, {}});
    } else if (!ts_node_is_null(declaration)) {
      found_.exported.push_back(RangeOf(statement));
    } else if (is_all && !module_.empty()) {
      found_.all_of.push_back(module_);
    } else {
      Specifiers(statement, true);
    }
  }

  const absl::string_view text_;
  std::string module_;
  ModuleStatements found_;
};

// "lib/order" of "lib/order.d.ts".
std::string WithoutExtensions(const std::string& path) {
  const std::string base = BaseName(path);
  return JoinPath(DirName(path), base.substr(0, base.find('.')));
}

}  // namespace

const ModuleStatements& SourceFile::ImportsAndExports() const {
  std::call_once(modules_read_, [this] {
    const auto tree = SyntaxTree::Parse(grammar, text);
    modules_ = std::make_shared<const ModuleStatements>(
        tree.ok() ? StatementReader(*this).Read(tree->root()) : ModuleStatements());
  });
  return *modules_;
}

bool IsCommonJsExport(const SourceFile& file, uint32_t offset) {
  if (!absl::StrContains(file.text, "exports")) return false;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return false;
  return IsCommonJsExport(ts_node_descendant_for_byte_range(tree->root(), offset, offset + 1),
                          file.text);
}

bool IsCommonJsExport(TSNode node, absl::string_view text) {
  while (!ts_node_is_null(node) && !Is(node, "object")) node = ts_node_parent(node);
  if (ts_node_is_null(node)) return false;
  const TSNode assignment = ts_node_parent(node);
  if (ts_node_is_null(assignment) || !Is(assignment, "assignment_expression")) return false;
  const absl::string_view left = TextOf(Field(assignment, "left"), text);
  const TSNode outer = ts_node_parent(assignment);
  const bool is_both = left == "exports" && !ts_node_is_null(outer) &&
                       Is(outer, "assignment_expression") &&
                       TextOf(Field(outer, "left"), text) == "module.exports";
  return left == "module.exports" || is_both;
}

std::optional<uint32_t> ExportAliasOnLine(const SourceFile& file, absl::string_view name,
                                          int line) {
  for (const ModuleStatements::Name& entry : file.ImportsAndExports().names) {
    const bool is_it = entry.is_export && entry.alias == name && entry.alias_range.second > 0 &&
                       file.PlaceOf(entry.alias_range.first).line == line;
    if (is_it) return entry.alias_range.first;
  }
  return std::nullopt;
}

bool IsExportAlias(const Declaration& declaration) {
  const SourceFile& file = *declaration.file;
  return ExportAliasOnLine(file, declaration.name(), declaration.place().line) ==
         declaration.name_begin();
}

bool IsExported(const Declaration& declaration) {
  if (!LanguageBackendOf(declaration.file->language.id).generation.imports_files) return true;
  const Symbol* outer = &declaration.AsSymbol();
  while (outer->parent >= 0) outer = &declaration.file->symbols[static_cast<size_t>(outer->parent)];
  const ModuleStatements& statements = declaration.file->ImportsAndExports();
  bool has_exports = !statements.exported.empty() || !statements.all_of.empty();
  for (const Range& range : statements.exported) {
    if (Holds(range, outer->name_begin)) return true;
  }
  for (const ModuleStatements::Name& entry : statements.names) {
    has_exports = has_exports || entry.is_export;
    if (entry.is_export && entry.module.empty() && entry.name == outer->name) return true;
  }
  return !has_exports && absl::StrContains(declaration.file->text, "exports");
}

bool IsInImportCycle(const SourceFile& file, CodeIndex* index) {
  constexpr size_t kMaxFiles = 500;
  std::set<std::string> seen;
  std::vector<std::string> open = {file.path};
  ModuleMap paths(index->workspace());
  while (!open.empty() && seen.size() < kMaxFiles) {
    const std::string path = open.back();
    open.pop_back();
    const auto importer = index->Open(path);
    if (!importer.ok()) continue;
    const auto tree = SyntaxTree::Parse((*importer)->grammar, (*importer)->text);
    if (!tree.ok()) continue;
    std::set<std::string> modules;
    for (const Import& import : FindImports((*importer)->grammar, *tree, (*importer)->text)) {
      modules.insert(import.module);
    }
    for (const std::string& module : modules) {
      const std::optional<std::string> imported = paths.FileOf(**importer, module);
      if (!imported.has_value()) continue;
      if (AreOneModule(*imported, file.path)) return true;
      if (seen.insert(*imported).second) open.push_back(*imported);
    }
  }
  return false;
}

std::optional<bool> ModuleResolver::IsTarget(const SourceFile& file, uint32_t offset) {
  if (!LanguageBackendOf(file.language.id).generation.imports_files) return std::nullopt;
  for (const ModuleStatements::Name& entry : file.ImportsAndExports().names) {
    if (Holds(entry.alias_range, offset)) return false;
    if (!Holds(entry.name_range, offset)) continue;
    Visited visited;
    return entry.module.empty() ? Local(file, entry.name, &visited)
                                : From(file, entry.module, entry.name, &visited);
  }
  return std::nullopt;
}

std::optional<bool> ModuleResolver::IsModuleOfTarget(const SourceFile& file,
                                                     absl::string_view alias, uint32_t offset) {
  if (!LanguageBackendOf(file.language.id).generation.imports_files) return std::nullopt;
  const FileScopes& scopes = file.scopes;
  const bool is_hidden =
      std::any_of(scopes.visibilities.begin(), scopes.visibilities.end(), [&](const auto& visible) {
        const Binding& binding = scopes.bindings[static_cast<size_t>(visible.binding)];
        return visible.begin <= offset && offset < visible.end && binding.name == alias &&
               binding.kind != BindingKind::kImport;
      });
  if (is_hidden) return std::nullopt;
  for (const ModuleStatements::Name& entry : file.ImportsAndExports().names) {
    if (entry.is_export || entry.name != "*" || entry.alias != alias) continue;
    Visited visited;
    return From(file, entry.module, name_, &visited);
  }
  return std::nullopt;
}

// What the file exports under the name.
std::optional<bool> ModuleResolver::Exported(const SourceFile& file, const std::string& name,
                                             Visited* visited) {
  if (!visited->insert({file.path, name}).second) return std::nullopt;
  const ModuleStatements& statements = file.ImportsAndExports();
  for (const ModuleStatements::Name& entry : statements.names) {
    if (!entry.is_export || entry.alias != name) continue;
    if (IsWritten(entry.alias_range)) return false;  // the alias stays, whatever it stands for
    return entry.module.empty() ? Local(file, entry.name, visited)
                                : From(file, entry.module, entry.name, visited);
  }
  for (const Symbol& symbol : file.symbols) {
    const bool is_exported =
        symbol.name == name && symbol.container.empty() &&
        std::any_of(statements.exported.begin(), statements.exported.end(),
                    [&](const Range& range) { return Holds(range, symbol.name_begin); });
    if (is_exported) return Declared(file, name);
  }
  for (const std::string& module : statements.all_of) {
    const std::optional<bool> answer = From(file, module, name, visited);
    if (answer.has_value()) return answer;
  }
  return std::nullopt;
}

// What the name means at the top of the file.
std::optional<bool> ModuleResolver::Local(const SourceFile& file, const std::string& name,
                                          Visited* visited) {
  for (const ModuleStatements::Name& entry : file.ImportsAndExports().names) {
    if (!entry.is_export && entry.alias == name) {
      if (IsWritten(entry.alias_range)) return false;
      return From(file, entry.module, entry.name, visited);
    }
  }
  return Declared(file, name);
}

std::optional<bool> ModuleResolver::Declared(const SourceFile& file,
                                             const std::string& name) const {
  std::optional<bool> answer;
  for (size_t i = 0; i < file.symbols.size(); ++i) {
    const Symbol& symbol = file.symbols[i];
    if (symbol.name != name || !symbol.container.empty()) continue;
    // Of several (an interface and a class of one name) one is enough.
    answer = answer.value_or(false) ||
             (name == name_ && resolution_.IsTarget(file, static_cast<int>(i)));
  }
  // Declarations of TypeScript beside the JavaScript that they are for.
  const bool is_twin =
      answer.has_value() && !*answer && absl::StrContains(BaseName(file.path), ".d.") &&
      std::any_of(resolution_.targets.begin(), resolution_.targets.end(),
                  [&](const Declaration& target) {
                    return WithoutExtensions(target.file->path) == WithoutExtensions(file.path);
                  });
  return is_twin ? std::nullopt : answer;
}

std::optional<bool> ModuleResolver::From(const SourceFile& importer, const std::string& module,
                                         const std::string& name, Visited* visited) {
  const SourceFile* const from = Find(importer, module);
  return from == nullptr ? std::nullopt : Exported(*from, name, visited);
}

// Among the files that hold the name of the targets.
const SourceFile* ModuleResolver::Find(const SourceFile& importer, const std::string& module) {
  if (files_.empty()) {
    for (const auto& file : resolution_.files) files_.emplace(file->path, file.get());
  }
  const std::optional<std::string> path = paths_.FileOf(importer, module);
  if (!path.has_value()) return nullptr;
  if (const auto found = files_.find(*path); found != files_.end()) return found->second;
  const auto twin = std::find_if(files_.begin(), files_.end(),
                                 [&](const auto& file) { return AreOneModule(file.first, *path); });
  return twin == files_.end() ? nullptr : twin->second;
}

}  // namespace stile
