#include "validators/integrity/strict_settings.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "runtime/base/ini_settings.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/msbuild_properties.h"
#include "validators/integrity/warning_flags.h"

namespace stile {
namespace {

using Facts = std::set<std::string>;

// [lints.rust] unsafe_code = "forbid", or {level = "deny", priority = -1}.
Facts OfCargo(absl::string_view text) {
  static const RE2* const kLevel = new RE2(R"rx("(deny|forbid|warn)")rx");
  Facts facts;
  for (const IniSetting& setting : IniSettings(text, SettingsSyntax::kToml)) {
    if (!absl::StartsWith(setting.section, "[lints") &&
        !absl::StartsWith(setting.section, "[workspace.lints")) {
      continue;
    }
    if (setting.key == "workspace" && absl::StartsWith(setting.value, "true")) {
      facts.insert("the lints of the workspace");
    }
    std::string level;
    if (RE2::PartialMatch(setting.value, *kLevel, &level)) {
      facts.insert(absl::StrCat("lint ", setting.key, " is ", level));
    }
  }
  return facts;
}

// dotnet_diagnostic.CS8602.severity = error
Facts OfEditorConfig(absl::string_view text) {
  Facts facts;
  for (const IniSetting& setting : IniSettings(text, SettingsSyntax::kEditorConfig)) {
    const std::string key = absl::AsciiStrToLower(setting.key);
    const std::string value = absl::AsciiStrToLower(setting.value);
    if (absl::EndsWith(key, ".severity") && (value == "error" || value == "warning")) {
      facts.insert(absl::StrCat(key, " is ", value));
    }
  }
  return facts;
}

// <WarningsAsErrors>CS8602</WarningsAsErrors>
Facts OfMsBuild(absl::string_view text) {
  Facts facts;
  for (const auto& [name, value] : MsBuildProperties(text)) {
    if (name == "WarningsAsErrors") {
      for (const std::string& code : SettingWords(value)) {
        facts.insert(absl::StrCat(name, " has ", code));
      }
    } else if (name == "MSBuildTreatWarningsAsErrors" && absl::AsciiStrToLower(value) == "true") {
      facts.insert(absl::StrCat(name, " is on"));
    }
  }
  return facts;
}

// #![deny(warnings)], #![forbid(unsafe_code)]
Facts OfRust(absl::string_view text) {
  static const RE2* const kLint = new RE2(R"((?m)^\s*#!\[\s*(deny|forbid)\s*\(([^)]*)\)\s*\])");
  Facts facts;
  re2::StringPiece rest(text.data(), text.size());
  std::string level;
  std::string lints;
  while (RE2::FindAndConsume(&rest, *kLint, &level, &lints)) {
    for (const std::string& lint : SettingWords(lints)) {
      facts.insert(absl::StrCat("#![", level, "(", lint, ")]"));
    }
  }
  return facts;
}

}  // namespace

std::set<std::string> StrictSettings(absl::string_view path, absl::string_view text) {
  const std::string name = BaseName(path);
  if (HoldsWarningFlags(name)) return StrictWarningFlags(text);
  if (name == "Cargo.toml") return OfCargo(text);
  if (name == ".editorconfig" || name == ".globalconfig") return OfEditorConfig(text);
  if (GlobMatch("*.{csproj,props,targets}", name)) return OfMsBuild(text);
  if (absl::EndsWith(name, ".rs")) return OfRust(text);
  return {};
}

}  // namespace stile
