#include "tools/refactor/safe_delete.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/selection.h"
#include "tools/index/type_relations.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/member_values.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Where the line of `at` begins, or `at` when something other than blanks stands before it there.
size_t BlankBefore(absl::string_view text, size_t at) {
  const size_t begin = LineBegin(text, at);
  return std::all_of(text.begin() + begin, text.begin() + at, IsBlank) ? begin : at;
}

// Behind the newline after `at`, or `at` when something other than blanks stands before that.
size_t BlankBehind(absl::string_view text, size_t at) {
  const size_t end = LineEnd(text, at);
  return std::all_of(text.begin() + at, text.begin() + end,
                     [](char c) { return IsBlank(c) || c == '\n'; })
             ? end
             : at;
}

bool IsBlankLine(absl::string_view text, size_t begin) {
  return begin < text.size() && BlankBehind(text, begin) > begin;
}

bool EndsWithBlankLine(absl::string_view before) {
  if (before.empty()) return true;
  if (before.back() != '\n') return false;
  before.remove_suffix(1);
  while (!before.empty() && IsBlank(before.back())) before.remove_suffix(1);
  return before.empty() || before.back() == '\n';
}

// The end of a comment that fills the rest of the line behind `at`; `at` where there is none.
size_t BehindComment(const SourceFile& file, size_t at) {
  const absl::string_view text = file.text;
  size_t begin = at;
  while (begin < text.size() && IsBlank(text[begin])) ++begin;
  const absl::string_view rest = text.substr(begin);
  const std::string& mark = LanguageBackendOf(file.language.id).facts.line_comment;
  if (begin == at || !absl::StartsWith(rest, mark)) return at;
  return begin + std::min(rest.find('\n'), rest.size());
}

// The members of a type that are defined elsewhere go with it.
void AddMembers(Resolution* resolution, CodeIndex* index) {
  const std::vector<Declaration> types = resolution->targets;
  for (const Declaration& type : types) {
    if (!IsType(type.AsSymbol().kind)) continue;
    const std::string name = type.QualifiedName();
    for (const auto& file : index->FilesWith(type.AsSymbol().name)) {
      if (!SeeEachOther(file->language, type.file->language)) continue;
      for (size_t i = 0; i < file->symbols.size(); ++i) {
        const Symbol& symbol = file->symbols[i];
        if (symbol.container != name) continue;
        const bool is_inside = file->path == type.file->path &&
                               symbol.begin >= type.AsSymbol().begin &&
                               symbol.end <= type.AsSymbol().end;
        if (!is_inside) resolution->targets.push_back({file, static_cast<int>(i), -1});
      }
    }
  }
}

// A body that would be empty where the language wants something in it.
void KeepBody(const SourceFile& file, const Symbol& symbol, TextEdit* edit) {
  if (LanguageBackendOf(file.language.id).generation.empty_body.empty() || symbol.parent < 0)
    return;
  const Symbol& parent = file.symbols[static_cast<size_t>(symbol.parent)];
  const bool has_sibling =
      std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& other) {
        return other.parent == symbol.parent && other.name_begin != symbol.name_begin;
      });
  const bool has_docstring = parent.doc_end > 0 && parent.doc_begin > parent.begin;
  if (!IsType(parent.kind) || has_sibling || has_docstring) return;
  const size_t line = BlankBefore(file.text, symbol.begin);
  edit->replacement = absl::StrCat(file.text.substr(line, symbol.begin - line), "pass",
                                   absl::StrContains(file.text, "\r\n") ? "\r\n" : "\n");
}

// FailedPrecondition where something must stand in the place of the declaration: it is all of an
// `if`, or of a block of Python.
absl::Status CheckStandsAlone(const SourceFile& file, const SyntaxTree& tree,
                              const Symbol& symbol) {
  TSNode statement = NodeAt(tree, symbol.begin, symbol.end);
  while (IsOneOf(TypeOf(ts_node_parent(statement)),
                 {"variable_declaration", "lexical_declaration", "expression_statement",
                  "assignment", "decorated_definition"})) {
    statement = ts_node_parent(statement);
  }
  // KeepBody writes a body for a class.
  const bool is_of_class =
      absl::StartsWith(TypeOf(ts_node_parent(ts_node_parent(statement))), "class");
  if (is_of_class || !IsOnlyStatement(file, statement)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("Nothing was changed: ", ToUtf8(symbol.name),
                   " is the only statement of its block or condition. Use file.modify"));
}

