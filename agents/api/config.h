// Everything that can be set, and where it is read from.
#ifndef STILE_AGENTS_API_CONFIG_H_
#define STILE_AGENTS_API_CONFIG_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/gate/gate_settings.h"
#include "runtime/mcp/mcp_settings.h"
#include "runtime/model/model_settings.h"
#include "runtime/sandbox/sandbox_settings.h"
#include "runtime/tool/permission_rules.h"
#include "runtime/validation/validation_settings.h"

namespace stile {

class LanguageRegistry;  // runtime/language/language.h
struct Yaml;
// Variables by name, as in runtime/process/process_runner.h.
using Environment = std::map<std::string, std::string>;

// A language that the configuration declares, in the form of a language file.
struct LanguageDeclaration {
  std::string file;  // for messages
  std::string text;
};

// Everything that can be set. Precedence: flags, STILE_* environment, stile.yaml of the repository,
// user configuration, defaults; each layer overrides single values, lists of permissions add up.
struct Config {
  std::string model;  // "" : none chosen
  std::string base_url;
  std::string agent = "coding-agent";
  // How models are asked and what they cost: protocol, api, effort, fallback, headers, query, TLS
  // files, prices. The model itself and its address stand above.
  ModelSettings model_access;
  RunLimits limits;
  int max_parallelism = 3;  // steps of a story's wave that run at the same time
  GateSettings gate;
  SandboxSettings sandbox;
  PermissionRules permissions;
  bool yes = false;          // "ask" becomes "allow"
  bool instructions = true;  // whether agents read what the repository says, see docs/settings.md
  bool resolvers = true;     // whether language servers say what names mean, see tools/resolve
  struct Deliver {
    bool commit = true;
    bool clean_room = true;          // a commit must pass by itself, in a fresh checkout
    std::vector<std::string> paths;  // globs; a change outside them fails the delivery; empty: all
  } deliver;
  // PEM file of the ed25519 key that signs certificates; "" : they are not signed. Never from a
  // repository's stile.yaml.
  std::string certificate_key;
  std::vector<CommandValidatorSettings> validators;
  std::vector<LanguageDeclaration> languages;  // `languages:` of the files
  std::vector<McpServerSettings> mcp_servers;
  std::vector<std::string> sources;  // the files that were read, for doctor
  // Keys of the repository's stile.yaml that did not count, as "FILE:LINE: key"; see trust.h.
  std::vector<std::string> untrusted;
  // Those of them that declare how files are judged: validators, languages. Runs name them, or do
  // not start under `gate.untrusted: reject`.
  std::vector<std::string> untrusted_validators;
  bool rejects_untrusted = false;
  // Dotted keys that a flag, a STILE_* variable or a request gives: these win over profiles, and
  // over what a run that goes on began with.
  std::set<std::string> given;
  // "FILE:LINE" of a `base_url` that is untrusted; "" where there is none, or where a flag or a
  // variable gives the address. No provider may be asked then: the address is not the one that was
  // meant.
  std::string untrusted_base_url;
};

struct ConfigFlags {
  struct Value {
    std::string key;     // dotted: "limits.max_turns", or "yes"
    std::string text;    // "5"
    std::string source;  // named in messages: "--max-turns"
  };
  std::string config_file;      // --config: read instead of the repository's stile.yaml
  std::vector<Value> defaults;  // below every file: what a door sets otherwise than the others
  std::vector<Value> values;
};

// Reads `<workspace>/stile.yaml` (or flags.config_file), the user's configuration and STILE_* (see
// ConfigVariables) and puts the flags on top. InvalidArgument with file, line and nearest known key
// for whatever is wrong in any of them. Of a repository's stile.yaml that the user does not trust,
// keys that redirect or loosen do not count; a file given by flag is the user's own.
absl::StatusOr<Config> LoadConfig(const std::string& workspace, const ConfigFlags& flags,
                                  const Environment& environment);

// Puts one layer on top of `config`: a whole stile.yaml, or a part of one.
absl::Status ApplyConfigYaml(const Yaml& yaml, Config* config);

// The environment variables that set one value each, with its dotted key:
// {"STILE_LIMITS_MAX_TURNS", "limits.max_turns"}.
const std::vector<std::pair<std::string, std::string>>& ConfigVariables();

// Bundled languages, those of the configuration on top, and one for each validator declared for
// files (see declared_validators.h). InvalidArgument with file and line.
absl::StatusOr<LanguageRegistry> LoadLanguages(const Config& config);

}  // namespace stile

#endif  // STILE_AGENTS_API_CONFIG_H_
