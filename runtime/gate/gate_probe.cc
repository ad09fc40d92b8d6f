#include "runtime/gate/gate_probe.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/gate_validation.h"
#include "runtime/gate/gate_validator_run.h"
#include "runtime/gate/validator_state.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// The first question about a project also builds its dependencies.
constexpr absl::Duration kQuestionTime = absl::Minutes(3);

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

static absl::StatusOr<ProbeReport> ProbeBy(
    GateState* gate, const std::vector<std::string>& paths,
    const std::function<absl::StatusOr<ValidationResult>(const Target&)>& ask);
static absl::StatusOr<ValidationResult> AskBeside(
    GateState* gate, const Target& target, absl::string_view question,
    const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& ask);

absl::StatusOr<ProbeReport> ProbeBuild(GateState* gate, const std::vector<std::string>& paths) {
  return ProbeBy(gate, paths, [gate](const Target& target) {
    return ValidateTarget(gate, target.key, /*force_cold=*/false, /*question=*/true);
  });
}

absl::StatusOr<ProbeReport> ProbeDeprecation(GateState* gate,
                                             const std::vector<std::string>& paths) {
  return ProbeBy(gate, paths, [gate](const Target& target) {
    return AskBeside(gate, target, "deprecated", [&](ValidationRequest request) {
      request.warns_of_deprecated = true;
      return target.validator->Validate(request);
    });
  });
}

// The report names the files that were read only if each judge does.
static void AddFilesRead(const ValidationResult& result, ProbeReport* report) {
  if (!result.files_read.has_value()) report->files_read.reset();
  if (!report->files_read.has_value()) return;
  report->files_read->insert(report->files_read->end(), result.files_read->begin(),
                             result.files_read->end());
}

static absl::StatusOr<ProbeReport> ProbeBy(
    GateState* gate, const std::vector<std::string>& paths,
    const std::function<absl::StatusOr<ValidationResult>(const Target&)>& ask) {
  STILE_RETURN_IF_ERROR(RefreshWorkspace(gate).status());
  ProbeReport report;
  struct Asked {
    Target target;  // a copy: the map is rebuilt while validators run
    bool builds_them = false;
  };
  std::vector<Asked> asked;
  std::set<std::string> covered;
  for (const Target& target : gate->map.targets()) {
    if (!KnowsMeanings(target)) continue;
    bool concerned = false;
    bool builds_them = false;
    for (const std::string& path : paths) {
      if (target.inputs.count(path) == 0) continue;
      concerned = true;
      if (!Builds(target, path, *gate->options.languages)) continue;
      covered.insert(path);
      builds_them = true;
    }
    if (concerned) asked.push_back({target, builds_them});
  }
  for (const std::string& path : paths) {
    if (covered.count(path) > 0 || gate->current.Find(path) == nullptr) continue;
    report.unjudged = absl::StrCat("nothing here checks what the names in ", ToUtf8(path), " mean");
    return report;
  }
  std::set<std::string> said;
  report.files_read.emplace();
  report.with_all_features = !asked.empty();
  for (const auto& [target, builds_them] : asked) {
    STILE_ASSIGN_OR_RETURN(const ValidationResult result, ask(target));
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
    report.with_all_features = report.with_all_features && result.with_all_features;
    AddFilesRead(result, &report);
    for (const Diagnostic& diagnostic : result.diagnostics) {
      if (diagnostic.severity == Severity::kWarning) report.warnings.push_back(diagnostic);
      if (diagnostic.severity == Severity::kNote) report.notes.push_back(diagnostic);
      const bool is_error = diagnostic.severity == Severity::kError;
      if (is_error && said.insert(FormatDiagnostic(diagnostic)).second)
        report.errors.push_back(diagnostic);
    }
  }
  report.judged = true;
  return report;
}

// Asks the validator of the target with incremental state of the question's own, beside that of
// the target.
static absl::StatusOr<ValidationResult> AskBeside(
    GateState* gate, const Target& target, absl::string_view question,
    const std::function<absl::StatusOr<ValidationResult>(const ValidationRequest&)>& ask) {
  STILE_ASSIGN_OR_RETURN(ValidatorState state,
                         ValidatorState::Open(gate->options.file_system,
                                              JoinPath(gate->options.state_dir, "validators"),
                                              absl::StrCat(target.key, "/", question)));
  STILE_ASSIGN_OR_RETURN(const ValidatorState::Preparation preparation,
                         state.Prepare(gate->options.workspace, target.inputs, /*force_cold=*/false,
                                       /*observed=*/false));
  ValidationRequest request = RequestFor(*gate, target, state, preparation);
  request.timeout = kQuestionTime;
  request.runner = gate->options.runner;
  STILE_ASSIGN_OR_RETURN(ValidationResult result, ask(request));
  if (IsAnswer(result)) {
    STILE_RETURN_IF_ERROR(state.Finish(target.inputs, std::nullopt));
  }
  return result;
}

absl::StatusOr<ExampleReport> ProbeDocExamples(GateState* gate,
                                               const std::vector<DocExample>& examples) {
  STILE_RETURN_IF_ERROR(RefreshWorkspace(gate).status());
  std::vector<std::pair<Target, std::vector<DocExample>>> asked;  // copies: see ProbeBy
  for (const Target& target : gate->map.targets()) {
    if (!KnowsMeanings(target)) continue;
    std::vector<DocExample> built;
    for (const DocExample& example : examples) {
      if (Builds(target, example.path, *gate->options.languages)) built.push_back(example);
    }
    if (!built.empty()) asked.emplace_back(target, std::move(built));
  }
  ExampleReport report;
  for (const auto& [target, built] : asked) {
    const auto ask = [&target = target, &built = built](const ValidationRequest& request) {
      return target.validator->CheckExamples(request, built);
    };
    STILE_ASSIGN_OR_RETURN(const ValidationResult result, AskBeside(gate, target, "examples", ask));
    const bool has_none = result.verdict == Verdict::kNoValidator && result.message.empty();
    if (has_none) continue;
    if (!IsAnswer(result)) {
      report = ExampleReport();
      report.unjudged = WhyNoAnswer(target, result);
      break;
    }
    report.judged = true;
    for (const Diagnostic& diagnostic : result.diagnostics) {
      if (diagnostic.severity == Severity::kError) report.errors.push_back(diagnostic);
    }
  }
  STILE_RETURN_IF_ERROR(RefreshWorkspace(gate).status());
  return report;
}

}  // namespace stile
