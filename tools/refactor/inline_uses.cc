#include "tools/refactor/inline_uses.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/extract/selection.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/imported_name.h"
#include "tools/refactor/movable.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// Without the symbol, a name of a base class would be meant; and a class can read its members.
absl::Status CheckOwner(const Resolution& resolution, const Declaration& owner, CodeIndex* index) {
  const SourceFile& file = *owner.file;
  const Symbol& type = owner.AsSymbol();
  const LanguageFacts& facts = LanguageBackendOfGrammar(file.grammar.name).facts;
  if (!IsType(type.kind)) return absl::OkStatus();
  const std::set<std::string> above = TypesAbove(type.name, file.language, index);
  for (const Declaration& other : resolution.all) {
    if (other.symbol >= 0 && above.count(LastComponent(other.AsSymbol().container)) > 0) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(other.QualifiedName()), " has the same name in a base"));
    }
  }
  if (!facts.constants_by_convention) return absl::OkStatus();
  Resolution types;
  types.targets = {owner};
  const bool is_decorated = file.text[type.begin] == '@';
  const bool has_bases = file.text[type.name_end] == '(';  // or a metaclass
  if (is_decorated || has_bases || !FindDerivedTypes(types, index).empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        ToUtf8(type.name), is_decorated ? " has a decorator" : " has a base or a derived class",
        ", which may read its members"));
  }
  return absl::OkStatus();
}

// Whether loading the file loads no other code of the project or of a package.
bool ImportsLibraryOnly(const SourceFile& file, const SyntaxTree& tree) {
  const LanguageFamily* const family = LanguageBackendOfGrammar(file.grammar.name).family;
  const std::vector<Import> imports = FindImports(file.grammar, tree, file.text);
  return std::all_of(imports.begin(), imports.end(), [&](const Import& import) {
    return family != nullptr &&
           family->IsLibraryModule(import.module.substr(0, import.module.find('.')));
  });
}

// Whether the file need not be loaded if nothing of it is used any more.
absl::StatusOr<bool> MayStayUnloaded(const SourceFile& file) {
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  return LoadsQuietly(file, tree, {}) && ImportsLibraryOnly(file, tree);
}

// Go: whether a file of the package has a function that runs when the package is loaded.
bool HasInit(const SourceFile& file, CodeIndex* index) {
  if (!LanguageBackendOfGrammar(file.grammar.name).generation.imports_packages) return false;
  const auto files = index->FilesWith("init");
  return std::any_of(files.begin(), files.end(), [&](const auto& other) {
    return DirName(other->path) == DirName(file.path) &&
           absl::StrContains(other->text, "\nfunc init()");
  });
}

}  // namespace

absl::Status RefuseUse(const SourceFile& file, TSNode place, absl::string_view how) {
  return absl::FailedPreconditionError(absl::StrCat("line ", file.PlaceOf(BeginOf(place)).line,
                                                    " of ", ToUtf8(file.path), " ", how));
}

bool IsPath(TSNode node) {
  for (int level = 0; level < 20; ++level) {
    const absl::string_view type = TypeOf(node);
    if (IsOneOf(type, {"identifier", "this", "self", "crate", "super", "namespace_identifier",
                       "package_identifier", "type_identifier", "field_identifier"})) {
      return true;
    }
    if (!IsOneOf(type, {"member_expression", "attribute", "field_access", "scoped_identifier",
                        "member_access_expression", "selector_expression", "qualified_identifier",
                        "qualified_name", "predefined_type"})) {
      return false;
    }
    if (ts_node_named_child_count(node) == 0) return true;
    node = ts_node_named_child(node, 0);
  }
  return false;
}