// Names by which languages and their libraries call what implements them.
bool IsCalledByName(absl::string_view name) {
  static const auto* const kNames = new std::set<absl::string_view>{
      "String",    "Error",   "Format",      "MarshalJSON", "UnmarshalJSON", "MarshalText",
      "ServeHTTP", "Unwrap",  "Read",        "Write",       "Close",         "Len",
      "Less",      "Swap",    "toString",    "equals",      "hashCode",      "compareTo",
      "toJSON",    "valueOf", "finalize",    "main",        "init",          "Main",
      "ToString",  "Equals",  "GetHashCode", "Dispose",     "run",           "close",
  };
  return kNames->count(name) > 0 || (absl::StartsWith(name, "__") && absl::EndsWith(name, "__"));
}

// Rust: whether a method stands in an `impl Trait for Type`.
bool IsInTraitImpl(const SourceFile& file, const Symbol& symbol) {
  if (!LanguageBackendOf(file.language.id).generation.impl_blocks) return false;
  const absl::string_view before = absl::string_view(file.text).substr(0, symbol.begin);
  const size_t impl = before.rfind("impl");
  if (impl == absl::string_view::npos) return false;
  const absl::string_view head = before.substr(impl, before.find('{', impl) - impl);
  return FindWord(head, "for") != absl::string_view::npos;
}

// A variable whose construction may do something.
bool MayActWhenMade(const SourceFile& file, const Symbol& symbol) {
  if (!LanguageBackendOfGrammar(file.grammar.name).naming.globals_are_constructed ||
      symbol.kind != SymbolKind::kVariable)
    return false;
  const absl::string_view head =
      absl::string_view(file.text).substr(symbol.begin, symbol.end - symbol.begin);
  for (const absl::string_view word : {"constexpr", "int", "char", "bool", "float", "double",
                                       "long", "short", "unsigned", "size_t", "extern"}) {
    if (FindWord(head.substr(0, symbol.name_begin - symbol.begin), word) !=
        absl::string_view::npos) {
      return head.find('(') != absl::string_view::npos;
    }
  }
  return true;
}

// A compiler accepts other values of the members that follow.
absl::Status CheckNothingShifts(const SourceFile& file, const Symbol& symbol, CodeIndex* index) {
  if (symbol.kind != SymbolKind::kEnumMember && symbol.kind != SymbolKind::kConstant &&
      symbol.kind != SymbolKind::kVariable && symbol.kind != SymbolKind::kField) {
    return absl::OkStatus();
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  const TSNode name = NodeAt(tree, symbol.name_begin, symbol.name_end);
  const absl::string_view around = TypeOf(ts_node_parent(name));
  if (absl::EndsWith(around, "_pattern") || around == "pattern_list") {
    return absl::FailedPreconditionError(
        absl::StrCat("Nothing was changed: the statement gives values to other names, too. Delete ",
                     ToUtf8(symbol.name), " with file.modify"));
  }
  const std::string next = MemberThatShifts(file, tree, symbol, index);
  if (next.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "Nothing was changed: ", ToUtf8(next), " stands after ", ToUtf8(symbol.name),
      " and has no value of its own, so that it would get another one. Give it a value first, or "
      "delete ",
      ToUtf8(symbol.name), " with file.modify"));
}

// Where a string has the name, or ends with it behind a dot ("shop.limits.MAX" of mock.patch),
// outside of the bytes [begin, end); npos: nowhere.
size_t QuotedName(absl::string_view text, const std::string& name, uint32_t begin, uint32_t end) {
  for (size_t at = 0; (at = FindWord(text, name, at)) != absl::string_view::npos;
       at += name.size()) {
    if (at >= begin && at < end) continue;
    const char before = at == 0 ? '\0' : text[at - 1];
    const char behind = at + name.size() < text.size() ? text[at + name.size()] : '\0';
    const bool is_quoted = behind == '"' || behind == '\'';
    if (is_quoted && (before == behind || before == '.')) return at;
  }
  return absl::string_view::npos;
}

