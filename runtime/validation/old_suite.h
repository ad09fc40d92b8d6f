// The tests that a run found, prepared for a run on the code that it leaves.
#ifndef STILE_RUNTIME_VALIDATION_OLD_SUITE_H_
#define STILE_RUNTIME_VALIDATION_OLD_SUITE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stile {

// Texts of changed files at one moment, by path; nullopt: absent then. A file that is not in it had
// the content of the reference.
using TextsByPath = std::map<std::string, std::optional<std::string>>;

struct OldSuite {
  // kCode: tests and what belongs to them. kData: what tests read. kSettings: build files, scripts,
  // settings, and new files that could stand in for others.
  enum class Part { kCode, kData, kSettings };
  struct File {
    std::string path;
    Part part = Part::kCode;
    // As the tests were. In code and data, expected values that changed before the tests failed
    // have their present form. nullopt: the file was not there.
    std::optional<std::string> text;
    // Without any present value.
    std::optional<std::string> old_text;
  };
  struct Test {
    std::string path;
    std::string name;       // its last name in the source, as runners report it
    bool is_gone = false;   // no present test of a changed file has the name
    std::string may_break;  // why it may fail on the changed code; "": it may not
  };
  // A file without one test or helper.
  struct Cut {
    std::string text;
    std::string name;  // of what is left out
  };
  std::vector<File> files;  // changed ones of the test side, sorted by path
  std::vector<Test> tests;  // of the changed files
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_OLD_SUITE_H_
