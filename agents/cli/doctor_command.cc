#include "agents/cli/doctor_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agents/api/language_status.h"
#include "agents/api/project_instructions.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/process_runner.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct GitStatus {
  std::string version;  // "" : not installed
};

struct ModelStatus {
  std::string model;         // "" : none chosen
  std::string key_variable;  // "" : needs none
  bool key_set = false;
};

struct StateStatus {
  std::string folder;
  bool writable = false;
  uint64_t bytes = 0;
};

// All that doctor has found out.
struct Findings {
  std::vector<LanguageStatus> languages;
  GitStatus git;
  ModelStatus model;
  StateStatus state;
  std::vector<std::string> unknown;  // variables that set nothing
  Agent::SandboxStatus sandbox;
  std::vector<InstructionSource> instructions;
  std::vector<Agent::ResolverStatus> resolvers;
};

GitStatus ProbeGit(const Environment& environment) {
  const auto git = FindExecutable("git", environment);
  if (!git.ok()) return {};
  ProcessRequest request;
  request.argv = {*git, "--version"};
  request.env = environment;
  request.timeout = absl::Seconds(10);
  const auto result = NewLocalProcessRunner()->Run(request);
  if (!result.ok() || !result->ok()) return {};
  return {std::string(absl::StripAsciiWhitespace(result->out))};
}

// Whether the variable is set; its value is never looked at further.
ModelStatus ProbeModel(const Config& config, const Environment& environment) {
  ModelStatus status{config.model};
  if (absl::StartsWith(config.model, "openai:")) status.key_variable = "OPENAI_API_KEY";
  if (absl::StartsWith(config.model, "anthropic:")) status.key_variable = "ANTHROPIC_API_KEY";
  const auto found = environment.find(status.key_variable);
  status.key_set = found != environment.end() && !found->second.empty();
  return status;
}

StateStatus ProbeState(const std::string& folder) {
  StateStatus status{folder};
  // Not made here: the nearest folder that exists says whether it can be.
  std::string existing = folder;
  while (!FileExists(existing) && existing != "/" && existing != ".") existing = DirName(existing);
  status.writable = !folder.empty() && access(existing.c_str(), W_OK | X_OK) == 0;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (Walk walk(folder, options, error); !error && walk != Walk(); walk.increment(error)) {
    std::error_code size_error;
    if (walk->is_regular_file(size_error) && !walk->is_symlink(size_error)) {
      const uint64_t bytes = walk->file_size(size_error);
      if (!size_error) status.bytes += bytes;
    }
  }
  return status;
}

