#include "tools/refactor/move_type.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/import_fixups.h"
#include "tools/index/code_index.h"
#include "tools/index/type_relations.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/language_family.h"
#include "tools/refactor/importers.h"
#include "tools/refactor/movable.h"
#include "tools/refactor/move_rust_type.h"
#include "tools/refactor/safe_delete.h"

namespace stile {
namespace {

// "./b" for "x/b.ts" seen from "x/a.ts".
std::string Specifier(const std::string& from, const std::string& to, bool with_extension) {
  std::string path = RelativePath(DirName(from), to);
  if (!absl::StartsWith(path, "../")) path = absl::StrCat("./", path);
  return with_extension ? path : path.substr(0, path.rfind('.'));
}

// What moves: types, and in languages with modules functions, constants and variables.
bool Moves(const Declaration& declaration) {
  const Symbol& symbol = declaration.AsSymbol();
  if (IsType(symbol.kind)) return true;
  return LanguageBackendOf(declaration.file->language.id).naming.functions_move &&
         (symbol.kind == SymbolKind::kFunction || symbol.kind == SymbolKind::kConstant ||
          symbol.kind == SymbolKind::kVariable);
}

bool IsTypeOnly(const Symbol& symbol) {
  return symbol.kind == SymbolKind::kInterface || symbol.kind == SymbolKind::kTypeAlias;
}

// One thing: the plan of one move; what is found out about the declaration stays at hand.
class Mover {
 public:
  // `is_package`: of Python, the folder of the file is one.
  Mover(const Declaration& type, std::string destination, bool is_package)
      : file_(*type.file),
        backend_(LanguageBackendOf(type.file->language.id)),
        type_(type.AsSymbol()),
        destination_(std::move(destination)),
        is_package_(is_package) {}

  const std::string& destination() const { return destination_; }
  // TypeScript: the project names modules as they are after compilation.
  void WriteExtensions() { writes_extensions_ = true; }
  // Whether importers can take it from the new file, and load that before the old one.
  bool importers_follow() const { return follows_; }

  absl::StatusOr<EditPlan> Plan() {
    newline_ = absl::StrContains(file_.text, "\r\n") ? "\r\n" : "\n";
    if (destination_.empty()) destination_ = JoinPath(DirName(file_.path), DefaultName());
    if (destination_ == file_.path) {
      return absl::FailedPreconditionError(absl::StrCat(ToUtf8(type_.name), " is in ",
                                                        ToUtf8(destination_),
                                                        " already; give another path as newName"));
    }
    STILE_RETURN_IF_ERROR(FindPieces());
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file_.grammar, file_.text));
    imports_ = FindImports(file_.grammar, tree, file_.text);
    STILE_RETURN_IF_ERROR(CheckMovable(file_, type_, ranges_, tree, imports_, destination_));
    loads_quietly_ = LoadsQuietly(file_, tree, ranges_);
    JoinDeletions(file_.text, BehindImports(), &pieces_);
    for (const TextEdit& piece : pieces_) plan_.Edit(file_, piece);
    const GenerationFacts& facts = backend_.generation;
    if (facts.imports_packages) return Go();
    if (backend_.facts.imports_name_spaces) return CSharp();
    if (facts.imports_types) return Java();
    if (facts.imports_dotted_modules) return Python();
    if (facts.imports_files) return TypeScript();
    return absl::UnimplementedError(absl::StrCat("move_type is not available for ",
                                                 file_.language.name,
                                                 "; use file.write and file.modify"));
  }

 private:
  std::string DefaultName() const {
    const std::string extension = file_.path.substr(file_.path.rfind('.'));
    if (backend_.naming.snake_file_names) return SnakeCase(type_.name) + extension;
    const std::string base = BaseName(file_.path);
    if (absl::StrContains(base, "-")) return absl::StrJoin(WordsOf(type_.name), "-") + extension;
    return type_.name + extension;
  }

