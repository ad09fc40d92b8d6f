#include "agents/cli/verify_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/api/runs.h"
#include "agents/api/verification_outcome.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/run_console.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxRequirementBytes = 100'000;

struct VerifyFlags {
  AgentFlags agent;
  VerificationRequest request;
  std::string requirements_file;
  bool no_plan = false;
  std::string resume;  // "": a new session
  VerificationChanges changes;
  std::vector<std::string> dismissed;  // "ID=REASON"
  bool goes_on = false;                // --resume was given
  int max_rounds = 0;                  // 0: not given
  int min_rounds = 0;                  // the same
  int64_t reply_tokens = 0;            // the same
};

// Fills in what flags say in another form than the request has.
absl::Status Complete(VerifyFlags* flags) {
  VerificationRequest& request = flags->request;
  VerificationChanges& changes = flags->changes;
  request.options.auto_consolidate = !flags->no_plan;
  if (flags->no_plan) changes.auto_consolidate = false;
  if (request.options.stop_on_critical) changes.stop_on_critical = true;
  if (flags->max_rounds > 0) {
    request.options.max_rounds = flags->max_rounds;
    request.options.min_rounds = std::min(request.options.min_rounds, flags->max_rounds);
    changes.max_rounds = flags->max_rounds;
  }
  if (flags->min_rounds > 0) {
    request.options.min_rounds = flags->min_rounds;
    changes.min_rounds = flags->min_rounds;
  }
  if (flags->reply_tokens > 0) {
    request.options.max_tokens = flags->reply_tokens;
    changes.max_tokens = flags->reply_tokens;
  }
  flags->changes.fix = request.fix;
  for (const std::string& word : flags->dismissed) {
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == word.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dismiss ", ToUtf8(word), ": give ID=REASON"));
    }
    flags->changes.dismissed[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (flags->requirements_file.empty()) return absl::OkStatus();
  if (!request.requirements.empty()) {
    return absl::InvalidArgumentError("give --requirements or --requirements-file, not both");
  }
  const auto text = DiskFileSystem()->ReadFile(flags->requirements_file, kMaxRequirementBytes);
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  request.requirements = *text;
  return absl::OkStatus();
}

int RunVerify(const CliContext& context, VerifyFlags flags) {
  const VerificationRequest& request = flags.request;
  if (flags.goes_on && flags.resume.empty()) return UsageError("--resume: name a run");
  if (flags.goes_on && (!request.targets.empty() || !request.requirements.empty() ||
                        !request.exclude.empty() || !flags.requirements_file.empty())) {
    return UsageError("--resume goes on with the session's own targets and requirements");
  }
  if (!flags.goes_on && (flags.changes.from_round > 0 || !flags.dismissed.empty())) {
    return UsageError("--from-round and --dismiss change a session: name it with --resume RUN");
  }
  if (const absl::Status status = Complete(&flags); !status.ok()) return ReportStatus(status);
  // A session goes on where it began.
  std::string workspace = ".";
  if (flags.goes_on) {
    const auto run = Runs::Open(context.environment)->Find(flags.resume);
    if (!run.ok()) return ReportRefusal(context, run.status());
    workspace = run->workspace;
  }
  auto options = MakeAgentOptions(context, flags.agent, workspace);
  if (!options.ok()) return ReportRefusal(context, options.status());
  options->alone = !flags.agent.alongside;
  RunConsole console(context, context.json, &*options);
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  return console.Finish(flags.goes_on ? (*agent)->ContinueVerification(flags.resume, flags.changes)
                                      : (*agent)->Verify(request));
}

Style StyleOf(const VerifyIssue& issue) {
  if (!issue.is_active()) return Style::kDim;
  return issue.is_severe() ? Style::kRed : Style::kYellow;
}

}  // namespace

