#include "agents/cli/workflow_author.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agents/api/workflow_outcome.h"
#include "agents/cli/output.h"
#include "agents/cli/workflow_run.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct AuthorFlags {
  AgentFlags agent;
  std::string file;
  std::string tests;
  std::string goal;
};

// "flows/x.yaml" → "flows/x.tests.yaml".
std::string TestsBeside(const std::string& file) {
  absl::string_view stem = file;
  if (!absl::ConsumeSuffix(&stem, ".yaml")) absl::ConsumeSuffix(&stem, ".yml");
  return absl::StrCat(stem, ".tests.yaml");
}

int Author(const CliContext& context, const AuthorFlags& flags) {
  if (absl::StripAsciiWhitespace(flags.goal).empty()) {
    return UsageError("say with -t what the workflow is to do");
  }
  WorkflowRequest request;
  request.inputs = {{"file", ToUtf8(CleanPath(flags.file))},
                    {"tests", ToUtf8(flags.tests.empty() ? TestsBeside(flags.file) : flags.tests)},
                    {"goal", ToUtf8(flags.goal)}};
  return RunAndShow(context, flags.agent, "builtin:agent-builder", request, "");
}

}  // namespace

void DeclareWorkflowAuthor(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<AuthorFlags>();
  app->add_option("FILE", flags->file, "The workflow to write, relative to the workspace")
      ->required();
  app->add_option("-t,--task", flags->goal, "What it is to do")->type_name("TEXT")->required();
  app->add_option("--tests", flags->tests, "Its tests (FILE with .tests.yaml)")->type_name("FILE");
  DeclareAgentFlags(app, &flags->agent);
  DeclareAlongsideFlag(app, &flags->agent);
  app->footer(
      "Runs builtin:agent-builder: write, lint, test; what fails goes back to be refined. Only "
      "what\n"
      "is green is reviewed. `stile workflow graph builtin:agent-builder` draws it.");
  OnCommand(app, [flags, context] { return Author(*context, *flags); });
}

}  // namespace stile
