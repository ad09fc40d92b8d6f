// Where a compiler of Rust warns of uses of a deprecated symbol, and where it is silent.
#ifndef STILE_TOOLS_REFACTOR_WARNED_CODE_H_
#define STILE_TOOLS_REFACTOR_WARNED_CODE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/syntax/syntax_tree.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// Tells where rustc reports uses of a deprecated symbol. Parses a file when it is asked about it
// for the first time. Not thread-safe.
class WarnedCode {
 public:
  // Files that the compiler read. It is silent in all others.
  void AddRead(const std::vector<std::string>& paths) { read_.insert(paths.begin(), paths.end()); }
  // The compiler also compiled code behind `#[cfg(feature = "…")]`. Call this before IsSilentAt.
  void SetHasAllFeatures() { has_all_features_ = true; }
  // The bytes of a symbol that is marked: it is silent within.
  void AddMarked(const std::string& path, uint32_t begin, uint32_t end) {
    marked_[path].push_back({begin, end});
  }

  // Whether rustc reports no use at the offset: it did not read the file, or the code is in a
  // marked symbol, in the definition of a macro, or behind `#[cfg(…)]` of more than features.
  bool IsSilentAt(const SourceFile& file, uint32_t offset);
  // Whether the offset is in the definition of a macro.
  static bool IsInMacro(const SourceFile& file, uint32_t offset);
  // Whether the place is in the arguments of a macro of the standard library, which are
  // expressions: the compiler warns there.
  bool IsInKnownMacro(const SourceFile& file, uint32_t offset);

 private:
  struct Parsed {
    std::optional<SyntaxTree> tree;                          // nullopt: it cannot be parsed
    std::vector<std::pair<uint32_t, uint32_t>> conditional;  // behind `#[cfg(…)]`
  };
  Parsed& ParsedOf(const SourceFile& file);

  std::set<std::string> read_;
  bool has_all_features_ = false;
  std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>> marked_;  // by path
  std::map<std::string, Parsed> parsed_;                                      // by path
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_WARNED_CODE_H_
