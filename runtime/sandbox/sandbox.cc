#include "runtime/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/threads.h"
#include "runtime/process/syscall_filter.h"
#include "runtime/process/unique_fd.h"
#include "runtime/sandbox/registry_settings.h"
#include "runtime/sandbox/sandbox_caches.h"
#include "runtime/sandbox/sandbox_paths.h"
#include "runtime/sandbox/sandbox_programs.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Other people's files, sockets of services (a container engine's is a door to everything), secrets
// that an ordinary machine keeps where root can read them.
constexpr const char* kHidden[] = {"/root",
                                   "/home",
                                   "/run",
                                   "/var/run",
                                   "/etc/shadow",
                                   "/etc/shadow-",
                                   "/etc/gshadow",
                                   "/etc/gshadow-",
                                   "/etc/ssh",
                                   "/etc/ssl/private",
                                   "/etc/krb5.keytab",
                                   "/etc/kubernetes",
                                   "/var/lib/kubelet",
                                   "/var/lib/docker",
                                   "/var/spool/cron"};
uint64_t MachineBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void StripSetIds(const std::string& folder, time_t since) {
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (Walk walk(folder, options, error); !error && walk != Walk(); walk.increment(error)) {
    const char* const path = walk->path().c_str();
    struct stat info {};
    const auto is_meant = [&] {
      return S_ISREG(info.st_mode) && (info.st_mode & (S_ISUID | S_ISGID)) != 0 &&
             info.st_ctim.tv_sec >= since;
    };
    if (lstat(path, &info) != 0 || !is_meant()) continue;
    // Its owner may not be able to read it.
    const bool is_readable = (info.st_mode & S_IRUSR) != 0;
    const UniqueFd file(
        open(path, (is_readable ? O_RDONLY : O_WRONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 || fstat(file.get(), &info) != 0 || !is_meant()) continue;
    fchmod(file.get(), info.st_mode & 0777);
  }
}

bool LooksSecret(absl::string_view variable) {
  const std::string name = absl::AsciiStrToUpper(variable);
  for (const absl::string_view part :
       {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "API_KEY", "APIKEY",
        "PRIVATE_KEY", "ACCESS_KEY", "AUTH_SOCK", "CONNECTION_STRING"}) {
    if (absl::StrContains(name, part)) return true;
  }
  return absl::EndsWith(name, "_KEY") || absl::EndsWith(name, "_PAT") ||
         absl::EndsWith(name, "_DSN") || name == "DATABASE_URL";
}

// The sandbox where there is one, else the plain runner.
class RunSandbox::Chosen : public ProcessRunner {
 public:
  // All but kJudges and kServers get less of an environment. The network is that of the settings
  // (kCommands), that of the request (kJudges, kPackages, kServers), or none.
  enum class Kind { kCommands, kIsolated, kJudges, kPackages, kResolvers, kServers };
  Chosen(RunSandbox* owner, Kind kind) : owner_(owner), kind_(kind) {}

  void SetPolicy(SandboxPolicy policy) {
    sandboxed_ =
        std::make_shared<SandboxedRunner>(owner_->program_, std::move(policy), owner_->runner_);
  }
  const std::shared_ptr<SandboxedRunner>& sandboxed() const { return sandboxed_; }

  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override {
    if (!owner_->active()) return owner_->runner_->Run(request);
    if (kind_ == Kind::kJudges) return sandboxed_->Run(request);
    if (kind_ != Kind::kResolvers) owner_->commands_ran_ = true;
    if (kind_ == Kind::kServers) return sandboxed_->Run(request);
    ProcessRequest command = request;
    if (kind_ == Kind::kCommands) command.network = owner_->settings_.network;
    if (kind_ == Kind::kIsolated || kind_ == Kind::kResolvers) command.network = false;
    command.env = owner_->CommandEnvironment(request.env);
    return sandboxed_->Run(command);
  }

 private:
  RunSandbox* const owner_;
  const Kind kind_;
  std::shared_ptr<SandboxedRunner> sandboxed_;
};

RunSandbox::RunSandbox(SandboxSettings settings, SandboxPlace place, ProcessRunner* runner)
    : settings_(std::move(settings)),
      place_(std::move(place)),
      runner_(runner),
      scratch_(JoinPath(place_.workspace_dir, "sandbox")),
      commands_(std::make_unique<Chosen>(this, Chosen::Kind::kCommands)),
      judges_(std::make_unique<Chosen>(this, Chosen::Kind::kJudges)),
      isolated_(std::make_unique<Chosen>(this, Chosen::Kind::kIsolated)),
      packages_(std::make_unique<Chosen>(this, Chosen::Kind::kPackages)),
      resolvers_(std::make_unique<Chosen>(this, Chosen::Kind::kResolvers)),
      servers_(std::make_unique<Chosen>(this, Chosen::Kind::kServers)) {}

RunSandbox::~RunSandbox() {
  if (look_.valid()) look_.wait();
  if (commands_ran_) StripSetIds(place_.workspace, opened_at_);
}

SandboxPolicy RunSandbox::CommonPolicy(const LanguageRegistry& languages) const {
  const Environment& environment = place_.environment;
  SandboxPolicy policy;
  for (const char* path : kHidden) AddPath(Existing(path), &policy.hidden);
  AddPath(Existing(place_.state_dir), &policy.hidden);
  AddPath(Existing(place_.config_dir), &policy.hidden);
  for (const std::string& path : place_.secrets) AddPath(Expand(path, environment), &policy.hidden);
  // A workspace that is everything leaves nothing to hide around it.
  for (const std::string& name : HomeSecrets()) {
    const std::string path = Existing(JoinPath(place_.workspace, name));
    if (Existing(Variable(environment, "HOME")) == place_.workspace) AddPath(path, &policy.hidden);
  }
  for (const Language& language : languages.languages()) {
    for (const std::string& path : language.sandbox.read) {
      AddPath(Expand(path, environment), &policy.read_only);
    }
  }
  for (const std::string& path : place_.repositories) AddPath(Existing(path), &policy.read_only);
  policy.read_only.push_back(place_.outputs);
  for (const std::string& path : settings_.read)
    AddPath(Expand(path, environment), &policy.read_only);
  for (const std::string& path : settings_.write)
    AddPath(Expand(path, environment), &policy.writable);
  policy.max_rss_bytes = settings_.memory_mb > 0 ? static_cast<uint64_t>(settings_.memory_mb) << 20
                                                 : MachineBytes() / 4 * 3;
  policy.max_processes = settings_.processes;
  policy.max_disk_bytes = static_cast<uint64_t>(settings_.disk_mb) * 1'000'000;
  policy.disk_folders = {place_.workspace, place_.workspace_dir};
  if (!Variable(environment, "TMPDIR").empty()) policy.environment["TMPDIR"] = "/tmp";
  return policy;
}

namespace {

// What stands at the places of /tmp and of the user's home.
void Replace(const std::string& home, const std::string& own_home, const std::string& own_tmp,
             SandboxPolicy* policy) {
  policy->replaced[Existing("/tmp")] = own_tmp;
  if (const std::string other = Existing("/var/tmp"); !other.empty()) {
    policy->replaced[other] = own_tmp;
  }
  if (!home.empty()) policy->replaced[home] = own_home;
  policy->home = home;
  policy->replaced.erase("");
}

ProgramPlaces ProgramPlacesOf(const SandboxPlace& place) {
  ProgramPlaces programs{place.workspace, place.secrets, place.environment};
  for (std::string& path : programs.private_paths) path = Expand(path, place.environment);
  programs.private_paths.push_back(Existing(place.state_dir));
  programs.private_paths.push_back(Existing(place.config_dir));
  // Commands of workflows may name this program, which need not be on the PATH.
  if (const auto own = ReadLink("/proc/self/exe"); own.ok()) {
    std::string& path = programs.environment["PATH"];
    path = absl::StrCat(path, path.empty() ? "" : ":", DirName(*own));
  }
  return programs;
}

}  // namespace

absl::Status RunSandbox::MakeFolders() const {
  for (const auto* policy :
       {&command_policy_, &judge_policy_, &package_policy_, &resolver_policy_}) {
    for (const auto& [path, source] : policy->replaced) {
      STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(source));
      // As /tmp is, for programs that are somebody else inside.
      chmod(source.c_str(), 0700);
    }
  }
  return absl::OkStatus();
}

void RunSandbox::MakePolicies(const LanguageRegistry& languages) {
  const Environment& environment = place_.environment;
  const std::string home = Existing(Variable(environment, "HOME"));
  command_policy_ = CommonPolicy(languages);
  judge_policy_ = command_policy_;
  Replace(home, JoinPath(place_.workspace_dir, "sandbox/command-home"), scratch_.Sub("command-tmp"),
          &command_policy_);
  Replace(home, scratch_.Sub("judge-home"), scratch_.Sub("judge-tmp"), &judge_policy_);
  command_policy_.writable.push_back(place_.workspace);
  judge_policy_.read_only.push_back(place_.workspace);
  for (const Language& language : languages.languages()) {
    for (const std::string& path : language.sandbox.caches) {
      AddPath(Expand(path, environment), &command_policy_.read_only);
      AddPath(Expand(path, environment), &judge_policy_.writable);
    }
    for (const std::string& path : language.sandbox.settings) {
      AddPath(Expand(path, environment), &judge_policy_.read_only);
    }
  }
  for (const std::string& path : MavenRepositories(environment)) {
    AddPath(path, &judge_policy_.writable);
  }
  RedirectCaches(environment, place_.workspace, scratch_.Sub("command-caches"), &command_policy_);
  RedirectCaches(environment, place_.workspace, scratch_.Sub("judge-caches"), &judge_policy_);
  const ProgramPlaces programs = ProgramPlacesOf(place_);
  ShowPrograms(programs, &command_policy_);
  ShowPrograms(programs, &judge_policy_);
  // Homes and temporary files are no way from a package's scripts to a judge.
  package_policy_ = judge_policy_;
  Replace(home, scratch_.Sub("package-home"), scratch_.Sub("package-tmp"), &package_policy_);
  ShowRegistrySettings(environment, settings_, languages, scratch_.Sub("registries"),
                       &judge_policy_, &package_policy_, &command_policy_);
  resolver_policy_ = command_policy_;
  std::vector<std::string>& writable = resolver_policy_.writable;
  writable.erase(std::remove(writable.begin(), writable.end(), place_.workspace), writable.end());
  resolver_policy_.read_only.push_back(place_.workspace);
}

absl::StatusOr<std::unique_ptr<RunSandbox>> RunSandbox::Open(const SandboxSettings& settings,
                                                             SandboxPlace place,
                                                             const LanguageRegistry& languages,
                                                             ProcessRunner* runner) {
  auto sandbox = std::unique_ptr<RunSandbox>(new RunSandbox(settings, std::move(place), runner));
  RunSandbox& self = *sandbox;
  self.MakePolicies(languages);
  if (settings.mode == SandboxSettings::Mode::kOff) {
    self.status_ = absl::UnavailableError("off");
  } else if (const absl::Status begun = self.Begin(); !begun.ok()) {
    self.status_ = absl::UnavailableError(absl::StrCat("none: ", begun.message()));
  } else {
    self.SetPolicies();
    self.look_ = std::async(kAsyncIfPossible, [&self, commands = self.commands_->sandboxed()] {
      return self.Look(commands.get());
    });
  }
  if (settings.mode == SandboxSettings::Mode::kRequired && !self.active()) {
    return absl::InvalidArgumentError(
        absl::StrCat("sandbox: required, but there is ", self.description()));
  }
  return sandbox;
}

absl::Status RunSandbox::Begin() {
  // Where systems keep it, before a PATH on which an earlier run may have put something.
  auto program = FindExecutable("bwrap", {{"PATH", "/usr/bin:/bin:/usr/local/bin"}});
  if (!program.ok()) program = FindExecutable("bwrap", place_.environment);
  if (!program.ok()) {
    return absl::NotFoundError("bubblewrap is not installed (apt-get install bubblewrap)");
  }
  if (IsWithin(Existing(*program), place_.workspace)) {
    return absl::NotFoundError(absl::StrCat(*program, " lies in the workspace"));
  }
  program_ = *std::move(program);
  return MakeFolders();
}

absl::Status RunSandbox::Look(SandboxedRunner* commands) {
  STILE_ASSIGN_OR_RETURN(version_, BubblewrapVersion(program_, place_.environment, runner_));
  return CheckSandbox(commands, place_.workspace, place_.environment);
}

void RunSandbox::Protect(const std::vector<std::string>& git_directories) {
  const size_t before = command_policy_.read_only.size();
  for (const std::string& path : git_directories) {
    AddPath(path, &command_policy_.read_only);
    AddPath(path, &judge_policy_.read_only);
    AddPath(path, &package_policy_.read_only);
    AddPath(path, &resolver_policy_.read_only);
  }
  // The sandbox that was made for the look serves on where nothing is added.
  if (command_policy_.read_only.size() != before) SetPolicies();
}

void RunSandbox::SetPolicies() {
  commands_->SetPolicy(command_policy_);
  judges_->SetPolicy(judge_policy_);
  isolated_->SetPolicy(command_policy_);
  packages_->SetPolicy(package_policy_);
  resolvers_->SetPolicy(resolver_policy_);
  servers_->SetPolicy(command_policy_);
}

std::vector<std::string> RunSandbox::ProgramWrapper(const std::string& git_dir,
                                                    const std::string& common_dir) {
  if (!active()) return {};
  SandboxPolicy policy = command_policy_;
  // A home in which no command has left anything.
  if (!policy.home.empty()) policy.replaced[policy.home] = scratch_.Sub("hook-home");
  DiskFileSystem()->MakeDirs(scratch_.Sub("hook-home")).IgnoreError();
  policy.writable.push_back(git_dir);
  policy.writable.push_back(common_dir);
  // What is missing cannot be shown read-only. An empty folder is as good as none to git.
  for (const char* name : {"hooks", "info"}) {
    DiskFileSystem()->MakeDirs(JoinPath(common_dir, name)).IgnoreError();
  }
  for (const std::string& folder : {git_dir, common_dir}) {
    for (const char* name : {"commondir", "config.worktree"}) {
      const std::string path = JoinPath(folder, name);
      if (!FileExists(path)) AddPath(path, &policy.kept_absent);
    }
  }
  for (const char* name :
       {"hooks", "config", "config.worktree", "info", "modules", "worktrees", "commondir"}) {
    // Of a worktree, its own folder among them stays writable.
    policy.read_only.push_back(JoinPath(common_dir, name));
    policy.read_only.push_back(JoinPath(git_dir, name));
  }
  const std::string filter = scratch_.Sub("syscall-filter");
  if (const std::string bytes = SyscallFilterBytes();
      !bytes.empty() && DiskFileSystem()->MakeDirs(DirName(filter)).ok() &&
      DiskFileSystem()->WriteFile(filter, bytes, 0600, /*sync=*/false).ok()) {
    policy.filter_file = filter;
  }
  std::vector<std::string> hidden;
  for (const auto& [name, value] : InheritedEnvironment()) {
    if (!IsForCommands(name)) hidden.push_back(name);
  }
  return SandboxedRunner(program_, std::move(policy), runner_).Wrapper(hidden);
}

ProcessRunner* RunSandbox::commands() { return commands_.get(); }
ProcessRunner* RunSandbox::judges() { return judges_.get(); }
ProcessRunner* RunSandbox::isolated() { return isolated_.get(); }
ProcessRunner* RunSandbox::packages() { return packages_.get(); }
ProcessRunner* RunSandbox::resolvers() { return resolvers_.get(); }
ProcessRunner* RunSandbox::servers() { return servers_.get(); }

const absl::Status& RunSandbox::Status() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!status_.has_value()) {
    status_ = look_.get();
    if (!status_->ok()) {
      status_ = absl::UnavailableError(absl::StrCat("none: ", status_->message()));
    }
  }
  return *status_;
}

bool RunSandbox::active() { return Status().ok(); }

std::string RunSandbox::description() {
  const absl::Status& status = Status();
  if (!status.ok()) return std::string(status.message());
  return absl::StrCat(version_, settings_.network ? ", network" : "");
}

std::string RunSandbox::limits() {
  if (!active()) return "";
  return absl::StrCat("limits of one command: ", command_policy_.max_rss_bytes >> 20,
                      " MB of memory, ", command_policy_.max_processes, " processes, ",
                      int64_t{command_policy_.max_processes} * kThreadsPerProcess, " threads, ",
                      settings_.disk_mb, " MB of disk; watched every 100 ms, no cgroup");
}

Environment RunSandbox::CommandEnvironment(const Environment& environment) const {
  Environment kept;
  for (const auto& [name, value] : environment) {
    if (IsForCommands(name)) kept.emplace(name, RegistryVariable(name, value));
  }
  return kept;
}

bool RunSandbox::IsForCommands(const std::string& variable) const {
  const std::vector<std::string>& wanted = settings_.environment;
  return !LooksSecret(variable) ||
         std::find(wanted.begin(), wanted.end(), variable) != wanted.end();
}

}  // namespace stile
