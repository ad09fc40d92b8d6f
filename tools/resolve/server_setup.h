// What a language server needs before it starts, such as the commands that compile each file. It is
// made in a folder outside of the workspace, by cmake, dotnet or javac.
#ifndef STILE_TOOLS_RESOLVE_SERVER_SETUP_H_
#define STILE_TOOLS_RESOLVE_SERVER_SETUP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/process/process_runner.h"
#include "tools/resolve/language_server.h"

namespace stile {

// Blocks while those programs run, a minute each at most. Adds to the arguments and the environment
// of the server and to the folders that it may write. `own_folder` is absolute; it is made if need
// be. The server for Java uses the folder `java` beside it, which all projects share. Errors:
// NotFound where the project lacks something, with the way to get it; Unavailable where a program
// failed; Cancelled; those of the file system.
absl::Status SetUpServer(const std::string& own_folder, LanguageServerSpec* spec,
                         LanguageServerHost* host);

// Runs a program of such a preparation in the root of the project, for `limit` at most. It may
// write `folder`. A status is that of the runner, or Cancelled; the program's failure is in the
// result.
absl::StatusOr<ProcessResult> RunSetUp(std::vector<std::string> argv, const std::string& folder,
                                       const LanguageServerHost& host,
                                       absl::Duration limit = absl::Minutes(1));

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_SERVER_SETUP_H_