// STILE_* variables that set nothing: a slip that would otherwise pass unnoticed.
std::vector<std::string> UnknownVariables(const Environment& environment) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : environment) {
    if (!absl::StartsWith(name, "STILE_") || name == "STILE_STATE_DIR") continue;
    bool known = false;
    for (const auto& [variable, key] : ConfigVariables()) known = known || variable == name;
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

Json DoctorJson(const AgentOptions& options, const Findings& findings) {
  const auto& [languages, git, model, state, unknown, sandbox, instructions, resolvers] = findings;
  Json json = {
      {"workspace", options.workspace},
      {"git", {{"available", !git.version.empty()}, {"version", git.version}}},
      {"config", {{"sources", options.config.sources}, {"unknown_variables", unknown}}},
      {"model",
       {{"model", model.model}, {"key_variable", model.key_variable}, {"key_set", model.key_set}}},
      {"state", {{"folder", state.folder}, {"writable", state.writable}, {"bytes", state.bytes}}},
      {"sandbox",
       {{"active", sandbox.active},
        {"description", sandbox.description},
        {"limits", sandbox.limits}}},
      {"inputs", sandbox.unobserved.empty() ? "observed" : "listed"},
      {"instructions", {{"enabled", options.config.instructions}, {"files", ToJson(instructions)}}},
      {"languages", Json::array()}};
  for (const LanguageStatus& status : languages) {
    json["languages"].push_back({{"language", status.language},
                                 {"name", status.name},
                                 {"validator", status.validator},
                                 {"level", std::string(LevelName(status.level))},
                                 {"available", status.toolchain.available},
                                 {"program", status.toolchain.program},
                                 {"version", status.toolchain.version},
                                 {"hint", status.toolchain.install_hint}});
  }
  json["resolvers"] = {{"enabled", options.config.resolvers}, {"programs", Json::array()}};
  for (const Agent::ResolverStatus& status : resolvers) {
    json["resolvers"]["programs"].push_back({{"name", status.name},
                                             {"languages", status.languages},
                                             {"available", !status.program.empty()},
                                             {"program", ToUtf8(status.program)},
                                             {"hint", status.install_hint}});
  }
  return json;
}

std::string Mark(const Terminal& terminal, bool good) {
  return good ? Styled(terminal, Style::kGreen, "✓") : Styled(terminal, Style::kYellow, "–");
}

// "AGENTS.md, 1.2kB" for each file, and why one is not used.
std::string InstructionsText(const AgentOptions& options,
                             const std::vector<InstructionSource>& sources,
                             const Terminal& terminal) {
  std::string text = "\nProject instructions\n";
  if (!options.config.instructions) {
    absl::StrAppend(&text, "  ", Mark(terminal, false), " off: agents read none of these\n");
  } else if (sources.empty()) {
    text += "  none: no AGENTS.md, CLAUDE.md or .agents/skills/*/SKILL.md\n";
  }
  for (const InstructionSource& source : sources) {
    const bool used = options.config.instructions && source.skipped.empty();
    absl::StrAppend(&text, "  ", Mark(terminal, used), " ", OneLine(source.path), ", ",
                    FormatCount(static_cast<int64_t>(source.bytes)), "B");
    if (!source.skipped.empty()) {
      absl::StrAppend(&text, ", not used: ", OneLine(source.skipped));
    } else if (source.is_cut()) {
      absl::StrAppend(&text, ", cut after ", source.text.size(), " bytes");
    } else if (source.kind == InstructionSource::Kind::kSkill) {
      absl::StrAppend(&text, ", skill ", source.name);
    } else if (source.kind == InstructionSource::Kind::kFolder) {
      text += ", read when an agent works in its folder";
    }
    text += '\n';
  }
  return text;
}

// The programs that say what names mean.
std::string ResolversText(const AgentOptions& options,
                          const std::vector<Agent::ResolverStatus>& resolvers,
                          const Terminal& terminal) {
  std::string text = "\nResolvers of names\n";
  if (!options.config.resolvers) {
    return absl::StrCat(text, "  ", Mark(terminal, false),
                        " off: names are resolved by syntax (resolvers: on)\n");
  }
  for (const Agent::ResolverStatus& status : resolvers) {
    const bool found = !status.program.empty();
    absl::StrAppend(
        &text, "  ", Mark(terminal, found), " ",
        absl::StrFormat("%-22s %-14s ", absl::StrJoin(status.languages, ", "), status.name),
        OneLine(found ? status.program : status.install_hint), "\n");
  }
  return text;
}

std::string DoctorText(const AgentOptions& options, const Findings& findings,
                       const Terminal& terminal) {
  const auto& [languages, git, model, state, unknown, sandbox, instructions, resolvers] = findings;
  std::string text = "Languages\n";
  for (const LanguageStatus& status : languages) {
    const Toolchain& toolchain = status.toolchain;
    const std::string head =
        absl::StrFormat("%-11s %-6s %-18s", status.name, LevelName(status.level), status.validator);
    absl::StrAppend(&text, "  ", Mark(terminal, toolchain.available), " ", head,
                    OneLine(toolchain.available ? toolchain.version : toolchain.install_hint),
                    "\n");
  }
  text += ResolversText(options, resolvers, terminal);
  absl::StrAppend(
      &text, "\nGit\n  ", Mark(terminal, !git.version.empty()), " ",
      git.version.empty() ? "missing; stories need it: apt-get install git" : OneLine(git.version),
      "\n\nConfiguration\n");
  for (const std::string& source : options.config.sources) {
    absl::StrAppend(&text, "  ", Mark(terminal, true), " ", OneLine(source), "\n");
  }
  if (options.config.sources.empty()) text += "  no file; stile init writes one\n";
  for (const std::string& name : unknown) {
    absl::StrAppend(&text, "  ", Mark(terminal, false), " ", OneLine(name), " sets nothing\n");
  }
  absl::StrAppend(
      &text, "\nSandbox\n  ", Mark(terminal, sandbox.active), " ", OneLine(sandbox.description),
      "\n", sandbox.limits.empty() ? "" : absl::StrCat("    ", sandbox.limits, "\n"), "  ",
      Mark(terminal, sandbox.unobserved.empty()), " ",
      sandbox.unobserved.empty() ? "the files that validators open are observed"
                                 : absl::StrCat("the files that validators open are not observed: ",
                                                OneLine(sandbox.unobserved)),
      "\n", InstructionsText(options, instructions, terminal));
  text += "\nModel\n";
  if (model.model.empty()) {
    absl::StrAppend(&text, "  ", Mark(terminal, false),
                    " none chosen: --model, STILE_MODEL or model:\n");
  } else {
    const bool ready = model.key_variable.empty() || model.key_set;
    absl::StrAppend(
        &text, "  ", Mark(terminal, ready), " ", OneLine(model.model),
        model.key_variable.empty()
            ? ""
            : absl::StrCat(", ", model.key_variable, model.key_set ? " is set" : " is not set"),
        "\n");
  }
  absl::StrAppend(&text, "\nRun states\n  ", Mark(terminal, state.writable), " ",
                  OneLine(state.folder), ", ", FormatCount(static_cast<int64_t>(state.bytes)), "B",
                  state.writable ? "" : ", not writable: set STILE_STATE_DIR", "\n");
  return text;
}

int Doctor(const CliContext& context, const AgentFlags& flags) {
  auto options = MakeAgentOptions(context, flags);
  if (!options.ok()) return ReportStatus(options.status());
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  Findings findings;
  findings.languages = (*agent)->Languages();
  findings.git = ProbeGit(context.environment);
  findings.model = ProbeModel(options->config, context.environment);
  findings.state = ProbeState(options->state_dir);
  findings.unknown = UnknownVariables(context.environment);
  const auto sandbox = (*agent)->Sandbox();
  findings.sandbox = sandbox.ok()
                         ? *sandbox
                         : Agent::SandboxStatus{false, std::string(sandbox.status().message())};
  findings.instructions = (*agent)->Instructions();
  findings.resolvers = (*agent)->Resolvers();
  if (context.json) {
    PrintJson(DoctorJson(*options, findings));
  } else {
    Print(DoctorText(*options, findings, DescribeTerminal(STDOUT_FILENO, context.environment)));
  }
  return 0;
}

}  // namespace

void DeclareDoctor(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<AgentFlags>();
  DeclareAgentFlags(app, flags.get());
  app->footer("Exit code 0 also when compilers are missing; 2 when the configuration is wrong.");
  OnCommand(app, [flags, context] { return Doctor(*context, *flags); });
}

}  // namespace stile
