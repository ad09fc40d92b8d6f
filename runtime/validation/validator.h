// The seam between the gate and the compilers.
#ifndef STILE_RUNTIME_VALIDATION_VALIDATOR_H_
#define STILE_RUNTIME_VALIDATION_VALIDATOR_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/language/language.h"
#include "runtime/process/process_runner.h"
#include "runtime/validation/build_switch.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/validation/doc_example.h"
#include "runtime/validation/named_tests.h"
#include "runtime/validation/validation_settings.h"

namespace stile {

enum class Verdict {
  kPass,
  kFail,
  kFlakyPass,  // tests that passed only when repeated
  kTimeout,
  kInfraError,        // could not run, or gave no readable answer
  kNoValidator,       // the compiler is missing
  kSyntaxOnly,        // the same, and the changed files have no new error of syntax
  kChangedDuringRun,  // an input changed while it was judged
  kRemoved,           // the project is gone: nothing to judge
};
absl::string_view VerdictName(Verdict verdict);  // "pass", "flaky_pass", …
std::optional<Verdict> VerdictFromName(absl::string_view name);
// Whether it speaks against the content: fail, timeout, infra_error, flaky_pass.
bool IsAgainst(Verdict verdict);

// A project of one language as it stands on disk.
struct Project {
  const Language* language = nullptr;
  std::string workspace;  // absolute, no symlinks
  std::string root;       // relative to the workspace; "." for the workspace itself
  bool loose = false;     // no project file: scripts that lie about
  // Code and build files of the project, relative to the workspace, sorted. Files of nested
  // projects of the same language are not among them.
  std::vector<std::string> files;

  std::string absolute_root() const;
  bool Has(absl::string_view path_relative_to_root) const;  // among `files`, or on disk
};

// The program behind a validator on this machine.
struct Toolchain {
  bool available = false;
  std::string program;       // real path, version-manager shims resolved
  std::string version;       // first line of its own words
  std::string install_hint;  // set when not available: what to do
};

// Gets the text of a log piece by piece, on the thread that validates.
using ValidationLog = std::function<void(absl::string_view piece)>;

struct ValidationRequest {
  const Project* project = nullptr;
  // Paths among the project's inputs whose content changed since this validator last ran with this
  // state_dir (all of them the first time). Their mtimes are fresh.
  std::vector<std::string> changed;
  // Tests that fail are not run once more to see whether they are flaky.
  bool failure_is_expected = false;
  bool cold = false;  // do not use incremental state: state_dir is empty
  // Outside the workspace, exists, kept between validations and runs of this workspace and target,
  // used by one process at a time. Incremental state, build outputs and caches go here.
  std::string state_dir;
  // Where a validator that cannot build in the workspace keeps its copy of it.
  std::string copy_dir() const { return state_dir + "/tree"; }
  Environment environment;  // made by the runtime: no inherited compiler switches
  absl::Duration timeout = absl::Minutes(10);
  // To be set on top of what the project sets; null: none. Macros are set in the code itself.
  const BuildSwitches* switches = nullptr;
  // Warnings of the code "deprecated" are asked for, whatever the project allows.
  bool warns_of_deprecated = false;
  bool network = false;  // whether a sandbox lets its commands fetch packages; see NeedsNetwork
  ValidationLog log;     // gets all that the judging commands print; may be empty
  ProcessRunner* runner = nullptr;
  Clock* clock = nullptr;
  const Cancellation* cancellation = nullptr;
};

// See Validator::compilers.
inline constexpr absl::string_view kAnyProgram = "*";

// A file of the workspace that the command of a validator names.
struct JudgingFile {
  std::string path;  // relative to the workspace; need not exist
  bool runs = true;  // a program or script; false: settings, an output, or no file at all
};

// What kind of planted error a judge reports (see canary.h): none that can be relied upon, one of
// syntax only, or one of meaning.
enum class CanaryKind { kNone, kSyntax, kMeaning };

struct TestCounts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

struct ValidationResult {
  Verdict verdict = Verdict::kInfraError;
  std::vector<Diagnostic> diagnostics;
  std::string command;  // as a person would type it, from the project's root
  std::string output;   // the tool's own words, cut in the middle; for infra_error and fail without
                        // diagnostics
  std::string message;  // one line: why, for every verdict but pass
  Toolchain toolchain;
  std::optional<TestCounts> tests;
  NamedTests named_tests;  // of a test run; empty where the runner names none
  // Coverage: the files of the workspace that the tool read, relative, sorted; nullopt where it
  // cannot tell.
  std::optional<std::vector<std::string>> files_read;
  // Of a question about deprecated names: code behind features of a Cargo.toml was compiled as
  // well.
  bool with_all_features = false;
  // Set by the gate: errors that were there before the run were left out of the verdict.
  bool excused_errors = false;
  // Set by the gate: the verdict is of syntax trees, see Verdict::kSyntaxOnly.
  bool is_syntax_check = false;
  absl::Duration duration;
};

// Judges one kind of project at one level. Produces diagnostics; never edits source, never writes
// into the workspace (outputs go to state_dir), never speaks to a model. Immutable and thread-safe.
class Validator {
 public:
  virtual ~Validator() = default;

