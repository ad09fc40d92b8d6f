#include "tools/refactor/warned_code.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "runtime/base/text.h"
#include "tools/extract/selection.h"

namespace stile {
namespace {

using Regions = std::vector<std::pair<uint32_t, uint32_t>>;

bool Holds(const Regions& regions, uint32_t offset) {
  return std::any_of(regions.begin(), regions.end(), [&](const auto& region) {
    return region.first <= offset && offset < region.second;
  });
}

// Whether the condition of an attribute `#[cfg(…)]` holds if all features are on: it names nothing
// else, and negates none.
bool WantsOnlyFeatures(absl::string_view attribute) {
  bool in_text = false;
  std::string word;
  for (const char c : attribute) {
    if (c == '"') in_text = !in_text;
    if (!in_text && IsIdentifierByte(c)) {
      word += c;
      continue;
    }
    const bool is_known = word.empty() || word == "cfg" || word == "all" || word == "any" ||
                          word == "feature" || word == "test";
    if (!is_known) return false;
    word.clear();
  }
  return true;
}

// What stands behind an attribute `#[cfg(…)]`, or around `#![cfg(…)]`: it may not be compiled.
Regions ConditionalIn(const SyntaxTree& tree, absl::string_view text, bool has_all_features) {
  Regions regions;
  WalkTree(tree.root(), [&](TSNode node) {
    const bool is_outer = IsNode(node, "attribute_item");
    if (!is_outer && !IsNode(node, "inner_attribute_item")) return true;
    const absl::string_view code = TextOf(node, text);
    if (!absl::StrContains(code, "cfg(") || absl::StartsWith(code, "#[cfg(test)]")) return false;
    if (has_all_features && WantsOnlyFeatures(code)) return false;
    const TSNode parent = ts_node_parent(node);
    // Of an arm or a field, the attribute is a part.
    const bool is_part = !IsNode(parent, "source_file") && !IsNode(parent, "block") &&
                         !IsNode(parent, "declaration_list");
    TSNode next = ts_node_next_named_sibling(node);
    while (!ts_node_is_null(next) && IsNode(next, "attribute_item")) {
      next = ts_node_next_named_sibling(next);
    }
    if (!ts_node_is_null(next)) regions.push_back({BeginOf(node), EndOf(next)});
    if (!is_outer || is_part) regions.push_back({BeginOf(parent), EndOf(parent)});
    return false;
  });
  return regions;
}

// Macros of https://doc.rust-lang.org/std/#macros that evaluate their arguments.
constexpr absl::string_view kKnownMacros[] = {
    "assert",          "assert_eq", "assert_ne", "dbg",    "debug_assert", "debug_assert_eq",
    "debug_assert_ne", "eprint",    "eprintln",  "format", "format_args",  "matches",
    "panic",           "print",     "println",   "todo",   "unreachable",  "vec",
    "write",           "writeln"};

}  // namespace

WarnedCode::Parsed& WarnedCode::ParsedOf(const SourceFile& file) {
  const auto [known, is_new] = parsed_.try_emplace(file.path);
  if (!is_new) return known->second;
  auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok() || !CheckDepth(*tree).ok()) return known->second;
  known->second.tree = *std::move(tree);
  known->second.conditional = ConditionalIn(*known->second.tree, file.text, has_all_features_);
  return known->second;
}

bool WarnedCode::IsSilentAt(const SourceFile& file, uint32_t offset) {
  if (read_.count(file.path) == 0) return true;
  const auto marked = marked_.find(file.path);
  if (marked != marked_.end() && Holds(marked->second, offset)) return true;
  const bool may_be_conditional = absl::StrContains(file.text, "cfg(");
  return (may_be_conditional && Holds(ParsedOf(file).conditional, offset)) ||
         IsInMacro(file, offset);
}

bool WarnedCode::IsInMacro(const SourceFile& file, uint32_t offset) {
  return std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
    return symbol.kind == SymbolKind::kMacro && symbol.begin <= offset && offset < symbol.end;
  });
}

bool WarnedCode::IsInKnownMacro(const SourceFile& file, uint32_t offset) {
  const std::optional<SyntaxTree>& tree = ParsedOf(file).tree;
  if (!tree.has_value()) return false;
  bool is_known = false;
  for (TSNode node = NodeAt(*tree, offset, offset + 1); !ts_node_is_null(node);
       node = ts_node_parent(node)) {
    // Of a macro within a macro, the tree has the tokens only: `my!(…)`.
    TSNode name = FieldOf(node, "macro");
    if (IsNode(node, "token_tree") && IsNode(ts_node_parent(node), "token_tree")) {
      const TSNode mark = ts_node_prev_sibling(node);
      if (!ts_node_is_null(mark) && TextOf(mark, file.text) == "!")
        name = ts_node_prev_sibling(mark);
    }
    if (ts_node_is_null(name)) continue;
    is_known = std::find(std::begin(kKnownMacros), std::end(kKnownMacros),
                         TextOf(name, file.text)) != std::end(kKnownMacros);
    if (!is_known) return false;
  }
  return is_known;
}

}  // namespace stile