// Why the symbol may be used without being named; "" where nothing speaks for it.
std::string UsedUnnamed(const Resolution& resolution, CodeIndex* index) {
  Resolution family = resolution;
  CompleteFamily(&family, index);
  for (const Declaration& target : resolution.targets) {
    const SourceFile& file = *target.file;
    const Symbol& symbol = target.AsSymbol();
    if (symbol.kind == SymbolKind::kConstructor || absl::StartsWith(symbol.name, "~")) {
      return "constructors and destructors run without being named";
    }
    const absl::string_view head =
        absl::string_view(file.text).substr(symbol.begin, symbol.signature_end - symbol.begin);
    const bool overrides = FindWord(head, "override") != absl::string_view::npos ||
                           absl::StrContains(head, "@Override") || IsInTraitImpl(file, symbol);
    if (overrides) return "it overrides or implements another, and is called by way of that";
    if (IsCalledByName(symbol.name)) {
      return "the language and its libraries call what has that name";
    }
    if (MayActWhenMade(file, symbol)) return "making it may do something";
    for (const Declaration& other : family.targets) {
      const bool is_method =
          symbol.kind == SymbolKind::kMethod || symbol.kind == SymbolKind::kProperty;
      if (!is_method || other.AsSymbol().container == symbol.container) continue;
      return absl::StrCat("it is called by way of ", ToUtf8(other.QualifiedName()), " (",
                          ToUtf8(other.file->path), ":", other.place().line, ")");
    }
    // Where code finds its parts by their names in strings.
    if (!LanguageBackendOf(file.language.id).naming.names_in_strings) continue;
    for (const auto& other : resolution.files) {
      const bool is_own = other->path == file.path;
      const size_t at =
          QuotedName(other->text, symbol.name, is_own ? symbol.begin : 0, is_own ? symbol.end : 0);
      if (at == std::string::npos) continue;
      return absl::StrCat("a string has its name (", ToUtf8(other->path), ":",
                          other->PlaceOf(static_cast<uint32_t>(at)).line, ")");
    }
  }
  return "";
}

// The bytes of a documentation that belong to the file: `#!/usr/bin/env python3`, `# coding:
// utf-8`.
size_t LengthOfFileHead(absl::string_view text, size_t doc_begin) {
  if (doc_begin != 0) return 0;
  size_t end = 0;
  for (int line = 0; line < 2 && end < text.size(); ++line) {
    const size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
    const absl::string_view code = text.substr(end, next - end);
    const bool is_head = (line == 0 && absl::StartsWith(code, "#!")) ||
                         (absl::StartsWith(code, "#") && (absl::StrContains(code, "coding:") ||
                                                          absl::StrContains(code, "coding=")));
    if (!is_head) break;
    end = next;
  }
  return end;
}

}  // namespace

TextEdit DeletionOf(const SourceFile& file, const Symbol& symbol) {
  const absl::string_view text = file.text;
  size_t begin = symbol.begin;
  size_t end = symbol.end;
  if (symbol.doc_end > 0 && symbol.doc_end <= symbol.begin) {
    begin = symbol.doc_begin + LengthOfFileHead(text, symbol.doc_begin);
  }
  size_t behind = end;
  while (behind < text.size() && IsBlank(text[behind])) ++behind;
  const char next = behind < text.size() ? text[behind] : '\n';
  size_t before = begin;
  while (before > 0 && absl::ascii_isspace(static_cast<unsigned char>(text[before - 1]))) --before;
  const bool follows_comma = before > 0 && text[before - 1] == ',';
  const bool is_last_of_list =
      follows_comma &&
      (next == ';' || (symbol.kind == SymbolKind::kEnumMember && next != ',' && next != '\n'));
  if (is_last_of_list) {
    begin = before - 1;  // what ends the list stays
  } else if (next == ',' || next == ';') {
    end = behind + 1;
    const bool is_followed = next == ',' && BlankBehind(text, end) == end;
    while (is_followed && end < text.size() && IsBlank(text[end])) ++end;
  }
  end = BehindComment(file, end);
  const size_t line_begin = BlankBefore(text, begin);
  const bool at_line_begin = line_begin == 0 || text[line_begin - 1] == '\n';
  size_t line_end = BlankBehind(text, end);
  if (at_line_begin && line_end > end) {
    begin = line_begin;
    const absl::string_view above = text.substr(0, begin);
    const absl::string_view head = absl::StripTrailingAsciiWhitespace(above);
    // Of a block of Python, what follows may be outside.
    const size_t margin_end = std::min(text.find_first_not_of(" \t", line_begin), text.size());
    const absl::string_view margin = text.substr(line_begin, margin_end - line_begin);
    size_t next_line = line_end;
    while (IsBlankLine(text, next_line)) next_line = BlankBehind(text, next_line);
    const bool has_next = !margin.empty() && absl::StartsWith(text.substr(next_line), margin);
    const bool is_first = absl::EndsWith(head, "{") || (absl::EndsWith(head, ":") && has_next);
    if ((EndsWithBlankLine(above) || is_first) && IsBlankLine(text, line_end)) {
      line_end = BlankBehind(text, line_end);
    }
    end = line_end;
    const bool is_last = absl::StartsWith(absl::StripLeadingAsciiWhitespace(text.substr(end)), "}");
    if (is_last && EndsWithBlankLine(above)) {
      begin = BlankBefore(text, begin - 1);
    }
  } else if (at_line_begin && line_end == text.size()) {
    begin = line_begin;
    end = line_end;
  }
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""};
}

