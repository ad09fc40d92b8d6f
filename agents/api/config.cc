#include "agents/api/config.h"

#include <cmath>
#include <functional>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agents/api/catalog.h"
#include "agents/api/trust.h"
#include "agents/api/user_folders.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/mcp/mcp_settings_reader.h"
#include "runtime/story/story.h"
#include "runtime/tool/permissions.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/builtin_validators.h"

namespace stile {
namespace {

constexpr size_t kMaxConfigBytes = size_t{1} << 20;

// One key of a map and what to do with its value.
struct Key {
  std::string name;
  std::function<absl::Status(const Yaml&)> apply;
};

// Applies every key of map `yaml`; a key not in `keys` is an error, a key without value is skipped.
absl::Status ApplyMap(const Yaml& yaml, const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, names));
  for (const Key& key : keys) {
    const Yaml* value = yaml.Find(key.name);
    if (value == nullptr || value->kind == Yaml::Kind::kNull) continue;
    STILE_RETURN_IF_ERROR(key.apply(*value));
  }
  return absl::OkStatus();
}

Key Text(const std::string& name, std::string* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(*field, yaml.AsString());
            return absl::OkStatus();
          }};
}

Key Flag(const std::string& name, bool* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(*field, yaml.AsBool());
            return absl::OkStatus();
          }};
}

template <typename Integer>
Key Whole(const std::string& name, int64_t least, Integer* field) {
  return {
      name, [least, field](const Yaml& yaml) -> absl::Status {
        STILE_ASSIGN_OR_RETURN(const int64_t value, yaml.AsInt());
        if (value < least || value > std::numeric_limits<Integer>::max()) {
          return yaml.Error(absl::StrCat(value, " is out of range; it must be at least ", least));
        }
        *field = static_cast<Integer>(value);
        return absl::OkStatus();
      }};
}

Key Amount(const std::string& name, double* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(const double value, yaml.AsNumber());
            if (!std::isfinite(value) || value < 0) return yaml.Error("expected 0 or more");
            *field = value;
            return absl::OkStatus();
          }};
}

// A list that replaces what lower layers said.
Key List(const std::string& name, std::vector<std::string>* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(*field, yaml.AsStringList());
            return absl::OkStatus();
          }};
}

// A list that adds to what lower layers said.
Key Additions(const std::string& name, std::vector<std::string>* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(std::vector<std::string> more, yaml.AsStringList());
            field->insert(field->end(), more.begin(), more.end());
            return absl::OkStatus();
          }};
}

template <typename Enum>
Key Choice(const std::string& name, const std::vector<std::pair<std::string, Enum>>& choices,
           Enum* field) {
  return {
      name, [choices, field](const Yaml& yaml) -> absl::Status {
        STILE_ASSIGN_OR_RETURN(const std::string text, yaml.AsString());
        std::vector<std::string> names;
        for (const auto& [choice, value] : choices) {
          names.push_back(choice);
          if (choice != text) continue;
          *field = value;
          return absl::OkStatus();
        }
        return yaml.Error(absl::StrCat("'", text, "' is not one of ", absl::StrJoin(names, ", ")));
      }};
}

Key Map(const std::string& name, std::vector<Key> keys) {
  return {name, [keys = std::move(keys)](const Yaml& yaml) { return ApplyMap(yaml, keys); }};
}

Key LimitKeys(RunLimits* limits) {
  return Map("limits",
             {Whole("max_turns", 0, &limits->max_turns), Whole("tokens", 0, &limits->tokens),
              Amount("cost_usd", &limits->cost_usd), Whole("wall_time_s", 0, &limits->wall_time_s),
              Whole("context_tokens", 0, &limits->context_tokens)});
}

Key Parallelism(int* field) {
  return {"max_parallelism", [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(const int64_t value, yaml.AsInt());
            if (value < 1 || value > kMaxParallelism) {
              return yaml.Error(absl::StrCat(value, " is out of range; it must lie between 1 and ",
                                             kMaxParallelism));
            }
            *field = static_cast<int>(value);
            return absl::OkStatus();
          }};
}

