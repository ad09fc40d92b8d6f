// The language server for Java: source of Stile (java_server/*.java) that the JDK of the machine
// compiles and runs, since the compiler that resolves names is a part of it.
#ifndef STILE_TOOLS_RESOLVE_JAVA_SERVER_H_
#define STILE_TOOLS_RESOLVE_JAVA_SERVER_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/process/process_runner.h"
#include "tools/resolve/language_server.h"

namespace stile {

// Turns `spec`, which names javac, into the command that runs the server, and completes `host`. The
// classes are compiled into `folder` unless they are there, for this source and this
// JDK. Several processes may do so at once: the first to rename its folder wins. Blocks while javac
// compiles, a minute at most. Errors: Unavailable if javac fails, Cancelled, those of the file
// system.
absl::Status PrepareJavaServer(const std::string& folder, LanguageServerSpec* spec,
                               LanguageServerHost* host);

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_JAVA_SERVER_H_
