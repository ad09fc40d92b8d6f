// The edits that make each test of one file fail, and what languages need to find their places.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_PLANTER_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_PLANTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "validators/integrity/failing_statements.h"
#include "validators/integrity/test_code.h"
#include "validators/integrity/test_units.h"

namespace stile {

// Not thread-safe.
class TestPlanter {
 public:
  // Both outlive it.
  TestPlanter(const TestCode& code, const FileTests& tests)
      : code_(code), tests_(tests), statements_(code) {}

  const TestCode& code() const { return code_; }
  const FileTests& tests() const { return tests_; }
  const FailingStatements& statements() const { return statements_; }

  // ---- edits ----

  void Insert(size_t at, const std::string& text) { Replace(at, at, text); }
  // Of edits that overlap the first one stays, so that no text is torn.
  void Replace(size_t begin, size_t end, const std::string& text);
  void DropEdits() { edits_.clear(); }
  bool has_edits() const { return !edits_.empty(); }
  std::string WithEdits() const;

  // ---- places ----

  // The last argument of a call that is a function; 0 if none is.
  uint32_t LastFunctionOf(uint32_t call) const;
  std::vector<uint32_t> ReturnsIn(uint32_t body) const;
  // Of a `return`; "" if it has none.
  std::string ValueOf(uint32_t leave) const;
  bool EndsByLeaving(uint32_t body) const;
  // Whether the body is that of a generator.
  bool Yields(uint32_t body) const;

  // ---- places and edits ----

  // A block in braces: behind its last statement, and before each return. False if it is none.
  bool PlantInBlock(uint32_t body, const std::string& failing);
  // exit(status): with the expression `failing` before the status, or with status 1 if that is
  // empty. `discard` makes a statement of the status: "(void)".
  void PlantInExit(uint32_t call, const std::string& failing, absl::string_view discard);

 private:
  std::vector<uint32_t> OwnNodes(uint32_t body) const;

  const TestCode& code_;
  const FileTests& tests_;
  const FailingStatements statements_;
  std::map<size_t, std::pair<size_t, std::string>> edits_;  // begin, end, text
};

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_PLANTER_H_
