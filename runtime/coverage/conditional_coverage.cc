#include "runtime/coverage/conditional_coverage.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/coverage.h"

namespace stile {
namespace {

// An error in one file can keep others from being compiled.
constexpr int kMaxProbes = 40;
constexpr size_t kMaxRegions = 5000;
constexpr size_t kMaxBytesSearched = size_t{32} << 20;  // of code, for names

using RegionsByPath = std::map<std::string, std::vector<ConditionalRegion>>;

struct LineRange {
  int first = 1;
  int last = 0;  // below `first`: empty
};

// The lines of `after` from the first to the last that differ; whole where there was nothing.
LineRange ChangedLines(absl::string_view before, absl::string_view after) {
  const std::vector<absl::string_view> a = SplitLines(before);
  const std::vector<absl::string_view> b = SplitLines(after);
  size_t start = 0;
  while (start < a.size() && start < b.size() && a[start] == b[start]) ++start;
  size_t end = 0;
  while (end < a.size() - start && end < b.size() - start &&
         a[a.size() - 1 - end] == b[b.size() - 1 - end]) {
    ++end;
  }
  // Where lines were only taken out, the one behind the place stands for them.
  const int first = static_cast<int>(start) + 1;
  return {first, std::max(first, static_cast<int>(b.size() - end))};
}

// A line put into a text, and where it is then.
struct PlantedLine {
  int before_line = 0;
  std::string text;
  int place = 0;
};

std::string Plant(absl::string_view text, std::vector<PlantedLine*> plants) {
  std::stable_sort(plants.begin(), plants.end(), [](const PlantedLine* a, const PlantedLine* b) {
    return a->before_line < b->before_line;
  });
  const std::vector<absl::string_view> lines = SplitLines(text);
  std::string planted;
  int place = 0;
  size_t next = 0;
  for (size_t line = 1; line <= lines.size() + 1; ++line) {
    for (; next < plants.size() && plants[next]->before_line <= static_cast<int>(line); ++next) {
      absl::StrAppend(&planted, plants[next]->text, "\n");
      plants[next]->place = ++place;
    }
    if (line > lines.size()) break;
    absl::StrAppend(&planted, lines[line - 1], "\n");
    ++place;
  }
  return planted;
}

bool IsReportedAt(const ValidationResult& result, const std::string& path, int line) {
  return std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                     [&](const Diagnostic& diagnostic) {
                       return diagnostic.severity == Severity::kError && diagnostic.file == path &&
                              diagnostic.line == line;
                     });
}

size_t CountRegions(const RegionsByPath& regions) {
  size_t count = 0;
  for (const auto& [path, list] : regions) count += list.size();
  return count;
}

bool IsInside(const ConditionalRegion& region, const ConditionalRegion& outer) {
  return outer.first_line <= region.condition_line && region.last_line <= outer.last_line;
}

// A line without its blanks; "" where nothing but punctuation is in it.
std::string Substance(absl::string_view line) {
  std::string kept(line);
  kept.erase(std::remove_if(kept.begin(), kept.end(), absl::ascii_isspace), kept.end());
  const bool says_something =
      std::any_of(kept.begin(), kept.end(), [](char c) { return absl::ascii_isalnum(c) != 0; });
  return says_something ? kept : "";
}

// The rest of a refusal: how a person can compile it.
std::string Advice(const std::string& path, const ConditionalRegion& region,
                   const std::string& switches, const std::string& words) {
  if (region.constant) return "";
  const std::string allow =
      absl::StrCat(", and --allow uncovered=", ToUtf8(path), " accepts it unseen");
  if (switches.empty()) {
    return absl::StrCat("; it is for another system or compiler: a person can build it there",
                        allow);
  }
  return absl::StrCat("; it could not be compiled here with ", switches,
                      words.empty() ? "" : absl::StrCat(" (", words, ")"),
                      ": a person can build it so where that is possible", allow);
}

// What makes two regions the same wherever they stand.
std::string ConditionsAndCode(const ConditionalRegion& region) {
  return absl::StrCat(region.condition, "\n", absl::StrJoin(region.holds, "\n"), "\n\n",
                      region.code);
}

// The first of the names in the code of a region; "" if there is none.
std::string NameUsedBy(const ConditionalRegion& region, const std::map<std::string, bool>& names) {
  std::string word;
  for (const char c : absl::StrCat(region.code, " ", region.code_taken_in, " ")) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word.push_back(c);
    } else if (!word.empty()) {
      if (names.count(word) > 0) return word;
      word.clear();
    }
  }
  return "";
}

