#include "runtime/validation/build_switch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

using Kind = BuildSwitch::Kind;

std::vector<std::string> NamesSet(const BuildSwitches& switches, Kind kind) {
  std::vector<std::string> names;
  for (const BuildSwitch& one : switches) {
    if (one.kind == kind && one.value.has_value()) names.push_back(one.name);
  }
  return names;
}

bool LeavesOutAFeature(const BuildSwitches& switches) {
  return std::any_of(switches.begin(), switches.end(), [](const BuildSwitch& one) {
    return one.kind == Kind::kFeature && !one.value.has_value();
  });
}

}  // namespace

std::string BuildSwitchText(const BuildSwitches& switches) {
  std::vector<std::string> words;
  if (LeavesOutAFeature(switches)) words.push_back("--no-default-features");
  const std::vector<std::string> features = NamesSet(switches, Kind::kFeature);
  if (!features.empty()) {
    words.push_back(absl::StrCat("--features ", absl::StrJoin(features, ",")));
  }
  const std::string tags = TagList(switches);
  if (!tags.empty()) words.push_back(absl::StrCat("-tags ", tags));
  for (const BuildSwitch& one : switches) {
    if (one.kind == Kind::kCfg && one.name == "debug_assertions") {
      words.push_back(absl::StrCat("-C debug-assertions=", one.value.has_value() ? "yes" : "no"));
    } else if (one.kind == Kind::kCfg) {
      words.push_back(absl::StrCat(one.value.has_value() ? "--cfg " : "without --cfg ", one.name));
    } else if (one.kind == Kind::kMacro) {
      words.push_back(one.value.has_value() ? absl::StrCat("-D", one.name, "=", *one.value)
                                            : absl::StrCat("-U", one.name));
    }
  }
  return ToUtf8(absl::StrJoin(words, " "));
}

std::optional<BuildSwitches> JoinSwitches(BuildSwitches a, const BuildSwitches& b) {
  for (const BuildSwitch& one : b) {
    const auto same = std::find_if(a.begin(), a.end(), [&](const BuildSwitch& other) {
      return other.kind == one.kind && other.name == one.name;
    });
    if (same == a.end()) {
      a.push_back(one);
    } else if (same->value != one.value) {
      return std::nullopt;
    }
  }
  return a;
}

std::vector<std::string> FeatureArguments(const BuildSwitches& switches) {
  std::vector<std::string> arguments;
  if (LeavesOutAFeature(switches)) arguments.push_back("--no-default-features");
  const std::vector<std::string> features = NamesSet(switches, Kind::kFeature);
  if (!features.empty()) {
    arguments.push_back(absl::StrCat("--features=", absl::StrJoin(features, ",")));
  }
  return arguments;
}

std::string TagList(const BuildSwitches& switches) {
  return absl::StrJoin(NamesSet(switches, Kind::kTag), ",");
}

std::vector<std::string> CfgArguments(const BuildSwitches& switches, bool with_features) {
  std::vector<std::string> arguments;
  for (const BuildSwitch& one : switches) {
    if (one.kind == Kind::kCfg && one.is_of_system && arguments.empty()) {
      // Newer compilers refuse it by a lint, older ones do not know the lint.
      arguments = {"-A", "unknown_lints", "-A", "explicit_builtin_cfgs_in_flags"};
    }
    if (one.kind == Kind::kCfg && one.name == "debug_assertions") {
      const char* const on = one.value.has_value() ? "yes" : "no";
      arguments.insert(arguments.end(), {"-C", absl::StrCat("debug-assertions=", on)});
      continue;
    }
    if (!one.value.has_value()) continue;
    if (one.kind == Kind::kCfg) {
      arguments.insert(arguments.end(), {"--cfg", one.name});
    } else if (one.kind == Kind::kFeature && with_features) {
      arguments.insert(arguments.end(), {"--cfg", absl::StrCat("feature=\"", one.name, "\"")});
    }
  }
  return arguments;
}

}  // namespace stile
