// A build tree knows its headers by depfiles and its CMakeLists.txt by mtime, which the gate makes
// fresh. What it does not notice is a file that comes or goes under file(GLOB): so it is configured
// anew whenever the list of files is another one. Nor does it notice a new header that hides one of
// the same name in a folder that is searched later: so it is built from nothing when one came. gcc
// adds its fix-its when asked by environment, so no compiler switch of the project is touched.
#include "validators/compiler/cmake_build.h"

#include <algorithm>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/files_read.h"
#include "validators/compiler/make_build.h"
#include "validators/compiler/syntax_jobs.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/cmake_diagnostics.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/make_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxListBytes = size_t{4} << 20;
constexpr int kMaxDepth = 32;

// The folders that a CMakeLists.txt adds; `computed` when one of them is a variable's value.
struct Subdirectories {
  std::vector<std::string> folders;
  bool computed = false;
};

Subdirectories SubdirectoriesOf(const std::string& folder) {
  static const Pattern* const kAdd =
      new Pattern(R"re((?i)^\s*(?:add_subdirectory|subdirs)\s*\(\s*"?([^\s")]+)"?.*)re");
  Subdirectories found;
  const std::string text =
      DiskFileSystem()->ReadFile(JoinPath(folder, "CMakeLists.txt"), kMaxListBytes).value_or("");
  for (absl::string_view line : SplitLines(text)) {
    std::string name;
    if (!kAdd->Matches(line, &name)) continue;
    for (absl::string_view own : {"${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_CURRENT_LIST_DIR}/"}) {
      if (absl::StartsWith(name, own)) name = name.substr(own.size());
    }
    if (absl::StrContains(name, "$")) {
      found.computed = true;
    } else {
      found.folders.push_back(
          CleanPath(absl::StartsWith(name, "/") ? name : JoinPath(folder, name)));
    }
  }
  return found;
}

// All folders that `folder` adds, directly or not; false when one is computed.
bool Collect(const std::string& folder, int depth, std::set<std::string>* all) {
  const Subdirectories found = SubdirectoriesOf(folder);
  bool complete = !found.computed;
  for (const std::string& name : found.folders) {
    if (all->insert(name).second && depth < kMaxDepth && !Collect(name, depth + 1, all)) {
      complete = false;
    }
  }
  return complete;
}

std::string FileList(const Project& project, const std::string& top) {
  return absl::StrCat(top, "\n", absl::StrJoin(project.files, "\n"));
}

// Whether a file that others may include is in the new list and not in the old one.
bool HeaderCame(const Project& project, absl::string_view old_list) {
  const std::vector<absl::string_view> lines = SplitLines(old_list);
  const std::set<absl::string_view> before(lines.begin(), lines.end());
  return std::any_of(project.files.begin(), project.files.end(), [&](const std::string& file) {
    return !IsCSource(file) && BaseName(file) != "CMakeLists.txt" && before.count(file) == 0;
  });
}

bool MustConfigure(const ValidationRequest& request, const std::string& build,
                   const std::string& list_file, const std::string& list) {
  if (request.cold || !FileExists(JoinPath(build, "CMakeCache.txt"))) return true;
  if (DiskFileSystem()->ReadFile(list_file, kMaxFileBytes).value_or("") != list) return true;
  return std::any_of(request.changed.begin(), request.changed.end(), [](const std::string& path) {
    return BaseName(path) == "CMakeLists.txt" || absl::EndsWith(path, ".cmake") ||
           absl::EndsWith(path, ".in") || absl::EndsWith(path, ".json");
  });
}

Environment BuildEnvironment() {
  return {{"LC_ALL", "C.UTF-8"},
          {"GCC_EXTRA_DIAGNOSTIC_OUTPUT", "fixits-v1"},
          {"GCC_COLORS", ""},
          {"CLICOLOR_FORCE", "0"},
          {"NINJA_STATUS", ""}};
}

std::vector<std::string> UnsetVariables() {
  std::vector<std::string> names = MakeVariables();
  names.insert(names.end(), {"CMAKE_GENERATOR", "CMAKE_BUILD_TYPE", "CMAKE_TOOLCHAIN_FILE",
                             "CMAKE_BUILD_PARALLEL_LEVEL"});
  return names;
}

bool CompilerIsMissing(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return absl::StartsWith(diagnostic.message, "No CMAKE_") &&
           absl::StrContains(diagnostic.message, "_COMPILER could be found");
  });
}

