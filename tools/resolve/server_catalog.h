// Which language server resolves the names of a language, and where it is found. The table is in
// the .cc file.
#ifndef STILE_TOOLS_RESOLVE_SERVER_CATALOG_H_
#define STILE_TOOLS_RESOLVE_SERVER_CATALOG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process/process_runner.h"
#include "tools/resolve/language_server.h"

namespace stile {

// For people: what a machine has.
struct ServerStatus {
  std::string name;                    // "gopls"
  std::vector<std::string> languages;  // ids, see runtime/language
  std::string program;                 // absolute; "": not found
  std::string install_hint;            // how to get it
};

// One per server, in the order of the table. `workspace` is absolute.
std::vector<ServerStatus> ListServers(const std::string& workspace, const Environment& environment);

// Where a server is looked for.
struct ServerSearch {
  std::string workspace;  // absolute
  std::string file;       // of the code; absolute
  std::string root;       // of its project; absolute, within the workspace
  Environment environment;
};

// The server for code of `language_id`. Each of the language's servers is looked for in the project
// (node_modules/.bin, .venv/bin of the root and the folders above it), then on the PATH; the first
// one that can read the file's project wins, and reads all of the file. Where none does, the first
// one is used, with its `limitation` set if it cannot read the project. NotFound with the way to
// get one; Unimplemented where no server is known for the language.
absl::StatusOr<LanguageServerSpec> FindServer(const std::string& language_id,
                                              const ServerSearch& search);

// Whether one server answers for the whole workspace, whatever projects are in it.
bool IsForWholeWorkspace(const std::string& language_id);

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_SERVER_CATALOG_H_
