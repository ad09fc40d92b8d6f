#include "validators/integrity/loose_settings.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/ini_settings.h"
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
        "checkJs", "noPropertyAccessFromIndexSignature"}) {
    if (!is_on(key, false)) facts.insert(absl::StrCat(key, " is not on"));
  }
  for (const char* key :
       {"noCheck", "suppressImplicitAnyIndexErrors", "suppressExcessPropertyErrors",
        "noStrictGenericChecks", "skipLibCheck", "skipDefaultLibCheck"}) {
    if (is_on(key, false)) facts.insert(absl::StrCat(key, " is on"));
  }
  // Another base can loosen anything.
  if (const Json* base = JsonMember(json, "extends")) {
    facts.insert(absl::StrCat(kExtends, DumpJson(*base)));
  }
  return facts;
}

bool IsTrue(absl::string_view value) {
  const std::string lower = absl::AsciiStrToLower(value.substr(0, 4));
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

Facts OfPython(absl::string_view text) {
  Facts facts;
  for (absl::string_view key : StricterInMypy())
    facts.insert(absl::StrCat("mypy: ", key, " is not on"));
  facts.insert("pyright: typeCheckingMode is not strict");
  for (absl::string_view code : OptionalCodesOfMypy()) {
    facts.insert(absl::StrCat("mypy: ", code, " is not enabled"));
  }
  for (const IniSetting& setting : IniSettings(text)) {
    const bool mypy = absl::StartsWith(setting.section, "[mypy") ||
                      absl::StrContains(setting.section, "tool.mypy");
    const bool all = setting.section == "[mypy]" || setting.section == "[tool.mypy]";
    const std::string where = absl::StrCat(setting.section, " ", setting.key);
    if (mypy && all && IsOneOf(setting.key, StricterInMypy()) && IsTrue(setting.value)) {
      facts.erase(absl::StrCat("mypy: ", setting.key, " is not on"));
    } else if (mypy && IsOneOf(setting.key, StricterInMypy()) && !IsTrue(setting.value)) {
      facts.insert(absl::StrCat(where, " is off"));
    }
    if (mypy && IsTrue(setting.value) &&
        (absl::StartsWith(setting.key, "allow_") || setting.key == "ignore_errors" ||
         setting.key == "implicit_optional" || setting.key == "ignore_missing_imports")) {
      facts.insert(absl::StrCat(where, " is on"));
    }
    // Every switch may be written with "no_" in front.
    if (mypy && absl::StartsWith(setting.key, "no_") && IsTrue(setting.value) &&
        !IsOneOf(setting.key, StricterInMypy())) {
      facts.insert(absl::StrCat(where, " is on"));
    }
    if (mypy && setting.key == "strict_optional" && !IsTrue(setting.value)) {
      facts.insert(absl::StrCat(where, " is off"));
    }
    if (mypy && (setting.key == "disable_error_code" || setting.key == "follow_imports" ||
                 setting.key == "always_true" || setting.key == "always_false" ||
                 setting.key == "plugins")) {
      for (const std::string& word : SettingWords(setting.value)) {
        if (word != "normal") facts.insert(absl::StrCat(where, " has ", word));
      }
    }
    if (mypy && setting.key == "enable_error_code") {
      for (const std::string& word : SettingWords(setting.value)) {
        facts.erase(absl::StrCat("mypy: ", word, " is not enabled"));
      }
    }
    if (setting.section == "[tool.pyright]") {
      if (setting.key == "typeCheckingMode" && absl::StrContains(setting.value, "strict")) {
        facts.erase("pyright: typeCheckingMode is not strict");
      }
      if (absl::StartsWith(setting.key, "report") && !absl::StrContains(setting.value, "error") &&
          !IsTrue(setting.value)) {
        facts.insert(absl::StrCat(where, " is ", setting.value));
      }
      if (setting.key == "typeCheckingMode" && absl::StrContains(setting.value, "off")) {
        facts.insert("pyright: typeCheckingMode is off");
      }
    }
    const bool pytest = absl::StrContains(setting.section, "pytest");
    if (pytest && (setting.key == "python_files" || setting.key == "python_classes" ||
                   setting.key == "python_functions" || setting.key == "collect_ignore")) {
      facts.insert(absl::StrCat("pytest: ", setting.key, " is ", setting.value));
    }
    if (setting.key == "addopts") {
      for (const std::string& word : SettingWords(setting.value)) {
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
  for (const auto& item : json.items()) {
    if (!absl::StartsWith(item.key(), "report")) continue;
    const Json& value = item.value();
    if (value == "error" || value == true) continue;
    facts.insert(absl::StrCat(item.key(), " is ", DumpJson(value)));
  }
  return facts;
}

// Properties of MSBuild, wherever they stand.
Facts OfMsBuild(absl::string_view text) {
  static const RE2* const kProperty = new RE2(
      R"((?s)<(NoWarn|WarningsNotAsErrors|TreatWarningsAsErrors|Nullable|WarningsAsErrors|MSBuildTreatWarningsAsErrors)\b[^>]*>(.*?)</)");
  Facts facts = {"TreatWarningsAsErrors is not on", "Nullable is not on"};
  re2::StringPiece rest(text.data(), text.size());
  std::string name;
  std::string value;
  while (RE2::FindAndConsume(&rest, *kProperty, &name, &value)) {
    absl::StripAsciiWhitespace(&value);
    if (name == "NoWarn" || name == "WarningsNotAsErrors") {
      for (const std::string& code : SettingWords(value))
        facts.insert(absl::StrCat(name, " has ", code));
    } else if (name == "TreatWarningsAsErrors" && IsTrue(value)) {
      facts.erase("TreatWarningsAsErrors is not on");
    } else if (name == "Nullable" && value == "enable") {
      facts.erase("Nullable is not on");
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
  for (const IniSetting& setting : IniSettings(text)) {
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
  for (const IniSetting& setting : IniSettings(text)) {
    const std::string value = absl::AsciiStrToLower(setting.value);
    if (absl::EndsWith(setting.key, ".severity") &&
        (value == "none" || value == "silent" || value == "suggestion")) {
      facts.insert(absl::StrCat(setting.section, " ", setting.key, " is ", value));
    }
    if (setting.key == "generated_code" && value == "true") {
      facts.insert(absl::StrCat(setting.section, " generated_code is true"));
    }
  }
  return facts;
}

}  // namespace

std::set<std::string> LooseSettings(absl::string_view path, absl::string_view text) {
  const std::string name = BaseName(path);
  if (GlobMatch("tsconfig*.json", name) || name == "jsconfig.json") return OfTypeScript(text);
  if (name == "pyrightconfig.json") return OfPyright(text);
  if (IsOneOf(name, {"mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml", "pytest.ini",
                     ".pytest.ini", "tox.ini"})) {
    return OfPython(text);
  }
  if (GlobMatch("*.{csproj,props,targets}", name)) return OfMsBuild(text);
  if (name == "pom.xml") return OfMaven(text);
  if (HoldsWarningFlags(name)) return OfCompilerFlags(text);
  if (name == "Cargo.toml" || path == ".cargo/config.toml" || path == ".cargo/config" ||
      absl::EndsWith(path, "/.cargo/config.toml") || absl::EndsWith(path, "/.cargo/config")) {
    return OfCargo(text);
  }
  if (name == ".editorconfig" || name == ".globalconfig") return OfEditorConfig(text);
  return {};
}

bool IsOnlyADifference(absl::string_view fact) {
  return absl::StartsWith(fact, kExtends) || absl::StartsWith(fact, "pytest: ") ||
         fact == "skipLibCheck is on";
}

}  // namespace stile
