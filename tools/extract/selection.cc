#include "tools/extract/selection.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"

namespace stile {
namespace {

// Without what only separates.
bool IsBlankText(absl::string_view text) {
  return text.find_first_not_of(" \t\r\n;") == absl::string_view::npos;
}

}  // namespace

absl::Status CheckDepth(const SyntaxTree& tree) {
  constexpr uint32_t kMaxDepth = 1000;
  TSTreeCursor cursor = ts_tree_cursor_new(tree.root());
  bool too_deep = false;
  bool done = false;
  while (!done && !too_deep) {
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      too_deep = ts_tree_cursor_current_depth(&cursor) > kMaxDepth;
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        done = true;
        break;
      }
    }
  }
  ts_tree_cursor_delete(&cursor);
  if (!too_deep) return absl::OkStatus();
  return absl::InvalidArgumentError("the code is nested too deeply; use file.modify");
}

bool IsStatementContainer(TSNode node) {
  return IsOneOf(TypeOf(node),
                 {"block", "statement_block", "compound_statement", "program", "module",
                  "compilation_unit", "constructor_body", "switch_section", "switch_case",
                  "switch_default", "switch_block_statement_group", "expression_case",
                  "default_case", "type_case", "communication_case", "case_statement",
                  "statement_list", "source_file", "translation_unit"});
}

bool IsFunctionNode(TSNode node) {
  return IsOneOf(TypeOf(node), {"method_declaration",
                                "function_declaration",
                                "constructor_declaration",
                                "destructor_declaration",
                                "operator_declaration",
                                "local_function_statement",
                                "accessor_declaration",
                                "lambda_expression",
                                "anonymous_method_expression",
                                "function_definition",
                                "lambda",
                                "method_definition",
                                "arrow_function",
                                "function_expression",
                                "generator_function",
                                "generator_function_declaration",
                                "func_literal",
                                "function_item",
                                "closure_expression",
                                "compact_constructor_declaration",
                                "static_initializer",
                                "conversion_operator_declaration",
                                "class_static_block"});
}

bool IsLoopNode(TSNode node) {
  return IsOneOf(TypeOf(node),
                 {"for_statement", "while_statement", "do_statement", "foreach_statement",
                  "enhanced_for_statement", "for_in_statement", "for_range_loop", "for_expression",
                  "while_expression", "loop_expression"});
}

TSNode StatementAround(TSNode node) {
  while (!ts_node_is_null(node)) {
    const TSNode parent = ts_node_parent(node);
    if (ts_node_is_null(parent)) return TSNode{};
    // C# wraps statements of the top in a node each.
    if (IsNode(parent, "global_statement")) {
      node = parent;
      continue;
    }
    if (IsStatementContainer(parent)) return node;
    if (IsFunctionNode(parent) && !IsStatementContainer(node)) return TSNode{};
    const absl::string_view type = TypeOf(parent);
    const bool embeds =
        absl::EndsWith(type, "_statement") || type == "else_clause" || IsLoopNode(parent);
    if (embeds && (absl::EndsWith(TypeOf(node), "_statement") ||
                   absl::EndsWith(TypeOf(node), "_declaration"))) {
      const bool is_body = SameNode(FieldOf(parent, "body"), node) ||
                           SameNode(FieldOf(parent, "consequence"), node) ||
                           SameNode(FieldOf(parent, "alternative"), node) || type == "else_clause";
      if (is_body) return TSNode{};
    }
    node = parent;
  }
  return TSNode{};
}

TSNode FunctionAround(TSNode node) {
  for (node = ts_node_parent(node); !ts_node_is_null(node); node = ts_node_parent(node)) {
    if (IsFunctionNode(node)) return node;
  }
  return TSNode{};
}

TSNode MemberAround(TSNode node) {
  TSNode found{};
  for (node = ts_node_parent(node); !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (IsFunctionNode(node) || type == "property_declaration" || type == "indexer_declaration") {
      found = node;
    }
    // What lies in a type belongs to it, wherever the type lies.
    if (!ts_node_is_null(found) &&
        (IsOneOf(type, {"class_body", "declaration_list", "interface_body", "enum_body"}) ||
         IsNode(ts_node_parent(node), "class_definition"))) {
      break;
    }
  }
  if (IsNode(ts_node_parent(found), "decorated_definition")) found = ts_node_parent(found);
  return found;
}

bool IsOnlyStatement(const SourceFile& file, TSNode statement) {
  const TSNode parent = ts_node_parent(statement);
  if (IsOneOf(TypeOf(parent),
              {"if_statement", "else_clause", "labeled_statement", "do_statement"}) ||
      IsLoopNode(parent)) {
    return true;
  }
  if (!IsNode(parent, "block") ||
      LanguageBackendOf(file.language.id).generation.empty_body.empty()) {
    return false;
  }
  const std::vector<TSNode> all = NamedChildren(parent);
  return std::count_if(all.begin(), all.end(), [](TSNode node) { return !IsComment(node); }) == 1;
}

