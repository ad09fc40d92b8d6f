#include "runtime/verify/verify_prompt.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/sha256.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxShownBytes = 240'000;

struct ShownFile {
  VerifyFile* file;
  std::string text;  // with numbered lines
  int rank = 0;      // the lowest first
};

std::string Numbered(const std::string& path, absl::string_view text) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  std::string shown = absl::StrCat("### ", path, " (", Count(lines.size(), "line"), ")\n");
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StrAppendFormat(&shown, "%4d | %s\n", i + 1, lines[i]);
  }
  return ToUtf8(shown);
}

// Reads all files that can be shown.
std::vector<ShownFile> ReadFiles(const ReviewedCode& code, VerifyState* state) {
  RefreshFiles(code, state);
  std::vector<ShownFile> files;
  for (VerifyFile& file : state->files) {
    const auto text = code.read(file.path);
    if (text.ok()) files.push_back({&file, Numbered(file.path, *text)});
  }
  return files;
}

bool IsExamined(const VerifyFile& file) {
  return file.examined.size() == std::size(kIssueCategories);
}

void RankForVerifier(std::vector<ShownFile>* files) {
  for (ShownFile& shown : *files) {
    if (shown.file->is_discovered) {
      shown.rank = 1;
    } else {
      shown.rank = IsExamined(*shown.file) ? 2 : 0;
    }
  }
}

void RankForCritic(const VerifyState& state, std::vector<ShownFile>* files) {
  std::set<std::string> to_judge;
  for (const VerifyIssue& issue : state.issues) {
    if (issue.is_open_to_critic()) to_judge.insert(issue.place.file);
  }
  for (ShownFile& shown : *files) {
    if (to_judge.count(shown.file->path) > 0) {
      shown.rank = 0;
    } else {
      shown.rank = shown.file->is_discovered ? 1 : 2;
    }
  }
}

std::string LineOf(const VerifyIssue& issue) {
  std::string line = absl::StrCat(
      issue.id, " ", IssueSeverityName(issue.severity), " ", IssueCategoryName(issue.category), " ",
      IssueStatusName(issue.status), " ", IssuePlaceText(issue.place), ": ", issue.summary);
  if (issue.critic_verdict.has_value()) {
    absl::StrAppend(&line, " (critic: ", CriticVerdictName(*issue.critic_verdict), ": ",
                    issue.critic_reasoning, ")");
  }
  return line;
}

std::string InFull(const VerifyIssue& issue) {
  return absl::StrCat("### ", issue.id, "\nCategory: ", IssueCategoryName(issue.category),
                      "\nSeverity: ", IssueSeverityName(issue.severity),
                      "\nSummary: ", issue.summary, "\nLocation: ", IssuePlaceText(issue.place),
                      "\nDescription: ", issue.description, "\nEvidence:\n", issue.evidence, "\n");
}

std::string Listed(const std::vector<std::string>& lines) {
  return lines.empty() ? "(none)" : absl::StrCat("- ", absl::StrJoin(lines, "\n- "));
}

// What was not taken of the last reply of the same role.
std::vector<std::string> LastRejected(const VerifyState& state, ReviewRole role) {
  for (auto round = state.rounds.rbegin(); round != state.rounds.rend(); ++round) {
    if (round->role == role) return round->rejected;
  }
  return {};
}

}  // namespace

void RefreshFiles(const ReviewedCode& code, VerifyState* state) {
  const auto is_gone = [&](VerifyFile& file) {
    const auto text = code.read(file.path);
    if (absl::IsNotFound(text.status())) return true;
    const std::string sha256 = text.ok() ? Sha256Hex(*text) : "";
    if (file.sha256 != sha256 || !text.ok()) file.examined.clear();
    file.sha256 = sha256;
    return false;
  };
  state->files.erase(std::remove_if(state->files.begin(), state->files.end(), is_gone),
                     state->files.end());
}

std::map<std::string, std::string> FillRound(const ReviewedCode& code, VerifyState* state,
                                             VerifyRound* round) {
  std::vector<ShownFile> files = ReadFiles(code, state);
  if (round->role == ReviewRole::kVerifier) {
    RankForVerifier(&files);
  } else {
    RankForCritic(*state, &files);
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const ShownFile& a, const ShownFile& b) { return a.rank < b.rank; });
  std::string shown;
  std::vector<std::string> others;
  for (const ShownFile& file : files) {
    if (!round->context.empty() && shown.size() + file.text.size() > kMaxShownBytes) {
      others.push_back(file.file->path);
      continue;
    }
    absl::StrAppend(&shown, file.text, "\n");
    round->context.push_back(file.file->path);
  }
  std::vector<std::string> targets;
  for (const VerifyFile& file : state->files) {
    if (!file.is_discovered) targets.push_back(file.path);
  }
  std::vector<std::string> issues;
  std::string open;
  for (const VerifyIssue& issue : state->issues) {
    issues.push_back(LineOf(issue));
    if (issue.is_open_to_critic()) absl::StrAppend(&open, InFull(issue), "\n");
  }
  std::vector<std::string> rounds;
  for (const VerifyRound& earlier : state->rounds) rounds.push_back(SummaryOf(earlier));
  std::map<std::string, std::string> holes = {
      {"round", absl::StrCat(round->number)},
      {"max_rounds", absl::StrCat(state->options.max_rounds)},
      {"requirements", state->requirements.empty() ? "(none given)" : state->requirements},
      {"files", std::move(shown)},
      {"other_files", Listed(others)},
      {"previous_rounds", Listed(rounds)},
      {"rejected", Listed(LastRejected(*state, round->role))},
      {"issues", Listed(issues)}};
  if (round->role == ReviewRole::kVerifier) {
    holes["target_files"] = Listed(targets);
  } else {
    holes["open_issues"] = std::move(open);
  }
  return holes;
}

std::string SummaryOf(const VerifyRound& round) {
  return absl::StrCat(ReviewRoleName(round.role), " round ", round.number, ": ",
                      Count(round.issues_raised.size(), "issue"), " raised, ",
                      round.issues_resolved.size(), " resolved");
}

}  // namespace stile
