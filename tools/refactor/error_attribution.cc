#include "tools/refactor/error_attribution.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/trait_impls.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/literal_siblings.h"

namespace stile {

std::string WithPlainQuotes(const std::string& text) {
  return absl::StrReplaceAll(text, {{"‘", "'"}, {"’", "'"}, {"“", "\""}, {"”", "\""}});
}

std::string WithoutNames(const std::string& message, const std::string& old_name,
                         const std::string& new_name) {
  std::string text = message;
  for (const std::string& name : {old_name, new_name}) {
    for (size_t at = 0; (at = FindWord(text, name, at)) != absl::string_view::npos; ++at) {
      text.replace(at, name.size(), "\x01");
    }
  }
  return text;
}

bool NamesTypeOf(const SourceFile& file, const std::string& owner, const Diagnostic& error) {
  const auto package = std::find_if(file.symbols.begin(), file.symbols.end(), [](const Symbol& s) {
    return s.kind == SymbolKind::kNamespace;
  });
  for (size_t at = 0; (at = FindWord(error.message, owner, at)) != absl::string_view::npos;
       at += owner.size()) {
    const absl::string_view before = absl::string_view(error.message).substr(0, at);
    if (!absl::EndsWith(before, ".")) return DirName(file.path) == DirName(error.file);
    if (package != file.symbols.end() && absl::EndsWith(before, absl::StrCat(package->name, ".")))
      return true;
  }
  return false;
}

// Whether code that begins with `text` goes on with the value of a variable: behind `=`, not `=>`.
static bool EndsInValue(absl::string_view text) {
  for (size_t at = 0; (at = text.find('=', at)) != absl::string_view::npos; ++at) {
    if (at + 1 == text.size() || text[at + 1] != '>') return true;
  }
  return false;
}

bool LiesBeside(const SourceFile& file, size_t symbol, int line) {
  const Symbol& inner = file.symbols[symbol];
  for (int around = inner.parent; around >= 0;) {
    const Symbol& outer = file.symbols[static_cast<size_t>(around)];
    // A literal ties its own keys, and not those of the literals in it.
    const absl::string_view before =
        absl::string_view(file.text).substr(outer.begin, inner.begin - outer.begin);
    if (around != inner.parent && !IsType(outer.kind) && EndsInValue(before)) return false;
    if (file.PlaceOf(outer.begin).line <= line && line <= file.PlaceOf(outer.end).line) return true;
    if (IsType(outer.kind) || outer.kind == SymbolKind::kNamespace) return false;
    around = outer.parent;
  }
  return false;
}

bool IsNarrowedByName(const RenameCandidate& candidate, const std::string& name) {
  const Occurrence& use = candidate.occurrence;
  if (use.role != OccurrenceRole::kMember) return false;
  const absl::string_view text = candidate.file->text;
  const absl::string_view object =
      text.substr(use.receiver_begin, use.receiver_end - use.receiver_begin);
  for (const char* quote : {"\"", "'"}) {
    const std::string asked = absl::StrCat("hasattr(", object, ", ", quote, name, quote, ")");
    if (absl::StrContains(text, asked)) return true;
  }
  return false;
}

bool IsBehindPath(const RenameCandidate& candidate, int size) {
  const auto begin = static_cast<int>(candidate.occurrence.begin);
  if (size <= 0 || size > begin) return false;
  const auto path = absl::string_view(candidate.file->text)
                        .substr(static_cast<size_t>(begin - size), static_cast<size_t>(size));
  return absl::EndsWith(path, "::") && std::all_of(path.begin(), path.end(), [](char c) {
           return c == ':' || IsIdentifierByte(c);
         });
}

bool IsUnmetRequirement(const Diagnostic& note) {
  // gcc: "the required expression 't.length()' is invalid"; clang: "because 't.length()' would be
  // invalid: no member named 'length' in 'Text'".
  return (absl::StartsWith(note.message, "the required ") &&
          absl::EndsWith(note.message, " is invalid")) ||
         absl::StrContains(note.message, " would be invalid: ");
}

namespace {

// A key, or the name of a member that is declared without a receiver.
bool IsKeyOfLiteral(const RenameCandidate& candidate) {
  const Occurrence& use = candidate.occurrence;
  // `<$T>::name` has a receiver that the syntax tree does not know.
  const bool is_behind_scope =
      absl::EndsWith(absl::string_view(candidate.file->text).substr(0, use.begin), "::");
  return use.role == OccurrenceRole::kKey || use.role == OccurrenceRole::kShorthand ||
         use.role == OccurrenceRole::kDefinition ||
         (use.role == OccurrenceRole::kMember && use.receiver_end == 0 && !is_behind_scope);
}

// The name of the value at an error: `first` of `run(first)`, `return first` and
// `const shape: Shape = first`, `make` of `run(make())`. Null: there is none.
TSNode NamedValueAt(const SyntaxTree& tree, uint32_t offset) {
  TSNode node = ts_node_descendant_for_byte_range(tree.root(), offset, offset + 1);
  if (ts_node_is_null(node) || BeginOf(node) != offset) return TSNode{};
  const TSNode parent = ts_node_parent(node);
  if (IsNode(parent, "return_statement")) {
    node = ts_node_named_child_count(parent) > 0 ? ts_node_named_child(parent, 0) : TSNode{};
  } else if (IsOneOf(TypeOf(parent), {"variable_declarator", "pair", "public_field_definition"}) &&
             !ts_node_is_null(FieldOf(parent, "value")) &&
             !SameNode(FieldOf(parent, "value"), node)) {
    node = FieldOf(parent, "value");
  }
  if (IsNode(node, "call_expression")) node = FieldOf(node, "function");
  return IsOneOf(TypeOf(node), {"identifier", "shorthand_property_identifier"}) ? node : TSNode{};
}

// Whether a key is one of the value that `declaration` gives to a name, and not of a literal within
// it: `{ depth: 1 }` of `const first = { depth: 1 }` and of `function make() { return { depth: 1 }
// }`, also of the type of a parameter.
bool IsKeyOfValue(TSNode key, TSNode declaration) {
  int members = 0;
  int functions = 0;
  for (TSNode node = ts_node_parent(key); !ts_node_is_null(node); node = ts_node_parent(node)) {
    if (SameNode(node, declaration)) return members <= 1;
    const absl::string_view type = TypeOf(node);
    if (IsOneOf(type, {"pair", "method_definition", "property_signature", "method_signature"})) {
      ++members;
    } else if (IsOneOf(type, {"arrow_function", "function_expression", "function",
                              "function_declaration", "generator_function"})) {
      ++functions;
    } else if (!IsOneOf(type, {"object",
                               "object_pattern",
                               "array",
                               "string",
                               "parenthesized_expression",
                               "ternary_expression",
                               "binary_expression",
                               "as_expression",
                               "satisfies_expression",
                               "return_statement",
                               "statement_block",
                               "if_statement",
                               "else_clause",
                               "try_statement",
                               "catch_clause",
                               "for_statement",
                               "for_in_statement",
                               "while_statement",
                               "switch_statement",
                               "switch_body",
                               "switch_case",
                               "switch_default",
                               "object_type",
                               "type_annotation",
                               "union_type",
                               "intersection_type",
                               "array_type",
                               "parenthesized_type",
                               "readonly_type"})) {
      return false;
    }
    if (members > 1 || functions > 1) return false;
  }
  return false;
}

}  // namespace

NamedValue KeysOfNamedValue(const SourceFile& file, const std::string& key, const Diagnostic& error,
                            ParsedFiles* parsed) {
  NamedValue found;
  const absl::string_view line = file.Line(error.line);
  if (!LanguageBackendOf(file.language.id).naming.literals_declare_members || error.column < 1 ||
      static_cast<size_t>(error.column) > line.size()) {
    return found;
  }
  const auto at = static_cast<uint32_t>(line.data() - file.text.data() + error.column - 1);
  const SyntaxTree* const tree = parsed->Of(file);
  const TSNode name = tree != nullptr ? NamedValueAt(*tree, at) : TSNode{};
  if (ts_node_is_null(name)) return found;
  found.name = BeginOf(name);
  const std::vector<Occurrence> all =
      FindOccurrences(file.grammar, file.scopes, file.text, std::string(TextOf(name, file.text)));
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const Occurrence& use) { return use.begin == found.name; });
  if (own == all.end() || own->binding < 0) return found;
  const Binding& binding = file.scopes.bindings[static_cast<size_t>(own->binding)];
  const TSNode declaration = ts_node_parent(NodeAt(*tree, binding.name_begin, binding.name_end));
  if (ts_node_is_null(declaration)) return found;
  for (const Occurrence& use : all) {
    const bool is_other =
        use.binding == own->binding && use.begin != found.name && use.begin != binding.name_begin;
    if (is_other) found.uses.push_back(use.begin);
  }
  const uint32_t begin = BeginOf(declaration);
  const auto value = absl::string_view(file.text).substr(begin, EndOf(declaration) - begin);
  for (size_t in = 0; (in = FindWord(value, key, in)) != absl::string_view::npos;
       in += key.size()) {
    const uint32_t place = begin + static_cast<uint32_t>(in);
    const TSNode node = NodeAt(*tree, place, place + static_cast<uint32_t>(key.size()));
    const bool is_key = IsOneOf(TypeOf(node), {"property_identifier", "string_fragment",
                                               "shorthand_property_identifier"}) &&
                        IsKeyOfValue(node, declaration);
    if (is_key) found.keys.push_back(place);
  }
  return found;
}

