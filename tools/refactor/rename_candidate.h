// A place that a rename may touch.
#ifndef STILE_TOOLS_REFACTOR_RENAME_CANDIDATE_H_
#define STILE_TOOLS_REFACTOR_RENAME_CANDIDATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tools/index/references.h"
#include "tools/index/source_file.h"

namespace stile {

// One place where the old name stands and may mean the symbol.
struct RenameCandidate {
  std::shared_ptr<const SourceFile> file;
  Occurrence occurrence;
  Certainty certainty = Certainty::kLikely;
  bool is_declaration = false;
  // Another declaration of the name that is not known to be part of the symbol.
  bool is_other_declaration = false;
  bool is_unseen = false;  // … because it stands in code that is not compiled
  bool is_renamed = false;
  // A resolver told whether the place means the symbol: only the compiler may contradict.
  bool is_resolved = false;
  std::string replacement;  // of a resolver; "": the new name
  // TypeScript: the text of a string (see property_key_literals.h). Renamed where a type that only
  // the symbol's can be stands beside it, or where the compiler asks.
  bool is_text = false;
  bool may_be_key = false;     // … and a type of that name does
  bool is_of_unnamed = false;  // a method of an interface without a name
  bool is_example = false;     // in an example of documentation, which is no part of the build
  // Occurrences of one import, or of one method of an anonymous class, in one file: renamed
  // together or not at all. -1: alone.
  int group = -1;

  int line() const { return file->PlaceOf(occurrence.begin).line; }
  bool is_known() const { return is_renamed && is_resolved; }
  bool is_left_unseen() const { return is_unseen && !is_renamed; }
};

inline std::pair<std::string, uint32_t> PlaceOf(const RenameCandidate& candidate) {
  return {candidate.file->path, candidate.occurrence.begin};
}

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RENAME_CANDIDATE_H_
