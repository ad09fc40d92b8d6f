#include "validators/integrity/conditional_regions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/ids.h"
#include "runtime/base/text.h"
#include "runtime/syntax/grammar.h"
#include "runtime/syntax/syntax_tree.h"
#include "validators/integrity/preprocessor_regions.h"

namespace stile {
namespace {

constexpr size_t kMaxConditionBytes = 120;

int FirstLine(TSNode node) { return static_cast<int>(ts_node_start_point(node).row) + 1; }

// Of the last character, not of the newline that some grammars count in.
int LastLine(TSNode node) {
  const TSPoint end = ts_node_end_point(node);
  return static_cast<int>(end.row) + (end.column == 0 ? 0 : 1);
}

bool Is(TSNode node, absl::string_view type) { return ts_node_type(node) == type; }

bool IsAnyOf(TSNode node, std::initializer_list<absl::string_view> types) {
  return std::any_of(types.begin(), types.end(),
                     [&](absl::string_view type) { return Is(node, type); });
}

std::string Condition(absl::string_view text) {
  std::string folded(text.substr(0, kMaxConditionBytes));
  absl::RemoveExtraAsciiWhitespace(&folded);
  return ToUtf8(folded);
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

// ---- Rust ----

std::string CompileError() { return absl::StrCat("compile_error!(\"", RandomHex(6), "\");"); }

// What an outer attribute belongs to; a null node where that is not to be found.
TSNode AttributedItem(TSNode attribute) {
  TSNode item = ts_node_next_named_sibling(attribute);
  while (!ts_node_is_null(item) &&
         IsAnyOf(item, {"attribute_item", "line_comment", "block_comment"})) {
    item = ts_node_next_named_sibling(item);
  }
  return item;
}

// "#[ cfg ( unix ) ]" → "cfg ( unix )"; "" for other attributes.
absl::string_view CfgOf(absl::string_view attribute) {
  const size_t open = attribute.find('[');
  if (open == absl::string_view::npos) return "";
  absl::string_view inner = absl::StripAsciiWhitespace(attribute.substr(open + 1));
  inner = absl::StripSuffix(inner, "]");
  absl::string_view rest = inner;
  if (!absl::ConsumePrefix(&rest, "cfg")) return "";
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(rest), "(") ? inner : "";
}

void AddRust(TSNode node, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  const bool outer = Is(node, "attribute_item");
  if (!outer && !Is(node, "inner_attribute_item")) return;
  const absl::string_view words = TextOf(node, text);
  const absl::string_view cfg = CfgOf(words);
  const TSNode parent = ts_node_parent(node);
  if (cfg.empty() || ts_node_is_null(parent)) return;
  ConditionalRegion region;
  region.condition = Condition(words);
  region.condition_line = FirstLine(node);
  if (outer) {
    const TSNode item = AttributedItem(node);
    if (ts_node_is_null(item)) return;
    region.first_line = FirstLine(item);
    region.last_line = LastLine(item);
    // What holds for an item holds for one behind all others, too; those around it are asked about
    // by themselves.
    region.planted = absl::StrCat("#[", cfg, "] ", CompileError());
    region.planted.erase(std::remove(region.planted.begin(), region.planted.end(), '\n'),
                         region.planted.end());
    region.plant_before = static_cast<int>(SplitLines(text).size()) + 1;
  } else {
    region.first_line = region.condition_line + 1;
    region.last_line = LastLine(parent);
    region.planted = CompileError();
    // Behind the last item: before the brace that ends a module, or at the end of the file.
    region.plant_before = Is(parent, "source_file") ? region.last_line + 1 : region.last_line;
  }
  regions->push_back(std::move(region));
}

// ---- Python ----

// Whether checkers decide the condition without knowing any value.
bool IsStatic(absl::string_view condition) {
  static const RE2* const kStatic = new RE2(
      R"((?:not\s+)*(?:False|True|None|0|1|[A-Z_][A-Z0-9_]*|typing\.TYPE_CHECKING|\w+\.[A-Z_][A-Z0-9_]*))");
  const re2::StringPiece piece(condition.data(), condition.size());
  return RE2::FullMatch(piece, *kStatic) || absl::StartsWith(condition, "False and ") ||
         absl::StartsWith(condition, "not True ") || absl::StrContains(condition, "sys.platform") ||
         absl::StrContains(condition, "sys.version_info") ||
         absl::StrContains(condition, "os.name");
}

// What checkers take and programs do not: its other branch is for programs, and is as it should be.
bool IsForCheckers(absl::string_view condition) {
  return condition == "TYPE_CHECKING" || condition == "typing.TYPE_CHECKING";
}

std::string PythonError() { return absl::StrCat("V", RandomHex(6), ": int = \"\""); }

// An error before `inside` that is reported if and only if what stands there is looked at, given
// that one before `outside` is.
void AddPython(absl::string_view condition, int condition_line, TSNode inside, int last_line,
               TSNode outside, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  if (!BeginsItsLine(inside, text) || !BeginsItsLine(outside, text)) return;
  ConditionalRegion region;
  region.condition = Condition(condition);
  region.condition_line = condition_line;
  region.first_line = FirstLine(inside);
  region.last_line = last_line;
  region.planted = absl::StrCat(Indentation(inside, text), PythonError());
  region.plant_before = region.first_line;
  region.beside = absl::StrCat(Indentation(outside, text), PythonError());
  region.beside_before = FirstLine(outside);
  regions->push_back(std::move(region));
}

void AddBranches(TSNode statement, absl::string_view text,
                 std::vector<ConditionalRegion>* regions) {
  const auto field = [](TSNode node, absl::string_view name) {
    return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
  };
  const auto add = [&](TSNode clause, TSNode condition, TSNode block) {
    if (ts_node_is_null(block) || ts_node_named_child_count(block) == 0) return;
    const bool is_else = ts_node_is_null(condition);
    const std::string words =
        is_else ? absl::StrCat("else of if ", TextOf(field(statement, "condition"), text))
                : absl::StrCat("if ", TextOf(condition, text));
    AddPython(words, FirstLine(clause), ts_node_named_child(block, 0), LastLine(block), statement,
              text, regions);
  };
  bool fixed = false;
  const TSNode condition = field(statement, "condition");
  if (!ts_node_is_null(condition) && IsStatic(TextOf(condition, text))) {
    fixed = true;
    add(statement, condition, field(statement, "consequence"));
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(statement); ++i) {
    const TSNode clause = ts_node_named_child(statement, i);
    if (Is(clause, "elif_clause")) {
      const TSNode inner = field(clause, "condition");
      if (ts_node_is_null(inner) || (!fixed && !IsStatic(TextOf(inner, text)))) continue;
      fixed = true;
      add(clause, inner, field(clause, "consequence"));
    } else if (Is(clause, "else_clause") && fixed && !IsForCheckers(TextOf(condition, text))) {
      add(clause, TSNode{}, field(clause, "body"));
    }
  }
}

void AddWhile(TSNode statement, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  const TSNode condition = ts_node_child_by_field_name(statement, "condition", 9);
  const TSNode body = ts_node_child_by_field_name(statement, "body", 4);
  if (ts_node_is_null(condition) || ts_node_is_null(body) || !IsStatic(TextOf(condition, text)) ||
      ts_node_named_child_count(body) == 0) {
    return;
  }
  AddPython(absl::StrCat("while ", TextOf(condition, text)), FirstLine(statement),
            ts_node_named_child(body, 0), LastLine(body), statement, text, regions);
}

// Whether nothing behind the statement in its block is reached.
bool Ends(TSNode statement, absl::string_view text) {
  if (IsAnyOf(statement,
              {"return_statement", "raise_statement", "break_statement", "continue_statement"})) {
    return true;
  }
  const absl::string_view words = TextOf(statement, text);
  if (Is(statement, "assert_statement")) {
    absl::string_view condition =
        absl::StripAsciiWhitespace(words.substr(std::min<size_t>(6, words.size())));
    return IsStatic(condition.substr(0, condition.find(',')));
  }
  return Is(statement, "expression_statement") &&
         (absl::StartsWith(words, "sys.exit(") || absl::StartsWith(words, "exit(") ||
          absl::StartsWith(words, "os._exit(") || absl::StartsWith(words, "quit("));
}

// What stands behind the first statement of a block that ends it.
void AddRest(TSNode block, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  const uint32_t count = ts_node_named_child_count(block);
  for (uint32_t i = 0; i + 1 < count; ++i) {
    const TSNode statement = ts_node_named_child(block, i);
    if (!Ends(statement, text)) continue;
    const absl::string_view words = TextOf(statement, text);
    // An empty generator is written so.
    if (absl::StartsWith(TextOf(ts_node_named_child(block, i + 1), text), "yield")) return;
    AddPython(words.substr(0, words.find('\n')), FirstLine(statement),
              ts_node_named_child(block, i + 1), LastLine(ts_node_named_child(block, count - 1)),
              statement, text, regions);
    return;
  }
}

void AddOfPython(TSNode node, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  if (Is(node, "if_statement")) AddBranches(node, text, regions);
  if (Is(node, "while_statement")) AddWhile(node, text, regions);
  if (IsAnyOf(node, {"module", "block"})) AddRest(node, text, regions);
}

// Texts without any of these need no tree.
bool MayHoldAny(absl::string_view language, absl::string_view text) {
  if (language == "rust") return absl::StrContains(text, "cfg");
  return language == "python";
}

class Finder : public ConditionFinder {
 public:
  explicit Finder(const LanguageRegistry* languages) : languages_(languages) {}

