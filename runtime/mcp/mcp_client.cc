#include "runtime/mcp/mcp_client.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/clock.h"
#include "runtime/base/picture.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/version.h"
#include "runtime/mcp/mcp_message.h"
#include "runtime/workspace/file_uri.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 1000;
constexpr int kMaxPages = 200;
constexpr int kMaxInputRounds = 10;
constexpr size_t kMaxDescriptionBytes = 4000;

absl::Status NotTheProtocol(absl::string_view method, absl::string_view why) {
  return absl::DataLossError(
      absl::StrCat("the answer to ", method, " violates the protocol: ", why));
}

Json ClientInfo() { return {{"name", "stile"}, {"version", kVersion}}; }

Json ClientCapabilities(const McpClientHost& host) {
  Json capabilities = {{"elicitation", {{"form", Json::object()}}}};
  if (!host.workspace.empty()) capabilities["roots"] = Json::object();
  return capabilities;
}

// What can be read of one element of `content`, and its picture.
void AddContent(const Json& item, McpToolAnswer* answer) {
  const auto add = [answer](absl::string_view text) {
    absl::StrAppend(&answer->text, answer->text.empty() ? "" : "\n", text);
  };
  const std::string type = JsonString(item, "type").value_or("");
  if (type == "text") return add(JsonString(item, "text").value_or(""));
  const std::string media_type = JsonString(item, "mimeType").value_or("");
  if (type == "image" || type == "audio") {
    absl::StatusOr<std::string> bytes = Base64Decode(JsonString(item, "data").value_or(""));
    const bool is_shown = bytes.ok() && type == "image" && !PictureType(*bytes).empty() &&
                          bytes->size() <= kMaxPictureBytes;
    add(absl::StrCat("[", type, " ", media_type, ", ", bytes.ok() ? bytes->size() : 0, " bytes",
                     is_shown ? "" : ", not shown", "]"));
    if (is_shown) {
      const std::string known = PictureType(*bytes);
      answer->pictures.emplace_back(known, *std::move(bytes));
    }
    return;
  }
  if (type == "resource_link") {
    return add(absl::StrCat("[resource ", JsonString(item, "name").value_or(""), ": ",
                            JsonString(item, "uri").value_or(""), "]"));
  }
  const Json* const resource = JsonMember(item, "resource");
  if (type == "resource" && resource != nullptr) {
    add(absl::StrCat("[resource ", JsonString(*resource, "uri").value_or(""), "]"));
    const std::optional<std::string> text = JsonString(*resource, "text");
    return add(text.has_value() ? *text : "[its content is not text]");
  }
  add(absl::StrCat("[content of type ", TruncateMiddle(type, 100), ", not shown]"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<McpClient>> McpClient::Connect(const Opener& open,
                                                              McpClientHost host,
                                                              absl::Duration timeout) {
  std::unique_ptr<McpClient> client(new McpClient(std::move(host)));
  McpClient* const self = client.get();
  JsonRpcHandlers handlers;
  handlers.on_request = [self](const std::string& method, const Json& params) {
    return self->OnRequest(method, params);
  };
  handlers.on_notification = [self](const std::string& method, const Json& params) {
    self->OnNotification(method, params);
  };
  STILE_ASSIGN_OR_RETURN(self->channel_, open(std::move(handlers)));
  STILE_RETURN_IF_ERROR(self->Greet(timeout));
  return client;
}

absl::Status McpClient::Greet(absl::Duration timeout) {
  const absl::StatusOr<Json> greeting =
      channel_->Call("initialize",
                     {{"protocolVersion", HandshakeRevisions().front()},
                      {"capabilities", ClientCapabilities(host_)},
                      {"clientInfo", ClientInfo()}},
                     timeout);
  if (!greeting.ok()) {
    // Only a server that answers can be one that has no `initialize`.
    if (!RpcErrorOf(greeting.status()).has_value()) return greeting.status();
    const absl::Status discovered = Discover(timeout);
    return absl::IsUnimplemented(discovered) ? greeting.status() : discovered;
  }
  revision_ = JsonString(*greeting, "protocolVersion").value_or("");
  const std::vector<std::string>& known = HandshakeRevisions();
  if (std::find(known.begin(), known.end(), revision_) == known.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("it speaks revision '", ToUtf8(TruncateMiddle(revision_, 100)),
                     "' of the protocol, which Stile does not know; known: ", known.back(), " to ",
                     known.front(), " and ", kStatelessRevision));
  }
  if (const Json* found = JsonMember(*greeting, "capabilities")) capabilities_ = *found;
  channel_->Notify("notifications/initialized", nullptr);
  return channel_->status();
}

absl::Status McpClient::Discover(absl::Duration timeout) {
  revision_ = kStatelessRevision;
  STILE_ASSIGN_OR_RETURN(const Json greeting, Ask("server/discover", Json::object(), timeout));
  const Json* const supported = JsonMember(greeting, "supportedVersions");
  const bool is_known =
      supported != nullptr && supported->is_array() &&
      std::find(supported->begin(), supported->end(), Json(kStatelessRevision)) != supported->end();
  if (!is_known) {
    return absl::FailedPreconditionError(
        absl::StrCat("it does not speak revision ", kStatelessRevision, " of the protocol"));
  }
  if (const Json* found = JsonMember(greeting, "capabilities")) capabilities_ = *found;
  return absl::OkStatus();
}

bool McpClient::Has(const char* capability) const {
  return capabilities_.is_object() && capabilities_.contains(capability);
}

bool McpClient::IsStateless() const { return revision_ == kStatelessRevision; }

absl::StatusOr<Json> McpClient::OnRequest(const std::string& method, const Json& params) {
  if (method == "ping") return Json::object();
  if (method == "roots/list" && !host_.workspace.empty()) {
    return Json{{"roots", {{{"uri", FileUri(host_.workspace)}, {"name", "workspace"}}}}};
  }
  if (method == "elicitation/create") {
    return host_.on_elicit ? host_.on_elicit(params) : Json{{"action", "decline"}};
  }
  return absl::UnimplementedError(absl::StrCat("Stile does not answer ", method));
}

void McpClient::OnNotification(const std::string& method, const Json& params) {
  if (method != "notifications/progress" || !on_progress_) return;
  const Json* const token = JsonMember(params, "progressToken");
  if (token == nullptr || *token != Json(progress_token_)) return;
  std::string text = JsonString(params, "message").value_or("");
  if (text.empty()) {
    const Json* const progress = JsonMember(params, "progress");
    const Json* const total = JsonMember(params, "total");
    if (progress == nullptr) return;
    text = absl::StrCat(DumpJson(*progress),
                        total == nullptr ? "" : absl::StrCat(" of ", DumpJson(*total)));
  }
  on_progress_(absl::StrCat(text, "\n"));
}

absl::StatusOr<Json> McpClient::Ask(const std::string& method, Json params,
                                    absl::Duration timeout) {
  if (IsStateless()) {
    params["_meta"][kMetaRevision] = revision_;
    params["_meta"][kMetaClientInfo] = ClientInfo();
    params["_meta"][kMetaCapabilities] = ClientCapabilities(host_);
  }
  absl::Duration left = timeout;
  for (int round = 0; round < kMaxInputRounds && left > absl::ZeroDuration(); ++round) {
    const absl::Duration begin = SystemClock()->Monotonic();
    STILE_ASSIGN_OR_RETURN(Json result, channel_->Call(method, params, left));
    left -= SystemClock()->Monotonic() - begin;
    if (!result.is_object()) return NotTheProtocol(method, "the result is no object");
    const std::string type = JsonString(result, "resultType").value_or("complete");
    if (!IsStateless() || type == "complete") return result;
    const Json* const requests = JsonMember(result, "inputRequests");
    if (type != "input_required" || requests == nullptr || !requests->is_object()) {
      return NotTheProtocol(method, absl::StrCat("a result of type ", TruncateMiddle(type, 100)));
    }
    Json responses = Json::object();
    for (const auto& [key, request] : requests->items()) {
      const Json* const asked = JsonMember(request, "params");
      STILE_ASSIGN_OR_RETURN(responses[key], OnRequest(JsonString(request, "method").value_or(""),
                                                       asked == nullptr ? Json() : *asked));
    }
    params["inputResponses"] = std::move(responses);
    params.erase("requestState");
    if (const Json* state = JsonMember(result, "requestState")) params["requestState"] = *state;
  }
  return absl::FailedPreconditionError("it asks for input again and again");
}

absl::Status McpClient::List(const std::string& method, const char* member,
                             const std::function<void(const Json&)>& use, absl::Duration timeout) {
  Json params = Json::object();
  size_t count = 0;
  const absl::Duration end = SystemClock()->Monotonic() + timeout;
  for (int page = 0; page < kMaxPages; ++page) {
    const absl::Duration left = end - SystemClock()->Monotonic();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError(absl::StrCat(method, " has too many pages"));
    }
    STILE_ASSIGN_OR_RETURN(const Json answer, Ask(method, params, left));
    const Json* const items = JsonMember(answer, member);
    if (items == nullptr || !items->is_array()) {
      return NotTheProtocol(method, absl::StrCat("it has no list '", member, "'"));
    }
    for (const Json& item : *items) {
      if (++count > kMaxListed) return absl::OkStatus();
      use(item);
    }
    const std::string cursor = JsonString(answer, "nextCursor").value_or("");
    if (cursor.empty() || cursor == JsonString(params, "cursor")) return absl::OkStatus();
    params = {{"cursor", cursor}};
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<McpToolInfo>> McpClient::ListTools(absl::Duration timeout) {
  std::vector<McpToolInfo> tools;
  if (!Has("tools")) return tools;
  STILE_RETURN_IF_ERROR(List(
      "tools/list", "tools",
      [&](const Json& item) {
        const Json* const schema = JsonMember(item, "inputSchema");
        McpToolInfo tool;
        tool.name = JsonString(item, "name").value_or("");
        tool.description = ToUtf8(
            TruncateMiddle(JsonString(item, "description").value_or(""), kMaxDescriptionBytes));
        tool.input_schema = schema != nullptr && schema->is_object()
                                ? *schema
                                : Json{{"type", "object"}, {"properties", Json::object()}};
        if (!tool.name.empty()) tools.push_back(std::move(tool));
      },
      timeout));
  return tools;
}

absl::StatusOr<std::vector<McpResourceInfo>> McpClient::ListResources(absl::Duration timeout) {
  std::vector<McpResourceInfo> resources;
  if (!Has("resources")) return resources;
  STILE_RETURN_IF_ERROR(List(
      "resources/list", "resources",
      [&](const Json& item) {
        McpResourceInfo resource;
        resource.uri = JsonString(item, "uri").value_or("");
        resource.name = JsonString(item, "name").value_or("");
        resource.description = JsonString(item, "description").value_or("");
        if (!resource.uri.empty()) resources.push_back(std::move(resource));
      },
      timeout));
  return resources;
}

absl::StatusOr<McpToolAnswer> McpClient::CallTool(
    const std::string& name, Json arguments, std::function<void(absl::string_view)> on_progress,
    absl::Duration timeout) {
  Json params = {{"name", name}, {"arguments", std::move(arguments)}};
  if (on_progress) params["_meta"] = {{"progressToken", ++progress_token_}};
  on_progress_ = std::move(on_progress);
  const absl::StatusOr<Json> result = Ask("tools/call", std::move(params), timeout);
  on_progress_ = nullptr;
  STILE_RETURN_IF_ERROR(result.status());
  McpToolAnswer answer;
  const Json* const is_error = JsonMember(*result, "isError");
  answer.is_error = is_error != nullptr && *is_error == Json(true);
  if (const Json* structured = JsonMember(*result, "structuredContent")) {
    answer.structured = *structured;
  }
  const Json* const content = JsonMember(*result, "content");
  if (content != nullptr && content->is_array()) {
    for (const Json& item : *content) AddContent(item, &answer);
  } else if (answer.structured.is_null()) {
    return NotTheProtocol("tools/call", "it has no content");
  }
  if (answer.text.empty() && !answer.structured.is_null())
    answer.text = DumpJson(answer.structured);
  return answer;
}

absl::StatusOr<std::string> McpClient::ReadResource(const std::string& uri,
                                                    absl::Duration timeout) {
  STILE_ASSIGN_OR_RETURN(const Json answer, Ask("resources/read", {{"uri", uri}}, timeout));
  const Json* const contents = JsonMember(answer, "contents");
  if (contents == nullptr || !contents->is_array()) {
    return NotTheProtocol("resources/read", "it has no contents");
  }
  std::string text;
  for (const Json& part : *contents) {
    const std::optional<std::string> more = JsonString(part, "text");
    if (!more.has_value()) {
      return absl::FailedPreconditionError(absl::StrCat(uri, " is not text"));
    }
    absl::StrAppend(&text, *more);
  }
  return text;
}

}  // namespace stile
