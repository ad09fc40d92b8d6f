#include "tools/refactor/inlined_names.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/code_index.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/inline_uses.h"

namespace stile {
namespace {

class NameCheck {
 public:
  NameCheck(const InlinedFunction& function, const InlinedCall& call, DeclaredNames* declared)
      : function_(function), call_(call), declared_(declared) {}

  // "which line 3 of app.py declares"; "": it means the same.
  std::string WhyDifferent(const InlinedFunction::FreeName& name) const {
    const bool is_same_file = call_.file.path == function_.file().path;
    const uint32_t at = BeginOf(call_.node);
    const bool is_imported = ImportOf(function_.file(), function_.tree, name.name).has_value();
    const bool is_imported_alike = is_imported && (is_same_file || IsImportedAlike(name.name));
    if (IsNameOfExpressionAround(name.name)) return "which a class or function around it has";
    for (size_t i = 0; i < call_.file.scopes.bindings.size(); ++i) {
      const Binding& other = call_.file.scopes.bindings[i];
      const bool is_seen =
          other.name == name.name && at >= other.scope_begin && at < other.scope_end;
      const bool is_same =
          (is_same_file && static_cast<int>(i) == name.binding) ||
          (is_imported_alike && other.is_file_level && other.kind == BindingKind::kImport);
      if (is_seen && !is_same) {
        return absl::StrCat("which line ", call_.file.PlaceOf(other.name_begin).line, " of ",
                            ToUtf8(call_.file.path), " declares");
      }
    }
    if (MayBeOtherMacro(name.name)) return "which is a macro that may be another one there";
    if (function_.language().naming.implicit_this && MayBeMember(name)) {
      return "which may be a member of its type";
    }
    if (!is_imported && !is_same_file && ImportOf(call_.file, call_.tree, name.name).has_value()) {
      return absl::StrCat("which ", ToUtf8(call_.file.path), " imports");
    }
    if (is_imported && !is_imported_alike) {
      return absl::StrCat("which ", ToUtf8(call_.file.path), " does not import in the same way");
    }
    if (name.binding >= 0 && !is_imported) {
      const Binding& own = BindingOf(name);
      const bool is_known =
          is_same_file ? at >= own.scope_begin && at < own.scope_end : IsSeen(own);
      return is_known ? "" : "which is not declared there";
    }
    if (is_same_file || is_imported) return "";
    if (MayComeWithAll(name.name)) return "which an import of all names may declare";
    return IsDeclaredElsewhere(name) ? "which may be another one there" : "";
  }

  // C#: why a method does not do the same in another file or method: an extension method needs a
  // `using`, and `[CallerMemberName]` gives it the name of its caller. "": it does.
  std::string WhyBound(const std::string& name) const {
    const bool is_same_file = call_.file.path == function_.file().path;
    for (const Declaration& other : DeclaredAs(name)) {
      const std::string head = other.file->Signature(other.AsSymbol());
      if (absl::StrContains(head, "[Caller")) return "which asks for its caller";
      if (!is_same_file && absl::StrContains(head, "(this ")) {
        return "which may be an extension method";
      }
    }
    return "";
  }

 private:
  // JavaScript: `const a = class k { … }` is called k in itself, and nowhere else.
  bool IsNameOfExpressionAround(const std::string& name) const {
    for (TSNode node = call_.node; !ts_node_is_null(node); node = ts_node_parent(node)) {
      if (!IsOneOf(TypeOf(node), {"class", "function_expression", "generator_function"})) continue;
      if (TextOf(FieldOf(node, "name"), call_.file.text) == name) return true;
    }
    return false;
  }

  const Binding& BindingOf(const InlinedFunction::FreeName& name) const {
    return function_.file().scopes.bindings[static_cast<size_t>(name.binding)];
  }

  // The import of the file's top that brings the name; nullopt: none does.
  static std::optional<Import> ImportOf(const SourceFile& file, const SyntaxTree& tree,
                                        const std::string& name) {
    const bool is_gradual = LanguageBackendOfGrammar(file.grammar.name).naming.gradual_types;
    for (const Import& import : FindImports(file.grammar, tree, file.text)) {
      // Under `if TYPE_CHECKING:`, for example.
      if (is_gradual && file.PlaceOf(import.begin).column > 1) continue;
      std::string local = import.alias.empty() ? import.name : import.alias;
      if (local.empty()) local = import.module.substr(import.module.find_last_of("/.") + 1);
      if (local == name) return import;
    }
    return std::nullopt;
  }

  static std::set<std::string> WildcardsOf(const SourceFile& file, const SyntaxTree& tree) {
    std::set<std::string> modules;
    for (const Import& import : FindImports(file.grammar, tree, file.text)) {
      if (import.name == "*" && import.alias.empty()) modules.insert(import.module);
    }
    return modules;
  }

