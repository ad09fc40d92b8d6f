#include "agents/api/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "agents/api/catalog.h"
#include "agents/api/trust.h"
#include "agents/api/untrusted.h"
#include "agents/api/user_folders.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A workspace and a user configuration folder of their own.
class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    workspace_.MakeDir("repository");
    environment_["XDG_CONFIG_HOME"] = workspace_.Path("user");
    environment_["HOME"] = workspace_.Path("home");
  }

  // A stile.yaml that the user trusts.
  void Repository(absl::string_view text) {
    workspace_.Write("repository/stile.yaml", text);
    ASSERT_TRUE(Trust(environment_, workspace_.Path("repository"), text).ok());
  }
  void User(absl::string_view text) { workspace_.Write("user/stile/config.yaml", text); }

  absl::StatusOr<Config> Load(const ConfigFlags& flags = {}) {
    return LoadConfig(workspace_.Path("repository"), flags, environment_);
  }
  std::string LoadError(const ConfigFlags& flags = {}) {
    const auto config = Load(flags);
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << config.status();
    return std::string(config.status().message());
  }

  TempDir workspace_;
  Environment environment_;
};

TEST_F(ConfigTest, WithoutAnySourceTheDefaultsHold) {
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->model, "");
  EXPECT_EQ(config->agent, "coding-agent");
  EXPECT_EQ(config->limits.max_turns, 50);
  EXPECT_EQ(config->gate.max_failures, 5);
  EXPECT_EQ(config->gate.mode, GateSettings::Mode::kEnforce);
  EXPECT_TRUE(config->deliver.commit);
  EXPECT_FALSE(config->yes);
  EXPECT_THAT(config->sources, IsEmpty());
}

TEST_F(ConfigTest, ReadsEveryKeyOfTheFile) {
  Repository(R"yaml(
model: anthropic:claude-sonnet-4-5
base_url: http://127.0.0.1:1
agent: build-fixer
protocol: json
limits: {max_turns: 7, tokens: 1000, cost_usd: 1.5, wall_time_s: 60}
gate:
  mode: observe
  level: test
  on_finish: validate
  max_failures: 2
  max_infra_errors: 4
  baseline: no_new_errors
  no_validator: report
  allow_flaky: true
  watch: ["*.proto"]
permissions: {allow: ["shell.execute(make *)"], ask: [file.delete], deny: ["git.*"]}
deliver: {commit: false, paths: ["src/**"]}
)yaml");
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->model, "anthropic:claude-sonnet-4-5");
  EXPECT_EQ(config->base_url, "http://127.0.0.1:1");
  EXPECT_EQ(config->agent, "build-fixer");
  EXPECT_EQ(config->model_access.protocol, "json");
  EXPECT_EQ(config->limits.max_turns, 7);
  EXPECT_EQ(config->limits.tokens, 1000);
  EXPECT_EQ(config->limits.cost_usd, 1.5);
  EXPECT_EQ(config->limits.wall_time_s, 60);
  EXPECT_EQ(config->gate.mode, GateSettings::Mode::kObserve);
  EXPECT_EQ(config->gate.level, Level::kTest);
  EXPECT_EQ(config->gate.on_finish, GateSettings::OnFinish::kValidate);
  EXPECT_EQ(config->gate.max_failures, 2);
  EXPECT_EQ(config->gate.max_infra_errors, 4);
  EXPECT_EQ(config->gate.baseline, GateSettings::Baseline::kNoNewErrors);
  EXPECT_EQ(config->gate.no_validator, GateSettings::Policy::kReport);
  EXPECT_TRUE(config->gate.allow_flaky);
  EXPECT_THAT(config->gate.watch, ElementsAre("*.proto"));
  EXPECT_THAT(config->permissions.allow, ElementsAre("shell.execute(make *)"));
  EXPECT_THAT(config->permissions.ask, ElementsAre("file.delete"));
  EXPECT_THAT(config->permissions.deny, ElementsAre("git.*"));
  EXPECT_FALSE(config->deliver.commit);
  EXPECT_THAT(config->deliver.paths, ElementsAre("src/**"));
  EXPECT_THAT(config->sources, ElementsAre(workspace_.Path("repository/stile.yaml")));
}

