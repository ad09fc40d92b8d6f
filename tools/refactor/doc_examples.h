// Calls in examples of documentation that are compiled and run as tests (Rust).
#ifndef STILE_TOOLS_REFACTOR_DOC_EXAMPLES_H_
#define STILE_TOOLS_REFACTOR_DOC_EXAMPLES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/validation/doc_example.h"
#include "tools/index/symbol_query.h"

namespace stile {

// The example that the name at the offset stands in, or, where it is in a text of an attribute such
// as `#[doc = concat!("…")]`, those of the project: a macro may make one of it.
std::optional<DocExample> DocExampleAt(const SourceFile& file, uint32_t offset);

// All examples that may name the symbol, those included that macros and other files make:
// `#![doc = include_str!("a.md")]`. `files` hold the name.
std::set<DocExample> FindDocExamples(const std::string& name,
                                     const std::vector<std::shared_ptr<const SourceFile>>& files,
                                     CodeIndex* index);

// A syntax tree does not look into comments. The types that an example names for the receiver of a
// call tell which member is called. Any other name means the symbol if the example imports it from
// the crate.
class DocExamples {
 public:
  // `crate`: the name by which examples import the symbol.
  DocExamples(const Resolution& symbol, std::string crate);

  // Offsets at which an example of the file means the symbol, as far as the example tells.
  std::vector<uint32_t> UsesIn(const SourceFile& file) const;
  // Whether the name at the offset stands in an example and means something else, or may.
  bool IsOther(const SourceFile& file, uint32_t offset) const;

 private:
  enum class Meaning { kUnknown, kSymbol, kOther };
  Meaning MeaningOf(const SourceFile& file, uint32_t offset) const;
  Meaning MeaningOfCall(absl::string_view example, absl::string_view before,
                        absl::string_view behind) const;
  Meaning MeaningOfName(absl::string_view example, absl::string_view before) const;
  // By the types that a text names; kUnknown: it names none that matters.
  Meaning ByTypes(absl::string_view text) const;
  // Whether a `use` of the example takes the name from the crate.
  bool Imports(absl::string_view example, absl::string_view name) const;

  const std::string crate_;
  std::string name_;  // "": the language has no such examples
  bool is_member_ = false;
  std::set<std::string> types_;   // that have the member
  std::set<std::string> others_;  // that have another member of the name
  std::string trait_;             // that declares it; "": none
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DOC_EXAMPLES_H_
