#ifndef STILE_TESTS_SUPPORT_SHIPPED_LANGUAGES_H_
#define STILE_TESTS_SUPPORT_SHIPPED_LANGUAGES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/language/language.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/source_folder.h"

namespace stile {

// The files of agents/languages as they lie in the checkout. Header-only: only tests of rooms that
// use runtime/language may include it.
inline LanguageRegistry LanguagesOfThisRepository() {
  std::vector<LanguageRegistry::Source> sources;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceFolder() + "/agents/languages")) {
    const std::string path = entry.path().string();
    sources.push_back({path, DiskFileSystem()->ReadFile(path, size_t{1} << 20).value()});
  }
  return LanguageRegistry::Load(sources).value();
}

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_SHIPPED_LANGUAGES_H_
