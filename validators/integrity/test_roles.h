// What the nodes and names of test code mean, as tables over all grammars. What differs between
// languages is in test_language.h.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_ROLES_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_ROLES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"

namespace stile {

class TestLanguage;

enum class NodeRole : uint8_t {
  kNone,
  kFunction,  // a named function or method
  kLambda,    // a function without a name
  kClass,     // a type or module that holds functions
  kCall,      // also a call of a macro
  kBlock,     // its children are statements in order
  kIf,
  kLoop,
  kTry,
  kCatch,
  kElse,
  kLeave,    // return, throw, break, continue
  kThrow,    // a kLeave that fails the test
  kAssert,   // an assertion of the language itself
  kString,   // one token, whatever is in it
  kLiteral,  // numbers, characters, true, none
  kComment,
  kMarker,           // decorator, annotation, attribute
  kConditionalText,  // #if
};

// By TSSymbol of the grammar. Computed once a grammar; thread-safe.
const std::vector<NodeRole>& NodeRoles(const Grammar& grammar);

// How much a comparison tells of a value.
enum class Strength : uint8_t {
  kVacuous,  // holds always
  kWeak,     // is there, is true, is not something
  kPartial,  // contains, is less than, is near
  kExact,    // equals
};

// What the name of a matcher ("assertEqual", "toBeTruthy", "EXPECT_NEAR") says. kVacuous for names
// that compare nothing by themselves (assertTrue, REQUIRE): the argument tells.
Strength StrengthOfMatcher(absl::string_view name);

// Whether the matcher compares with a tolerance: its last number is one.
bool IsNearMatcher(absl::string_view name);

// Whether a higher number makes the named tolerance tighter (places=7, toBeCloseTo(x, 5)).
bool CountsDigits(absl::string_view name);

// Whether `head.….last(…)` is an assertion in code of the language. `head` is the first name of the
// chain, `last` the last one.
bool IsAssertionCall(const TestLanguage& language, absl::string_view head, absl::string_view last);

// Whether `last` fails a test by being reached: t.Errorf, Assert.Fail, FAIL(), panic!.
bool IsFailureCall(const TestLanguage& language, absl::string_view head, absl::string_view last);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_ROLES_H_
