// What all sessions of one process share.
#ifndef STILE_RUNTIME_SESSION_SESSION_SERVICES_H_
#define STILE_RUNTIME_SESSION_SESSION_SERVICES_H_

#include <string>
#include <vector>

#include "runtime/base/cancellation.h"
#include "runtime/base/clock.h"
#include "runtime/base/ed25519.h"
#include "runtime/base/secret_masker.h"
#include "runtime/journal/run_store.h"
#include "runtime/language/language.h"
#include "runtime/process/process_runner.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/validation/changed_functions.h"
#include "runtime/validation/code_scopes.h"
#include "runtime/validation/conditional_code.h"
#include "runtime/validation/syntax_check.h"
#include "runtime/validation/validator.h"
#include "runtime/validation/weakening.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Nothing that a pointer names is owned; all of it outlives the sessions.
struct SessionServices {
  const LanguageRegistry* languages = nullptr;
  const ValidatorRegistry* validators = nullptr;
  const WeakeningDetector* weakening = nullptr;
  const ConditionFinder* conditions = nullptr;
  const ScopeFinder* scopes = nullptr;
  const SyntaxChecker* syntax = nullptr;
  const ChangedFunctionFinder* functions = nullptr;
  ProcessRunner* runner = nullptr;
  FileSystem* file_system = nullptr;
  Clock* clock = nullptr;
  RunStore* store = nullptr;
  const Ed25519PrivateKey* signing_key = nullptr;  // null: certificates are not signed
  const SecretMasker* secrets = nullptr;           // for journals and events; null: none
  const Cancellation* cancellation = nullptr;      // ends the sessions; null: nothing does
  Environment environment;                         // as this process inherited it
  SandboxSettings sandbox;
  std::string config_dir;                 // of the user's configuration: hidden from commands
  std::vector<std::string> secret_files;  // hidden from commands as well
  // For what sandboxes and validators keep of the workspace; "": RunStore::WorkspaceDir.
  std::string workspace_dir;
  ValidationLog validation_log;  // see ValidationRequest::log; may be empty
};

}  // namespace stile

#endif  // STILE_RUNTIME_SESSION_SESSION_SERVICES_H_
