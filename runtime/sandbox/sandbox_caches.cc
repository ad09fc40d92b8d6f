#include "runtime/sandbox/sandbox_caches.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/sandbox/sandbox_paths.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Programs make these anew.
constexpr const char* kCaches[] = {"XDG_CACHE_HOME", "GOCACHE",           "GOLANGCI_LINT_CACHE",
                                   "MYPY_CACHE_DIR", "RUFF_CACHE_DIR",    "PYTHONPYCACHEPREFIX",
                                   "PIP_CACHE_DIR",  "UV_CACHE_DIR",      "CCACHE_DIR",
                                   "SCCACHE_DIR",    "YARN_CACHE_FOLDER", "DENO_DIR"};
// These have to be there.
constexpr const char* kTemporary[] = {"TMP", "TEMP", "GOTMPDIR", "CCACHE_TEMPDIR"};
// Where packages are there they are of use without being written.
constexpr const char* kPackages[] = {"GOMODCACHE", "NUGET_PACKAGES"};
// Package caches among settings and state that programs write.
constexpr const char* kHomes[] = {"CARGO_HOME",       "GRADLE_USER_HOME", "GOPATH",
                                  "npm_config_cache", "NPM_CONFIG_CACHE", "MAVEN_USER_HOME",
                                  "DOTNET_CLI_HOME"};

// `path` with the links of its existing part followed; "" for a relative one.
std::string RealPlace(const std::string& path) {
  if (!absl::StartsWith(path, "/")) return "";
  std::string existing = CleanPath(path);
  std::string rest;
  while (existing != "/") {
    if (const absl::StatusOr<std::string> real = RealPath(existing); real.ok()) {
      return rest.empty() ? *real : JoinPath(*real, rest);
    }
    rest = rest.empty() ? BaseName(existing) : JoinPath(BaseName(existing), rest);
    existing = DirName(existing);
  }
  return "/" + rest;
}

class Redirector {
 public:
  Redirector(const Environment& environment, std::string workspace, std::string own_folder,
             SandboxPolicy* policy)
      : environment_(environment),
        workspace_(std::move(workspace)),
        own_folder_(std::move(own_folder)),
        policy_(policy) {}

  void Redirect() {
    std::string home = Variable(environment_, "HOME");
    if (!absl::StartsWith(home, "/") || !IsWritable(RealPlace(home))) {
      home = "/tmp";
      policy_->environment["HOME"] = home;
    }
    caches_ = JoinPath(home, ".cache/stile");
    for (const char* name : kCaches) {
      if (!IsWritable(RealPlace(Variable(environment_, name)))) ToOwn(name);
    }
    for (const char* name : kTemporary) {
      const std::string value = Variable(environment_, name);
      if (!value.empty() && !IsWritable(RealPlace(value))) {
        policy_->redirected[name] = {value, "/tmp"};
      }
    }
    for (const char* name : kPackages) {
      const std::string value = Variable(environment_, name);
      if (!IsWritable(RealPlace(value)) && !HoldsPackages(value)) ToOwn(name);
    }
    for (const char* name : kHomes) RedirectHome(name);
  }

 private:
  bool IsWritable(const std::string& place) const {
    return !place.empty() && AccessInside(place, *policy_) == Access::kWrite;
  }

  bool HoldsPackages(const std::string& folder) const {
    const std::string real = Existing(folder);
    return !real.empty() && DirectoryExists(real) && IsShown(real, *policy_);
  }

  void ToOwn(const std::string& name) {
    const std::string value = Variable(environment_, name);
    if (value.empty()) return;
    policy_->redirected[name] = {value, JoinPath(caches_, name)};
  }

  // A folder that may vanish behind another one: nothing else of ours lies in it.
  bool MayReplace(const std::string& folder) const {
    const std::string home = Existing(Variable(environment_, "HOME"));
    if (IsWithin(workspace_, folder) || (!home.empty() && IsWithin(home, folder))) return false;
    for (const char* system : {"/usr", "/etc", "/bin", "/lib", "/dev", "/proc", "/sys", "/tmp",
                               "/var/tmp", "/opt", "/var", "/srv", "/mnt"}) {
      if (IsWithin(system, folder)) return false;
    }
    return DirectoryExists(folder);
  }

  void RedirectHome(const std::string& name) {
    // GOPATH may be a list.
    const std::vector<std::string> places =
        absl::StrSplit(Variable(environment_, name), ':', absl::SkipEmpty());
    if (places.empty()) return;
    bool redirect = false;
    for (const std::string& place : places) {
      const std::string real = Existing(place);
      if (IsWritable(RealPlace(place))) continue;
      if (!real.empty() && MayReplace(real)) {
        const std::string own = absl::StrCat(name, policy_->replaced.size());
        policy_->replaced[real] = JoinPath(own_folder_, own);
      } else if (real.empty() || !IsShown(real, *policy_)) {
        redirect = redirect || place == places.front();
      } else if (name == "GOPATH" && place == places.front() &&
                 Variable(environment_, "GOMODCACHE").empty() &&
                 !DirectoryExists(JoinPath(real, "pkg/mod"))) {
        // The workspace lies in it.
        policy_->environment["GOMODCACHE"] = JoinPath(caches_, "GOMODCACHE");
      }
    }
    if (redirect) ToOwn(name);
  }

  const Environment& environment_;
  const std::string workspace_;
  const std::string own_folder_;
  SandboxPolicy* const policy_;
  std::string caches_;  // inside
};

}  // namespace

void RedirectCaches(const Environment& environment, const std::string& workspace,
                    const std::string& own_folder, SandboxPolicy* policy) {
  Redirector(environment, workspace, own_folder, policy).Redirect();
}

std::vector<std::string> MavenRepositories(const Environment& environment) {
  std::vector<std::string> found;
  for (const char* name : {"MAVEN_OPTS", "MAVEN_ARGS"}) {
    const std::string value = Variable(environment, name);
    for (absl::string_view word : absl::StrSplit(value, ' ', absl::SkipEmpty())) {
      if (!absl::ConsumePrefix(&word, "-Dmaven.repo.local=")) continue;
      AddPath(Existing(std::string(word)), &found);
    }
  }
  return found;
}

}  // namespace stile
