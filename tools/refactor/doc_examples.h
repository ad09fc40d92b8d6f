// Calls in examples of documentation that are compiled and run as tests (Rust).
#ifndef STILE_TOOLS_REFACTOR_DOC_EXAMPLES_H_
#define STILE_TOOLS_REFACTOR_DOC_EXAMPLES_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/index/symbol_query.h"

namespace stile {

// A syntax tree does not look into comments: what a call means is told by the types that the
// example names for its receiver.
class DocExamples {
 public:
  // Of a member, which must outlive it. Others find no calls.
  explicit DocExamples(const Resolution& member);

  // Offsets at which an example of the file calls the member, as far as the example tells.
  std::vector<uint32_t> CallsIn(const SourceFile& file) const;
  // Whether the name at the offset is called in an example, and is another member or may be.
  bool IsOther(const SourceFile& file, uint32_t offset) const;

 private:
  enum class Meaning { kNoCall, kMember, kOther };
  Meaning MeaningOf(const SourceFile& file, uint32_t offset) const;
  // By the types that a text names; kNoCall: it names none that matters.
  Meaning ByTypes(absl::string_view text) const;

  std::string name_;              // "": no member
  std::set<std::string> types_;   // that have the member
  std::set<std::string> others_;  // that have another member of the name
  std::string trait_;             // that declares it; "": none
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DOC_EXAMPLES_H_
