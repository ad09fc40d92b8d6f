#include "tools/resolve/server_setup.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/resolve/java_server.h"
#include "tools/resolve/make_commands.h"
#include "tools/resolve/typescript_server.h"

namespace stile {
namespace {

constexpr absl::Duration kTimeLimit = absl::Seconds(60);
// In the order of GNU make.
constexpr std::array kMakefiles = {"GNUmakefile", "makefile", "Makefile"};

// clang reads FILE.gch or FILE.pch instead of FILE after -include, and fails if GCC or another
// version of clang wrote it. Such a FILE is included by a header in `own_folder` instead, which has
// none.
class PrecompiledHeaders {
 public:
  explicit PrecompiledHeaders(const std::string& own_folder) : own_folder_(own_folder) {}

  // `header` as it is after -include, for a compiler that runs in `directory`. Returns the path to
  // use instead, or `header`.
  absl::StatusOr<std::string> Replace(const std::string& header, const std::string& directory) {
    const std::string path = absl::StartsWith(header, "/") ? header : JoinPath(directory, header);
    if (!FileExists(path + ".gch") && !FileExists(path + ".pch")) return header;
    const auto [known, is_new] = replacements_.try_emplace(path);
    if (is_new) {
      known->second =
          JoinPath(own_folder_, absl::StrCat("forced_include_", replacements_.size(), ".h"));
      STILE_RETURN_IF_ERROR(WriteFileAtomically(DiskFileSystem(), known->second,
                                                absl::StrCat("#include \"", path, "\"\n"), 0600));
    }
    return known->second;
  }

 private:
  const std::string own_folder_;
  std::map<std::string, std::string> replacements_;
};

// `text`, a compile_commands.json, without precompiled headers. Text that is none stays as it is:
// clangd says what it does not understand.
absl::StatusOr<std::string> WithoutPrecompiledHeaders(const std::string& text,
                                                      const std::string& own_folder) {
  if (!absl::StrContains(text, "-include")) return text;
  absl::StatusOr<Json> commands = ParseJson(text);
  if (!commands.ok() || !commands->is_array()) return text;
  PrecompiledHeaders headers(own_folder);
  for (Json& entry : *commands) {
    const std::string directory = JsonString(entry, "directory").value_or("");
    const std::optional<std::string> command = JsonString(entry, "command");
    std::vector<std::string> words;
    if (command.has_value()) {
      words = absl::StrSplit(*command, ' ');
    } else if (const Json* arguments = JsonMember(entry, "arguments");
               arguments != nullptr && arguments->is_array()) {
      for (const Json& word : *arguments) {
        if (!word.is_string()) return text;
        words.push_back(word.get<std::string>());
      }
    }
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i - 1] != "-include") continue;
      STILE_ASSIGN_OR_RETURN(words[i], headers.Replace(words[i], directory));
    }
    if (command.has_value()) {
      entry["command"] = absl::StrJoin(words, " ");
    } else if (!words.empty()) {
      entry["arguments"] = words;
    }
  }
  return DumpJson(*commands);
}

// What `make` would run, as it says without running it; see make_commands.h. No file of the project
// is written, but make itself runs what its Makefiles call while they are read.
absl::StatusOr<Json> CommandsOfMake(const std::string& own_folder, const LanguageServerHost& host) {
  LanguageServerHost quiet = host;
  quiet.environment["LC_ALL"] = "C";
  quiet.environment.erase("MAKEFLAGS");
  std::string output;
  // Tests are often built by a target of their own. One that does not exist is an error of make.
  for (const char* target : {"", "all", "test", "tests", "check"}) {
    std::vector<std::string> argv = {"make", "-n", "-B", "-k", "-w"};
    if (*target != '\0') argv.emplace_back(target);
    STILE_ASSIGN_OR_RETURN(const ProcessResult result,
                           RunSetUp(std::move(argv), own_folder, quiet));
    output += result.out;
    if (result.end == ProcessResult::End::kTimedOut) break;
  }
  Json commands = CompileCommandsOfMake(output, host.root);
  if (!commands.empty()) return commands;
  return absl::NotFoundError("make names no command that compiles a file (bear -- make)");
}

bool HasMakefile(const std::string& root) {
  return std::any_of(kMakefiles.begin(), kMakefiles.end(),
                     [&](const char* name) { return FileExists(JoinPath(root, name)); });
}

// clangd writes its index beside compile_commands.json, which must not be in the workspace: a copy
// is used. Where there is none, CMake or make gives the commands.
absl::Status SetUpCompileCommands(const std::string& own_folder, LanguageServerSpec* spec,
                                  LanguageServerHost* host) {
  const std::string own_file = JoinPath(own_folder, "compile_commands.json");
  spec->argv.push_back(absl::StrCat("--compile-commands-dir=", own_folder));
  for (const std::string& folder : {host->root, JoinPath(host->root, "build")}) {
    const auto text =
        DiskFileSystem()->ReadFile(JoinPath(folder, BaseName(own_file)), kMaxFileBytes);
    if (!text.ok()) continue;
    STILE_ASSIGN_OR_RETURN(const std::string own_text,
                           WithoutPrecompiledHeaders(*text, own_folder));
    return WriteFileAtomically(DiskFileSystem(), own_file, own_text, 0600);
  }
  if (FileExists(JoinPath(host->root, "CMakeLists.txt"))) {
    STILE_ASSIGN_OR_RETURN(const ProcessResult result,
                           RunSetUp({"cmake", "-S", host->root, "-B", own_folder,
                                     "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
                                    own_folder, *host));
    if (result.ok() && FileExists(own_file)) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("CMake could not say how files are compiled (", result.Description(), ")"));
  }
  if (!HasMakefile(host->root)) {
    return absl::NotFoundError(
        "clangd needs a CMakeLists.txt, a Makefile, or a compile_commands.json in the project or "
        "its "
        "folder build");
  }
  STILE_ASSIGN_OR_RETURN(const Json commands, CommandsOfMake(own_folder, *host));
  STILE_ASSIGN_OR_RETURN(const std::string own_text,
                         WithoutPrecompiledHeaders(DumpJson(commands), own_folder));
  return WriteFileAtomically(DiskFileSystem(), own_file, own_text, 0600);
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
  host->list_files([&](const ListedFile& file) {
    const std::string absolute = JoinPath(host->workspace, file.path);
    if (absl::EndsWith(file.path, ".csproj") && IsWithin(absolute, host->root)) {
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
  request.cancellation = host.cancellation ? host.cancellation() : nullptr;
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
  if (spec->set_up == SetUp::kTypeScriptServer) {
    return PrepareTypeScriptServer(own_folder, spec, host);
  }
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(own_folder));
  host->writable.push_back(own_folder);
  return spec->set_up == SetUp::kCompileCommands ? SetUpCompileCommands(own_folder, spec, host)
                                                 : SetUpPackages(own_folder, spec, host);
}

}  // namespace stile
