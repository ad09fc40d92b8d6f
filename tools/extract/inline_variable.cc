#include "tools/extract/inline_variable.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/constant_expression.h"
#include "tools/extract/declared_value.h"
#include "tools/extract/evaluation_order.h"
#include "tools/extract/operand_text.h"
#include "tools/extract/variable_types.h"
#include "tools/index/code_index.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"

namespace stile {
namespace {

// A declaration of one variable with a value: `statement` holds nothing else.
struct Variable {
  int binding = -1;
  std::string name;
  TSNode statement{};
  TSNode value{};
  std::string type;  // as written; "": inferred
};

absl::Status Refuse(absl::string_view name, absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(ToUtf8(name), " cannot be inlined: ", reason));
}

// The statement that consists of the declarator alone; null where others share it.
TSNode StatementOf(TSNode declarator, absl::string_view text) {
  TSNode node = declarator;
  for (TSNode parent = ts_node_parent(node); !ts_node_is_null(parent);
       node = parent, parent = ts_node_parent(node)) {
    if (IsStatementContainer(parent) || IsNode(parent, "global_statement")) {
      return HasChildText(node, ",", text) ? TSNode{} : node;
    }
    const bool is_group =
        IsOneOf(TypeOf(parent), {"var_declaration", "const_declaration", "var_spec_list"}) &&
        NamedChildren(parent).size() > 1;
    if (is_group || HasChildText(node, ",", text) || HasChildText(parent, ",", text)) break;
    if (!IsOneOf(TypeOf(parent),
                 {"lexical_declaration", "variable_declaration", "local_variable_declaration",
                  "local_declaration_statement", "declaration", "var_declaration",
                  "const_declaration", "expression_statement", "var_spec_list"})) {
      break;
    }
  }
  return TSNode{};
}

// Words that make a declaration more than a name with a value; "" where there is none.
std::string Specifier(const Variable& variable, absl::string_view text) {
  std::string found;
  WalkTree(variable.statement, [&](TSNode node) {
    if (SameNode(node, variable.value)) return false;
    const absl::string_view type = TypeOf(node);
    if (IsOneOf(type, {"using", "await", "ref", "static", "volatile", "register", "extern",
                       "array_declarator", "annotation", "marker_annotation", "attribute_list",
                       "storage_class_specifier", "array_rank_specifier", "fixed"}) &&
        BeginOf(node) < BeginOf(variable.value)) {
      found = std::string(TextOf(node, text));
    }
    if (type == "type_qualifier" && TextOf(node, text) != "const") {
      found = std::string(TextOf(node, text));
    }
    return found.empty();
  });
  return found;
}

class Inlining {
 public:
  Inlining(const SourceFile& file, const SyntaxTree& tree, Variable variable)
      : file_(file),
        language_(LanguageBackendOf(file.language.id)),
        tree_(tree),
        text_(file.text),
        variable_(std::move(variable)) {}

  absl::StatusOr<EditPlan> Plan(const ProbeEdits& probe) {
    STILE_RETURN_IF_ERROR(FindUses());
    is_constant_ = IsConstantExpression(variable_.value, text_);
    if (!is_constant_) {
      STILE_RETURN_IF_ERROR(CheckMovesIntoNext());
    }
    if (facts().functions_take_names &&
        (IsFunctionNode(variable_.value) || IsNode(variable_.value, "class"))) {
      return No("the function has its name from it");
    }
    for (const Occurrence& use : uses_) {
      STILE_RETURN_IF_ERROR(CheckUse(use));
    }
    STILE_RETURN_IF_ERROR(CheckType(probe));
    EditPlan plan;
    STILE_RETURN_IF_ERROR(RemoveDeclaration(&plan));
    for (const Occurrence& use : uses_) {
      std::string value = ValueAt(NodeAt(tree_, use.begin, use.end));
      if (use.role == OccurrenceRole::kShorthand) {
        value = absl::StrCat(variable_.name, ": ", value);
      }
      STILE_RETURN_IF_ERROR(CheckStatementBegin(use, value));
      plan.Edit(file_, {use.begin, use.end, std::move(value)});
    }
    return plan;
  }

 private:
  const LanguageFacts& facts() const { return language_.facts; }
  absl::Status No(absl::string_view reason) const { return Refuse(variable_.name, reason); }
  std::string Line(uint32_t at) const { return absl::StrCat("line ", file_.PlaceOf(at).line); }