// How often lines of one substance stand in a text, within the regions and outside all of them.
struct LineUse {
  std::map<std::string, int> inside;
  std::map<std::string, int> outside;
};

LineUse UseOfLines(absl::string_view text, const std::vector<ConditionalRegion>& regions) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  std::vector<bool> is_inside(lines.size() + 1);
  for (const ConditionalRegion& region : regions) {
    for (int line = region.first_line; line <= region.last_line; ++line) {
      if (line <= static_cast<int>(lines.size())) is_inside[static_cast<size_t>(line)] = true;
    }
  }
  LineUse use;
  for (size_t i = 0; i < lines.size(); ++i) {
    ++(is_inside[i + 1] ? use.inside : use.outside)[Substance(lines[i])];
  }
  return use;
}

// Whether a region that is not looked at holds what stood, before, where it was.
bool TookFromChecked(const ConditionalRegion& region, absl::string_view text, LineUse before,
                     LineUse now) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  for (int line = region.first_line; line <= region.last_line; ++line) {
    if (line < 1 || line > static_cast<int>(lines.size())) continue;
    const std::string substance = Substance(lines[static_cast<size_t>(line) - 1]);
    if (!substance.empty() && now.inside[substance] > before.inside[substance] &&
        now.outside[substance] < before.outside[substance]) {
      return true;
    }
  }
  return false;
}

bool HoldsCondition(const RegionsByPath& regions, const std::string& path,
                    const std::string& condition) {
  const auto list = regions.find(path);
  return list != regions.end() && std::any_of(list->second.begin(), list->second.end(),
                                              [&](const ConditionalRegion& region) {
                                                return region.condition == condition;
                                              });
}

bool HoldsAt(const RegionsByPath& regions, const std::string& path,
             const ConditionalRegion& wanted) {
  const auto list = regions.find(path);
  return list != regions.end() &&
         std::any_of(list->second.begin(), list->second.end(),
                     [&](const ConditionalRegion& region) {
                       return region.condition_line == wanted.condition_line &&
                              region.first_line == wanted.first_line;
                     });
}

}  // namespace

ConditionalCoverage::ConditionalCoverage(ScratchContext context, const ConditionFinder* finder,
                                         const Snapshot* reference, BaselineContent* old_content)
    : context_(std::move(context)),
      finder_(finder),
      switched_(context_, finder),
      reference_(reference),
      old_content_(old_content) {}

absl::StatusOr<ConditionalCoverage::Regions> ConditionalCoverage::RegionsToAsk(
    const CoverageQuestion& question, const Snapshot& now, std::string* too_many) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  std::set<std::string> paths = question.changed;
  if (question.build_files_changed && question.before != nullptr) {
    paths.insert(question.before->code_files.begin(), question.before->code_files.end());
  }
  Regions regions;
  size_t count = 0;
  for (const std::string& path : paths) {
    const FileRecord* file = now.Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*file));
    std::vector<ConditionalRegion> found = finder_->Find(path, text);
    if (found.empty()) continue;
    const FileRecord* old = reference_->Find(path);
    std::string before;
    if (old != nullptr) {
      STILE_ASSIGN_OR_RETURN(before, old_content_->Read(*old));
    }
    const LineRange changed = before == text ? LineRange() : ChangedLines(before, text);
    for (ConditionalRegion& region : found) {
      const bool touched =
          region.condition_line <= changed.last && changed.first <= region.last_line;
      if (!touched && !question.build_files_changed) continue;
      if (++count > kMaxRegions) {
        *too_many = path;
        return regions;
      }
      regions[path].push_back(std::move(region));
    }
  }
  STILE_ASSIGN_OR_RETURN(changed_names_, FindChangedNames(question, now));
  if (changed_names_.empty()) return regions;
  for (auto& [path, list] : regions) {
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*now.Find(path)));
    for (ConditionalRegion& region : list) {
      STILE_ASSIGN_OR_RETURN(region.code_taken_in,
                             TextTakenIn(*question.target, now, region, text));
    }
  }
  STILE_RETURN_IF_ERROR(AddRegionsThatUse(changed_names_, question, now, &regions));
  return regions;
}

