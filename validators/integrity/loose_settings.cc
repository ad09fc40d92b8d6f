#include "validators/integrity/loose_settings.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/ini_settings.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/msbuild_properties.h"
#include "validators/integrity/warning_flags.h"

namespace stile {
namespace {

using Facts = std::set<std::string>;

constexpr char kExtends[] = "the base is ";

Json RelaxedJson(absl::string_view text) {
  return ParseJson(StripJsonComments(text)).value_or(Json::object());
}

Facts OfTypeScript(absl::string_view text) {
  const Json json = RelaxedJson(text);
  const Json* options = JsonMember(json, "compilerOptions");
  const auto is_on = [&](const char* key, bool otherwise) {
    return options == nullptr ? otherwise : JsonBool(*options, key).value_or(otherwise);
  };
  Facts facts;
  const bool strict = is_on("strict", false);
  if (!strict) facts.insert("strict is not on");
  for (const char* key : {"noImplicitAny", "strictNullChecks", "strictFunctionTypes",
                          "strictBindCallApply", "strictPropertyInitialization", "noImplicitThis",
                          "useUnknownInCatchVariables", "strictBuiltinIteratorReturn"}) {
    if (!is_on(key, strict)) facts.insert(absl::StrCat(key, " is not on"));
  }
  for (const char* key :
       {"noUncheckedIndexedAccess", "noImplicitReturns", "noFallthroughCasesInSwitch",
        "exactOptionalPropertyTypes", "noImplicitOverride", "noUnusedLocals", "noUnusedParameters",
        "checkJs", "noPropertyAccessFromIndexSignature", "noEmitOnError",
        "noUncheckedSideEffectImports", "isolatedDeclarations", "erasableSyntaxOnly"}) {
    if (!is_on(key, false)) facts.insert(absl::StrCat(key, " is not on"));
  }
  for (const char* key :
       {"noCheck", "suppressImplicitAnyIndexErrors", "suppressExcessPropertyErrors",
        "noStrictGenericChecks", "skipLibCheck", "skipDefaultLibCheck", "allowUnreachableCode",
        "allowUnusedLabels", "allowUmdGlobalAccess", "noResolve", "noLib",
        "assumeChangesOnlyAffectDirectDependencies"}) {
    if (is_on(key, false)) facts.insert(absl::StrCat(key, " is on"));
  }
  // Without a value, these are told by editors only.
  for (const char* key : {"allowUnreachableCode", "allowUnusedLabels"}) {
    if (is_on(key, true)) facts.insert(absl::StrCat(key, " is not off"));
  }
  if (!is_on("forceConsistentCasingInFileNames", true)) {
    facts.insert("forceConsistentCasingInFileNames is off");
  }
  // Another base can loosen anything.
  if (const Json* base = JsonMember(json, "extends")) {
    facts.insert(absl::StrCat(kExtends, DumpJson(*base)));
  }
  return facts;
}

// Other configurations can extend a file of any name. One without options is like one that is not
// there.
Facts OfTypeScriptBase(absl::string_view name, absl::string_view text) {
  const bool is_named = GlobMatch("tsconfig*.json", name) || name == "jsconfig.json";
  const bool has_options = is_named || absl::StrContains(text, "\"compilerOptions\"");
  return OfTypeScript(has_options ? text : "");
}

bool IsTrue(absl::string_view value) {
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(value));
  return lower == "true" || lower == "yes" || lower == "on" || lower == "1";
}

bool IsOneOf(absl::string_view text, const std::vector<absl::string_view>& names) {
  for (absl::string_view name : names) {
    if (text == name) return true;
  }
  return false;
}

const std::vector<absl::string_view>& StricterInMypy() {
  static const auto* const keys = new std::vector<absl::string_view>{"strict",
                                                                     "disallow_untyped_defs",
                                                                     "disallow_incomplete_defs",
                                                                     "no_implicit_optional",
                                                                     "check_untyped_defs",
                                                                     "disallow_untyped_calls",
                                                                     "warn_return_any",
                                                                     "disallow_any_generics",
                                                                     "disallow_subclassing_any",
                                                                     "strict_equality",
                                                                     "warn_unused_ignores",
                                                                     "disallow_any_explicit",
                                                                     "extra_checks",
                                                                     "no_implicit_reexport",
                                                                     "warn_unreachable"};
  return *keys;
}

// Checks that are on unless they are turned off, in mypy or under its strict mode.
bool IsOnInMypy(absl::string_view key) {
  return IsOneOf(key, {"strict_optional", "warn_no_return", "disallow_untyped_globals",
                       "disallow_untyped_decorators", "disallow_redefinition", "strict_bytes",
                       "local_partial_types", "disallow_any_unimported", "disallow_any_expr",
                       "disallow_any_decorated", "warn_redundant_casts"});
}

// Checks that are off unless enable_error_code names them.
const std::vector<absl::string_view>& OptionalCodesOfMypy() {
  static const auto* const codes = new std::vector<absl::string_view>{
      "type-arg",           "no-untyped-def",      "redundant-cast",     "redundant-self",
      "comparison-overlap", "no-untyped-call",     "no-any-return",      "no-any-unimported",
      "unreachable",        "redundant-expr",      "possibly-undefined", "truthy-bool",
      "truthy-iterable",    "ignore-without-code", "unused-awaitable",   "unused-ignore",
      "explicit-override",  "mutable-override"};
  return *codes;
}

// Where a setting of mypy counts, in the words of mypy.ini whatever file it is in: "[mypy]",
// "[mypy-shop.*]", one for each module; empty for what is no setting of mypy.
std::vector<std::string> MypySections(const IniSetting& setting,
                                      const std::map<int, std::string>& modules) {
  if (setting.section == "[mypy]" || setting.section == "[tool.mypy]") return {"[mypy]"};
  absl::string_view names = setting.section;
  if (absl::ConsumePrefix(&names, "[mypy-")) {
    absl::ConsumeSuffix(&names, "]");
  } else if (setting.section == "[[tool.mypy.overrides]]") {
    const auto found = modules.find(setting.table);
    names = found == modules.end() ? "?" : absl::string_view(found->second);
  } else if (absl::StartsWith(setting.section, "[tool.mypy.")) {
    names = "?";
  } else {
    return {};
  }
  std::vector<std::string> sections;
  for (const std::string& name : SettingWords(names)) {
    sections.push_back(absl::StrCat("[mypy-", name, "]"));
  }
  return sections;
}

void AddMypy(const std::string& section, const IniSetting& setting, Facts* facts) {
  const std::string key = absl::AsciiStrToLower(setting.key);
  const std::string where = absl::StrCat(section, " ", key);
  const bool is_on = IsTrue(setting.value);
  if (IsOneOf(key, StricterInMypy())) {
    if (!is_on) {
      facts->insert(absl::StrCat(where, " is off"));
    } else if (section == "[mypy]") {
      facts->erase(absl::StrCat("mypy: ", key, " is not on"));
    }
  } else if (is_on && (absl::StartsWith(key, "allow_") || absl::StartsWith(key, "no_") ||
                       key == "ignore_errors" || key == "implicit_optional" ||
                       key == "ignore_missing_imports")) {
    facts->insert(absl::StrCat(where, " is on"));  // every switch may have "no_" in front
  } else if (IsOnInMypy(key) && !is_on) {
    facts->insert(absl::StrCat(where, " is off"));
  } else if (key == "disable_error_code" || key == "follow_imports" || key == "always_true" ||
             key == "always_false" || key == "plugins") {
    for (const std::string& word : SettingWords(setting.value)) {
      if (word != "normal") facts->insert(absl::StrCat(where, " has ", word));
    }
  } else if (key == "overrides") {  // tables in one line
    facts->insert(absl::StrCat(where, " is ", setting.value));
  } else if (key == "enable_error_code" && section == "[mypy]") {
    for (const std::string& word : SettingWords(setting.value)) {
      facts->erase(absl::StrCat("mypy: ", word, " is not enabled"));
    }
  }
}

void AddPyright(const IniSetting& setting, Facts* facts) {
  if (setting.key == "typeCheckingMode" && absl::StrContains(setting.value, "strict")) {
    facts->erase("pyright: typeCheckingMode is not strict");
  }
  if (absl::StartsWith(setting.key, "report") && !absl::StrContains(setting.value, "error") &&
      !IsTrue(setting.value)) {
    facts->insert(absl::StrCat(setting.section, " ", setting.key, " is ", setting.value));
  }
  if (setting.key == "ignore") {
    for (const std::string& word : SettingWords(setting.value)) {
      facts->insert(absl::StrCat("pyright: ignore has ", word));
    }
  }
  if (setting.key == "typeCheckingMode" && absl::StrContains(setting.value, "off")) {
    facts->insert("pyright: typeCheckingMode is off");
  }
}

Facts OfPython(absl::string_view text, SettingsSyntax syntax) {
  Facts facts = {"pyright: typeCheckingMode is not strict"};
  for (absl::string_view key : StricterInMypy())
    facts.insert(absl::StrCat("mypy: ", key, " is not on"));
  for (absl::string_view code : OptionalCodesOfMypy()) {
    facts.insert(absl::StrCat("mypy: ", code, " is not enabled"));
  }
  const std::vector<IniSetting> settings = IniSettings(text, syntax);
  std::map<int, std::string> modules;  // of the tables of overrides
  for (const IniSetting& setting : settings) {
    if (setting.key == "module") modules[setting.table] = setting.value;
  }
  for (const IniSetting& setting : settings) {
    for (const std::string& section : MypySections(setting, modules)) {
      AddMypy(section, setting, &facts);
    }
    if (setting.section == "[tool]" && setting.key == "mypy") {
      facts.insert(absl::StrCat("mypy is ", setting.value));
    }
    if (setting.section == "[tool.pyright]") AddPyright(setting, &facts);
    const std::vector<std::string> words = SettingWords(setting.value);
    if (absl::StrContains(setting.section, "pytest") &&
        (setting.key == "python_files" || setting.key == "python_classes" ||
         setting.key == "python_functions" || setting.key == "collect_ignore")) {
      facts.insert(absl::StrCat("pytest: ", setting.key, " is ", absl::StrJoin(words, " ")));
    }
    if (setting.key == "addopts") {
      for (const std::string& word : words) {
        if (absl::StartsWith(word, "--ignore") || absl::StartsWith(word, "--deselect") ||
            word == "-k" || word == "-m") {
          facts.insert(absl::StrCat("pytest: addopts has ", word));
        }
      }
    }
  }
  return facts;
}

Facts OfPyright(absl::string_view text) {
  const Json json = RelaxedJson(text);
  Facts facts;
  const std::string mode = JsonString(json, "typeCheckingMode").value_or("standard");
  static const auto* const modes = new std::vector<std::string>{"strict", "standard", "basic"};
  for (const std::string& stricter : *modes) {
    if (mode == stricter) break;
    facts.insert(absl::StrCat("typeCheckingMode is less than ", stricter));
  }
  if (!json.is_object()) return facts;
  if (const Json* ignored = JsonMember(json, "ignore")) {
    for (const std::string& word : SettingWords(DumpJson(*ignored))) {
      facts.insert(absl::StrCat("ignore has ", word));
    }
  }
  for (const auto& item : json.items()) {
    if (!absl::StartsWith(item.key(), "report")) continue;
    const Json& value = item.value();
    if (value == "error" || value == true) continue;
    facts.insert(absl::StrCat(item.key(), " is ", DumpJson(value)));
  }
  return facts;
}

// Properties that let the compiler or its analyzers say less, with this value.
bool IsLooseProperty(absl::string_view name, absl::string_view value) {
  const std::string key = absl::AsciiStrToLower(name);
  const std::string lower = absl::AsciiStrToLower(value);
  if (IsOneOf(key, {"warninglevel", "analysislevel", "analysismode"})) {
    return IsOneOf(lower, {"0", "1", "none"});
  }
  if (key == "skipcompilerexecution") return lower == "true";
  return IsOneOf(key, {"runanalyzers", "runanalyzersduringbuild", "enforcecodestyleinbuild",
                       "treatwarningsaserrors", "msbuildtreatwarningsaserrors"}) &&
         lower == "false";
}

bool IsMsBuildResponseFile(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  return lower == "directory.build.rsp" || lower == "msbuild.rsp";
}

// Arguments that every msbuild takes from Directory.Build.rsp and MSBuild.rsp.
Facts OfMsBuildArguments(absl::string_view text) {
  static const RE2* const kSwitch = new RE2(R"((?i)^(?:--?|/)([a-z]+)[:=]?(.*)$)");
  Facts facts;
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \t\r\n\"'"), absl::SkipEmpty());
  for (const std::string& word : words) {
    std::string name;
    std::string value;
    if (!RE2::FullMatch(word, *kSwitch, &name, &value)) continue;
    const std::string key = absl::AsciiStrToLower(name);
    if (IsOneOf(key, {"nowarn", "noerr", "warnnotaserror", "warnaserrornot", "t", "target"})) {
      facts.insert(absl::StrCat("-", key, " has ", value));
    }
    if (key != "p" && key != "property") continue;
    // Properties of a command line outdo those of every file.
    for (const absl::string_view property : absl::StrSplit(value, ';', absl::SkipEmpty())) {
      facts.insert(absl::StrCat("the property ", property, " for all projects"));
    }
  }
  return facts;
}