  // Whether `import *` in one of the files may bring the name there.
  bool MayComeWithAll(const std::string& name) const {
    const std::vector<std::string>& known = function_.language().naming.default_names;
    if (std::find(known.begin(), known.end(), name) != known.end()) return false;
    const std::set<std::string> own = WildcardsOf(function_.file(), function_.tree);
    const std::set<std::string> theirs = WildcardsOf(call_.file, call_.tree);
    return function_.language().naming.gradual_types ? !own.empty() || !theirs.empty()
                                                     : own != theirs;
  }

  // Whether a name that the function's file imports is imported in the same way at the call.
  bool IsImportedAlike(const std::string& name) const {
    const auto own = ImportOf(function_.file(), function_.tree, name);
    const auto theirs = ImportOf(call_.file, call_.tree, name);
    if (!own.has_value() || !theirs.has_value()) return false;
    const bool is_relative = absl::StartsWith(own->module, ".");
    const bool is_same_folder = DirName(call_.file.path) == DirName(function_.file().path);
    return own->module == theirs->module && own->name == theirs->name &&
           own->alias == theirs->alias && (!is_relative || is_same_folder);
  }

  // In C# and Java a name alone can be a member, also of a base that is not in the project.
  bool MayBeMember(const InlinedFunction::FreeName& name) const {
    if (IsInClassOf(function_, call_)) return false;
    if (!name.is_type) return true;
    const std::vector<Declaration>& all = DeclaredAs(name.name);
    return std::any_of(all.begin(), all.end(), [](const Declaration& other) {
      return other.AsSymbol().parent >= 0 && !IsType(other.AsSymbol().kind);
    });
  }

  // Whether what a file declares is known in another one without an import.
  bool IsSeen(const Binding& own) const {
    const GenerationFacts& generation = function_.language().generation;
    const bool is_same_folder = DirName(call_.file.path) == DirName(function_.file().path);
    if (generation.imports_packages && is_same_folder) return own.is_file_level;
    // A caller includes the header, so it sees the declarations above the function.
    return generation.has_includes && absl::EndsWith(function_.file().path, ".h");
  }

  const std::vector<Declaration>& DeclaredAs(const std::string& name) const {
    return declared_->Of(function_, name);
  }

  // C: whether a macro is defined more than once, or depends on the place that uses it.
  bool MayBeOtherMacro(const std::string& name) const {
    if (!function_.language().facts.has_macros) return false;
    int macros = 0;
    bool depends = false;
    for (const Declaration& other : DeclaredAs(name)) {
      if (other.AsSymbol().kind != SymbolKind::kMacro) continue;
      ++macros;
      const auto text =
          absl::string_view(other.file->text)
              .substr(other.AsSymbol().begin, other.AsSymbol().end - other.AsSymbol().begin);
      for (const std::string& word : function_.language().naming.frame_words) {
        depends = depends || HoldsWord(text, word);
      }
    }
    return macros > 1 || depends;
  }

  // Whether a name that the function's file does not declare may be one of the project.
  bool IsDeclaredElsewhere(const InlinedFunction::FreeName& name) const {
    const GenerationFacts& generation = function_.language().generation;
    if (generation.has_includes) {
      // Both files read the header, unless there are several.
      const std::vector<Declaration>& all = DeclaredAs(name.name);
      return std::count_if(all.begin(), all.end(), [](const Declaration& other) {
               return other.AsSymbol().is_definition;
             }) > 1;
    }
    const bool is_same_folder = DirName(call_.file.path) == DirName(function_.file().path);
    if ((generation.imports_packages || generation.imports_types) && is_same_folder) return false;
    return !DeclaredAs(name.name).empty();
  }

  const InlinedFunction& function_;
  const InlinedCall& call_;
  DeclaredNames* const declared_;
};

}  // namespace

const std::vector<Declaration>& DeclaredNames::Of(const InlinedFunction& function,
                                                  const std::string& name) {
  const auto [known, is_new] = known_.try_emplace(name);
  if (!is_new) return known->second;
  SymbolQuery query;
  query.name = name;
  const auto found = Resolve(query, index_);
  for (const Declaration& other : found.ok() ? found->all : std::vector<Declaration>()) {
    const bool sees = SeeEachOther(function.file().language, other.file->language);
    if (other.symbol >= 0 && sees) known->second.push_back(other);
  }
  return known->second;
}

absl::Status CheckFreeNames(const InlinedFunction& function, const InlinedCall& call,
                            DeclaredNames* declared) {
  const NameCheck check(function, call, declared);
  std::vector<std::pair<std::string, std::string>> different;  // names and reasons
  for (const std::string& name : function.member_names) {
    different.emplace_back(name, check.WhyBound(name));
  }
  for (const InlinedFunction::FreeName& name : function.free_names) {
    std::string reason = check.WhyDifferent(name);
    if (reason.empty()) reason = check.WhyBound(name.name);
    different.emplace_back(name.name, std::move(reason));
  }
  for (const auto& [name, reason] : different) {
    if (reason.empty()) continue;
    return RefuseUse(call.file, call.node,
                     absl::StrCat("calls it, and its body uses ", ToUtf8(name), ", ", reason));
  }
  return absl::OkStatus();
}

}  // namespace stile