TEST_F(ConfigTest, ARepositoryMaySwitchInstructionsOffButNotOn) {
  const auto loaded = [&](const std::string& user, const std::string& repository) {
    User(user);
    workspace_.Write("repository/stile.yaml", repository);
    const auto config = Load();
    EXPECT_TRUE(config.ok()) << config.status();
    return config->instructions;
  };
  EXPECT_TRUE(loaded("", ""));
  EXPECT_FALSE(loaded("", "instructions: off\n"));
  EXPECT_FALSE(loaded("instructions: off\n", ""));
  EXPECT_FALSE(loaded("instructions: off\n", "instructions: on\n"));
  EXPECT_TRUE(loaded("instructions: on\n", ""));
  environment_["STILE_INSTRUCTIONS"] = "off";
  EXPECT_FALSE(loaded("instructions: on\n", ""));
  environment_["STILE_INSTRUCTIONS"] = "maybe";
  EXPECT_THAT(LoadError(), HasSubstr("'maybe' is not one of on, off"));
}

TEST_F(ConfigTest, FlagsBeatEnvironmentBeatsRepositoryBeatsUser) {
  User("model: from:user\nagent: user\nprotocol: json\nlimits: {max_turns: 1, tokens: 1}\n");
  Repository("model: from:repository\nagent: repository\nlimits: {max_turns: 2}\n");
  environment_["STILE_MODEL"] = "from:environment";
  environment_["STILE_LIMITS_MAX_TURNS"] = "3";
  const auto config = Load({.values = {{"model", "from:flags", "--model"}}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->model, "from:flags");
  EXPECT_EQ(config->limits.max_turns, 3);
  EXPECT_EQ(config->agent, "repository");
  EXPECT_EQ(config->model_access.protocol, "json");
  EXPECT_EQ(config->limits.tokens, 1);
}

TEST_F(ConfigTest, ListsOfPermissionsAddUpOverTheLayers) {
  User("permissions: {deny: [file.delete]}\n");
  Repository("permissions: {deny: [shell.execute]}\n");
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_THAT(config->permissions.deny, ElementsAre("file.delete", "shell.execute"));
}

TEST_F(ConfigTest, UnknownKeyNamesLineAndNearestKey) {
  Repository("agent: coding-agent\nmodle: x\n");
  EXPECT_THAT(LoadError(), HasSubstr("repository/stile.yaml:2: unknown key 'modle', did you mean "
                                     "'model'?"));
}

TEST_F(ConfigTest, UnknownNestedKeyNamesLineAndNearestKey) {
  Repository("gate:\n  mode: enforce\n  max_failure: 3\n");
  EXPECT_THAT(LoadError(), HasSubstr("stile.yaml:3: unknown key 'max_failure', did you mean "
                                     "'max_failures'?"));
}

TEST_F(ConfigTest, AnEmptyListOfPermissionsLoosensNothing) {
  workspace_.Write("repository/stile.yaml", "permissions: {allow: [], ask: [], deny: []}\n");
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_THAT(config->untrusted, IsEmpty());
}

TEST_F(ConfigTest, WithoutTrustARepositoryCannotRedirectOrLoosen) {
  const std::string text = R"yaml(model: openai:x
base_url: http://elsewhere
limits: {max_turns: 7}
gate: {mode: observe, level: test, uncovered: report, weakening: report, max_failures: 9,
       baseline: strict, allow_flaky: true}
permissions: {allow: ["shell.execute"], deny: ["git.*"]}
validators:
  mine: {level: build, command: [./mine], project_files: [x], diagnostics: generic}
)yaml";
  workspace_.Write("repository/stile.yaml", text);
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->model, "openai:x");
  EXPECT_EQ(config->base_url, "");
  EXPECT_EQ(config->limits.max_turns, 7);
  EXPECT_EQ(config->gate.mode, GateSettings::Mode::kEnforce);
  EXPECT_EQ(config->gate.level, Level::kTest) << "more care may be asked for";
  EXPECT_EQ(config->gate.baseline, GateSettings::Baseline::kStrict);
  EXPECT_EQ(config->gate.uncovered, GateSettings::Policy::kReject);
  EXPECT_EQ(config->gate.weakening, GateSettings::Policy::kReject);
  EXPECT_EQ(config->gate.max_failures, 5);
  EXPECT_FALSE(config->gate.allow_flaky);
  EXPECT_THAT(config->permissions.allow, IsEmpty());
  EXPECT_THAT(config->permissions.deny, ElementsAre("git.*"));
  EXPECT_THAT(config->validators, IsEmpty());
  EXPECT_EQ(config->untrusted.size(), 8u);
  EXPECT_THAT(config->untrusted, testing::Contains(HasSubstr("stile.yaml:2: base_url")));

  Repository(text);  // trusted now
  EXPECT_EQ(Load()->base_url, "http://elsewhere");
  EXPECT_THAT(Load()->untrusted, IsEmpty());
  workspace_.Write("repository/stile.yaml", text + "# edited\n");
  EXPECT_EQ(Load()->base_url, "") << "an edit takes the trust back";
  Repository(text);
  EXPECT_TRUE(*RevokeTrust(environment_, workspace_.Path("repository")));
  EXPECT_EQ(Load()->base_url, "");
  ConfigFlags flags;
  flags.config_file = workspace_.Path("repository/stile.yaml");
  EXPECT_EQ(Load(flags)->base_url, "http://elsewhere") << "a file that the user names";
}

