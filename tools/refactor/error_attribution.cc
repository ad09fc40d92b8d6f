#include "tools/refactor/error_attribution.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
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

// A key, or the name of a member that is declared without a receiver.
static bool IsKeyOfLiteral(const Occurrence& use) {
  return use.role == OccurrenceRole::kKey || use.role == OccurrenceRole::kShorthand ||
         use.role == OccurrenceRole::kDefinition ||
         (use.role == OccurrenceRole::kMember && use.receiver_end == 0);
}

std::vector<size_t> KeysOfNamedValue(const std::vector<RenameCandidate>& candidates,
                                     const std::string& path, const Diagnostic& error) {
  std::vector<size_t> found;
  const auto in_file =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const RenameCandidate& candidate) { return candidate.file->path == path; });
  if (in_file == candidates.end() || error.column < 1) return found;
  const SourceFile& file = *in_file->file;
  if (!LanguageBackendOf(file.language.id).naming.keys_are_members) return found;
  const absl::string_view line = file.Line(error.line);
  absl::string_view name =
      line.substr(std::min(line.size(), static_cast<size_t>(error.column) - 1));
  size_t size = 0;
  while (size < name.size() && IsIdentifierByte(name[size])) ++size;
  name = name.substr(0, size);
  const Binding* declared = nullptr;
  for (const Binding& binding : file.scopes.bindings) {
    if (name.empty() || binding.name != name) continue;
    if (declared != nullptr) return found;  // one of several
    declared = &binding;
  }
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (declared == nullptr || !tree.ok()) return found;
  const TSNode value = ts_node_parent(NodeAt(*tree, declared->name_begin, declared->name_end));
  if (ts_node_is_null(value)) return found;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const RenameCandidate& candidate = candidates[i];
    const uint32_t begin = candidate.occurrence.begin;
    if (IsKeyOfLiteral(candidate.occurrence) && !candidate.is_renamed && !candidate.is_text &&
        candidate.file->path == path && begin >= BeginOf(value) && begin < EndOf(value)) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<size_t> WithSiblings(const std::vector<RenameCandidate>& candidates,
                                 std::vector<size_t> blamed) {
  const size_t count = blamed.size();
  for (size_t at = 0; at < count; ++at) {
    const RenameCandidate& candidate = candidates[blamed[at]];
    if (!IsKeyOfLiteral(candidate.occurrence) ||
        !LanguageBackendOf(candidate.file->language.id).naming.keys_are_members)
      continue;
    const std::set<uint32_t> keys = SiblingKeys(*candidate.file, {candidate.occurrence.begin});
    for (size_t i = 0; i < candidates.size(); ++i) {
      const bool is_sibling = candidates[i].file->path == candidate.file->path &&
                              candidates[i].is_renamed == candidate.is_renamed &&
                              keys.count(candidates[i].occurrence.begin) > 0;
      if (is_sibling) blamed.push_back(i);
    }
  }
  return blamed;
}

}  // namespace stile
