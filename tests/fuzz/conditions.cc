// Conditions of code, a line each: what to set so that all of them hold. The first byte says whose.
#include <string>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "tests/fuzz/fuzz_input.h"
#include "validators/integrity/condition_ways.h"

namespace {

std::vector<stile::BuildSwitches> Ways(size_t language, const std::vector<std::string>& lines) {
  if (language == 0) return stile::WaysOfMacros(lines);
  if (language == 1) return stile::WaysOfCfg(lines);
  return stile::WaysOfGoConstraint(lines.empty() ? "" : lines.front());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const size_t language = input.TakeChoice(3);
  std::vector<std::string> lines;
  for (const absl::string_view line : stile::SplitLines(input.rest())) lines.emplace_back(line);
  const std::vector<stile::BuildSwitches> ways = Ways(language, lines);
  STILE_CHECK(ways.size() <= 3);
  for (const stile::BuildSwitches& way : ways) {
    STILE_CHECK(!way.empty());
    STILE_CHECK(stile::JoinSwitches(way, way) == way);
    STILE_CHECK(!stile::BuildSwitchText(way).empty());
  }
  return 0;
}