absl::StatusOr<ConditionalCoverage::ChangedNames> ConditionalCoverage::FindChangedNames(
    const CoverageQuestion& question, const Snapshot& now) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  std::set<std::string> paths = question.changed;
  if (question.before != nullptr) {
    for (const std::string& path : question.before->code_files) {
      if (!now.Contains(path)) paths.insert(path);
    }
  }
  Declarations before;
  Declarations after;
  for (const std::string& path : paths) {
    const FileRecord* old = reference_->Find(path);
    const FileRecord* file = now.Find(path);
    if (old != nullptr && old->kind == FileRecord::Kind::kRegular) {
      STILE_ASSIGN_OR_RETURN(const std::string text, old_content_->Read(*old));
      before.merge(finder_->Declared(path, text));
    }
    if (file != nullptr && file->kind == FileRecord::Kind::kRegular) {
      STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*file));
      after.merge(finder_->Declared(path, text));
    }
  }
  ChangedNames names;
  for (const auto& one : before) {
    if (after.count(one) > 0) continue;
    const auto other = after.lower_bound({one.first, ""});
    names[one.first] = other == after.end() || other->first != one.first;
  }
  return names;
}

// Whether code of the target declares the name now.
absl::StatusOr<bool> ConditionalCoverage::IsDeclared(const CoverageQuestion& question,
                                                     const Snapshot& now, const std::string& name) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  for (const std::string& path : question.target->code_files) {
    const FileRecord* file = now.Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*file));
    if (!absl::StrContains(text, name)) continue;
    const Declarations declared = finder_->Declared(path, text);
    const auto found = declared.lower_bound({name, ""});
    if (found != declared.end() && found->first == name) return true;
  }
  return false;
}

absl::Status ConditionalCoverage::AddRegionsThatUse(const ChangedNames& names,
                                                    const CoverageQuestion& question,
                                                    const Snapshot& now, Regions* regions) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  size_t bytes = 0;
  for (const std::string& path : question.target->code_files) {
    const FileRecord* file = now.Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular) continue;
    bytes += static_cast<size_t>(file->size);
    if (bytes > kMaxBytesSearched) break;
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*file));
    for (ConditionalRegion& region : finder_->Find(path, text)) {
      if (region.holds.empty() || region.is_guard || HoldsAt(*regions, path, region)) continue;
      STILE_ASSIGN_OR_RETURN(region.code_taken_in,
                             TextTakenIn(*question.target, now, region, text));
      if (NameUsedBy(region, names).empty()) continue;
      (*regions)[path].push_back(std::move(region));
      if (CountRegions(*regions) > kMaxRegions) return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

// Those of `regions` in which the judge does not report an error planted there.
absl::StatusOr<ConditionalCoverage::Regions> ConditionalCoverage::Silent(
    const Target& target, const Snapshot& content, BaselineContent* source, Regions regions,
    const BuildSwitches* switches) {
  for (int probe = 0; probe < kMaxProbes && !regions.empty(); ++probe) {
    const size_t before = CountRegions(regions);
    struct Planted {
      PlantedLine inside;
      PlantedLine beside;
    };
    std::map<std::string, std::vector<Planted>> places;
    std::map<std::string, std::string> texts;
    for (const auto& [path, list] : regions) {
      const FileRecord* file = content.Find(path);
      if (file == nullptr) continue;
      STILE_ASSIGN_OR_RETURN(const std::string text, source->Read(*file));
      std::vector<Planted>& planted = places[path];
      std::vector<PlantedLine*> lines;
      planted.reserve(list.size());
      for (const ConditionalRegion& region : list) {
        planted.push_back(
            {{region.plant_before, region.planted, 0}, {region.beside_before, region.beside, 0}});
        lines.push_back(&planted.back().inside);
        if (region.beside_before > 0) lines.push_back(&planted.back().beside);
      }
      texts[path] = Plant(text, std::move(lines));
    }
    ValidationResult result;
    if (switches != nullptr) {
      STILE_ASSIGN_OR_RETURN(
          result, switched_.Run(target, {&content, source}, *switches, std::move(texts)));
    } else {
      ContentOverlay overlay(source, &texts);
      ++experiments_;
      STILE_ASSIGN_OR_RETURN(
          result, ValidateCopy(context_, *target.validator, target.project, content, &overlay));
    }
    Regions open;
    for (const auto& [path, list] : regions) {
      for (size_t i = 0; i < list.size() && places.count(path) > 0; ++i) {
        const Planted& planted = places[path][i];
        if (IsReportedAt(result, path, planted.inside.place)) continue;
        if (list[i].beside_before > 0 && !IsReportedAt(result, path, planted.beside.place))
          continue;
        open[path].push_back(list[i]);
      }
    }
    regions = std::move(open);
    if (CountRegions(regions) == before) break;  // nothing that was in the way is gone
  }
  return regions;
}

// What the run found in the same files, and what was like the silent regions in others that changed
// or are gone: code that moved along with its condition.
absl::StatusOr<ConditionalCoverage::Regions> ConditionalCoverage::RegionsBefore(
    const CoverageQuestion& question, const Snapshot& now, const Regions& silent,
    Texts* texts_before) {
  Regions old;
  if (question.before == nullptr || question.before->validator == nullptr) return old;
  std::set<std::string> wanted;
  for (const auto& [path, list] : silent) {
    for (const ConditionalRegion& region : list) {
      wanted.insert(ConditionsAndCode(region));
    }
  }
  std::set<std::string> paths;
  for (const std::string& path : question.before->code_files) {
    if (question.changed.count(path) > 0 || !now.Contains(path)) paths.insert(path);
  }
  for (const auto& [path, list] : silent) paths.insert(path);
  for (const std::string& path : paths) {
    const FileRecord* file = reference_->Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text, old_content_->Read(*file));
    const bool same_file = silent.count(path) > 0;
    for (ConditionalRegion& region : finder_->Find(path, text)) {
      if (same_file || wanted.count(ConditionsAndCode(region)) > 0) {
        old[path].push_back(std::move(region));
      }
    }
    (*texts_before)[path] = text;
  }
  return old;
}

