#include "agents/cli/generate_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <memory>

#include "absl/strings/str_cat.h"
#include "agents/cli/ask_tool.h"
#include "agents/cli/output.h"

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

int Generate(const CliContext& context, GenerateFlags flags) {
  if (flags.body == "-") {
    flags.body.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  if (flags.file.empty() && flags.class_name.empty()) {
    return UsageError(absl::StrCat(flags.operation, " needs --file, or --class"));
  }
  Json arguments = {{"operation", flags.operation}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments[name] = value;
  };
  add("className", flags.class_name);
  add("methodName", flags.method);
  add("signature", flags.signature);
  add("body", flags.body);
  return AskTool(context, flags.agent, "code.generate", {{"targetFile", flags.file}},
                 std::move(arguments));
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
