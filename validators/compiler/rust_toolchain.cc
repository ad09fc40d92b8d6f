#include "validators/compiler/rust_toolchain.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

constexpr char kInstallHint[] =
    "install Rust: curl https://sh.rustup.rs -sSf | sh, or apt install cargo rustc";
// Else rustup downloads what rust-toolchain.toml names and is not installed, such as `components`.
constexpr char kAutoInstall[] = "RUSTUP_AUTO_INSTALL";
constexpr size_t kMaxManifestBytes = size_t{4} << 20;

std::string ReadText(const std::string& path) {
  return DiskFileSystem()->ReadFile(path, kMaxManifestBytes).value_or("");
}

// What rustup chooses a toolchain by, as far as files say it.
std::string ToolchainFiles(const Project& project) {
  std::string text;
  for (const std::string& folder : FoldersUpward(project)) {
    for (const char* name : {"rust-toolchain.toml", "rust-toolchain"}) {
      absl::StrAppend(&text, ReadText(JoinPath(JoinPath(project.workspace, folder), name)), "\n");
    }
  }
  return text;
}

// The real program, asked of rustup in the project's folder; `name` itself where there is no
// rustup.
std::string BehindShim(const std::string& name, const Project& project,
                       const Environment& environment, ProcessRunner* runner) {
  const absl::StatusOr<std::string> shim = FindExecutable(name, environment);
  const absl::StatusOr<std::string> rustup = FindExecutable("rustup", environment);
  if (!shim.ok() || !rustup.ok()) return name;
  const absl::StatusOr<std::string> shim_file = RealPath(*shim);
  const absl::StatusOr<std::string> rustup_file = RealPath(*rustup);
  std::error_code error;
  const bool is_shim =
      shim_file.ok() && rustup_file.ok() &&
      (*shim_file == *rustup_file || std::filesystem::equivalent(*shim_file, *rustup_file, error));
  if (!is_shim) return name;
  ProcessRequest request;
  request.argv = {*rustup, "which", name};
  request.cwd = project.absolute_root();
  request.env = environment;
  request.env[kAutoInstall] = "0";
  request.timeout = absl::Seconds(30);
  const absl::StatusOr<ProcessResult> answer = runner->Run(request);
  if (!answer.ok() || !answer->ok()) return name;
  const std::string path(absl::StripAsciiWhitespace(answer->out));
  return absl::StartsWith(path, "/") && FileExists(path) ? path : name;
}

// One section header, key or string of TOML at a time is all that is asked of a manifest here.
struct Manifest {
  bool has_workspace = false;
  std::vector<std::string> members;
  std::vector<std::string> exclude;
  std::vector<std::string> paths;  // of path dependencies
};

Manifest ParseManifest(absl::string_view text) {
  static const Pattern* const kHeader = new Pattern(R"(\s*\[+\s*([^\[\]]+?)\s*\]+\s*(?:#.*)?)");
  static const Pattern* const kList = new Pattern(R"(\s*(members|exclude)\s*=\s*(\[.*))");
  static const Pattern* const kPath =
      new Pattern(R"re((?:^|[\s{,.])path\s*=\s*["']([^"']+)["'])re");
  static const Pattern* const kString = new Pattern(R"re(["']([^"']*)["'](.*))re");
  Manifest manifest;
  std::string section;
  std::vector<std::string>* list = nullptr;
  for (absl::string_view line : SplitLines(text)) {
    std::string name, rest;
    if (list == nullptr && kHeader->Matches(line, &name)) {
      section = name;
      manifest.has_workspace |= name == "workspace" || absl::StartsWith(name, "workspace.");
      continue;
    }
    rest = std::string(line);
    if (list == nullptr && section == "workspace" && kList->Matches(line, &name, &rest)) {
      list = name == "members" ? &manifest.members : &manifest.exclude;
    }
    if (list != nullptr) {
      const bool ends = absl::StrContains(rest, "]");
      std::string value;
      while (kString->IsIn(rest, &value, &rest)) list->push_back(value);
      if (ends) list = nullptr;
    } else if (absl::StrContains(section, "dependencies") && kPath->IsIn(line, &name)) {
      manifest.paths.push_back(name);
    }
  }
  return manifest;
}

}  // namespace

