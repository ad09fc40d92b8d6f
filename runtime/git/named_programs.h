// Programs that a repository names in its hooks and in its own settings. An agent may have made the
// repository, or can edit what they run, so they run behind a wrapper: in a sandbox.
#ifndef STILE_RUNTIME_GIT_NAMED_PROGRAMS_H_
#define STILE_RUNTIME_GIT_NAMED_PROGRAMS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Whether the settings that a repository holds itself can name a program at all: a look at their
// text, which costs less than asking git.
bool MayNamePrograms(const std::string& git_dir, const std::string& common_dir);

// From the answer of `git config -z --show-scope --get-regexp`: the variables that make git take,
// in place of each program of the repository's own scopes, the same behind `wrapper`. See
// git-config(1), GIT_CONFIG_COUNT.
Environment WrapSettings(absl::string_view answer, const std::vector<std::string>& wrapper);
// The settings that WrapSettings understands, for --get-regexp: those of filters, see
// gitattributes(5).
inline constexpr char kFilterSettings[] = "^filter\\..*\\.(clean|smudge|process)$";

// The names of what git would run in the folder `hooks`, which may not exist.
absl::StatusOr<std::vector<std::string>> RunnableHooks(const std::string& hooks);
// Makes `folder` hold hooks of these names that run those in `hooks` behind `wrapper`.
absl::Status WrapHooks(const std::string& hooks, const std::vector<std::string>& names,
                       const std::vector<std::string>& wrapper, const std::string& folder);

}  // namespace stile

#endif  // STILE_RUNTIME_GIT_NAMED_PROGRAMS_H_
