#include "agents/cli/gate_hook.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/api/open_session.h"
#include "agents/api/runs.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/gate_session.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/output.h"
#include "agents/hooks/hook_protocol.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxInputBytes = size_t{64} << 20;  // it holds the prompt, or the last answer
constexpr char kStart[] = "start";
constexpr char kStop[] = "stop";

struct HookFlags {
  std::string host;
  std::string event;
};

// The nearest folder at or above `folder` that is the root of a git working tree; else `folder`.
std::string ProjectOf(const std::string& folder) {
  for (std::string at = folder; at != "/" && !at.empty(); at = DirName(at)) {
    if (FileExists(JoinPath(at, ".git"))) return at;
  }
  return folder;
}

// One call of the hook.
class Hook {
 public:
  Hook(const CliContext& context, const AgentHost& host, const HookCall& call)
      : context_(context), host_(host), call_(call) {}

  // Whether the folder of the call is one that can be judged; else why not.
  absl::Status FindWorkspace() {
    STILE_ASSIGN_OR_RETURN(const std::string folder,
                           ResolveFolder(call_.folder.empty() ? "." : call_.folder));
    workspace_ = ProjectOf(folder);
    const auto home = context_.environment.find("HOME");
    const bool is_home =
        home != context_.environment.end() && RealPath(home->second).value_or("") == workspace_;
    if (is_home || workspace_ == "/") {
      return absl::FailedPreconditionError(
          absl::StrCat(workspace_, " is not a project, so nothing in it is judged"));
    }
    key_ = absl::StrCat(host_.id, ":", call_.session.empty() ? workspace_ : call_.session);
    return absl::OkStatus();
  }

  // At the beginning of a turn; after a refusal the session is open still.
  absl::Status Start() {
    STILE_ASSIGN_OR_RETURN(const std::optional<OpenSession> session, Find());
    return session.has_value() ? absl::OkStatus() : Open().status();
  }

  // What the host reads at the end of a turn.
  std::string Stop() {
    const absl::StatusOr<RunResult> result = Finish();
    if (!result.ok()) return NoAnswer(std::string(result.status().message()));
    if (result->stays_open && result->reason != StopReason::kGateFailed) {
      return NoAnswer(result->message);
    }
    if (result->stays_open) {
      return RefusalReply(
          host_, absl::StrCat("Stile's gate refuses the end of this turn.\n", result->message,
                              "\nMend this, then end the turn; the files are judged again."));
    }
    if (!result->ok()) {
      return EndingReply(host_, absl::StrCat("Stile's gate has refused for good: ", result->message,
                                             "\nThe files are as they are: NOT accepted."));
    }
    if (result->outcome == RunState::kUnchanged) return "";
    const std::string files = Count(result->changed.size(), "changed file");
    return NoticeReply(host_, result->certificate.has_value()
                                  ? absl::StrCat("Stile: ", files, " accepted (", id_, ")")
                                  : absl::StrCat("Stile: ", files, ", not judged: ",
                                                 result->message.empty() ? "gate.mode is observe"
                                                                         : result->message));
  }

 private:
  // The gate gave no verdict. No agent can mend that, so that it is refused once only.
  std::string NoAnswer(const std::string& why) const {
    const std::string text =
        absl::StrCat("Stile could not judge what was changed, so it is NOT accepted: ", why);
    if (!call_.is_again) return RefusalReply(host_, text);
    WriteAll(STDERR_FILENO, absl::StrCat("stile: ", Printable(text), "\n"));
    return EndingReply(host_, text);
  }

  absl::StatusOr<std::optional<OpenSession>> Find() const {
    STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> open,
                           Runs::Open(context_.environment)->OpenSessions(""));
    for (OpenSession& session : open) {
      if (session.work.key == key_) return std::move(session);
    }
    return std::nullopt;
  }

  absl::StatusOr<OpenSession> Open() const {
    AgentFlags flags;
    flags.workspace = workspace_;
    STILE_ASSIGN_OR_RETURN(const AgentOptions options, MakeAgentOptions(context_, flags));
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(options));
    OpenSession session;
    session.work = {host_.id, key_, SettingsOf(flags.config)};
    session.workspace = workspace_;
    STILE_ASSIGN_OR_RETURN(session.id, agent->OpenSession(session.work));
    return session;
  }

  absl::StatusOr<RunResult> Finish() {
    STILE_ASSIGN_OR_RETURN(std::optional<OpenSession> session, Find());
    // The beginning of the turn was missed. Uncommitted changes count then.
    if (!session.has_value()) {
      STILE_ASSIGN_OR_RETURN(session, Open());
    }
    id_ = session->id;
    STILE_ASSIGN_OR_RETURN(AgentOptions options, OptionsOf(context_, *session, true));
    int64_t& limit = options.config.limits.wall_time_s;
    const int64_t own = absl::ToInt64Seconds(host_.time_limit);
    limit = limit > 0 ? std::min(limit, own) : own;
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(options));
    return agent->FinishSession(session->id, /*give_up=*/false);
  }

  const CliContext& context_;
  const AgentHost& host_;
  const HookCall& call_;
  std::string workspace_;
  std::string key_;
  std::string id_;
};

int RunHook(const CliContext& context, const HookFlags& flags) {
  const auto host = FindAgentHost(flags.host);
  if (!host.ok()) return UsageError(host.status().message());
  if (flags.event != kStart && flags.event != kStop) {
    return UsageError(absl::StrCat("the event is start or stop, not '", flags.event, "'"));
  }
  const bool is_stop = flags.event == kStop;
  const auto input = ReadStandardInput(kMaxInputBytes);
  const auto call = input.ok() ? ReadHookCall(**host, *input, context.environment)
                               : absl::StatusOr<HookCall>(input.status());
  // Exit status 2 would be a refusal for some hosts, also at the beginning of a turn.
  const auto fail = [](const absl::Status& why) {
    ReportStatus(why);
    return 1;
  };
  if (!call.ok()) {
    if (is_stop) Print(RefusalReply(**host, std::string(call.status().message())));
    return is_stop ? 0 : fail(call.status());
  }
  if (call->is_foreign) return 0;
  Hook hook(context, **host, *call);
  if (const absl::Status status = hook.FindWorkspace(); !status.ok()) {
    if (is_stop) Print(NoticeReply(**host, absl::StrCat("Stile: ", status.message())));
    return is_stop ? 0 : fail(status);
  }
  if (!is_stop) {
    const absl::Status status = hook.Start();
    return status.ok() ? 0 : fail(status);
  }
  Print(hook.Stop());
  return 0;
}

}  // namespace

void DeclareGateHook(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<HookFlags>();
  app->add_option("host", flags->host, "claude, codex, gemini, …")->required();
  app->add_option("event", flags->event, "start or stop")->required();
  app->footer(
      "Coding agents call this at the beginning and at the end of each turn; `stile gate install`\n"
      "writes it into their settings. It reads the host's JSON from standard input and answers in "
      "the\n"
      "host's own form. The exit code is 0 also for a refusal.");
  OnCommand(app, [flags, context] { return RunHook(*context, *flags); });
}

}  // namespace stile