std::vector<size_t> KeysBehind(const std::vector<RenameCandidate>& candidates,
                               const std::vector<size_t>& open, const std::string& path,
                               const Diagnostic& error) {
  constexpr int kMaxLines = 60;
  std::vector<size_t> found;
  int nearest = error.line + kMaxLines;
  for (const size_t i : open) {
    const RenameCandidate& candidate = candidates[i];
    if (!IsKeyOfLiteral(candidate) || candidate.is_declaration || candidate.is_text ||
        candidate.file->path != path) {
      continue;
    }
    const int line = candidate.line();
    if (line < error.line || line > nearest) continue;
    if (line < nearest) found.clear();
    nearest = line;
    found.push_back(i);
  }
  return found;
}

namespace {

// In an `impl`, the trait has to be the one of the error; elsewhere, no other trait may have it.
bool MayBeArgumentFor(const Resolution& symbol, const RenameCandidate& candidate,
                      const Diagnostic& error) {
  TraitImpls traits;
  const std::string around = traits.TraitAt(*candidate.file, candidate.occurrence.begin);
  if (!around.empty()) return HoldsWord(error.message, around);
  return std::none_of(symbol.all.begin(), symbol.all.end(), [&](const Declaration& other) {
    return !symbol.IsTarget(*other.file, other.symbol) && !traits.TraitOf(other).empty();
  });
}

}  // namespace

