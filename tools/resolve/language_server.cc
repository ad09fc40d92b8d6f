#include "tools/resolve/language_server.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/rpc/json_rpc_channel.h"
#include "runtime/workspace/file_uri.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxOpenDocuments = 2000;
constexpr size_t kMaxUnreadBytes = size_t{256} << 20;
// A server that has read its project says within this time that it begins to index it.
constexpr absl::Duration kIndexBegins = absl::Seconds(10);
constexpr absl::Duration kIndexStalls = absl::Seconds(20);  // without a report about it
constexpr absl::Duration kIndexIsLate = absl::Seconds(1);   // once it has stalled

// The first number with a dot in it, such as 14.0.6; "" if there is none.
std::string VersionIn(absl::string_view text) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    size_t end = begin;
    while (end < text.size() && (absl::ascii_isdigit(static_cast<unsigned char>(text[end])) ||
                                 (text[end] == '.' && end > begin))) {
      ++end;
    }
    const absl::string_view number = absl::StripSuffix(text.substr(begin, end - begin), ".");
    if (absl::StrContains(number, ".")) return std::string(number);
    begin = std::max(begin, end);
  }
  return "";
}

Json ClientCapabilities() {
  return {{"general", {{"positionEncodings", {"utf-8", "utf-16"}}}},
          {"offsetEncoding", {"utf-8", "utf-16"}},  // clangd's own name for it
          // csharp-ls: definitions in libraries have the address of decompiled code. Without it,
          // they have none, and a member of a library looks like a name that it cannot resolve.
          {"experimental", {{"csharp", {{"metadataUris", true}}}}},
          {"window", {{"workDoneProgress", true}}},
          {"workspace",
           {{"configuration", true},
            {"workspaceFolders", true},
            {"didChangeWatchedFiles", {{"dynamicRegistration", true}}},
            {"workspaceEdit", {{"documentChanges", true}}}}},
          {"textDocument",
           {{"synchronization", Json::object()},
            {"references", Json::object()},
            {"definition", Json::object()},
            {"implementation", Json::object()},
            {"hover", {{"contentFormat", {"markdown", "plaintext"}}}},
            {"rename", Json::object()},
            {"diagnostic", {{"dynamicRegistration", true}}},
            {"publishDiagnostics", {{"versionSupport", true}, {"tagSupport", {{"valueSet", {1}}}}}},
            {"completion", {{"completionItem", {{"snippetSupport", false}}}}},
            {"codeAction",
             {{"isPreferredSupport", true},
              {"dataSupport", true},
              {"disabledSupport", true},
              {"resolveSupport", {{"properties", {"edit"}}}},
              {"codeActionLiteralSupport",
               {{"codeActionKind",
                 {{"valueSet", {"", "quickfix", "refactor", "source.organizeImports"}}}}}}}}}}};
}

constexpr int64_t kRequestFailed = -32803;
constexpr int kFileCreated = 1;
constexpr int kFileChanged = 2;
constexpr int kFileDeleted = 3;

}  // namespace

LanguageServer::LanguageServer(LanguageServerSpec spec, LanguageServerHost host)
    : spec_(std::move(spec)),
      host_(std::move(host)),
      name_(spec_.name),
      time_limit_(host_.time_limit) {}

LanguageServer::~LanguageServer() {
  if (peer_ != nullptr && peer_->status().ok()) peer_->Notify("exit", nullptr);
}

absl::StatusOr<std::unique_ptr<LanguageServer>> LanguageServer::Start(LanguageServerSpec spec,
                                                                      LanguageServerHost host) {
  std::unique_ptr<LanguageServer> server(new LanguageServer(std::move(spec), std::move(host)));
  LanguageServer* const self = server.get();
  ProcessRequest request;
  request.argv = self->spec_.argv;
  request.cwd = self->host_.root;
  request.env = self->host_.environment;
  request.writable = self->host_.writable;
  request.grace = absl::Milliseconds(300);
  const auto unowned = std::shared_ptr<ProcessRunner>(std::shared_ptr<void>(), self->host_.runner);
  STILE_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child,
                         ChildProcess::Start(unowned, std::move(request), kMaxUnreadBytes));
  JsonRpcHandlers handlers;
  handlers.on_request = [self](const std::string& method, const Json& params) {
    return self->OnRequest(method, params);
  };
  handlers.on_notification = [self](const std::string& method, const Json& params) {
    self->OnNotification(method, params);
  };
  self->peer_ = std::make_unique<JsonRpcPeer>(std::move(child), LspDialect(), std::move(handlers),
                                              self->host_.cancellation);
  STILE_RETURN_IF_ERROR(self->Greet());
  return server;
}