  absl::Status FindUses() {
    const TSNode block = ts_node_parent(variable_.statement);
    for (const Occurrence& use : UsesOf(file_, variable_.binding)) {
      const Binding& binding = file_.scopes.bindings[static_cast<size_t>(variable_.binding)];
      if (use.begin == binding.name_begin) continue;
      if (use.role == OccurrenceRole::kDefinition || IsWrite(tree_, use, text_)) {
        return No(absl::StrCat(Line(use.begin), " gives it another value"));
      }
      if (use.role != OccurrenceRole::kReference && use.role != OccurrenceRole::kShorthand) {
        return No(absl::StrCat(Line(use.begin), " uses it as ", OccurrenceRoleName(use.role)));
      }
      if (use.begin >= BeginOf(variable_.value) && use.begin < EndOf(variable_.value)) {
        return No("its value uses it");
      }
      if (use.begin < EndOf(variable_.statement) || use.begin >= EndOf(block)) {
        return No(absl::StrCat(Line(use.begin),
                               " uses it outside of the block after its declaration, where it may "
                               "have no value"));
      }
      uses_.push_back(use);
    }
    if (uses_.empty()) return No("nothing uses it; delete its declaration with file.modify");
    return CheckNoReflection();
  }

  // Code that is read from a string may use any name.
  absl::Status CheckNoReflection() const {
    const TSNode function = FunctionAround(variable_.statement);
    std::string found;
    WalkTree(ts_node_is_null(function) ? tree_.root() : function, [&](TSNode node) {
      if (IsNode(node, "identifier") &&
          IsOneOf(TextOf(node, text_), {"eval", "exec", "locals", "vars"})) {
        found = std::string(TextOf(node, text_));
      }
      return found.empty();
    });
    if (found.empty()) return absl::OkStatus();
    return No(absl::StrCat("its function uses ", found, ", which may read it by its name"));
  }

  absl::Status CheckMovesIntoNext() const {
    const std::string shown = absl::StrCat("its value `", ShortCode(variable_.value, text_), "`");
    if (uses_.size() > 1) {
      return No(absl::StrCat(shown, " is not made of literals only, and would be evaluated ",
                             uses_.size(), " times"));
    }
    TSNode next = ts_node_next_named_sibling(variable_.statement);
    if (IsNode(ts_node_parent(variable_.statement), "global_statement")) {
      next = ts_node_next_named_sibling(ts_node_parent(variable_.statement));
    }
    while (!ts_node_is_null(next) && IsComment(next)) next = ts_node_next_named_sibling(next);
    const Occurrence& use = uses_[0];
    if (ts_node_is_null(next) || use.begin >= EndOf(next) || use.begin < BeginOf(next)) {
      return No(absl::StrCat("the statement after its declaration does not use it, and ", shown,
                             " may be another one later"));
    }
    const TSNode place = NodeAt(tree_, use.begin, use.end);
    const auto statement = StatementEvaluating(file_, place);
    if (!statement.ok()) {
      return No(
          absl::StrCat("of its use in ", Line(use.begin), ": ", statement.status().message()));
    }
    if (!SameNode(*statement, next)) {
      return No(absl::StrCat(Line(use.begin), " uses it in a block of its own, where ", shown,
                             " may not be evaluated, or be another one"));
    }
    STILE_RETURN_IF_ERROR(
        InName(CheckEvaluatedFirst(file_, tree_, place, variable_.value, *statement)));
    if (HasEffects(variable_.value, text_) || HasGetter(variable_.value)) {
      STILE_RETURN_IF_ERROR(InName(CheckNothingRead(file_, tree_, place, *statement)));
    }
    return CheckNames(*statement);
  }

  // A name behind a dot may be a method that is called by reading it.
  bool HasGetter(TSNode value) const {
    if (!facts().has_getters) return false;
    bool found = false;
    WalkTree(value, [&](TSNode node) {
      found = found ||
              IsOneOf(TypeOf(node), {"member_expression", "attribute", "member_access_expression"});
      return !found;
    });
    return found;
  }

  absl::Status InName(const absl::Status& status) const {
    return absl::IsFailedPrecondition(status) ? No(status.message()) : status;
  }

  // Names of the value must mean the same in the statement.
  absl::Status CheckNames(TSNode statement) const {
    std::vector<absl::string_view> declared;
    for (const Binding& binding : file_.scopes.bindings) {
      if (binding.name_begin >= BeginOf(statement) && binding.name_begin < EndOf(statement)) {
        declared.push_back(binding.name);
      }
    }
    std::string found;
    WalkTree(variable_.value, [&](TSNode node) {
      const bool is_name =
          ts_node_child_count(node) == 0 &&
          std::find(declared.begin(), declared.end(), TextOf(node, text_)) != declared.end();
      if (is_name) found = std::string(TextOf(node, text_));
      return found.empty();
    });
    if (found.empty()) return absl::OkStatus();
    return No(
        absl::StrCat("the statement that uses it declares ", found, ", which its value uses, too"));
  }

