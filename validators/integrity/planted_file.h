// Test files in which every test has to fail.
#ifndef STILE_VALIDATORS_INTEGRITY_PLANTED_FILE_H_
#define STILE_VALIDATORS_INTEGRITY_PLANTED_FILE_H_

#include <optional>
#include <string>

#include "runtime/language/language.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Whether files of this path can have tests that failing statements are known for.
bool CanHoldTests(const LanguageRegistry& languages, const std::string& path);

// A failing statement stands at each end of a test: behind its last statement and before each
// return. So all code that the test runs through has run by then, what would end the process or
// write a report included. A test that expects a failure returns at once instead. nullopt where
// there is no test, or no place in any of them.
std::optional<PlantedFile> PlantFailuresIn(const LanguageRegistry& languages,
                                           const std::string& path, const std::string& text);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_PLANTED_FILE_H_
