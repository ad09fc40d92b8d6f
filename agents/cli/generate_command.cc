#include "agents/cli/generate_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <memory>

#include "absl/strings/match.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct GenerateFlags {
  AgentFlags agent;
  std::string operation;
  std::string file;
  std::string class_name;
  std::string method;
  std::string signature;
  std::string body;
};

// A path as the user's shell means it, seen from the workspace; the file need not exist.
std::string FromWorkspace(const std::string& path, const std::string& workspace) {
  const auto folder = RealPath(DirName(path));
  if (!folder.ok() || (*folder != workspace && !absl::StartsWith(*folder, workspace + "/"))) {
    return path;
  }
  return JoinPath(*folder, BaseName(path)).substr(workspace.size() + 1);
}

int Generate(const CliContext& context, GenerateFlags flags) {
  const auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportStatus(options.status());
  if (flags.body == "-") {
    flags.body.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  Json arguments = {{"operation", flags.operation}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments[name] = value;
  };
  if (!flags.file.empty()) add("targetFile", FromWorkspace(flags.file, options->workspace));
  add("className", flags.class_name);
  add("methodName", flags.method);
  add("signature", flags.signature);
  add("body", flags.body);
  const auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  const auto result = (*agent)->AskTool("code.generate", arguments);
  if (!result.ok()) return ReportStatus(result.status());
  if (!result->ok) return UsageError(result->text);
  if (context.json) {
    PrintJson(result->data);
  } else {
    Print(Printable(result->text));
  }
  return 0;
}

}  // namespace

void DeclareGenerate(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<GenerateFlags>();
  app->add_option("operation", flags->operation,
                  "create_type, method, property, constructor, tests or implement_interface")
      ->required()
      ->check(CLI::IsMember(
          {"create_type", "method", "property", "constructor", "tests", "implement_interface"}));
  app->add_option("--file", flags->file, "Where it goes; without it, where the class is declared");
  app->add_option("--class", flags->class_name, "The type that is meant");
  app->add_option("--method", flags->method, "Name of the method or property");
  app->add_option("--signature", flags->signature,
                  "Its head, only its parameters, its type, or the interface");
  app->add_option("--body", flags->body, "Its code; - reads it from standard input");
  DeclareWorkspaceFlag(app, &flags->agent);
  OnCommand(app, [context, flags] { return Generate(*context, *flags); });
}

}  // namespace stile
