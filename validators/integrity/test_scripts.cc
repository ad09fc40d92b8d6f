#include "validators/integrity/test_scripts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/ini_settings.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/pattern.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 90;
constexpr absl::string_view kTestOfCMake = "test ";  // before its name: a place in a script

// Something that hides tests or failures, and the recipe or script that it stands in ("" for what
// holds everywhere).
struct ScriptFact {
  std::string target;
  std::string what;
  bool operator<(const ScriptFact& other) const {
    return std::tie(target, what) < std::tie(other.target, other.what);
  }
};

struct ScriptFacts {
  std::set<ScriptFact> loose;   // weaken when they are new
  std::set<ScriptFact> strict;  // weaken when they are gone
  std::set<std::string> targets;
};

std::string Shown(absl::string_view text) {
  std::string line(absl::StripAsciiWhitespace(text).substr(0, kMaxShown));
  absl::RemoveExtraAsciiWhitespace(&line);
  return ToUtf8(line);
}

// A command that builds or tests.
bool Judges(absl::string_view command) {
  static const RE2* const kJudge = new RE2(
      R"((?i)\b(pytest|py\.test|unittest|tox|nox|nose2?|go\s+(test|build|vet|run)|cargo|npm|npx|pnpm|yarn|jest|vitest|mocha|ava|tap|node|deno|bun|tsc|mypy|pyright|ctest|cmake|make|ninja|meson|mvnw?|gradlew?|dotnet|gcc|g\+\+|clang(\+\+)?|cc|c\+\+|javac|rustc|test\w*|check\w*|build|lint|valgrind)\b|\$[({](CC|CXX|MAKE|GO|CARGO|PYTHON)[)}]|\./\S*test)");
  return Finds(command, *kJudge);
}

