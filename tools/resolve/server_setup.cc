#include "tools/resolve/server_setup.h"

#include <algorithm>
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

// It only has to print, and clangd is started anew after each change.
constexpr absl::Duration kMakeTimeLimit = absl::Seconds(20);

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

std::vector<std::string> MakefilesIn(const std::string& root) {
  std::vector<std::string> found;
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
    if (FileExists(JoinPath(root, name))) found.emplace_back(name);
  }
  return found;
}

// What make would run, as it says without running it; see make_commands.h. Even so, make runs what
// its Makefiles call while it reads them, and lines with `+` or `$(MAKE)`: in the sandbox, where
// they can write no file of the project.
absl::StatusOr<Json> CommandsOfMake(const std::string& own_folder, LanguageServerSpec* spec,
                                    const LanguageServerHost& host) {
  LanguageServerHost quiet = host;
  quiet.environment["LC_ALL"] = "C";
  for (const char* name : {"MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKELEVEL"}) {
    quiet.environment.erase(name);
  }
  const std::vector<std::string> base = {"make", "-n", "-B", "-k", "-w"};
  std::vector<std::string> more = base;
  // A Makefile that is a goal is not made anew.
  for (std::string& name : MakefilesIn(host.root)) more.push_back(std::move(name));
  // Tests are often built by a target of their own. One that does not exist stops no other.
  for (const char* goal : {"all", "test", "tests", "check"}) more.emplace_back(goal);
  std::string output;
  for (const std::vector<std::string>& argv : {base, more}) {
    STILE_ASSIGN_OR_RETURN(const ProcessResult result,
                           RunSetUp(argv, own_folder, quiet, kMakeTimeLimit));
    absl::StrAppend(&output, result.out, "\n");
    const bool is_whole =
        result.end == ProcessResult::End::kExited && result.out_bytes == result.out.size();
    if (is_whole) continue;
    spec->partial = absl::StrCat("make did not name all commands (", result.Description(), ")");
    break;
  }
  Json commands = CompileCommandsOfMake(output, host.root);
  if (!commands.empty()) return commands;
  return absl::NotFoundError("make names no command that compiles a file (bear -- make)");
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
  if (MakefilesIn(host->root).empty()) {
    return absl::NotFoundError(
        "clangd needs a CMakeLists.txt, a Makefile, or a compile_commands.json in the project or "
        "its "
        "folder build");
  }
  STILE_ASSIGN_OR_RETURN(const Json commands, CommandsOfMake(own_folder, spec, *host));
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
                                       const LanguageServerHost& host, absl::Duration limit) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.cwd = host.root;
  request.env = host.environment;
  request.timeout = limit;
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
