#include "runtime/sandbox/sandbox_programs.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/sandbox/sandbox_paths.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxEntries = 5000;  // of one folder of the PATH
constexpr int kMaxHops = 40;          // as the kernel follows links
constexpr size_t kMaxConfigBytes = size_t{64} << 10;

// Folders of the system itself hold no links into homes.
bool IsSystemFolder(const std::string& folder) {
  return folder == "/usr/bin" || folder == "/usr/sbin" || folder == "/bin" || folder == "/sbin";
}

bool IsProgramFolder(const std::string& folder) {
  const std::string name = BaseName(folder);
  return name == "bin" || name == "sbin";
}

bool HasLibraries(const std::string& folder) {
  for (const char* name : {"lib", "lib64", "libexec", "pkg"}) {
    if (DirectoryExists(JoinPath(folder, name))) return true;
  }
  return false;
}

class Shower {
 public:
  Shower(const ProgramPlaces& places, SandboxPolicy* policy)
      : places_(places), policy_(policy), home_(Existing(Variable(places.environment, "HOME"))) {}

  void ShowEntry(const std::string& entry) {
    const std::string folder = Existing(entry);
    if (folder.empty() || IsWithin(places_.workspace, folder)) return;
    if (IsWithin(folder, places_.workspace)) {
      ShowPythonBehind(folder);
      return;
    }
    if (IsSystemFolder(folder)) return;
    const bool was_shown = IsShown(folder, *policy_);
    if (!was_shown) {
      // A folder that is named keeps being shown where programs are installed below .config.
      if (HoldsHome(folder) || IsPrivate(folder) || IsKeyFolder(folder)) return;
      ShowRootOf(folder);
    }
    ShowAlias(CleanPath(entry), folder);
    FollowLinks(folder);
  }

 private:
  bool HoldsHome(const std::string& folder) const {
    return !home_.empty() && IsWithin(home_, folder);
  }

  // State and settings of Stile, and single secrets.
  bool IsPrivate(const std::string& path) const {
    return std::any_of(
        places_.private_paths.begin(), places_.private_paths.end(), [&](const std::string& secret) {
          return !secret.empty() && (IsWithin(path, secret) || IsWithin(secret, path));
        });
  }

  bool IsKeyFolder(const std::string& folder) const {
    return IsSecretPath(folder) && !absl::StrContains(folder, "/.config/") &&
           !absl::StrContains(folder, "/.docker/");
  }

  // Whether a whole folder may be shown that nobody named.
  bool MayShow(const std::string& folder) const {
    if (folder.empty() || folder == "/" || DirName(folder) == "/home" || folder == "/root") {
      return false;
    }
    if (HoldsHome(folder) || IsWithin(places_.workspace, folder)) return false;
    const auto is_around = [&](const std::string& place) { return IsWithin(place, folder); };
    for (const auto& [place, source] : policy_->replaced) {
      if (is_around(place)) return false;
    }
    return std::none_of(policy_->hidden.begin(), policy_->hidden.end(), is_around) &&
           !IsPrivate(folder) && !IsSecretPath(folder) && !HoldsSecrets(folder);
  }

  void Show(const std::string& path) {
    if (!IsShown(path, *policy_)) AddPath(path, &policy_->read_only);
  }

  // What programs in `folder` (which is not shown) need of what lies around them.
  void ShowRootOf(const std::string& folder) {
    constexpr absl::string_view kModules = "/node_modules";
    const size_t modules = absl::StrCat(folder, "/").find(absl::StrCat(kModules, "/"));
    if (modules != std::string::npos) {
      const std::string root = folder.substr(0, modules + kModules.size());
      return Show(MayShow(root) ? root : folder);
    }
    ShowPackageAround(folder);
    const std::string parent = DirName(folder);
    if (BaseName(folder) == "shims") return Show(MayShow(parent) ? parent : folder);
    if (!IsProgramFolder(folder)) return Show(folder);
    const bool is_environment = FileExists(JoinPath(parent, "pyvenv.cfg"));
    // ~/.local and its like hold data of every program.
    const bool is_own_place =
        DirName(parent) == home_ && absl::StartsWith(BaseName(parent), ".") && !is_environment;
    if (MayShow(parent) && !is_own_place && (is_environment || HasLibraries(parent))) {
      Show(parent);
    } else {
      Show(folder);
      for (const char* name : {"lib", "lib64", "libexec"}) {
        const std::string libraries = Existing(JoinPath(parent, name));
        if (!libraries.empty() && MayShow(libraries)) Show(libraries);
      }
    }
    if (is_environment) ShowBaseOf(parent);
  }

  // The npm package that a program in `folder` belongs to (npm link): its package.json, its code
  // and the packages that it uses. The rest of the checkout stays hidden.
  void ShowPackageAround(const std::string& folder) {
    std::string child = folder;
    for (std::string root = folder; root != "/"; child = root, root = DirName(root)) {
      if (HoldsHome(root) || IsWithin(places_.workspace, root)) return;
      const std::string manifest = JoinPath(root, "package.json");
      if (!FileExists(manifest)) continue;
      Show(manifest);
      for (const std::string& name :
           {BaseName(child), std::string("node_modules"), std::string("dist"), std::string("lib"),
            std::string("build")}) {
        const std::string part = Existing(JoinPath(root, name));
        if (DirectoryExists(part) && MayShow(part)) Show(part);
      }
      return;
    }
  }