std::string FormatIssues(const VerifyState& state, const Terminal& terminal) {
  if (state.issues.empty()) return "";
  std::vector<const VerifyIssue*> issues;
  for (const VerifyIssue& issue : state.issues) issues.push_back(&issue);
  std::stable_sort(issues.begin(), issues.end(), [](const VerifyIssue* a, const VerifyIssue* b) {
    return std::pair(!a->is_active(), a->severity) < std::pair(!b->is_active(), b->severity);
  });
  std::string text = "\nIssues:\n";
  for (const VerifyIssue* issue : issues) {
    std::string judged = std::string(IssueStatusName(issue->status));
    if (issue->is_active()) {
      judged = issue->critic_verdict.has_value()
                   ? absl::StrCat("critic: ", CriticVerdictName(*issue->critic_verdict))
                   : std::string(issue->is_agreed() ? "found by the critic" : "not judged");
    }
    absl::StrAppend(&text, "  ",
                    Styled(terminal, StyleOf(*issue),
                           absl::StrCat(issue->id, " ", IssueSeverityName(issue->severity))),
                    " ", OneLine(IssuePlaceText(issue->place)), "  ", OneLine(issue->summary), " (",
                    judged, ")\n");
    if (!issue->is_active()) absl::StrAppend(&text, "      ", OneLine(issue->resolution), "\n");
  }
  const Json result = ResultOf(state);
  if (const Json* plan = JsonMember(result, "consolidatedPlan")) {
    absl::StrAppend(&text, "Plan: ", plan->at("mustFix").size(), " must, ",
                    plan->at("shouldFix").size(), " should, ", plan->at("couldFix").size(),
                    " could be fixed; effort: ", JsonString(*plan, "totalEffort").value_or(""),
                    "\n");
  }
  return text;
}

void DeclareVerify(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<VerifyFlags>();
  VerifyOptions& options = flags->request.options;
  app->add_option("TARGET", flags->request.targets,
                  "Files and folders to verify (the whole workspace)");
  app->add_option("--exclude", flags->request.exclude,
                  "Skip files that match GLOB in target folders; may be repeated")
      ->type_name("GLOB")
      ->expected(1, 1000)
      ->allow_extra_args(false);
  app->add_option("--requirements", flags->request.requirements, "What the code has to do")
      ->type_name("TEXT");
  app->add_option("--requirements-file", flags->requirements_file,
                  "Read the requirements from FILE")
      ->type_name("FILE");
  app->add_option("--max-rounds", flags->max_rounds, "Maximum number of rounds (10)")
      ->check(CLI::Range(1, 100));
  app->add_option("--min-rounds", flags->min_rounds, "Minimum number of rounds (2)")
      ->check(CLI::Range(1, 100));
  app->add_flag("--stop-on-critical", options.stop_on_critical,
                "End as soon as a critical issue is raised");
  app->add_option("--reply-tokens", flags->reply_tokens, "Maximum tokens of one reply (4000)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  app->add_flag("--no-plan", flags->no_plan, "Do not sort the issues into a plan");
  app->add_flag("--fix", flags->request.fix,
                "An agent mends what both agree on, under the gate; then the rounds go on");
  app->add_option_function<std::string>(
         "--resume",
         [flags](const std::string& run) {
           flags->goes_on = true;
           flags->resume = run;
         },
         "Go on with a session that has not converged")
      ->type_name("RUN")
      ->group("Session");
  app->add_option("--from-round", flags->changes.from_round,
                  "With --resume: go back to the checkpoint before round N")
      ->type_name("N")
      ->check(CLI::Range(1, 100))
      ->group("Session");
  app->add_option("--dismiss", flags->dismissed, "With --resume: close an issue; may be repeated")
      ->type_name("ID=REASON")
      ->expected(1, 1000)
      ->allow_extra_args(false)
      ->group("Session");
  DeclareAgentFlags(app, &flags->agent);
  DeclareAlongsideFlag(app, &flags->agent);
  app->footer(
      "A verifier names defects and quotes the code that shows them. An issue is rejected if less\n"
      "than half of its quoted lines are in the file. A critic judges each issue. The session\n"
      "converges when two rounds raise nothing, every file was examined for every category, and "
      "no\n"
      "critical or high issue is open: exit 0. Else exit 1. An issue that the critic found valid\n"
      "closes only when its code has changed and the workspace passes its validation.\n"
      "  stile verify src/parser.py --requirements \"No input may raise\"\n"
      "  stile verify --resume RUN --dismiss SEC-01=\"only trusted callers\"");
  OnCommand(app, [flags, context] { return RunVerify(*context, *flags); });
}

}  // namespace stile
