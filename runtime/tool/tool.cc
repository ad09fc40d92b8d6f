#include "runtime/tool/tool.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"

namespace stile {

ToolResult ToolResult::Success(std::string text, Json data) {
  ToolResult result;
  result.text = std::move(text);
  result.data = std::move(data);
  return result;
}

ToolResult ToolResult::Error(std::string message) {
  ToolResult result;
  result.ok = false;
  result.text = std::move(message);
  return result;
}

ToolResult ToolResult::Fatal(absl::Status status) {
  STILE_CHECK(!status.ok());
  ToolResult result;
  result.ok = false;
  result.text = std::string(status.message());
  result.fatal = std::move(status);
  return result;
}

ToolResult ToolResult::FromStatus(const absl::Status& status, absl::string_view advice) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kUnimplemented:
      return Fatal(status);
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnauthenticated:
    default:
      return Error(advice.empty() ? std::string(status.message())
                                  : absl::StrCat(status.message(), ". ", advice));
  }
}

}  // namespace stile