bool HidesFailure(absl::string_view command) {
  static const RE2* const kHidden = new RE2(
      R"re(\|\|\s*(true|:|exit\s+0|echo\b|/bin/true|cd \.|ver\b)|;\s*(true|:|exit\s+0)\s*($|[)"'&])|&\s*exit\s+0|(^|[;&\s])set\s+\+e\b|\|\|\s*\(\s*exit\s+0)re");
  return Finds(command, *kHidden);
}

bool HasPreload(absl::string_view command) {
  static const RE2* const kPreload = new RE2(
      R"rx((NODE_OPTIONS|node-options)\s*[:=]+\s*["']?.*(--require|-r |--import|--loader)|\bLD_PRELOAD\s*[:=]+\s*["']?[^"'\s]|\b(PYTEST_ADDOPTS|PYTEST_PLUGINS|GTEST_FILTER|GTEST_\w*SHARD\w*|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|DOTNET_STARTUP_HOOKS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|PYTHONSTARTUP|BASH_ENV|TESTFILTER|GOTESTFLAGS)\s*[:=]+\s*\S|\bGOFLAGS\s*[:=]+\s*["']?.*(-run|-skip|-exec|-toolexec|-overlay|-vet=off)|\bscript-shell\s*=|\bignore-scripts\s*=\s*true)rx");
  static const RE2* const kUsual = new RE2(R"((?i)asan|tsan|ubsan|jemalloc|tcmalloc|libeatmydata)");
  return Finds(command, *kPreload) && !Finds(command, *kUsual);
}

// One command that handles files, whatever they are named.
bool IsFileCommand(absl::string_view command) {
  static const RE2* const kFiles =
      new RE2(R"(^\s*(rm|rmdir|mkdir|cp|mv|ln|touch|chmod|kill|pkill)\s[^;&|`$()]*$)");
  return Finds(command, *kFiles);
}

// Arguments that leave tests out.
std::string Filter(absl::string_view command) {
  static const RE2* const kFilter = new RE2(
      R"((?:\bgo\s+test\b.*\s(-(?:test\.)?(?:run|skip|short|list)\b)|\b(?:pytest|py\.test)\b.*\s(-k|-m|--deselect|--ignore(?:-glob)?|--collect-only|--co|--lf|-p\s*no:\w+)\b|\bctest\b.*\s(-E|-R|-LE|-L|-I|-N|--exclude-regex|--tests-regex)\b|\bcargo\s+test\b.*\s(--skip|--no-run|--list|--exclude)\b|\bdotnet\s+test\b.*\s(--filter|--list-tests)\b|\bmvnw?\b.*\s(-Dtest=|-DskipTests\b|-Dmaven\.test\.skip|-DskipITs)|\bgradlew?\b.*\s(-x\s+test|--tests|-PskipTests)|(?:\bjest|\bvitest|\bmocha|\bava|\btap|\bnode|\btest)\b.*\s(--grep|-g\s|-t\s|--testNamePattern|--testPathPatterns?|--testPathIgnorePatterns|--exclude|--test-name-pattern|--test-skip-pattern|--passWithNoTests|--onlyChanged|--invert|--fgrep|--match|--ignore)|(--gtest_filter)))");
  std::vector<std::string> found(10);
  if (!Finds(command, *kFilter, &found[0], &found[1], &found[2], &found[3], &found[4], &found[5],
             &found[6], &found[7], &found[8])) {
    return "";
  }
  for (const std::string& one : found) {
    if (!one.empty()) return one;
  }
  return "";
}

void AddCommand(const std::string& target, absl::string_view command, ScriptFacts* facts) {
  if (Judges(command) && HidesFailure(command)) {
    facts->loose.insert({target, absl::StrCat("'", Shown(command), "' hides a failure")});
  }
  if (HasPreload(command)) {
    facts->loose.insert({"", absl::StrCat("'", Shown(command), "' loads code before the tests")});
  }
  const std::string filter = Filter(command);
  if (!filter.empty()) {
    facts->loose.insert(
        {target, absl::StrCat("'", filter, "' leaves tests out in '", Shown(command), "'")});
  }
}

ScriptFacts OfMakefile(absl::string_view text) {
  static const RE2* const kRule = new RE2(R"(^([\w./%$(){} -]+?)\s*::?(?:[^=]|$))");
  static const RE2* const kGlobal = new RE2(
      R"(^\s*(\.IGNORE\s*:.*|(?:override\s+)?MAKEFLAGS\s*[:+?]?=(?:\s*[a-zA-Z]*[ik][a-zA-Z]*\b|.*(?:-i|-k|--ignore-errors|--keep-going)).*|\.?SHELL(?:FLAGS)?\s*[:?]?=\s*\S*(?:true|echo)\b.*))");
  static const RE2* const kDash = new RE2(R"(^\t[@+\s]*-[-@+\s]*(.*))");
  ScriptFacts facts;
  std::string target;
  for (const absl::string_view line : SplitLines(text)) {
    std::string found;
    if (Matches(line, *kGlobal, &found)) {
      facts.loose.insert({"", absl::StrCat("'", Shown(found), "' hides failures")});
    }
    if (!absl::StartsWith(line, "\t")) {
      if (Finds(line, *kRule, &found)) {
        target = found;
        facts.targets.insert(target);
      }
      if (HasPreload(line)) {
        facts.loose.insert({"", absl::StrCat("'", Shown(line), "' loads code before the tests")});
      }
      continue;
    }
    if (Finds(line, *kDash, &found) && Judges(found) && !IsFileCommand(found)) {
      facts.loose.insert({target, absl::StrCat("'-", Shown(found), "' hides a failure")});
    }
    AddCommand(target, line, &facts);
  }
  return facts;
}

ScriptFacts OfShell(absl::string_view text) {
  static const RE2* const kStrict =
      new RE2(R"((?m)^\s*set\s+-[a-z]*(e)[a-z]*\b|^\s*set\s+-o\s+(errexit|pipefail))");
  ScriptFacts facts;
  facts.targets.insert("script");
  for (const absl::string_view line : SplitLines(text)) {
    if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "#")) {
      AddCommand("script", line, &facts);
    }
  }
  if (Finds(text, *kStrict)) {
    facts.strict.insert({"script", "'set -e' is gone: a failure no longer ends the script"});
  }
  return facts;
}