  absl::Status CheckUse(const Occurrence& use) const {
    const TSNode place = NodeAt(tree_, use.begin, use.end);
    TSNode whole = place;
    while (IsNode(ts_node_parent(whole), "parenthesized_expression")) whole = ts_node_parent(whole);
    const TSNode parent = ts_node_parent(whole);
    const absl::string_view around = TypeOf(parent);
    const std::string at = Line(use.begin);
    if (IsOneOf(around, {"unary_expression", "pointer_expression"}) &&
        absl::StartsWith(TextOf(parent, text_), "&")) {
      return No(absl::StrCat(at, " takes its address"));
    }
    if (absl::StartsWith(around, "sizeof") || absl::StartsWith(around, "alignof")) {
      return No(absl::StrCat(at, " asks for its size"));
    }
    const bool is_callee = SameNode(FieldOf(parent, "function"), whole);
    if (IsNode(parent, "expression_statement")) {
      return No(absl::StrCat(at, " is a statement of the name alone"));
    }
    STILE_RETURN_IF_ERROR(CheckCopy(whole));
    STILE_RETURN_IF_ERROR(CheckConversion(place));
    if (facts().call_binds_this && is_callee && IsMember(variable_.value)) {
      return No(absl::StrCat(at,
                             " calls it, and with the value in its place the call would have "
                             "another `this`"));
    }
    for (TSNode node = place; !ts_node_is_null(node); node = ts_node_parent(node)) {
      const absl::string_view type = TypeOf(node);
      if (type == "interpolation") {
        return No(absl::StrCat(at, " uses it within a string"));
      }
      if (IsStatementContainer(node)) break;
    }
    return facts().has_macros ? CheckNoMacro(place) : absl::OkStatus();
  }

  // A variable of a struct is a copy; what is written to it must not reach the original.
  absl::Status CheckCopy(TSNode use) const {
    const bool is_place = IsOneOf(
        TypeOf(variable_.value),
        {"identifier", "selector_expression", "field_expression", "member_access_expression",
         "index_expression", "subscript_expression", "element_access_expression",
         "unary_expression", "pointer_expression", "parenthesized_expression"});
    if (!is_place || !facts().copies_structs) return absl::OkStatus();
    TSNode node = use;
    while (IsOneOf(TypeOf(ts_node_parent(node)),
                   {"selector_expression", "field_expression", "member_access_expression",
                    "index_expression", "subscript_expression", "element_access_expression",
                    "parenthesized_expression"}) &&
           BeginOf(ts_node_parent(node)) <= BeginOf(use)) {
      node = ts_node_parent(node);
    }
    if (SameNode(node, use)) return absl::OkStatus();
    const TSNode parent = ts_node_parent(node);
    const bool is_called = SameNode(FieldOf(parent, "function"), node);
    const Occurrence place{BeginOf(node), EndOf(node)};
    const bool is_addressed = absl::StartsWith(TextOf(parent, text_), "&");
    if (!is_called && !is_addressed && !IsWrite(tree_, place, text_)) return absl::OkStatus();
    return No(absl::StrCat(Line(BeginOf(use)),
                           " may change it, and with the value in its place that would change `",
                           ShortCode(variable_.value, text_), "`"));
  }

  // Constants convert where variables do not, and choose other overloads.
  absl::Status CheckConversion(TSNode place) const {
    if (!is_constant_ || !facts().constants_convert) return absl::OkStatus();
    const absl::string_view head = text_.substr(
        BeginOf(variable_.statement), BeginOf(variable_.value) - BeginOf(variable_.statement));
    // Declared as a constant, it converts like one already.
    if (facts().const_locals && HoldsWord(head, "const")) return absl::OkStatus();
    for (TSNode node = place; !ts_node_is_null(node) && !IsStatementContainer(node);
         node = ts_node_parent(node)) {
      const TSNode parent = ts_node_parent(node);
      const absl::string_view type = TypeOf(parent);
      const bool is_branch = IsOneOf(type, {"ternary_expression", "conditional_expression"}) &&
                             !SameNode(FieldOf(parent, "condition"), node);
      const bool is_argument = facts().types_choose_overloads && type == "argument";
      bool compares = false;
      if (type == "binary_expression" && facts().compares_identity) {
        const TSNode sign = FieldOf(parent, "operator");
        compares = !ts_node_is_null(sign) && IsOneOf(TextOf(sign, text_), {"==", "!="}) &&
                   absl::StrContains(TextOf(variable_.value, text_), "\"");
      }
      if (is_branch || is_argument || compares) {
        return No(absl::StrCat(Line(BeginOf(place)),
                               " may convert a constant in another way than a variable"));
      }
    }
    return absl::OkStatus();
  }

