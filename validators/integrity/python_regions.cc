#include "validators/integrity/python_regions.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/ids.h"
#include "runtime/base/sha256.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxConditionBytes = 120;

int FirstLine(TSNode node) { return static_cast<int>(ts_node_start_point(node).row) + 1; }

// Of the last character, not of the newline that the grammar counts in.
int LastLine(TSNode node) {
  const TSPoint end = ts_node_end_point(node);
  return static_cast<int>(end.row) + (end.column == 0 ? 0 : 1);
}

bool IsAnyOf(TSNode node, std::initializer_list<absl::string_view> types) {
  return !ts_node_is_null(node) &&
         std::any_of(types.begin(), types.end(),
                     [&](absl::string_view type) { return ts_node_type(node) == type; });
}

TSNode Field(TSNode node, absl::string_view name) {
  return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
}

std::vector<TSNode> Children(TSNode node) {  // without comments
  std::vector<TSNode> children;
  for (uint32_t i = 0; i < ts_node_named_child_count(node); ++i) {
    const TSNode child = ts_node_named_child(node, i);
    if (!IsAnyOf(child, {"comment"})) children.push_back(child);
  }
  return children;
}

std::string Folded(absl::string_view words) {
  std::string folded(words.substr(0, kMaxConditionBytes));
  absl::RemoveExtraAsciiWhitespace(&folded);
  return ToUtf8(folded);
}

std::string FirstLineOf(TSNode node, absl::string_view text) {
  const absl::string_view words = TextOf(node, text);
  return Folded(words.substr(0, words.find('\n')));
}

// Of both and what stands between them.
std::string HashBetween(TSNode first, TSNode last, absl::string_view text) {
  const size_t begin = ts_node_start_byte(first);
  return Sha256Hex(text.substr(begin, ts_node_end_byte(last) - begin));
}

bool BeginsItsLine(TSNode node, absl::string_view text) {
  const size_t start = ts_node_start_byte(node);
  const size_t line = start - ts_node_start_point(node).column;
  return absl::StripAsciiWhitespace(text.substr(line, start - line)).empty();
}

std::string Indentation(TSNode node, absl::string_view text) {
  const size_t column = ts_node_start_point(node).column;
  return std::string(text.substr(ts_node_start_byte(node) - column, column));
}

std::string PlantedError() { return absl::StrCat("V", RandomHex(6), ": int = \"\""); }

// An error before `inside` that is reported if and only if what stands there is looked at, given
// that one before `outside` is.
ConditionalRegion Region(std::string condition, TSNode inside, TSNode outside,
                         absl::string_view text) {
  ConditionalRegion region;
  region.condition = std::move(condition);
  region.condition_line = FirstLine(outside);
  region.first_line = FirstLine(inside);
  region.last_line = LastLine(inside);
  region.planted = absl::StrCat(Indentation(inside, text), PlantedError());
  region.plant_before = region.first_line;
  region.beside = absl::StrCat(Indentation(outside, text), PlantedError());
  region.beside_before = FirstLine(outside);
  region.code = Sha256Hex(TextOf(inside, text));
  return region;
}

// ---- Conditions ----

bool IsConstantName(absl::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isupper(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
  });
}

// Whether nothing in an operand has a value that only a run would tell: no names but those of
// constants, if `with_names`, and of modules that say what system it is.
bool IsFixed(TSNode operand, absl::string_view text, bool with_names) {
  bool fixed = true;
  WalkTree(operand, [&](TSNode node) {
    if (IsAnyOf(node, {"attribute"})) {
      fixed = fixed && IsFixed(Field(node, "object"), text, with_names);
      return false;
    }
    if (!IsAnyOf(node, {"identifier"})) return fixed;
    const absl::string_view name = TextOf(node, text);
    fixed = fixed && with_names &&
            (IsConstantName(name) || name == "sys" || name == "os" || name == "typing");
    return fixed;
  });
  return fixed;
}

// Whether an operand of the condition is fixed, so that it may be, too.
bool HasFixedOperand(TSNode condition, absl::string_view text, bool with_names) {
  if (ts_node_is_null(condition)) return false;
  if (IsAnyOf(condition, {"parenthesized_expression", "not_operator", "boolean_operator"})) {
    const std::vector<TSNode> operands = Children(condition);
    return std::any_of(operands.begin(), operands.end(),
                       [&](TSNode operand) { return HasFixedOperand(operand, text, with_names); });
  }
  if (IsAnyOf(condition, {"named_expression"})) {
    return HasFixedOperand(Field(condition, "value"), text, with_names);
  }
  return IsFixed(condition, text, with_names);
}

bool IsForCheckers(absl::string_view condition) {
  return condition == "TYPE_CHECKING" || condition == "typing.TYPE_CHECKING";
}

// ---- Statements ----