Json LanguageServer::InitializationOptions() const {
  if (spec_.names_files.empty()) return spec_.initialization;
  Json files = Json::array();
  const std::string folder = absl::StrCat(host_.root, "/");
  host_.list_files([&](const ListedFile& file) {
    const std::string absolute = JoinPath(host_.workspace, file.path);
    absl::string_view below = absolute;
    const bool is_wanted = absl::EndsWith(file.path, spec_.names_files) && IsUtf8(file.path);
    if (is_wanted && absl::ConsumePrefix(&below, folder)) files.push_back(std::string(below));
  });
  return {{"files", std::move(files)}};
}

absl::Status LanguageServer::Greet() {
  const std::string uri = FileUri(host_.root);
  STILE_ASSIGN_OR_RETURN(
      const Json greeting,
      peer_->Call("initialize",
                  {{"processId", nullptr},  // the server's own namespaces do not show this process
                   {"clientInfo", {{"name", "stile"}}},
                   {"rootUri", uri},
                   {"rootPath", host_.root},
                   {"workspaceFolders", {{{"uri", uri}, {"name", BaseName(host_.root)}}}},
                   {"initializationOptions", InitializationOptions()},
                   {"capabilities", ClientCapabilities()}},
                  time_limit_));
  if (const Json* found = JsonMember(greeting, "capabilities")) capabilities_ = *found;
  const std::string encoding = JsonString(capabilities_, "positionEncoding")
                                   .value_or(JsonString(greeting, "offsetEncoding").value_or(""));
  if (encoding == "utf-8") encoding_ = PositionEncoding::kUtf8;
  if (const Json* info = JsonMember(greeting, "serverInfo")) {
    std::string said = JsonString(*info, "version").value_or("");
    // gopls describes its build as JSON.
    if (const auto build = ParseJson(said); build.ok() && build->is_object()) {
      said = JsonString(*build, "Version").value_or("");
    }
    if (const std::string version = VersionIn(said); !version.empty()) {
      name_ = absl::StrCat(spec_.name, " ", version);
    }
  }
  is_read_ = spec_.ready_message.empty();
  is_indexed_ = spec_.ready_progress.empty();
  peer_->Notify("initialized", Json::object());
  SyncWatchedFiles();
  return absl::OkStatus();
}

absl::StatusOr<Json> LanguageServer::OnRequest(const std::string& method, const Json& params) {
  if (method == "workspace/configuration") {
    Json answer = Json::array();
    const Json* const items = JsonMember(params, "items");
    if (items == nullptr || !items->is_array()) return answer;
    for (const Json& item : *items) {
      const Json* const value =
          JsonMember(spec_.configuration, JsonString(item, "section").value_or(""));
      answer.push_back(value == nullptr ? Json(nullptr) : *value);
    }
    return answer;
  }
  if (method == "workspace/workspaceFolders") {
    return Json{{{"uri", FileUri(host_.root)}, {"name", BaseName(host_.root)}}};
  }
  // Nothing is changed on a server's own initiative: the edit of a command is only read.
  if (method == "workspace/applyEdit") {
    const bool is_wanted = command_edit_.has_value() && command_edit_->is_null();
    if (const Json* edit = JsonMember(params, "edit"); is_wanted && edit != nullptr) {
      command_edit_ = *edit;
    }
    return Json{{"applied", is_wanted}};
  }
  if (method == "client/registerCapability") NoteRegistrations(params);
  if (method == "client/registerCapability" || method == "client/unregisterCapability" ||
      method == "window/workDoneProgress/create" || method == "window/showMessageRequest" ||
      absl::EndsWith(method, "/refresh")) {
    return Json(nullptr);
  }
  return absl::UnimplementedError(absl::StrCat("unknown method ", method));
}

