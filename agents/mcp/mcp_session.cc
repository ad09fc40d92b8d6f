#include "agents/mcp/mcp_session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/mcp/mcp_method.h"
#include "agents/mcp/task_requests.h"
#include "runtime/base/ids.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

constexpr size_t kMaxClientName = 100;

constexpr char kInstructions[] =
    "Stile holds coding agents to a gate: code that changed has to be built before the work counts "
    "as done. Call gate_begin before you change files, and gate_finish before you say that you are "
    "done; if it refuses, mend the files and lines that it names and call it again. code_navigate "
    "and code_search find code by meaning; code_refactor changes it everywhere at once and keeps "
    "the change only if the compiler accepts it.";

bool IsId(const Json& id) { return id.is_string() || id.is_number_integer(); }

// Null where a message has none that can be used.
Json KnownId(const Json& message) {
  const Json* const id = JsonMember(message, "id");
  return id != nullptr && IsId(*id) ? *id : Json();
}

// Members that a revision does not know are left out.
bool HasStructuredResults(const std::string& revision) { return revision >= "2025-06-18"; }

Json AllRevisions() {
  Json revisions = {kStatelessRevision};
  for (const std::string& revision : HandshakeRevisions()) revisions.push_back(revision);
  return revisions;
}

constexpr char kMetaRelatedTask[] = "io.modelcontextprotocol/related-task";

Json Capabilities(const std::string& revision) {
  Json capabilities = {{"tools", Json::object()},
                       {"resources", {{"subscribe", true}}},
                       {"prompts", Json::object()},
                       {"completions", Json::object()},
                       {"logging", Json::object()}};
  if (revision == kRevisionWithTasks) {
    capabilities["tasks"] = {{"list", Json::object()},
                             {"cancel", Json::object()},
                             {"requests", {{"tools", {{"call", Json::object()}}}}}};
  }
  if (revision == kStatelessRevision) {
    capabilities["extensions"] = {{kTasksExtension, Json::object()}};
  }
  return capabilities;
}

// Null: there is none of that name.
const McpTool* FindTool(const McpServices& services, const std::string& name) {
  for (const McpTool& tool : services.tools) {
    if (tool.name == McpName(name)) return &tool;
  }
  return nullptr;
}

// Calls that change files of a workspace come in the order in which they were asked for.
std::string LaneOf(const McpServices& services, const McpTool& tool, const Json& arguments) {
  return tool.read_only ? "" : services.workspaces->Resolve(arguments).value_or("");
}

std::string ClientOf(const Json* info) {
  const std::string name = info == nullptr ? "" : JsonString(*info, "name").value_or("");
  return DisplayPath(name.substr(0, kMaxClientName));
}

Json ToJson(const McpTool& tool, const std::string& revision) {
  Json object = {{"name", tool.name},
                 {"description", tool.description},
                 {"inputSchema", tool.input},
                 {"annotations",
                  {{"title", tool.title},
                   {"readOnlyHint", tool.read_only},
                   {"destructiveHint", tool.destructive},
                   {"idempotentHint", tool.idempotent},
                   {"openWorldHint", tool.open_world}}}};
  if (HasStructuredResults(revision)) {
    object["title"] = tool.title;
    if (!tool.output.is_null()) object["outputSchema"] = tool.output;
    if (tool.takes_long && revision == kRevisionWithTasks) {
      object["execution"] = {{"taskSupport", "optional"}};
    }
  }
  return object;
}

Json ToJson(const ToolResult& result, const McpTool& tool, const std::string& revision) {
  Json content = {{{"type", "text"}, {"text", ToUtf8(result.text)}}};
  for (const auto& [media_type, bytes] : result.pictures) {
    content.push_back({{"type", "image"}, {"data", Base64Encode(bytes)}, {"mimeType", media_type}});
  }
  Json object = {{"content", std::move(content)}, {"isError", !result.ok}};
  const bool has_data = result.data.is_object() && !tool.output.is_null();
  if (has_data && HasStructuredResults(revision)) object["structuredContent"] = result.data;
  return object;
}

