// The part of ConditionalCoverage that compiles code under its condition.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/conditional_coverage.h"
#include "runtime/coverage/coverage.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Conditions that are asked one by one; more are asked together.
constexpr size_t kMaxGroups = 16;
constexpr size_t kMaxRegionsOfAll = 500;
constexpr size_t kMaxWaysInto = 3;
constexpr size_t kMaxWaysOfRegion = 8;

// The name in "mod fast;" and the last part of that in "#include "fast.h""; "" in other lines.
std::string TakenIn(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (absl::StrContains(line, "mod ") && absl::EndsWith(line, ";")) {
    const absl::string_view name = line.substr(line.find("mod ") + 4);
    return std::string(absl::StripAsciiWhitespace(name.substr(0, name.find(';'))));
  }
  if (absl::ConsumePrefix(&line, "#")) {
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "include")) return "";
    line = absl::StripAsciiWhitespace(line);
    if (line.size() < 3) return "";
    const absl::string_view header = line.substr(1);
    return BaseName(header.substr(0, header.find_first_of("\">")));
  }
  return "";
}

bool HoldsPlace(const std::vector<ConditionalRegion>& regions, const ConditionalRegion& wanted) {
  return std::any_of(regions.begin(), regions.end(), [&](const ConditionalRegion& region) {
    return region.condition_line == wanted.condition_line && region.first_line == wanted.first_line;
  });
}

// Whether `ways[round]` is still to be asked: each way that asks for something else than one that
// passed, as far as no other system is meant.
bool IsOpen(const SwitchedBuild::Answer& answer, const BuildSwitches& passed,
            const BuildSwitches& way, bool is_its_own) {
  if (answer.verdict == SwitchedBuild::Verdict::kUnknown) return true;
  if (answer.verdict == SwitchedBuild::Verdict::kFails || !is_its_own) return false;
  const bool holds_it = std::all_of(passed.begin(), passed.end(), [&way](const BuildSwitch& one) {
    return std::find(way.begin(), way.end(), one) != way.end();
  });
  return !holds_it && std::none_of(way.begin(), way.end(),
                                   [](const BuildSwitch& one) { return one.is_of_system; });
}

bool IsForOtherSystem(const BuildSwitches& switches) {
  return std::any_of(switches.begin(), switches.end(),
                     [](const BuildSwitch& one) { return one.is_of_system; });
}

}  // namespace

// Puts the answers into `regions`. Those of a condition are asked together.
absl::Status ConditionalCoverage::Compile(const CoverageQuestion& question, const Snapshot& now,
                                          std::vector<Silenced>* regions) {
  STILE_RETURN_IF_ERROR(AddWaysIntoFiles(question, now, regions));
  std::set<std::string> first_ways;
  for (const Silenced& one : *regions) {
    if (!one.ways.empty()) first_ways.insert(BuildSwitchText(one.ways.front()));
  }
  if (first_ways.empty()) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const BuildSwitches all, AllSwitches(*question.target, now));
  for (Silenced& one : *regions) {
    if (one.ways.empty()) continue;
    if (first_ways.size() > kMaxGroups) one.ways.clear();
    one.own_ways = one.ways.size();
    // A condition can stand in a file that another one takes in.
    const bool is_new = std::find(one.ways.begin(), one.ways.end(), all) == one.ways.end();
    if (is_new && !all.empty()) one.ways.push_back(all);
  }
  for (size_t round = 0;; ++round) {
    std::map<std::string, std::pair<BuildSwitches, std::vector<Silenced*>>> groups;
    for (Silenced& one : *regions) {
      if (round >= one.ways.size() ||
          !IsOpen(one.answer, one.passed, one.ways[round], round < one.own_ways)) {
        continue;
      }
      one.asked = round + 1;
      auto& group = groups[BuildSwitchText(one.ways[round])];
      group.first = one.ways[round];
      group.second.push_back(&one);
    }
    if (groups.empty()) return absl::OkStatus();
    for (const auto& [text, group] : groups) {
      STILE_RETURN_IF_ERROR(CompileUnder(question, now, group.first, group.second));
    }
  }
}

