// YAML, plain and as front matter.
#include "runtime/base/yaml.h"

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"

namespace stile {
namespace {

void Read(const Yaml& yaml) {
  yaml.AsString().IgnoreError();
  yaml.AsInt().IgnoreError();
  yaml.AsNumber().IgnoreError();
  yaml.AsBool().IgnoreError();
  yaml.AsStringList().IgnoreError();
  for (const Yaml& item : yaml.items) Read(item);
  for (const Yaml::Entry& entry : yaml.keys) Read(entry.second);
}

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = stile::FuzzInput(data, size).rest();
  const auto yaml = stile::ParseYaml(text, "seed.yaml");
  if (yaml.ok()) {
    stile::Read(*yaml);
    STILE_CHECK(stile::ParseJson(stile::DumpJson(yaml->AsJson())).ok());
    stile::CheckKeys(*yaml, {"name", "steps"}).IgnoreError();
  } else {
    STILE_CHECK(absl::StrContains(yaml.status().message(), "seed.yaml"));
  }
  stile::ParseFrontMatter(text, "seed.md").IgnoreError();
  return 0;
}
