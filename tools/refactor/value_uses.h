// Where values go whose keys a rename changes because one of these places asks for it.
#ifndef STILE_TOOLS_REFACTOR_VALUE_USES_H_
#define STILE_TOOLS_REFACTOR_VALUE_USES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/refactor/error_attribution.h"
#include "tools/refactor/rename_candidate.h"

namespace stile {

struct ValueUse {
  std::shared_ptr<const SourceFile> file;  // before the rename
  uint32_t begin = 0;
};

// Not thread-safe.
class ValueUses {
 public:
  // A value of the file that an error blames for its keys.
  void Note(const std::shared_ptr<const SourceFile>& file, const NamedValue& value);

  // Of values with a key that is renamed, the places without such an error: code there may read the
  // old key, and no compiler says so if the key is optional.
  std::vector<ValueUse> Unblamed(const std::vector<RenameCandidate>& candidates) const;

 private:
  using Place = std::pair<std::string, uint32_t>;
  struct Use {
    std::shared_ptr<const SourceFile> file;
    std::set<Place> keys;  // of the value
  };
  std::map<Place, Use> uses_;
  std::set<Place> blamed_;
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_VALUE_USES_H_