absl::Status ConditionalCoverage::CompileUnder(const CoverageQuestion& question,
                                               const Snapshot& now, const BuildSwitches& switches,
                                               const std::vector<Silenced*>& group) {
  STILE_ASSIGN_OR_RETURN(const SwitchedBuild::Answer answer, AskUnder(question, now, switches));
  Regions probed;
  for (Silenced* one : group) {
    const bool has_passed = one->answer.verdict == SwitchedBuild::Verdict::kPasses;
    if (has_passed && answer.verdict != SwitchedBuild::Verdict::kFails) continue;
    if (one->tried.empty() || answer.verdict != SwitchedBuild::Verdict::kUnknown) {
      one->tried = BuildSwitchText(switches);
      one->answer.words = answer.words;
      one->answer.is_as_before = answer.is_as_before;
    }
    // Switches that it does not ask for may not go together.
    const bool is_its_own = answer.file == one->path && one->region.first_line <= answer.line &&
                            answer.line <= one->region.last_line;
    if (answer.verdict == SwitchedBuild::Verdict::kFails && !IsForOtherSystem(switches) &&
        (is_its_own || one->asked <= one->own_ways)) {
      one->answer = answer;
    }
    probed[one->path].push_back(one->region);
  }
  if (answer.verdict != SwitchedBuild::Verdict::kPasses) return absl::OkStatus();
  WorkspaceContent present(context_.file_system, context_.workspace);
  STILE_ASSIGN_OR_RETURN(const Regions silent,
                         Silent(*question.target, now, &present, std::move(probed), &switches));
  for (Silenced* one : group) {
    if (silent.count(one->path) > 0 && HoldsPlace(silent.at(one->path), one->region)) continue;
    if (one->answer.verdict == SwitchedBuild::Verdict::kPasses) continue;
    one->answer = answer;
    one->tried = BuildSwitchText(switches);
    one->passed = switches;
  }
  return absl::OkStatus();
}

// The texts of code files that the region names as modules or headers.
absl::StatusOr<std::string> ConditionalCoverage::TextTakenIn(const Target& target,
                                                             const Snapshot& now,
                                                             const ConditionalRegion& region,
                                                             absl::string_view text) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  std::set<std::string> names;
  for (int line = region.first_line; line <= region.last_line; ++line) {
    if (line >= 1 && line <= static_cast<int>(lines.size())) {
      names.insert(TakenIn(lines[static_cast<size_t>(line) - 1]));
    }
  }
  names.erase("");
  std::string all;
  if (names.empty()) return all;
  WorkspaceContent present(context_.file_system, context_.workspace);
  for (const std::string& path : target.code_files) {
    const std::string name = BaseName(path);
    const FileRecord* file = now.Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular ||
        (names.count(name) == 0 && names.count(name.substr(0, name.find('.'))) == 0 &&
         names.count(BaseName(DirName(path))) == 0)) {
      continue;
    }
    STILE_ASSIGN_OR_RETURN(const std::string taken, present.Read(*file));
    absl::StrAppend(&all, taken, "\n");
  }
  return all;
}

