// Hand-written makefiles seldom know which headers a file includes, so an incremental build is used
// only when nothing but translation units changed that no other file includes; anything else wipes
// the copy. Makefiles are not always fit for -j, so a parallel build that fails is followed by a
// serial one, whose word counts.
#include "validators/compiler/make_build.h"

#include <algorithm>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cold_retry.h"
#include "validators/compiler/scratch_copy.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/make_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

bool IsTranslationUnit(absl::string_view file) {
  for (absl::string_view extension : {".c", ".cc", ".cpp", ".cxx", ".C"}) {
    if (absl::EndsWith(file, extension)) return true;
  }
  return false;
}

// Whether make, which sees mtimes and the rules that somebody wrote, can be trusted with these
// changes.
bool IncrementalIsSafe(const ValidationRequest& request) {
  std::set<std::string> names;
  for (const std::string& path : request.changed) {
    if (!IsTranslationUnit(path) || !FileExists(JoinPath(request.project->workspace, path)))
      return false;
    names.insert(BaseName(path));
  }
  if (names.empty()) return true;
  static const Pattern* const kInclude =
      new Pattern(R"re(^\s*#\s*include\s*["<](?:[^">]*/)?([^">/]+)[">].*)re");
  for (const std::string& file : request.project->files) {
    const std::string text =
        DiskFileSystem()
            ->ReadFile(JoinPath(request.project->workspace, file), kMaxSourceBytes)
            .value_or("");
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

class MakeBuildValidator : public Validator {
 public:
  const std::string& id() const override { return id_; }
  Level level() const override { return Level::kBuild; }
  bool Applies(const Project& project) const override { return !MakefileOf(project).empty(); }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindMake(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::nullopt;
  }

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    return WithColdRetry(
        request, [this](const ValidationRequest& attempt) -> absl::StatusOr<ValidationResult> {
          ValidationRun run(attempt, Probe(*attempt.project, attempt.environment, attempt.runner));
          if (!run.toolchain().available) return run.NoValidator();
          std::string folder;
          return BuildWithMake(attempt, &run, &folder);
        });
  }

 private:
  const std::string id_ = "make";
};

}  // namespace

Toolchain FindMake(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  query.names = {"make", "gmake"};
  query.install_hint = "apt install make gcc g++";
  return FindToolchain(query, environment, runner);
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
  const std::string tree = JoinPath(request.state_dir, "tree");  // stands for the workspace
  *folder = project.root == "." ? tree : JoinPath(tree, project.root);
  const bool reaches_above =
      absl::StrContains(ReadProjectFile(project, MakefileOf(project)).value_or(""), "..");
  ScratchCopy copy;
  copy.source = reaches_above ? project.workspace : project.absolute_root();
  copy.target = reaches_above ? tree : *folder;
  copy.manifest = JoinPath(request.state_dir, "copied.json");
  if (!IncrementalIsSafe(request)) {
    STILE_RETURN_IF_ERROR(RemoveTree(tree));
    STILE_RETURN_IF_ERROR(RemoveTree(copy.manifest));
  }
  std::vector<std::string> changed;
  for (const std::string& path : request.changed) {
    changed.push_back(WorkspaceFile(path, project.workspace, copy.source));
  }
  STILE_RETURN_IF_ERROR(SyncScratchCopy(copy, changed));

  Command command;
  command.cwd = *folder;
  command.set = {
      {"LC_ALL", "C.UTF-8"}, {"GCC_EXTRA_DIAGNOSTIC_OUTPUT", "fixits-v1"}, {"GCC_COLORS", ""}};
  command.unset = {"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEFILES", "DESTDIR"};
  const std::string jobs = absl::StrCat(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Diagnostic> diagnostics;
  std::string output;
  int exit_code = 0;
  for (const char* parallel : {"-j", ""}) {
    command.argv = {run->toolchain().program, "-k"};
    if (*parallel != '\0') command.argv.insert(command.argv.end(), {"-j", jobs, "-O"});
    command.display = "make -k";
    if (*parallel == '\0') diagnostics.clear();
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
    if (!process.has_value()) return run->result();
    exit_code = process->exit_code;
    output = AllOutput(*process);
    for (Diagnostic& diagnostic : ParseMake(output, *folder, tree)) {
      diagnostics.push_back(std::move(diagnostic));
    }
    if (exit_code == 0) break;
  }
  if (!IsClangOutput(output)) ColumnsToBytes(project.workspace, ColumnUnit::kDisplay, &diagnostics);
  return run->Conclude(exit_code, std::move(diagnostics), output);
}

std::unique_ptr<Validator> NewMakeBuildValidator() {
  return std::make_unique<MakeBuildValidator>();
}

}  // namespace stile
