#include "agents/cli/agent_flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/user_folders.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/output.h"
#include "agents/cli/signals.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct ValueFlag {
  const char* flag;
  const char* key;  // of the configuration
  const char* type;
  const char* help;
  bool repeats = false;  // each use adds to a list
};

constexpr ValueFlag kValueFlags[] = {
    {"--model", "model", "P:M", "anthropic:…, openai:…, gemini:…, ollama:…; see `stile models`"},
    {"--base-url", "base_url", "URL", "Where the model's provider answers"},
    {"--agent", "agent", "NAME", "Profile: coding-agent, lead-agent, build-fixer, code-review"},
    {"--protocol", "protocol", "auto|native|json|text", "How tool calls are exchanged"},
    {"--api", "api", "chat|responses", "Which API of OpenAI; by the model if left out"},
    {"--effort", "effort", "low|medium|high", "How much the model thinks"},
    {"--fallback", "fallback", "P:M", "Answers once the model is overloaded"},
    {"--max-turns", "limits.max_turns", "N", "Model replies (50)"},
    {"--max-tokens", "limits.tokens", "N", "Tokens in and out, all turns together"},
    {"--max-cost", "limits.cost_usd", "USD", "Cost; the price must be known or set"},
    {"--max-time", "limits.wall_time_s", "SECONDS", "Wall time"},
    {"--gate-mode", "gate.mode", "enforce|observe", "observe only reports"},
    {"--level", "gate.level", "build|test", "What must pass"},
    {"--expect-tests", "gate.expect_tests", "NAME", "A test that must run and pass", true},
    {"--allow", "gate.allow", "KIND=GLOB",
     "Let a run weaken: removed_tests, weakened_tests, suppressions, settings, uncovered", true},
    {"--certificate-key", "certificate.key", "FILE", "Sign the certificate with this key"},
    {"--on-finish", "gate.on_finish", "reject|validate", "When finish finds changes not validated"},
};

void DeclareValue(CLI::App* app, const ValueFlag& row, const char* group, AgentFlags* flags) {
  const std::string flag = row.flag;
  const std::string key = row.key;
  const auto note = [flags, flag, key](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) flags->config.values.push_back({key, text, flag});
  };
  CLI::Option* const option =
      app->add_option_function<std::vector<std::string>>(flag, note, row.help)
          ->type_name(row.type)
          ->group(group);
  if (row.repeats) {
    option->expected(1, 1000)->allow_extra_args(false);
  } else {
    option->expected(1)->take_last();
  }
}

}  // namespace

void DeclareWorkspaceFlag(CLI::App* app, AgentFlags* flags) {
  app->add_option("-C,--workspace", flags->workspace, "Folder to work in")->type_name("DIR");
}

void DeclareYesFlag(CLI::App* app, AgentFlags* flags) {
  app->add_flag_callback(
         "-y,--yes",
         [flags] {
           flags->config.values.push_back({"yes", "true", "--yes"});
         },
         "Allow what would be asked about")
      ->group("Agent");
}

void DeclareAgentFlags(CLI::App* app, AgentFlags* flags) {
  DeclareWorkspaceFlag(app, flags);
  for (const ValueFlag& row : kValueFlags) DeclareValue(app, row, "Agent", flags);
  DeclareYesFlag(app, flags);
  app->add_option("--record", flags->record_file, "Write the model's replies as a cassette")
      ->type_name("FILE")
      ->group("Agent");
  app->add_flag("--replay-strict", flags->replay_strict,
                "A request unlike the recorded one ends the run")
      ->group("Agent");
}

void DeclareGateFlags(CLI::App* app, AgentFlags* flags) {
  DeclareWorkspaceFlag(app, flags);
  for (const ValueFlag& row : kValueFlags) {
    const absl::string_view key = row.key;
    const bool is_of_gate = absl::StartsWith(key, "gate.") || absl::StartsWith(key, "certificate.");
    if ((is_of_gate && key != "gate.on_finish") || key == "limits.wall_time_s") {
      DeclareValue(app, row, "Gate", flags);
    }
  }
  DeclareAlongsideFlag(app, flags);
}

void DeclareParallelismFlag(CLI::App* app, AgentFlags* flags) {
  DeclareValue(app,
               {"--max-parallelism", "max_parallelism", "N",
                "Steps of a wave that run at the same time (3)"},
               "Story", flags);
}

void DeclareAlongsideFlag(CLI::App* app, AgentFlags* flags) {
  app->add_flag("--alongside", flags->alongside,
                "Begin although another run works in this workspace")
      ->group("Agent");
}

void DeclareAnswersFlag(CLI::App* app, AgentFlags* flags) {
  app->add_option("--answers", flags->answers,
                  "Steps that ask a person take a line each from FILE, a pipe, or - (stdin)")
      ->type_name("FILE");
}

absl::StatusOr<std::string> ResolveFolder(const std::string& folder) {
  const auto path = RealPath(folder);
  if (!path.ok() || !DirectoryExists(*path)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path.ok() ? "not a folder: " : "no such folder: ", folder, "; give a folder that exists"));
  }
  return *path;
}

absl::StatusOr<AgentOptions> MakeAgentOptions(const CliContext& context, const AgentFlags& flags,
                                              const std::string& default_workspace) {
  AgentOptions options;
  STILE_ASSIGN_OR_RETURN(
      options.workspace,
      ResolveFolder(flags.workspace.empty() ? default_workspace : flags.workspace));
  ConfigFlags config = flags.config;
  config.config_file = context.config_file;
  STILE_ASSIGN_OR_RETURN(options.config,
                         LoadConfig(options.workspace, config, context.environment));
  std::string ignored;
  for (const std::string& key : options.config.untrusted) {
    absl::StrAppend(&ignored, "stile: ", OneLine(key),
                    " is ignored, because this workspace is not trusted\n");
  }
  if (!ignored.empty()) {
    WriteAll(STDERR_FILENO, absl::StrCat(ignored,
                                         "stile: to use such settings, read stile.yaml, then "
                                         "run: stile trust\n"));
  }
  options.environment = context.environment;
  STILE_ASSIGN_OR_RETURN(options.state_dir, StateDir(context.environment));
  options.record_file = flags.record_file;
  options.replay_strict = flags.replay_strict;
  options.cancellation = CancelOnSignals();
  return options;
}

absl::Status UseAnswers(const AgentFlags& flags, AgentOptions* options) {
  if (flags.answers.empty()) return absl::OkStatus();
  auto opened = LineReader::Open(flags.answers);
  if (!opened.ok()) return WithContext(opened.status(), "--answers");
  const std::shared_ptr<LineReader> answers = *std::move(opened);
  const Cancellation* const cancellation = options->cancellation;
  options->on_question = [answers, cancellation](const std::string&) -> std::optional<std::string> {
    std::string line;
    if (!answers->Next(cancellation, &line)) return std::nullopt;
    return line;
  };
  return absl::OkStatus();
}

}  // namespace stile
