// Programs that see folders at other paths than where they lie, so that they cannot tell by path
// which folder they work in.
#ifndef STILE_RUNTIME_PROCESS_RELOCATED_RUNNER_H_
#define STILE_RUNTIME_PROCESS_RELOCATED_RUNNER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Paths are absolute, without symlinks and without a slash at the end. No folder and no place lies
// within another.
struct Relocation {
  std::string folder;  // where it lies; requests and results name it so
  std::string place;   // where programs see it
};

// Passes requests on to a sandbox. In arguments, the working folder, variables and input, paths of
// the folders become paths of the places; in outputs, paths of the places become paths of the
// folders. Files that name these paths stay as they are: the folders can be seen where they lie,
// too. on_output gets the output as the program wrote it. Thread-safe as its base is.
class RelocatedRunner : public ProcessRunner {
 public:
  // `base` is not owned. `replaced`: see ProcessRequest; it holds the places.
  RelocatedRunner(ProcessRunner* base, std::vector<Relocation> relocations,
                  std::map<std::string, std::string> replaced)
      : base_(base), relocations_(std::move(relocations)), replaced_(std::move(replaced)) {}

  absl::StatusOr<ProcessResult> Run(const ProcessRequest& request) override;

 private:
  std::string Inside(absl::string_view text) const;
  std::string Outside(absl::string_view text) const;

  ProcessRunner* const base_;
  const std::vector<Relocation> relocations_;
  const std::map<std::string, std::string> replaced_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_RELOCATED_RUNNER_H_