// What the tool may use of its peer. `call` outlives it.
McpCall PeerOf(OpenCall* call, const McpRequest& request) {
  McpCall peer;
  peer.cancellation = call->cancellation().get();
  peer.client = request.client;
  const Json* const meta = JsonMember(request.params, "_meta");
  if (meta != nullptr && meta->contains("progressToken")) {
    peer.on_progress = [call](const std::string& text) { call->Progress(text); };
  }
  peer.on_log = [call](const std::string& level, const std::string& text) {
    call->Log(level, text);
  };
  LetAsk(
      request.capabilities,
      [call](const std::string& method, const Json& params) {
        return call->AskPeer(method, params);
      },
      &peer);
  return peer;
}

// The result of tools/call.
Json RunTool(const McpTool& tool, const Json& arguments, const McpCall& call,
             const std::string& revision) {
  const absl::Status fits =
      tool.checks_arguments ? absl::OkStatus() : CheckArguments(tool, arguments);
  absl::StatusOr<ToolResult> result = ToolResult::Error(std::string(fits.message()));
  if (fits.ok()) result = tool.run(arguments, call);
  if (!result.ok()) result = ToolResult::Error(std::string(result.status().message()));
  return ToJson(*result, tool, revision);
}

// Begins a call that goes on when its session has ended. Gives the answer to the request.
absl::StatusOr<Json> StartTask(const McpServices& services, const McpRequest& request,
                               const std::string& owner, const McpTool& tool,
                               const Json& arguments) {
  STILE_ASSIGN_OR_RETURN(const std::shared_ptr<McpTask> task,
                         services.tasks->Start(owner, TtlOf(request)));
  McpCall call;
  call.cancellation = task->cancellation();
  call.client = request.client;
  call.on_progress = [task](const std::string& text) { task->SetMessage(text); };
  const TaskProtocol era = TasksOf(request);
  // A peer with a handshake may be gone when the task asks.
  if (era == TaskProtocol::kExtension) {
    LetAsk(
        request.capabilities,
        [task](const std::string& method, const Json& params) { return task->Ask(method, params); },
        &call);
  }
  services.queue->Add(LaneOf(services, tool, arguments),
                      [task, call, tool = &tool, arguments, revision = request.revision] {
                        if (!task->is_over()) task->End(RunTool(*tool, arguments, call, revision));
                      });
  Json json = task->ToJson(era);
  if (era == TaskProtocol::kRequested) return Json{{"task", std::move(json)}};
  json["resultType"] = "task";
  return json;
}

}  // namespace

bool IsAnswered(const Json& message) {
  if (JsonString(message, "jsonrpc") != "2.0") return true;
  const Json* const method = JsonMember(message, "method");
  if (method == nullptr) {
    return JsonMember(message, "result") == nullptr && JsonMember(message, "error") == nullptr;
  }
  return JsonMember(message, "id") != nullptr || !method->is_string();
}

McpSession::McpSession(const McpServices* services)
    : services_(*services),
      id_(RandomHex(16)),
      answers_(services->workspaces->options().version, &requests_),
      resources_(services->workspaces, services->watch, services->queue, &requests_, &answers_) {}

McpSession::~McpSession() {
  CancelAll();
  requests_.WaitFor(absl::InfiniteDuration());
}

void McpSession::CancelAll() {
  notices()->Close();
  requests_.CancelAll();
}

