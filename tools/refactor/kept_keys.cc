#include "tools/refactor/kept_keys.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/es_modules.h"
#include "tools/index/parsed_files.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/resolved_bases.h"

namespace stile {
namespace {

// Where the key of `exports.parse = parse` or `module.exports.parse = parse` stands, for the place
// of the variable; nullopt: the place is none such.
std::optional<uint32_t> ExportedKey(absl::string_view text, uint32_t variable,
                                    const std::string& name) {
  absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, variable));
  if (!absl::ConsumeSuffix(&before, "=")) return std::nullopt;
  before = absl::StripTrailingAsciiWhitespace(before);
  if (!absl::EndsWith(before, absl::StrCat("exports.", name))) return std::nullopt;
  return static_cast<uint32_t>(before.size() - name.size());
}

// Where the key of `{ parse: parse }` stands, for the place of the variable.
std::optional<uint32_t> KeyOfPair(absl::string_view text, uint32_t variable,
                                  const std::string& name) {
  absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, variable));
  if (!absl::ConsumeSuffix(&before, ":")) return std::nullopt;
  before = absl::StripTrailingAsciiWhitespace(before);
  const size_t begin = before.size() - std::min(before.size(), name.size());
  const bool is_whole = begin == 0 || !IsIdentifierByte(before[begin - 1]);
  if (before.substr(begin) != name || !is_whole) return std::nullopt;
  return static_cast<uint32_t>(begin);
}

// `const { parse } = made()`: the place is the variable's. The key is that of another object.
bool IsInPattern(const SourceFile& file, const CodeRange& range) {
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  return tree.ok() &&
         TypeOf(NodeAt(*tree, range.begin, range.end)) == "shorthand_property_identifier_pattern";
}

// Whether the name is that of a property which its module does not export: no import can mean it.
bool IsPlainProperty(CodeIndex* index, const CodeRange& range) {
  const auto file = index->Open(range.path);
  if (!file.ok()) return false;
  const absl::string_view before = absl::string_view((*file)->text).substr(0, range.begin);
  const auto tree = SyntaxTree::Parse((*file)->grammar, (*file)->text);
  return tree.ok() && !absl::EndsWith(before, "exports.") &&
         !IsCommonJsExport(**file, range.begin) &&
         IsOneOf(TypeOf(NodeAt(*tree, range.begin, range.end)),
                 {"property_identifier", "shorthand_property_identifier"});
}

// Whether the edit renames what another module exports: `import { parse }` and `parse()` behind it,
// `export { parse } from`, `{ parse: decode }` that was `{ parse }`, `pack.parse` behind
// `import * as pack`.
bool IsOfImport(const SourceFile& file, const SyntaxTree& tree, const CodeRange& range,
                const std::string& text, const std::string& old_name, const std::string& new_name) {
  const auto& names = file.ImportsAndExports().names;
  const auto takes = [&](absl::string_view name, absl::string_view alias) {
    return std::any_of(names.begin(), names.end(), [&](const ModuleStatements::Name& one) {
      return one.name == name && (alias.empty() || one.alias == alias) && !one.module.empty();
    });
  };
  const TSNode name = NodeAt(tree, range.begin, range.end);
  if (IsNode(name, "shorthand_property_identifier")) {
    return absl::EndsWith(text, absl::StrCat(": ", new_name)) && takes(old_name, "");
  }
  if (IsNode(name, "identifier")) {
    return (text == new_name || absl::StartsWith(text, absl::StrCat(new_name, " as "))) &&
           takes(old_name, "");
  }
  const TSNode object = FieldOf(ts_node_parent(name), "object");
  return IsNode(name, "property_identifier") && IsNode(object, "identifier") &&
         takes("*", TextOf(object, file.text));
}

}  // namespace

std::string KeptKeys::ForPattern(const SourceFile& file, const CodeRange& range,
                                 const std::string& after, bool is_own) {
  const std::string kept = absl::StrCat(new_name_, ": ", old_name_);
  const std::string renamed = absl::StrCat(old_name_, ": ", new_name_);
  if (is_own || (after != kept && after != renamed) || !IsInPattern(file, range)) return after;
  variables_.insert({file.path, range.begin});
  return kept;
}

void KeptKeys::Note(const SourceFile& file, const ResolvedEdit& edit) {
  if (edit.text == absl::StrCat(old_name_, ": ", new_name_) && !IsInPattern(file, edit.range)) {
    keys_.insert({file.path, edit.range.begin});
    if (IsCommonJsExport(file, edit.range.begin)) exporting_files_.insert(file.path);
  }
  const auto pair = KeyOfPair(file.text, edit.range.begin, old_name_);
  if (pair.has_value() && IsCommonJsExport(file, *pair)) {
    keys_.insert({file.path, *pair});
    exporting_files_.insert(file.path);
  }
  const auto key = ExportedKey(file.text, edit.range.begin, old_name_);
  if (!key.has_value()) return;
  keys_.insert({file.path, *key});
  exporting_files_.insert(file.path);
}