// Lists of patterns that leave tests out, or take them in.
void AddRunnerSettings(absl::string_view text, ScriptFacts* facts) {
  static const RE2* const kSetting = new RE2(
      R"rx(["']?\b(testPathIgnorePatterns|modulePathIgnorePatterns|testNamePattern|testIgnore|grep|fgrep|invert|exclude|ignore|passWithNoTests|testMatch|testRegex|include|spec|files|testFiles|dangerouslyIgnoreUnhandledErrors|forbidOnly|allowOnly)["']?\s*[:=]\s*(\[[^\]]*\]|"[^"]*"|'[^']*'|/[^,\n]*|true|false))rx");
  re2::StringPiece rest(text.data(), text.size());
  std::string key;
  std::string value;
  while (RE2::FindAndConsume(&rest, *kSetting, &key, &value)) {
    const bool takes_in = key == "testMatch" || key == "testRegex" || key == "include" ||
                          key == "spec" || key == "files" || key == "testFiles" ||
                          key == "forbidOnly";
    if (value == "false" && !takes_in) continue;
    for (const std::string& word : SettingWords(value)) {
      auto& set = takes_in ? facts->strict : facts->loose;
      set.insert({"runner", absl::StrCat("the test runner's ", key,
                                         takes_in ? " no longer has " : " has ", word)});
    }
  }
}

ScriptFacts OfPackageJson(absl::string_view text) {
  ScriptFacts facts;
  const Json json = ParseJson(StripJsonComments(text)).value_or(Json::object());
  const Json* const scripts = JsonMember(json, "scripts");
  if (scripts != nullptr && scripts->is_object()) {
    for (const auto& item : scripts->items()) {
      if (!item.value().is_string()) continue;
      const std::string& target = item.key();
      const std::string command = item.value().get<std::string>();
      facts.targets.insert(target);
      AddCommand(target, command, &facts);
      if (absl::StartsWith(target, "test") && Judges(command)) {
        facts.strict.insert(
            {target, absl::StrCat("the script '", target, "' no longer runs tests")});
      }
    }
  }
  for (const char* const runner : {"jest", "mocha", "ava", "vitest", "tap"}) {
    const Json* const settings = JsonMember(json, runner);
    if (settings == nullptr) continue;
    facts.targets.insert("runner");
    AddRunnerSettings(DumpJson(*settings), &facts);
  }
  return facts;
}

bool IsCMakeFile(absl::string_view name) {
  return name == "CMakeLists.txt" || absl::EndsWith(name, ".cmake") || name == "CMakePresets.json";
}

// Commands of CMake with their arguments.
class CMakeCommands {
 public:
  explicit CMakeCommands(absl::string_view text) : text_(text), rest_(text_) {}

  bool Next(const RE2& names, std::string* name, std::string* arguments) {
    static const RE2* const kCommand =
        new RE2(R"((?s)(\w+)[ \t]*\(([^()]*(?:\([^()]*\)[^()]*)*)\))");
    while (RE2::FindAndConsume(&rest_, *kCommand, name, arguments)) {
      if (Matches(*name, names)) return true;
    }
    return false;
  }

 private:
  const std::string text_;
  re2::StringPiece rest_;
};

struct CMakeTest {
  std::string name;
  std::string program;
};

