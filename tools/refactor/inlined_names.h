// Whether the names of an expression mean the same in another function.
#ifndef STILE_TOOLS_REFACTOR_INLINED_NAMES_H_
#define STILE_TOOLS_REFACTOR_INLINED_NAMES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/index/code_index.h"
#include "tools/refactor/inlined_call.h"

namespace stile {

// What the project declares under a name, looked up once.
class DeclaredNames {
 public:
  explicit DeclaredNames(CodeIndex* index) : index_(index) {}
  // Those that code of the function's language sees. The result is valid as long as this object.
  const std::vector<Declaration>& Of(const InlinedFunction& function, const std::string& name);

 private:
  CodeIndex* const index_;
  std::map<std::string, std::vector<Declaration>> known_;
};

// FailedPrecondition, with the place and the name, where a name that the function takes from
// outside means something else at the call, or may: a local or an import has it there, the file
// does not import it in the same way, or it may be a member of the function's class.
absl::Status CheckFreeNames(const InlinedFunction& function, const InlinedCall& call,
                            DeclaredNames* declared);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINED_NAMES_H_