// `prices:` maps PROVIDER:MODEL to dollars for a million tokens.
Key PriceKeys(std::map<std::string, ModelPrice>* prices) {
  return {
      "prices", [prices](const Yaml& yaml) -> absl::Status {
        if (yaml.kind != Yaml::Kind::kMap) {
          return yaml.Error("expected PROVIDER:MODEL and its prices");
        }
        for (const auto& [model, costs] : yaml.keys) {
          if (!absl::StrContains(model, ':')) {
            return costs.Error(absl::StrCat("'", model, "' is not PROVIDER:MODEL"));
          }
          if (costs.Find("input") == nullptr || costs.Find("output") == nullptr) {
            return costs.Error("expected input and output, in dollars for a million tokens");
          }
          ModelPrice price;
          price.cached = price.cache_write = -1;
          STILE_RETURN_IF_ERROR(ApplyMap(
              costs, {Amount("input", &price.input), Amount("cached", &price.cached),
                      Amount("cache_write", &price.cache_write), Amount("output", &price.output)}));
          if (price.cached < 0) price.cached = price.input;
          if (price.cache_write < 0) price.cache_write = price.input;
          (*prices)[model] = price;
        }
        return absl::OkStatus();
      }};
}

// Names that map to text, on top of what lower layers said.
Key TextMap(const std::string& name, std::map<std::string, std::string>* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            if (yaml.kind != Yaml::Kind::kMap) return yaml.Error("expected names and values");
            for (const auto& [key, value] : yaml.keys) {
              STILE_ASSIGN_OR_RETURN((*field)[key], value.AsString());
            }
            return absl::OkStatus();
          }};
}

Key ModelRequestKeys(ModelSettings* access) {
  return Map("model_request", {TextMap("headers", &access->headers),
                               TextMap("query", &access->query), Text("ca_file", &access->ca_file),
                               Text("client_certificate", &access->client_certificate),
                               Text("client_key", &access->client_key)});
}

// Weakenings that runs are allowed. A layer adds to those of the layers below it.
Key Allowances(const std::string& name, std::vector<Allowance>* field) {
  return {name, [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(const std::vector<Allowance> more, ReadAllowances(yaml));
            field->insert(field->end(), more.begin(), more.end());
            return absl::OkStatus();
          }};
}

Key GateKeys(GateSettings* gate, bool* rejects_untrusted) {
  using G = GateSettings;
  return Map(
      "gate",
      {Choice<G::Mode>("mode", {{"enforce", G::Mode::kEnforce}, {"observe", G::Mode::kObserve}},
                       &gate->mode),
       Choice<Level>("level", {{"build", Level::kBuild}, {"test", Level::kTest}}, &gate->level),
       Choice<G::OnFinish>("on_finish",
                           {{"reject", G::OnFinish::kReject}, {"validate", G::OnFinish::kValidate}},
                           &gate->on_finish),
       Whole("max_failures", 1, &gate->max_failures),
       Whole("max_infra_errors", 1, &gate->max_infra_errors),
       Choice<G::Baseline>("baseline",
                           {{"auto", G::Baseline::kAuto},
                            {"strict", G::Baseline::kStrict},
                            {"no_new_errors", G::Baseline::kNoNewErrors}},
                           &gate->baseline),
       Choice<G::Policy>("no_validator",
                         {{"reject", G::Policy::kReject}, {"report", G::Policy::kReport}},
                         &gate->no_validator),
       Choice<G::Policy>("weakening",
                         {{"reject", G::Policy::kReject}, {"report", G::Policy::kReport}},
                         &gate->weakening),
       Choice<G::Policy>("uncovered",
                         {{"reject", G::Policy::kReject}, {"report", G::Policy::kReport}},
                         &gate->uncovered),
       Choice<G::Coverage>("coverage",
                           {{"listing", G::Coverage::kListing},
                            {"canary", G::Coverage::kCanary},
                            {"off", G::Coverage::kOff}},
                           &gate->coverage),
       Choice<bool>("untrusted", {{"reject", true}, {"report", false}}, rejects_untrusted),
       Flag("allow_flaky", &gate->allow_flaky), List("watch", &gate->watch),
       Additions("expect_tests", &gate->expect_tests), Allowances("allow", &gate->allow)});
}

