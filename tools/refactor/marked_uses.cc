#include "tools/refactor/marked_uses.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/trait_impls.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

constexpr absl::string_view kNote = "stile asks for uses";  // see NamingFacts::deprecation_mark

const std::string& MarkOf(const Declaration& declaration) {
  return LanguageBackendOf(declaration.file->language.id).naming.deprecation_mark;
}

// "use of deprecated method `Order::total`: NOTE", with the note of the mark.
bool IsAbout(const Diagnostic& warning, absl::string_view name) {
  const size_t note = warning.message.rfind(": ");
  if (warning.code != "deprecated" || note == std::string::npos) return false;
  if (absl::string_view(warning.message).substr(note + 2) != kNote) return false;
  const size_t begin = warning.message.find('`');
  const size_t end = begin == std::string::npos ? begin : warning.message.find('`', begin + 1);
  if (end == std::string::npos) return false;
  const absl::string_view path =
      absl::string_view(warning.message).substr(begin + 1, end - begin - 1);
  const size_t last = path.rfind(':');
  return path.substr(last == absl::string_view::npos ? 0 : last + 1) == name;
}

// How often each line uses one of the names; a compiler may say so for several targets.
std::map<std::pair<std::string, int>, size_t> CountUses(const std::vector<Diagnostic>& warnings,
                                                        const std::vector<std::string>& names) {
  std::set<std::tuple<std::string, int, int>> uses;
  for (const Diagnostic& warning : warnings) {
    const bool is_about = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return IsAbout(warning, name);
    });
    if (is_about) uses.insert({warning.file, warning.line, warning.column});
  }
  std::map<std::pair<std::string, int>, size_t> counts;
  for (const auto& [file, line, column] : uses) ++counts[{file, line}];
  return counts;
}

// Whether an attribute before a declaration may be a macro, which makes what it likes of it.
bool HasMacroAttribute(absl::string_view head) {
  static constexpr absl::string_view kPlain[] = {
      "allow",    "cfg",          "cfg_attr",       "cold",         "deny",
      "derive",   "doc",          "expect",         "export_name",  "inline",
      "must_use", "no_mangle",    "non_exhaustive", "repr",         "rustfmt",
      "clippy",   "track_caller", "warn",           "macro_export", "default"};
  for (size_t at = 0; (at = head.find("#[", at)) != absl::string_view::npos;) {
    at += 2;
    size_t end = at;
    while (end < head.size() && IsIdentifierByte(head[end])) ++end;
    const absl::string_view name = head.substr(at, end - at);
    const bool is_plain = std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain);
    if (!is_plain) return true;
  }
  return false;
}

// Nothing is judged, or the project has errors.
absl::Status Unusable(const ProbeReport& report) {
  if (!report.judged) return absl::UnavailableError(report.unjudged);
  return report.errors.empty() ? absl::OkStatus()
                               : absl::UnavailableError(FormatDiagnostic(report.errors[0]));
}

class UseFinder {
 public:
  UseFinder(const RenamePlan& plan, CodeIndex* index) : plan_(plan), index_(index) {
    mark_ = MarkOf(First());
  }

  absl::StatusOr<MarkedUses> Run(const DeprecatedProbe& probe) {
    if (mark_.empty() || First().symbol < 0) return absl::UnimplementedError("no mark");
    const EditPlan marks = Marks();
    if (marks.files().empty()) return absl::UnimplementedError("no declaration can be marked");
    STILE_ASSIGN_OR_RETURN(const ProbeReport report, probe(marks));
    STILE_RETURN_IF_ERROR(Unusable(report));
    for (const Diagnostic& warning : report.warnings) Take(warning);
    if (uses_.empty() && may_lose_mark_) {
      return absl::UnavailableError("a macro above the declaration may have dropped the mark");
    }
    if (report.files_read.has_value()) {
      read_.insert(report.files_read->begin(), report.files_read->end());
    }
    Decide();
    found_.resolver = "rustc";
    found_.names_every_place = true;
    return MarkedUses{std::move(found_), std::move(declarations_),
                      CountUses(report.warnings, {plan_.old_name(), plan_.new_name()})};
  }

 private:
  const Declaration& First() const { return plan_.symbol().targets[0]; }

