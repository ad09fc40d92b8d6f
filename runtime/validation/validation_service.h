#ifndef STILE_RUNTIME_VALIDATION_VALIDATION_SERVICE_H_
#define STILE_RUNTIME_VALIDATION_VALIDATION_SERVICE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/validator.h"

namespace stile {

// What code.validate may ask for. Nothing set: all targets with unvalidated changes; if there are
// none, all that have not passed in this run. It narrows what runs now, never what finish demands.
struct ValidateArguments {
  std::string
      project_path;  // relative to the workspace: a project's folder or any path in it; "" = all
  std::string language;        // an id, "" or "auto" = all
  std::optional<Level> level;  // unset: the gate's own
  bool everything = false;     // every target that matches, also those that have passed already
  // A build whose compilers opened no code file is no_validator instead of pass.
  bool must_judge = false;
};

struct TargetReport {
  std::string validator;  // "" when no validator exists
  std::string root;
  Level level = Level::kBuild;
  std::string language;
  ValidationResult result;
};

struct ValidationReport {
  Verdict verdict = Verdict::kPass;  // the worst of the targets'; pass when there was nothing to do
  std::vector<TargetReport> targets;
  std::string summary;  // one line for people: "2 of 3 targets pass", "nothing to validate: …"
  // What the gate still misses after this, one line each ("web (tsc): src/a.ts"); empty = finish is
  // open.
  std::vector<std::string> remaining;
};

// What compilers say while a tool tries edits out.
struct ProbeReport {
  // Whether everything asked about was judged, by judges that know what names mean; else `errors`
  // says nothing.
  bool judged = false;
  std::string unjudged;            // why not
  bool is_stuck = false;           // there is a judge, but it gave no answer (timeout, infra_error)
  std::vector<Diagnostic> errors;  // each once
  std::vector<Diagnostic> warnings;
  std::vector<Diagnostic> notes;  // on errors and warnings, in the compiler's order
  // Judges that gave no answer, each with the reason. They may read the files asked about, and
  // build none of them.
  std::vector<std::string> unanswered;
  // What the judges read, where all of them tell.
  std::optional<std::vector<std::string>> files_read;
  // Whether all judges compiled code behind features as well; see ValidationResult.
  bool with_all_features = false;
};

// What a compiler says of examples in documentation.
struct ExampleReport {
  bool judged = false;
  std::string unjudged;  // why not; "": the language has none that are compiled
  std::vector<Diagnostic> errors;
};

// The gate as the tools see it.
class ValidationService {
 public:
  virtual ~ValidationService() = default;
  // InvalidArgument, fit for a model, for an unknown language or a path outside every project.
  // Other errors end the run.
  virtual absl::StatusOr<ValidationReport> Validate(const ValidateArguments& arguments) = 0;
  // Builds what `paths` (relative to the workspace) are part of, as the files are now. A question,
  // not an attempt to be done: failures are not counted, and errors that the run found are among
  // the answers. A status ends the run.
  virtual absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>& paths) = 0;
  // As Probe, with a warning of the code "deprecated" for each use of a name that is marked so, as
  // far as judges know it. Nothing is kept of the verdict. Blocks as long as a build.
  virtual absl::StatusOr<ProbeReport> ProbeDeprecated(const std::vector<std::string>& paths) {
    static_cast<void>(paths);
    return ProbeReport();
  }
  // As Probe, for examples in documentation. None is run. Blocks as long as a build.
  virtual absl::StatusOr<ExampleReport> ProbeExamples(const std::vector<DocExample>& examples) {
    static_cast<void>(examples);
    return ExampleReport();
  }
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_VALIDATION_SERVICE_H_
