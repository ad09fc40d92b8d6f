#include "agents/cli/step_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/output.h"
#include "agents/cli/run_console.h"
#include "agents/cli/step_request.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxRequestBytes = size_t{16} << 20;

struct StepFlags {
  AgentFlags agent;
  std::string file;
};

// Whoever sent the request reads run_finished, also of one that cannot run.
int Refuse(const absl::Status& why_not, const std::string& run_id, const std::string& id) {
  PrintRefusal(why_not, run_id, 1, id);
  return ReportStatus(why_not);
}

int Step(const CliContext& context, const StepFlags& flags) {
  const std::string source = flags.file.empty() ? "stdin" : flags.file;
  auto text = flags.file.empty() ? ReadStandardInput(kMaxRequestBytes)
                                 : DiskFileSystem()->ReadFile(flags.file, kMaxRequestBytes);
  if (!text.ok()) return Refuse(text.status(), "", "");
  auto request = ParseStepRequest(*text, source);
  if (!request.ok()) return Refuse(request.status(), "", "");
  const auto refuse = [&](const absl::Status& why_not) {
    return Refuse(why_not, request->RunId(), request->id);
  };

  AgentFlags agent_flags = flags.agent;
  agent_flags.workspace = request->workspace;
  agent_flags.config.defaults.push_back({"gate.untrusted", "reject", "stile step"});
  auto options = MakeAgentOptions(context, agent_flags);
  if (!options.ok()) return refuse(WithContext(options.status(), source));
  const absl::Status applied = ApplyStepRequest(*request, source, &options->config);
  if (!applied.ok()) return refuse(applied);

  RunConsole console(context, /*json=*/true, &*options, request->id, request->RunId());
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  Task task;
  task.text = request->task;
  task.context = request->context;
  task.run_id = request->RunId();
  task.request_sha256 = request->sha256;
  return console.Finish((*agent)->Run(task));
}

}  // namespace

void DeclareStep(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<StepFlags>();
  app->add_option("--file", flags->file, "Read the request from a file, not from stdin")
      ->type_name("FILE");
  DeclareAgentFlags(app, &flags->agent);
  app->remove_option(app->get_option("--workspace"));
  app->footer(
      "A stile.yaml that declares validators or languages and is not trusted refuses the run (exit "
      "2);\n\"gate\": {\"untrusted\": \"report\"} starts it without these declarations.\n"
      "The request is one JSON object:\n"
      "  {\"id\": \"42\", \"task\": \"…\", \"workspace\": \"/path\", \"agent\": \"…\", \"model\": "
      "\"…\",\n"
      "   \"limits\": {…}, \"gate\": {…}, \"context\": \"…\" or [{\"path\": \"…\", \"text\": "
      "\"…\"}]}\n"
      "What it says wins over flags. Events come out as JSON lines; the last is run_finished, with "
      "the\n"
      "result and the id. A finished request sent again gives the stored result; another request "
      "under\n"
      "its id ends with 2.");
  OnCommand(app, [flags, context] { return Step(*context, *flags); });
}

}  // namespace stile
