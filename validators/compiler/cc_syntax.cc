// Nobody said which standard loose files are written in: C++ is checked as gnu++20, C as the
// compiler's default. A header is checked through a file that does nothing but include it, so that
// it must stand alone; a ".h" is C++ if it looks like it, whatever language it was counted to.
#include "validators/compiler/cc_syntax.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/syntax_jobs.h"
#include "validators/compiler/tool_validator.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

bool LooksLikeCpp(const std::string& path) {
  static const Pattern* const kCpp = new Pattern(
      R"((?m)^\s*(?:(?:inline\s+)?namespace\b|class\s+\w+|template\s*<|using\s+\w|enum\s+class\b|)"
      R"(public:|private:|constexpr\b)|^\s*#\s*include\s*<[a-z_]+>|\w::\w)");
  const std::string text = DiskFileSystem()->ReadFile(path, kMaxSourceBytes).value_or("");
  return !absl::StrContains(text, "__cplusplus") && kCpp->IsIn(text);
}

class CcSyntaxValidator : public ToolValidator {
 public:
  CcSyntaxValidator() : ToolValidator("cc-syntax", Level::kBuild, State::kRetriedCold) {}
  std::vector<std::string> compilers() const override { return CCompilers(); }

  bool judges_single_files() const override { return true; }
  bool Applies(const Project& project) const override {
    for (const std::string& file : project.files) {
      if (IsCSource(file) || IsCHeader(file)) return true;
    }
    return false;
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindCCompiler(project.language == nullptr || project.language->id != "c", environment,
                         runner);
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    std::vector<SyntaxJob> jobs;
    for (const std::string& file : project.files) {
      if (!IsCSource(file) && !IsCHeader(file)) continue;
      const std::string path = JoinPath(project.workspace, file);
      const bool cpp =
          HasExtension(file, {".c", ".h"}) ? IsCHeader(file) && LooksLikeCpp(path) : true;
      const Toolchain compiler = FindCCompiler(cpp, request.environment, request.runner);
      if (!compiler.available || !SaysItsVersion(compiler)) {
        run->result().toolchain = compiler;
        return *run->Unusable();
      }
      jobs.push_back(JobFor(project, file, path, cpp, compiler));
    }
    return RunSyntaxJobs(request, jobs, run);
  }

  static SyntaxJob JobFor(const Project& project, const std::string& file, const std::string& path,
                          bool cpp, const Toolchain& compiler) {
    SyntaxJob job;
    job.file = file;
    job.cwd = project.workspace;
    job.compiler = compiler;
    job.argv = {compiler.program, "-fsyntax-only"};
    for (std::string& argument : DiagnosticSwitches(compiler))
      job.argv.push_back(std::move(argument));
    job.argv.insert(job.argv.end(), {"-x", cpp ? "c++" : "c"});
    if (cpp) job.argv.push_back("-std=gnu++20");
    for (const std::string& folder :
         {DirName(path), project.absolute_root(), JoinPath(project.absolute_root(), "include")}) {
      job.argv.push_back(absl::StrCat("-I", folder));
    }
    if (IsCHeader(file)) {
      job.stdin_text = absl::StrCat("#include \"", path, "\"\n");
      job.argv.push_back("-");
    } else {
      job.argv.push_back(absl::StrCat("./", file));  // "@x.c" and "-x.c" are files, too
    }
    return job;
  }
};

}  // namespace

std::unique_ptr<Validator> NewCcSyntaxValidator() { return std::make_unique<CcSyntaxValidator>(); }

}  // namespace stile