TEST_F(ConfigTest, KeysOfLaterVersionsAreUnknown) {
  for (const char* text : {"telemetry: {}\n", "workers: {}\n"}) {
    Repository(text);
    EXPECT_THAT(LoadError(), HasSubstr("unknown key")) << text;
  }
}

TEST_F(ConfigTest, ASandboxIsAWordOrAMap) {
  Repository("sandbox: required\n");
  EXPECT_EQ(Load()->sandbox.mode, SandboxSettings::Mode::kRequired);
  User(
      "sandbox: {mode: auto, network: true, read: [~/data], write: [/srv/cache], "
      "environment: [NPM_TOKEN], memory_mb: 512, processes: 50, disk_mb: 100}\n");
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->sandbox.mode, SandboxSettings::Mode::kRequired);
  EXPECT_TRUE(config->sandbox.network);
  EXPECT_THAT(config->sandbox.read, ElementsAre("~/data"));
  EXPECT_THAT(config->sandbox.write, ElementsAre("/srv/cache"));
  EXPECT_THAT(config->sandbox.environment, ElementsAre("NPM_TOKEN"));
  EXPECT_EQ(config->sandbox.memory_mb, 512);
  EXPECT_EQ(config->sandbox.processes, 50);
  EXPECT_EQ(config->sandbox.disk_mb, 100);
}

TEST_F(ConfigTest, ARepositoryCannotOpenTheSandbox) {
  for (const char* text : {"sandbox: off\n", "sandbox: {network: true}\n", "sandbox: auto\n",
                           "sandbox: {mode: required, write: [/]}\n"}) {
    workspace_.Write("repository/stile.yaml", text);
    const auto config = Load();
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->sandbox.mode, SandboxSettings::Mode::kAuto) << text;
    EXPECT_FALSE(config->sandbox.network);
    EXPECT_THAT(config->sandbox.write, IsEmpty());
    EXPECT_EQ(config->untrusted.size(), 1u);
  }
}

