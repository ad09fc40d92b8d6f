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
#include "validators/integrity/python_regions.h"

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

// The attribute of "#[cfg(unix)]", or of "#[cfg_attr(x, cfg(unix))]"; null for others.
TSNode CfgOf(TSNode item, absl::string_view text) {
  static const RE2* const kCfg = new RE2(R"(\bcfg\b)");
  const TSNode attribute = ts_node_named_child(item, 0);
  const TSNode arguments = ts_node_child_by_field_name(attribute, "arguments", 9);
  if (ts_node_is_null(attribute) || ts_node_is_null(arguments)) return TSNode{};
  absl::string_view name = TextOf(ts_node_named_child(attribute, 0), text);
  absl::ConsumePrefix(&name, "r#");
  const absl::string_view words = TextOf(arguments, text);
  const bool is_cfg =
      name == "cfg" || (name == "cfg_attr" &&
                        RE2::PartialMatch(re2::StringPiece(words.data(), words.size()), *kCfg));
  return is_cfg ? attribute : TSNode{};
}

// Whether nothing but any, all and not decides it.
bool IsConstant(TSNode attribute, absl::string_view text) {
  bool constant = true;
  WalkTree(attribute, [&](TSNode node) {
    const absl::string_view name = TextOf(node, text);
    constant = constant && (!Is(node, "identifier") || name == "cfg" || name == "cfg_attr" ||
                            name == "r#cfg" || name == "any" || name == "all" || name == "not");
    return constant;
  });
  return constant;
}

void AddRust(TSNode node, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  const bool outer = Is(node, "attribute_item");
  if (!outer && !Is(node, "inner_attribute_item")) return;
  const absl::string_view words = TextOf(node, text);
  const TSNode cfg = CfgOf(node, text);
  const TSNode parent = ts_node_parent(node);
  if (ts_node_is_null(cfg) || ts_node_is_null(parent)) return;
  ConditionalRegion region;
  region.condition = Condition(words);
  region.condition_line = FirstLine(node);
  region.constant = IsConstant(cfg, text);
  if (outer) {
    const TSNode item = AttributedItem(node);
    if (ts_node_is_null(item)) return;
    region.first_line = FirstLine(item);
    region.last_line = LastLine(item);
    // What holds for an item holds for one behind all others, too; those around it are asked about
    // by themselves.
    region.planted = absl::StrCat("#[", TextOf(cfg, text), "] ", CompileError());
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
      rust ? AddRust(node, text, &regions) : AddPythonRegions(node, text, &regions);
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