Toolchain FindRustProgram(const std::string& name, const Project& project,
                          const Environment& environment, ProcessRunner* runner) {
  static std::mutex* const mutex = new std::mutex;
  static auto* const known = new std::map<std::string, std::string>;
  std::string key =
      absl::StrCat(name, "\n", project.absolute_root(), "\n", ToolchainFiles(project));
  for (const char* variable : {"PATH", "HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME"}) {
    const auto value = environment.find(variable);
    absl::StrAppend(&key, "\n", value == environment.end() ? "" : value->second);
  }
  std::string program;
  {
    const std::lock_guard<std::mutex> lock(*mutex);
    const auto entry = known->find(key);
    if (entry != known->end() && FileExists(entry->second)) program = entry->second;
  }
  if (program.empty()) {
    program = BehindShim(name, project, environment, runner);
    const std::lock_guard<std::mutex> lock(*mutex);
    if (program != name) (*known)[key] = program;
  }
  ProgramQuery query;
  query.names = {program};
  query.install_hint = kInstallHint;
  return FindToolchain(query, environment, runner);
}

Command CargoCommand(const Toolchain& cargo, const std::vector<std::string>& arguments,
                     const std::string& target_dir) {
  Command command;
  command.argv = {cargo.program};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.set = {{"CARGO_TARGET_DIR", target_dir},
                 {"CARGO_TERM_COLOR", "never"},
                 {"CARGO_NET_RETRY", "0"},
                 {"CARGO_HTTP_TIMEOUT", "15"},
                 {kAutoInstall, "0"},
                 // Empty means none, whatever a configuration file of the project says.
                 {"RUSTC_WRAPPER", ""},
                 {"RUSTC_WORKSPACE_WRAPPER", ""}};
  command.unset = {"RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET_DIR"};
  // Past the shims, which would look for the toolchain again at each start of the compiler.
  for (const char* name : {"rustc", "rustdoc"}) {
    const std::string beside = JoinPath(DirName(cargo.program), name);
    if (FileExists(beside)) command.set[absl::AsciiStrToUpper(name)] = beside;
  }
  return command;
}

std::string CargoWorkspaceRoot(const Project& project) {
  std::string folder = project.absolute_root();
  for (std::string up = folder;; up = DirName(up)) {
    const Manifest manifest = ParseManifest(ReadText(JoinPath(up, "Cargo.toml")));
    if (manifest.has_workspace) {
      const bool excluded = std::any_of(
          manifest.exclude.begin(), manifest.exclude.end(), [&](const std::string& pattern) {
            const std::string path = JoinPath(up, CleanPath(pattern));
            return folder == path || absl::StartsWith(folder, absl::StrCat(path, "/"));
          });
      if (!excluded) return up;
    }
    if (up == "/" || up == ".") return folder;
  }
}

std::vector<std::string> CargoDependencies(const Project& project) {
  std::set<std::string> folders;
  const auto add = [&](const std::string& absolute) {
    const std::string clean = CleanPath(absolute);
    if (!absl::StartsWith(clean, absl::StrCat(project.workspace, "/"))) return;
    if (!FileExists(JoinPath(clean, "Cargo.toml"))) return;
    folders.insert(clean.substr(project.workspace.size() + 1));
  };
  const std::string root = project.absolute_root();
  const std::string workspace_root = CargoWorkspaceRoot(project);
  const Manifest own = ParseManifest(ReadText(JoinPath(root, "Cargo.toml")));
  for (const std::string& path : own.paths) add(JoinPath(root, path));
  if (workspace_root != root) {
    // What members share ([workspace.dependencies], profiles, lints) stands in the root's manifest.
    if (workspace_root == project.workspace) {
      folders.insert(".");
    } else {
      add(workspace_root);
    }
    const Manifest shared = ParseManifest(ReadText(JoinPath(workspace_root, "Cargo.toml")));
    for (const std::string& path : shared.paths) add(JoinPath(workspace_root, path));
  }
  for (const std::string& member : own.members) {
    if (member.find_first_of("*?[") == std::string::npos) {
      add(JoinPath(root, member));
      continue;
    }
    // "crates/*": the usual pattern has its stars in the last part.
    const std::string parent = JoinPath(root, DirName(member));
    for (const std::string& name : ListDirectory(parent).value_or(std::vector<std::string>())) {
      if (GlobMatch(BaseName(member), name)) add(JoinPath(parent, name));
    }
  }
  folders.erase(project.root);
  return {folders.begin(), folders.end()};
}

}  // namespace stile