// Properties of MSBuild, wherever they stand. The last one of a name counts, unless it has a
// condition: so one that is off is told by itself.
Facts OfMsBuild(absl::string_view text) {
  Facts facts = {"TreatWarningsAsErrors is not on", "Nullable is not on"};
  for (const auto& [name, value] : MsBuildProperties(text)) {
    if (name == "NoWarn" || name == "WarningsNotAsErrors") {
      for (const std::string& code : SettingWords(value)) {
        if (!absl::StartsWith(code, "$(")) facts.insert(absl::StrCat(name, " has ", code));
      }
    } else if (IsLooseProperty(name, value)) {
      facts.insert(absl::StrCat(name, " is ", absl::AsciiStrToLower(value)));
    } else if (name == "TreatWarningsAsErrors" || name == "Nullable") {
      const std::string lower = absl::AsciiStrToLower(value);
      const bool is_on = lower == (name == "Nullable" ? "enable" : "true");
      const std::string not_on = absl::StrCat(name, " is not on");
      is_on ? void(facts.erase(not_on)) : void(facts.insert(not_on));
      if (!is_on) facts.insert(absl::StrCat(name, " is ", lower));
    }
  }
  return facts;
}

Facts OfMaven(absl::string_view text) {
  static const RE2* const kSkip = new RE2(
      R"(<(skipTests|maven\.test\.skip|testFailureIgnore|maven\.test\.failure\.ignore)>\s*true\s*<)");
  Facts facts;
  re2::StringPiece rest(text.data(), text.size());
  std::string name;
  while (RE2::FindAndConsume(&rest, *kSkip, &name)) facts.insert(absl::StrCat(name, " is on"));
  return facts;
}

