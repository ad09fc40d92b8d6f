// Parts of symbols.cc that stand alone: names that are paths, what stands before a declaration.
#ifndef STILE_RUNTIME_SYNTAX_SYMBOL_PARTS_H_
#define STILE_RUNTIME_SYNTAX_SYMBOL_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/symbol_captures.h"

namespace stile {

absl::string_view TextIn(ByteRange range, absl::string_view text);

// A name without type arguments, its components joined with ".": "outer::Foo<T>::Bar[K]" →
// "outer.Foo.Bar"; of several words the last: "*Server", "dyn Trait". What is longer than a
// kilobyte is cut, so that nested declarations with long names do not multiply.
std::string PathOf(absl::string_view written);
std::string JoinPath(const std::string& outer, const std::string& inner);

// What stands before declarations: attributes that belong to them and comments that document them.
class DeclarationPrefixes {
 public:
  // Both must outlive it.
  DeclarationPrefixes(const std::vector<SymbolCaptures::Prefix>& prefixes, absl::string_view text)
      : prefixes_(prefixes), text_(text) {}

  struct Found {
    uint32_t begin = 0;  // of the declaration with its attributes
    ByteRange doc;
  };
  Found Before(uint32_t begin);

 private:
  bool IsNear(uint32_t end, uint32_t at) const;
  bool BeginsLine(uint32_t at) const;

  const std::vector<SymbolCaptures::Prefix>& prefixes_;
  absl::string_view text_;
  uint32_t last_begin_ = UINT32_MAX;
  Found last_{};
};

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SYMBOL_PARTS_H_
