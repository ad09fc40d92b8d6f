// Quirks of mypy that this file answers to:
// - Its cache trusts size and mtime in whole seconds, and is written where it runs: it goes to the
//   state folder, and what changed is taken out of it. The cache is not used for modules with
//   errors, so it helps least when it is needed most; a daemon would, but nothing may outlive a
//   command here (ProcessRunner kills it).
// - Named files are checked even where the configuration excludes them. So files are named only if
//   the configuration neither lists nor excludes any; else mypy finds them itself, and what it read
//   is unknown.
// - Two loose modules of one name are an error of its file naming, not of the code: a second
//   attempt takes the paths for the names.
// - If there are more than 200 errors, it leaves some out. Which ones depends on all the others: an
//   old error would look new, and a new one could stay hidden. So the limit is lifted.
// - Faults of its configuration end it with status 2 and a line without "error".
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cold_retry.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/python_project.h"
#include "validators/compiler/python_types.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/python_diagnostics.h"

namespace stile {
namespace {

constexpr size_t kMaxFilesInArguments = 500;

bool HasSetting(const CheckerConfig& config, absl::string_view names) {
  const Pattern setting(absl::StrCat("\\s*(?:", names, ")\\s*=.*").c_str());
  const std::vector<absl::string_view> lines = SplitLines(config.text);
  return std::any_of(lines.begin(), lines.end(),
                     [&](absl::string_view line) { return setting.Matches(line); });
}

bool IsNamingFault(const Diagnostic& diagnostic) {
  return absl::StartsWith(diagnostic.message, "Duplicate module named ") ||
         absl::StrContains(diagnostic.message, "found twice under different module names") ||
         absl::StrContains(diagnostic.message, "is not a valid Python package name");
}

// Takes the changed modules out of the cache, which compares whole seconds and sizes: an edit of
// the same size in the second of the last check would pass for the old content.
absl::Status ForgetChanged(const std::string& cache, const std::vector<std::string>& changed) {
  std::set<std::string> stems;
  for (const std::string& path : changed) {
    const std::string name = BaseName(path);
    stems.insert(name.substr(0, name.find('.')));
  }
  std::error_code error;
  std::filesystem::recursive_directory_iterator walk(cache, error);
  for (; !error && walk != std::filesystem::recursive_directory_iterator(); walk.increment(error)) {
    const std::string name = walk->path().filename().string();
    const size_t end = name.find(".meta.");
    if (end == std::string::npos || stems.count(name.substr(0, end)) == 0) continue;
    STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(walk->path().string()));
  }
  return absl::OkStatus();
}

// mypy has the option, which its help does not show, since 0.920. `version` is "mypy 1.0.1 (…)".
bool KnowsErrorLimit(absl::string_view version) {
  int major = 0, minor = 0;
  static const auto* const number = new Pattern(R"(mypy (\d+)\.(\d+))");
  return number->IsIn(version, &major, &minor) && (major > 0 || minor >= 920);
}

class MypyValidator : public ToolValidator {
 public:
  MypyValidator() : ToolValidator("mypy", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"mypy", "-m mypy"}; }
  bool Applies(const Project& project) const override {
    const std::optional<CheckerConfig> config = FindMypyConfig(project);
    return config.has_value() && ReadsProject(*config, project);
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    query.names = VirtualEnvironmentPrograms(project, "mypy");
    query.names.push_back("mypy");
    query.install_hint =
        "mypy is not installed, and projects that configure it need it: apt-get install mypy, or "
        "pip install "
        "mypy in the project's virtual environment";
    query.follow_links = true;
    return FindToolchain(query, environment, runner);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::optional<CheckerConfig> config = FindMypyConfig(project);
    if (!config.has_value()) return run->InfraError("the project does not configure mypy any more");
    STILE_RETURN_IF_ERROR(ClaimState(request.state_dir, {run->toolchain()}).status());
    const std::string cache = JoinPath(request.state_dir, "cache");
    STILE_RETURN_IF_ERROR(ForgetChanged(cache, request.changed));
    const std::vector<std::string> files = FilesWithExtension(project, {".py", ".pyi"});
    const bool names_files = HasSetting(*config, "files|packages|modules");
    const bool excludes = HasSetting(*config, "exclude");
    if (files.empty() && !names_files) return run->Pass({});

    for (const bool by_path : {false, true}) {
      STILE_ASSIGN_OR_RETURN(const Command command, MypyCommand(request, *run, *config, files,
                                                                names_files, excludes, by_path));
      STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
      if (!process.has_value()) return run->result();
      std::vector<Diagnostic> diagnostics =
          ParseMypy(AllOutput(*process), command.cwd, project.workspace);
      const bool naming = std::any_of(diagnostics.begin(), diagnostics.end(), IsNamingFault);
      if (process->exit_code == 2 && naming) {
        if (!by_path) continue;
        return run->InfraError(
            "mypy cannot tell the project's modules apart: set mypy_path, exclude or "
            "explicit_package_bases in its configuration",
            AllOutput(*process));
      }
      if (process->exit_code == 2 && CountErrors(diagnostics) == 0) {
        for (Diagnostic& diagnostic : diagnostics) {
          if (diagnostic.severity == Severity::kWarning) diagnostic.severity = Severity::kError;
        }
      }
      static const auto* const success =
          new Pattern(R"(Success: no issues found in \d+ source files?)");
      if (process->exit_code == 0 && CountErrors(diagnostics) == 0 &&
          !success->IsIn(process->out)) {
        return run->InfraError("mypy ended without its summary", AllOutput(*process));
      }
      if (!names_files && !excludes) run->result().files_read = files;
      return run->Conclude(process->exit_code, std::move(diagnostics), AllOutput(*process));
    }
    return run->result();
  }