  // The Python installation that a virtual environment was made with.
  void ShowBaseOf(const std::string& environment) {
    const absl::StatusOr<std::string> text =
        DiskFileSystem()->ReadFile(JoinPath(environment, "pyvenv.cfg"), kMaxConfigBytes);
    if (!text.ok()) return;
    for (absl::string_view line : absl::StrSplit(*text, '\n')) {
      if (!absl::ConsumePrefix(&line, "home")) continue;
      line = absl::StripLeadingAsciiWhitespace(line);
      if (!absl::ConsumePrefix(&line, "=")) continue;
      const std::string named(absl::StripAsciiWhitespace(line));
      const std::string base = Existing(named);
      if (!IsPythonFolder(base)) continue;
      if (!IsShown(base, *policy_)) ShowRootOf(base);
      ShowAlias(CleanPath(named), base);
    }
  }

  static bool IsPythonFolder(const std::string& folder) {
    if (!IsProgramFolder(folder)) return false;
    const auto names = ListDirectory(JoinPath(DirName(folder), "lib"));
    return names.ok() && std::any_of(names->begin(), names->end(), [](const std::string& name) {
             return absl::StartsWith(name, "python") || absl::StartsWith(name, "pypy");
           });
  }

  // Commands may have written this environment: only a Python installation is believed.
  void ShowPythonBehind(const std::string& folder) {
    if (!FileExists(JoinPath(DirName(folder), "pyvenv.cfg"))) return;
    for (const char* name : {"python", "python3"}) {
      const std::string program = Existing(JoinPath(folder, name));
      const std::string base = DirName(program);
      if (program.empty() || IsShown(program, *policy_) ||
          !absl::StartsWith(BaseName(program), "python") || !IsPythonFolder(base)) {
        continue;
      }
      if (MayShow(DirName(base))) Show(DirName(base));
    }
  }

  void FollowLinks(const std::string& folder) {
    const auto names = ListDirectory(folder);
    if (!names.ok()) return;
    for (size_t i = 0; i < names->size() && i < kMaxEntries; ++i) {
      FollowLink(JoinPath(folder, (*names)[i]));
    }
  }

  void FollowLink(std::string path) {
    for (int hop = 0; hop < kMaxHops; ++hop) {
      const absl::StatusOr<std::string> text = ReadLink(path);
      if (!text.ok()) return;
      const std::string target =
          CleanPath(absl::StartsWith(*text, "/") ? *text : JoinPath(DirName(path), *text));
      const std::string folder = Existing(DirName(target));
      if (folder.empty()) return;
      path = JoinPath(folder, BaseName(target));
      if (!FileExists(path)) return;
      if (!IsShown(path, *policy_)) ShowTarget(path);
      if (!IsShown(path, *policy_)) return;  // not to be shown
      ShowAlias(DirName(target), folder);
    }
  }

  // A file or folder that a program's link leads to.
  void ShowTarget(const std::string& path) {
    struct stat info {};
    const bool is_program = stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
                            (info.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
    const bool is_link = ReadLink(path).ok();
    if ((!is_program && !is_link) || IsPrivate(path) || IsSecretPath(path)) return;
    const std::string folder = DirName(path);
    if (MayShow(folder)) return ShowRootOf(folder);
    Show(path);
  }

  // `named` leads to `folder` by links, which are not there inside.
  void ShowAlias(const std::string& named, const std::string& folder) {
    if (named == folder || !absl::StartsWith(named, "/") || !IsShown(folder, *policy_)) return;
    // Where the links themselves are seen they serve.
    if (IsShown(named, *policy_) || IsPrivate(named) || IsWithin(places_.workspace, named)) return;
    policy_->shown.emplace(named, folder);
    if (!IsProgramFolder(named)) return;
    // Its libraries are looked for beside it.
    for (const char* name : {"lib", "lib64", "libexec"}) {
      const std::string libraries = Existing(JoinPath(DirName(folder), name));
      if (!libraries.empty() && IsShown(libraries, *policy_)) {
        policy_->shown.emplace(JoinPath(DirName(named), name), libraries);
      }
    }
  }

  const ProgramPlaces& places_;
  SandboxPolicy* const policy_;
  const std::string home_;
};

}  // namespace

void ShowPrograms(const ProgramPlaces& places, SandboxPolicy* policy) {
  Shower shower(places, policy);
  std::set<absl::string_view> seen;
  const std::string path = Variable(places.environment, "PATH");
  for (const absl::string_view entry : absl::StrSplit(path, ':', absl::SkipEmpty())) {
    if (seen.insert(entry).second) shower.ShowEntry(std::string(entry));
  }
}

}  // namespace stile