  // What implements a trait's method is used by the name in the trait: that is marked.
  std::vector<Declaration> ToMark() const {
    std::vector<Declaration> found;
    TraitImpls traits;
    const Resolution& symbol = plan_.symbol();
    for (const Declaration& target : symbol.targets) {
      if (target.symbol < 0) continue;
      const SymbolKind kind = target.AsSymbol().kind;
      const bool is_type = IsType(kind) && kind != SymbolKind::kTypeAlias;
      const std::string trait = is_type ? "" : traits.TraitOf(target);
      for (const Declaration& other : symbol.all) {
        const bool is_it = other.file == target.file && other.symbol == target.symbol;
        const bool is_marked = trait.empty()
                                   ? is_it
                                   : other.symbol >= 0 && traits.TraitOf(other) == trait &&
                                         LastComponent(other.AsSymbol().container) == trait;
        const bool is_known =
            std::any_of(found.begin(), found.end(), [&](const Declaration& known) {
              return known.file == other.file && known.symbol == other.symbol;
            });
        if (is_marked && !is_known) found.push_back(other);
      }
    }
    return found;
  }

  // Empty where a declaration is deprecated already: it can be marked once only.
  EditPlan Marks() {
    EditPlan marks;
    for (const Declaration& declaration : ToMark()) {
      const Symbol& symbol = declaration.AsSymbol();
      const SourceFile& file = *declaration.file;
      const auto head =
          absl::string_view(file.text).substr(symbol.begin, symbol.name_begin - symbol.begin);
      if (absl::StrContains(head, "deprecated")) return EditPlan();
      may_lose_mark_ = may_lose_mark_ || HasMacroAttribute(head);
      marks.Edit(file, {symbol.begin, symbol.begin, mark_});
      regions_[file.path].push_back({symbol.begin, symbol.end});
      declarations_.push_back(declaration);
      const TextPlace place = file.PlaceOf(symbol.begin);
      marked_[{file.path, place.line}].insert(place.column);
    }
    return marks;
  }

  // The column of the file without the marks.
  int PlainColumn(const Diagnostic& warning) const {
    const auto marks = marked_.find({warning.file, warning.line});
    int column = warning.column;
    if (marks == marked_.end()) return column;
    for (const int mark : marks->second) {
      if (mark < column) column -= static_cast<int>(mark_.size());
    }
    return column;
  }

  // Where the old name stands as the last part of a path that begins at `at`: a warning may name
  // the whole path. npos: another name is there, such as an alias.
  size_t EndOfPath(absl::string_view line, size_t at) const {
    while (at < line.size()) {
      size_t end = at;
      while (end < line.size() && IsIdentifierByte(line[end])) ++end;
      const absl::string_view rest = absl::StripLeadingAsciiWhitespace(line.substr(end));
      if (!absl::StartsWith(rest, "::")) {
        return line.substr(at, end - at) == plan_.old_name() ? at : absl::string_view::npos;
      }
      const absl::string_view behind = absl::StripLeadingAsciiWhitespace(rest.substr(2));
      at = line.size() - behind.size();
    }
    return absl::string_view::npos;
  }

  void Take(const Diagnostic& warning) {
    if (!IsAbout(warning, plan_.old_name()) || warning.line < 1) return;
    const auto file = index_->Open(warning.file);
    if (!file.ok()) return;
    const absl::string_view line = (*file)->Line(warning.line);
    const int column = PlainColumn(warning);
    if (column < 1) return;
    const size_t at = EndOfPath(line, static_cast<size_t>(column - 1));
    if (at == absl::string_view::npos) return;
    const auto begin =
        static_cast<uint32_t>(line.data() - (*file)->text.data()) + static_cast<uint32_t>(at);
    uses_.insert({warning.file, begin, begin + static_cast<uint32_t>(plan_.old_name().size())});
  }

