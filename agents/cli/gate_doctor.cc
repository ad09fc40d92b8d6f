#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/agent.h"
#include "agents/api/language_status.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/gate_hook.h"
#include "agents/cli/host_settings.h"
#include "agents/cli/output.h"
#include "agents/hooks/hook_settings.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/process/process_runner.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::Duration kTimeout = absl::Minutes(2);

struct DoctorFlags {
  std::string host;
  AgentFlags agent;
};

// A file that does not compile, and one that does.
struct Sample {
  const char* language;
  const char* file;
  const char* bad;
  const char* good;
};
constexpr Sample kSamples[] = {
    {"python", "sample.py", "def add(a, b)\n    return a + b\n",
     "def add(a, b):\n    return a + b\n"},
    {"c", "sample.c", "int add(int a) { return a + b; }\n", "int add(int a) { return a; }\n"},
    {"cpp", "sample.cc", "int add(int a) { return a + b; }\n", "int add(int a) { return a; }\n"},
    {"javascript", "sample.js", "function add(a { return a; }\n",
     "function add(a) { return a; }\n"},
    {"java", "Sample.java", "class Sample { int a() { return b; } }\n",
     "class Sample { int a() { return 1; } }\n"},
};

// What came of one hook.
struct Finding {
  bool ok = false;
  std::string text;
};

// A folder of its own, gone with the object.
class Scratch {
 public:
  // Internal: it cannot be made.
  static absl::StatusOr<std::unique_ptr<Scratch>> Make() {
    std::string name = "/tmp/stile-doctor-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return ErrnoStatus(errno, "make a folder in", "/tmp");
    auto scratch = std::unique_ptr<Scratch>(new Scratch(RealPath(name).value_or(name)));
    STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(scratch->project()));
    return scratch;
  }
  ~Scratch() { RemoveTree(root_).IgnoreError(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string project() const { return JoinPath(root_, "project"); }
  std::string state() const { return JoinPath(root_, "state"); }

 private:
  explicit Scratch(std::string root) : root_(std::move(root)) {}

  const std::string root_;
};

// Plays turns of a host: the commands of its settings, as its shell runs them.
class Play {
 public:
  Play(const CliContext& context, const AgentHost& host, std::vector<HookCommandParts> commands)
      : host_(host), commands_(std::move(commands)), environment_(context.environment) {}

  absl::StatusOr<Finding> Run(const Sample& sample) {
    STILE_ASSIGN_OR_RETURN(scratch_, Scratch::Make());
    environment_["STILE_STATE_DIR"] = scratch_->state();
    if (!host_.folder_variable.empty()) environment_[host_.folder_variable] = scratch_->project();
    STILE_RETURN_IF_ERROR(Call("start").status());
    STILE_RETURN_IF_ERROR(Write(sample.file, sample.bad));
    STILE_ASSIGN_OR_RETURN(const std::string refusal, Call("stop"));
    if (!IsRefusal(refusal)) {
      return Finding{false, absl::StrCat("did NOT refuse a turn that left ", sample.file,
                                         " broken; it answered: ", Shown(refusal))};
    }
    if (!absl::StrContains(refusal, sample.file)) {
      return Finding{false, absl::StrCat("refused, but for another reason: ", Shown(refusal))};
    }
    STILE_RETURN_IF_ERROR(Write(sample.file, sample.good));
    STILE_ASSIGN_OR_RETURN(const std::string answer, Call("stop"));
    if (IsRefusal(answer)) {
      return Finding{false,
                     absl::StrCat("refused a turn that left everything in order: ", Shown(answer))};
    }
    return Finding{true, "refuses a turn that leaves broken code, and accepts it when mended"};
  }

 private:
  absl::Status Write(const std::string& file, const std::string& text) const {
    return DiskFileSystem()->WriteFile(JoinPath(scratch_->project(), file), text, 0600, false);
  }

  absl::StatusOr<std::string> Call(const std::string& event) const {
    for (const HookCommandParts& command : commands_) {
      if (command.event != event) continue;
      ProcessRequest request;
      request.argv = {"sh", "-c", absl::StrCat(HookCommand(host_, command.program), event)};
      request.cwd = scratch_->project();
      request.env = environment_;
      const OrderedJson sample = ParseOrderedJson(DumpJson(host_.sample)).value_or(OrderedJson());
      request.stdin_text = DumpOrderedJson(
          WithText(WithText(sample, kFolderMark, scratch_->project()), kSessionMark, "doctor"), -1);
      request.timeout = kTimeout;
      STILE_ASSIGN_OR_RETURN(const ProcessResult result, NewLocalProcessRunner()->Run(request));
      if (result.ok()) return result.out;
      return absl::FailedPreconditionError(absl::StrCat(
          "its command for the ", event == "start" ? "beginning" : "end", " of a turn: ",
          result.Description(), result.err.empty() ? "" : absl::StrCat(": ", Shown(result.err))));
    }
    return absl::FailedPreconditionError(absl::StrCat("the settings have no command for the ",
                                                      event == "start" ? "beginning" : "end",
                                                      " of a turn; install the hook anew"));
  }

  static std::string Shown(const std::string& text) {
    return text.empty() ? "nothing" : FitColumns(OneLine(text), 300);
  }

  // Every constant member of the host's form is there.
  bool IsRefusal(const std::string& answer) const {
    const auto json = ParseJson(answer);
    if (!json.ok() || !json->is_object()) return false;
    for (const auto& [key, value] : host_.refusal.items()) {
      const Json* const member = JsonMember(*json, key);
      if (member == nullptr || !member->is_string()) return false;
      const std::string wanted = value.get<std::string>();
      if (wanted != kTextMark && member->get<std::string>() != wanted) return false;
    }
    return true;
  }

  const AgentHost& host_;
  const std::vector<HookCommandParts> commands_;
  Environment environment_;
  std::unique_ptr<Scratch> scratch_;
};

absl::StatusOr<const Sample*> ChooseSample(const CliContext& context) {
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Scratch> scratch, Scratch::Make());
  AgentFlags flags;
  flags.workspace = scratch->project();
  STILE_ASSIGN_OR_RETURN(const AgentOptions options, MakeAgentOptions(context, flags));
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(options));
  for (const Sample& sample : kSamples) {
    for (const LanguageStatus& status : agent->Languages(sample.language)) {
      if (status.level == Level::kBuild && status.toolchain.available) return &sample;
    }
  }
  return absl::FailedPreconditionError(
      "this machine has no compiler with which the hook could be tried; `stile doctor` names them");
}

