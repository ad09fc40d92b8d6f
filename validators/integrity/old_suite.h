// Which changed files belong to the tests, and the tests as they were.
#ifndef STILE_VALIDATORS_INTEGRITY_OLD_SUITE_H_
#define STILE_VALIDATORS_INTEGRITY_OLD_SUITE_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/language/language.h"
#include "runtime/validation/old_suite.h"
#include "runtime/validation/weakening.h"

namespace stile {

// See WeakeningDetector::FindOldSuite. Data belongs to the tests if it lies among them, or if test
// code names it and no other code does.
OldSuite ReadOldSuite(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
                      const std::vector<TextsByPath>& at_failures, const WorkspaceFiles& files);

// See WeakeningDetector::WithoutTestAt.
std::optional<OldSuite::Cut> TextWithoutTestAt(const LanguageRegistry& languages,
                                               const std::string& path, const std::string& text,
                                               int line);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_OLD_SUITE_H_
