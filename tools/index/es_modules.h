// Which file an import of ECMAScript takes a name from.
#ifndef STILE_TOOLS_INDEX_ES_MODULES_H_
#define STILE_TOOLS_INDEX_ES_MODULES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "tools/index/symbol_query.h"

namespace stile {

// The module of the list of names that the offset lies in: `./order.js` in `import { Order } from
// "./order.js"`, and of `export { … } from`, too; "" elsewhere.
absl::string_view ModuleOfName(absl::string_view text, uint32_t offset);

// Follows relative modules, through files that hand a name on, to the declarations of a name.
// Holds a reference to the resolution. Not thread-safe.
class ModuleResolver {
 public:
  // `name` is what the targets of the resolution, symbols outside of types, are called.
  ModuleResolver(const Resolution& resolution, std::string name)
      : resolution_(resolution), name_(std::move(name)) {}

  // Whether the name in the list of names at `offset` is a target: false if it is another
  // declaration; nullopt if that cannot be told (packages, `export *`, languages without modules).
  std::optional<bool> IsTarget(const SourceFile& file, uint32_t offset);

 private:
  std::optional<bool> FromModule(const SourceFile& file, absl::string_view module, int depth);
  const SourceFile* Find(const std::string& importer, absl::string_view module) const;

  const Resolution& resolution_;
  const std::string name_;
  std::map<std::pair<std::string, std::string>, std::optional<bool>> known_;  // by file and module
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_ES_MODULES_H_
