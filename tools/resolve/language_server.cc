#include "tools/resolve/language_server.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxOpenDocuments = 2000;
constexpr size_t kMaxUnreadBytes = size_t{256} << 20;
// A server that has read its project says within this time that it begins to index it.
constexpr absl::Duration kIndexBegins = absl::Seconds(10);

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
            {"rename", Json::object()}}}};
}

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
  JsonRpcPeer::Handlers handlers;
  handlers.on_request = [self](const std::string& method, const Json& params) {
    return self->OnRequest(method, params);
  };
  handlers.on_notification = [self](const std::string& method, const Json& params) {
    self->OnNotification(method, params);
  };
  self->peer_ = std::make_unique<JsonRpcPeer>(std::move(child), std::move(handlers),
                                              self->host_.cancellation);
  STILE_RETURN_IF_ERROR(self->Greet());
  return server;
}

Json LanguageServer::InitializationOptions() const {
  if (spec_.names_files.empty()) return spec_.initialization;
  Json files = Json::array();
  const std::string folder = absl::StrCat(host_.root, "/");
  host_.list_files([&](const std::string& path) {
    const std::string absolute = JoinPath(host_.workspace, path);
    absl::string_view below = absolute;
    const bool is_wanted = absl::EndsWith(path, spec_.names_files) && IsUtf8(path);
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

absl::StatusOr<Json> LanguageServer::OnRequest(const std::string& method,
                                               const Json& params) const {
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
  // Nothing is changed on a server's own initiative.
  if (method == "workspace/applyEdit") return Json{{"applied", false}};
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
    return;
  }
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
  std::map<std::string, DiskStamp> now;
  host_.list_files([&](const std::string& path) {
    DiskStamp stamp;
    if (DiskStampOf(JoinPath(host_.workspace, path), &stamp)) now.emplace(path, stamp);
  });
  Json changes = Json::array();
  const auto add = [&](const std::string& path, int type) {
    changes.push_back({{"uri", FileUri(JoinPath(host_.workspace, path))}, {"type", type}});
  };
  for (const auto& [path, stamp] : now) {
    const auto before = watched_.find(path);
    if (before == watched_.end()) {
      add(path, kFileCreated);
    } else if (before->second != stamp) {
      add(path, kFileChanged);
    }
  }
  for (const auto& [path, stamp] : watched_) {
    if (now.count(path) == 0) add(path, kFileDeleted);
  }
  const bool is_first = watched_.empty();
  watched_ = std::move(now);
  const size_t count = is_first ? 0 : changes.size();
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
  return peer_->Wait([this] { return is_indexed_; }, time_limit_);
}

absl::StatusOr<Json> LanguageServer::Ask(const std::string& method, const CodePlace& place,
                                         Json more, const std::vector<std::string>& users,
                                         std::string* partial) {
  STILE_RETURN_IF_ERROR(peer_->status());
  *partial = spec_.partial;
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
  absl::StatusOr<Json> answer = peer_->Call(method, std::move(params), time_limit_);
  if (partial->empty()) *partial = partial_;
  return answer;
}

std::optional<std::string> LanguageServer::PathOf(const std::string& uri,
                                                  std::string* outside) const {
  const std::optional<std::string> path = PathOfFileUri(uri);
  if (!path.has_value()) {
    *outside = uri;
    return std::nullopt;
  }
  const auto inside = ResolveInWorkspace(host_.workspace, CleanPath(*path));
  // Ignored files, such as installed packages, are as far away as those of the system.
  if (inside.ok() && watched_.count(inside->relative) > 0) return inside->relative;
  *outside = *path;
  return std::nullopt;
}

class LanguageServer::AnsweredFiles {
 public:
  explicit AnsweredFiles(const LanguageServer* server) : server_(*server) {}

  absl::StatusOr<CodeRange> RangeOf(const std::string& path, const Json& range) {
    const Json* const start = JsonMember(range, "start");
    const Json* const end = JsonMember(range, "end");
    if (start == nullptr || end == nullptr) return absl::DataLossError("its answer has no range");
    STILE_ASSIGN_OR_RETURN(const File* file, Open(path));
    CodeRange found{path};
    STILE_ASSIGN_OR_RETURN(found.begin, file->lines->OffsetOf(*start));
    STILE_ASSIGN_OR_RETURN(found.end, file->lines->OffsetOf(*end));
    if (found.end < found.begin) return absl::DataLossError("a range of its answer ends early");
    return found;
  }

  // Of a range that RangeOf gave.
  absl::StatusOr<absl::string_view> TextOf(const CodeRange& range) {
    STILE_ASSIGN_OR_RETURN(const File* file, Open(range.path));
    return file->text.substr(range.begin, range.end - range.begin);
  }

 private:
  struct File {
    std::string own_text;  // where the document is not open
    absl::string_view text;
    std::optional<LspLines> lines;
  };

  absl::StatusOr<const File*> Open(const std::string& path) {
    File& file = files_[path];
    if (file.lines.has_value()) return &file;
    const auto document = server_.open_.find(path);
    if (document != server_.open_.end()) {
      file.text = document->second.text;
    } else if (ReadRegularFile(JoinPath(server_.host_.workspace, path), kMaxCodeBytes,
                               &file.own_text)) {
      file.text = file.own_text;
    } else {
      return absl::DataLossError(absl::StrCat("it names ", path, ", which cannot be read"));
    }
    file.lines.emplace(file.text, server_.encoding_);
    return &file;
  }

  const LanguageServer& server_;
  std::map<std::string, File> files_;
};

absl::StatusOr<ResolvedPlaces> LanguageServer::AskPlaces(const std::string& method,
                                                         const CodePlace& place, Json more,
                                                         const std::vector<std::string>& users) {
  ResolvedPlaces places;
  STILE_ASSIGN_OR_RETURN(Json answer, Ask(method, place, std::move(more), users, &places.partial));
  if (answer.is_object()) answer = Json::array({std::move(answer)});
  if (!answer.is_array()) return places;
  AnsweredFiles files(this);
  for (const Json& location : answer) {
    const bool is_link = JsonMember(location, "targetUri") != nullptr;
    const auto uri = JsonString(location, is_link ? "targetUri" : "uri");
    const Json* const range = JsonMember(location, is_link ? "targetSelectionRange" : "range");
    if (!uri.has_value() || range == nullptr) {
      return absl::DataLossError("its answer has no location");
    }
    std::string outside;
    const auto path = PathOf(*uri, &outside);
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
  AnsweredFiles files(this);
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

absl::StatusOr<ResolvedPlaces> LanguageServer::Implementations(const CodePlace& place) {
  const Json* const offered = JsonMember(capabilities_, "implementationProvider");
  if (offered == nullptr || *offered == false) {
    return absl::UnimplementedError(absl::StrCat(spec_.name, " knows no implementations"));
  }
  return AskPlaces("textDocument/implementation", place, Json::object(), {});
}

absl::StatusOr<std::string> LanguageServer::Hover(const CodePlace& place) {
  const Json* const offered = JsonMember(capabilities_, "hoverProvider");
  if (offered == nullptr || *offered == false) {
    return absl::UnimplementedError(absl::StrCat(spec_.name, " has no hover"));
  }
  std::string partial;
  STILE_ASSIGN_OR_RETURN(const Json answer,
                         Ask("textDocument/hover", place, Json::object(), {}, &partial));
  const Json* const contents = JsonMember(answer, "contents");
  return contents == nullptr ? "" : HoverText(*contents);
}

absl::Status LanguageServer::AddEdits(const std::string& uri, const Json& edits,
                                      AnsweredFiles* files, ResolvedEdits* found) const {
  std::string outside;
  const auto path = PathOf(uri, &outside);
  if (!path.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(outside, ", which is no file of the project, would have to change"));
  }
  if (!edits.is_array()) return absl::DataLossError("its answer has no list of edits");
  for (const Json& edit : edits) {
    const Json* const range = JsonMember(edit, "range");
    const auto text = JsonString(edit, "newText");
    if (range == nullptr || !text.has_value()) return absl::DataLossError("it sent a broken edit");
    STILE_ASSIGN_OR_RETURN(CodeRange place, files->RangeOf(*path, *range));
    found->edits.push_back({std::move(place), *text});
  }
  return absl::OkStatus();
}

absl::StatusOr<ResolvedEdits> LanguageServer::EditsOf(const Json& workspace_edit) const {
  ResolvedEdits found;
  AnsweredFiles files(this);
  const Json* const documents = JsonMember(workspace_edit, "documentChanges");
  const Json* const changes = JsonMember(workspace_edit, "changes");
  if (documents != nullptr && documents->is_array()) {
    for (const Json& change : *documents) {
      const Json* const document = JsonMember(change, "textDocument");
      const Json* const edits = JsonMember(change, "edits");
      if (document == nullptr || edits == nullptr) {
        return absl::FailedPreconditionError("it wants to create, move or delete files");
      }
      STILE_RETURN_IF_ERROR(
          AddEdits(JsonString(*document, "uri").value_or(""), *edits, &files, &found));
    }
  } else if (changes != nullptr && changes->is_object()) {
    for (const auto& [uri, edits] : changes->items()) {
      STILE_RETURN_IF_ERROR(AddEdits(uri, edits, &files, &found));
    }
  }
  std::sort(found.edits.begin(), found.edits.end(),
            [](const ResolvedEdit& a, const ResolvedEdit& b) { return a.range < b.range; });
  // Servers name a file twice where two of its projects have it.
  found.edits.erase(std::unique(found.edits.begin(), found.edits.end(),
                                [](const ResolvedEdit& a, const ResolvedEdit& b) {
                                  return a.range == b.range && a.text == b.text;
                                }),
                    found.edits.end());
  for (size_t i = 1; i < found.edits.size(); ++i) {
    const CodeRange& before = found.edits[i - 1].range;
    const CodeRange& range = found.edits[i].range;
    if (before.path == range.path && range.begin < before.end) {
      return absl::DataLossError(absl::StrCat("its edits of ", range.path, " overlap"));
    }
  }
  return found;
}

absl::StatusOr<ResolvedEdits> LanguageServer::Rename(const CodePlace& place,
                                                     const std::string& new_name,
                                                     const std::vector<std::string>& users) {
  std::string partial;
  STILE_ASSIGN_OR_RETURN(const Json answer, Ask("textDocument/rename", place,
                                                {{"newName", new_name}}, users, &partial));
  if (answer.is_null()) return absl::FailedPreconditionError("it finds nothing to rename there");
  STILE_ASSIGN_OR_RETURN(ResolvedEdits edits, EditsOf(answer));
  edits.partial = std::move(partial);
  return edits;
}

}  // namespace stile