void LanguageServer::OnNotification(const std::string& method, const Json& params) {
  if (method == "$/progress" && !spec_.ready_progress.empty()) {
    const Json* const value = JsonMember(params, "value");
    if (value == nullptr || JsonString(params, "token") != spec_.ready_progress) return;
    const std::string kind = JsonString(*value, "kind").value_or("");
    if (kind == "begin") {
      index_begun_ = true;
      is_indexed_ = false;
    }
    if (kind == "end") is_indexed_ = true;
    ++index_reports_;
    return;
  }
  if (method == "textDocument/publishDiagnostics") return OnPublished(params);
  // Of servers that belong to Stile: why the answer that follows may lack places.
  if (method == "stile/partial") partial_ = JsonString(params, "reason").value_or("");
  if (method != "window/logMessage") return;
  const std::string text = JsonString(params, "message").value_or("");
  if (!is_read_ && absl::StrContains(text, spec_.ready_message)) is_read_ = true;
  if (name_ == spec_.name && absl::StrContains(text, "language server")) {
    if (const std::string version = VersionIn(text); !version.empty()) {
      name_ = absl::StrCat(spec_.name, " ", version);
    }
  }
}

size_t LanguageServer::SyncWatchedFiles() {
  const bool is_first = watched_.empty();
  std::map<std::string, int> changed;  // path, type: in order, so that a server is told the same
  size_t seen = 0;
  ++sync_;
  host_.list_files([&](const ListedFile& file) {
    DiskStamp stamp;
    if (!CurrentStamp(host_.workspace, file, &stamp)) return;
    const auto [at, is_new] = watched_.try_emplace(file.path);
    if (at->second.sync != sync_) ++seen;
    if (!is_first && (is_new || at->second.stamp != stamp)) {
      changed.emplace(file.path, is_new ? kFileCreated : kFileChanged);
    }
    at->second = {stamp, sync_};
  });
  if (seen < watched_.size()) {
    std::erase_if(watched_, [&](const auto& file) {
      if (file.second.sync == sync_) return false;
      changed.emplace(file.first, kFileDeleted);
      return true;
    });
  }
  Json changes = Json::array();
  for (const auto& [path, type] : changed) {
    changes.push_back({{"uri", FileUri(JoinPath(host_.workspace, path))}, {"type", type}});
  }
  const size_t count = changes.size();
  if (count > 0) {
    peer_->Notify("workspace/didChangeWatchedFiles", {{"changes", std::move(changes)}});
  }
  return count;
}

bool LanguageServer::Refresh() {
  if (!peer_->status().ok()) return false;
  const size_t changed = SyncWatchedFiles();
  if (spec_.reads_files_once && changed > 0) return false;
  SyncOpenDocuments();
  return true;
}

void LanguageServer::SyncOpenDocuments() {
  for (auto it = open_.begin(); it != open_.end();) {
    auto& [path, document] = *it;
    const std::string absolute = AbsolutePath(path);
    const std::string uri = FileUri(absolute);
    DiskStamp stamp;
    if (DiskStampOf(absolute, &stamp) && stamp == document.stamp) {
      ++it;
      continue;
    }
    std::string text;
    if (!ReadRegularFile(absolute, kMaxCodeBytes, &text, &stamp)) {
      peer_->Notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
      it = open_.erase(it);
      continue;
    }
    if (text != document.text) {
      peer_->Notify("textDocument/didChange",
                    {{"textDocument", {{"uri", uri}, {"version", ++document.version}}},
                     {"contentChanges", {{{"text", text}}}}});
      document.text = std::move(text);
      document.published = nullptr;
    }
    document.stamp = stamp;
    ++it;
  }
}

std::string LanguageServer::AbsolutePath(const std::string& path) const {
  return absl::StartsWith(path, "/") ? path : JoinPath(host_.workspace, path);
}

