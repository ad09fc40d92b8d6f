#include "validators/compiler/rustc.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/files_read.h"
#include "validators/compiler/rust_toolchain.h"
#include "validators/compiler/syntax_jobs.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/cargo_json_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

// Files that another one names as a module: "mod util;" in a/main.rs is a/util.rs, a/util/mod.rs,
// or, where the naming file is a module itself, below a folder of its name.
std::set<std::string> ModuleFiles(const std::map<std::string, std::string>& texts) {
  static const Pattern* const kModule =
      new Pattern(R"(\s*(?:pub(?:\([^()]*\))?\s+)?mod\s+(?:r#)?(\w+)\s*;.*)");
  std::set<std::string> modules;
  for (const auto& [file, text] : texts) {
    const std::string folder = DirName(file);
    const std::string own = JoinPath(folder, absl::StripSuffix(BaseName(file), ".rs"));
    for (absl::string_view line : SplitLines(text)) {
      std::string name;
      if (!kModule->Matches(line, &name)) continue;
      for (const std::string& base : {folder, own}) {
        for (const std::string& candidate :
             {JoinPath(base, name + ".rs"), JoinPath(base, name + "/mod.rs")}) {
          if (candidate != file && texts.count(candidate) > 0) modules.insert(candidate);
        }
      }
    }
  }
  return modules;
}

class RustcValidator : public ToolValidator {
 public:
  RustcValidator() : ToolValidator("rustc", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"rustc"}; }

  bool judges_single_files() const override { return true; }
  bool Sets(BuildSwitch::Kind kind) const override { return kind != BuildSwitch::Kind::kTag; }
  bool Applies(const Project& project) const override {
    return !project.Has("Cargo.toml") && !FilesWithExtension(project, {".rs"}).empty();
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindRustProgram("rustc", project, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::vector<std::string>();
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    static const Pattern* const kMain =
        new Pattern(R"((?m)^\s*(?:pub\s+)?(?:async\s+)?fn\s+main\b)");
    std::map<std::string, std::string> texts;
    for (const std::string& file : FilesWithExtension(project, {".rs"})) {
      texts[file] = DiskFileSystem()
                        ->ReadFile(JoinPath(project.workspace, file), kMaxSourceBytes)
                        .value_or("");
    }
    const std::set<std::string> modules = ModuleFiles(texts);
    std::vector<Diagnostic> diagnostics;
    std::set<std::string> read;
    std::string output;
    int exit_code = 0;
    std::vector<std::string> crates;
    std::vector<std::string> named;
    for (const auto& [file, text] : texts) {
      (modules.count(file) == 0 ? crates : named).push_back(file);
    }
    const size_t certain = crates.size();
    crates.insert(crates.end(), named.begin(), named.end());
    for (size_t i = 0; i < crates.size(); ++i) {
      const std::string& file = crates[i];
      // What is named as a module was compiled with the file that names it, unless the name stands
      // in a comment or behind a condition. After an error nothing is known of what was read.
      if (i >= certain && (read.count(file) > 0 || exit_code != 0)) continue;
      const std::string& text = texts[file];
      const std::string kind = kMain->IsIn(text) ? "bin" : "lib";
      std::vector<std::vector<std::string>> forms = {{"--crate-type", kind}};
      if (absl::StrContains(text, "#[test]") || absl::StrContains(text, "cfg(test)")) {
        forms.push_back({"--test"});
      }
      for (const std::vector<std::string>& form : forms) {
        STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process,
                               CheckOne(request, file, form, run));
        if (!process.has_value()) return run->result();
        if (process->exit_code != 0) exit_code = process->exit_code;
        output += AllOutput(*process);
        const auto depfile = DiskFileSystem()->ReadFile(DepfileOf(request), kMaxSourceBytes);
        if (process->exit_code == 0 && !depfile.ok()) {
          return run->InfraError("rustc wrote no list of dependencies", AllOutput(*process));
        }
        for (const std::string& input : ParseDepfile(depfile.value_or(""))) {
          read.insert(WorkspaceFile(input, project.workspace, project.workspace));
        }
      }
    }
    diagnostics = ParseCargoJson(output, project.workspace, project.workspace);
    if (exit_code == 0) {
      run->result().files_read = std::vector<std::string>(read.begin(), read.end());
    }
    return run->Conclude(exit_code, std::move(diagnostics), output);
  }

  static std::string DepfileOf(const ValidationRequest& request) {
    return JoinPath(request.state_dir, "crate.d");
  }

  static absl::StatusOr<std::optional<ProcessResult>> CheckOne(const ValidationRequest& request,
                                                               const std::string& file,
                                                               const std::vector<std::string>& form,
                                                               ValidationRun* run) {
    if (FileExists(DepfileOf(request))) {
      STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(DepfileOf(request)));
    }
    Command command;
    command.cwd = request.project->workspace;
    command.argv = {run->toolchain().program, "--edition", "2021", "--crate-name", "loose"};
    command.argv.insert(command.argv.end(), form.begin(), form.end());
    if (request.switches != nullptr) {
      for (std::string& argument : CfgArguments(*request.switches, /*with_features=*/true)) {
        command.argv.push_back(std::move(argument));
      }
    }
    command.argv.insert(
        command.argv.end(),
        {absl::StrCat("--emit=metadata=", JoinPath(request.state_dir, "crate.rmeta"),
                      ",dep-info=", DepfileOf(request)),
         "--error-format=json", "--", file});
    command.unset = {"RUSTFLAGS", "RUSTC_WRAPPER"};
    command.display = ShellText({"rustc", "--emit=metadata", file});
    return run->Execute(command);
  }
};

}  // namespace

std::unique_ptr<Validator> NewRustcValidator() { return std::make_unique<RustcValidator>(); }

}  // namespace stile
