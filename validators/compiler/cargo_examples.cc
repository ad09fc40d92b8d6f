#include "validators/compiler/cargo_examples.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/rust_toolchain.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/rustdoc_diagnostics.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{4} << 20;
constexpr int kFirstMinorVersion = 89;

bool KnowsRunners(absl::string_view version) {
  static const Pattern* const kVersion = new Pattern(R"(cargo 1\.(\d+)\..*)");
  std::string minor;
  return kVersion->Matches(version, &minor) && PositiveNumber(minor) >= kFirstMinorVersion;
}

// Parts of the names of examples, "src/lib.rs - Order::total (line 12)", that have no blank:
// rustdoc takes a filter apart at blanks. None: all are meant.
std::vector<std::string> Filters(const std::vector<DocExample>& examples, const Project& project) {
  std::set<std::string> filters;
  for (const DocExample& example : examples) {
    if (example.line == DocExample::kOfProject) return {};
    if (example.line == 0) {
      absl::string_view path = example.path;
      if (project.root != ".") absl::ConsumePrefix(&path, absl::StrCat(project.root, "/"));
      filters.insert(std::string(path));
      continue;
    }
    // In a block comment, rustdoc counts from another line.
    for (int line = example.line - 1; line <= example.line + 1; ++line) {
      filters.insert(absl::StrCat(line, ")"));
    }
  }
  return {filters.begin(), filters.end()};
}

}  // namespace

absl::StatusOr<ValidationResult> CheckCargoExamples(const ValidationRequest& request,
                                                    const Toolchain& cargo,
                                                    const std::vector<DocExample>& examples) {
  ValidationRun run(request, cargo);
  if (auto unusable = run.Unusable()) return *std::move(unusable);
  if (!KnowsRunners(cargo.version)) {
    ValidationResult result = run.NoValidator();
    result.message =
        absl::StrCat(cargo.version, " cannot compile documentation tests alone; Rust 1.",
                     kFirstMinorVersion, " can");
    return result;
  }
  const Project& project = *request.project;
  std::vector<std::string> arguments = {"test",
                                        "--doc",
                                        "--no-fail-fast",
                                        "--config",
                                        R"(build.rustdocflags=["--test-runtool=true"])",
                                        "--"};
  for (std::string& filter : Filters(examples, project)) arguments.push_back(std::move(filter));
  Command command = CargoCommand(cargo, arguments, JoinPath(request.state_dir, "target"));
  command.unset.insert(command.unset.end(), {"RUSTDOCFLAGS", "CARGO_ENCODED_RUSTDOCFLAGS"});
  STILE_ASSIGN_OR_RETURN(const std::optional<ProcessResult> process, run.Execute(command));
  if (!process.has_value()) return run.result();
  const std::string output = AllOutput(*process);
  if (absl::StrContains(output, "no library targets found")) {
    ValidationResult result = run.NoValidator();  // programs have no examples
    result.message.clear();
    return result;
  }
  // Edition 2024 compiles all tests into one program. The runner is then `true`, which prints no
  // `test result`.
  const bool has_ended = absl::StrContains(output, "\ntest result: ") ||
                         absl::StrContains(output, "all doctests ran in ");
  if (!has_ended) {
    return run.InfraError("cargo ended before it compiled the documentation tests", output);
  }
  std::vector<Diagnostic> errors = ParseRustdocExamples(
      output, CargoWorkspaceRoot(project), project.workspace,
      [&](const std::string& path) -> std::optional<std::string> {
        auto text = DiskFileSystem()->ReadFile(JoinPath(project.workspace, path), kMaxSourceBytes);
        return text.ok() ? std::optional<std::string>(*std::move(text)) : std::nullopt;
      });
  if (errors.empty() && absl::StrContains(output, "Couldn't compile the test.")) {
    return run.InfraError("the errors of documentation tests could not be read", output);
  }
  // Other failures are no compile errors: a `should_panic` test fails because no program runs.
  return errors.empty() ? run.Pass({}) : run.Fail(std::move(errors), "", output);
}

}  // namespace stile
