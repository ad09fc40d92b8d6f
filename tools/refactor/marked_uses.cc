#include "tools/refactor/marked_uses.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "tools/index/trait_impls.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

class MarkedUses {
 public:
  MarkedUses(const RenamePlan& plan, CodeIndex* index) : plan_(plan), index_(index) {
    mark_ = LanguageBackendOf(First().file->language.id).naming.deprecation_mark;
  }

  absl::StatusOr<ResolvedSymbol> Run(const DeprecatedProbe& probe) {
    if (mark_.empty() || First().symbol < 0) return absl::UnimplementedError("no mark");
    const EditPlan marks = Marks();
    if (marks.files().empty()) return absl::UnimplementedError("no declaration can be marked");
    STILE_ASSIGN_OR_RETURN(const ProbeReport report, probe(marks));
    if (!report.judged) return absl::UnavailableError(report.unjudged);
    if (!report.errors.empty()) {
      return absl::UnavailableError(FormatDiagnostic(report.errors[0]));
    }
    for (const Diagnostic& warning : report.warnings) Take(warning);
    if (report.files_read.has_value()) {
      read_.insert(report.files_read->begin(), report.files_read->end());
    }
    Decide();
    found_.resolver = "rustc";
    found_.names_every_place = true;
    return std::move(found_);
  }

 private:
  const Declaration& First() const { return plan_.symbol().targets[0]; }

  EditPlan Marks() {
    EditPlan marks;
    TraitImpls traits;
    for (const Declaration& target : plan_.symbol().targets) {
      if (target.symbol < 0) continue;
      const Symbol& symbol = target.AsSymbol();
      const std::string trait = traits.TraitOf(target);
      // What implements a trait's method is used by the name in the trait.
      if (!trait.empty() && LastComponent(symbol.container) != trait) continue;
      regions_[target.file->path].push_back({symbol.begin, symbol.end});
      const auto head = absl::string_view(target.file->text)
                            .substr(symbol.begin, symbol.name_begin - symbol.begin);
      if (absl::StrContains(head, "deprecated")) continue;
      marks.Edit(*target.file, {symbol.begin, symbol.begin, mark_});
      const TextPlace place = target.file->PlaceOf(symbol.begin);
      marked_[{target.file->path, place.line}].insert(place.column);
    }
    return marks;
  }

  // "use of deprecated method `Order::total`: stile".
  bool IsAboutSymbol(const Diagnostic& warning) const {
    if (warning.code != "deprecated") return false;
    const size_t begin = warning.message.find('`');
    if (begin == std::string::npos) return false;
    const size_t end = warning.message.find('`', begin + 1);
    const absl::string_view path =
        absl::string_view(warning.message).substr(begin + 1, end - begin - 1);
    const size_t last = path.rfind(':');
    return path.substr(last == absl::string_view::npos ? 0 : last + 1) == plan_.old_name();
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

  void Take(const Diagnostic& warning) {
    if (!IsAboutSymbol(warning) || warning.line < 1) return;
    const auto file = index_->Open(warning.file);
    if (!file.ok()) return;
    const absl::string_view line = (*file)->Line(warning.line);
    const int column = PlainColumn(warning);
    if (column < 1) return;
    // A path may be named from its beginning. An alias has another name there.
    const size_t at = FindWord(line, plan_.old_name(), static_cast<size_t>(column - 1));
    if (at == absl::string_view::npos) return;
    const auto between =
        line.substr(static_cast<size_t>(column - 1), at - static_cast<size_t>(column - 1));
    const bool is_path = std::all_of(between.begin(), between.end(), [](char c) {
      return IsIdentifierByte(c) || absl::StrContains(":<>&, ", std::string(1, c));
    });
    if (!is_path) return;
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
    const int line = file.PlaceOf(offset).line;
    for (const int at : {line, line - 1}) {
      if (at > 0 && absl::StrContains(file.Line(at), "#[cfg(")) return true;
    }
    return std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
      if (offset < symbol.begin || symbol.end <= offset) return false;
      const auto head =
          absl::string_view(file.text).substr(symbol.begin, symbol.name_begin - symbol.begin);
      const bool is_conditional =
          absl::StrContains(head, "#[cfg(") && !absl::StrContains(head, "#[cfg(test)]");
      return symbol.kind == SymbolKind::kMacro || is_conditional;
    });
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
  std::set<std::string> read_;  // files that the compiler read
  std::set<CodeRange> uses_;
  ResolvedSymbol found_;
};

}  // namespace

absl::StatusOr<ResolvedSymbol> ResolveByMarks(const RenamePlan& plan, const DeprecatedProbe& probe,
                                              CodeIndex* index) {
  return MarkedUses(plan, index).Run(probe);
}

}  // namespace stile