  bool IsMember(TSNode node) const {
    while (IsOneOf(TypeOf(node), {"parenthesized_expression", "as_expression",
                                  "non_null_expression", "satisfies_expression"})) {
      node = ts_node_named_child(node, 0);
    }
    return IsOneOf(TypeOf(node), {"member_expression", "subscript_expression"});
  }

  // What looks like a call of C may be a macro, which can use its argument twice or not at all.
  absl::Status CheckNoMacro(TSNode place) const {
    for (TSNode node = ts_node_parent(place); !IsStatementContainer(node) && !ts_node_is_null(node);
         node = ts_node_parent(node)) {
      if (absl::StartsWith(TypeOf(node), "preproc_")) return No("a directive uses it");
      if (!IsNode(node, "call_expression")) continue;
      const TSNode function = FieldOf(node, "function");
      bool is_function = false;
      for (const BoundUse& use : UsesIn(file_, {BeginOf(function), EndOf(function)})) {
        const Binding& binding = file_.scopes.bindings[static_cast<size_t>(use.binding)];
        is_function = binding.kind == BindingKind::kFunction;
      }
      if (!is_function) {
        return No(absl::StrCat(ShortCode(function, text_),
                               " may be a macro, which could evaluate the value twice or not at "
                               "all"));
      }
    }
    return absl::OkStatus();
  }

  // A declaration with a type converts; the value alone does not.
  absl::Status CheckType(const ProbeEdits& probe) const {
    if (facts().untyped_constants && is_constant_ && variable_.type.empty() && !IsUntypedHere() &&
        ConstantType(language_, variable_.value, text_).empty()) {
      return No("the text of its value does not show the type that it has");
    }
    if (!facts().declared_types_convert) return absl::OkStatus();
    return InName(CheckHasType(file_, tree_, variable_.value, variable_.type, "it",
                               BeginOf(variable_.statement), probe));
  }

  std::string ValueAt(TSNode use) const {
    const std::string value(TextOf(variable_.value, text_));
    if (facts().untyped_constants) {
      // A number alone has no type yet, and would take that of the expression around it.
      const std::string type = !variable_.type.empty() ? variable_.type
                               : !is_constant_ || IsUntypedHere()
                                   ? ""
                                   : ConstantType(language_, variable_.value, text_);
      if (!type.empty() && type != "string" && type != "bool") {
        return ConvertedText(type, value);
      }
    }
    return OperandText(variable_.value, text_, use, text_);
  }

  // A constant of Go without a type stays without one.
  bool IsUntypedHere() const { return IsNode(variable_.statement, "const_declaration"); }

  // Without semicolons, a line that begins with a bracket goes on with the statement before it.
  absl::Status CheckStatementBegin(const Occurrence& use, const std::string& value) const {
    if (!facts().lines_join || value.empty()) return absl::OkStatus();
    const TSNode statement = StatementAround(NodeAt(tree_, use.begin, use.end));
    if (ts_node_is_null(statement) || BeginOf(statement) != use.begin) return absl::OkStatus();
    if (absl::StrContains("([`/+-{", value.substr(0, 1)) || absl::StartsWith(value, "function") ||
        absl::StartsWith(value, "class") || value[0] == '\'' || value[0] == '"') {
      return No(absl::StrCat(Line(use.begin), " begins with it, and with `", value.substr(0, 1),
                             "` it would begin another statement"));
    }
    return absl::OkStatus();
  }

  // The statements around the declaration would become one.
  absl::Status CheckLinesStayApart() const {
    if (!facts().lines_join) return absl::OkStatus();
    const absl::string_view before =
        absl::StripTrailingAsciiWhitespace(text_.substr(0, BeginOf(variable_.statement)));
    const absl::string_view after =
        absl::StripLeadingAsciiWhitespace(text_.substr(EndOf(variable_.statement)));
    const bool is_open =
        !before.empty() && !absl::StrContains(";{}", before.substr(before.size() - 1));
    if (is_open && !after.empty() && absl::StrContains("([`/+-*.,?", after.substr(0, 1))) {
      return No("without its declaration, the lines around it would be one statement");
    }
    return absl::OkStatus();
  }