TEST_F(ConfigTest, WrongTypesAndValuesAreLocated) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\nlimits: {max_turns: many}\n",
       "stile.yaml:2: limits.max_turns: expected a whole number, not 'many'"},
      {"\nlimits: {max_turns: -1}\n", "stile.yaml:2: limits.max_turns: -1 is out of range"},
      {"\nlimits: {max_turns: 99999999999}\n",
       "stile.yaml:2: limits.max_turns: 99999999999 is out of range"},
      {"\nlimits: {cost_usd: .nan}\n", "stile.yaml:2: limits.cost_usd: expected"},
      {"\nlimits: [1]\n", "stile.yaml:2: limits: expected keys and values"},
      {"\nsandbox: some\n", "stile.yaml:2: sandbox: 'some' is not one of auto, required, off"},
      {"\nsandbox: {write: [here]}\n", "stile.yaml:2: sandbox.write: 'here' must begin with"},
      {"\ngate: {max_failures: 0}\n", "stile.yaml:2: gate.max_failures: 0 is out of range"},
      {"\ngate: {mode: off}\n", "stile.yaml:2: gate.mode: 'off' is not one of enforce, observe"},
      {"\nprotocol: xml\n", "stile.yaml:2: protocol: 'xml' is not one of auto, native, json, text"},
      {"\ndeliver: {commit: maybe}\n", "stile.yaml:2: deliver.commit: expected true or false"},
      {"\npermissions: {allow: ['shell.execute(']}\n", "stile.yaml:2: "},
      {"\nlanguages: [ruby]\n", "stile.yaml:2: languages: expected language ids"},
      {"\nlanguages:\n  ruby: {extensionz: [.rb]}\n", "stile.yaml:3 (ruby)"},
      {"yes: true\n", "stile.yaml:1: unknown key 'yes'"},
      {"a: [\n", "invalid YAML"},
      {"- a\n", "expected keys and values"},
      {"\xff\xfe\n", "not UTF-8"},
  };
  for (const auto& [text, message] : cases) {
    Repository(text);
    EXPECT_THAT(LoadError(), HasSubstr(message)) << text;
  }
}

TEST_F(ConfigTest, AnEmptyFileAndEmptyKeysChangeNothing) {
  Repository("");
  EXPECT_TRUE(Load().ok());
  Repository("model:\ngate:\nlimits: {max_turns: }\npermissions:\n");
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->limits.max_turns, 50);
}

TEST_F(ConfigTest, BadValuesInTheEnvironmentAndInFlagsNameTheirSource) {
  environment_["STILE_LIMITS_MAX_TURNS"] = "many";
  EXPECT_THAT(LoadError(),
              HasSubstr("STILE_LIMITS_MAX_TURNS: expected a whole number, not 'many'"));
  environment_.erase("STILE_LIMITS_MAX_TURNS");
  EXPECT_THAT(LoadError({.values = {{"gate.mode", "off", "--gate-mode"}}}),
              HasSubstr("--gate-mode: 'off' is not one of enforce, observe"));
}

TEST_F(ConfigTest, OnlyFlagsAndEnvironmentSayYes) {
  environment_["STILE_YES"] = "true";
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->yes);
}

TEST_F(ConfigTest, AnotherFileReplacesTheRepositorysAndMustExist) {
  Repository("agent: repository\n");
  workspace_.Write("other.yaml", "model: from:other\n");
  const auto config = Load({.config_file = workspace_.Path("other.yaml")});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->model, "from:other");
  EXPECT_EQ(config->agent, "coding-agent");
  EXPECT_THAT(LoadError({.config_file = workspace_.Path("missing.yaml")}),
              HasSubstr("missing.yaml"));
}

TEST_F(ConfigTest, AFolderInPlaceOfTheFileIsAnError) {
  workspace_.MakeDir("repository/stile.yaml");
  EXPECT_THAT(LoadError(), HasSubstr("stile.yaml"));
}

TEST_F(ConfigTest, LanguagesAndValidatorsAreTakenOver) {
  Repository(R"(
languages:
  ruby: {name: Ruby, extensions: [.rb], validators: {build: [ruby-syntax]}, comment: "#"}
validators:
  ruby-syntax: {command: [ruby, -c, "{files}"]}
)");
  const auto config = Load();
  // The forms of both belong to their parsers; here only that each reached its own.
  if (config.ok()) {
    ASSERT_EQ(config->languages.size(), 1u);
    EXPECT_THAT(config->languages[0].text, HasSubstr("\"id\":\"ruby\""));
    ASSERT_EQ(config->validators.size(), 1u);
    EXPECT_EQ(config->validators[0].id, "ruby-syntax");
  } else {
    EXPECT_THAT(std::string(config.status().message()), HasSubstr("stile.yaml:"));
  }
}

