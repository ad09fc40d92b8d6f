#include "agents/cli/gate_hook.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/api/open_session.h"
#include "agents/api/runs.h"
#include "agents/api/user_folders.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/gate_session.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/output.h"
#include "agents/cli/signals.h"
#include "agents/hooks/hook_protocol.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxInputBytes = size_t{64} << 20;  // it holds the prompt, or the last answer
// Of a host that does not close standard input: what it has written until then counts.
constexpr absl::Duration kInputPatience = absl::Seconds(10);
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
      : context_(context), host_(host), call_(call) {
    std::vector<std::string> folders = call.folders;
    if (folders.empty()) folders.emplace_back(".");
    for (const std::string& folder : folders) {
      absl::StatusOr<std::string> workspace = FindWorkspace(folder);
      if (workspace.ok()) {
        workspaces_.push_back(*std::move(workspace));
      } else {
        no_workspace_ = workspace.status();
      }
    }
    const bool is_named = !call_.session.empty();
    key_ = absl::StrCat(host_.id, ":",
                        is_named              ? call_.session
                        : workspaces_.empty() ? ""
                                              : workspaces_.front());
  }

  // At the beginning of a turn; after a refusal the session is open still.
  absl::Status Start() {
    STILE_ASSIGN_OR_RETURN(const FileLock lock, WaitForOthers());
    STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> sessions, Find());
    STILE_RETURN_IF_ERROR(OpenMissing(&sessions));
    return workspaces_.empty() ? no_workspace_ : absl::OkStatus();
  }

  // What the host reads at the end of a turn. It may have worked in several projects.
  std::string Stop() {
    const absl::StatusOr<FileLock> lock = WaitForOthers();
    if (!lock.ok()) return NoAnswer(lock.status().message());
    absl::StatusOr<std::vector<OpenSession>> sessions = Find();
    if (!sessions.ok()) return NoAnswer(sessions.status().message());
    // Where the beginning of the turn was missed, uncommitted changes count.
    const absl::Status opened = OpenMissing(&*sessions);
    if (!opened.ok()) return NoAnswer(opened.message());
    if (sessions->empty() && absl::IsFailedPrecondition(no_workspace_)) {
      return NoticeReply(host_, absl::StrCat("Stile: ", no_workspace_.message()));
    }
    if (sessions->empty()) return NoAnswer(no_workspace_.message());
    std::string notices;
    for (const OpenSession& session : *sessions) {
      std::string notice;
      if (std::string reply = Judge(session, &notice); !reply.empty()) return reply;
      absl::StrAppend(&notices, notices.empty() || notice.empty() ? "" : "; ", notice);
    }
    return notices.empty() ? "" : NoticeReply(host_, absl::StrCat("Stile: ", notices));
  }

 private:
  // FailedPrecondition: a folder that is never judged. InvalidArgument: there is none.
  absl::StatusOr<std::string> FindWorkspace(const std::string& named) const {
    STILE_ASSIGN_OR_RETURN(const std::string folder, ResolveFolder(named));
    std::string project = ProjectOf(folder);
    const auto home = context_.environment.find("HOME");
    const bool is_home =
        home != context_.environment.end() && RealPath(home->second).value_or("") == project;
    if (!is_home && project != "/") return project;
    return absl::FailedPreconditionError(
        absl::StrCat(project, " is not a project, so nothing in it is judged"));
  }

  // The gate gave no verdict. No agent can mend that, so that it is refused once only.
  std::string NoAnswer(absl::string_view why) const {
    const std::string text =
        absl::StrCat("Stile could not judge what was changed, so it is NOT accepted: ", why);
    if (!call_.is_again) return RefusalReply(host_, text);
    WriteAll(STDERR_FILENO, absl::StrCat("stile: ", Printable(text), "\n"));
    return EndingReply(host_, text);
  }

  // A host may call the hook twice at once, as where its settings of the user and of the project
  // hold it: the second call must see what the first one left. Where no lock can be made it goes
  // on without one. Unavailable: the other call takes all the time that the host gives.
  absl::StatusOr<FileLock> WaitForOthers() const {
    const auto state = StateDir(context_.environment);
    if (!state.ok()) return FileLock();
    const std::string folder = JoinPath(*state, "hooks");
    DiskFileSystem()->MakeDirs(folder).IgnoreError();
    absl::StatusOr<FileLock> lock = AwaitFileLock(JoinPath(folder, Sha256Hex(key_).substr(0, 2)),
                                                  TimeLeft(), SystemClock(), CancelOnSignals());
    if (absl::IsUnavailable(lock.status())) return FileLock();
    if (!absl::IsDeadlineExceeded(lock.status())) return lock;
    return absl::UnavailableError("another call of the hook has not ended in time");
  }

  // Of the host's limit, less a margin; it counts from the beginning of the call.
  absl::Duration TimeLeft() const {
    return host_.time_limit - (SystemClock()->Monotonic() - began_);
  }

  // Of the host's session, in whatever folder.
  absl::StatusOr<std::vector<OpenSession>> Find() const {
    STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> open,
                           Runs::Open(context_.environment)->OpenSessions(""));
    open.erase(
        std::remove_if(open.begin(), open.end(),
                       [this](const OpenSession& session) { return session.work.key != key_; }),
        open.end());
    return open;
  }

  // Opens a session in each folder of the call that has none among `sessions`, and adds it.
  absl::Status OpenMissing(std::vector<OpenSession>* sessions) const {
    for (const std::string& workspace : workspaces_) {
      const bool is_open = std::any_of(
          sessions->begin(), sessions->end(),
          [&](const OpenSession& session) { return session.workspace == ToUtf8(workspace); });
      if (is_open) continue;
      STILE_ASSIGN_OR_RETURN(OpenSession session, Open(workspace));
      sessions->push_back(std::move(session));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<OpenSession> Open(const std::string& workspace) const {
    AgentFlags flags;
    flags.workspace = workspace;
    STILE_ASSIGN_OR_RETURN(const AgentOptions options, MakeAgentOptions(context_, flags));
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(options));
    OpenSession session;
    session.work = {host_.id, key_, SettingsOf(flags.config)};
    session.workspace = workspace;
    STILE_ASSIGN_OR_RETURN(session.id, agent->OpenSession(session.work));
    return session;
  }

  absl::StatusOr<RunResult> Finish(const OpenSession& session) const {
    STILE_ASSIGN_OR_RETURN(AgentOptions options, OptionsOf(context_, session, /*alongside=*/true));
    int64_t& limit = options.config.limits.wall_time_s;
    const int64_t own = absl::ToInt64Seconds(TimeLeft());
    if (own <= 0) return absl::UnavailableError("no time is left to judge the files");
    limit = limit > 0 ? std::min(limit, own) : own;
    STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(options));
    return agent->FinishSession(session.id, /*give_up=*/false);
  }

  // "": the session is accepted, and `notice` says so where there is something to say.
  std::string Judge(const OpenSession& session, std::string* notice) const {
    const absl::StatusOr<RunResult> result = Finish(session);
    if (!result.ok()) return NoAnswer(result.status().message());
    const bool is_refusal = result->reason == StopReason::kGateFailed;
    if (result->stays_open && !is_refusal) return NoAnswer(result->message);
    if (result->stays_open) {
      return RefusalReply(
          host_, absl::StrCat("Stile's gate refuses the end of this turn.\n", result->message,
                              "\nMend this, then end the turn; the files are judged again."));
    }
    if (!result->ok()) {
      const std::string text = absl::StrCat("Stile's gate has refused for good: ", result->message,
                                            "\nThe files are as they are: NOT accepted.");
      WriteAll(STDERR_FILENO, absl::StrCat("stile: ", Printable(text), "\n"));
      // A host without a way to end has to hear of it all the same; its own limit lets it go.
      return host_.ending.is_null() ? RefusalReply(host_, text) : EndingReply(host_, text);
    }
    if (result->outcome == RunState::kUnchanged) return "";
    const std::string files = Count(result->changed.size(), "changed file");
    const bool is_judged = result->certificate.has_value();
    *notice = absl::StrCat(files, is_judged ? " accepted" : " not judged, gate.mode is observe",
                           " (", session.id, ")");
    return "";
  }

  const CliContext& context_;
  const AgentHost& host_;
  const HookCall& call_;
  std::vector<std::string> workspaces_;
  absl::Status no_workspace_;  // why one of the folders is none
  std::string key_;
  const absl::Duration began_ = SystemClock()->Monotonic();
};

int RunHook(const CliContext& context, const HookFlags& flags) {
  const auto host = FindAgentHost(flags.host);
  if (!host.ok()) return UsageError(host.status().message());
  if (flags.event != kStart && flags.event != kStop) {
    return UsageError(absl::StrCat("the event is start or stop, not '", flags.event, "'"));
  }
  const bool is_stop = flags.event == kStop;
  const auto input = ReadStandardInput(kMaxInputBytes, kInputPatience);
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
  if (is_stop) {
    Print(hook.Stop());
    return 0;
  }
  const absl::Status status = hook.Start();
  return status.ok() ? 0 : fail(status);
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