  absl::Status FindPieces() {
    if (type_.parent >= 0 &&
        file_.symbols[static_cast<size_t>(type_.parent)].kind != SymbolKind::kNamespace) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(type_.name), " is nested in ", file_.QualifiedName(type_.parent),
                       "; only declarations of the top level move"));
    }
    if (!IsType(type_.kind) && LineBegin(file_.text, type_.begin) != type_.begin) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(type_.name), " is declared together with others on line ", type_.line,
                       "; give it a declaration of its own first"));
    }
    for (const Symbol& symbol : file_.symbols) {
      const bool is_method =
          backend_.generation.methods_outside_types && symbol.container == type_.name;
      const bool is_type = symbol.name_begin == type_.name_begin;
      if (!is_type && !(is_method && symbol.parent < 0)) continue;
      const size_t begin =
          symbol.doc_end > 0 && symbol.doc_end <= symbol.begin ? symbol.doc_begin : symbol.begin;
      size_t end = symbol.end;
      if (end < file_.text.size() && file_.text[end] == ';') ++end;
      if (is_type) type_at_ = moved_.size() + (symbol.begin - begin) + (moved_.empty() ? 0 : 2);
      absl::StrAppend(&moved_, moved_.empty() ? "" : newline_ + newline_,
                      file_.text.substr(begin, end - begin));
      pieces_.push_back(DeletionOf(file_, symbol));
      ranges_.emplace_back(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
    }
    return absl::OkStatus();
  }

  // Whether the name stands in what moves (or, with `false`, in what stays), and not for a member.
  bool Uses(const std::string& name, bool in_moved) const {
    for (const Occurrence& occurrence :
         FindOccurrences(file_.grammar, file_.scopes, file_.text, name)) {
      if (occurrence.role == OccurrenceRole::kMember || occurrence.role == OccurrenceRole::kKey ||
          occurrence.role == OccurrenceRole::kLabel) {
        continue;
      }
      const bool moves = std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
        return range.first <= occurrence.begin && occurrence.begin < range.second;
      });
      const bool is_import = std::any_of(imports_.begin(), imports_.end(), [&](const Import& i) {
        return i.begin <= occurrence.begin && occurrence.begin < i.end;
      });
      if (moves == in_moved && !is_import) return true;
    }
    return false;
  }

  // Statements of the old file that bring a name which the moved code uses, as they are written.
  template <typename Uses>
  std::vector<std::pair<uint32_t, uint32_t>> StatementsFor(const Uses& uses) const {
    std::vector<std::pair<uint32_t, uint32_t>> statements;
    for (const Import& import : imports_) {
      if (!uses(import)) continue;
      const std::pair<uint32_t, uint32_t> range{import.begin, import.end};
      if (statements.empty() || statements.back() != range) statements.push_back(range);
    }
    return statements;
  }

  std::string TextOfRange(std::pair<uint32_t, uint32_t> range) const {
    return file_.text.substr(range.first, range.second - range.first);
  }

  std::string LineThatBegins(absl::string_view word) const {
    for (const absl::string_view line : SplitLines(file_.text)) {
      if (absl::StartsWith(line, word)) return std::string(absl::StripSuffix(line, "\r"));
    }
    return "";
  }

  static std::string GoName(const Import& import) {
    if (!import.alias.empty()) return import.alias;
    std::vector<std::string> parts = absl::StrSplit(import.module, '/');
    std::string last = parts.back();
    const bool is_version = last.size() > 1 && last[0] == 'v' &&
                            absl::ascii_isdigit(static_cast<unsigned char>(last[1]));
    if (is_version && parts.size() > 1) last = parts[parts.size() - 2];
    last = last.substr(0, last.find(".v"));
    return last.substr(last.rfind('-') == std::string::npos ? 0 : last.rfind('-') + 1);
  }

  absl::StatusOr<EditPlan> Go() {
    std::string header = LineThatBegins("package ");
    std::vector<std::string> specs;
    for (const Import& import : imports_) {
      const std::string name = GoName(import);
      const bool moves = Uses(name, true);
      if (moves) {
        specs.push_back(absl::StrCat("\t", import.alias, import.alias.empty() ? "" : " ", "\"",
                                     import.module, "\""));
      }
      // Go rejects an import that nothing uses.
      const std::string quoted = absl::StrCat("\"", import.module, "\"");
      const size_t at = file_.text.find(quoted, import.begin);
      if (!moves || Uses(name, false) || at == std::string::npos) continue;
      const size_t line = file_.text.rfind('\n', at) + 1;
      size_t end = file_.text.find('\n', at) + 1;
      // Nothing is left of a declaration of its own.
      const bool is_alone = absl::StartsWith(file_.text.substr(line), "import");
      if (is_alone && file_.text.compare(end, newline_.size(), newline_) == 0) {
        end += newline_.size();
      }
      plan_.Edit(file_, {static_cast<uint32_t>(line), static_cast<uint32_t>(end), ""});
    }
    if (specs.size() == 1) {
      absl::StrAppend(&header, newline_, newline_, "import ", specs[0].substr(1));
    } else if (!specs.empty()) {
      absl::StrAppend(&header, newline_, newline_, "import (", newline_,
                      absl::StrJoin(specs, newline_), newline_, ")");
    }
    return Create(header, moved_);
  }

  absl::StatusOr<EditPlan> CSharp() {
    std::string header;
    for (const auto& range : StatementsFor([](const Import&) { return true; })) {
      absl::StrAppend(&header, header.empty() ? "" : newline_, TextOfRange(range));
    }
    if (type_.parent < 0) return Create(header, moved_);
    const Symbol& space = file_.symbols[static_cast<size_t>(type_.parent)];
    const std::string head =
        absl::StrCat("namespace ", type_.container.empty() ? space.name : type_.container);
    const size_t behind = file_.text.find_first_of(";{", space.name_end);
    if (behind != std::string::npos && file_.text[behind] == ';') {
      absl::StrAppend(&header, header.empty() ? "" : newline_ + newline_, head, ";");
      return Create(header, moved_);
    }
    const size_t line = file_.text.rfind('\n', type_.begin) + 1;
    const std::string indentation = file_.text.substr(line, type_.begin - line);
    absl::StrAppend(&header, header.empty() ? "" : newline_ + newline_, head, newline_, "{");
    return Create(header, absl::StrCat(indentation, moved_, newline_, "}"), newline_);
  }

  absl::StatusOr<EditPlan> Java() {
    if (DirName(destination_) != DirName(file_.path) ||
        BaseName(destination_) != type_.name + ".java") {
      return absl::FailedPreconditionError(absl::StrCat(
          "Java wants ", type_.name, " in ", JoinPath(DirName(file_.path), type_.name + ".java"),
          "; use move_file for another package"));
    }
    std::string header = LineThatBegins("package ");
    const auto uses = [&](const Import& import) {
      const std::string last =
          import.name.empty() ? import.module.substr(import.module.rfind('.') + 1) : import.name;
      return last == "*" || Uses(last, true);
    };
    std::string imports;
    for (const auto& range : StatementsFor(uses)) {
      absl::StrAppend(&imports, newline_, TextOfRange(range));
    }
    if (!imports.empty()) absl::StrAppend(&header, newline_, imports);
    return Create(header, moved_);
  }

  // Names of the old file's own that the moved code uses.
  std::vector<const Symbol*> NeedsOfFile() const {
    std::vector<const Symbol*> needs;
    for (const Symbol& symbol : file_.symbols) {
      if (symbol.parent >= 0 || symbol.name_begin == type_.name_begin) continue;
      if (Uses(symbol.name, true)) needs.push_back(&symbol);
    }
    return needs;
  }

  uint32_t BehindImports() const {
    uint32_t end = 0;
    for (const Import& import : imports_) end = std::max(end, import.end);
    if (end == 0) {
      end = file_.symbols.empty() ? 0 : file_.symbols[0].begin;
      for (const Symbol& symbol : file_.symbols) {
        if (symbol.doc_end > 0 && symbol.doc_begin < end) end = symbol.doc_begin;
      }
      // One of several declarators begins in the middle of its statement.
      return static_cast<uint32_t>(LineBegin(file_.text, end));
    }
    const size_t newline = file_.text.find('\n', end);
    return static_cast<uint32_t>(newline == std::string::npos ? file_.text.size() : newline + 1);
  }

  absl::StatusOr<EditPlan> Python() {
    std::vector<std::string> needed;
    for (const Symbol* symbol : NeedsOfFile()) needed.push_back(symbol->name);
    if (!needed.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          ToUtf8(type_.name), " uses ", absl::StrJoin(needed, ", "), " of ", ToUtf8(file_.path),
          ", which would import each other then; move those first, or use file.modify"));
    }
    const auto uses = [&](const Import& import) {
      const std::string local = !import.alias.empty() ? import.alias
                                : !import.name.empty()
                                    ? import.name
                                    : import.module.substr(0, import.module.find('.'));
      return local == "*" || import.module == "__future__" || Uses(local, true);
    };
    std::string header;
    for (const auto& range : StatementsFor(uses)) {
      const std::string statement = TextOfRange(range);
      if (absl::StartsWith(statement, "from .") && DirName(destination_) != DirName(file_.path)) {
        return absl::FailedPreconditionError(
            absl::StrCat("it uses ", statement, ", which means something else in ",
                         ToUtf8(DirName(destination_)), "; move it within its folder"));
      }
      absl::StrAppend(&header, header.empty() ? "" : newline_, statement);
    }
    const std::string stem = BaseName(destination_).substr(0, BaseName(destination_).rfind('.'));
    if (DirName(destination_) != DirName(file_.path)) {
      return absl::FailedPreconditionError("in Python it moves within its folder only");
    }
    // The old file imports the new one: where that imports other files of the project, one of these
    // may come back to the old file, and would find it half loaded.
    const LanguageFamily& family = *FindLanguageFamily(file_.language.id);
    follows_ = loads_quietly_ && !HasGlobalWrites(file_) &&
               std::all_of(imports_.begin(), imports_.end(), [&](const Import& import) {
                 return family.IsLibraryModule(import.module);
               });
    plan_.Edit(file_, {BehindImports(), BehindImports(),
                       absl::StrCat("from ", is_package_ ? "." : "", stem, " import ", type_.name,
                                    newline_)});
    return Create(header, moved_, newline_ + newline_ + newline_);
  }

  absl::StatusOr<EditPlan> TypeScript() {
    STILE_RETURN_IF_ERROR(CheckEcmaMovable());
    // Node resolves nothing without it.
    const bool with_extension = backend_.generation.may_be_commonjs || writes_extensions_ ||
                                std::any_of(imports_.begin(), imports_.end(), NamesExtension);
    std::string header = EcmaImports();
    const std::vector<const Symbol*> needs = NeedsOfFile();
    STILE_RETURN_IF_ERROR(CheckLoading(needs));
    const std::string old_file = SpecifierTo(destination_, file_.path, with_extension);
    for (const Symbol* symbol : needs) {
      absl::StrAppend(&header, header.empty() ? "" : newline_,
                      EcmaLine("import ", *symbol, old_file));
    }
    // Who loads the new file first loads the old one within it, if they import each other or by way
    // of others. That is wrong where the old one needs the new one at once.
    const bool is_free = !absl::StrContains(header, "\".") && !absl::StrContains(header, "'.");
    const bool is_used = Uses(type_.name, false);
    follows_ = loads_quietly_ && (!is_used || is_free);
    const bool is_exported = absl::StartsWith(Head(), "export");
    const std::string new_file = SpecifierTo(file_.path, destination_, with_extension);
    std::string lines;
    if (is_used) absl::StrAppend(&lines, EcmaLine("import ", type_, new_file), newline_);
    if (is_exported) absl::StrAppend(&lines, EcmaLine("export ", type_, new_file), newline_);
    if (!lines.empty()) plan_.Edit(file_, {BehindImports(), BehindImports(), lines});
    // Behind the imports where both go to one place.
    STILE_RETURN_IF_ERROR(ExportNeeds(needs));
    if (!is_exported) moved_.insert(type_at_, "export ");
    return Create(header, moved_);
  }

  absl::string_view Head() const {
    return absl::string_view(file_.text).substr(type_.begin, type_.name_begin - type_.begin);
  }

  absl::Status CheckEcmaMovable() const {
    if (absl::StrContains(Head(), "export default")) {
      return absl::FailedPreconditionError(
          absl::StrCat(type_.name, " is the default export of its file; use file.modify"));
    }
    if (backend_.generation.may_be_commonjs && !IsModule()) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(file_.path),
                       " is no ES module (it has no import and no export); "
                       "what is moved needs these. Use file.write and file.modify"));
    }
    return absl::OkStatus();
  }

  static bool NamesExtension(const Import& import) {
    return absl::StartsWith(import.module, ".") && absl::StrContains(BaseName(import.module), ".");
  }

  // The imports of the file that the moved code uses, as the new file writes them.
  std::string EcmaImports() const {
    const auto uses = [&](const Import& import) {
      return Uses(import.alias.empty() ? import.name : import.alias, true);
    };
    std::string lines;
    for (const auto& range : StatementsFor(uses)) {
      std::string statement = TextOfRange(range);
      const auto import =
          std::find_if(imports_.begin(), imports_.end(), [&](const Import& candidate) {
            return candidate.begin == range.first && absl::StartsWith(candidate.module, ".");
          });
      const size_t at =
          import == imports_.end() ? std::string::npos : statement.rfind(import->module);
      if (at != std::string::npos) {
        const std::string target = CleanPath(JoinPath(DirName(file_.path), import->module));
        statement.replace(at, import->module.size(),
                          Specifier(destination_, target, /*with_extension=*/true));
      }
      absl::StrAppend(&lines, lines.empty() ? "" : newline_, statement);
    }
    return lines;
  }

  // `import type { Order } from "./order";`
  std::string EcmaLine(absl::string_view keyword, const Symbol& symbol,
                       const std::string& specifier) const {
    const bool type_only = backend_.facts.has_annotations && IsTypeOnly(symbol);
    return absl::StrCat(keyword, type_only ? "type " : "", "{ ", symbol.name, " } from \"",
                        specifier, "\";");
  }

  // What the moved code needs of its old file, that file must export.
  absl::Status ExportNeeds(const std::vector<const Symbol*>& needs) {
    for (const Symbol* symbol : needs) {
      if (IsExported(*symbol)) continue;
      if (LineBegin(file_.text, symbol->begin) != symbol->begin) {
        return absl::FailedPreconditionError(absl::StrCat(
            "it uses ", symbol->name, ", which is declared together with others on line ",
            symbol->line, " and not exported; export it first"));
      }
      plan_.Edit(file_, {symbol->begin, symbol->begin, "export "});
    }
    return absl::OkStatus();
  }

  // The two files import each other. What the moved code needs when its file is loaded is not there
  // yet, unless it is a function.
  absl::Status CheckLoading(const std::vector<const Symbol*>& needs) const {
    for (const Symbol* symbol : needs) {
      const bool is_base =
          std::find(type_.bases.begin(), type_.bases.end(), symbol->name) != type_.bases.end();
      const bool is_needed = IsType(type_.kind) ? is_base && type_.kind == SymbolKind::kClass
                                                : type_.kind != SymbolKind::kFunction &&
                                                      symbol->kind != SymbolKind::kFunction;
      if (!is_needed || IsTypeOnly(*symbol)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(type_.name), " needs ", ToUtf8(symbol->name), " of ",
                       ToUtf8(file_.path), " while its file is loaded; move that first"));
    }
    return absl::OkStatus();
  }

  bool IsModule() const {
    const std::vector<absl::string_view> lines = SplitLines(file_.text);
    return std::any_of(lines.begin(), lines.end(), [](absl::string_view line) {
      return absl::StartsWith(line, "import ") || absl::StartsWith(line, "export ");
    });
  }

  // By its declaration, or by a list of its own: `export { a, b }`.
  bool IsExported(const Symbol& symbol) const {
    const absl::string_view text = file_.text;
    if (absl::StartsWith(text.substr(symbol.begin), "export")) return true;
    for (size_t at = text.find("export {"); at != absl::string_view::npos;
         at = text.find("export {", at + 1)) {
      const absl::string_view list = text.substr(at, text.find('}', at) - at);
      if (HoldsWord(list, symbol.name)) return true;
    }
    return false;
  }

  static std::string SpecifierTo(const std::string& from, const std::string& to,
                                 bool with_extension) {
    std::string path = Specifier(from, to, with_extension);
    // Modules are named as they are after compilation.
    if (with_extension && absl::EndsWith(path, ".ts")) path.replace(path.size() - 3, 3, ".js");
    return path;
  }

  absl::StatusOr<EditPlan> Create(const std::string& header, const std::string& body,
                                  const std::string& between = "") {
    const std::string gap = between.empty() ? newline_ + newline_ : between;
    plan_.Create(destination_, absl::StrCat(header, header.empty() ? "" : gap, body, newline_));
    return std::move(plan_);
  }

  const SourceFile& file_;
  const LanguageBackend& backend_;
  const Symbol& type_;
  std::string destination_;
  const bool is_package_;
  std::string newline_;
  std::vector<Import> imports_;
  std::vector<TextEdit> pieces_;
  std::vector<std::pair<uint32_t, uint32_t>> ranges_;  // what moves
  std::string moved_;
  bool writes_extensions_ = false;
  bool follows_ = true;
  bool loads_quietly_ = true;  // see LoadsQuietly
  size_t type_at_ = 0;         // of the type, behind its documentation, in moved_
  EditPlan plan_;
};

}  // namespace

