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

namespace stile {
namespace {

using Facts = std::set<std::string>;

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
        "checkJs"}) {
    if (!is_on(key, false)) facts.insert(absl::StrCat(key, " is not on"));
  }
  if (is_on("noCheck", false)) facts.insert("noCheck is on");
  return facts;
}

struct Setting {
  std::string section;
  std::string key;
  std::string value;
};

// "key = value" lines of INI and TOML files; a value goes on in indented lines and in brackets.
std::vector<Setting> SettingsOf(absl::string_view text) {
  std::vector<Setting> settings;
  std::string section;
  for (absl::string_view line : SplitLines(text)) {
    const absl::string_view bare = absl::StripAsciiWhitespace(line);
    if (bare.empty() || bare[0] == '#' || bare[0] == ';') continue;
    const size_t equals = bare.find_first_of("=:");
    const bool goes_on = line[0] == ' ' || line[0] == '\t' || equals == absl::string_view::npos;
    if (bare[0] == '[' && bare.back() == ']' && line[0] == '[') {
      section = std::string(bare);
    } else if (!goes_on) {
      settings.push_back({section, std::string(absl::StripAsciiWhitespace(bare.substr(0, equals))),
                          std::string(absl::StripAsciiWhitespace(bare.substr(equals + 1)))});
    } else if (!settings.empty()) {
      absl::StrAppend(&settings.back().value, " ", bare);
    }
  }
  return settings;
}

bool IsTrue(absl::string_view value) {
  const std::string lower = absl::AsciiStrToLower(value.substr(0, 4));
  return lower == "true" || lower == "yes" || lower == "on" || lower == "1";
}

std::vector<std::string> Words(absl::string_view value) {
  return absl::StrSplit(value, absl::ByAnyChar(" ,;[]\"'\t"), absl::SkipEmpty());
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
                                                                     "no_implicit_reexport"};
  return *keys;
}

Facts OfPython(absl::string_view text) {
  Facts facts;
  for (absl::string_view key : StricterInMypy())
    facts.insert(absl::StrCat("mypy: ", key, " is not on"));
  facts.insert("pyright: typeCheckingMode is not strict");
  for (const Setting& setting : SettingsOf(text)) {
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
    if (mypy && setting.key == "strict_optional" && !IsTrue(setting.value)) {
      facts.insert(absl::StrCat(where, " is off"));
    }
    if (mypy && (setting.key == "disable_error_code" || setting.key == "follow_imports")) {
      for (const std::string& word : Words(setting.value)) {
        if (word != "normal") facts.insert(absl::StrCat(where, " has ", word));
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
    if (setting.key == "addopts") {
      for (const std::string& word : Words(setting.value)) {
        if (absl::StartsWith(word, "--ignore") || absl::StartsWith(word, "--deselect") ||
            word == "-k" || word == "-m" || absl::StartsWith(word, "-p")) {
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
      for (const std::string& code : Words(value)) facts.insert(absl::StrCat(name, " has ", code));
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
  return {};
}

}  // namespace stile
