#ifndef STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_
#define STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_

#include "agents/cli/command.h"

namespace stile {

// stile certificate show RUN|FILE
void DeclareCertificate(CLI::App* app, CliContext* context);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_
