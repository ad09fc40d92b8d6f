// Helpers for absl::Status, the channel for "our machinery failed". What a model should read and go
// on from is a ToolResult (runtime/tool); what is wrong with the user's code is a Diagnostic
// (runtime/gate). The three are never mixed.
#ifndef STILE_RUNTIME_BASE_STATUS_H_
#define STILE_RUNTIME_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// The same code with `context + ": "` before the message. OK stays OK.
absl::Status WithContext(const absl::Status& status, absl::string_view context);

// The status for a failed system call: code from `error_number`, message
// "cannot <action> <path>: <strerror>".
absl::Status ErrnoStatus(int error_number, absl::string_view action, absl::string_view path);

}  // namespace stile

#define STILE_RETURN_IF_ERROR(expression)                                                  \
  do {                                                                                     \
    if (absl::Status stile_status = (expression); !stile_status.ok()) return stile_status; \
  } while (false)

#define STILE_STATUS_CONCAT_INNER(a, b) a##b
#define STILE_STATUS_CONCAT(a, b) STILE_STATUS_CONCAT_INNER(a, b)

// STILE_ASSIGN_OR_RETURN(auto value, Function()): declares `value`, or returns the error.
#define STILE_ASSIGN_OR_RETURN(declaration, expression) \
  STILE_ASSIGN_OR_RETURN_IMPL(STILE_STATUS_CONCAT(stile_or_, __LINE__), declaration, expression)
#define STILE_ASSIGN_OR_RETURN_IMPL(name, declaration, expression) \
  auto name = (expression);                                        \
  if (!name.ok()) return std::move(name).status();                 \
  declaration = *std::move(name)

#endif  // STILE_RUNTIME_BASE_STATUS_H_
