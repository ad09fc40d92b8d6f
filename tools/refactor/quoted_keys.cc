#include "tools/refactor/quoted_keys.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/extract/hover_type.h"
#include "tools/index/type_relations.h"
#include "tools/language/brackets.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/resolved_bases.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// What the text is a key of: `order` of `order["total"]` and `order.get("total")`.
TSNode ObjectOf(TSNode key, absl::string_view text) {
  const TSNode parent = ts_node_parent(key);
  if (IsNode(parent, "subscript")) return FieldOf(parent, "value");
  const bool is_first =
      IsNode(parent, "argument_list") && SameNode(ts_node_named_child(parent, 0), key);
  const TSNode function = is_first ? FieldOf(ts_node_parent(parent), "function") : TSNode{};
  if (!IsOneOf(TextOf(FieldOf(function, "attribute"), text), {"get", "pop", "setdefault"})) {
    return TSNode{};
  }
  return FieldOf(function, "object");
}

// What gets another value in the call: `pair` of `pair._replace(first=1)`, `replace(pair, first=1)`
// and `evolve(pair, first=1)`. `name`: `first`.
TSNode CopiedIn(TSNode name, absl::string_view text) {
  const TSNode argument = ts_node_parent(name);
  const TSNode arguments = ts_node_parent(argument);
  if (!IsNode(argument, "keyword_argument") || !SameNode(FieldOf(argument, "name"), name) ||
      !IsNode(arguments, "argument_list")) {
    return TSNode{};
  }
  const TSNode function = FieldOf(ts_node_parent(arguments), "function");
  const TSNode called = IsNode(function, "attribute") ? FieldOf(function, "attribute") : function;
  const absl::string_view word = TextOf(called, text);
  if (word == "_replace") return FieldOf(function, "object");
  const TSNode first = ts_node_named_child(arguments, 0);
  const bool copies = (word == "replace" || word == "evolve") && !SameNode(first, argument);
  return copies ? first : TSNode{};
}

// The name that tells the type of an expression: "order" of `self.order`, "load" of `load(path)`.
TSNode NameOf(TSNode expression) {
  if (IsNode(expression, "call")) expression = FieldOf(expression, "function");
  if (IsNode(expression, "attribute")) expression = FieldOf(expression, "attribute");
  return IsNode(expression, "identifier") ? expression : TSNode{};
}

size_t CountTypes(const std::string& name, const Language& language, CodeIndex* index) {
  size_t count = 0;
  for (const auto& file : index->FilesWith(name)) {
    if (!SeeEachOther(file->language, language)) continue;
    count += static_cast<size_t>(std::count_if(
        file->symbols.begin(), file->symbols.end(),
        [&](const Symbol& symbol) { return symbol.name == name && IsType(symbol.kind); }));
  }
  return count;
}

}  // namespace

std::vector<RenameCandidate> QuotedKeys(const Resolution& symbol, CodeIndex* index) {
  std::vector<RenameCandidate> found;
  const Declaration& first = symbol.targets[0];
  const bool is_field = first.symbol >= 0 && first.AsSymbol().kind == SymbolKind::kField;
  if (!is_field || !LanguageBackendOf(first.file->language.id).naming.attribute_texts) return found;
  const std::string owner = LastComponent(first.AsSymbol().container);
  if (TypesAbove(owner, first.file->language, index).count("TypedDict") == 0) return found;
  const std::string& name = first.name();
  for (const auto& file : symbol.files) {
    if (!SeeEachOther(file->language, first.file->language)) continue;
    const std::string& text = file->text;
    for (size_t at = 0; (at = FindWord(text, name, at)) != absl::string_view::npos;
         at += name.size()) {
      const size_t end = at + name.size();
      const bool is_quoted = at > 0 && end < text.size() && text[at - 1] == text[end] &&
                             absl::StrContains("\"'", text[end]);
      if (!is_quoted) continue;
      RenameCandidate candidate{file, {}, Certainty::kLikely, false};
      candidate.occurrence.begin = static_cast<uint32_t>(at);
      candidate.occurrence.end = static_cast<uint32_t>(end);
      candidate.occurrence.role = OccurrenceRole::kRaw;
      found.push_back(std::move(candidate));
    }
  }
  return found;
}

absl::StatusOr<bool> IsKeyOf(const CodeRange& key, const Declaration& field, CodeIndex* index,
                             Resolver* resolver) {
  const bool may_be_key = field.symbol >= 0 && IsMember(field.AsSymbol().kind) &&
                          LanguageBackendOf(field.file->language.id).naming.attribute_texts;
  if (!may_be_key) return false;
  const std::string owner = LastComponent(field.AsSymbol().container);
  STILE_ASSIGN_OR_RETURN(const auto file, index->Open(key.path));
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file->grammar, file->text));
  const TSNode node = NodeAt(tree, key.begin, key.end);
  const TSNode text = IsNode(node, "string") ? node : ts_node_parent(node);
  const bool is_quoted = IsNode(text, "string") && BeginOf(text) + 1 == key.begin;
  const TSNode name = NameOf(is_quoted ? ObjectOf(text, file->text) : CopiedIn(node, file->text));
  if (ts_node_is_null(name)) return false;
  const auto hover = resolver->Hover({key.path, BeginOf(name)});
  if (!hover.ok()) {
    if (IsNoAnswer(hover.status())) return false;
    return hover.status();
  }
  const std::string type = TypeInHover(LanguageBackendOf(file->language.id).facts, *hover);
  const std::string type_name(absl::StripSuffix(type, " | None"));
  const bool is_it =
      type_name == owner ||
      (IsIdentifier(type_name) && TypesAbove(type_name, file->language, index).count(owner) > 0);
  return is_it && CountTypes(owner, file->language, index) == 1 &&
         CountTypes(type_name, file->language, index) == 1;
}

}  // namespace stile
