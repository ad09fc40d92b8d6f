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
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "tools/index/trait_impls.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/name_edits.h"
#include "tools/refactor/symbol_family.h"
#include "tools/refactor/warned_code.h"

namespace stile {
namespace {

constexpr absl::string_view kNote = "stile asks for uses";  // see NamingFacts::deprecation_mark

// Whether the code itself says that the symbol is deprecated: it can be said once only.
bool IsDeprecated(const Declaration& declaration) {
  const Symbol& symbol = declaration.AsSymbol();
  const auto head = absl::string_view(declaration.file->text)
                        .substr(symbol.begin, symbol.name_begin - symbol.begin);
  return absl::StrContains(head, "[deprecated");
}

// What stands before the declaration while the compiler is asked: of a symbol that is deprecated, a
// blank, so that the file is compiled again.
std::string MarkOf(const Declaration& declaration) {
  return IsDeprecated(declaration)
             ? " "
             : LanguageBackendOf(declaration.file->language.id).naming.deprecation_mark;
}

// Whose uses warnings name.
struct WarnedNames {
  std::set<std::string> held;           // of symbols inside the declarations
  std::vector<std::string> deprecated;  // those of the code itself: "Stack::len"
};

WarnedNames NamesOf(const std::vector<Declaration>& declarations, const std::string& name) {
  WarnedNames names;
  for (const Declaration& declaration : declarations) {
    const Symbol& outer = declaration.AsSymbol();
    for (const Symbol& symbol : declaration.file->symbols) {
      if (symbol.begin > outer.begin && symbol.end <= outer.end) names.held.insert(symbol.name);
    }
    names.held.erase(outer.name);
    const std::string owner = LastComponent(outer.container);
    if (IsDeprecated(declaration)) {
      names.deprecated.push_back(owner.empty() ? name : absl::StrCat(owner, "::", name));
    }
  }
  return names;
}

// `shop::Stack::<T>::len` without the arguments of types.
std::string WithoutArguments(absl::string_view path) {
  std::string plain;
  int depth = 0;
  for (const char c : path) {
    depth += c == '<' ? 1 : 0;
    if (depth == 0) plain += c;
    depth -= c == '>' ? 1 : 0;
  }
  return absl::StrReplaceAll(plain, {{"::::", "::"}});
}

// "use of deprecated method `Order::total`: NOTE", with the note of the mark. What a marked type
// holds is deprecated with it. Any other name is the symbol's, or an alias of it.
bool IsAbout(const Diagnostic& warning, const WarnedNames& names) {
  if (warning.code != "deprecated") return false;
  const size_t begin = warning.message.find('`');
  const size_t end = begin == std::string::npos ? begin : warning.message.find('`', begin + 1);
  if (end == std::string::npos) return false;
  const std::string path =
      WithoutArguments(absl::string_view(warning.message).substr(begin + 1, end - begin - 1));
  const absl::string_view kind = absl::string_view(warning.message).substr(0, begin);
  const bool is_of_type =
      absl::StrContains(kind, "deprecated method") || absl::StrContains(kind, "associated");
  const bool is_deprecated =
      std::any_of(names.deprecated.begin(), names.deprecated.end(), [&](const std::string& name) {
        // A library may have a deprecated method of the name of a function.
        if (is_of_type && !absl::StrContains(name, "::")) return false;
        return path == name || absl::EndsWith(path, absl::StrCat("::", name));
      });
  if (is_deprecated) return true;
  if (absl::string_view(warning.message).substr(end + 1) != absl::StrCat(": ", kNote)) return false;
  const size_t last = path.rfind(':');
  return names.held.count(path.substr(last == std::string::npos ? 0 : last + 1)) == 0;
}

// How often each line uses the symbol; a compiler may say so for several targets.
std::map<std::pair<std::string, int>, size_t> CountUses(const std::vector<Diagnostic>& warnings,
                                                        const WarnedNames& names) {
  std::set<std::tuple<std::string, int, int>> uses;
  for (const Diagnostic& warning : warnings) {
    const bool is_about = IsAbout(warning, names);
    if (is_about) uses.insert({warning.file, warning.line, warning.column});
  }
  std::map<std::pair<std::string, int>, size_t> counts;
  for (const auto& [file, line, column] : uses) ++counts[{file, line}];
  return counts;
}

// Whether an attribute before a declaration may be a macro, which makes what it likes of it.
bool HasMacroAttribute(absl::string_view head) {
  static constexpr absl::string_view kPlain[] = {
      "allow",        "cfg",          "cfg_attr",     "cold",      "default",        "deny",
      "deprecated",   "derive",       "doc",          "expect",    "export_name",    "ignore",
      "inline",       "macro_export", "must_use",     "no_mangle", "non_exhaustive", "repr",
      "should_panic", "test",         "track_caller", "warn"};
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

// Nothing is judged, or the compiler did not get through `path`. Errors in other parts of the
// project, such as an example that does not build, leave it without an answer for their files only.
absl::Status Unusable(const ProbeReport& report, const std::string& path) {
  if (!report.judged) return absl::UnavailableError(report.unjudged);
  if (report.errors.empty()) return absl::OkStatus();
  const bool is_read = report.files_read.has_value() &&
                       std::find(report.files_read->begin(), report.files_read->end(), path) !=
                           report.files_read->end();
  return is_read ? absl::OkStatus() : absl::UnavailableError(FormatDiagnostic(report.errors[0]));
}

class UseFinder {
 public:
  UseFinder(const RenamePlan& plan, CodeIndex* index) : plan_(plan), index_(index) {}

  absl::StatusOr<MarkedUses> Run(const DeprecatedProbe& probe) {
    if (First().symbol < 0 || MarkOf(First()).empty()) return absl::UnimplementedError("no mark");
    const EditPlan marks = Marks();
    if (marks.files().empty()) return absl::UnimplementedError("no declaration can be marked");
    STILE_ASSIGN_OR_RETURN(const ProbeReport report, probe(marks));
    STILE_RETURN_IF_ERROR(Unusable(report, First().file->path));
    const WarnedNames names = NamesOf(declarations_, plan_.old_name());
    for (const Diagnostic& warning : report.warnings) {
      if (IsAbout(warning, names)) Take(warning);
    }
    if (uses_.empty() && may_lose_mark_) {
      return absl::UnavailableError("a macro above the declaration may have dropped the mark");
    }
    if (report.files_read.has_value()) code_.AddRead(*report.files_read);
    if (report.with_all_features) code_.SetHasAllFeatures();
    Decide();
    found_.resolver = "rustc";
    found_.names_every_place = true;
    return MarkedUses{std::move(found_), std::move(declarations_),
                      CountUses(report.warnings, names), report.with_all_features};
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

  EditPlan Marks() {
    EditPlan marks;
    for (const Declaration& declaration : ToMark()) {
      const Symbol& symbol = declaration.AsSymbol();
      const SourceFile& file = *declaration.file;
      const auto head =
          absl::string_view(file.text).substr(symbol.begin, symbol.name_begin - symbol.begin);
      may_lose_mark_ = may_lose_mark_ || HasMacroAttribute(head);
      const std::string mark = MarkOf(declaration);
      marks.Edit(file, {symbol.begin, symbol.begin, mark});
      code_.AddMarked(file.path, symbol.begin, symbol.end);
      declarations_.push_back(declaration);
      const TextPlace place = file.PlaceOf(symbol.begin);
      marked_[{file.path, place.line}][place.column] = static_cast<int>(mark.size());
    }
    return marks;
  }

  // The column of the file without the marks.
  int PlainColumn(const Diagnostic& warning) const {
    const auto marks = marked_.find({warning.file, warning.line});
    int column = warning.column;
    if (marks == marked_.end()) return column;
    for (const auto& [mark, size] : marks->second) {
      if (mark < column) column -= size;
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
    if (warning.line < 1) return;
    const auto file = index_->Open(warning.file);
    if (!file.ok()) return;
    const absl::string_view line = (*file)->Line(warning.line);
    const int column = PlainColumn(warning);
    if (column < 1) return;
    const auto line_begin = static_cast<size_t>(line.data() - (*file)->text.data());
    const auto take = [&](size_t begin) {
      const size_t end = begin + plan_.old_name().size();
      // A macro may name symbols of several types there: the build after the rename tells.
      if (WarnedCode::IsInMacro(**file, static_cast<uint32_t>(begin))) {
        unclear_.insert({warning.file, static_cast<uint32_t>(begin)});
        return;
      }
      const CodeRange use{warning.file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
      const bool is_short = absl::StrContains(warning.message, "deprecated field") &&
                            IsShortField((*file)->text, begin, end);
      uses_[use] =
          is_short ? absl::StrCat(plan_.new_name(), ": ", plan_.old_name()) : plan_.new_name();
    };
    const bool is_field = absl::StrContains(warning.message, "deprecated field");
    const size_t at = EndOfPath(line, static_cast<size_t>(column - 1));
    const absl::string_view behind =
        at == absl::string_view::npos
            ? ""
            : absl::StripLeadingAsciiWhitespace(line.substr(at + plan_.old_name().size()));
    // Of `total.total`, the first is the object.
    const bool is_object =
        is_field && !behind.empty() && absl::StrContains(".[(?", behind.substr(0, 1));
    if (at != absl::string_view::npos && !is_object) {
      take(line_begin + at);
      return;
    }
    if (!is_field) return;
    const std::vector<size_t> fields =
        FieldsOfChain((*file)->text, line_begin + static_cast<size_t>(column - 1));
    if (fields.size() == 1) take(fields[0]);
    for (const size_t field : fields) {
      unclear_.insert({warning.file, static_cast<uint32_t>(field)});
    }
  }

  // A warning of a field names the expression from its beginning: `f(a)[0].total`. Where the old
  // name stands as a field in the chain of calls and fields that begins at `at`.
  std::vector<size_t> FieldsOfChain(absl::string_view text, size_t at) const {
    constexpr size_t kMaxChain = 4000;
    std::vector<size_t> found;
    const size_t end = std::min(text.size(), at + kMaxChain);
    int depth = 0;
    for (; at < end; ++at) {
      const char c = text[at];
      if (absl::StrContains("([{", std::string(1, c))) ++depth;
      if (absl::StrContains(")]}", std::string(1, c)) && --depth < 0) return found;
      if (depth > 0 || absl::StrContains(")]}?:<>&*", std::string(1, c))) continue;
      if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
        const size_t next = text.find_first_not_of(" \t\r\n", at);
        if (next == absl::string_view::npos || (text[next] != '.' && text[next] != '{'))
          return found;
        continue;
      }
      if (c == '.') {
        const size_t name = text.find_first_not_of(" \t\r\n", at + 1);
        if (name == absl::string_view::npos) return found;
        size_t behind = name;
        while (behind < text.size() && IsIdentifierByte(text[behind])) ++behind;
        const bool is_call = behind < text.size() && text[behind] == '(';
        if (text.substr(name, behind - name) == plan_.old_name() && !is_call) found.push_back(name);
        if (behind > name) at = behind - 1;
        continue;
      }
      if (!IsIdentifierByte(c)) return found;
    }
    return found;
  }

  // A macro is named with its mark behind it, or by a path.
  bool MayBeMacro(const RenameCandidate& candidate) const {
    if (First().AsSymbol().kind != SymbolKind::kMacro) return true;
    const absl::string_view text = candidate.file->text;
    return absl::StartsWith(text.substr(candidate.occurrence.end), "!") ||
           absl::EndsWith(text.substr(0, candidate.occurrence.begin), "::");
  }

  // The tree knows the type of `self` by its name alone, and `self.total` is a field,
  // `self.total()` a method.
  bool IsOfOwner(const RenameCandidate& candidate) const {
    const Symbol& symbol = First().AsSymbol();
    if (!IsMember(symbol.kind)) return true;
    const absl::string_view text = candidate.file->text;
    const bool is_behind_dot = absl::EndsWith(text.substr(0, candidate.occurrence.begin), ".");
    const absl::string_view behind = text.substr(candidate.occurrence.end);
    const bool is_call = absl::StartsWith(behind, "(") || absl::StartsWith(behind, "::<");
    if (is_behind_dot && is_call != (symbol.kind == SymbolKind::kMethod)) return false;
    return IsOwnersName(plan_.symbol(), LastComponent(symbol.container), *candidate.file);
  }

  // What implements the trait's method for types of others, such as `impl Text for [u8]`.
  void AddImplementations() {
    TraitImpls traits;
    const Resolution& symbol = plan_.symbol();
    const std::string trait = traits.TraitOf(First());
    const auto declares = [&](const Declaration& other) {
      return LastComponent(other.AsSymbol().container) == trait;
    };
    if (trait.empty() ||
        std::count_if(symbol.all.begin(), symbol.all.end(), [&](const auto& other) {
          return other.symbol >= 0 && traits.TraitOf(other) == trait && declares(other);
        }) != 1) {
      return;
    }
    for (const Declaration& other : symbol.all) {
      const bool is_implementation = other.symbol >= 0 && traits.TraitOf(other) == trait;
      const auto end = other.name_begin() + static_cast<uint32_t>(plan_.old_name().size());
      if (is_implementation) {
        found_.edits[{other.file->path, other.name_begin(), end}] = plan_.new_name();
      }
    }
  }

  void Decide() {
    for (const auto& [use, text] : uses_) found_.edits[use] = text;
    AddImplementations();
    for (const Declaration& marked : declarations_) {
      const auto end = marked.name_begin() + static_cast<uint32_t>(plan_.old_name().size());
      found_.edits[{marked.file->path, marked.name_begin(), end}] = plan_.new_name();
    }
    for (const RenameCandidate& candidate : plan_.candidates()) {
      const CodeRange range{candidate.file->path, candidate.occurrence.begin,
                            candidate.occurrence.end};
      const bool is_use = uses_.count(range) > 0;
      const bool is_own = candidate.is_declaration && candidate.is_renamed;
      const bool is_silent = code_.IsSilentAt(*candidate.file, range.begin);
      const bool stands = candidate.is_renamed && candidate.certainty == Certainty::kExact &&
                          MayBeMacro(candidate) && IsOfOwner(candidate);
      const bool is_raw_use = is_use && candidate.occurrence.role == OccurrenceRole::kRaw;
      if (is_use || is_own || (is_silent && stands)) {
        found_.edits[range] =
            is_raw_use ? uses_.at(range) : plan_.ReplacementOf(candidate, plan_.new_name());
        continue;
      }
      const bool is_raw = candidate.occurrence.role == OccurrenceRole::kRaw &&
                          !code_.IsInKnownMacro(*candidate.file, range.begin);
      const bool is_unclear = unclear_.count({range.path, range.begin}) > 0;
      if (!is_silent && !is_raw && !is_unclear && !candidate.is_declaration &&
          !candidate.is_example) {
        found_.others.insert(range);
      }
    }
  }

  const RenamePlan& plan_;
  CodeIndex* const index_;
  // Columns and lengths of marks, by path and line.
  std::map<std::pair<std::string, int>, std::map<int, int>> marked_;
  WarnedCode code_;
  std::vector<Declaration> declarations_;               // that are marked
  bool may_lose_mark_ = false;                          // a macro reads one of them
  std::map<CodeRange, std::string> uses_;               // with what stands there after the rename
  std::set<std::pair<std::string, uint32_t>> unclear_;  // that a warning may be about
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
  STILE_RETURN_IF_ERROR(Unusable(report, before.marked[0].file->path));
  if (before.with_all_features != report.with_all_features) {
    return absl::StrCat("with all features on, `cargo check` passes only ",
                        before.with_all_features ? "before" : "after",
                        " the rename, so uses behind features cannot be compared");
  }
  const auto counts = CountUses(report.warnings, NamesOf(before.marked, new_name));
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