absl::StatusOr<ByteSpan> SpanOfLines(const SourceFile& file, int start_line, int end_line) {
  if (end_line == 0) end_line = start_line;
  if (start_line < 1 || end_line < start_line) {
    return absl::InvalidArgumentError("give startLine and endLine, from 1, in this order");
  }
  const int bound = std::min(end_line, file.PlaceOf(static_cast<uint32_t>(file.text.size())).line);
  const auto begin_of = [&](int line) {
    const absl::string_view text = file.Line(line);
    return text.data() == nullptr || text.empty()
               ? absl::string_view::npos
               : static_cast<size_t>(text.data() - file.text.data());
  };
  ByteSpan span;
  bool any = false;
  for (int line = start_line; line <= bound; ++line) {
    const absl::string_view text = file.Line(line);
    const absl::string_view inner = absl::StripAsciiWhitespace(text);
    if (inner.empty() || begin_of(line) == absl::string_view::npos) continue;
    const auto begin = static_cast<uint32_t>(inner.data() - file.text.data());
    if (!any) span.begin = begin;
    span.end = begin + static_cast<uint32_t>(inner.size());
    any = true;
  }
  if (!any) {
    return absl::InvalidArgumentError(
        absl::StrCat("lines ", start_line, "-", end_line, " of ", file.path, " hold no code"));
  }
  return span;
}

absl::StatusOr<StatementRange> StatementsIn(const SourceFile& file, const SyntaxTree& tree,
                                            int start_line, int end_line) {
  STILE_ASSIGN_OR_RETURN(const ByteSpan span, SpanOfLines(file, start_line, end_line));
  TSNode container = NodeAt(tree, span.begin, span.end);
  // Exactly one statement, or one block whose braces are on other lines.
  while (!ts_node_is_null(container) && !IsStatementContainer(container)) {
    container = ts_node_parent(container);
  }
  if (!ts_node_is_null(container) && BeginOf(container) == span.begin &&
      EndOf(container) == span.end && IsStatementContainer(ts_node_parent(container)) &&
      !IsNode(container, "block")) {
    container = ts_node_parent(container);
  }
  if (ts_node_is_null(container) || ts_node_is_null(FunctionAround(container))) {
    const bool inside = !ts_node_is_null(container) && IsFunctionNode(ts_node_parent(container));
    if (!inside) {
      return absl::InvalidArgumentError(absl::StrCat("lines ", start_line, "-", end_line, " of ",
                                                     file.path,
                                                     " are no statements of one function"));
    }
  }
  if (TypeOf(ts_node_parent(container)) == "statement_list") container = ts_node_parent(container);
  TSNode list = ChildOf(container, "statement_list");
  if (!ts_node_is_null(list)) container = list;
  StatementRange range;
  range.span = span;
  for (const TSNode child : NamedChildren(container)) {
    const uint32_t begin = BeginOf(child);
    const uint32_t end = EndOf(child);
    if (end <= span.begin || begin >= span.end) continue;
    if (IsComment(child)) continue;
    const bool cut = (begin < span.begin || end > span.end) &&
                     !IsBlankText(absl::string_view(file.text).substr(
                         span.end, end > span.end ? end - span.end : 0));
    if (begin < span.begin || cut) {
      return absl::InvalidArgumentError(
          absl::StrCat("lines ", start_line, "-", end_line, " cut a statement: it takes lines ",
                       file.PlaceOf(begin).line, "-", file.PlaceOf(std::max(begin, end - 1)).line));
    }
    range.statements.push_back(child);
    range.span.end = std::max(range.span.end, end);
  }
  constexpr uint32_t kMaxSpan = 256 << 10;
  if (range.span.end - range.span.begin > kMaxSpan) {
    return absl::InvalidArgumentError("the lines hold too much code for one method");
  }
  if (range.statements.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("lines ", start_line, "-", end_line, " hold no whole statement"));
  }
  return range;
}

std::vector<BoundUse> UsesIn(const SourceFile& file, ByteSpan span) {
  std::set<std::string> names;
  for (const FileScopes::Identifier& identifier : file.scopes.identifiers) {
    const Occurrence& occurrence = identifier.occurrence;
    if (!span.Holds(occurrence.begin)) continue;
    names.insert(file.text.substr(occurrence.begin, occurrence.end - occurrence.begin));
  }
  std::vector<BoundUse> uses;
  for (const std::string& name : names) {
    for (const Occurrence& occurrence :
         FindOccurrences(file.grammar, file.scopes, file.text, name)) {
      if (!span.Holds(occurrence.begin) || occurrence.binding < 0) continue;
      uses.push_back({occurrence, occurrence.binding});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const BoundUse& a, const BoundUse& b) {
    return a.occurrence.begin < b.occurrence.begin;
  });
  return uses;
}