// `sandbox: off`, or a map of everything.
Key SandboxKeys(SandboxSettings* sandbox) {
  using Mode = SandboxSettings::Mode;
  const Key mode = Choice<Mode>(
      "mode", {{"auto", Mode::kAuto}, {"required", Mode::kRequired}, {"off", Mode::kOff}},
      &sandbox->mode);
  const Key map =
      Map("sandbox",
          {mode, Flag("network", &sandbox->network), Additions("read", &sandbox->read),
           Additions("write", &sandbox->write), Additions("environment", &sandbox->environment),
           Whole("memory_mb", 0, &sandbox->memory_mb), Whole("processes", 1, &sandbox->processes),
           Whole("disk_mb", 0, &sandbox->disk_mb)});
  return {"sandbox", [sandbox, mode, map](const Yaml& yaml) -> absl::Status {
            if (yaml.kind != Yaml::Kind::kMap) return mode.apply(yaml);
            STILE_RETURN_IF_ERROR(map.apply(yaml));
            for (const char* key : {"read", "write"}) {
              for (const std::string& path : key[0] == 'r' ? sandbox->read : sandbox->write) {
                if (absl::StartsWith(path, "/") || absl::StartsWith(path, "~/")) continue;
                const Yaml* list = yaml.Find(key);
                return (list == nullptr ? yaml : *list)
                    .Error(absl::StrCat("'", path, "' must begin with '/' or '~/'"));
              }
            }
            return absl::OkStatus();
          }};
}

// In a file a relative path would mean another key in every folder that Stile is started in.
Key SigningKey(std::string* field) {
  return {"key", [field](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(std::string path, yaml.AsString());
            if (yaml.line > 0 && !absl::StartsWith(path, "/") && !absl::StartsWith(path, "~/")) {
              return yaml.Error("expected an absolute path, or one that begins with ~/");
            }
            *field = std::move(path);
            return absl::OkStatus();
          }};
}

Key PermissionKeys(PermissionRules* rules) {
  return {"permissions", [rules](const Yaml& yaml) -> absl::Status {
            STILE_RETURN_IF_ERROR(
                ApplyMap(yaml, {Additions("allow", &rules->allow), Additions("ask", &rules->ask),
                                Additions("deny", &rules->deny)}));
            const absl::Status status = CheckPermissionRules(*rules);
            return status.ok() ? status : yaml.Error(status.message());
          }};
}

Key ValidatorKeys(std::vector<CommandValidatorSettings>* validators) {
  return {"validators", [validators](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(std::vector<CommandValidatorSettings> declared,
                                   ParseCommandValidators(yaml));
            for (CommandValidatorSettings& settings : declared) {
              bool replaced = false;
              for (CommandValidatorSettings& known : *validators) {
                if (known.id != settings.id) continue;
                known = settings;
                replaced = true;
              }
              if (!replaced) validators->push_back(std::move(settings));
            }
            return absl::OkStatus();
          }};
}

// A server replaces the one of its name in the layers below.
Key McpServerKeys(std::vector<McpServerSettings>* servers) {
  return {"mcp_servers", [servers](const Yaml& yaml) -> absl::Status {
            STILE_ASSIGN_OR_RETURN(std::vector<McpServerSettings> declared, ParseMcpServers(yaml));
            for (McpServerSettings& server : declared) {
              std::erase_if(*servers, [&](const McpServerSettings& known) {
                return known.name == server.name;
              });
              servers->push_back(std::move(server));
            }
            return absl::OkStatus();
          }};
}

