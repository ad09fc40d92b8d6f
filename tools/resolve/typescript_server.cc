#include "tools/resolve/typescript_server.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/embedded.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"

namespace stile {

const std::vector<EmbeddedFile>& TypeScriptServerFiles();

namespace {

constexpr size_t kMaxScriptBytes = size_t{1} << 20;
// As editors have it: node's own limit depends on the machine.
constexpr const char* kMemory = "--max-old-space-size=3072";
constexpr const char* kMain = "main.cjs";

}  // namespace

std::string TypeScriptLibrary(const std::string& tsserver) {
  // pnpm writes a shell script into node_modules/.bin, npm a link.
  const std::string modules = DirName(DirName(tsserver));
  for (const std::string& program :
       {RealPath(tsserver).value_or(""), JoinPath(modules, "typescript/bin/tsserver")}) {
    const std::string library = JoinPath(DirName(DirName(program)), "lib");
    if (FileExists(JoinPath(library, "typescript.js")) &&
        FileExists(JoinPath(library, "tsserver.js"))) {
      return library;
    }
  }
  return "";
}

absl::Status PrepareTypeScriptServer(const std::string& folder, LanguageServerSpec* spec,
                                     LanguageServerHost* host) {
  STILE_ASSIGN_OR_RETURN(const std::string node, FindExecutable("node", host->environment));
  const std::string library = TypeScriptLibrary(spec->argv[0]);
  if (library.empty()) {
    return absl::NotFoundError(
        absl::StrCat(spec->argv[0], " belongs to no npm package typescript"));
  }
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
  for (const EmbeddedFile& file : TypeScriptServerFiles()) {
    const std::string path = JoinPath(folder, BaseName(file.path));
    // A server of an earlier run may have changed its folder.
    std::string found;
    if (ReadRegularFile(path, kMaxScriptBytes, &found) && found == file.text) continue;
    STILE_RETURN_IF_ERROR(WriteFileAtomically(DiskFileSystem(), path, file.text, 0600));
  }
  // It would add options of the user's programs.
  host->environment.erase("NODE_OPTIONS");
  host->writable.push_back(folder);  // what is not named there may be hidden
  spec->argv = {node, kMemory, JoinPath(folder, kMain), library};
  return absl::OkStatus();
}

}  // namespace stile
