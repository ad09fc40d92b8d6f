// Skips of tests under every name: `from pytest import mark as m`, `later = unittest.skip`,
// `const later = it.skip`, `using Later = NUnit.Framework.IgnoreAttribute`, `#define LATER SKIP()`.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_SKIPS_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_SKIPS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "validators/integrity/test_code.h"

namespace stile {

struct TestSkip {
  std::string text;  // first line, blanks collapsed
  std::string unit;  // the function or test that it stands in; empty: a type, the file
  int line = 0;
  uint32_t begin = 0;  // bytes that it keeps from running: a test, a class, the file
  uint32_t end = 0;
  bool is_foreign = false;  // only on another platform than this one
  bool is_conditional = false;
  bool in_helper = false;  // in a function that tests call
  bool of_others = false;  // `.only`: keeps all others from running
};

// What names stand for, by file: aliases of imports and assignments.
using NameAliases = std::map<std::string, std::string>;
NameAliases ReadAliases(const TestCode& code);

// Nodes that skip, by index.
using SkipNodes = std::map<uint32_t, std::string>;

class SkipNames {
 public:
  // `modules`: aliases of the other changed files by the stem of their name.
  SkipNames(NameAliases own, const std::map<std::string, NameAliases>* modules)
      : own_(std::move(own)), modules_(modules) {}
  // The full name of a dotted one: "m.skip" is "pytest.mark.skip".
  std::string Resolve(absl::string_view name) const;
  // Every node that keeps tests from running, but definitions of aliases.
  SkipNodes Find(const TestCode& code, bool is_test) const;

 private:
  NameAliases own_;
  const std::map<std::string, NameAliases>* modules_;  // not owned; may be null
};

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_SKIPS_H_
