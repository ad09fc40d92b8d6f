// The constructs with which a language turns code off: one class a kind of construct.
#ifndef STILE_VALIDATORS_INTEGRITY_CONDITION_SYNTAX_H_
#define STILE_VALIDATORS_INTEGRITY_CONDITION_SYNTAX_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/grammar.h"
#include "runtime/validation/build_switch.h"
#include "runtime/validation/conditional_code.h"

namespace stile {

struct ConditionedFile {
  const std::string& path;
  absl::string_view text;
  const Grammar* grammar;  // null if there is none for the file
};

// See ConditionFinder for what the methods return. Immutable; thread-safe; lives as long as the
// process.
class ConditionSyntax {
 public:
  virtual ~ConditionSyntax() = default;
  virtual std::vector<ConditionalRegion> Find(const ConditionedFile& file) const;
  virtual std::vector<BuildSwitches> Ways(absl::string_view text,
                                          const ConditionalRegion& region) const;
  virtual std::vector<BuildSwitches> WaysIntoFile(absl::string_view text) const;
  virtual std::string Set(const std::string& path, absl::string_view text,
                          const BuildSwitches& switches) const;
  // Whether regions say what has to hold for them.
  virtual bool TellsConditions() const { return false; }
};

// #if and #ifdef. Macros are switches; a file can set them itself.
const ConditionSyntax* PreprocessorConditions();
// #[cfg(…)]
const ConditionSyntax* AttributeConditions();
// What type checkers may skip (python_regions.h).
const ConditionSyntax* CheckerConditions();
// "//go:build …" above a whole file.
const ConditionSyntax* FileConditions();

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CONDITION_SYNTAX_H_
