// Quirks of go that this file answers to:
// - `go build ./...` does not look at tests. `go vet` does, but fails on findings that are no
//   errors (printf verbs); `go vet -framepointer` runs one analyser that only looks at assembly,
//   and type-checks everything for it. It prints one type error per package, so build comes first.
// - `-o /dev/null` takes any number of packages, mains among them, and writes nothing.
// - Exit status 0 and no output is how go says yes, which a broken program can say as well. So `go
//   list` is asked first; it must name packages. Its answer is the coverage.
// - Go's own caches are keyed by content, so nothing here depends on mtimes.
// - go 1.20 and older compile what a newer `go` directive permits as far as they can; see
//   toolchain_age.h.
#include "validators/compiler/go_build.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/go_module.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/go_diagnostics.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// A line "D<folder>" for each package, then "F<name>" for each file that this platform builds or
// tests.
constexpr absl::string_view kListFormat =
    "D{{.Dir}}{{range .GoFiles}}\nF{{.}}{{end}}{{range .CgoFiles}}\nF{{.}}{{end}}"
    "{{range .TestGoFiles}}\nF{{.}}{{end}}{{range .XTestGoFiles}}\nF{{.}}{{end}}";

std::vector<std::string> ListedFiles(const std::string& output, const Project& project) {
  std::vector<std::string> files;
  std::string folder;
  for (absl::string_view line : SplitLines(output)) {
    if (absl::ConsumePrefix(&line, "D")) {
      folder = std::string(line);
    } else if (absl::ConsumePrefix(&line, "F")) {
      files.push_back(
          WorkspaceFile(JoinPath(folder, line), project.absolute_root(), project.workspace));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Where a file can belong that this platform leaves out: other systems, and the tags of its own
// "//go:build" line.
struct Configuration {
  const char* os;
  const char* architecture;
  std::string tags;
};

std::vector<Configuration> OtherConfigurations(absl::string_view text) {
  static const Pattern* const kConstraint = new Pattern(R"(//go:build (.*))");
  static const auto* const platforms = new std::set<std::string>{
      "ignore", "linux",   "windows", "darwin", "freebsd", "js",  "wasm", "amd64", "arm64",
      "unix",   "android", "ios",     "cgo",    "gc",      "arm", "386",  "race",  "go1"};
  std::vector<std::string> tags;
  std::vector<std::string> wanted;
  for (absl::string_view line : SplitLines(text)) {
    std::string constraint;
    if (!kConstraint->Matches(absl::StripAsciiWhitespace(line), &constraint)) continue;
    for (absl::string_view word :
         absl::StrSplit(constraint, absl::ByAnyChar(" ()&|"), absl::SkipEmpty())) {
      const bool negated = absl::ConsumePrefix(&word, "!");
      if (word.empty() || platforms->count(std::string(word)) > 0) continue;
      tags.emplace_back(word);
      if (!negated) wanted.emplace_back(word);
    }
    break;
  }
  static constexpr std::pair<const char*, const char*> kSystems[] = {
      {"linux", "amd64"},   {"windows", "amd64"}, {"darwin", "arm64"},  {"linux", "arm64"},
      {"freebsd", "amd64"}, {"js", "wasm"},       {"android", "arm64"}, {"linux", "386"}};
  std::vector<Configuration> configurations;
  std::vector<std::string> choices = {absl::StrJoin(wanted, ",")};
  if (wanted.size() != tags.size()) choices.push_back(absl::StrJoin(tags, ","));
  for (const std::string& choice : choices) {
    for (const auto& [os, architecture] : kSystems) {
      configurations.push_back({os, architecture, choice});
    }
  }
  return configurations;
}

// go build and go vet describe the same fault in slightly different words: the first one stays.
void DropSamePlace(std::vector<Diagnostic>* diagnostics) {
  std::set<std::pair<std::string, int>> seen_by_build;
  std::vector<Diagnostic> kept;
  for (Diagnostic& diagnostic : *diagnostics) {
    const auto place = std::make_pair(diagnostic.file, diagnostic.line);
    if (diagnostic.line > 0 && !seen_by_build.insert(place).second) {
      const bool same_column = std::any_of(kept.begin(), kept.end(), [&](const Diagnostic& other) {
        return other.file == diagnostic.file && other.line == diagnostic.line &&
               (other.column == diagnostic.column || diagnostic.column == 0);
      });
      if (same_column) continue;
    }
    kept.push_back(std::move(diagnostic));
  }
  *diagnostics = std::move(kept);
}

// Loose files: those of a folder are one package, unless several of them are programs.
std::vector<std::vector<std::string>> LoosePackages(const Project& project) {
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const std::string& file : FilesWithExtension(project, {".go"})) {
    by_folder[DirName(file)].push_back(file);
  }
  std::vector<std::vector<std::string>> packages;
  for (const auto& [folder, files] : by_folder) {
    size_t programs = 0;
    for (const std::string& file : files) {
      const absl::StatusOr<std::string> text =
          DiskFileSystem()->ReadFile(JoinPath(project.workspace, file), kMaxFileBytes);
      if (text.ok() && absl::StrContains(*text, "func main(")) ++programs;
    }
    if (programs <= 1) {
      packages.push_back(files);
    } else {
      for (const std::string& file : files) packages.push_back({file});
    }
  }
  return packages;
}

class GoBuildValidator : public ToolValidator {
 public:
  GoBuildValidator() : ToolValidator("go-build", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"compile", "vet", "asm", "cgo"}; }
  bool judges_single_files() const override { return true; }
  bool Applies(const Project&) const override { return true; }
  bool Sets(BuildSwitch::Kind kind) const override { return kind == BuildSwitch::Kind::kTag; }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindGo(environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return GoDependencies(project);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    return project.loose ? ValidateLoose(request, run) : ValidateModule(request, run);
  }

  static Command GoCommand(const ValidationRun& run, const ValidationRequest& request,
                           std::vector<std::string> arguments) {
    Command command;
    command.argv = {run.toolchain().program};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.set = GoVariables(*request.project);
    const std::string tags = request.switches == nullptr ? "" : TagList(*request.switches);
    if (!tags.empty()) {
      absl::StrAppend(&command.set["GOFLAGS"], " -tags=", tags);
      command.display = absl::StrCat("GOFLAGS=-tags=", tags, " ", ShellText(command.argv));
    }
    return command;
  }

  absl::StatusOr<ValidationResult> ValidateModule(const ValidationRequest& request,
                                                  ValidationRun* run) const {
    const Project& project = *request.project;
    const std::string root = project.absolute_root();
    Command list =
        GoCommand(*run, request, {"list", "-e", "-f", std::string(kListFormat), "./..."});
    list.display = "go list ./...";
    list.observed = false;
    STILE_ASSIGN_OR_RETURN(const auto listed, run->Execute(list));
    if (!listed.has_value()) return run->result();
    if (listed->exit_code != 0) {
      return run->Conclude(listed->exit_code, ParseGo(listed->err, root, project.workspace),
                           AllOutput(*listed));
    }
    std::vector<std::string> files = ListedFiles(listed->out, project);
    if (files.empty()) {
      if (FilesWithExtension(project, {".go"}).empty()) return run->Pass({});
      return run->InfraError("go list names no file to build for this platform",
                             AllOutput(*listed));
    }

    STILE_ASSIGN_OR_RETURN(
        const auto built,
        run->Execute(GoCommand(*run, request, {"build", "-o", "/dev/null", "./..."})));
    if (!built.has_value()) return run->result();
    STILE_ASSIGN_OR_RETURN(
        const auto vetted,
        run->Execute(GoCommand(*run, request, {"vet", "-framepointer", "./..."})));
    if (!vetted.has_value()) return run->result();

    std::vector<Diagnostic> diagnostics = ParseGo(built->err, root, project.workspace);
    const size_t build_errors = CountErrors(diagnostics);
    std::vector<Diagnostic> more = ParseGo(vetted->err, root, project.workspace);
    // Each command is held to its own word before their findings are put together.
    if ((built->exit_code == 0) != (build_errors == 0)) {
      return run->Conclude(built->exit_code, std::move(diagnostics), AllOutput(*built));
    }
    if (built->exit_code == 0 || vetted->exit_code == 0) {
      if ((vetted->exit_code == 0) != (CountErrors(more) == 0)) {
        return run->Conclude(vetted->exit_code, std::move(more), AllOutput(*vetted));
      }
    }
    diagnostics.insert(diagnostics.end(), more.begin(), more.end());
    DropSamePlace(&diagnostics);
    const int exit_code = built->exit_code != 0 ? built->exit_code : vetted->exit_code;
    run->result().files_read = std::move(files);
    return run->Conclude(exit_code, std::move(diagnostics), AllOutput(*built));
  }

  // A file of a module that this platform leaves out, in the first configuration that takes it in;
  // nullopt when there is none.
  absl::StatusOr<std::optional<ValidationResult>> ValidateElsewhere(
      const ValidationRequest& request, const std::string& file, ValidationRun* run) const {
    const Project& project = *request.project;
    const std::string path = JoinPath(project.workspace, file);
    const std::string text = DiskFileSystem()->ReadFile(path, kMaxFileBytes).value_or("");
    for (const Configuration& where : OtherConfigurations(text)) {
      Command list = GoCommand(*run, request, {"list", "-e", "-f", std::string(kListFormat), "."});
      list.cwd = DirName(path);
      list.set["GOOS"] = where.os;
      list.set["GOARCH"] = where.architecture;
      list.set["CGO_ENABLED"] = "0";
      if (!where.tags.empty()) absl::StrAppend(&list.set["GOFLAGS"], " -tags=", where.tags);
      list.judges = false;
      STILE_ASSIGN_OR_RETURN(const auto listed, run->Execute(list));
      if (!listed.has_value()) return std::optional<ValidationResult>(run->result());
      if (listed->exit_code != 0) return std::optional<ValidationResult>();  // in no module
      const std::vector<std::string> files = ListedFiles(listed->out, project);
      if (std::find(files.begin(), files.end(), file) == files.end()) continue;
      Command vet = list;
      vet.argv = {run->toolchain().program, "vet", "-framepointer", "."};
      vet.judges = true;
      vet.display = absl::StrCat("GOOS=", where.os, " GOARCH=", where.architecture,
                                 " CGO_ENABLED=0 go vet -framepointer .");
      STILE_ASSIGN_OR_RETURN(const auto vetted, run->Execute(vet));
      if (!vetted.has_value()) return std::optional<ValidationResult>(run->result());
      run->result().files_read = files;
      return std::optional<ValidationResult>(run->Conclude(
          vetted->exit_code, ParseGo(vetted->err, vet.cwd, project.workspace), AllOutput(*vetted)));
    }
    return std::optional<ValidationResult>();
  }

  absl::StatusOr<ValidationResult> ValidateLoose(const ValidationRequest& request,
                                                 ValidationRun* run) const {
    const Project& project = *request.project;
    std::vector<Diagnostic> diagnostics;
    int exit_code = 0;
    std::string output;
    if (project.files.size() == 1) {
      STILE_ASSIGN_OR_RETURN(auto elsewhere, ValidateElsewhere(request, project.files[0], run));
      if (elsewhere.has_value()) return *std::move(elsewhere);
    }
    for (const std::vector<std::string>& package : LoosePackages(project)) {
      std::vector<std::string> arguments = {"vet", "-framepointer"};
      for (const std::string& file : package) {
        arguments.push_back(absl::StrCat("./", BaseName(file)));
      }
      Command command = GoCommand(*run, request, std::move(arguments));
      command.cwd = JoinPath(project.workspace, DirName(package.front()));
      STILE_ASSIGN_OR_RETURN(const auto vetted, run->Execute(command));
      if (!vetted.has_value()) return run->result();
      std::vector<Diagnostic> found = ParseGo(vetted->err, command.cwd, project.workspace);
      if ((vetted->exit_code == 0) != (CountErrors(found) == 0)) {
        return run->Conclude(vetted->exit_code, std::move(found), AllOutput(*vetted));
      }
      diagnostics.insert(diagnostics.end(), found.begin(), found.end());
      if (vetted->exit_code != 0) exit_code = vetted->exit_code;
      absl::StrAppend(&output, AllOutput(*vetted));
    }
    run->result().files_read = FilesWithExtension(project, {".go"});
    return run->Conclude(exit_code, std::move(diagnostics), output);
  }
};

}  // namespace

std::unique_ptr<Validator> NewGoBuildValidator() { return std::make_unique<GoBuildValidator>(); }

}  // namespace stile