// `languages:` maps an id to the body of a language file.
Key LanguageKeys(std::vector<LanguageDeclaration>* languages) {
  return {"languages", [languages](const Yaml& yaml) -> absl::Status {
            if (yaml.kind != Yaml::Kind::kMap)
              return yaml.Error("expected language ids and settings");
            for (const auto& [id, body] : yaml.keys) {
              if (body.kind != Yaml::Kind::kMap)
                return body.Error("expected the keys of a language file");
              Json json = body.AsJson();
              json["id"] = id;
              LanguageDeclaration source{absl::StrCat(body.file, ":", body.line, " (", id, ")"),
                                         DumpJson(json)};
              STILE_RETURN_IF_ERROR(ParseLanguage(source.text, source.file).status());
              languages->push_back(std::move(source));
            }
            return absl::OkStatus();
          }};
}

// The value as the layer that sets nothing but `key` (dotted).
Yaml LayerOf(absl::string_view key, const std::string& text, const std::string& source) {
  Yaml layer;
  layer.file = source;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(key, absl::MaxSplits('.', 1));
  Yaml value;
  if (parts.second.empty()) {
    value.kind = Yaml::Kind::kScalar;
    value.scalar = text;
    value.file = source;
  } else {
    value = LayerOf(parts.second, text, source);
  }
  layer.kind = Yaml::Kind::kMap;
  layer.keys.push_back({std::string(parts.first), std::move(value)});
  return layer;
}

absl::Status ApplyValue(const std::string& key, const std::string& text, const std::string& source,
                        Config* config) {
  const Yaml layer = LayerOf(key, text, source);
  // Not a key of files: a repository must not be able to say yes for its user.
  if (key == "base_url") config->untrusted_base_url.clear();
  config->given.insert(key);
  if (key == "yes") return ApplyMap(layer, {Flag("yes", &config->yes)});
  return ApplyConfigYaml(layer, config);
}

absl::StatusOr<std::string> ReadConfigFile(const std::string& file) {
  auto text = DiskFileSystem()->ReadFile(file, kMaxConfigBytes);
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  return text;
}

absl::Status ApplyFile(const std::string& file, Config* config) {
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadConfigFile(file));
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  STILE_RETURN_IF_ERROR(ApplyConfigYaml(yaml, config));
  config->sources.push_back(file);
  return absl::OkStatus();
}

// A file that came with the code. What is wrong in it is told even where it would not count.
absl::Status ApplyRepositoryFile(const std::string& workspace, const Environment& environment,
                                 Config* config) {
  const std::string file = JoinPath(workspace, "stile.yaml");
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadConfigFile(file));
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  if (const Yaml* certificate = yaml.Find("certificate")) {
    return certificate->Error(
        "who signs is for the user to say: move it to the user's configuration");
  }
  Config whole = *config;
  STILE_RETURN_IF_ERROR(ApplyConfigYaml(yaml, &whole));
  STILE_RETURN_IF_ERROR(LoadLanguages(whole).status());
  TrustSplit split = SplitByTrust(yaml);
  if (!split.sensitive.empty()) {
    const auto real = RealPath(workspace);
    STILE_ASSIGN_OR_RETURN(const bool trusted,
                           IsTrusted(environment, real.ok() ? *real : workspace, text));
    if (!trusted) {
      STILE_RETURN_IF_ERROR(ApplyConfigYaml(split.harmless, config));
      config->untrusted = std::move(split.sensitive);
      config->untrusted_validators = std::move(split.validators);
      const Yaml* const url = yaml.Find("base_url");
      if (url != nullptr && url->kind != Yaml::Kind::kNull) {
        config->untrusted_base_url = absl::StrCat(url->file, ":", url->line);
      }
      config->sources.push_back(file);
      return absl::OkStatus();
    }
  }
  *config = std::move(whole);
  config->sources.push_back(file);
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyConfigYaml(const Yaml& yaml, Config* config) {
  const std::vector<std::pair<std::string, std::string>> protocols = {
      {"auto", "auto"}, {"native", "native"}, {"json", "json"}, {"text", "text"}};
  const std::vector<std::pair<std::string, std::string>> apis = {{"chat", "chat"},
                                                                 {"responses", "responses"}};
  const std::vector<std::pair<std::string, std::string>> efforts = {
      {"low", "low"}, {"medium", "medium"}, {"high", "high"}};
  ModelSettings* access = &config->model_access;
  return ApplyMap(
      yaml,
      {Text("model", &config->model),
       Text("base_url", &config->base_url),
       Text("agent", &config->agent),
       Choice<std::string>("protocol", protocols, &access->protocol),
       Choice<std::string>("api", apis, &access->api),
       Choice<std::string>("effort", efforts, &access->effort),
       Text("fallback", &access->fallback),
       PriceKeys(&access->prices),
       ModelRequestKeys(access),
       Choice<bool>("instructions",
                    {{"on", true}, {"off", false}, {"true", true}, {"false", false}},
                    &config->instructions),
       Choice<bool>("resolvers", {{"on", true}, {"off", false}, {"true", true}, {"false", false}},
                    &config->resolvers),
       LimitKeys(&config->limits),
       Parallelism(&config->max_parallelism),
       GateKeys(&config->gate, &config->rejects_untrusted),
       SandboxKeys(&config->sandbox),
       PermissionKeys(&config->permissions),
       Map("deliver", {Flag("commit", &config->deliver.commit),
                       Flag("clean_room", &config->deliver.clean_room),
                       List("paths", &config->deliver.paths)}),
       Map("certificate", {SigningKey(&config->certificate_key)}),
       ValidatorKeys(&config->validators),
       LanguageKeys(&config->languages),
       McpServerKeys(&config->mcp_servers)});
}