  // Whether the compiler does not warn of uses at the place.
  bool IsSilentAt(const SourceFile& file, uint32_t offset) const {
    if (read_.count(file.path) == 0) return true;
    const auto regions = regions_.find(file.path);
    if (regions != regions_.end()) {
      for (const auto& [begin, end] : regions->second) {
        if (begin <= offset && offset < end) return true;
      }
    }
    const std::vector<std::pair<uint32_t, uint32_t>>& conditional = ConditionalIn(file);
    if (std::any_of(conditional.begin(), conditional.end(), [&](const auto& region) {
          return region.first <= offset && offset < region.second;
        })) {
      return true;
    }
    return std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
      return symbol.kind == SymbolKind::kMacro && symbol.begin <= offset && offset < symbol.end;
    });
  }

  // What stands behind an attribute `#[cfg(…)]`, or around `#![cfg(…)]`: it may not be compiled.
  const std::vector<std::pair<uint32_t, uint32_t>>& ConditionalIn(const SourceFile& file) const {
    const auto [known, is_new] = conditional_.try_emplace(file.path);
    std::vector<std::pair<uint32_t, uint32_t>>& regions = known->second;
    const auto tree = is_new && absl::StrContains(file.text, "cfg(")
                          ? SyntaxTree::Parse(file.grammar, file.text)
                          : absl::StatusOr<SyntaxTree>(absl::NotFoundError(""));
    if (!tree.ok()) return regions;
    WalkTree(tree->root(), [&](TSNode node) {
      const bool is_outer = IsNode(node, "attribute_item");
      if (!is_outer && !IsNode(node, "inner_attribute_item")) return true;
      const absl::string_view text = TextOf(node, file.text);
      if (!absl::StrContains(text, "cfg(") || absl::StartsWith(text, "#[cfg(test)]")) return false;
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

  // A macro is named with its mark behind it, or by a path.
  bool MayBeMacro(const RenameCandidate& candidate) const {
    if (First().AsSymbol().kind != SymbolKind::kMacro) return true;
    const absl::string_view text = candidate.file->text;
    return absl::StartsWith(text.substr(candidate.occurrence.end), "!") ||
           absl::EndsWith(text.substr(0, candidate.occurrence.begin), "::");
  }

  void Decide() {
    for (const CodeRange& use : uses_) found_.edits[use] = plan_.new_name();
    for (const Declaration& marked : declarations_) {
      const auto end = marked.name_begin() + static_cast<uint32_t>(plan_.old_name().size());
      found_.edits[{marked.file->path, marked.name_begin(), end}] = plan_.new_name();
    }
    for (const RenameCandidate& candidate : plan_.candidates()) {
      const CodeRange range{candidate.file->path, candidate.occurrence.begin,
                            candidate.occurrence.end};
      const bool is_use = uses_.count(range) > 0;
      const bool is_own = candidate.is_declaration && candidate.is_renamed;
      const bool is_silent = IsSilentAt(*candidate.file, range.begin);
      const bool stands =
          candidate.is_renamed && candidate.certainty == Certainty::kExact && MayBeMacro(candidate);
      if (is_use || is_own || (is_silent && stands)) {
        found_.edits[range] = plan_.ReplacementOf(candidate, plan_.new_name());
        continue;
      }
      const bool is_raw = candidate.occurrence.role == OccurrenceRole::kRaw;
      if (!is_silent && !is_raw && !candidate.is_declaration && !candidate.is_example) {
        found_.others.insert(range);
      }
    }
  }

  const RenamePlan& plan_;
  CodeIndex* const index_;
  std::string mark_;
  std::map<std::pair<std::string, int>, std::set<int>> marked_;  // columns, by path and line
  std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>> regions_;  // marked, by path
  mutable std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>> conditional_;
  std::set<std::string> read_;             // files that the compiler read
  std::vector<Declaration> declarations_;  // that are marked
  bool may_lose_mark_ = false;             // a macro reads one of them
  std::set<CodeRange> uses_;
  ResolvedSymbol found_;
};

}  // namespace

absl::StatusOr<MarkedUses> ResolveByMarks(const RenamePlan& plan, const DeprecatedProbe& probe,
                                          CodeIndex* index) {
  return UseFinder(plan, index).Run(probe);
}

absl::StatusOr<std::string> CheckByMarks(const MarkedUses& before, const EditPlan& renamed,
                                         const std::string& new_name,
                                         const DeprecatedProbe& probe) {
  EditPlan marks = renamed;
  for (const Declaration& declaration : before.marked) {
    const uint32_t begin = declaration.AsSymbol().begin;
    marks.Edit(*declaration.file, {begin, begin, MarkOf(declaration)});
  }
  STILE_ASSIGN_OR_RETURN(const ProbeReport report, probe(marks));
  STILE_RETURN_IF_ERROR(Unusable(report));
  const auto counts = CountUses(report.warnings, {new_name});
  for (const auto& [one, other] :
       {std::make_pair(&counts, &before.counts), std::make_pair(&before.counts, &counts)}) {
    for (const auto& [place, count] : *one) {
      const auto same = other->find(place);
      if (same != other->end() && same->second == count) continue;
      return absl::StrCat(new_name, " at ", ToUtf8(place.first), ":", place.second,
                          " means something else now");
    }
  }
  return std::string();
}

}  // namespace stile
