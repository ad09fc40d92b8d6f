// Hand-written makefiles seldom know which headers a file includes, so an incremental build is used
// only when nothing but translation units changed that no other file includes; anything else wipes
// the copy. What changed is what the gate says and what had to be copied: a build reads more than
// the gate's inputs. Makefiles are not always fit for -j, so a parallel build that fails is
// followed by a serial one, whose word counts.
#include "validators/compiler/make_build.h"

#include <algorithm>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/scratch_copy.h"
#include "validators/compiler/syntax_jobs.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/make_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

// Whether make, which sees mtimes and the rules that somebody wrote, can be trusted with these
// changes (absolute paths).
bool IncrementalIsSafe(const Project& project, const std::set<std::string>& changed) {
  std::set<std::string> names;
  for (const std::string& path : changed) {
    if (!IsCSource(path) || !FileExists(path)) return false;
    names.insert(BaseName(path));
  }
  if (names.empty()) return true;
  static const Pattern* const kInclude =
      new Pattern(R"re(^\s*#\s*include\s*["<](?:[^">]*/)?([^">/]+)[">].*)re");
  for (const std::string& file : project.files) {
    const std::string text =
        DiskFileSystem()->ReadFile(JoinPath(project.workspace, file), kMaxSourceBytes).value_or("");
    size_t at = 0;
    while ((at = text.find("include", at)) != std::string::npos) {
      const size_t start = text.rfind('\n', at) + 1;
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string name;
      if (kInclude->Matches(absl::string_view(text).substr(start, end - start), &name) &&
          names.count(name) > 0) {
        return false;
      }
      at = end;
    }
  }
  return true;
}

// make's own verdict on a recipe, which need not be a compiler; "" if there is none, or if the
// shell could not run a program of it (126, 127), which says nothing of the code.
std::string FailedRecipe(absl::string_view output) {
  static const Pattern* const kFailure =
      new Pattern(R"((\S*make(?:\[\d+\])?: \*\*\* \[.*\] Error (\d+)).*)");
  std::string first;
  for (const absl::string_view line : SplitLines(output)) {
    std::string failure, code;
    if (!kFailure->Matches(line, &failure, &code)) continue;
    if (code == "126" || code == "127") return "";
    if (first.empty()) first = failure;
  }
  return first;
}

// Brings the copy up to date, from nothing where what is in it could be stale; true when it did so
// from nothing.
absl::StatusOr<bool> SyncForBuild(const ValidationRequest& request, const ScratchCopy& copy,
                                  const std::string& tree) {
  const std::string& workspace = request.project->workspace;
  const auto wipe = [&]() -> absl::Status {
    STILE_RETURN_IF_ERROR(RemoveTree(copy.manifest));
    return RemoveTree(tree);
  };
  const bool is_first = !FileExists(copy.manifest) || !DirectoryExists(copy.target);
  if (is_first) STILE_RETURN_IF_ERROR(wipe());
  std::vector<std::string> changed;
  std::set<std::string> paths;
  for (const std::string& path : request.changed) {
    changed.push_back(WorkspaceFile(JoinPath(workspace, path), copy.source, copy.source));
    paths.insert(JoinPath(workspace, path));
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> copied, SyncScratchCopy(copy, changed));
  if (is_first) return true;
  for (const std::string& path : copied) paths.insert(JoinPath(copy.source, path));
  if (IncrementalIsSafe(*request.project, paths)) return false;
  STILE_RETURN_IF_ERROR(wipe());
  STILE_RETURN_IF_ERROR(SyncScratchCopy(copy, changed).status());
  return true;
}

class MakeBuildValidator : public ToolValidator {
 public:
  MakeBuildValidator() : ToolValidator("make", Level::kBuild, State::kRetriedCold) {}
  std::vector<std::string> compilers() const override { return CCompilers(); }
  bool Applies(const Project& project) const override { return !MakefileOf(project).empty(); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindMake(environment, runner);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    std::string folder;
    return BuildWithMake(request, run, &folder);
  }
  std::vector<Toolchain> StateTools(const ValidationRequest& request,
                                    const Toolchain&) const override {
    return MakeTools(request.environment, request.runner);
  }
};

}  // namespace