// Whether all that the statement does is to leave, or nothing: as behind a last case that types
// say cannot be, "raise TypeError(x)", "assert_never(x)".
bool OnlyLeaves(TSNode statement, absl::string_view text) {
  if (IsAnyOf(statement, {"raise_statement", "assert_statement", "pass_statement",
                          "break_statement", "continue_statement"})) {
    return true;
  }
  const std::vector<TSNode> parts = Children(statement);
  if (IsAnyOf(statement, {"return_statement"})) {
    return parts.empty() ||
           IsAnyOf(parts[0], {"none", "true", "false", "integer", "float", "string"});
  }
  if (!IsAnyOf(statement, {"expression_statement"}) || parts.size() != 1) return false;
  const absl::string_view words = TextOf(parts[0], text);
  return words == "..." || absl::StartsWith(words, "assert_never(") ||
         absl::StartsWith(words, "typing.assert_never(");
}

// What programs need and checkers have in another form.
bool OnlyBinds(TSNode statement) {
  if (IsAnyOf(statement, {"import_statement", "import_from_statement", "pass_statement"})) {
    return true;
  }
  const std::vector<TSNode> parts = Children(statement);
  return IsAnyOf(statement, {"expression_statement"}) && parts.size() == 1 &&
         IsAnyOf(parts[0], {"assignment"}) &&
         IsAnyOf(Field(parts[0], "right"), {"identifier", "attribute", "none"});
}

// Whether what is behind a statement may not be reached, for all that can be told without types.
bool MayNotReturn(TSNode statement) {
  if (IsAnyOf(statement, {"function_definition", "class_definition", "decorated_definition",
                          "import_statement", "import_from_statement"})) {
    return false;
  }
  if (!IsAnyOf(statement, {"expression_statement"})) return true;
  bool calls = false;
  WalkTree(statement, [&](TSNode node) {
    calls = calls || IsAnyOf(node, {"call", "await", "yield"});
    return !calls;
  });
  return calls;
}

// Whether nothing behind the statement in its block is reached, whatever the types are.
bool Ends(TSNode statement, absl::string_view text) {
  if (IsAnyOf(statement,
              {"return_statement", "raise_statement", "break_statement", "continue_statement"})) {
    return true;
  }
  if (IsAnyOf(statement, {"assert_statement"})) {
    const std::vector<TSNode> parts = Children(statement);
    return !parts.empty() && HasFixedOperand(parts[0], text, /*with_names=*/true);
  }
  const absl::string_view words = TextOf(statement, text);
  return IsAnyOf(statement, {"expression_statement"}) &&
         (absl::StartsWith(words, "sys.exit(") || absl::StartsWith(words, "exit(") ||
          absl::StartsWith(words, "os._exit(") || absl::StartsWith(words, "quit("));
}

bool HoldsCases(TSNode block) {
  return IsAnyOf(block, {"block"}) && IsAnyOf(ts_node_named_child(block, 0), {"case_clause"});
}

// "if x" of "if x: f()".
absl::string_view Header(TSNode clause, TSNode block, absl::string_view text) {
  const uint32_t begin = ts_node_start_byte(clause);
  absl::string_view words = text.substr(begin, ts_node_start_byte(block) - begin);
  const size_t comment = words.find(" #");
  words = absl::StripAsciiWhitespace(words.substr(0, comment));
  return absl::StripTrailingAsciiWhitespace(absl::StripSuffix(words, ":"));
}

// A block of a statement, that is run, or not, because of what stands before its colon: that of
// the statement itself, or of a clause of it.
void AddBlock(TSNode statement, TSNode clause, TSNode block, absl::string_view text,
              std::vector<ConditionalRegion>* regions) {
  const std::vector<TSNode> body = Children(block);
  if (body.empty() || !BeginsItsLine(statement, text)) return;
  const bool is_else = IsAnyOf(clause, {"else_clause"});
  const TSNode condition = Field(is_else ? statement : clause, "condition");
  absl::string_view header = Header(clause, block, text);
  if (IsAnyOf(clause, {"elif_clause"})) header.remove_prefix(std::min<size_t>(2, header.size()));
  const absl::string_view asked = ts_node_is_null(condition) ? "" : TextOf(condition, text);
  const bool is_for_programs = (is_else && IsForCheckers(asked)) ||
                               (!is_else && IsAnyOf(condition, {"not_operator"}) &&
                                IsForCheckers(TextOf(Field(condition, "argument"), text)));
  if (is_for_programs && std::all_of(body.begin(), body.end(), OnlyBinds)) return;
  const bool fixed = HasFixedOperand(condition, text, /*with_names=*/true) ||
                     HasFixedOperand(Field(statement, "condition"), text, /*with_names=*/true);
  if (!fixed && body.size() == 1 && OnlyLeaves(body[0], text)) return;
  std::string words = Folded(header);
  if (is_else) {
    const TSNode of_if = Field(statement, "consequence");
    const TSNode first = ts_node_is_null(of_if) ? Field(statement, "body") : of_if;
    words = absl::StrCat("else of ", Folded(Header(statement, first, text)));
  }
  ConditionalRegion region = Region(std::move(words), body[0], statement, text);
  region.constant = HasFixedOperand(condition, text, /*with_names=*/false);
  region.condition_line = FirstLine(clause);
  region.last_line = LastLine(block);
  region.code = Sha256Hex(TextOf(block, text));
  if (!BeginsItsLine(body[0], text)) {
    // "if x: f()": another such line before it.
    if (!BeginsItsLine(clause, text)) return;
    const std::string keyword = IsAnyOf(clause, {"elif_clause", "else_clause"}) ? "elif " : "if ";
    if (!is_else && !IsAnyOf(clause, {"if_statement", "elif_clause", "while_statement"})) return;
    if (is_else && !IsAnyOf(statement, {"if_statement"})) return;
    region.planted =
        absl::StrCat(Indentation(clause, text), keyword,
                     is_else ? absl::string_view("True") : asked, ": ", PlantedError());
    region.plant_before = region.condition_line;
  }
  regions->push_back(std::move(region));
}

