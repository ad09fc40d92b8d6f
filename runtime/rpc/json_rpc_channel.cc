#include "runtime/rpc/json_rpc_channel.h"

#include <utility>

#include "absl/strings/cord.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr char kErrorObject[] = "stile/rpc-error";
constexpr size_t kMaxErrorBytes = 2000;
constexpr int64_t kParseError = -32700;
constexpr int64_t kInvalidRequest = -32600;
constexpr int64_t kMethodNotFound = -32601;
constexpr int64_t kInternalError = -32603;

}  // namespace

absl::Status RpcErrorStatus(const Json& error) {
  const int64_t code = JsonInt(error, "code").value_or(0);
  const std::string message =
      ToUtf8(TruncateMiddle(JsonString(error, "message").value_or("no message"), kMaxErrorBytes));
  absl::Status status = absl::FailedPreconditionError(message);
  if (code == kMethodNotFound) status = absl::UnimplementedError(message);
  if (code == kParseError || code == kInvalidRequest) {
    status = absl::InvalidArgumentError(message);
  }
  status.SetPayload(kErrorObject, absl::Cord(DumpJson({{"code", code}, {"message", message}})));
  return status;
}

std::optional<Json> RpcErrorOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kErrorObject);
  if (!payload.has_value()) return std::nullopt;
  auto error = ParseJson(std::string(*payload));
  if (!error.ok()) return std::nullopt;
  return *std::move(error);
}

absl::StatusOr<Json> RpcResult(const Json& reply) {
  const Json* const error = JsonMember(reply, "error");
  if (error != nullptr && !error->is_null()) return RpcErrorStatus(*error);
  const Json* const result = JsonMember(reply, "result");
  return result == nullptr ? Json(nullptr) : *result;
}

Json RpcRequest(int64_t id, absl::string_view method, Json params) {
  Json message = RpcNotification(method, std::move(params));
  message["id"] = id;
  return message;
}

Json RpcNotification(absl::string_view method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", std::string(method)}};
  if (!params.is_null()) message["params"] = std::move(params);
  return message;
}

Json RpcReply(const JsonRpcHandlers& handlers, const Json& id, const std::string& method,
              const Json& params) {
  absl::StatusOr<Json> answer = handlers.on_request(method, params);
  if (answer.ok()) return {{"jsonrpc", "2.0"}, {"id", id}, {"result", *std::move(answer)}};
  const int64_t code = absl::IsUnimplemented(answer.status()) ? kMethodNotFound : kInternalError;
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", code}, {"message", std::string(answer.status().message())}}}};
}

}  // namespace stile