TEST_F(ConfigTest, AValidatorSaysWhatItJudges) {
  Repository("validators:\n  proto:\n    command: [buf, build]\n");
  EXPECT_THAT(LoadError(),
              HasSubstr("stile.yaml:2: validators.proto: it judges nothing: add files"));
  for (const char* scope : {"files: ['*.proto']", "project_files: [buf.yaml]", "languages: [go]"}) {
    Repository(absl::StrCat("validators:\n  proto: {command: [buf, build], ", scope, "}\n"));
    const auto config = Load();
    EXPECT_TRUE(config.ok()) << config.status();
  }
  Repository("validators:\n  py-compile: {command: [py]}\n");
  EXPECT_TRUE(Load().ok()) << "in the place of one of Stile's";
}

TEST_F(ConfigTest, WrongScopesOfValidatorsAreLocated) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{command: [x], files: [a], languages: [go]}", "use either 'files' or 'languages'"},
      {"{command: [x], languages: [cobol]}", "there is no language 'cobol'; known: c, cpp, "},
      {"{command: [x], files: ['/etc/*']}", "'/etc/*' must be relative to the workspace"},
      {"{command: [x], files: ['../*.x']}", "'../*.x' must be relative"},
      {"{command: [x], files: []}", "the list is empty"},
      {"{command: [x], files: ['']}", "the list holds an empty entry"},
      {"{command: [x], files: [a], each: true}", "'each: true' needs the word \"{files}\""},
      {"{command: [x, 'a={files}'], files: [a]}", "{files} must be a word of its own"},
      {"{command: [x, '{files}'], project_files: [a]}", "needs files: [globs]"},
      {"{command: [x], files: [a], each: maybe}", "expected true or false"},
      {"{command: [x], file: [a]}", "did you mean 'files'"}};
  for (const auto& [body, words] : cases) {
    Repository(absl::StrCat("validators:\n  proto: ", body, "\n"));
    EXPECT_THAT(LoadError(), AllOf(HasSubstr("stile.yaml:2: "), HasSubstr(words))) << body;
  }
  Repository("validators:\n  go: {command: [x], files: [a]}\n");
  EXPECT_THAT(LoadError(), HasSubstr("'go' is the id of a language"));
  Repository("validators:\n  mypy: {command: [x], files: [a]}\n");
  EXPECT_THAT(LoadError(), HasSubstr("needs an id of its own"));
}

TEST_F(ConfigTest, WrongValidatorsAreToldWhereTheyDoNotCount) {
  workspace_.Write("repository/stile.yaml", "validators: {proto: {command: [buf]}}\n");
  EXPECT_THAT(LoadError(), HasSubstr("it judges nothing"));
}

TEST_F(ConfigTest, AttachedValidatorsAreAskedFirst) {
  Repository(
      "validators:\n  types: {command: [x], languages: [python], network: true}\n"
      "  schema: {command: [x], files: ['*.xsd'], level: test}\n");
  const auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  const auto languages = LoadLanguages(*config);
  ASSERT_TRUE(languages.ok()) << languages.status();
  EXPECT_EQ(languages->Find("python")->build_validators[0], "types");
  EXPECT_TRUE(NeedsNetwork(*languages->Find("python"), "types"));
  const Language* const schema = languages->Find("schema");
  ASSERT_NE(schema, nullptr);
  EXPECT_TRUE(schema->declared);
  EXPECT_THAT(schema->build_validators, IsEmpty());
  EXPECT_THAT(schema->test_validators, ElementsAre("schema"));
}