Facts OfCompilerFlags(absl::string_view text) {
  static const RE2* const kLauncher = new RE2(
      R"((CMAKE_(?:C|CXX)_COMPILER_LAUNCHER|RULE_LAUNCH_COMPILE|CMAKE_(?:C|CXX)_COMPILER)\b[\s=]+([^\s)]+))");
  Facts facts;
  for (const std::string& flag : LooseWarningFlags(text)) {
    facts.insert(absl::StrCat(flag, " is given"));
  }
  re2::StringPiece rest(text.data(), text.size());
  std::string name;
  std::string value;
  while (RE2::FindAndConsume(&rest, *kLauncher, &name, &value)) {
    facts.insert(absl::StrCat(name, " is ", value));
  }
  return facts;
}

// Lints that are allowed, and flags that silence all of them.
Facts OfCargo(absl::string_view text) {
  Facts facts;
  for (const IniSetting& setting : IniSettings(text, SettingsSyntax::kToml)) {
    const std::string where = absl::StrCat(setting.section, " ", setting.key);
    if (absl::StrContains(setting.section, "lints") &&
        absl::StrContains(setting.value, "\"allow\"")) {
      facts.insert(absl::StrCat(where, " is allowed"));
    }
    if (setting.key == "rustflags") {
      for (const std::string& word : SettingWords(setting.value)) {
        if (absl::StartsWith(word, "--cap-lints") || absl::StartsWith(word, "-A")) {
          facts.insert(absl::StrCat(where, " has ", word));
        }
      }
    }
    // Programs and tests are run by something else, or without their checks.
    if (setting.key == "runner" && absl::StartsWith(setting.section, "[target")) {
      facts.insert(absl::StrCat(where, " is ", setting.value));
    }
    if (absl::StartsWith(setting.section, "[profile") &&
        (setting.key == "debug-assertions" || setting.key == "overflow-checks") &&
        absl::StartsWith(setting.value, "false")) {
      facts.insert(absl::StrCat(where, " is off"));
    }
    // Targets whose tests are not run.
    if ((setting.key == "test" || setting.key == "doctest" || setting.key == "autotests") &&
        absl::StartsWith(setting.value, "false")) {
      facts.insert(absl::StrCat(where, " is false"));
    }
  }
  return facts;
}