// `asked`: those among which the silent ones were found.
absl::StatusOr<ConditionalCoverage::Finding> ConditionalCoverage::Explain(
    const CoverageQuestion& question, const Snapshot& now, const Regions& asked,
    const Regions& silent) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  Texts texts_now;
  Texts texts_before;
  Regions others;  // of the same files
  for (const auto& [path, list] : silent) {
    STILE_ASSIGN_OR_RETURN(texts_now[path], present.Read(*now.Find(path)));
    for (ConditionalRegion& region : finder_->Find(path, texts_now[path])) {
      if (!HoldsAt(asked, path, region)) others[path].push_back(std::move(region));
    }
  }
  STILE_ASSIGN_OR_RETURN(const Regions old, RegionsBefore(question, now, silent, &texts_before));
  Regions off_before;
  Regions off_now = silent;
  if (!old.empty()) {
    STILE_ASSIGN_OR_RETURN(off_before, Silent(*question.before, *reference_, old_content_, old));
  }
  if (!off_before.empty() && !others.empty()) {
    STILE_ASSIGN_OR_RETURN(const Regions more, Silent(*question.target, now, &present, others));
    for (const auto& [path, list] : more) {
      off_now[path].insert(off_now[path].end(), list.begin(), list.end());
    }
  }
  std::map<std::string, std::set<std::string>> unchanged;  // paths by conditions and code
  for (const auto& [path, list] : off_before) {
    for (const ConditionalRegion& region : list) unchanged[ConditionsAndCode(region)].insert(path);
  }
  std::vector<Silenced> regions;
  for (const auto& [path, list] : silent) {
    const std::string& text = texts_now.at(path);
    const LineUse use_now = UseOfLines(text, off_now[path]);
    const LineUse use_before = UseOfLines(texts_before[path], off_before[path]);
    for (const ConditionalRegion& region : list) {
      Silenced one;
      one.path = path;
      one.region = region;
      one.was_off = HoldsCondition(off_before, path, region.condition);
      one.lost = !region.is_attribute && TookFromChecked(region, text, use_before, use_now);
      const auto as_it_was = unchanged.find(ConditionsAndCode(region));
      if (!one.lost && as_it_was != unchanged.end()) {
        one.uses = NameUsedBy(region, changed_names_);
        if (!one.uses.empty() && changed_names_.at(one.uses)) {
          STILE_ASSIGN_OR_RETURN(const bool is_left, IsDeclared(question, now, one.uses));
          one.uses_gone = !is_left;
        }
        one.same = one.uses.empty() && as_it_was->second.count(path) > 0;
        one.moved = one.uses.empty() && !one.same;
      }
      if (!one.lost && !one.same && !region.constant) one.ways = finder_->Ways(path, text, region);
      regions.push_back(std::move(one));
    }
  }
  STILE_RETURN_IF_ERROR(Compile(question, now, &regions));
  return Judged(question, regions, old);
}