// nullopt: no hook is installed in that file.
std::optional<Finding> Examine(const CliContext& context, const AgentHost& host,
                               const std::string& file, const Sample& sample) {
  const auto settings = ReadHostFile(file);
  if (!settings.ok()) return Finding{false, std::string(settings.status().message())};
  const auto commands = HookCommandsIn(host, *settings);
  if (!commands.ok()) {
    return Finding{false, absl::StrCat("it cannot be read: ", commands.status().message())};
  }
  if (commands->empty()) return std::nullopt;
  const auto json = ParseJson(*settings);
  if (json.ok() && JsonBool(*json, "disableAllHooks").value_or(false)) {
    return Finding{false, "it has disableAllHooks, so that the host calls none"};
  }
  // A repository's settings could name any program.
  const std::string own = RealPath("/proc/self/exe").value_or("");
  for (const HookCommandParts& command : *commands) {
    if (command.program == own) continue;
    return Finding{false, absl::StrCat("it calls another program, which was not tried: ",
                                       command.program, "; install the hook anew")};
  }
  const absl::StatusOr<Finding> played = Play(context, host, *commands).Run(sample);
  return played.ok() ? *played : Finding{false, std::string(played.status().message())};
}

int Doctor(const CliContext& context, const DoctorFlags& flags) {
  std::vector<const AgentHost*> hosts;
  if (!flags.host.empty()) {
    const auto host = FindAgentHost(flags.host);
    if (!host.ok()) return UsageError(host.status().message());
    hosts.push_back(*host);
  } else {
    for (const AgentHost& host : AgentHosts()) hosts.push_back(&host);
  }
  const auto sample = ChooseSample(context);
  if (!sample.ok()) return ReportStatus(sample.status());
  Json list = Json::array();
  std::string text;
  bool ok = true;
  bool is_any = false;
  for (const AgentHost* host : hosts) {
    bool is_installed = false;
    for (const bool project : {false, true}) {
      const auto file = HostFile(context, *host, project, flags.agent.workspace);
      if (!file.ok()) continue;
      const auto finding = Examine(context, *host, *file, **sample);
      if (!finding.has_value()) continue;
      is_installed = true;
      ok = ok && finding->ok;
      list.push_back({{"host", host->id},
                      {"file", ToUtf8(*file)},
                      {"installed", true},
                      {"ok", finding->ok},
                      {"text", ToUtf8(finding->text)}});
      absl::StrAppend(&text, finding->ok ? "✓ " : "✗ ", host->name, " (", OneLine(*file),
                      "): ", OneLine(finding->text), "\n",
                      host->trust.empty() ? "" : absl::StrCat("  ", host->trust, "\n"));
    }
    is_any = is_any || is_installed;
    if (is_installed) continue;
    list.push_back({{"host", host->id}, {"installed", false}});
    absl::StrAppend(&text, "- ", host->name, ": no hook is installed; stile gate install ",
                    host->id, "\n");
  }
  if (context.json) {
    PrintJson(list);
  } else {
    Print(text);
  }
  return ok && is_any ? 0 : 1;
}

}  // namespace

void DeclareGateDoctor(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<DoctorFlags>();
  app->add_option("host", flags->host, "Only this one");
  DeclareWorkspaceFlag(app, &flags->agent);
  app->footer(
      "Plays a turn for each installed hook, in a folder of its own: the settings' own commands "
      "run, a\n"
      "file that does not compile must be refused, and its mending accepted. Whether the host "
      "calls\n"
      "and obeys the hook is not tried. Exit code 1: a hook failed, or none is installed.");
  OnCommand(app, [flags, context] { return Doctor(*context, *flags); });
}

}  // namespace stile