void McpSession::Handle(const Json& message, const Reply& reply) {
  const auto refuse = [&](const Json& id, const char* why) {
    reply(ErrorMessage(id, {kInvalidRequest, why, nullptr}));
  };
  if (!message.is_object() || JsonString(message, "jsonrpc") != "2.0") {
    return refuse(KnownId(message),
                  "not a JSON-RPC 2.0 message: an object with \"jsonrpc\": \"2.0\"");
  }
  const Json* const id = JsonMember(message, "id");
  const Json* const method = JsonMember(message, "method");
  if (method == nullptr) {
    const bool is_answer =
        JsonMember(message, "result") != nullptr || JsonMember(message, "error") != nullptr;
    if (!is_answer) return refuse(KnownId(message), "neither a method nor a result");
    return questions_.TakeAnswer(message);
  }
  if (id != nullptr && !IsId(*id)) return refuse(nullptr, "\"id\" is not a string or an integer");
  const Json known_id = KnownId(message);
  if (!method->is_string()) return refuse(known_id, "\"method\" is not a string");
  const Json* const params = JsonMember(message, "params");
  if (params != nullptr && !params->is_object()) {
    if (id != nullptr) {
      reply(ErrorMessage(known_id, {kInvalidParams, "\"params\" is not an object", nullptr}));
    }
    return;
  }
  const Json given = params == nullptr ? Json::object() : *params;
  if (id == nullptr) return HandleNotification(method->get<std::string>(), given);
  HandleRequest(known_id, method->get<std::string>(), given, reply);
}

void McpSession::HandleNotification(const std::string& method, const Json& params) {
  // notifications/initialized needs nothing: the answer to initialize opened the session.
  if (method != "notifications/cancelled") return;
  const Json* const id = JsonMember(params, "requestId");
  if (id == nullptr) return;
  requests_.Cancel(*id);
}

void McpSession::HandleRequest(Json id, const std::string& method, const Json& params,
                               const Reply& reply) {
  const auto request = std::make_shared<McpRequest>();
  request->id = std::move(id);
  request->method = method;
  request->params = params;
  request->reply = reply;
  McpError error;
  if (!FindEra(request.get(), &error)) return reply(ErrorMessage(request->id, error));
  if (const auto state = JsonString(params, "requestState");
      state.has_value() && request->is_stateless && method == "tools/call") {
    request->open_call = services_.calls->Find(*state);
    if (request->open_call != nullptr) request->cancellation = request->open_call->cancellation();
  }
  const std::string why_not = requests_.Add(request);
  if (!why_not.empty())
    return reply(ErrorMessage(request->id, {kInvalidRequest, why_not, nullptr}));
  Dispatch(request);
}