void JoinDeletions(absl::string_view text, uint32_t fixed, std::vector<TextEdit>* deletions) {
  std::sort(deletions->begin(), deletions->end(),
            [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  std::vector<TextEdit> joined;
  for (TextEdit& edit : *deletions) {
    const bool touches = !joined.empty() && joined.back().replacement.empty() &&
                         edit.replacement.empty() && edit.begin <= joined.back().end;
    if (touches) {
      joined.back().end = std::max(joined.back().end, edit.end);
    } else {
      joined.push_back(std::move(edit));
    }
  }
  // Blank lines at the end of the file go, too, and what they touch then is one deletion with them.
  while (!joined.empty() && joined.back().replacement.empty() &&
         absl::StripAsciiWhitespace(text.substr(joined.back().end)).empty()) {
    TextEdit& last = joined.back();
    if (last.begin > 0 && text[last.begin - 1] != '\n') break;
    last.end = static_cast<uint32_t>(text.size());
    while (last.begin > fixed && EndsWithBlankLine(text.substr(0, last.begin))) {
      last.begin = static_cast<uint32_t>(BlankBefore(text, last.begin - 1));
    }
    if (joined.size() < 2) break;
    TextEdit& before = joined[joined.size() - 2];
    if (!before.replacement.empty() || before.end < last.begin) break;
    before.end = last.end;
    joined.pop_back();
  }
  *deletions = std::move(joined);
}

absl::StatusOr<DeletePlan> PlanSafeDelete(Resolution resolution, CodeIndex* index) {
  DeletePlan plan;
  if (resolution.targets.empty()) return absl::NotFoundError("nothing to delete");
  if (!resolution.IsUnambiguous()) {
    return absl::FailedPreconditionError(
        "several symbols have that name. Give Owner.name as symbolName, or filePath and line, to "
        "choose one");
  }
  if (resolution.targets[0].symbol < 0) {
    return absl::FailedPreconditionError("a local is not deleted by safe_delete; use file.modify");
  }
  CompleteParts(&resolution);
  if (const std::string why = UsedUnnamed(resolution, index); !why.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Nothing was changed: ", why, ". If nothing needs it, delete it with file.modify"));
  }
  Resolution deleted = resolution;
  AddMembers(&deleted, index);
  std::map<std::string, std::pair<const SourceFile*, std::vector<TextEdit>>> by_file;
  std::map<std::string, std::optional<SyntaxTree>> trees;  // by path
  for (const Declaration& target : deleted.targets) {
    const Symbol& symbol = target.AsSymbol();
    const bool is_nested =
        std::any_of(deleted.targets.begin(), deleted.targets.end(), [&](const Declaration& other) {
          return other.file->path == target.file->path && other.AsSymbol().begin <= symbol.begin &&
                 symbol.end <= other.AsSymbol().end && other.symbol != target.symbol;
        });
    if (is_nested) continue;
    STILE_RETURN_IF_ERROR(CheckNothingShifts(*target.file, symbol, index));
    auto& tree = trees[target.file->path];
    if (!tree.has_value()) {
      STILE_ASSIGN_OR_RETURN(tree, SyntaxTree::Parse(target.file->grammar, target.file->text));
      STILE_RETURN_IF_ERROR(CheckDepth(*tree));
    }
    STILE_RETURN_IF_ERROR(CheckStandsAlone(*target.file, *tree, symbol));
    TextEdit edit = DeletionOf(*target.file, symbol);
    KeepBody(*target.file, symbol, &edit);
    by_file[target.file->path].first = target.file.get();
    by_file[target.file->path].second.push_back(std::move(edit));
  }
  for (auto& [path, deletions] : by_file) {
    JoinDeletions(deletions.first->text, 0, &deletions.second);
    for (TextEdit& edit : deletions.second) plan.edits.Edit(*deletions.first, std::move(edit));
  }
  for (Reference& reference : FindReferences(resolution)) {
    const uint32_t at = reference.occurrence.begin;
    const auto found = plan.edits.files().find(reference.file->path);
    const bool goes = found != plan.edits.files().end() &&
                      std::any_of(found->second.edits.begin(), found->second.edits.end(),
                                  [&](const TextEdit& e) { return e.begin <= at && at < e.end; });
    if (goes || reference.is_declaration) continue;
    (reference.certainty == Certainty::kExact ? plan.uses : plan.likely)
        .push_back(std::move(reference));
  }
  return plan;
}

}  // namespace stile
