#include "validators/compiler/dotnet_project.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

std::string RestoredMark(const ValidationRequest& request) {
  return JoinPath(request.state_dir, "restored");
}

// Windows, where many of these files are made, does not care about case.
bool HasExtensionInAnyCase(absl::string_view path,
                           std::initializer_list<absl::string_view> extensions) {
  return HasExtension(absl::AsciiStrToLower(path), extensions);
}

std::vector<std::string> NamesInRoot(const Project& project,
                                     std::initializer_list<absl::string_view> extensions) {
  std::vector<std::string> found;
  for (std::string& name :
       ListDirectory(project.absolute_root()).value_or(std::vector<std::string>())) {
    if (HasExtensionInAnyCase(name, extensions)) found.push_back(std::move(name));
  }
  return found;
}

}  // namespace

Toolchain FindDotnet(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = {"dotnet"};
  query.install_hint =
      "install the .NET SDK (8 or newer): "
      "https://learn.microsoft.com/dotnet/core/install/linux-debian";
  return FindToolchain(query, environment, runner);
}

std::vector<std::string> DotnetEntries(const Project& project) {
  std::vector<std::string> entries = NamesInRoot(project, {".sln", ".slnx"});
  if (entries.empty()) entries = NamesInRoot(project, {".csproj", ".fsproj", ".vbproj"});
  return entries;
}

Command DotnetCommand(const Toolchain& dotnet, const std::vector<std::string>& arguments) {
  Command command;
  command.argv = {dotnet.program};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.set = {{"DOTNET_CLI_UI_LANGUAGE", "en"},
                 {"DOTNET_NOLOGO", "1"},
                 {"DOTNET_CLI_TELEMETRY_OPTOUT", "1"},
                 {"DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "1"},
                 {"DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"},
                 {"DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE", "true"},
                 {"DOTNET_CLI_USE_MSBUILD_SERVER", "0"},
                 {"MSBUILDDISABLENODEREUSE", "1"},
                 {"MSBUILDTERMINALLOGGER", "off"}};
  return command;
}

std::vector<std::string> DotnetBuildSwitches(const std::string& state_dir) {
  return {"-nologo", "-nodeReuse:false", "-p:UseSharedCompilation=false", "--artifacts-path",
          JoinPath(state_dir, "artifacts")};
}

std::optional<std::vector<std::string>> DotnetDependencies(const Project& project) {
  static const Pattern* const kReference =
      new Pattern(R"re(<ProjectReference\s+[^>]*Include\s*=\s*"([^"]*)"((?s:.*)))re");
  static const Pattern* const kSolution =
      new Pattern(R"re(["']([^"'\r\n]*\.(?:cs|fs|vb)proj)["']((?s:.*)))re");
  std::set<std::string> roots;
  std::vector<std::string> files = NamesInRoot(project, {".sln", ".slnx"});
  const size_t solutions = files.size();
  for (std::string& name : NamesInRoot(project, {".csproj", ".fsproj", ".vbproj"})) {
    files.push_back(std::move(name));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    std::string rest = ReadProjectFile(project, files[i]).value_or("");
    std::string reference;
    while ((i < solutions ? kSolution : kReference)->IsIn(rest, &reference, &rest)) {
      if (reference.find_first_of("$@*") != std::string::npos) return std::nullopt;
      const std::string path =
          CleanPath(JoinPath(project.root, absl::StrReplaceAll(reference, {{"\\", "/"}})));
      if (!absl::StartsWith(path, "..")) roots.insert(DirName(path));
    }
  }
  roots.erase(project.root);
  return std::vector<std::string>(roots.begin(), roots.end());
}

bool DotnetNeedsRestore(const ValidationRequest& request) {
  if (request.cold || !FileExists(RestoredMark(request))) return true;
  return std::any_of(request.changed.begin(), request.changed.end(), [](const std::string& path) {
    return HasExtensionInAnyCase(
        path, {"proj", ".props", ".targets", ".sln", ".slnx", ".config", ".json"});
  });
}

void RememberDotnetRestore(const ValidationRequest& request) {
  // Without the mark the next run restores again: nothing worse than slow.
  (void)DiskFileSystem()->WriteFile(RestoredMark(request), "", 0644, false);
}

}  // namespace stile
