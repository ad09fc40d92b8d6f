#include "agents/mcp/resource_methods.h"

#include <utility>

#include "absl/status/statusor.h"
#include "agents/mcp/mcp_method.h"
#include "agents/mcp/resources.h"

namespace stile {
namespace {

constexpr char kListen[] = "subscriptions/listen";

}  // namespace

bool ResourceMethods::Handle(const Pending& request) {
  using Method = McpMethod<ResourceMethods>;
  static constexpr Method kMethods[] = {
      {"resources/list", &ResourceMethods::ListResources},
      {"resources/templates/list", &ResourceMethods::ListTemplates},
      {"resources/read", &ResourceMethods::Read},
      {"resources/subscribe", &ResourceMethods::Subscribe, McpEra::kHandshake},
      {"resources/unsubscribe", &ResourceMethods::Unsubscribe, McpEra::kHandshake},
      {kListen, &ResourceMethods::Listen, McpEra::kStateless},
      {"prompts/list", &ResourceMethods::ListPrompts},
      {"prompts/get", &ResourceMethods::GetPrompt},
      {"completion/complete", &ResourceMethods::Complete},
  };
  return RunMethod(kMethods, this, request);
}

void ResourceMethods::EndListening() {
  subscriptions_.EndListening();
  for (const Pending& request : requests_.Of(kListen)) {
    if (request->is_taken.exchange(true)) continue;
    answers_.Answer(request, Subscriptions::ListenResult(*request));
  }
}

std::optional<std::string> ResourceMethods::UriOf(const Pending& request) {
  auto uri = JsonString(request->params, "uri");
  if (!uri.has_value()) {
    answers_.Fail(request, {kInvalidParams, "\"uri\" is missing or not a string", nullptr});
  }
  return uri;
}

void ResourceMethods::ListResources(const Pending& request) {
  requests_.Enqueue(queue_, request, "", [this, request] {
    const absl::StatusOr<Json> list = stile::ListResources(workspaces_);
    if (list.ok()) return answers_.List(request, "resources", *list);
    answers_.Fail(request, {kInternalError, std::string(list.status().message()), nullptr});
  });
}

void ResourceMethods::ListTemplates(const Pending& request) {
  answers_.List(request, "resourceTemplates", ListResourceTemplates());
}

void ResourceMethods::Read(const Pending& request) {
  const std::optional<std::string> uri = UriOf(request);
  if (!uri.has_value()) return;
  requests_.Enqueue(queue_, request, "", [this, request, uri = *uri] {
    absl::StatusOr<Json> contents = ReadResource(workspaces_, uri);
    if (contents.ok()) return answers_.Answer(request, {{"contents", *std::move(contents)}}, true);
    const int missing = request->is_stateless ? kInvalidParams : kResourceNotFound;
    const int code = absl::IsNotFound(contents.status()) ? missing : kInternalError;
    answers_.Fail(request, {code, std::string(contents.status().message()), {{"uri", uri}}});
  });
}

void ResourceMethods::Complete(const Pending& request) {
  requests_.Enqueue(queue_, request, "", [this, request] {
    absl::StatusOr<Json> completion = CompleteArgument(workspaces_, request->params);
    if (completion.ok()) return answers_.Answer(request, *std::move(completion));
    answers_.Fail(request, {kInvalidParams, std::string(completion.status().message()), nullptr});
  });
}

void ResourceMethods::ListPrompts(const Pending& request) {
  answers_.List(request, "prompts", stile::ListPrompts());
}

void ResourceMethods::GetPrompt(const Pending& request) {
  absl::StatusOr<Json> prompt = stile::GetPrompt(JsonString(request->params, "name").value_or(""));
  if (prompt.ok()) return answers_.Answer(request, *std::move(prompt));
  answers_.Fail(request, {kInvalidParams, std::string(prompt.status().message()), nullptr});
}

void ResourceMethods::Subscribe(const Pending& request) {
  const std::optional<std::string> uri = UriOf(request);
  if (!uri.has_value()) return;
  const absl::Status added = subscriptions_.Subscribe(*uri);
  if (added.ok()) return answers_.Answer(request, Json::object());
  const int code = absl::IsNotFound(added) ? kResourceNotFound : kInternalError;
  answers_.Fail(request, {code, std::string(added.message()), {{"uri", *uri}}});
}

void ResourceMethods::Unsubscribe(const Pending& request) {
  const std::optional<std::string> uri = UriOf(request);
  if (!uri.has_value()) return;
  subscriptions_.Unsubscribe(*uri);
  answers_.Answer(request, Json::object());
}

void ResourceMethods::Listen(const Pending& request) {
  // It can be cancelled like a request that waits for the queue.
  request->waits = true;
  const absl::Status begun = subscriptions_.Listen(request);
  if (begun.ok() || request->is_taken.exchange(true)) return;
  const int code = absl::IsInvalidArgument(begun) ? kInvalidParams : kInternalError;
  answers_.Fail(request, {code, std::string(begun.message()), nullptr});
}

}  // namespace stile