// `NAME price COMMAND price_test`, `price price_test`
CMakeTest TestOfArguments(const std::string& arguments) {
  static const RE2* const kNamed = new RE2(R"re(^\s*NAME\s+"?([^\s"]+)"?)re");
  static const RE2* const kCommand = new RE2(R"re(\bCOMMAND\s+"?([^\s"]+)"?)re");
  static const RE2* const kShort = new RE2(R"re(^\s*"?([^\s"]+)"?\s+"?([^\s"]+)"?)re");
  CMakeTest test;
  if (Finds(arguments, *kNamed, &test.name)) {
    Finds(arguments, *kCommand, &test.program);
  } else {
    Finds(arguments, *kShort, &test.name, &test.program);
  }
  return test;
}

// The one test that properties are set of: "" where they are more.
std::string SubjectOfProperties(const std::string& command, const std::string& arguments) {
  static const RE2* const kOne = new RE2(R"(^\s*([^\s$]+)\s+PROPERTIES\b)");
  std::string name;
  if (command == "set_tests_properties") Finds(arguments, *kOne, &name);
  return name;
}

ScriptFacts OfCMake(absl::string_view text) {
  static const RE2* const kProperties = new RE2(
      R"((?i)set_tests_properties|set_property|gtest_discover_tests|catch_discover_tests|doctest_discover_tests|add_test)");
  static const RE2* const kHides = new RE2(
      R"((?i)\b(WILL_FAIL|DISABLED|PASS_REGULAR_EXPRESSION|SKIP_REGULAR_EXPRESSION|SKIP_RETURN_CODE|TEST_FILTER)\b["\s]+([^\s)]+))");
  ScriptFacts facts;
  facts.targets.insert("tests");
  CMakeCommands commands(text);
  std::string command;
  std::string arguments;
  while (commands.Next(*kProperties, &command, &arguments)) {
    const std::string subject = SubjectOfProperties(command, arguments);
    const std::string target = subject.empty() ? "tests" : absl::StrCat(kTestOfCMake, subject);
    if (command == "add_test") {
      facts.targets.insert(absl::StrCat(kTestOfCMake, TestOfArguments(arguments).name));
    }
    re2::StringPiece inner(arguments);
    std::string property;
    std::string value;
    while (RE2::FindAndConsume(&inner, *kHides, &property, &value)) {
      const std::string lower = absl::AsciiStrToLower(value);
      if (lower == "false" || lower == "off" || lower == "0" || lower == "no") continue;
      facts.loose.insert({target, absl::StrCat(property, " of '", Shown(arguments),
                                               "' changes what counts as a failure")});
    }
    AddCommand("tests", arguments, &facts);
  }
  if (Finds(text, R"((?i)\bCTEST_CUSTOM_(TESTS_IGNORE|PRE_TEST))")) {
    facts.loose.insert({"tests", "CTEST_CUSTOM_TESTS_IGNORE leaves tests out"});
  }
  return facts;
}

// -DNDEBUG, but in flags of a release.
void AddNdebug(absl::string_view text, ScriptFacts* facts) {
  static const RE2* const kNdebug = new RE2(
      R"((-D\s*|/D\s*|["\s(])NDEBUG\b|b_ndebug\s*=\s*true|-D[^\s=$]*\$[({]\w+[)}]\w*(DEBUG|BUG)\b)");
  static const RE2* const kRelease =
      new RE2(R"((?i)release|relwithdebinfo|minsizerel|\bUNDEF|-UNDEBUG|\bif\b|ifdef|ifndef)");
  for (const absl::string_view line : SplitLines(text)) {
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "#")) continue;
    if (!Finds(line, *kNdebug) || Finds(line, *kRelease)) continue;
    facts->loose.insert({"", absl::StrCat("'", Shown(line), "' takes assertions out")});
  }
}

ScriptFacts OfPythonSettings(absl::string_view path, absl::string_view text) {
  ScriptFacts facts;
  facts.targets.insert("pytest");
  for (const IniSetting& setting : IniSettings(
           text, absl::EndsWith(path, ".toml") ? SettingsSyntax::kToml : SettingsSyntax::kIni)) {
    const bool of_pytest = absl::StrContains(setting.section, "pytest");
    const std::vector<std::string> words = SettingWords(setting.value);
    if (of_pytest && setting.key == "testpaths") {
      for (const std::string& word : words) {
        facts.strict.insert({"pytest", absl::StrCat("pytest's testpaths no longer has ", word)});
      }
    }
    if (of_pytest && setting.key == "norecursedirs") {
      for (const std::string& word : words) {
        facts.loose.insert({"pytest", absl::StrCat("pytest's norecursedirs has ", word)});
      }
    }
    if (setting.key == "addopts") {
      for (const std::string& word : words) {
        if (word == "--collect-only" || word == "--co" || word == "--lf" || word == "--sw" ||
            absl::StartsWith(word, "no:") || absl::StartsWith(word, "-pno:") ||
            absl::StartsWith(word, "-k") || absl::StartsWith(word, "--setup-")) {
          facts.loose.insert({"pytest", absl::StrCat("pytest's addopts has ", word)});
        }
      }
    }
    if (setting.key == "commands" || setting.key == "commands_pre") {
      for (const absl::string_view line : absl::StrSplit(setting.value, '\n')) {
        const absl::string_view command = absl::StripAsciiWhitespace(line);
        facts.targets.insert(setting.section);
        if (absl::StartsWith(command, "-") && Judges(command)) {
          facts.loose.insert(
              {setting.section, absl::StrCat("'", Shown(command), "' hides a failure")});
        }
        AddCommand(setting.section, command, &facts);
      }
    }
    if (setting.key == "ignore_outcome" &&
        absl::StrContains(absl::AsciiStrToLower(setting.value), "true")) {
      facts.loose.insert({setting.section, "tox's ignore_outcome hides failures"});
    }
    if (setting.key == "env" || setting.key == "setenv" || setting.key == "set_env") {
      if (HasPreload(setting.value)) {
        facts.loose.insert({"", absl::StrCat("'", Shown(setting.value), "' loads code")});
      }
    }
  }
  return facts;
}

