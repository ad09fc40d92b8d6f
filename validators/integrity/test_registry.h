// Which functions of a file a test runner finds: by their name, or by a reference.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_REGISTRY_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_REGISTRY_H_

#include "validators/integrity/test_code.h"
#include "validators/integrity/test_units.h"

namespace stile {

// Sets TestUnit::is_referenced.
void NoteReferences(const TestCode& code, FileTests* tests);

// Python: tests whose name a later one takes, `test_a = None`, `__test__ = False`.
void NoteShadowed(const TestCode& code, FileTests* tests);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_REGISTRY_H_
