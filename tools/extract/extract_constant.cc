#include "tools/extract/extract_constant.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/codegen/insert_code.h"
#include "tools/extract/constant_expression.h"
#include "tools/index/es_modules.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/type_body.h"

namespace stile {
namespace {

absl::Status NoType() {
  return absl::FailedPreconditionError(
      "the text of the expression does not show the type that the constant needs");
}

// The declaration of the file or of a namespace around the node.
TSNode TopLevelAround(TSNode node) {
  for (TSNode parent = ts_node_parent(node); !ts_node_is_null(parent);
       node = parent, parent = ts_node_parent(node)) {
    if (ts_node_is_null(ts_node_parent(parent))) break;
    const absl::string_view owner = TypeOf(ts_node_parent(parent));
    if (TypeOf(parent) == "declaration_list" &&
        (owner == "namespace_definition" || owner == "mod_item" ||
         owner == "linkage_specification")) {
      break;
    }
  }
  return node;
}

// The first statement of a module that is neither an import nor a directive. Functions of
// JavaScript can be called before their text is reached, constants cannot.
TSNode FirstStatement(const SyntaxTree& tree) {
  const std::vector<TSNode> statements = NamedChildren(tree.root());
  for (const TSNode node : statements) {
    const bool is_directive =
        IsNode(node, "expression_statement") && IsNode(ts_node_named_child(node, 0), "string");
    if (!IsComment(node) && !is_directive &&
        !IsOneOf(TypeOf(node), {"import_statement", "hash_bang_line"})) {
      return node;
    }
  }
  return statements.back();
}

// Where the lines of a declaration begin: with its attributes and the comment right above it.
uint32_t BeginWithHead(TSNode node, absl::string_view text) {
  uint32_t begin = BeginOf(node);
  for (TSNode above = ts_node_prev_sibling(node); !ts_node_is_null(above);
       above = ts_node_prev_sibling(above)) {
    const absl::string_view comment = TextOf(above, text);
    // Of the file, not of the declaration.
    const bool is_of_file = absl::StartsWith(comment, "#!") || absl::StartsWith(comment, "//!") ||
                            absl::StrContains(comment.substr(0, 80), "coding");
    const bool is_head = (IsComment(above) || IsNode(above, "attribute_item")) && !is_of_file;
    const absl::string_view between = text.substr(EndOf(above), begin - EndOf(above));
    const bool is_near =
        std::count(between.begin(), between.end(), '\n') <= 1 &&
        (absl::StrContains(between, "\n") || absl::EndsWith(TextOf(above, text), "\n"));
    const bool own_line =
        LineBegin(text, BeginOf(above)) + IndentationAt(text, BeginOf(above)).size() ==
        BeginOf(above);
    if (!is_head || !is_near || !own_line) break;
    begin = BeginOf(above);
  }
  return begin;
}

// The innermost type with a name around the node; null where there is none.
TSNode TypeAround(TSNode node) {
  for (node = ts_node_parent(node); !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    for (const absl::string_view kind : {"class_declaration", "interface_declaration",
                                         "record_declaration", "struct_declaration"}) {
      if (type == kind && !IsNode(ts_node_parent(node), "block")) return node;
    }
  }
  return node;
}

struct Constant {
  std::string name;
  std::string type;  // "": the text of its value does not show it
  absl::string_view value;
};

// Whether the new name means something else nowhere, and has its value wherever it is used.
absl::Status CheckCanBeAdded(const SourceFile& file, CodeIndex* index, const std::string& name) {
  const LanguageFacts& facts = LanguageBackendOf(file.language.id).facts;
  STILE_RETURN_IF_ERROR(CheckFreeName(file, name, {0, static_cast<uint32_t>(file.text.size())}));
  // A member of a base class would come before a constant of the file.
  for (const auto& other : index->FilesWith(name)) {
    if (facts.members_hide_globals && other->path != file.path) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is in use in ", ToUtf8(other->path), "; choose another newName"));
    }
  }
  if (facts.modules_run_at_import && IsInImportCycle(file, index)) {
    return absl::FailedPreconditionError(
        "modules import this one that it imports itself: a function of it may run before the "
        "constant has its value");
  }
  return absl::OkStatus();
}

// As a field of the type around the expression.
absl::StatusOr<TextEdit> DeclareInType(const SourceFile& file, const LanguageBackend& language,
                                       TSNode expression, const Constant& constant) {
  const TSNode around = TypeAround(expression);
  if (ts_node_is_null(around)) {
    return absl::FailedPreconditionError("the expression stands in no class");
  }
  if (constant.type.empty()) return NoType();
  STILE_ASSIGN_OR_RETURN(const TypeBody body, TypeBodyOf(*language.family, around, file.text));
  const std::string declaration = language.writer->DeclareConstant(
      constant.name, constant.type, constant.value, body.is_interface);
  return InsertMember(file, *language.family, body, StyleOf(file.text, *language.family),
                      MemberKind::kField, declaration);
}

// As a declaration of the file, above the statement `before`.
absl::StatusOr<TextEdit> DeclareAbove(const SourceFile& file, const LanguageBackend& language,
                                      TSNode before, const Constant& constant) {
  const std::string declaration =
      language.writer->DeclareConstant(constant.name, constant.type, constant.value, false);
  if (declaration.empty()) return NoType();
  const uint32_t begin = BeginWithHead(before, file.text);
  constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
  auto at = static_cast<uint32_t>(LineBegin(file.text, begin));
  if (at == 0 && absl::StartsWith(file.text, kByteOrderMark)) {
    at = static_cast<uint32_t>(kByteOrderMark.size());
  }
  const std::string indentation = file.text.substr(at, begin - at);
  if (!absl::StripAsciiWhitespace(indentation).empty()) {
    return absl::FailedPreconditionError(
        "the statement shares its line with others; give it a line of its own first");
  }
  const std::string newline = StyleOf(file.text, *language.family).newline;
  std::string lines = absl::StrCat(indentation, declaration, newline);
  for (int i = 0; i < language.facts.top_level_gap; ++i) lines += newline;
  return TextEdit{at, at, std::move(lines)};
}

}  // namespace

absl::StatusOr<EditPlan> PlanExtractConstant(const SourceFile& file, CodeIndex* index,
                                             int start_line, int end_line,
                                             const std::string& expression,
                                             const std::string& new_name) {
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  if (language.family == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_constant is not available for ", file.language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  STILE_ASSIGN_OR_RETURN(const TSNode node,
                         ChooseConstant(file, tree, start_line, end_line, expression));
  STILE_RETURN_IF_ERROR(CheckCanBeAdded(file, index, new_name));
  const Constant constant = {new_name, ConstantType(language, node, file.text),
                             TextOf(node, file.text)};
  EditPlan plan;
  if (language.facts.constants_in_types) {
    STILE_ASSIGN_OR_RETURN(TextEdit declaration, DeclareInType(file, language, node, constant));
    plan.Edit(file, std::move(declaration));
  } else {
    const TSNode before =
        language.facts.modules_run_at_import ? FirstStatement(tree) : TopLevelAround(node);
    STILE_ASSIGN_OR_RETURN(TextEdit declaration, DeclareAbove(file, language, before, constant));
    plan.Edit(file, std::move(declaration));
  }
  plan.Edit(file, {BeginOf(node), EndOf(node), WordFor(node, new_name, file.text)});
  return plan;
}

}  // namespace stile