Facts OfEditorConfig(absl::string_view text) {
  Facts facts;
  for (const IniSetting& setting : IniSettings(text, SettingsSyntax::kEditorConfig)) {
    const std::string key = absl::AsciiStrToLower(setting.key);
    const std::string value = absl::AsciiStrToLower(setting.value);
    if (absl::EndsWith(key, ".severity") &&
        (value == "none" || value == "silent" || value == "suggestion")) {
      facts.insert(absl::StrCat(setting.section, " ", key, " is ", value));
    }
    if (key == "generated_code" && value == "true") {
      facts.insert(absl::StrCat(setting.section, " generated_code is true"));
    }
  }
  return facts;
}

}  // namespace

std::set<std::string> LooseSettings(absl::string_view path, absl::string_view text) {
  const std::string name = BaseName(path);
  if (name == "pyrightconfig.json") return OfPyright(text);
  if (IsOneOf(name, {"mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml", "pytest.ini",
                     ".pytest.ini", "tox.ini"})) {
    return OfPython(text,
                    absl::EndsWith(name, ".toml") ? SettingsSyntax::kToml : SettingsSyntax::kIni);
  }
  if (GlobMatch("*.{csproj,props,targets}", name)) return OfMsBuild(text);
  if (name == "pom.xml") return OfMaven(text);
  if (IsMsBuildResponseFile(name)) return OfMsBuildArguments(text);
  if (HoldsWarningFlags(name)) return OfCompilerFlags(text);
  if (name == "Cargo.toml" || path == ".cargo/config.toml" || path == ".cargo/config" ||
      absl::EndsWith(path, "/.cargo/config.toml") || absl::EndsWith(path, "/.cargo/config")) {
    return OfCargo(text);
  }
  if (name == ".editorconfig" || name == ".globalconfig") return OfEditorConfig(text);
  if (absl::EndsWith(name, ".json")) return OfTypeScriptBase(name, text);
  return {};
}

bool MayHoldSettings(absl::string_view path) {
  const std::string name = BaseName(path);
  return name == ".editorconfig" || name == ".globalconfig" || absl::EndsWith(name, ".json");
}

bool IsOnlyADifference(absl::string_view fact) {
  return absl::StartsWith(fact, kExtends) || absl::StartsWith(fact, "pytest: ") ||
         fact == "skipLibCheck is on";
}

std::optional<std::string> BaseOf(absl::string_view fact) {
  if (!absl::ConsumePrefix(&fact, kExtends)) return std::nullopt;
  return std::string(absl::StripSuffix(absl::StripPrefix(fact, "\""), "\""));
}

}  // namespace stile