std::vector<size_t> MacroArguments(const RenamePlan& plan, const std::vector<size_t>& open,
                                   const std::string& path, const Diagnostic& error) {
  std::vector<size_t> found;
  for (const size_t i : open) {
    const RenameCandidate& candidate = plan.candidates()[i];
    if (candidate.occurrence.role != OccurrenceRole::kRaw || candidate.is_example ||
        candidate.is_declaration || candidate.is_text || candidate.file->path != path) {
      continue;
    }
    const bool declares = absl::StrContains(candidate.file->Line(candidate.line()), "fn ");
    if (!declares && MayBeArgumentFor(plan.symbol(), candidate, error)) found.push_back(i);
  }
  return found;
}

std::vector<size_t> WithSiblings(const std::vector<RenameCandidate>& candidates,
                                 const std::vector<size_t>& open, std::vector<size_t> blamed,
                                 ParsedFiles* parsed) {
  // Keys by file, and by whether they are renamed.
  std::map<std::pair<std::string, bool>, std::pair<const SourceFile*, std::set<uint32_t>>> keys;
  for (const size_t i : blamed) {
    const RenameCandidate& candidate = candidates[i];
    const bool has_siblings =
        IsKeyOfLiteral(candidate) &&
        LanguageBackendOf(candidate.file->language.id).naming.literals_declare_members;
    if (!has_siblings) continue;
    auto& [file, offsets] = keys[{candidate.file->path, candidate.is_renamed}];
    file = candidate.file.get();
    offsets.insert(candidate.occurrence.begin);
  }
  for (const auto& [of, in_file] : keys) {
    const bool is_renamed = of.second;
    const SourceFile* const file = in_file.first;
    const std::set<uint32_t> siblings = SiblingKeys(*file, in_file.second, parsed);
    for (const size_t i : open) {
      const bool is_sibling = candidates[i].file->path == file->path &&
                              candidates[i].is_renamed == is_renamed &&
                              siblings.count(candidates[i].occurrence.begin) > 0;
      if (is_sibling) blamed.push_back(i);
    }
  }
  return blamed;
}

}  // namespace stile