  std::vector<ConditionalRegion> Find(const std::string& path,
                                      absl::string_view text) const override {
    std::vector<ConditionalRegion> regions;
    const Language* language = languages_->OfFile(path);
    if (language == nullptr) return regions;
    if (language->id == "c" || language->id == "cpp" || language->id == "csharp") {
      const CodeDialect dialect = absl::EndsWith(path, ".c")    ? CodeDialect::kC
                                  : absl::EndsWith(path, ".cs") ? CodeDialect::kCSharp
                                                                : CodeDialect::kCpp;
      return PreprocessorRegions(text, dialect);
    }
    if (!MayHoldAny(language->id, text)) return regions;
    const Grammar* grammar = FindGrammar(languages_->GrammarOf(path));
    if (grammar == nullptr) return regions;
    const auto tree = SyntaxTree::Parse(*grammar, text);
    if (!tree.ok()) return regions;
    const bool rust = language->id == "rust";
    WalkTree(tree->root(), [&](TSNode node) {
      rust ? AddRust(node, text, &regions) : AddOfPython(node, text, &regions);
      return true;
    });
    std::stable_sort(regions.begin(), regions.end(),
                     [](const ConditionalRegion& a, const ConditionalRegion& b) {
                       return a.condition_line < b.condition_line;
                     });
    return regions;
  }

 private:
  const LanguageRegistry* const languages_;
};

}  // namespace

std::unique_ptr<ConditionFinder> NewConditionFinder(const LanguageRegistry* languages) {
  return std::make_unique<Finder>(languages);
}

}  // namespace stile
