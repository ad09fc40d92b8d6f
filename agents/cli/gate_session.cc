#include "agents/cli/gate_session.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/api/runs.h"
#include "agents/cli/output.h"
#include "agents/cli/run_console.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct SessionFlags {
  AgentFlags agent;
  std::string id;
  std::string by;
  bool give_up = false;
};

// The finish can be called from another folder.
absl::Status MakePathsAbsolute(ConfigFlags* flags) {
  for (ConfigFlags::Value& value : flags->values) {
    if (value.key != "certificate.key" || absl::StartsWith(value.text, "/")) continue;
    STILE_ASSIGN_OR_RETURN(const std::string folder, RealPath("."));
    value.text = JoinPath(folder, value.text);
  }
  return absl::OkStatus();
}

int Begin(const CliContext& context, SessionFlags flags) {
  if (OneLine(flags.by) != flags.by) {
    return UsageError("--by holds characters that cannot be shown; give a plain name");
  }
  const absl::Status status = MakePathsAbsolute(&flags.agent.config);
  if (!status.ok()) return ReportStatus(status);
  auto options = MakeAgentOptions(context, flags.agent);
  if (!options.ok()) return ReportRefusal(context, options.status());
  options->alone = !flags.agent.alongside;
  const auto runs = Runs::Open(context.environment);
  const auto open = FindOverlapping(runs.get(), options->workspace);
  if (!open.ok()) return ReportStatus(open.status());
  if (options->alone && open->has_value()) {
    return ReportStatus(absl::FailedPreconditionError(absl::StrCat(
        "session ", DescribeSession(**open), " is open in ", OneLine((*open)->workspace),
        ". Two sessions in one workspace take each other's changes for their own. End it with "
        "`stile gate finish ",
        (*open)->id, "` or `stile gate finish --give-up ", (*open)->id, "`, or pass --alongside")));
  }
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  const auto id = (*agent)->OpenSession({flags.by, "", SettingsOf(flags.agent.config)});
  if (!id.ok()) return ReportStatus(id.status());
  if (context.json) {
    PrintJson({{"id", *id}, {"workspace", ToUtf8(options->workspace)}});
    return 0;
  }
  Print(absl::StrCat(*id, "\n"));
  if (!context.quiet) {
    WriteAll(STDERR_FILENO, absl::StrCat("A session is open in ", OneLine(options->workspace),
                                         ".\nChange the files, then run: stile gate finish\n"));
  }
  return 0;
}

absl::StatusOr<OpenSession> Choose(const CliContext& context, const SessionFlags& flags) {
  std::string folder;
  if (flags.id.empty()) {
    STILE_ASSIGN_OR_RETURN(
        folder, ResolveFolder(flags.agent.workspace.empty() ? "." : flags.agent.workspace));
  }
  const auto runs = Runs::Open(context.environment);
  absl::StatusOr<OpenSession> session = ChooseSession(runs.get(), flags.id, folder);
  if (absl::IsNotFound(session.status()) && flags.id.empty()) {
    return absl::NotFoundError(
        absl::StrCat(session.status().message(), "; begin one with: stile gate begin"));
  }
  return session;
}

int Status(const CliContext& context, const SessionFlags& flags) {
  const auto session = Choose(context, flags);
  if (!session.ok()) return ReportStatus(session.status());
  const auto options = OptionsOf(context, *session, /*alongside=*/true);
  if (!options.ok()) return ReportStatus(options.status());
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return ReportStatus(agent.status());
  const auto status = (*agent)->LookAtSession(session->id);
  if (!status.ok()) return ReportStatus(status.status());
  if (context.json) {
    PrintJson(ToJson(*status));
  } else {
    Print(Printable(StatusText(*status)));
  }
  return 0;
}

int Finish(const CliContext& context, const SessionFlags& flags) {
  const auto session = Choose(context, flags);
  if (!session.ok()) return ReportRefusal(context, session.status());
  auto options = OptionsOf(context, *session, flags.agent.alongside);
  if (!options.ok()) return ReportRefusal(context, options.status());
  RunConsole console(context, context.json, &*options, "", session->id);
  auto agent = Agent::Create(*options);
  if (!agent.ok()) return console.Finish(agent.status());
  return console.Finish((*agent)->FinishSession(session->id, flags.give_up));
}

void DeclareSession(CLI::App* app, SessionFlags* flags) {
  app->add_option("id", flags->id, "The session; if left out, the one that is open here");
  DeclareWorkspaceFlag(app, &flags->agent);
}

}  // namespace

absl::StatusOr<AgentOptions> OptionsOf(const CliContext& context, const OpenSession& session,
                                       bool alongside) {
  AgentFlags flags;
  flags.workspace = session.workspace;
  flags.config = FlagsOf(session.work.settings);
  auto options = MakeAgentOptions(context, flags);
  if (!options.ok()) return WithContext(options.status(), absl::StrCat("session ", session.id));
  options->alone = !alongside;
  return options;
}

void DeclareGateBegin(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<SessionFlags>();
  app->add_option("--by", flags->by, "Who changes the files, as certificates and lists name it")
      ->type_name("NAME");
  DeclareGateFlags(app, &flags->agent);
  app->footer(
      "Prints the id of the session. From now on every change in the folder, by any program or "
      "person,\n"
      "counts as its work, until `stile gate finish` has accepted it. The flags hold for its "
      "finish.\n"
      "\n"
      "Examples:\n"
      "  stile gate begin\n"
      "  stile gate begin --level test --by claude -C ~/shop");
  OnCommand(app, [flags, context] { return Begin(*context, *flags); });
}

void DeclareGateStatus(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<SessionFlags>();
  DeclareSession(app, flags.get());
  app->footer("Runs no validator; `stile gate finish` does.");
  OnCommand(app, [flags, context] { return Status(*context, *flags); });
}

void DeclareGateFinish(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<SessionFlags>();
  DeclareSession(app, flags.get());
  app->add_flag("--give-up", flags->give_up,
                "End the session as failed without asking the gate; the files stay");
  DeclareAlongsideFlag(app, &flags->agent);
  app->footer(
      "Exit code 0: the changed code builds, and a certificate was written. Exit code 3: refused; "
      "the\n"
      "reasons stand with file and line, and the session stays open for another finish. Refusal\n"
      "number gate.max_failures (5) ends it as failed.\n"
      "\n"
      "Examples:\n"
      "  stile gate finish\n"
      "  stile gate finish 20261128T101500-3f9a1c2b --json");
  OnCommand(app, [flags, context] { return Finish(*context, *flags); });
}

}  // namespace stile