  virtual const std::string& id() const = 0;  // "tsc", "go-build", "cargo-check", …
  virtual Level level() const = 0;

  // Whether this is the judge for the project (mypy only where it is configured, …). By files
  // alone.
  virtual bool Applies(const Project& project) const = 0;

  // Finds the program that would judge `project`. Cheap enough to ask once per run; may run
  // `program --version`.
  virtual Toolchain Probe(const Project& project, const Environment& environment,
                          ProcessRunner* runner) const = 0;

  // Roots (relative to the workspace) of the projects in the same workspace that this one builds
  // on; nullopt when the files do not say, in which case every project of the language counts.
  virtual std::optional<std::vector<std::string>> Dependencies(const Project& project) const = 0;

  // The programs that analyse code for this validator: patterns (GlobMatch) for the base name of an
  // executable or of the script that an interpreter runs, or for all of the path where there is a
  // slash. A changed file that none of them opened was not judged. Empty: not known. kAnyProgram
  // alone: whatever the command starts, programs of the workspace included.
  virtual std::vector<std::string> compilers() const { return {}; }

  // Files of the workspace that its command names, those that it judges left out. Scripts are
  // inputs, and a verdict does not count if the run changed one of the files: see PinnedScripts.
  virtual std::vector<JudgingFile> scripts(const Project& project) const {
    static_cast<void>(project);
    return {};
  }

  // Whether a build under such switches can be asked for (ValidationRequest::switches).
  virtual bool Sets(BuildSwitch::Kind kind) const { return kind == BuildSwitch::Kind::kMacro; }

  virtual CanaryKind canary() const { return CanaryKind::kMeaning; }
  // Whether a loose project of one file that no build knows gets a verdict that means something.
  virtual bool judges_single_files() const { return false; }

  // One validation. The verdict follows from exit status and parsed diagnostics, never from a word
  // in the output: exit 0 with error diagnostics is infra_error, exit non-zero without a parseable
  // diagnostic is infra_error unless the tool documents that exit as "the code is wrong" (then
  // fail, with the output as message). A missing program is no_validator with the install hint, a
  // timeout is timeout. A status error means cancellation or a bug of ours only.
  virtual absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const = 0;

  // Compiles examples in the documentation of the project, perhaps others with them, and runs none.
  // fail has the errors of examples; no_validator: the language has none that are compiled.
  virtual absl::StatusOr<ValidationResult> CheckExamples(
      const ValidationRequest& request, const std::vector<DocExample>& examples) const;
};

// The validators of a run, found by id. Owns them. Immutable after construction.
class ValidatorRegistry {
 public:
  explicit ValidatorRegistry(std::vector<std::unique_ptr<Validator>> validators);
  const Validator* Find(absl::string_view id) const;
  const std::vector<std::unique_ptr<Validator>>& all() const { return validators_; }
  // The first of the language's candidates at `level` that applies; null if none does.
  const Validator* ForProject(const Project& project, Level level) const;

 private:
  std::vector<std::unique_ptr<Validator>> validators_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_VALIDATOR_H_