bool McpSession::FindEra(McpRequest* request, McpError* error) {
  const Json* const meta = JsonMember(request->params, "_meta");
  const auto named = meta == nullptr ? std::nullopt : JsonString(*meta, kMetaRevision);
  if (named.has_value()) {
    if (*named != kStatelessRevision) {
      *error = {kUnsupportedVersion,
                absl::StrCat("protocol revision ", ToUtf8(*named),
                             " is not supported in _meta; earlier ones need initialize"),
                {{"supported", AllRevisions()}, {"requested", ToUtf8(*named)}}};
      return false;
    }
    const Json* const capabilities = JsonMember(*meta, kMetaCapabilities);
    if (capabilities == nullptr || !capabilities->is_object()) {
      *error = {kInvalidParams, absl::StrCat("_meta lacks ", kMetaCapabilities), nullptr};
      return false;
    }
    request->is_stateless = true;
    request->capabilities = *capabilities;
    request->revision = *named;
    request->client = ClientOf(JsonMember(*meta, kMetaClientInfo));
    const int severity = LogSeverity(JsonString(*meta, kMetaLogLevel).value_or(""));
    if (severity >= 0) request->log_severity = severity;
    return true;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  request->revision = revision_;
  request->client = client_;
  request->capabilities = capabilities_;
  request->log_severity = log_severity_;
  if (request->method == "initialize" || request->method == "ping") return true;
  if (!revision_.empty()) return true;
  *error = {kInvalidRequest,
            absl::StrCat("send initialize first, or name the protocol revision in _meta: ",
                         kMetaRevision),
            nullptr};
  return false;
}

void McpSession::Dispatch(const Pending& request) {
  using Method = McpMethod<McpSession>;
  static constexpr Method kMethods[] = {
      {"initialize", &McpSession::Initialize, McpEra::kHandshake},
      {"ping", &McpSession::Ping, McpEra::kHandshake},
      {"logging/setLevel", &McpSession::SetLevel, McpEra::kHandshake},
      {"server/discover", &McpSession::Discover, McpEra::kStateless},
      {"tools/list", &McpSession::ListTools},
      {"tools/call", &McpSession::CallTool},
      {"tasks/get", &McpSession::UseTask},
      {"tasks/cancel", &McpSession::UseTask},
      {"tasks/update", &McpSession::UseTask, McpEra::kStateless},
      {"tasks/result", &McpSession::UseTask, McpEra::kHandshake},
      {"tasks/list", &McpSession::UseTask, McpEra::kHandshake},
  };
  if (RunMethod(kMethods, this, request) || resources_.Handle(request)) return;
  answers_.Fail(request, {kMethodNotFound, absl::StrCat("unknown method ", ToUtf8(request->method)),
                          nullptr});
}

void McpSession::Ping(const Pending& request) { answers_.Answer(request, Json::object()); }

void McpSession::Initialize(const Pending& request) {
  const std::string wanted = JsonString(request->params, "protocolVersion").value_or("");
  const Json* const capabilities = JsonMember(request->params, "capabilities");
  if (wanted.empty() || capabilities == nullptr || !capabilities->is_object()) {
    return answers_.Fail(
        request, {kInvalidParams, "initialize needs protocolVersion and capabilities", nullptr});
  }
  const std::vector<std::string>& known = HandshakeRevisions();
  const bool is_known = std::find(known.begin(), known.end(), wanted) != known.end();
  const std::string revision = is_known ? wanted : known.front();
  bool is_second = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_second = !revision_.empty();
    if (!is_second) {
      revision_ = revision;
      client_ = ClientOf(JsonMember(request->params, "clientInfo"));
      capabilities_ = *capabilities;
    }
  }
  if (is_second) {
    return answers_.Fail(request, {kInvalidRequest, "the session is initialized already", nullptr});
  }
  answers_.Answer(request, {{"protocolVersion", revision},
                            {"capabilities", Capabilities(revision)},
                            {"serverInfo", answers_.ServerInfo()},
                            {"instructions", kInstructions}});
}

void McpSession::Discover(const Pending& request) {
  answers_.Answer(request,
                  {{"supportedVersions", AllRevisions()},
                   {"capabilities", Capabilities(kStatelessRevision)},
                   {"instructions", kInstructions}},
                  true);
}

void McpSession::SetLevel(const Pending& request) {
  const int severity = LogSeverity(JsonString(request->params, "level").value_or(""));
  if (severity < 0) {
    return answers_.Fail(request,
                         {kInvalidParams,
                          "\"level\" is none of debug, info, notice, warning, error, critical, "
                          "alert, emergency",
                          nullptr});
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    log_severity_ = severity;
  }
  answers_.Answer(request, Json::object());
}

void McpSession::ListTools(const Pending& request) {
  Json tools = Json::array();
  for (const McpTool& tool : services_.tools) tools.push_back(ToJson(tool, request->revision));
  answers_.List(request, "tools", tools);
}

