#include "tools/index/trait_impls.h"

#include "runtime/syntax/syntax_tree.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

std::string TraitImpls::TraitOf(const Declaration& method) {
  return method.symbol < 0 ? "" : TraitAt(*method.file, method.name_begin());
}

std::string TraitImpls::TraitAt(const SourceFile& file, uint32_t offset) {
  if (!LanguageBackendOfGrammar(file.grammar.name).generation.impl_blocks) return "";
  std::string trait;
  // The last that begins before the method and ends behind it is the innermost.
  for (const Block& block : BlocksOf(file)) {
    if (block.begin <= offset && offset < block.end) trait = block.trait;
  }
  return trait;
}

const std::vector<TraitImpls::Block>& TraitImpls::BlocksOf(const SourceFile& file) {
  const auto [known, is_new] = blocks_.try_emplace(&file);
  std::vector<Block>& blocks = known->second;
  if (!is_new) return blocks;
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return blocks;
  WalkTree(tree->root(), [&](TSNode node) {
    const bool is_impl = IsNode(node, "impl_item");
    if (!is_impl && !IsNode(node, "trait_item")) return true;
    TSNode trait = FieldOf(node, is_impl ? "trait" : "name");
    if (IsNode(trait, "generic_type")) trait = FieldOf(trait, "type");
    if (IsNode(trait, "scoped_type_identifier")) trait = FieldOf(trait, "name");
    const std::string name(ts_node_is_null(trait) ? absl::string_view() : TextOf(trait, file.text));
    blocks.push_back({BeginOf(node), EndOf(node), name});
    return true;
  });
  return blocks;
}

}  // namespace stile
