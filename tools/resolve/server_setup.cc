#include "tools/resolve/server_setup.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/resolve/java_server.h"

namespace stile {
namespace {

constexpr absl::Duration kTimeLimit = absl::Seconds(60);

// clangd writes its index beside compile_commands.json, which must not be in the workspace: a copy
// is used. Where there is none, CMake makes it.
absl::Status SetUpCompileCommands(const std::string& own_folder, LanguageServerSpec* spec,
                                  LanguageServerHost* host) {
  const std::string own_file = JoinPath(own_folder, "compile_commands.json");
  spec->argv.push_back(absl::StrCat("--compile-commands-dir=", own_folder));
  for (const std::string& folder : {host->root, JoinPath(host->root, "build")}) {
    const auto text =
        DiskFileSystem()->ReadFile(JoinPath(folder, BaseName(own_file)), kMaxFileBytes);
    if (text.ok()) return WriteFileAtomically(DiskFileSystem(), own_file, *text, 0600);
  }
  if (!FileExists(JoinPath(host->root, "CMakeLists.txt"))) {
    return absl::NotFoundError(
        "clangd needs a compile_commands.json in the project or its folder build (with make: bear "
        "-- make)");
  }
  STILE_ASSIGN_OR_RETURN(
      const ProcessResult result,
      RunSetUp({"cmake", "-S", host->root, "-B", own_folder, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
               own_folder, *host));
  if (result.ok() && FileExists(own_file)) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("CMake could not say how files are compiled (", result.Description(), ")"));
}

std::string XmlText(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&apos;"}});
}

// MSBuild's own characters,
// https://learn.microsoft.com/visualstudio/msbuild/msbuild-special-characters
std::string MsBuildText(absl::string_view text) {
  return XmlText(absl::StrReplaceAll(text, {{"%", "%25"},
                                            {"$", "%24"},
                                            {"@", "%40"},
                                            {"'", "%27"},
                                            {";", "%3B"},
                                            {"?", "%3F"},
                                            {"*", "%2A"},
                                            {"(", "%28"},
                                            {")", "%29"}}));
}

// MSBuild reads a project together with the files in which NuGet lists its packages. These files,
// and all others that MSBuild would write beside a project, go to `own_folder`. NuGet takes
// packages from the machine's caches. Names of packages that are in no cache stay unresolved.
absl::Status SetUpPackages(const std::string& own_folder, LanguageServerSpec* spec,
                           LanguageServerHost* host) {
  std::vector<std::string> projects;
  host->list_files([&](const std::string& path) {
    const std::string absolute = JoinPath(host->workspace, path);
    if (absl::EndsWith(path, ".csproj") && IsWithin(absolute, host->root)) {
      projects.push_back(absolute);
    }
  });
  if (projects.empty()) return absl::NotFoundError("there is no .csproj");
  std::sort(projects.begin(), projects.end());
  std::string text = "<Project>\n  <ItemGroup>\n";
  for (const std::string& project : projects) {
    absl::StrAppend(&text, "    <Code Include=\"", MsBuildText(project), "\"/>\n");
  }
  absl::StrAppend(&text,
                  "  </ItemGroup>\n  <Target Name=\"Restore\">\n"
                  "    <MSBuild Projects=\"@(Code)\" Targets=\"Restore\" "
                  "ContinueOnError=\"true\"/>\n  </Target>\n</Project>\n");
  const std::string all = JoinPath(own_folder, "restore.proj");
  STILE_RETURN_IF_ERROR(WriteFileAtomically(DiskFileSystem(), all, text, 0600));
  for (const auto& [name, value] : Environment{
           {"UseArtifactsOutput", "true"},
           {"ArtifactsPath", JoinPath(own_folder, "artifacts")},
           {"DOTNET_NOLOGO", "1"},
           {"DOTNET_CLI_TELEMETRY_OPTOUT", "1"},
           {"DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "1"},
           {"DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"},
           {"DOTNET_CLI_USE_MSBUILD_SERVER", "0"},
           {"MSBUILDDISABLENODEREUSE", "1"},
           {"MSBUILDTERMINALLOGGER", "off"},
       }) {
    host->environment[name] = value;
  }
  STILE_ASSIGN_OR_RETURN(
      const ProcessResult result,
      RunSetUp({"dotnet", "msbuild", all, "-nologo", "-nodeReuse:false"}, own_folder, *host));
  if (!result.ok()) {
    spec->partial = "packages of the projects are missing (dotnet restore)";
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProcessResult> RunSetUp(std::vector<std::string> argv, const std::string& folder,
                                       const LanguageServerHost& host) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.cwd = host.root;
  request.env = host.environment;
  request.timeout = kTimeLimit;
  request.writable = {folder};
  request.cancellation = host.cancellation;
  STILE_ASSIGN_OR_RETURN(ProcessResult result, host.runner->Run(request));
  if (result.end == ProcessResult::End::kCancelled) return absl::CancelledError("cancelled");
  return result;
}

absl::Status SetUpServer(const std::string& own_folder, LanguageServerSpec* spec,
                         LanguageServerHost* host) {
  using SetUp = LanguageServerSpec::SetUp;
  if (spec->set_up == SetUp::kNone) return absl::OkStatus();
  // Its classes are those of all projects.
  if (spec->set_up == SetUp::kJavaClasses) {
    return PrepareJavaServer(JoinPath(DirName(own_folder), "java"), spec, host);
  }
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(own_folder));
  host->writable.push_back(own_folder);
  return spec->set_up == SetUp::kCompileCommands ? SetUpCompileCommands(own_folder, spec, host)
                                                 : SetUpPackages(own_folder, spec, host);
}

}  // namespace stile