const std::vector<std::pair<std::string, std::string>>& ConfigVariables() {
  static const auto* variables = [] {
    auto* rows = new std::vector<std::pair<std::string, std::string>>;
    for (const char* key : {"model",
                            "base_url",
                            "agent",
                            "protocol",
                            "api",
                            "effort",
                            "fallback",
                            "instructions",
                            "resolvers",
                            "limits.max_turns",
                            "limits.tokens",
                            "limits.cost_usd",
                            "limits.wall_time_s",
                            "limits.context_tokens",
                            "max_parallelism",
                            "gate.mode",
                            "gate.level",
                            "gate.on_finish",
                            "gate.max_failures",
                            "gate.max_infra_errors",
                            "gate.baseline",
                            "gate.no_validator",
                            "gate.coverage",
                            "gate.uncovered",
                            "gate.weakening",
                            "gate.untrusted",
                            "gate.allow_flaky",
                            "deliver.commit",
                            "deliver.clean_room",
                            "sandbox",
                            "certificate.key",
                            "yes"}) {
      rows->emplace_back(
          absl::StrCat("STILE_", absl::AsciiStrToUpper(absl::StrReplaceAll(key, {{".", "_"}}))),
          key);
    }
    return rows;
  }();
  return *variables;
}

absl::StatusOr<Config> LoadConfig(const std::string& workspace, const ConfigFlags& flags,
                                  const Environment& environment) {
  Config config;
  for (const ConfigFlags::Value& value : flags.defaults) {
    STILE_RETURN_IF_ERROR(ApplyValue(value.key, value.text, value.source, &config));
    config.given.erase(value.key);
  }
  const std::string user = UserConfigFile(environment);
  if (!user.empty() && FileExists(user)) STILE_RETURN_IF_ERROR(ApplyFile(user, &config));
  const std::string repository = JoinPath(workspace, "stile.yaml");
  if (!flags.config_file.empty()) {
    STILE_RETURN_IF_ERROR(ApplyFile(flags.config_file, &config));
  } else if (FileExists(repository)) {
    STILE_RETURN_IF_ERROR(ApplyRepositoryFile(workspace, environment, &config));
  }
  for (const auto& [variable, key] : ConfigVariables()) {
    const auto found = environment.find(variable);
    if (found == environment.end() || found->second.empty()) continue;
    STILE_RETURN_IF_ERROR(ApplyValue(key, found->second, variable, &config));
  }
  for (const ConfigFlags::Value& value : flags.values) {
    STILE_RETURN_IF_ERROR(ApplyValue(value.key, value.text,
                                     value.source.empty() ? value.key : value.source, &config));
  }
  STILE_RETURN_IF_ERROR(LoadLanguages(config).status());
  return config;
}

}  // namespace stile