ScriptFacts OfJavaBuild(absl::string_view text) {
  static const RE2* const kHides = new RE2(
      R"((?s)<(exclude|excludedGroups|groups|test|testFailureIgnore)>\s*([^<]*?)\s*</|\b(ignoreFailures\s*=?\s*true|excludeTestsMatching\s*\(?\s*["'][^"']*["']|includeTestsMatching\s*\(?\s*["'][^"']*["']|exclude\s*\(?\s*["'][^"']*[Tt]est[^"']*["']|tasks\.(?:named|withType)\([^)]*[Tt]est[^)]*\)\s*\{\s*enabled\s*=\s*false|test\s*\{[^}]*enabled\s*=\s*false|test\.enabled\s*=\s*false|excludeTags\s*\(?\s*["'][^"']*["']))");
  ScriptFacts facts;
  facts.targets.insert("tests");
  re2::StringPiece rest(text.data(), text.size());
  std::string tag;
  std::string value;
  std::string call;
  while (RE2::FindAndConsume(&rest, *kHides, &tag, &value, &call)) {
    if (tag == "exclude" && !Finds(value, R"((?i)test|IT\b)")) continue;
    facts.loose.insert({"tests", call.empty()
                                     ? absl::StrCat("<", tag, "> has ", value)
                                     : absl::StrCat("'", Shown(call), "' leaves tests out")});
  }
  return facts;
}

ScriptFacts OfSettings(absl::string_view text) {  // .npmrc, .env, .runsettings, config.toml
  static const RE2* const kFilter =
      new RE2(R"(<(TestCaseFilter|VSTestTestCaseFilter)>\s*([^<]+?)\s*<)");
  ScriptFacts facts;
  for (const absl::string_view line : SplitLines(text)) {
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "#")) continue;
    if (HasPreload(line)) {
      facts.loose.insert({"", absl::StrCat("'", Shown(line), "' loads code before the tests")});
    }
  }
  std::string tag;
  std::string value;
  if (Finds(text, *kFilter, &tag, &value)) {
    facts.loose.insert({"", absl::StrCat("<", tag, "> leaves tests out: ", Shown(value))});
  }
  if (Finds(text, R"((?i)<IsTestProject>\s*false)")) {
    facts.loose.insert({"", "<IsTestProject> is false"});
  }
  return facts;
}

ScriptFacts FactsOf(const std::string& path, absl::string_view text) {
  const std::string name = BaseName(path);
  ScriptFacts facts;
  if (text.empty()) return facts;
  if (name == "package.json") {
    facts = OfPackageJson(text);
  } else if (GlobMatch("{GNUmakefile,makefile,Makefile,justfile,Justfile}*", name) ||
             absl::EndsWith(name, ".mk")) {
    facts = OfMakefile(text);
    AddNdebug(text, &facts);
  } else if (IsCMakeFile(name)) {
    facts = OfCMake(text);
    AddNdebug(text, &facts);
  } else if (name == "meson.build" || name == "compile_flags.txt" || absl::EndsWith(name, ".rsp") ||
             absl::EndsWith(name, ".bazelrc")) {
    AddNdebug(text, &facts);
  } else if (GlobMatch("*.{sh,bash}", name)) {
    facts = OfShell(text);
  } else if (GlobMatch("{pyproject.toml,setup.cfg,pytest.ini,.pytest.ini,tox.ini}", name)) {
    facts = OfPythonSettings(path, text);
  } else if (name == "pom.xml" || GlobMatch("*.{gradle,gradle.kts}", name)) {
    facts = OfJavaBuild(text);
  } else if (GlobMatch("{jest,vitest,vite,karma,playwright,cypress,ava,wtr}.config.*", name) ||
             GlobMatch("vitest.workspace.*", name) || GlobMatch(".mocharc*", name) ||
             name == ".taprc") {
    facts.targets.insert("runner");
    AddRunnerSettings(text, &facts);
  } else if (GlobMatch("{.npmrc,.env,.env.*,*.runsettings,*.csproj,*.props,*.targets}", name) ||
             absl::EndsWith(path, ".cargo/config.toml")) {
    facts = OfSettings(text);
  } else if (name == "sitecustomize.py" || name == "usercustomize.py") {
    facts.loose.insert({"", absl::StrCat(name, " runs before every test")});
  } else if (absl::EndsWith(name, ".pth") && Finds(text, R"((?m)^import\b)")) {
    facts.loose.insert({"", "a .pth file runs code before every test"});
  }
  return facts;
}

}  // namespace