absl::Status KeptKeys::DropUses(const std::string& declared_in, CodeIndex* index,
                                Resolver* resolver, std::map<CodeRange, std::string>* edits) const {
  if (keys_.empty() && variables_.empty()) return absl::OkStatus();
  const std::map<CodeRange, std::string> all = *edits;
  for (const auto& [range, text] : all) {
    const auto file = index->Open(range.path);
    const bool is_member = file.ok() && range.begin > 0 && (*file)->text[range.begin - 1] == '.';
    const bool is_exported =
        exporting_files_.count(declared_in) > 0 && exporting_files_.count(range.path) == 0;
    // The key itself, which a server may take for the variable. `{ parse: decode }` is both.
    const bool is_key = keys_.count({range.path, range.begin}) > 0 && text == new_name_;
    if (is_exported || is_key) edits->erase(range);
    const bool is_import = !variables_.empty() && range.path != declared_in;
    if ((!is_member && !is_import) || is_exported) continue;
    const CodeRange& use = range;
    const auto places = resolver->Definition({use.path, use.begin});
    if (!places.ok() && !IsNoAnswer(places.status())) return places.status();
    const bool is_kept =
        places.ok() &&
        std::any_of(places->ranges.begin(), places->ranges.end(), [&](const CodeRange& definition) {
          const CodePlace place{definition.path, definition.begin};
          return definition != use && (keys_.count(place) > 0 || variables_.count(place) > 0);
        });
    if (is_kept) edits->erase(range);
  }
  return absl::OkStatus();
}

absl::Status KeptKeys::DropImports(CodeIndex* index, Resolver* resolver,
                                   std::map<CodeRange, std::string>* edits) const {
  if (variables_.empty()) return absl::OkStatus();
  std::map<CodePlace, std::vector<CodeRange>> definitions;  // by edit
  std::set<CodePlace> kept = variables_;
  std::set<CodePlace> imports;
  ParsedFiles parsed;
  for (const auto& [range, text] : *edits) {
    const auto places = resolver->Definition({range.path, range.begin});
    if (!places.ok() && !IsNoAnswer(places.status())) return places.status();
    if (!places.ok()) continue;
    definitions[{range.path, range.begin}] = places->ranges;
    const auto file = index->Open(range.path);
    if (!file.ok()) continue;
    const SyntaxTree* const tree = parsed.Of(**file);
    const bool is_import =
        tree != nullptr && IsOfImport(**file, *tree, range, text, old_name_, new_name_);
    if (is_import) imports.insert({range.path, range.begin});
  }
  for (const CodePlace& import : imports) {
    const std::vector<CodeRange>& of = definitions[import];
    const bool names_variable =
        !of.empty() && std::all_of(of.begin(), of.end(), [&](const CodeRange& definition) {
          const CodePlace place{definition.path, definition.begin};
          return imports.count(place) > 0 || variables_.count(place) > 0 ||
                 IsPlainProperty(index, definition);
        });
    if (names_variable) kept.insert(import);
  }
  std::erase_if(*edits, [&](const auto& edit) {
    const CodePlace own{edit.first.path, edit.first.begin};
    if (variables_.count(own) > 0) return false;
    // `box.parse` behind `box = { parse }` means the key, which stays.
    const std::vector<CodeRange>& of = definitions[own];
    return kept.count(own) > 0 ||
           std::any_of(of.begin(), of.end(), [&](const CodeRange& definition) {
             const CodePlace place{definition.path, definition.begin};
             return place != own && kept.count(place) > 0;
           });
  });
  return absl::OkStatus();
}

absl::Status KeptKeys::DropNames(const std::map<CodePlace, Declaration>& declarations,
                                 Resolver* resolver,
                                 std::map<CodeRange, std::string>* edits) const {
  for (auto& [range, text] : *edits) {
    if (!HoldsWord(text, old_name_)) continue;
    STILE_ASSIGN_OR_RETURN(const ResolvedPlaces places,
                           resolver->Definition({range.path, range.begin}));
    const bool is_all =
        places.outside.empty() &&
        std::all_of(places.ranges.begin(), places.ranges.end(), [&](const CodeRange& definition) {
          return declarations.count({definition.path, definition.begin}) > 0;
        });
    if (is_all) text = new_name_;
  }
  return absl::OkStatus();
}

}  // namespace stile