Toolchain FindMake(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = {"make", "gmake"};
  query.install_hint = "apt install make gcc g++";
  return FindToolchain(query, environment, runner);
}

const std::vector<std::string>& MakeVariables() {
  static const auto* const kNames = new std::vector<std::string>{
      "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEFILES", "DESTDIR"};
  return *kNames;
}

std::vector<Toolchain> MakeTools(const Environment& environment, ProcessRunner* runner) {
  std::vector<Toolchain> tools = BuildCompilers(environment, runner);
  tools.push_back(FindMake(environment, runner));
  return tools;
}

std::string MakefileOf(const Project& project) {
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
    if (project.Has(name)) return name;
  }
  return "";
}

absl::StatusOr<ValidationResult> BuildWithMake(const ValidationRequest& request, ValidationRun* run,
                                               std::string* folder) {
  const Project& project = *request.project;
  const std::string tree = request.copy_dir();
  *folder = project.root == "." ? tree : JoinPath(tree, project.root);
  const bool reaches_above =
      absl::StrContains(ReadProjectFile(project, MakefileOf(project)).value_or(""), "..");
  ScratchCopy copy;
  copy.source = reaches_above ? project.workspace : project.absolute_root();
  copy.target = reaches_above ? tree : *folder;
  copy.manifest = JoinPath(request.state_dir, "copied.json");
  copy.skipped_folders = {"node_modules", ".venv",         "venv",  "__pycache__", ".mypy_cache",
                          ".tox",         ".pytest_cache", ".idea", ".vscode",     ".cache"};
  absl::StatusOr<bool> fresh = SyncForBuild(request, copy, tree);
  if (!fresh.ok()) return run->InfraError(absl::StrCat("copying: ", fresh.status().message()));

  Command command;
  command.cwd = *folder;
  command.set = {
      {"LC_ALL", "C.UTF-8"}, {"GCC_EXTRA_DIAGNOSTIC_OUTPUT", "fixits-v1"}, {"GCC_COLORS", ""}};
  command.unset = MakeVariables();
  const std::string jobs = absl::StrCat(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Diagnostic> diagnostics;
  std::string output;
  int exit_code = 0;
  // What failed in parallel is built again one by one, for its words. If it passes then, the first
  // build may have left something behind: only one from nothing counts.
  for (const char* parallel : {"-j", "", "from nothing"}) {
    const bool from_nothing = absl::StrContains(parallel, "nothing");
    if (from_nothing) {
      STILE_RETURN_IF_ERROR(RemoveTree(tree));
      fresh = SyncForBuild(request, copy, tree);
      if (!fresh.ok()) return run->InfraError(absl::StrCat("copying: ", fresh.status().message()));
    }
    command.argv = {run->toolchain().program, "-k"};
    // Outputs that lay in the workspace came with the copy, and may look newer than what they are
    // made of.
    if (*fresh) command.argv.push_back("-B");
    if (absl::StartsWith(parallel, "-j"))
      command.argv.insert(command.argv.end(), {"-j", jobs, "-O"});
    command.display = "make -k";
    diagnostics.clear();
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
    if (!process.has_value()) return run->result();
    exit_code = process->exit_code;
    output = AllOutput(*process);
    for (Diagnostic& diagnostic : ParseMake(output, *folder, tree)) {
      diagnostics.push_back(std::move(diagnostic));
    }
    // Past the second build: it failed, and has said why.
    if ((exit_code == 0) == absl::StartsWith(parallel, "-j")) break;
  }
  if (!IsClangOutput(output)) ColumnsToBytes(project.workspace, ColumnUnit::kDisplay, &diagnostics);
  if (exit_code != 0 && CountErrors(diagnostics) == 0) {
    if (const std::string failure = FailedRecipe(output); !failure.empty()) {
      return run->Fail(std::move(diagnostics), failure, output);
    }
  }
  return run->Conclude(exit_code, std::move(diagnostics), output);
}

std::unique_ptr<Validator> NewMakeBuildValidator() {
  return std::make_unique<MakeBuildValidator>();
}

}  // namespace stile