// Code of a file that the build leaves out needs the switches that take the file in, too.
absl::Status ConditionalCoverage::AddWaysIntoFiles(const CoverageQuestion& question,
                                                   const Snapshot& now,
                                                   std::vector<Silenced>* regions) {
  std::map<std::string, std::vector<BuildSwitches>> known;
  for (Silenced& one : *regions) {
    if (one.lost || one.same || one.region.constant) continue;
    const auto [into, is_new] = known.try_emplace(one.path);
    if (is_new) {
      STILE_ASSIGN_OR_RETURN(into->second, WaysInto(*question.target, now, one.path));
    }
    const std::vector<BuildSwitches> own =
        one.ways.empty() ? std::vector<BuildSwitches>(1) : one.ways;
    for (const BuildSwitches& way : into->second) {
      for (const BuildSwitches& itself : own) {
        auto both = JoinSwitches(itself, way);
        if (!both.has_value() || one.ways.size() >= kMaxWaysOfRegion ||
            std::find(one.ways.begin(), one.ways.end(), *both) != one.ways.end()) {
          continue;
        }
        one.ways.push_back(*std::move(both));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<SwitchedBuild::Answer> ConditionalCoverage::AskUnder(
    const CoverageQuestion& question, const Snapshot& now, const BuildSwitches& switches) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  SwitchedBuild::Question asked;
  asked.target = question.target;
  asked.now = {&now, &present};
  asked.fingerprint = ContentFingerprint(question.target->inputs);
  asked.before = question.before;
  asked.old = {reference_, old_content_};
  return switched_.Ask(asked, switches);
}

// All that the conditions of a target set, as far as they agree; what they take away left out.
absl::StatusOr<BuildSwitches> ConditionalCoverage::AllSwitches(const Target& target,
                                                               const Snapshot& now) {
  WorkspaceContent present(context_.file_system, context_.workspace);
  BuildSwitches all;
  size_t asked = 0;
  for (const std::string& path : target.code_files) {
    const FileRecord* file = now.Find(path);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*file));
    for (const ConditionalRegion& region : finder_->Find(path, text)) {
      if (region.constant || region.holds.empty()) continue;
      if (++asked > kMaxRegionsOfAll) return all;
      for (const BuildSwitches& way : finder_->Ways(path, text, region)) {
        const bool only_sets = std::all_of(
            way.begin(), way.end(), [](const BuildSwitch& one) { return one.value.has_value(); });
        if (only_sets) all = JoinSwitches(all, way).value_or(all);
        break;
      }
    }
  }
  return all;
}

absl::StatusOr<std::vector<BuildSwitches>> ConditionalCoverage::WaysInto(const Target& target,
                                                                         const Snapshot& now,
                                                                         const std::string& path) {
  std::vector<BuildSwitches> ways;
  if (finder_ == nullptr || target.validator->canary() != CanaryKind::kMeaning) return ways;
  const std::string name = BaseName(path);
  const std::set<std::string> names = {name, name.substr(0, name.find('.')),
                                       BaseName(DirName(path))};
  WorkspaceContent present(context_.file_system, context_.workspace);
  const FileRecord* itself = now.Find(path);
  if (itself != nullptr && itself->kind == FileRecord::Kind::kRegular) {
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*itself));
    ways = finder_->WaysIntoFile(path, text);
  }
  bool takes_in_any = false;
  for (const std::string& other : target.code_files) {
    const FileRecord* file = now.Find(other);
    if (file == nullptr || file->kind != FileRecord::Kind::kRegular) continue;
    STILE_ASSIGN_OR_RETURN(const std::string text, present.Read(*file));
    const std::vector<absl::string_view> lines = SplitLines(text);
    for (const ConditionalRegion& region : finder_->Find(other, text)) {
      if (region.constant || region.holds.empty()) continue;
      bool takes_it_in = false;
      for (int line = region.first_line; line <= region.last_line; ++line) {
        if (line < 1 || line > static_cast<int>(lines.size())) continue;
        const absl::string_view of_region =
            absl::StripAsciiWhitespace(lines[static_cast<size_t>(line) - 1]);
        const std::string taken = TakenIn(of_region);
        takes_in_any = takes_in_any || (!taken.empty() && absl::EndsWith(of_region, ";"));
        takes_it_in = takes_it_in || names.count(taken) > 0;
      }
      if (!takes_it_in) continue;
      for (BuildSwitches& way : finder_->Ways(other, text, region)) {
        const bool is_new = std::find(ways.begin(), ways.end(), way) == ways.end();
        if (is_new && ways.size() < kMaxWaysInto) ways.push_back(std::move(way));
      }
    }
  }
  if (!takes_in_any) return ways;
  STILE_ASSIGN_OR_RETURN(BuildSwitches all, AllSwitches(target, now));
  if (!all.empty() && std::find(ways.begin(), ways.end(), all) == ways.end()) {
    ways.push_back(std::move(all));
  }
  return ways;
}

}  // namespace stile
