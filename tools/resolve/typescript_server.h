// The language server for TypeScript before version 7: source of Stile (typescript_server/*.cjs)
// that node runs with the project's TypeScript. TypeScript's own server speaks another protocol.
#ifndef STILE_TOOLS_RESOLVE_TYPESCRIPT_SERVER_H_
#define STILE_TOOLS_RESOLVE_TYPESCRIPT_SERVER_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/process/process_runner.h"
#include "tools/resolve/language_server.h"

namespace stile {

// Returns the folder `lib` of the npm package typescript to which `tsserver` belongs; "" if there
// is none. `tsserver` is absolute: the package's program, or a link or script in
// node_modules/.bin.
std::string TypeScriptLibrary(const std::string& tsserver);

// Turns `spec`, which names tsserver, into the command that runs the server, and completes `host`.
// Writes the source to `folder`; files that have the right text are kept. Starts no program.
// Errors: NotFound without node, those of the file system.
absl::Status PrepareTypeScriptServer(const std::string& folder, LanguageServerSpec* spec,
                                     LanguageServerHost* host);

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_TYPESCRIPT_SERVER_H_
