#include "agents/cli/step_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "agents/api/provider_secrets.h"
#include "agents/cli/agent_flags.h"
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

absl::StatusOr<std::string> ReadStdin() {
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", "stdin");
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > kMaxRequestBytes) {
      return absl::InvalidArgumentError("stdin: a request may have 16 MiB at most");
    }
  }
}

int Step(const CliContext& context, const StepFlags& flags) {
  const std::string source = flags.file.empty() ? "stdin" : flags.file;
  auto text =
      flags.file.empty() ? ReadStdin() : DiskFileSystem()->ReadFile(flags.file, kMaxRequestBytes);
  if (!text.ok()) return ReportStatus(text.status());
  auto request = ParseStepRequest(*text, source);
  if (!request.ok()) return ReportStatus(request.status());

  AgentFlags agent_flags = flags.agent;
  agent_flags.workspace = request->workspace;
  auto options = MakeAgentOptions(context, agent_flags);
  if (!options.ok()) return ReportStatus(WithContext(options.status(), source));
  const absl::Status applied = ApplyStepRequest(*request, source, &options->config);
  if (!applied.ok()) return ReportStatus(applied);

  RunConsole console(context, /*json=*/true, &*options);
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  Task task;
  task.text = request->task;
  task.context = request->context;
  task.run_id = request->RunId();
  const auto result = (*agent)->Run(task);
  const int exit_code = console.Finish(result);
  if (!result.ok()) return exit_code;
  Json last = ToJson(*result);
  ProviderSecrets(context.environment).MaskFields(&last);
  last["id"] = request->id;
  PrintJson(last);
  return exit_code;
}

}  // namespace

void DeclareStep(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<StepFlags>();
  app->add_option("--file", flags->file, "Read the request from a file, not from stdin")
      ->type_name("FILE");
  DeclareAgentFlags(app, &flags->agent);
  app->remove_option(app->get_option("--workspace"));
  app->footer(
      "The request is one JSON object:\n"
      "  {\"id\": \"42\", \"task\": \"…\", \"workspace\": \"/path\", \"agent\": \"…\", \"model\": "
      "\"…\",\n"
      "   \"limits\": {…}, \"gate\": {…}, \"context\": \"…\" or [{\"path\": \"…\", \"text\": "
      "\"…\"}]}\n"
      "What it says wins over flags. Events come out as JSON lines, run_finished last of them, "
      "then one\n"
      "line with the result and the id. A finished request sent again gives the stored result.");
  OnCommand(app, [flags, context] { return Step(*context, *flags); });
}

}  // namespace stile