absl::StatusOr<TSNode> WholeUse(const SourceFile& file, TSNode name) {
  TSNode whole = name;
  for (TSNode parent = ts_node_parent(whole); !ts_node_is_null(parent);
       parent = ts_node_parent(whole)) {
    const bool is_member =
        IsOneOf(TypeOf(parent),
                {"member_expression", "attribute", "field_access", "scoped_identifier",
                 "member_access_expression", "selector_expression", "qualified_identifier",
                 "field_expression"}) &&
        EndOf(parent) == EndOf(whole) && BeginOf(parent) < BeginOf(whole);
    if (!is_member) break;
    const TSNode owner = ts_node_named_child(parent, 0);
    if (!IsPath(owner)) {
      return RefuseUse(file, name, "reads it from an expression that may have effects");
    }
    whole = parent;
  }
  return whole;
}

absl::Status CheckDeclaredOnce(const Resolution& resolution, CodeIndex* index) {
  const Declaration& target = resolution.targets[0];
  if (target.AsSymbol().parent < 0) return absl::OkStatus();
  Resolution owner;
  owner.targets = {{target.file, target.AsSymbol().parent, -1}};
  STILE_RETURN_IF_ERROR(CheckOwner(resolution, owner.targets[0], index));
  // A use by way of an object, or of a derived class, would mean that of the derived class.
  for (const RelatedSymbol& derived : FindDerivedTypes(owner, index)) {
    const std::string type = derived.declaration.QualifiedName();
    const auto other = std::find_if(
        resolution.all.begin(), resolution.all.end(), [&](const Declaration& declared) {
          return declared.symbol >= 0 && declared.AsSymbol().container == type;
        });
    if (other == resolution.all.end()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(type), " declares it, too, and a use may mean that one"));
  }
  return absl::OkStatus();
}

absl::Status ReplaceUses(const Declaration& symbol, const UseReplacement& replace, CodeIndex* index,
                         DeletePlan* plan) {
  const std::string& name = symbol.AsSymbol().name;
  const auto refuse = [&](absl::string_view reason) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(name), " cannot be inlined: ", reason));
  };
  if (HasInit(*symbol.file, index)) {
    for (const Reference& use : plan->uses) {
      if (DirName(use.file->path) == DirName(symbol.file->path)) continue;
      return refuse(
          absl::StrCat(ToUtf8(use.file->path),
                       " may not need its package any more, and the package has an init function"));
    }
  }
  STILE_ASSIGN_OR_RETURN(const bool loads_quietly, MayStayUnloaded(*symbol.file));
  std::map<std::string, std::vector<const Reference*>> by_file;
  for (const Reference& use : plan->uses) by_file[use.file->path].push_back(&use);
  for (const auto& [path, uses] : by_file) {
    const SourceFile& user = *uses[0]->file;
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(user.grammar, user.text));
    STILE_RETURN_IF_ERROR(CheckDepth(tree));
    // A call begins with the name of its function, and its arguments follow.
    std::vector<const Reference*> inner_first = uses;
    std::sort(inner_first.begin(), inner_first.end(), [](const Reference* a, const Reference* b) {
      return a->occurrence.begin > b->occurrence.begin;
    });
    std::vector<TextEdit> done;
    for (const Reference* use : inner_first) {
      const TSNode place = NodeAt(tree, use->occurrence.begin, use->occurrence.end);
      if (TextOf(place, user.text) != name) {
        const bool is_text = !absl::EndsWith(TypeOf(place), "identifier");
        return refuse(
            RefuseUse(user, place,
                      is_text ? "names it in a text or a macro" : "uses it under another name")
                .message());
      }
      const TSNode statement = ImportAround(place);
      auto edit = ts_node_is_null(statement)
                      ? replace(user, tree, place, done)
                      : RemoveImportedName(user, statement, place, !loads_quietly);
      if (!edit.ok()) {
        return absl::IsFailedPrecondition(edit.status()) ? refuse(edit.status().message())
                                                         : edit.status();
      }
      std::erase_if(done, [&](const TextEdit& inner) {
        return edit->begin <= inner.begin && inner.end <= edit->end;
      });
      done.push_back(*std::move(edit));
    }
    for (TextEdit& edit : done) plan->edits.Edit(user, std::move(edit));
  }
  if (plan->edits.HasOverlap()) return refuse("two of its uses stand in one place");
  plan->uses.clear();
  return absl::OkStatus();
}

}  // namespace stile
