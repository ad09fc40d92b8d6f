// What decides, beside the system, which code is compiled: macros, features and configurations.
#ifndef STILE_RUNTIME_VALIDATION_BUILD_SWITCH_H_
#define STILE_RUNTIME_VALIDATION_BUILD_SWITCH_H_

#include <optional>
#include <string>
#include <vector>

namespace stile {

struct BuildSwitch {
  enum class Kind {
    kMacro,    // of C, C++ and C#: -DNAME=VALUE
    kFeature,  // of a Rust package: --features NAME
    kCfg,      // of rustc: --cfg NAME, or NAME="VALUE" as it stands in `name`
    kTag,      // of Go: -tags NAME
  };
  Kind kind = Kind::kMacro;
  std::string name;
  std::optional<std::string> value;  // nullopt: not set; "1" for features and configurations
  // Only another system or compiler sets it, or does not. Set here, it shows that code is right,
  // but not that it is wrong: headers of that system are missing.
  bool is_of_system = false;

  friend bool operator==(const BuildSwitch&, const BuildSwitch&) = default;
};

using BuildSwitches = std::vector<BuildSwitch>;

// As a person would give them to a compiler: "-DWITH_X=1 -UNDEBUG", "--no-default-features
// --features fast". UTF-8.
std::string BuildSwitchText(const BuildSwitches& switches);

// Both together; nullopt where they contradict each other.
std::optional<BuildSwitches> JoinSwitches(BuildSwitches a, const BuildSwitches& b);

// The arguments for cargo, without those for rustc: "--features=a,b".
std::vector<std::string> FeatureArguments(const BuildSwitches& switches);
// The tags for Go: "a,b".
std::string TagList(const BuildSwitches& switches);
// The arguments for rustc: "--cfg", "fast"; features among them if `with_features`.
std::vector<std::string> CfgArguments(const BuildSwitches& switches, bool with_features);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_BUILD_SWITCH_H_