absl::StatusOr<EditPlan> PlanMoveType(const Resolution& resolution, const std::string& destination,
                                      CodeIndex* index) {
  std::vector<Declaration> types;
  for (const Declaration& target : resolution.targets) {
    if (target.symbol >= 0 && Moves(target)) types.push_back(target);
  }
  if (types.empty()) {
    return absl::FailedPreconditionError(
        "only types move, and functions, constants and variables of TypeScript, JavaScript, Python "
        "and Go");
  }
  if (types.size() > 1) {
    return absl::FailedPreconditionError(
        "several declarations have that name, or it has several parts: give filePath and line");
  }
  if (!destination.empty() && index->Open(destination).ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(destination), " exists already; give a new file"));
  }
  if (LanguageBackendOf(types[0].file->language.id).generation.files_are_declared)
    return PlanMoveRustType(types[0], destination, index);
  const std::string folder = DirName(types[0].file->path);
  Mover mover(types[0], destination, index->Open(JoinPath(folder, "__init__.py")).ok());
  const std::string base = BaseName(types[0].file->path);
  const std::string compiled = absl::StrCat("/", base.substr(0, base.rfind('.')), ".js");
  for (const auto& user : resolution.files) {
    const bool is_named = absl::StrContains(user->text, compiled + "\"") ||
                          absl::StrContains(user->text, compiled + "'");
    if (is_named && LanguageBackendOf(user->language.id).naming.has_declaration_files)
      mover.WriteExtensions();
  }
  STILE_ASSIGN_OR_RETURN(EditPlan plan, mover.Plan());
  if (mover.importers_follow()) {
    FollowMovedName(*types[0].file, types[0].name(), mover.destination(), resolution, index, &plan);
  }
  return plan;
}

}  // namespace stile
