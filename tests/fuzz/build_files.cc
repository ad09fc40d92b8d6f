// Files and output of build tools other than diagnostics: compile_commands.json, depfiles, go.mod
// and go.work. The first byte chooses.
#include "runtime/base/check.h"
#include "runtime/base/shell_words.h"
#include "tests/fuzz/fuzz_input.h"
#include "validators/compiler/compile_commands.h"
#include "validators/compiler/files_read.h"
#include "validators/compiler/go_module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  switch (input.TakeChoice(6)) {
    case 0: {
      const auto commands = stile::ParseCompileCommands(input.rest(), "/ws/build");
      if (!commands.ok()) break;
      STILE_CHECK(!commands->empty());
      for (const stile::CompileCommand& command : *commands) {
        STILE_CHECK(!command.file.empty() && command.directory.front() == '/');
      }
      break;
    }
    case 1:
      stile::SplitShellWords(input.rest()).IgnoreError();
      break;
    case 2:
      stile::ParseDepfile(input.rest());
      break;
    case 3:
      stile::ParseGoMod(input.rest());
      stile::ParseGoWork(input.rest());
      break;
    case 4:
      stile::FilesReadByCargo(input.rest(), "/nowhere", "/nowhere");
      break;
    default:
      stile::FilesReadByNinja(input.rest(), "/nowhere/build", "/nowhere");
      break;
  }
  return 0;
}
