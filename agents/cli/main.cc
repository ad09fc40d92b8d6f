#include <fcntl.h>
#include <unistd.h>

#include "agents/cli/cli.h"

namespace {

// A parent may have closed them: the next file that is opened would take their place.
void OpenStandardStreams() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardStreams();
  stile::CliContext context;
  context.environment = stile::InheritedEnvironment();
  return stile::RunCli(argc, argv, &context);
}
