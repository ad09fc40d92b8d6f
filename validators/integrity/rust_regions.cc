#include "validators/integrity/rust_regions.h"

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

namespace stile {
namespace {

constexpr size_t kMaxConditionBytes = 120;
constexpr size_t kMaxRegionsToNest = 1000;
constexpr int kMaxCfgInTokens = 100;
constexpr size_t kMaxCodeBytes = size_t{16} << 20;  // of all regions of a file
constexpr char kNotTold[] = "?";                    // a condition that no switch makes hold

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

// compile_error!("…"): features that exclude each other. It is meant to be an error.
bool IsOnlyAnError(TSNode item, absl::string_view text) {
  if (Is(item, "expression_statement")) item = ts_node_named_child(item, 0);
  if (ts_node_is_null(item) || !Is(item, "macro_invocation")) return false;
  const absl::string_view name = TextOf(ts_node_named_child(item, 0), text);
  const TSNode words = ts_node_named_child(item, 1);
  // A macro of that name that the workspace has itself could take in anything else.
  return (name == "compile_error" || name == "std::compile_error" ||
          name == "core::compile_error") &&
         !ts_node_is_null(words) && ts_node_named_child_count(words) == 1 &&
         Is(ts_node_named_child(words, 0), "string_literal");
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

// The arguments without their brackets.
absl::string_view ArgumentsOf(TSNode attribute, absl::string_view text) {
  absl::string_view words = TextOf(ts_node_child_by_field_name(attribute, "arguments", 9), text);
  if (!absl::ConsumePrefix(&words, "(") || !absl::ConsumeSuffix(&words, ")")) return "";
  return absl::StripAsciiWhitespace(words);
}

// "unix" of "cfg(unix)"; all words of others.
std::vector<std::string> PredicateOf(TSNode attribute, absl::string_view text) {
  absl::string_view name = TextOf(ts_node_named_child(attribute, 0), text);
  absl::ConsumePrefix(&name, "r#");
  absl::string_view words = ArgumentsOf(attribute, text);
  if (name != "cfg" || words.empty()) return {std::string(TextOf(attribute, text))};
  absl::ConsumeSuffix(&words, ",");
  return {std::string(words)};
}

// What stands before the first comma that is in no brackets; all of it if there is none.
absl::string_view FirstArgument(absl::string_view words) {
  int open = 0;
  bool quoted = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++open;
    if (c == ')') --open;
    if (open < 0 || (open == 0 && c == ',')) return words.substr(0, i);
  }
  return words;
}

// "unix" of "cfg_attr(unix, derive(Debug))"; "" for others, and for what no code depends on.
std::string PredicateOfAttribute(TSNode item, absl::string_view text) {
  const TSNode attribute = ts_node_named_child(item, 0);
  if (ts_node_is_null(attribute) || ts_node_named_child_count(attribute) == 0 ||
      TextOf(ts_node_named_child(attribute, 0), text) != "cfg_attr") {
    return "";
  }
  const absl::string_view words = ArgumentsOf(attribute, text);
  const absl::string_view predicate = FirstArgument(words);
  if (predicate.size() == words.size()) return "";
  const absl::string_view rest = absl::StripAsciiWhitespace(words.substr(predicate.size() + 1));
  for (const char* harmless : {"doc", "feature", "allow", "warn", "deny", "inline", "ignore"}) {
    if (absl::StartsWith(rest, harmless)) return "";
  }
  return std::string(absl::StripAsciiWhitespace(predicate));
}

// The tokens of a node without comments; random beyond kMaxCodeBytes.
std::string CodeOf(TSNode node, absl::string_view text,
                   const std::vector<ConditionalRegion>& others) {
  size_t bytes = 0;
  for (const ConditionalRegion& other : others) bytes += other.code.size();
  if (bytes > kMaxCodeBytes) return RandomHex(8);
  std::string code;
  WalkTree(node, [&](TSNode one) {
    if (IsAnyOf(one, {"line_comment", "block_comment"})) return false;
    const bool is_leaf = ts_node_child_count(one) == 0 ||
                         IsAnyOf(one, {"string_literal", "raw_string_literal", "char_literal"});
    if (is_leaf) absl::StrAppend(&code, TextOf(one, text), " ");
    return !is_leaf;
  });
  return code;
}

std::string ErrorUnder(absl::string_view predicate) {
  std::string line = absl::StrCat("#[cfg(", predicate, ")] ", CompileError());
  line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
  return line;
}

int LineBehind(absl::string_view text) { return static_cast<int>(SplitLines(text).size()) + 1; }

// An attribute that an item has under a condition.
void AddRustAttribute(TSNode node, absl::string_view text,
                      std::vector<ConditionalRegion>* regions) {
  const std::string predicate = PredicateOfAttribute(node, text);
  const bool outer = Is(node, "attribute_item");
  const TSNode item = outer ? AttributedItem(node) : ts_node_parent(node);
  if (predicate.empty() || ts_node_is_null(item)) return;
  ConditionalRegion region;
  region.condition = Condition(TextOf(node, text));
  region.condition_line = FirstLine(node);
  region.first_line = outer ? FirstLine(item) : region.condition_line + 1;
  region.last_line = LastLine(item);
  region.holds = {predicate};
  region.planted = ErrorUnder(predicate);
  region.plant_before = LineBehind(text);
  region.code =
      absl::StrCat(CodeOf(node, text, *regions), outer ? CodeOf(item, text, *regions) : "");
  region.is_attribute = true;
  regions->push_back(std::move(region));
}

// "cfg(x)" among the tokens that a macro is given: it may pass them on.
void AddRustTokens(TSNode tokens, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  static const RE2* const kCfg = new RE2(R"((#\s*!?\s*\[\s*cfg\s*\())");
  const absl::string_view words = TextOf(tokens, text);
  re2::StringPiece rest(words.data(), words.size());
  re2::StringPiece found;
  for (int count = 0; count < kMaxCfgInTokens && RE2::FindAndConsume(&rest, *kCfg, &found);
       ++count) {
    const auto at = static_cast<size_t>(found.data() - words.data());
    absl::string_view predicate = FirstArgument({rest.data(), rest.size()});
    predicate = absl::StripAsciiWhitespace(predicate);
    if (absl::StrContains(predicate, '$')) continue;
    ConditionalRegion region;
    region.condition = Condition(absl::StrCat("#[cfg(", predicate, ")]"));
    region.condition_line =
        FirstLine(tokens) + static_cast<int>(std::count(words.begin(), words.begin() + at, '\n'));
    region.first_line = region.condition_line;
    region.last_line = LastLine(tokens);
    region.holds = {std::string(predicate)};
    region.planted = ErrorUnder(predicate);
    region.plant_before = LineBehind(text);
    region.code = CodeOf(tokens, text, *regions);
    region.constant = predicate == "any()" || predicate == "all()" || predicate == "not(all())";
    regions->push_back(std::move(region));
  }
}

}  // namespace

void AddRustRegions(TSNode node, absl::string_view text, std::vector<ConditionalRegion>* regions) {
  if (Is(node, "macro_invocation")) {
    const uint32_t count = ts_node_named_child_count(node);
    const TSNode tokens = count == 0 ? TSNode{} : ts_node_named_child(node, count - 1);
    if (count > 0 && Is(tokens, "token_tree")) AddRustTokens(tokens, text, regions);
    return;
  }
  const bool outer = Is(node, "attribute_item");
  if (!outer && !Is(node, "inner_attribute_item")) return;
  const absl::string_view words = TextOf(node, text);
  const TSNode cfg = CfgOf(node, text);
  const TSNode parent = ts_node_parent(node);
  if (ts_node_is_null(cfg)) return AddRustAttribute(node, text, regions);
  if (ts_node_is_null(parent)) return;
  ConditionalRegion region;
  region.condition = Condition(words);
  region.condition_line = FirstLine(node);
  region.constant = IsConstant(cfg, text);
  region.holds = PredicateOf(cfg, text);
  if (outer) {
    const TSNode item = AttributedItem(node);
    if (ts_node_is_null(item) || IsOnlyAnError(item, text)) return;
    region.first_line = FirstLine(item);
    region.last_line = LastLine(item);
    // What holds for an item holds for one behind all others, too; those around it are asked about
    // by themselves.
    region.planted = absl::StrCat("#[", TextOf(cfg, text), "] ", CompileError());
    region.planted.erase(std::remove(region.planted.begin(), region.planted.end(), '\n'),
                         region.planted.end());
    region.plant_before = LineBehind(text);
    region.code = CodeOf(item, text, *regions);
  } else {
    region.first_line = region.condition_line + 1;
    region.last_line = LastLine(parent);
    region.planted = CompileError();
    // Behind the last item: before the brace that ends a module, or at the end of the file.
    region.plant_before = Is(parent, "source_file") ? region.last_line + 1 : region.last_line;
    region.code = CodeOf(parent, text, *regions);
  }
  regions->push_back(std::move(region));
}

void AddPredicatesAround(std::vector<ConditionalRegion>* regions) {
  std::vector<std::vector<std::string>> all;
  for (const ConditionalRegion& region : *regions) {
    std::vector<std::string>& holds = all.emplace_back();
    if (regions->size() > kMaxRegionsToNest) {
      holds = {kNotTold};
      continue;
    }
    for (const ConditionalRegion& other : *regions) {
      if (other.is_attribute && &other != &region) continue;
      if (other.first_line > region.first_line || other.last_line < region.last_line) continue;
      holds.insert(holds.end(), other.holds.begin(), other.holds.end());
    }
  }
  for (size_t i = 0; i < all.size(); ++i) (*regions)[i].holds = std::move(all[i]);
}

}  // namespace stile
