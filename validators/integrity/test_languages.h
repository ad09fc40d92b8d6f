// The languages that this room knows, one class and one file each. Only the table in
// test_language.cc names them; everything else asks FindTestLanguage.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_LANGUAGES_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_LANGUAGES_H_

#include "validators/integrity/test_language.h"

namespace stile {

// Each lives as long as the process.
const TestLanguage* CLanguage();
const TestLanguage* CppLanguage();
const TestLanguage* CSharpLanguage();
const TestLanguage* GoLanguage();
const TestLanguage* JavaLanguage();
const TestLanguage* JavaScriptLanguage();
const TestLanguage* PythonLanguage();
const TestLanguage* RustLanguage();
const TestLanguage* TypeScriptLanguage();

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_LANGUAGES_H_