  absl::Status RemoveDeclaration(EditPlan* plan) const {
    uint32_t begin = BeginOf(variable_.statement);
    uint32_t end = EndOf(variable_.statement);
    const size_t line = LineBegin(text_, begin);
    if (!absl::StripAsciiWhitespace(text_.substr(line, begin - line)).empty()) {
      return No("its declaration shares the line with other code");
    }
    bool has_inner_comment = false;
    WalkTree(variable_.statement, [&](TSNode node) {
      if (SameNode(node, variable_.value)) return false;
      has_inner_comment = has_inner_comment || IsComment(node);
      return !has_inner_comment;
    });
    if (has_inner_comment) return No("its declaration holds a comment");
    STILE_RETURN_IF_ERROR(CheckLinesStayApart());
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
    const absl::string_view rest = text_.substr(end);
    const bool is_alone = rest.empty() || rest[0] == '\n' || rest[0] == '\r';
    const bool has_comment =
        absl::StartsWith(rest, "//") || absl::StartsWith(rest, "#") || absl::StartsWith(rest, "/*");
    if (!is_alone && !has_comment) return No("its declaration shares the line with other code");
    if (is_alone) {
      begin = static_cast<uint32_t>(line);
      const size_t line_end = text_.find('\n', end);
      end =
          static_cast<uint32_t>(line_end == absl::string_view::npos ? text_.size() : line_end + 1);
    }
    plan->Edit(file_, {begin, end, ""});
    return absl::OkStatus();
  }

  const SourceFile& file_;
  const LanguageBackend& language_;
  const SyntaxTree& tree_;
  const absl::string_view text_;
  const Variable variable_;
  bool is_constant_ = false;
  std::vector<Occurrence> uses_;
};

absl::StatusOr<int> FindBinding(const SourceFile& file, int line, const std::string& name) {
  std::vector<int> found;
  std::vector<std::string> lines;
  for (size_t i = 0; i < file.scopes.bindings.size(); ++i) {
    const Binding& binding = file.scopes.bindings[i];
    if (binding.name != name) continue;
    const int at = file.PlaceOf(binding.name_begin).line;
    lines.push_back(absl::StrCat(at));
    if (line == 0 || at == line) found.push_back(static_cast<int>(i));
  }
  if (found.size() == 1) return found[0];
  if (lines.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.path, " declares no ", name.empty() ? "such name" : ToUtf8(name)));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(ToUtf8(name), " is declared in ", lines.size() == 1 ? "line " : "lines ",
                   absl::StrJoin(lines, ", "), " of ", file.path, "; give one of them as line"));
}

}  // namespace

absl::StatusOr<EditPlan> PlanInlineVariable(const SourceFile& file, int line,
                                            const std::string& name, const ProbeEdits& probe) {
  const LanguageFamily* const family = LanguageBackendOf(file.language.id).family;
  if (family == nullptr || !family->Supports("inline_variable")) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor inline_variable is not available for ", file.language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  STILE_ASSIGN_OR_RETURN(const int index, FindBinding(file, line, name));
  const Binding& binding = file.scopes.bindings[static_cast<size_t>(index)];
  const bool is_variable =
      binding.kind == BindingKind::kLocal || binding.kind == BindingKind::kVariable;
  const TSNode place = NodeAt(tree, binding.name_begin, binding.name_end);
  const TSNode declarator = DeclaratorAround(place);
  if (!is_variable || binding.is_file_level || ts_node_is_null(declarator)) {
    return Refuse(name, "it is no variable of a function that gets one value where it is declared");
  }
  Variable variable;
  variable.binding = index;
  variable.name = name;
  variable.value = ValueOf(declarator);
  variable.statement = StatementOf(declarator, file.text);
  if (ts_node_is_null(variable.value))
    return Refuse(name, "its declaration gives it no single value");
  if (absl::StrContains(TypeOf(variable.value), "assignment")) {
    return Refuse(name, "its declaration gives the value to others, too");
  }
  if (ts_node_is_null(variable.statement)) {
    return Refuse(name, "its declaration declares others, too, or belongs to another statement");
  }
  if (const std::string word = Specifier(variable, file.text); !word.empty()) {
    return Refuse(name, absl::StrCat("it is declared with `", ToUtf8(word), "`"));
  }
  variable.type = WrittenType(file, variable.statement, declarator, place);
  return Inlining(file, tree, std::move(variable)).Plan(probe);
}

}  // namespace stile
