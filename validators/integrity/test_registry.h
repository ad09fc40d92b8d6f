// Which functions of a file a test runner finds, by their name or by a reference, and its names.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_REGISTRY_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_REGISTRY_H_

#include <string>

#include "validators/integrity/test_code.h"
#include "validators/integrity/test_units.h"

namespace stile {

// Sets TestUnit::is_referenced.
void NoteReferences(const TestCode& code, FileTests* tests);

// Python: tests whose name a later one takes, `test_a = None`, `__test__ = False`.
void NoteShadowed(const TestCode& code, FileTests* tests);

// The last name of a test as runners report it: without quotes and the suite of a macro.
std::string NameInReports(const TestUnit& unit);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_REGISTRY_H_
