// A `tsc` on the PATH is a link or a launcher. The compiler itself is lib/_tsc.js (5.x; lib/tsc.js
// before) of the package, run by node, or from version 7 on a native binary in a package of its
// own, @typescript/typescript-<platform>, which needs no node. These are run, and named in the
// toolchain.
#include "validators/compiler/typescript_compiler.h"

#include <sys/utsname.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/json.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"

namespace stile {
namespace {

constexpr size_t kMaxPackageJsonBytes = size_t{1} << 20;

std::string Platform() {
  struct utsname names {};
  uname(&names);
  const absl::string_view machine = names.machine;
  const absl::string_view arch = machine == "x86_64"    ? "x64"
                                 : machine == "aarch64" ? "arm64"
                                                        : machine;
  return absl::StrCat("linux-", arch);
}

// The folder of `name` in a node_modules on the way up from absolute `folder`; "" if there is none.
std::string FindPackage(const std::string& folder, absl::string_view name) {
  for (std::string above = folder; above.size() > 1; above = DirName(above)) {
    const std::string candidate = JoinPath(above, absl::StrCat("node_modules/", name));
    if (DirectoryExists(candidate)) return candidate;
    if (above.find('/') == std::string::npos) break;
  }
  return "";
}

// The compiler in the typescript package at `package` (a real path). available is false if it is
// none.
TypeScriptCompiler FromPackage(const std::string& package, const Environment& environment,
                               ProcessRunner* runner) {
  TypeScriptCompiler compiler;
  const absl::StatusOr<std::string> text =
      DiskFileSystem()->ReadFile(JoinPath(package, "package.json"), kMaxPackageJsonBytes);
  const absl::StatusOr<Json> json = text.ok() ? ParseJson(*text) : text.status();
  if (!json.ok() || JsonString(*json, "name") != "typescript") return compiler;
  const std::string version = JsonString(*json, "version").value_or("");
  if (!absl::SimpleAtoi(version.substr(0, version.find('.')), &compiler.major)) return compiler;
  compiler.toolchain.version = absl::StrCat("Version ", version);

  const std::string platform =
      FindPackage(package, absl::StrCat("@typescript/typescript-", Platform()));
  const std::string binary = platform.empty() ? "" : JoinPath(platform, "lib/tsc");
  if (compiler.major >= 7 && !binary.empty() && FileExists(binary)) {
    compiler.toolchain.program = RealPath(binary).value_or(binary);
    compiler.command = {compiler.toolchain.program};
    compiler.toolchain.available = true;
    return compiler;
  }
  const Toolchain node = FindNode(environment, runner);
  if (!node.available) {
    compiler.toolchain.install_hint =
        "TypeScript is installed, but Node.js is not: apt-get install nodejs";
    return compiler;
  }
  for (const char* script : {"lib/_tsc.js", "lib/tsc.js"}) {
    const std::string path = JoinPath(package, script);
    if (!FileExists(path)) continue;
    compiler.toolchain.program = path;
    compiler.command = {node.program, path};
    compiler.toolchain.available = true;
    break;
  }
  return compiler;
}

// The package that the file at real path `program` belongs to: "…/typescript/bin/tsc" →
// "…/typescript".
std::string PackageOf(const std::string& program) {
  const std::string folder = DirName(DirName(program));
  return FileExists(JoinPath(folder, "package.json")) ? folder : "";
}

}  // namespace

Toolchain FindNode(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = {"node", "nodejs"};
  query.install_hint = "Node.js is not installed: apt-get install nodejs";
  query.real_path_arguments = {"-p", "process.execPath"};
  Environment clean = environment;
  clean.erase("NODE_OPTIONS");
  return FindToolchain(query, clean, runner);
}

std::vector<TypeScriptCompiler> FindTypeScriptCompilers(const Project& project,
                                                        const Environment& environment,
                                                        ProcessRunner* runner) {
  for (const std::string& folder : FoldersUpward(project)) {
    const auto package =
        RealPath(JoinPath(JoinPath(project.workspace, folder), "node_modules/typescript"));
    if (!package.ok()) continue;
    TypeScriptCompiler own = FromPackage(*package, environment, runner);
    own.of_project = true;
    if (own.major > 0) return {own};
  }

  std::vector<TypeScriptCompiler> compilers;
  std::set<std::string> seen;
  const auto path = environment.find("PATH");
  if (path == environment.end()) return compilers;
  for (absl::string_view folder : absl::StrSplit(path->second, ':', absl::SkipEmpty())) {
    // Beside a tsc, the same folder's package "typescript7" is how both versions are installed at
    // once.
    for (const char* name : {"tsc", "../typescript7/bin/tsc"}) {
      const auto program = RealPath(JoinPath(folder, name));
      if (!program.ok() || !seen.insert(*program).second) continue;
      const std::string package = PackageOf(*program);
      TypeScriptCompiler compiler;
      if (!package.empty()) compiler = FromPackage(package, environment, runner);
      if (compiler.major == 0) {
        // No package of npm's: taken at its word.
        ProgramQuery query;
        query.names = {*program};
        compiler.toolchain = FindToolchain(query, environment, runner);
        compiler.command = {compiler.toolchain.program};
        absl::string_view version = compiler.toolchain.version;
        absl::ConsumePrefix(&version, "Version ");
        if (!absl::SimpleAtoi(version.substr(0, version.find('.')), &compiler.major)) {
          compiler.major = 0;
        }
      }
      compilers.push_back(std::move(compiler));
    }
  }
  std::stable_sort(compilers.begin(), compilers.end(), [](const auto& a, const auto& b) {
    return a.toolchain.available != b.toolchain.available ? a.toolchain.available
                                                          : (a.major >= 7) > (b.major >= 7);
  });
  return compilers;
}

}  // namespace stile
