// A workspace, a state folder and one validator, for tests with real compilers. Header only:
// programs of rooms that know validators include it.
#ifndef STILE_TESTS_SUPPORT_VALIDATION_FIXTURE_H_
#define STILE_TESTS_SUPPORT_VALIDATION_FIXTURE_H_

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/base/clock.h"
#include "runtime/process/process_runner.h"
#include "runtime/validation/validator.h"
#include "tests/support/temp_dir.h"
#include "tests/support/toolchain_env.h"

namespace stile {

class ValidationFixture {
 public:
  explicit ValidationFixture(std::unique_ptr<Validator> validator, std::string language = "")
      : validator_(std::move(validator)), runner_(NewLocalProcessRunner()) {
    language_.id = std::move(language);
    environment_ = TestEnvironment();
  }

  const TempDir& workspace() const { return workspace_; }
  const TempDir& state() const { return state_; }
  const Validator& validator() const { return *validator_; }
  Environment& environment() { return environment_; }
  void set_files(std::vector<std::string> globs) { language_.files = std::move(globs); }
  void set_root(std::string root) { root_ = std::move(root); }
  void set_loose(bool loose) { loose_ = loose; }
  void set_timeout(absl::Duration timeout) { timeout_ = timeout; }

  // Writes a file and remembers it as changed, as the gate would.
  void Write(const std::string& name, absl::string_view text) {
    workspace_.Write(name, text);
    changed_.push_back(name);
  }
  void Remove(const std::string& name) {
    std::filesystem::remove(workspace_.Path(name));
    changed_.push_back(name);
  }

  // The project at the root as it stands on disk.
  Project Look() const {
    Project project;
    project.language = &language_;
    project.workspace = workspace_.path();
    project.root = root_;
    project.loose = loose_;
    const std::filesystem::path base(workspace_.path());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = entry.path().lexically_relative(base).string();
      if (root_ == "." || path.rfind(root_ + "/", 0) == 0) project.files.push_back(path);
    }
    std::sort(project.files.begin(), project.files.end());
    return project;
  }

  // One validation with the state of those before. An error status is a failure of the test.
  ValidationResult Validate(bool cold = false) {
    const Project project = Look();
    ValidationRequest request;
    request.project = &project;
    request.changed = std::exchange(changed_, {});
    for (const std::string& name : request.changed) Touch(name);
    request.cold = cold;
    request.state_dir = state_.path();
    request.environment = environment_;
    request.timeout = timeout_;
    request.runner = runner_.get();
    request.clock = SystemClock();
    absl::StatusOr<ValidationResult> result = validator_->Validate(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ValidationResult();
  }

  // Everything in the workspace, names and contents: equal before and after what writes nothing.
  std::string Content(const std::vector<std::string>& except = {}) const {
    std::string text;
    for (const std::string& file : Look().files) {
      if (std::find(except.begin(), except.end(), file) != except.end()) continue;
      absl::StrAppend(&text, file, "\n", workspace_.Read(file), "\n");
    }
    return text;
  }

  // A PATH on which `name` is this shell script, and nothing of that name comes after it.
  void FakeProgram(const std::string& name, absl::string_view script) {
    tools_.Write(name, absl::StrCat("#!/bin/sh\n", script));
    chmod(tools_.Path(name).c_str(), 0755);
    environment_["PATH"] = absl::StrCat(tools_.path(), ":", TestEnvironment()["PATH"]);
  }

 private:
  // What the gate does with a changed input: its mtime becomes now.
  void Touch(const std::string& name) const {
    utimensat(AT_FDCWD, workspace_.Path(name).c_str(), nullptr, 0);
  }

  TempDir workspace_;
  TempDir state_;
  TempDir tools_;
  std::unique_ptr<Validator> validator_;
  std::unique_ptr<ProcessRunner> runner_;
  Language language_;
  Environment environment_;
  std::string root_ = ".";
  bool loose_ = false;
  absl::Duration timeout_ = absl::Minutes(5);
  std::vector<std::string> changed_;
};

inline std::string Describe(const ValidationResult& result) {
  std::string text =
      absl::StrCat(VerdictName(result.verdict), ": ", result.message, "\n$ ", result.command, "\n");
  for (const Diagnostic& diagnostic : result.diagnostics) {
    absl::StrAppend(&text, FormatDiagnostic(diagnostic), "\n");
  }
  return absl::StrCat(text, result.output);
}

// What no validator may take for a pass: programs that break in their ways.
struct BrokenProgram {
  const char* name;
  const char* script;
};
inline const std::vector<BrokenProgram>& BrokenPrograms() {
  static const auto* const kPrograms = new std::vector<BrokenProgram>{
      {"prints nothing and exits 1", "exit 1\n"},
      {"prints '0 errors' and exits 1", "echo 0 errors; exit 1\n"},
      {"dies by a signal", "kill -SEGV $$\n"},
      {"is killed", "kill -KILL $$\n"},
  };
  return *kPrograms;
}

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_VALIDATION_FIXTURE_H_