TEST_F(ConfigTest, UntrustedDeclarationsAreTold) {
  const std::string text =
      "model: a:b\nvalidators: {proto: {command: [buf], files: ['*.proto']}}\n";
  workspace_.Write("repository/stile.yaml", text);
  auto config = Load();
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->untrusted_validators.size(), 1U);
  EXPECT_THAT(config->untrusted_validators[0], HasSubstr("stile.yaml:2: validators"));
  EXPECT_TRUE(CheckUntrusted(*config).ok()) << "report is the default";
  config = Load({.defaults = {{"gate.untrusted", "reject", "a door"}}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(CheckUntrusted(*config).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(CheckUntrusted(*config).message()), HasSubstr("stile trust"));
  User("gate: {untrusted: report}\n");
  config = Load({.defaults = {{"gate.untrusted", "reject", "a door"}}});
  EXPECT_TRUE(CheckUntrusted(*config).ok()) << "the user's setting leads";
  workspace_.Write("user/stile/config.yaml", "");
  workspace_.Write("repository/stile.yaml", absl::StrCat(text, "gate: {untrusted: report}\n"));
  config = Load({.defaults = {{"gate.untrusted", "reject", "a door"}}});
  EXPECT_FALSE(CheckUntrusted(*config).ok()) << "a repository cannot loosen it";
  Repository(text);
  config = Load({.defaults = {{"gate.untrusted", "reject", "a door"}}});
  EXPECT_TRUE(CheckUntrusted(*config).ok()) << "it is trusted";
  EXPECT_THAT(config->untrusted_validators, IsEmpty());
  workspace_.Write("repository/stile.yaml", "validators: {}\nbase_url: http://x\n");
  EXPECT_THAT(Load()->untrusted_validators, IsEmpty()) << "nothing is declared";
}

TEST_F(ConfigTest, EveryTemplateIsAValidConfiguration) {
  EXPECT_THAT(TemplateNames(), ElementsAre("bash", "json", "kotlin", "php", "ruby", "sql", "swift",
                                           "terraform", "yaml"));
  for (const std::string& name : TemplateNames()) {
    const auto text = LoadTemplate(name);
    ASSERT_TRUE(text.ok()) << text.status();
    Repository(*text);
    const auto config = Load();
    ASSERT_TRUE(config.ok()) << name << ": " << config.status();
    EXPECT_FALSE(config->validators.empty()) << name;
    for (const CommandValidatorSettings& validator : config->validators) {
      EXPECT_FALSE(validator.files.empty()) << name;
    }
  }
  EXPECT_EQ(LoadTemplate("cobol").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(StateDirTest, FollowsItsOwnVariableThenXdgThenHome) {
  EXPECT_EQ(*StateDir({{"STILE_STATE_DIR", "/s"}, {"HOME", "/h"}}), "/s");
  EXPECT_EQ(*StateDir({{"XDG_STATE_HOME", "/x"}, {"HOME", "/h"}}), "/x/stile");
  EXPECT_EQ(*StateDir({{"XDG_STATE_HOME", "relative"}, {"HOME", "/h"}}), "/h/.local/state/stile");
}

TEST(StateDirTest, ARelativeFolderIsMadeAbsolute) {
  EXPECT_EQ(StateDir({{"STILE_STATE_DIR", "here"}})->front(), '/');
}

TEST(StateDirTest, LinksAreFollowed) {
  TempDir dir;
  dir.MakeDir("real");
  std::filesystem::create_directory_symlink(dir.Path("real"), dir.Path("link"));
  EXPECT_EQ(*StateDir({{"STILE_STATE_DIR", dir.Path("link/new")}}), dir.Path("real/new"));
}

TEST(ConfigVariablesTest, EachSetsAKeyThatIsKnown) {
  for (const auto& [variable, key] : ConfigVariables()) {
    const auto config = LoadConfig("/nonexistent", {}, {{variable, "?"}, {"HOME", "/nonexistent"}});
    if (!config.ok()) {
      EXPECT_THAT(std::string(config.status().message()), ::testing::Not(HasSubstr("unknown key")))
          << variable;
    }
  }
}

}  // namespace
}  // namespace stile
