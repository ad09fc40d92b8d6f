// Settings of package managers as sandboxes show them: which registries there are, and no logins.
#ifndef STILE_RUNTIME_SANDBOX_REGISTRY_SETTINGS_H_
#define STILE_RUNTIME_SANDBOX_REGISTRY_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/language/language.h"
#include "runtime/sandbox/sandbox_settings.h"
#include "runtime/sandbox/sandboxed_runner.h"

namespace stile {

enum class SettingsForm { kLines, kXml };  // kLines: INI, npmrc, TOML, YAML, properties

// `text` without tokens, passwords, user names and keys, also those in addresses. Lines of npm and
// addresses that only name `variables` ("${NPM_TOKEN}") stay. `left_out` counts what is gone.
std::string WithoutLogins(absl::string_view text, SettingsForm form,
                          const std::vector<std::string>& variables, int* left_out);

// A variable of the environment whose value is a registry, or a list of them, without logins.
std::string RegistryVariable(absl::string_view name, const std::string& value);

// The policies are not null. Copies of the user's settings are written into `folder`; a file that
// cannot be read or copied is not shown to installs. In `judges` they stand where languages
// show nothing: npm's, pip's, yarn's and pnpm's. In `packages` they stand in place of all settings
// that `languages` show, in `commands` in place of Cargo's. What `settings` let be read stays.
// A copy with something left out says so, with its path, after "Stile left out".
void ShowRegistrySettings(const Environment& environment, const SandboxSettings& settings,
                          const LanguageRegistry& languages, const std::string& folder,
                          SandboxPolicy* judges, SandboxPolicy* packages, SandboxPolicy* commands);

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_REGISTRY_SETTINGS_H_
