// The part of the gate that answers tools which try edits out.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/gate.h"

namespace stile {
namespace {

bool KnowsMeanings(const Target& target) {
  return target.level == Level::kBuild && target.validator != nullptr &&
         target.validator->canary() == CanaryKind::kMeaning;
}

bool IsAnswer(const ValidationResult& result) {
  return result.verdict == Verdict::kPass || result.verdict == Verdict::kFlakyPass ||
         (result.verdict == Verdict::kFail && CountErrors(result.diagnostics) > 0);
}

// Whether the path is a file that the target compiles, or one that says how. A build file has no
// names: whether the project builds with it is all that there is to ask.
bool Builds(const Target& target, const std::string& path, const LanguageRegistry& languages) {
  const std::vector<std::string>& files = target.project.files;
  return std::binary_search(target.code_files.begin(), target.code_files.end(), path) ||
         (languages.OfFile(path) == nullptr &&
          std::binary_search(files.begin(), files.end(), path));
}

std::string WhyNoAnswer(const Target& target, const ValidationResult& result) {
  std::string why = absl::StrCat(target.validator->id(), " in ", ToUtf8(target.project.root), ": ",
                                 VerdictName(result.verdict));
  for (const std::string& words : {ToUtf8(result.message), result.toolchain.install_hint}) {
    if (!absl::StrContains(why, words)) absl::StrAppend(&why, ": ", words);
  }
  return why;
}

}  // namespace

absl::StatusOr<ProbeReport> Gate::Probe(const std::vector<std::string>& paths) {
  STILE_RETURN_IF_ERROR(Refresh().status());
  ProbeReport report;
  struct Asked {
    Target target;  // a copy: the map is rebuilt while validators run
    bool builds_them = false;
  };
  std::vector<Asked> asked;
  std::set<std::string> covered;
  for (const Target& target : map_.targets()) {
    if (!KnowsMeanings(target)) continue;
    bool concerned = false;
    bool builds_them = false;
    for (const std::string& path : paths) {
      if (target.inputs.count(path) == 0) continue;
      concerned = true;
      if (!Builds(target, path, *options_.languages)) continue;
      covered.insert(path);
      builds_them = true;
    }
    if (concerned) asked.push_back({target, builds_them});
  }
  for (const std::string& path : paths) {
    if (covered.count(path) > 0 || current_.Find(path) == nullptr) continue;
    report.unjudged = absl::StrCat("nothing here checks what the names in ", ToUtf8(path), " mean");
    return report;
  }
  std::set<std::string> said;
  report.files_read.emplace();
  for (const auto& [target, builds_them] : asked) {
    STILE_ASSIGN_OR_RETURN(const ValidationResult result,
                           ValidateTarget(target.key, /*force_cold=*/false, /*question=*/true));
    if (result.verdict == Verdict::kRemoved) continue;
    if (!IsAnswer(result)) {
      std::string why = WhyNoAnswer(target, result);
      if (!builds_them) {
        report.unanswered.push_back(std::move(why));
        continue;
      }
      report.is_stuck = result.verdict != Verdict::kNoValidator;
      report.unjudged = std::move(why);
      return report;
    }
    if (!result.files_read.has_value()) report.files_read.reset();
    if (report.files_read.has_value()) {
      report.files_read->insert(report.files_read->end(), result.files_read->begin(),
                                result.files_read->end());
    }
    for (const Diagnostic& diagnostic : result.diagnostics) {
      if (diagnostic.severity == Severity::kWarning) report.warnings.push_back(diagnostic);
      if (diagnostic.severity != Severity::kError) continue;
      if (said.insert(FormatDiagnostic(diagnostic)).second) report.errors.push_back(diagnostic);
    }
  }
  report.judged = true;
  return report;
}

}  // namespace stile