// From where a step of the build failed on: a program that the build itself runs (a generator, a
// test) says what it likes, and the step's failure is all there is to tell. "" when no step did, or
// the machine is to blame.
absl::string_view FailedStep(absl::string_view output) {
  for (const absl::string_view trouble :
       {"No space left on device", "Cannot allocate memory", "Killed", "out of memory"}) {
    if (absl::StrContains(output, trouble)) return "";
  }
  static const Pattern* const kStep = new Pattern(R"((FAILED: .*|g?make(\[\d+\])?: \*\*\* .*))");
  for (const absl::string_view line : SplitLines(output)) {
    if (kStep->Matches(line)) {
      return output.substr(static_cast<size_t>(line.data() - output.data()));
    }
  }
  return "";
}

// What ninja knows of the files behind the objects. Only a proof that is whole counts.
absl::Status ListFilesRead(const std::string& build, const std::string& workspace,
                           const Environment& environment, ValidationRun* run) {
  Command command;
  command.cwd = build;
  command.argv = {FindExecutable("ninja", environment).value_or("ninja-build"), "-t", "deps"};
  command.judges = false;
  STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
  if (!process.has_value() || process->exit_code != 0 || process->out.size() < process->out_bytes)
    return absl::OkStatus();
  run->result().files_read = FilesReadByNinja(process->out, build, workspace);
  return absl::OkStatus();
}

class CMakeBuildValidator : public ToolValidator {
 public:
  CMakeBuildValidator() : ToolValidator("cmake", Level::kBuild, State::kRetriedCold) {}
  std::vector<std::string> compilers() const override { return CCompilers(); }
  bool Applies(const Project& project) const override { return project.Has("CMakeLists.txt"); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindCMake(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    const std::string top = CMakeTopFolder(project);
    std::set<std::string> folders = {top};
    if (!Collect(top, 0, &folders)) return std::nullopt;
    std::vector<std::string> roots;
    for (const std::string& folder : folders) {
      const std::string root = folder == project.workspace
                                   ? "."
                                   : WorkspaceFile(folder, project.workspace, project.workspace);
      if (!absl::StartsWith(root, "/") && root != project.root) roots.push_back(root);
    }
    return roots;
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    return BuildWithCMake(request, run);
  }
  std::vector<Toolchain> StateTools(const ValidationRequest& request,
                                    const Toolchain&) const override {
    return CMakeTools(request.environment, request.runner);
  }
};

}  // namespace

Toolchain FindCMake(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = {"cmake"};
  query.install_hint = "apt install cmake ninja-build g++";
  return FindToolchain(query, environment, runner);
}

std::vector<Toolchain> CMakeTools(const Environment& environment, ProcessRunner* runner) {
  std::vector<Toolchain> tools = BuildCompilers(environment, runner);
  tools.push_back(FindCMake(environment, runner));
  return tools;
}

std::string CMakeTopFolder(const Project& project) {
  std::string top = project.absolute_root();
  for (const std::string& folder : FoldersUpward(project)) {
    const std::string candidate =
        folder == "." ? project.workspace : JoinPath(project.workspace, folder);
    if (candidate == top) continue;
    std::set<std::string> added;
    const bool complete = Collect(candidate, 0, &added);
    // A computed folder may be this one: a list that computes what it adds is taken to add it.
    if (added.count(top) > 0 || (!complete && !added.empty() && added.count(DirName(top)) > 0) ||
        (!complete && SubdirectoriesOf(candidate).computed && DirName(top) == candidate)) {
      top = candidate;
    }
  }
  return top;
}

