// What the operations of code.refactor share: whom they ask, and how a trial of edits ends.
#ifndef STILE_TOOLS_CODE_REFACTOR_HOST_H_
#define STILE_TOOLS_CODE_REFACTOR_HOST_H_

#include <optional>

#include "absl/status/status.h"
#include "runtime/base/json.h"
#include "runtime/tool/tool.h"
#include "runtime/validation/validation_service.h"
#include "runtime/workspace/tentative_edits.h"
#include "tools/edit/trial.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"
#include "tools/resolve/resolver_pool.h"

namespace stile {

// For one call of the tool. Nothing is owned.
struct RefactorHost {
  ValidationService* service = nullptr;
  CodeIndex* index = nullptr;
  ResolverPool* resolvers = nullptr;  // may be null
  const ToolContext* context = nullptr;

  TentativeEdits NewEdits() const;
  TrialContext OracleFor(TentativeEdits* edits) const;
  // Asks the compilers about edits that go again at once.
  ProbeEdits Probe() const;
};

bool IsPreview(const Json& arguments);

// Keeps the edits if they are `applied`, else takes them back. What fails in that, or has failed
// before with `status`, is the answer; nullopt: nothing did.
std::optional<ToolResult> Settle(const absl::Status& status, bool applied, TentativeEdits* edits);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_REFACTOR_HOST_H_