absl::Status LanguageServer::OpenDocument(const std::string& path) {
  if (open_.count(path) > 0) return absl::OkStatus();
  Document document;
  const std::string absolute = AbsolutePath(path);
  if (!ReadRegularFile(absolute, kMaxCodeBytes, &document.text, &document.stamp)) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path));
  }
  if (!IsUtf8(document.text)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not UTF-8"));
  }
  const size_t dot = path.rfind('.');
  const auto special = spec_.language_id_of.find(dot == std::string::npos ? "" : path.substr(dot));
  peer_->Notify("textDocument/didOpen",
                {{"textDocument",
                  {{"uri", FileUri(absolute)},
                   {"languageId",
                    special == spec_.language_id_of.end() ? spec_.language_id : special->second},
                   {"version", document.version},
                   {"text", document.text}}}});
  open_.emplace(path, std::move(document));
  return absl::OkStatus();
}

absl::Status LanguageServer::WaitUntilReady() {
  STILE_RETURN_IF_ERROR(peer_->Wait([this] { return is_read_; }, time_limit_));
  if (is_indexed_) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(
      peer_->Wait([this] { return index_begun_; }, std::min(kIndexBegins, time_limit_)));
  const absl::Time end = absl::Now() + time_limit_;
  // Threads of clangd that read the index run while nothing else does: on a busy machine never.
  absl::Duration patience = index_is_late_ ? kIndexIsLate : kIndexStalls;
  while (!is_indexed_) {
    const uint64_t seen = index_reports_;
    const absl::Status waited = peer_->Wait([&] { return is_indexed_ || index_reports_ != seen; },
                                            std::min(patience, end - absl::Now()));
    index_is_late_ = absl::IsDeadlineExceeded(waited);
    STILE_RETURN_IF_ERROR(waited);
    patience = kIndexStalls;
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> LanguageServer::Ask(const std::string& method, const CodePlace& place,
                                         Json more, const std::vector<std::string>& users,
                                         std::string* partial) {
  STILE_RETURN_IF_ERROR(peer_->status());
  *partial = spec_.limitation.empty() ? spec_.partial : spec_.limitation;
  STILE_RETURN_IF_ERROR(OpenDocument(place.path));
  if (spec_.opens_users) {
    for (const std::string& path : users) {
      if (open_.size() >= kMaxOpenDocuments) {
        *partial = absl::StrCat(spec_.name, " was shown the first ", kMaxOpenDocuments,
                                " files that hold the name");
        break;
      }
      // A file that cannot be shown is one that the resolver knows nothing of.
      if (!OpenDocument(path).ok() && partial->empty()) {
        *partial = absl::StrCat(spec_.name, " cannot read ", path);
      }
    }
  }
  const absl::Status ready = WaitUntilReady();
  if (absl::IsDeadlineExceeded(ready) && is_read_) {
    *partial = absl::StrCat("the index of ", spec_.name, " is not complete");
  } else if (!ready.ok()) {
    return ready;
  }
  const std::string& text = open_.at(place.path).text;
  if (place.offset > text.size()) {
    return absl::AbortedError(absl::StrCat(place.path, " changed meanwhile"));
  }
  Json params = std::move(more);
  params["textDocument"] = {{"uri", FileUri(AbsolutePath(place.path))}};
  params["position"] = LspLines(text, encoding_).PositionOf(place.offset);
  partial_.clear();
  const int factor = has_answered_ ? 1 : spec_.first_answer_factor;
  absl::StatusOr<Json> answer = peer_->Call(method, std::move(params), factor * time_limit_);
  has_answered_ = has_answered_ || answer.ok();
  if (partial->empty()) *partial = partial_;
  if (!answer.ok() && !spec_.left_out_error.empty() &&
      absl::StrContains(answer.status().message(), spec_.left_out_error)) {
    return absl::NotFoundError(absl::StrCat("the build leaves out ", place.path));
  }
  if (spec_.names_refusals && absl::IsFailedPrecondition(answer.status())) {
    const std::optional<Json> error = RpcErrorOf(answer.status());
    const bool is_refusal = error.has_value() && JsonInt(*error, "code") == kRequestFailed;
    if (!is_refusal) return absl::InternalError(answer.status().message());
  }
  return answer;
}

LspAnswer LanguageServer::NewAnswer() const {
  LspAnswer::Files files;
  files.workspace = host_.workspace;
  files.encoding = encoding_;
  // Ignored files, such as installed packages, are as far away as those of the system.
  files.has = [this](const std::string& path) { return watched_.contains(path); };
  files.shown_text = [this](const std::string& path) {
    const auto document = open_.find(path);
    return document == open_.end() ? nullptr : &document->second.text;
  };
  return LspAnswer(std::move(files));
}

absl::StatusOr<ResolvedPlaces> LanguageServer::AskPlaces(const std::string& method,
                                                         const CodePlace& place, Json more,
                                                         const std::vector<std::string>& users) {
  ResolvedPlaces places;
  STILE_ASSIGN_OR_RETURN(Json answer, Ask(method, place, std::move(more), users, &places.partial));
  if (answer.is_object()) answer = Json::array({std::move(answer)});
  if (!answer.is_array()) return places;
  LspAnswer files = NewAnswer();
  for (const Json& location : answer) {
    const bool is_link = JsonMember(location, "targetUri") != nullptr;
    const auto uri = JsonString(location, is_link ? "targetUri" : "uri");
    const Json* const range = JsonMember(location, is_link ? "targetSelectionRange" : "range");
    if (!uri.has_value() || range == nullptr) {
      return absl::DataLossError("its answer has no location");
    }
    std::string outside;
    const auto path = files.PathOf(*uri, &outside);
    if (!path.has_value()) {
      const Json* const start = JsonMember(*range, "start");
      const int64_t line = start == nullptr ? 0 : JsonInt(*start, "line").value_or(0);
      places.outside.push_back({std::move(outside), static_cast<int>(line) + 1});
      continue;
    }
    STILE_ASSIGN_OR_RETURN(CodeRange found, files.RangeOf(*path, *range));
    places.ranges.push_back(std::move(found));
  }
  const auto sort = [](auto* list) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  };
  sort(&places.ranges);
  sort(&places.outside);
  return places;
}

absl::StatusOr<ResolvedPlaces> LanguageServer::References(const CodePlace& place,
                                                          const std::vector<std::string>& users) {
  STILE_ASSIGN_OR_RETURN(ResolvedPlaces places,
                         AskPlaces("textDocument/references", place,
                                   {{"context", {{"includeDeclaration", true}}}}, users));
  if (spec_.accessors.empty()) return places;
  LspAnswer files = NewAnswer();
  const auto is_accessor = [&](const CodeRange& range) {
    const auto text = files.TextOf(range);
    return text.ok() && std::find(spec_.accessors.begin(), spec_.accessors.end(), *text) !=
                            spec_.accessors.end();
  };
  places.ranges.erase(std::remove_if(places.ranges.begin(), places.ranges.end(), is_accessor),
                      places.ranges.end());
  return places;
}

absl::StatusOr<ResolvedPlaces> LanguageServer::Definition(const CodePlace& place) {
  return AskPlaces("textDocument/definition", place, Json::object(), {});
}

absl::StatusOr<ResolvedPlaces> LanguageServer::Declarations(const CodePlace& place) {
  STILE_RETURN_IF_ERROR(Need("declarationProvider"));
  return AskPlaces("textDocument/declaration", place, Json::object(), {});
}

absl::StatusOr<ResolvedPlaces> LanguageServer::Implementations(const CodePlace& place) {
  STILE_RETURN_IF_ERROR(Need("implementationProvider"));
  return AskPlaces("textDocument/implementation", place, Json::object(), {});
}

absl::StatusOr<std::string> LanguageServer::Hover(const CodePlace& place) {
  STILE_RETURN_IF_ERROR(Need("hoverProvider"));
  std::string partial;
  STILE_ASSIGN_OR_RETURN(const Json answer,
                         Ask("textDocument/hover", place, Json::object(), {}, &partial));
  const Json* const contents = JsonMember(answer, "contents");
  return contents == nullptr ? "" : HoverText(*contents);
}

absl::StatusOr<ResolvedEdits> LanguageServer::Rename(const CodePlace& place,
                                                     const std::string& new_name,
                                                     const std::vector<std::string>& users) {
  std::string partial;
  STILE_ASSIGN_OR_RETURN(const Json answer, Ask("textDocument/rename", place,
                                                {{"newName", new_name}}, users, &partial));
  if (answer.is_null()) return absl::FailedPreconditionError("it finds nothing to rename there");
  STILE_ASSIGN_OR_RETURN(ResolvedEdits edits, NewAnswer().EditsOf(answer));
  edits.partial = std::move(partial);
  return edits;
}

}  // namespace stile