// Which of them keep the gate shut, the first one of each file.
ConditionalCoverage::Finding ConditionalCoverage::Judged(const CoverageQuestion& question,
                                                         const std::vector<Silenced>& regions,
                                                         const Regions& old) const {
  Finding finding;
  std::map<std::string, std::string>& gaps = finding.gaps;
  std::map<std::string, std::vector<const ConditionalRegion*>> settled;  // with all inside them
  for (const Silenced& one : regions) {
    const auto& [path, region] = std::tie(one.path, one.region);
    std::vector<const ConditionalRegion*>& outer = settled[path];
    const bool inside = std::any_of(outer.begin(), outer.end(), [&](const ConditionalRegion* o) {
      return IsInside(one.region, *o);
    });
    if (inside || gaps.count(path) > 0) continue;
    const std::string code =
        absl::StrCat("the code under '", region.condition, "' (line ", region.condition_line, ") ");
    const bool asked = !one.lost && !region.constant;
    const bool is_unknown = asked && one.answer.verdict == SwitchedBuild::Verdict::kUnknown;
    const bool is_old = one.moved || !one.uses.empty() ||
                        (one.was_off && (one.region.holds.empty() || one.answer.is_as_before));
    // Old errors hide what they hide: only a new one tells something.
    const bool is_left =
        question.excused_errors && (!asked || one.answer.verdict != SwitchedBuild::Verdict::kFails);
    if (one.same || is_left ||
        (is_unknown && (region.is_attribute || (is_old && !one.uses_gone)))) {
      outer.push_back(&one.region);
    } else if (is_unknown && one.uses_gone) {
      gaps[path] = absl::StrCat(code, "uses '", one.uses, "', which this run removed",
                                Advice(path, one.region, one.tried, one.answer.words));
    } else if (asked && one.answer.verdict == SwitchedBuild::Verdict::kPasses) {
      finding.compiled.insert(absl::StrCat(ToUtf8(path), ": ", one.tried));
    } else if (asked && one.answer.verdict == SwitchedBuild::Verdict::kFails) {
      gaps[path] = absl::StrCat(code, "does not compile where the condition holds (", one.tried,
                                "): ", one.answer.words);
    } else if (one.lost || (!one.was_off && HoldsCondition(old, path, region.condition))) {
      gaps[path] =
          absl::StrCat(code, "was checked before this run and is not any more; turn it on again");
    } else {
      gaps[path] = absl::StrCat(code, "is not checked by this build; build it, or take it out",
                                Advice(path, one.region, one.tried, one.answer.words));
    }
  }
  return finding;
}

absl::StatusOr<ConditionalCoverage::Finding> ConditionalCoverage::Gaps(
    const CoverageQuestion& question, const Snapshot& now) {
  // Judges of syntax report nothing of what stands under a condition that they do not evaluate.
  if (finder_ == nullptr || question.target->validator->canary() != CanaryKind::kMeaning) {
    return Finding();
  }
  std::string too_many;
  STILE_ASSIGN_OR_RETURN(const Regions regions, RegionsToAsk(question, now, &too_many));
  if (!too_many.empty()) {
    Finding finding;
    finding.gaps[too_many] = absl::StrCat("the changed code stands under more than ", kMaxRegions,
                                          " conditions, more than can be asked after");
    return finding;
  }
  if (regions.empty()) return Finding();
  const std::string fingerprint = absl::StrCat(question.target->key, " ", question.excused_errors,
                                               " ", ContentFingerprint(question.target->inputs));
  const auto known = known_.find(fingerprint);
  if (known != known_.end()) return known->second;
  WorkspaceContent present(context_.file_system, context_.workspace);
  STILE_ASSIGN_OR_RETURN(const Regions silent, Silent(*question.target, now, &present, regions));
  Finding finding;
  if (!silent.empty()) {
    STILE_ASSIGN_OR_RETURN(finding, Explain(question, now, regions, silent));
  }
  return known_[fingerprint] = std::move(finding);
}

}  // namespace stile
