// Scripts and settings that decide which tests run and whether their failure is seen: recipes with
// `|| true`, WILL_FAIL, NDEBUG, filters, preloads.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_SCRIPTS_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_SCRIPTS_H_

#include <set>
#include <string>
#include <vector>

#include "runtime/validation/weakening.h"

namespace stile {

// Whether the file can decide about tests though it is neither code nor a build file.
bool IsTestScript(const std::string& path);

// What the change of one file hides. A recipe or script that is new hides nothing.
std::vector<Weakening> CompareTestScripts(const ContentPair& change);

// Names of tests that build files declared before and declare no longer, and whose programs are not
// built any more, or run in another test.
std::set<std::string> ScriptTestsTakenOut(const std::vector<ContentPair>& changes);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_SCRIPTS_H_
