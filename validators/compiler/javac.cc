// javac exits 1 for wrong code, 2 for a wrong command line, 3 and 4 for its own trouble. The
// classes are wiped before each run: a class left from a deleted file would satisfy whoever still
// uses it. Loose files may each hold a program of their own; where their classes clash, each source
// root (the folder above a file's package) is compiled by itself with the others on the source
// path.
#include "validators/compiler/javac.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/javac_diagnostics.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

std::string ClassPath(const Project& project) {
  std::vector<std::string> jars;
  for (const char* folder : {"lib", "libs"}) {
    const std::string path = JoinPath(project.absolute_root(), folder);
    for (const std::string& name : ListDirectory(path).value_or(std::vector<std::string>())) {
      if (absl::EndsWithIgnoreCase(name, ".jar")) jars.push_back(JoinPath(path, name));
    }
  }
  return absl::StrJoin(jars, ":");
}

// The folder above the package of a source file, absolute; the file's folder where they do not
// agree.
std::string SourceRoot(const std::string& file) {
  static const Pattern* const kPackage = new Pattern(R"((?m)^\s*package\s+([\w.\s]+?)\s*;)");
  const std::string folder = DirName(file);
  std::string package;
  kPackage->IsIn(DiskFileSystem()->ReadFile(file, kMaxSourceBytes).value_or(""), &package);
  const std::string path = absl::StrCat("/", absl::StrReplaceAll(package, {{".", "/"}}));
  if (package.empty() || !absl::EndsWith(folder, path)) return folder;
  return folder.substr(0, folder.size() - path.size());
}

// An argument file's form of one argument.
std::string Quoted(absl::string_view argument) {
  return absl::StrCat("\"", absl::StrReplaceAll(argument, {{"\\", "\\\\"}, {"\"", "\\\""}}),
                      "\"\n");
}

class JavacValidator : public ToolValidator {
 public:
  JavacValidator() : ToolValidator("javac", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"javac"}; }

  bool judges_single_files() const override { return true; }
  bool Applies(const Project& project) const override {
    for (const char* name : {"pom.xml", "build.gradle", "build.gradle.kts"}) {
      if (project.Has(name)) return false;
    }
    return !FilesWithExtension(project, {".java"}).empty();
  }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    ProgramQuery query;
    query.names = {"javac"};
    query.install_hint = "apt install default-jdk-headless";
    return FindToolchain(query, environment, runner);
  }

  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::vector<std::string>();
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const std::vector<std::string> files = FilesWithExtension(project, {".java"});
    if (files.empty()) return run->Pass({});
    std::map<std::string, std::vector<std::string>> by_root;
    std::vector<std::string> all;
    for (const std::string& file : files) {
      all.push_back(JoinPath(project.workspace, file));
      by_root[SourceRoot(all.back())].push_back(all.back());
    }
    STILE_ASSIGN_OR_RETURN(std::optional<Compilation> compiled, Compile(request, all, "", run));
    if (!compiled.has_value()) return run->result();
    const bool clash = std::any_of(compiled->diagnostics.begin(), compiled->diagnostics.end(),
                                   [](const Diagnostic& diagnostic) {
                                     return absl::StartsWith(diagnostic.message, "duplicate class");
                                   });
    if (clash && by_root.size() > 1) {
      STILE_ASSIGN_OR_RETURN(compiled, CompileEachRoot(request, by_root, run));
      if (!compiled.has_value()) return run->result();
    }
    run->result().files_read = files;
    return run->Conclude(compiled->exit_code, std::move(compiled->diagnostics), compiled->output);
  }

  struct Compilation {
    int exit_code = 0;
    std::vector<Diagnostic> diagnostics;
    std::string output;
  };

  absl::StatusOr<std::optional<Compilation>> CompileEachRoot(
      const ValidationRequest& request,
      const std::map<std::string, std::vector<std::string>>& by_root, ValidationRun* run) const {
    std::vector<std::string> roots;
    for (const auto& [root, files] : by_root) roots.push_back(root);
    Compilation sum;
    for (const auto& [root, files] : by_root) {
      // A program finds its own folder first.
      std::vector<std::string> path = {root};
      path.insert(path.end(), roots.begin(), roots.end());
      STILE_ASSIGN_OR_RETURN(std::optional<Compilation> one,
                             Compile(request, files, absl::StrJoin(path, ":"), run));
      if (!one.has_value()) return one;
      if (one->exit_code > sum.exit_code) sum.exit_code = one->exit_code;
      sum.output += one->output;
      for (Diagnostic& diagnostic : one->diagnostics) {
        sum.diagnostics.push_back(std::move(diagnostic));
      }
    }
    return std::optional<Compilation>(std::move(sum));
  }

  absl::StatusOr<std::optional<Compilation>> Compile(const ValidationRequest& request,
                                                     const std::vector<std::string>& files,
                                                     const std::string& source_path,
                                                     ValidationRun* run) const {
    const std::string classes = JoinPath(request.state_dir, "classes");
    STILE_RETURN_IF_ERROR(RemoveTree(classes));
    STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(classes));
    std::string arguments =
        absl::StrCat("-encoding UTF-8\n-proc:none\n-Xmaxerrs 1000\n-d ", Quoted(classes));
    const std::string class_path = ClassPath(*request.project);
    // An empty class path would be the working directory, with whatever classes lie there.
    absl::StrAppend(&arguments, "-cp ", Quoted(class_path.empty() ? classes : class_path));
    absl::StrAppend(&arguments, "-sourcepath ",
                    Quoted(source_path.empty() ? classes : source_path));
    for (const std::string& file : files) absl::StrAppend(&arguments, Quoted(file));
    const std::string argument_file = JoinPath(request.state_dir, "javac.args");
    STILE_RETURN_IF_ERROR(DiskFileSystem()->WriteFile(argument_file, arguments, 0644, false));

    Command command;
    command.argv = {run->toolchain().program, "-J-Duser.language=en", "-J-XX:+UseSerialGC",
                    "-J-XX:TieredStopAtLevel=1", absl::StrCat("@", argument_file)};
    command.set = {{"LC_ALL", "C.UTF-8"}};
    command.unset = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_JAVAC_OPTIONS", "CLASSPATH"};
    command.display = files.size() == 1 ? ShellText({"javac", files[0]})
                                        : absl::StrCat("javac (", Count(files.size(), "file"), ")");
    STILE_ASSIGN_OR_RETURN(std::optional<ProcessResult> process, run->Execute(command));
    if (!process.has_value()) return std::optional<Compilation>();
    Compilation compilation;
    compilation.exit_code = process->exit_code;
    compilation.output = AllOutput(*process);
    // Beyond 1 javac speaks of itself, in the same form.
    if (process->exit_code <= 1) {
      compilation.diagnostics = ParseJavac(compilation.output, request.project->absolute_root(),
                                           request.project->workspace);
    }
    return std::optional<Compilation>(std::move(compilation));
  }
};

}  // namespace

std::unique_ptr<Validator> NewJavacValidator() { return std::make_unique<JavacValidator>(); }

}  // namespace stile
