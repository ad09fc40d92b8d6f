// stile.yaml, the settings of the repository or the user.
#include "agents/api/config.h"

#include "absl/strings/match.h"
#include "agents/api/catalog.h"
#include "runtime/base/check.h"
#include "runtime/base/yaml.h"
#include "runtime/tool/permissions.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto yaml = stile::ParseYaml(stile::FuzzInput(data, size).rest(), "stile.yaml");
  if (!yaml.ok()) return 0;
  stile::Config config;
  const absl::Status status = stile::ApplyConfigYaml(*yaml, &config);
  if (!status.ok()) {
    STILE_CHECK(absl::StrContains(status.message(), "stile.yaml"));
    return 0;
  }
  STILE_CHECK(stile::CheckPermissionRules(config.permissions).ok());
  STILE_CHECK(config.gate.max_failures >= 1);
  if (!config.languages.empty()) stile::LoadLanguages(config).IgnoreError();
  return 0;
}