bool IsTestScript(const std::string& path) {
  const std::string name = BaseName(path);
  return GlobMatch("*.{sh,bash,pth}", name) || GlobMatch(".env*", name) || name == ".npmrc" ||
         GlobMatch(".mocharc*", name) || name == ".taprc" || GlobMatch("{J,j}ustfile", name) ||
         absl::EndsWith(name, ".runsettings") || name == "CTestCustom.cmake";
}

std::vector<Weakening> CompareTestScripts(const ContentPair& change) {
  const ScriptFacts before = FactsOf(change.path, change.before.value_or(""));
  const ScriptFacts after = FactsOf(change.path, change.after.value_or(""));
  std::vector<Weakening> result;
  const auto report = [&](const ScriptFact& fact) {
    Weakening weakening{Weakening::Weight::kGrave, change.path, 0, fact.what};
    weakening.rule = "script-loosened";
    result.push_back(std::move(weakening));
  };
  std::set<std::string> told;  // the same may have been there, in another recipe
  for (const ScriptFact& fact : before.loose) told.insert(fact.what);
  // A test of CMake is new if it is declared here and all that were declared before still are.
  const auto is_declared = [&after](const std::string& place) {
    return !absl::StartsWith(place, kTestOfCMake) || after.targets.count(place) > 0;
  };
  const bool keeps_tests = std::all_of(before.targets.begin(), before.targets.end(), is_declared);
  for (const ScriptFact& fact : after.loose) {
    const bool is_new_place =
        !fact.target.empty() && before.targets.count(fact.target) == 0 &&
        (!absl::StartsWith(fact.target, kTestOfCMake) || (keeps_tests && is_declared(fact.target)));
    if (!is_new_place && told.count(fact.what) == 0) report(fact);
  }
  if (!change.before.has_value() || !change.after.has_value()) return result;
  for (const ScriptFact& fact : before.strict) {
    if (after.targets.count(fact.target) > 0 && after.strict.count(fact) == 0) report(fact);
  }
  return result;
}

std::set<std::string> ScriptTestsTakenOut(const std::vector<ContentPair>& changes) {
  static const RE2* const kAddTest = new RE2("(?i)add_test");
  static const RE2* const kLists = new RE2("(?i)add_test|foreach|set|list|\\w*test\\w*");
  std::map<std::string, std::string> programs;  // by test, before
  std::string present;                          // all of it
  std::string lists;                            // what may name tests
  std::set<std::string> run;                    // programs that tests run
  std::string command;
  std::string arguments;
  for (const ContentPair& change : changes) {
    if (!IsCMakeFile(BaseName(change.path))) continue;
    CMakeCommands old(change.before.value_or(""));
    while (old.Next(*kAddTest, &command, &arguments)) {
      const CMakeTest test = TestOfArguments(arguments);
      programs[test.name] = test.program;
    }
    absl::StrAppend(&present, change.after.value_or(""), "\n");
    CMakeCommands now(change.after.value_or(""));
    while (now.Next(*kLists, &command, &arguments)) {
      absl::StrAppend(&lists, " ", arguments);
      if (Matches(command, *kAddTest)) run.insert(TestOfArguments(arguments).program);
    }
  }
  std::set<std::string> taken;
  for (const auto& [name, program] : programs) {
    const bool is_listed = HoldsWord(lists, name);
    const bool is_built =
        program.empty() || (HoldsWord(present, program) && run.count(program) == 0);
    if (!is_listed && !is_built) taken.insert(name);
  }
  return taken;
}

}  // namespace stile