void AddBlocks(TSNode statement, TSNode clause, absl::string_view text,
               std::vector<ConditionalRegion>* regions) {
  for (TSNode part : Children(clause)) {
    if (HoldsCases(part)) {
      for (TSNode one : Children(part)) AddBlocks(statement, one, text, regions);
    } else if (IsAnyOf(part, {"block"})) {
      AddBlock(statement, clause, part, text, regions);
    } else if (IsAnyOf(part, {"elif_clause", "else_clause", "except_clause", "except_group_clause",
                              "finally_clause"})) {
      AddBlocks(statement, part, text, regions);
    }
  }
}

// What stands behind other statements of a block.
void AddRest(TSNode block, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  const std::vector<TSNode> statements = Children(block);
  const size_t count = statements.size();
  for (size_t i = 0; i + 1 < count; ++i) {
    if (!Ends(statements[i], text)) continue;
    // An empty generator is written so.
    if (i + 2 == count && TextOf(statements[i + 1], text) == "yield") return;
    if (!BeginsItsLine(statements[i], text)) return;
    ConditionalRegion region =
        Region(FirstLineOf(statements[i], text), statements[i + 1], statements[i], text);
    region.constant = true;
    region.last_line = LastLine(statements.back());
    region.code = HashBetween(statements[i + 1], statements.back(), text);
    // "return; f()": there is no place for an error that could be reported.
    if (!BeginsItsLine(statements[i + 1], text)) region.planted = "#";
    regions->push_back(std::move(region));
    return;
  }
  // A call may not return, nor may a statement none of whose branches goes on.
  size_t first = 0;
  while (first < count && IsAnyOf(block, {"module"}) &&
         (IsAnyOf(statements[first],
                  {"import_statement", "import_from_statement", "future_import_statement"}) ||
          IsAnyOf(ts_node_named_child(statements[first], 0), {"string"}))) {
    ++first;
  }
  size_t end = count;
  while (end > 0 && OnlyLeaves(statements[end - 1], text)) --end;
  if (end < first + 2 ||
      std::none_of(statements.begin() + static_cast<long>(first),
                   statements.begin() + static_cast<long>(end) - 1, MayNotReturn) ||
      !BeginsItsLine(statements[first], text) || !BeginsItsLine(statements[end - 1], text)) {
    return;
  }
  ConditionalRegion region =
      Region(absl::StrCat("what follows ", FirstLineOf(statements[end - 2], text)),
             statements[end - 1], statements[first], text);
  region.first_line = FirstLine(statements[first + 1]);
  region.code = HashBetween(statements[first + 1], statements[end - 1], text);
  regions->push_back(std::move(region));
}

void AddUnchecked(TSNode definition, absl::string_view text,
                  std::vector<ConditionalRegion>* regions) {
  for (TSNode part : Children(definition)) {
    const absl::string_view words = TextOf(part, text);
    if (!IsAnyOf(part, {"decorator"}) || !absl::EndsWith(words, "no_type_check")) continue;
    const TSNode body = Field(Field(definition, "definition"), "body");
    if (ts_node_is_null(body) || Children(body).empty()) return;
    const TSNode inside = Children(body)[0];
    if (!BeginsItsLine(inside, text) || !BeginsItsLine(definition, text)) return;
    ConditionalRegion region = Region(Folded(words), inside, definition, text);
    region.last_line = LastLine(body);
    region.code = Sha256Hex(TextOf(body, text));
    regions->push_back(std::move(region));
    return;
  }
}

}  // namespace

void AddPythonRegions(TSNode node, absl::string_view text,
                      std::vector<ConditionalRegion>* regions) {
  if (IsAnyOf(node, {"decorated_definition"})) AddUnchecked(node, text, regions);
  if (!IsAnyOf(node, {"module", "block"}) || HoldsCases(node)) return;
  for (TSNode statement : Children(node)) {
    if (IsAnyOf(statement, {"if_statement", "while_statement", "for_statement", "try_statement",
                            "with_statement", "match_statement"})) {
      AddBlocks(statement, statement, text, regions);
    }
  }
  AddRest(node, text, regions);
}

}  // namespace stile
