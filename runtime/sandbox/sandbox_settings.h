#ifndef STILE_RUNTIME_SANDBOX_SANDBOX_SETTINGS_H_
#define STILE_RUNTIME_SANDBOX_SANDBOX_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace stile {

// `sandbox:` of the configuration. Paths are absolute or begin with "~/".
struct SandboxSettings {
  // kAuto: where it can be had, else without, which the certificate says.
  enum class Mode { kAuto, kRequired, kOff } mode = Mode::kAuto;
  bool network = false;                  // for the model's commands; validators have their own rule
  std::vector<std::string> read;         // more to be seen
  std::vector<std::string> write;        // more to be written
  std::vector<std::string> environment;  // variables that are handed on though they look secret
  int64_t memory_mb = 0;                 // 0: three quarters of the machine's
  int processes = 500;
  int64_t disk_mb = 20'000;
};

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_SANDBOX_SETTINGS_H_
