#include "agents/cli/validate_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "agents/cli/validation_output.h"
#include "runtime/base/status.h"
#include "runtime/validation/report_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct ValidateFlags {
  AgentFlags agent;
  std::string path;
  std::string language;
  std::string level;
};

// The nearest folder at or above `folder` that says it is a workspace; "" if there is none.
std::string MarkedFolder(std::string folder) {
  for (;; folder = DirName(folder)) {
    if (FileExists(JoinPath(folder, ".git")) || FileExists(JoinPath(folder, "stile.yaml"))) {
      return folder;
    }
    if (folder == "/") return "";
  }
}

// Which folder is the workspace, and which part of it is asked for. Without --workspace it is the
// repository (or the folder with stile.yaml) around the path; where there is none, the path itself
// if it is a folder, and for a file the current folder if the file lies below it.
absl::Status Locate(ValidateFlags* flags, ValidateArguments* arguments) {
  const bool given = !flags->agent.workspace.empty();
  STILE_ASSIGN_OR_RETURN(std::string workspace,
                         ResolveFolder(given ? flags->agent.workspace : "."));
  if (!flags->path.empty()) {
    const auto path = RealPath(flags->path);
    if (!path.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no such file or folder: ", flags->path, "; give an existing PATH"));
    }
    const bool is_folder = DirectoryExists(*path);
    const auto contains = [&path](const std::string& folder) {
      return *path == folder || folder == "/" || absl::StartsWith(*path, folder + "/");
    };
    if (!given) {
      const std::string own = is_folder ? *path : DirName(*path);
      const std::string marked = MarkedFolder(own);
      if (!marked.empty()) {
        workspace = marked;
      } else if (is_folder || !contains(workspace)) {
        workspace = own;
      }
    } else if (!contains(workspace)) {
      return absl::InvalidArgumentError(
          absl::StrCat(flags->path, " lies outside the workspace ", workspace));
    }
    if (*path != workspace) {
      arguments->project_path = path->substr(workspace == "/" ? 1 : workspace.size() + 1);
    }
  }
  flags->agent.workspace = std::move(workspace);
  return absl::OkStatus();
}

int Validate(const CliContext& context, ValidateFlags flags) {
  ValidateArguments arguments;
  const absl::Status located = Locate(&flags, &arguments);
  if (!located.ok()) return ReportStatus(located);
  arguments.language = flags.language;
  arguments.must_judge = true;
  if (!flags.level.empty()) {
    if (flags.level != "build" && flags.level != "test") {
      return UsageError(absl::StrCat("--level: '", flags.level, "' is not one of build, test"));
    }
    arguments.level = flags.level == "test" ? Level::kTest : Level::kBuild;
  }
  auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportStatus(options.status());
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  if (isatty(STDERR_FILENO) != 0 && !context.json && !context.quiet) {
    WriteAll(STDERR_FILENO, absl::StrCat("validating ", OneLine(options->workspace), " …\n"));
  }
  auto report = (*agent)->Validate(arguments);
  if (!report.ok()) return ReportStatus(report.status());
  if (report->targets.empty()) {
    absl::StrAppend(&report->summary, "; `stile doctor` lists the languages");
  }
  if (context.json) {
    PrintJson(ToJson(*report));
  } else {
    Print(ValidationText(*report, DescribeTerminal(1, context.environment), context.verbose));
  }
  return ValidationExitCode(*report, options->config.gate.allow_flaky);
}

}  // namespace

void DeclareValidate(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<ValidateFlags>();
  app->add_option("path", flags->path, "A project, or any path in it; everything by default")
      ->type_name("PATH");
  app->add_option("--language", flags->language, "Only this language")->type_name("ID");
  app->add_option("--level", flags->level, "What must pass: build or test")->type_name("LEVEL");
  DeclareWorkspaceFlag(app, &flags->agent);
  app->footer(
      "Exit codes: 0 pass, 1 fail, timeout or no_validator, 2 usage, 6 infra_error.\n"
      "Diagnostics are printed as file:line:column: severity: message [code].");
  OnCommand(app, [flags, context] { return Validate(*context, *flags); });
}

}  // namespace stile
