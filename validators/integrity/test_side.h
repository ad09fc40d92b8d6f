// The tests of one side of a change set (before, or after), and the code that they test.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_SIDE_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_SIDE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/language/language.h"
#include "runtime/validation/weakening.h"
#include "validators/integrity/test_units.h"

namespace stile {

// An assertion that a test makes, itself or through a helper.
struct MadeAssertion {
  const TestAssertion* assertion = nullptr;
  std::string text;
  std::string dead;
  std::set<std::string> conditions;
};

struct TestPlace {
  std::string path;
  const TestUnit* unit = nullptr;
};

// Something in test code that can end or redirect a whole run: an exit, a hook.
struct TestControl {
  std::string path;
  std::string what;
  int line = 0;
  bool of_product = false;  // not in a file of tests
};

struct TestSide {
  std::map<std::string, FileTests> files;
  // By their last name: functions of test files.
  std::map<std::string, std::vector<TestPlace>> functions;
  std::vector<TestPlace> tests;  // also kFile and kHelper
  // What the code that is no test declares, by name, with a sorted bag of its tokens.
  std::map<std::string, std::vector<std::string>> symbols;
  Signatures signatures;  // of its functions
  std::vector<TestControl> controls;
  // By text and function: a skip may not move from one test to another.
  std::map<std::pair<std::string, std::string>, int> skips;
  std::map<std::string, std::string> build_constraints;  // of test files

  // Of the unit, with those of the helpers it calls.
  std::vector<MadeAssertion> Assertions(const TestPlace& place) const;
};

// Whether its path says that a file holds tests.
bool IsNamedAsTest(const LanguageRegistry& languages, const std::string& path);

TestSide ReadSide(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
                  bool after);

// The tests that the changed files held before and hold no longer.
TestsTakenOut CompareTestNames(const LanguageRegistry& languages,
                               const std::vector<ContentPair>& changes);

// What the code declared before and no longer does: a test that used it may go.
class GoneCode {
 public:
  GoneCode(const TestSide& before, const TestSide& after);
  // Names that are gone. One that only has another name now is none of them.
  bool Has(const std::string& name) const { return names_.count(name) > 0; }
  // Whether something of it is named, or called in a way that is gone.
  bool IsIn(const CodeTokens& tokens) const;
  bool IsIn(const TestUnit& unit) const;

 private:
  std::set<std::string> names_;
  GoneCalls calls_;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_SIDE_H_