std::vector<Occurrence> UsesOf(const SourceFile& file, int binding) {
  std::vector<Occurrence> uses;
  const Binding& declared = file.scopes.bindings[static_cast<size_t>(binding)];
  for (const Occurrence& occurrence :
       FindOccurrences(file.grammar, file.scopes, file.text, declared.name)) {
    if (occurrence.binding == binding) uses.push_back(occurrence);
  }
  return uses;
}

bool IsWrite(const SyntaxTree& tree, const Occurrence& occurrence, absl::string_view text) {
  TSNode node = NodeAt(tree, occurrence.begin, occurrence.end);
  for (int depth = 0; depth < 5 && !ts_node_is_null(node); ++depth) {
    const TSNode parent = ts_node_parent(node);
    const absl::string_view type = TypeOf(parent);
    if (IsOneOf(type, {"update_expression", "postfix_unary_expression", "prefix_unary_expression",
                       "inc_statement", "dec_statement"})) {
      const absl::string_view whole = TextOf(parent, text);
      return absl::StrContains(whole, "++") || absl::StrContains(whole, "--");
    }
    if (type == "argument") {  // C#
      const absl::string_view whole = TextOf(parent, text);
      return absl::StartsWith(whole, "ref ") || absl::StartsWith(whole, "out ");
    }
    const TSNode left = FieldOf(parent, "left");
    if (!ts_node_is_null(left) && SameNode(left, node)) {
      return IsOneOf(
          type, {"assignment_expression", "assignment", "augmented_assignment",
                 "augmented_assignment_expression", "assignment_statement", "short_var_declaration",
                 "compound_assignment_expr", "for_statement", "for_in_statement", "range_clause",
                 "foreach_statement", "for_in_clause"});
    }
    if (type == "delete_statement" || type == "as_pattern_target" ||
        (type == "named_expression" && SameNode(FieldOf(parent, "name"), node))) {
      return true;
    }
    if (!IsOneOf(type, {"expression_list", "pattern_list", "tuple_pattern", "list_pattern",
                        "tuple_expression", "array_pattern", "object_pattern", "argument",
                        "pair_pattern", "assignment_pattern", "parenthesized_expression",
                        "list_splat_pattern", "rest_pattern"})) {
      return false;
    }
    node = parent;
  }
  return false;
}

bool HasEffects(TSNode node, absl::string_view text) {
  bool found = false;
  WalkTree(node, [&](TSNode inner) {
    if (found || IsFunctionNode(inner)) return false;
    const absl::string_view type = TypeOf(inner);
    if (absl::StrContains(type, "array_creation")) return true;
    for (const absl::string_view part :
         {"call", "invocation", "await", "yield", "creation", "assignment", "new_expression",
          "named_expression", "try_expression", "list_splat", "dictionary_splat"}) {
      found = found || absl::StrContains(type, part);
    }
    if (absl::StrContains(type, "unary_expression") ||
        absl::StrContains(type, "update_expression")) {
      const absl::string_view whole = TextOf(inner, text);
      for (const absl::string_view sign : {"++", "--"}) {
        found = found || absl::StartsWith(whole, sign) || absl::EndsWith(whole, sign);
      }
      found = found || absl::StartsWith(whole, "<-") || absl::StartsWith(whole, "delete ");
    }
    return !found;
  });
  return found;
}

std::string ShortCode(TSNode node, absl::string_view text) {
  constexpr size_t kMaxShown = 80;
  const absl::string_view code = TextOf(node, text);
  return ToUtf8(code.size() > kMaxShown ? absl::StrCat(code.substr(0, kMaxShown), "…")
                                        : std::string(code));
}

std::string WordFor(TSNode node, absl::string_view name, absl::string_view text) {
  const auto is_word = [&](size_t at) {
    return at < text.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text[at])) ||
                                text[at] == '_' || text[at] == '$');
  };
  return absl::StrCat(BeginOf(node) > 0 && is_word(BeginOf(node) - 1) ? " " : "", name,
                      is_word(EndOf(node)) ? " " : "");
}

absl::Status CheckFreeName(const SourceFile& file, const std::string& name, ByteSpan function) {
  if (LanguageBackendOf(file.language.id).naming.double_underscores_are_special &&
      absl::StartsWith(name, "__")) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " means another name within a class; choose another newName"));
  }
  if (!IsIdentifier(name)) {
    return absl::InvalidArgumentError(name.empty() ? "give the new name in newName"
                                                   : absl::StrCat(name, " is no name"));
  }
  for (const Occurrence& occurrence : FindOccurrences(file.grammar, file.scopes, file.text, name)) {
    const bool inside = function.Holds(occurrence.begin);
    const bool plain = occurrence.role != OccurrenceRole::kMember &&
                       occurrence.role != OccurrenceRole::kKey &&
                       occurrence.role != OccurrenceRole::kLabel;
    if (inside && plain) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is in use there already (line ",
                                                     file.PlaceOf(occurrence.begin).line,
                                                     "); choose another newName"));
    }
  }
  return absl::OkStatus();
}

}  // namespace stile