void McpSession::CallTool(const Pending& request) {
  const std::string name = JsonString(request->params, "name").value_or("");
  const McpTool* const tool = FindTool(services_, name);
  if (tool == nullptr) {
    return answers_.Fail(
        request, {kInvalidParams, absl::StrCat("there is no tool ", ToUtf8(name)), nullptr});
  }
  const Json* const given = JsonMember(request->params, "arguments");
  if (given != nullptr && !given->is_object()) {
    return answers_.Fail(request, {kInvalidParams, "\"arguments\" is not an object", nullptr});
  }
  const Json arguments = given == nullptr ? Json::object() : *given;
  if (request->is_stateless && request->params.contains("requestState")) {
    return GoOnWithCall(request);
  }
  if (AsksForTask(*request) && !tool->takes_long) {
    return answers_.Fail(
        request,
        {kMethodNotFound, absl::StrCat(tool->name, " cannot be called as a task"), nullptr});
  }
  if (BecomesTask(*request, *tool)) {
    auto answer =
        StartTask(services_, *request, request->is_stateless ? "" : id_, *tool, arguments);
    if (answer.ok()) return answers_.Answer(request, *std::move(answer));
    return answers_.Fail(request,
                         {kInternalError, std::string(answer.status().message()), nullptr});
  }
  const auto call = std::make_shared<OpenCall>(
      WaitFor(request), request->is_stateless ? nullptr : &questions_, services_.calls);
  // Those that change files come in the order in which they were asked for. The session may be gone
  // while a call waits for the answers of a peer without a handshake.
  requests_.Enqueue(
      services_.queue, request, LaneOf(services_, *tool, arguments),
      [call, tool, arguments, request] {
        call->Answer(RunTool(*tool, arguments, PeerOf(call.get(), *request), request->revision));
      });
}

void McpSession::UseTask(const Pending& request) {
  const TaskProtocol era = TasksOf(*request);
  if (era == TaskProtocol::kNone) {
    return answers_.Fail(
        request, {kMethodNotFound, absl::StrCat("unknown method ", request->method), nullptr});
  }
  if (request->method == "tasks/list") {
    Json list = Json::array();
    for (const auto& task : services_.tasks->Of(id_)) list.push_back(task->ToJson(era));
    return answers_.List(request, "tasks", list);
  }
  const std::string id = JsonString(request->params, "taskId").value_or("");
  const std::shared_ptr<McpTask> task = services_.tasks->Find(id);
  if (task == nullptr) {
    return answers_.Fail(request,
                         {kInvalidParams, absl::StrCat("there is no task ", ToUtf8(id)), nullptr});
  }
  if (request->method == "tasks/get") return answers_.Answer(request, task->ToJson(era));
  // The extension acknowledges without a result; later answers to one question are ignored.
  if (request->method == "tasks/update") {
    if (const Json* answers = JsonMember(request->params, "inputResponses")) {
      task->TakeAnswers(*answers);
    }
    return answers_.Answer(request, Json::object());
  }
  if (request->method == "tasks/cancel") {
    const bool is_cancelled = task->Cancel();
    if (era == TaskProtocol::kExtension) return answers_.Answer(request, Json::object());
    if (is_cancelled) return answers_.Answer(request, task->ToJson(era));
    return answers_.Fail(request,
                         {kInvalidParams, absl::StrCat("the task ", id, " has ended"), nullptr});
  }
  // It can be cancelled like a request that waits for the queue.
  request->waits = true;
  task->WhenEnded([this, request, id](const Json& result) {
    if (request->is_taken.exchange(true)) return;
    if (result.is_null()) {
      return answers_.Fail(
          request, {kInternalError, absl::StrCat("the task ", id, " was cancelled"), nullptr});
    }
    Json answer = result;
    answer["_meta"] = {{kMetaRelatedTask, {{"taskId", id}}}};
    answers_.Answer(request, std::move(answer));
  });
}

OpenCall::Waiting McpSession::WaitFor(const Pending& request) {
  return {request,
          [this](const Pending& asked, Json result) { answers_.Answer(asked, std::move(result)); }};
}

void McpSession::GoOnWithCall(const Pending& request) {
  const Json* const responses = JsonMember(request->params, "inputResponses");
  const std::shared_ptr<OpenCall> call = request->open_call;
  // It can be cancelled like one whose work is under way.
  request->waits = true;
  request->is_taken = true;
  if (call != nullptr && responses != nullptr && call->GoOn(WaitFor(request), *responses)) return;
  // The call may have been cancelled, and this request has an answer all the same.
  request->cancellation = std::make_shared<Cancellation>();
  answers_.Fail(request,
                {kInvalidParams,
                 "requestState and inputResponses belong to no call that waits for them; make the "
                 "call again without them",
                 nullptr});
}

}  // namespace stile
