// A language file. The last line of the input is a path that is asked about.
#include "runtime/language/language.h"

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = stile::FuzzInput(data, size).rest();
  const size_t last_line = text.rfind('\n');
  const std::string path(last_line == absl::string_view::npos ? "" : text.substr(last_line + 1));
  const absl::string_view yaml = text.substr(0, last_line);
  const auto language = stile::ParseLanguage(yaml, "x.yaml");
  if (!language.ok()) {
    STILE_CHECK(absl::StrContains(language.status().message(), "x.yaml"));
    return 0;
  }
  const auto registry = stile::LanguageRegistry::Load({{"x.yaml", std::string(yaml)}});
  if (!registry.ok()) return 0;
  STILE_CHECK(registry->Find(language->id) != nullptr);
  registry->OfFile(path);
  registry->GrammarOf(path);
  registry->OfBuildFile(path);
  registry->ProjectMarksOf(path);
  const stile::ProjectFinder finder(*registry, {path});
  finder.RootOf(registry->languages()[0], path);
  for (const std::string& glob : language->test_names) stile::GlobMatch(glob, path);
  return 0;
}
