// .gitignore files. The first line is the path that is asked about.
#include "runtime/workspace/ignore_rules.h"

#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "runtime/workspace/ignore_pattern.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const std::string path(input.TakeLine());
  const std::string text(input.rest());
  const size_t slash = path.find('/');
  const std::string folder = slash == std::string::npos ? "sub" : path.substr(0, slash);
  for (const auto& rules : {stile::IgnoreRules::FromTexts({{".", text}}, {}),
                            stile::IgnoreRules::FromTexts({{".", text}, {folder, text}}, {})}) {
    rules.IsIgnoredFile(path);
    if (rules.CanSkipFolder(folder)) {
      STILE_CHECK(rules.IsIgnoredFile(folder + "/inside.txt"));
    }
  }
  const auto tracking = stile::IgnoreRules::FromTexts({{".", text}}, {path});
  STILE_CHECK(!tracking.IsIgnoredFile(path));
  const absl::string_view pattern = input.TakeLine();
  STILE_CHECK(stile::WildMatch("*", path, /*path_mode=*/false));
  stile::WildMatch(pattern, path, /*path_mode=*/true);
  stile::GlobMatch(pattern, path);
  return 0;
}