  static absl::StatusOr<Command> MypyCommand(const ValidationRequest& request,
                                             const ValidationRun& run, const CheckerConfig& config,
                                             const std::vector<std::string>& files,
                                             bool names_files, bool excludes, bool by_path) {
    const Project& project = *request.project;
    Command command;
    command.cwd = CleanPath(JoinPath(project.workspace, config.folder));
    command.argv = {run.toolchain().program,
                    "--config-file",
                    config.file,
                    "--cache-dir",
                    JoinPath(request.state_dir, "cache"),
                    "--no-sqlite-cache",
                    "--no-color-output",
                    "--no-pretty",
                    "--show-column-numbers",
                    "--show-error-codes",
                    "--hide-error-context",
                    "--show-absolute-path",
                    "--error-summary"};
    if (KnowsErrorLimit(run.toolchain().version)) command.argv.push_back("--soft-error-limit=-1");
    if (by_path) {
      command.argv.push_back("--namespace-packages");
      command.argv.push_back("--explicit-package-bases");
    }
    const std::vector<std::string> interpreters = VirtualEnvironmentPrograms(project, "python");
    if (!interpreters.empty()) {
      command.argv.push_back("--python-executable");
      command.argv.push_back(interpreters.front());
    }
    command.display = absl::StrCat("mypy ", names_files ? "" : excludes ? "." : "(files)");
    if (!names_files && excludes) {
      command.argv.push_back(CleanPath(JoinPath(project.workspace, project.root)));
    } else if (!names_files) {
      std::vector<std::string> paths;
      for (const std::string& file : files) paths.push_back(JoinPath(project.workspace, file));
      command.display = absl::StrCat("mypy (", Count(files.size(), "file"), ")");
      if (paths.size() <= kMaxFilesInArguments) {
        command.argv.push_back("--");
        command.argv.insert(command.argv.end(), paths.begin(), paths.end());
      } else {
        const std::string list = JoinPath(request.state_dir, "files.txt");
        STILE_RETURN_IF_ERROR(
            DiskFileSystem()->WriteFile(list, absl::StrJoin(paths, "\n"), 0600, /*sync=*/false));
        command.argv.push_back(absl::StrCat("@", list));
      }
    }
    command.set = PythonVariables(request.state_dir);
    command.unset = {"MYPYPATH", "MYPY_CACHE_DIR", "MYPY_FORCE_COLOR", "FORCE_COLOR"};
    return command;
  }
};

}  // namespace

std::unique_ptr<Validator> NewMypyValidator() { return std::make_unique<MypyValidator>(); }

}  // namespace stile
