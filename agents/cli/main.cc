#include "agents/cli/cli.h"

int main(int argc, char** argv) {
  stile::CliContext context;
  context.environment = stile::InheritedEnvironment();
  return stile::RunCli(argc, argv, &context);
}