namespace {

struct BuildTree {
  std::string top;  // of the sources
  std::string build;
};

Command CMakeCommand(const BuildTree& tree) {
  Command command;
  command.cwd = tree.top;
  command.set = BuildEnvironment();
  command.unset = UnsetVariables();
  return command;
}

struct Configuration {
  std::vector<Diagnostic> diagnostics;
  std::optional<ValidationResult> verdict;  // where there is nothing to build
};

absl::StatusOr<Configuration> Configure(const ValidationRequest& request, const BuildTree& tree,
                                        ValidationRun* run) {
  const bool ninja = FindExecutable("ninja", request.environment).ok() ||
                     FindExecutable("ninja-build", request.environment).ok();
  Command command = CMakeCommand(tree);
  command.argv = {run->toolchain().program, "-S", tree.top, "-B", tree.build};
  if (!FileExists(JoinPath(tree.build, "CMakeCache.txt"))) {
    command.argv.insert(command.argv.end(), {"-G", ninja ? "Ninja" : "Unix Makefiles"});
  }
  command.argv.push_back("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  command.display = "cmake -S . -B <state>/build";
  STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
  Configuration configuration;
  if (!process.has_value()) {
    configuration.verdict = run->result();
    return configuration;
  }
  const std::string output = AllOutput(*process);
  configuration.diagnostics = ParseCMake(output, tree.top, request.project->workspace);
  if (CompilerIsMissing(configuration.diagnostics)) {
    run->result().toolchain.available = false;
    run->result().toolchain.install_hint = "CMake found no C or C++ compiler: apt install g++";
    configuration.verdict = run->NoValidator();
  } else if (process->exit_code != 0) {
    // Errors with exit status 0 are those of an optional try that the project caught.
    configuration.verdict = run->Conclude(process->exit_code, configuration.diagnostics, output);
  }
  return configuration;
}

// `warnings`: of the configuration, which the result holds too.
absl::StatusOr<ValidationResult> Build(const ValidationRequest& request, const BuildTree& tree,
                                       const std::vector<Diagnostic>& warnings,
                                       ValidationRun* run) {
  const std::string& workspace = request.project->workspace;
  const std::string jobs = absl::StrCat(std::max(1u, std::thread::hardware_concurrency()));
  Command command = CMakeCommand(tree);
  command.argv = {run->toolchain().program, "--build", tree.build, "--parallel", jobs, "--", "-k"};
  if (FileExists(JoinPath(tree.build, "build.ninja"))) command.argv.push_back("0");
  command.display = "cmake --build <state>/build";
  STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
  if (!process.has_value()) return run->result();
  const std::string output = AllOutput(*process);
  std::vector<Diagnostic> found = ParseMake(output, tree.build, workspace);
  if (!IsClangOutput(output)) ColumnsToBytes(workspace, ColumnUnit::kDisplay, &found);
  for (Diagnostic& diagnostic : ParseCMake(output, tree.top, workspace))
    found.push_back(std::move(diagnostic));
  for (const Diagnostic& diagnostic : warnings) {
    if (diagnostic.severity != Severity::kError) found.push_back(diagnostic);
  }
  if (process->exit_code == 0 && FileExists(JoinPath(tree.build, "build.ninja"))) {
    STILE_RETURN_IF_ERROR(ListFilesRead(tree.build, workspace, request.environment, run));
  }
  const absl::string_view step = FailedStep(output);
  if (!step.empty()) {
    return run->Conclude(process->exit_code, std::move(found), step, {process->exit_code});
  }
  return run->Conclude(process->exit_code, std::move(found), output);
}

}  // namespace

absl::StatusOr<ValidationResult> BuildWithCMake(const ValidationRequest& request,
                                                ValidationRun* run) {
  const BuildTree tree = {CMakeTopFolder(*request.project), JoinPath(request.state_dir, "build")};
  const std::string list_file = JoinPath(request.state_dir, "files");
  const std::string list = FileList(*request.project, tree.top);
  const auto old_list = DiskFileSystem()->ReadFile(list_file, kMaxFileBytes);
  if (old_list.ok() && HeaderCame(*request.project, *old_list)) {
    STILE_RETURN_IF_ERROR(RemoveTree(tree.build));
  }
  Configuration configuration;
  if (MustConfigure(request, tree.build, list_file, list)) {
    STILE_ASSIGN_OR_RETURN(configuration, Configure(request, tree, run));
    if (configuration.verdict.has_value()) return *std::move(configuration.verdict);
    STILE_RETURN_IF_ERROR(DiskFileSystem()->WriteFile(list_file, list, 0644, false));
  }
  return Build(request, tree, configuration.diagnostics, run);
}

std::unique_ptr<Validator> NewCMakeBuildValidator() {
  return std::make_unique<CMakeBuildValidator>();
}

}  // namespace stile
