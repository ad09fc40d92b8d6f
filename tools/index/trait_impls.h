// Whether a method belongs to a trait: Rust gives types methods in `impl T {}` and in
// `impl Trait for T {}`, and both may have one of the same name.
#ifndef STILE_TOOLS_INDEX_TRAIT_IMPLS_H_
#define STILE_TOOLS_INDEX_TRAIT_IMPLS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/symbol_query.h"

namespace stile {

// Parses a file when it is asked about one of its methods for the first time. Not thread-safe.
class TraitImpls {
 public:
  // The last component of the trait that declares the method, or whose `impl` defines it. "" for
  // methods that a type has by itself, and in languages without such blocks.
  std::string TraitOf(const Declaration& method);
  // The same of the `trait` or `impl` block around an offset.
  std::string TraitAt(const SourceFile& file, uint32_t offset);

 private:
  struct Block {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::string trait;
  };
  const std::vector<Block>& BlocksOf(const SourceFile& file);

  std::map<const SourceFile*, std::vector<Block>> blocks_;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_TRAIT_IMPLS_H_
