// Diagnostics, code actions and completions of a language server.
#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_uri.h"
#include "tools/resolve/language_server.h"

namespace stile {
namespace {

// A server that sends diagnostics of its own accord may have nothing new to say.
constexpr absl::Duration kPublishTime = absl::Seconds(5);
constexpr size_t kMaxProblems = 2000;
constexpr size_t kMaxProblemsOfRange = 8;
constexpr size_t kMaxActions = 200;
constexpr size_t kMaxCompletions = 20'000;
constexpr int kError = 1;
constexpr int kUnnecessary = 1;
constexpr char kOrganizeImports[] = "source.organizeImports";

bool HoldsValue(const Json* list, const Json& value) {
  return list != nullptr && list->is_array() &&
         std::find(list->begin(), list->end(), value) != list->end();
}

std::string CodeOf(const Json& diagnostic) {
  const Json* const code = JsonMember(diagnostic, "code");
  if (code == nullptr) return "";
  return code->is_number_integer() ? absl::StrCat(code->get<int64_t>())
                                   : JsonString(diagnostic, "code").value_or("");
}

bool BeginsLike(const std::string& title, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const std::string& beginning) {
    return absl::StartsWithIgnoreCase(title, beginning);
  });
}

}  // namespace

bool LanguageServer::Offers(const char* capability) const {
  const Json* const offered = JsonMember(capabilities_, capability);
  return offered != nullptr && !offered->is_null() && *offered != false;
}

absl::Status LanguageServer::Need(const char* capability) const {
  if (Offers(capability)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(spec_.name, " has no ", capability));
}

absl::Status LanguageServer::Show(const std::string& path) {
  STILE_RETURN_IF_ERROR(peer_->status());
  STILE_RETURN_IF_ERROR(OpenDocument(path));
  const absl::Status ready = WaitUntilReady();
  return absl::IsDeadlineExceeded(ready) && is_read_ ? absl::OkStatus() : ready;
}

void LanguageServer::NoteRegistrations(const Json& params) {
  const Json* const registrations = JsonMember(params, "registrations");
  if (registrations == nullptr || !registrations->is_array()) return;
  for (const Json& registration : *registrations) {
    pulls_diagnostics_ |= JsonString(registration, "method") == "textDocument/diagnostic";
  }
}

void LanguageServer::OnPublished(const Json& params) {
  const Json* const diagnostics = JsonMember(params, "diagnostics");
  std::string outside;
  const auto path = NewAnswer().PathOf(JsonString(params, "uri").value_or(""), &outside);
  const auto document = open_.find(path.value_or(""));
  if (document == open_.end() || diagnostics == nullptr || !diagnostics->is_array()) return;
  if (diagnostics->size() > kMaxProblems) return;
  document->second.published = *diagnostics;
  document->second.published_version =
      static_cast<int>(JsonInt(params, "version").value_or(document->second.version));
}

absl::StatusOr<Json> LanguageServer::Diagnostics(const std::string& path) {
  STILE_RETURN_IF_ERROR(Show(path));
  const Document& document = open_.at(path);
  const auto pulls = [&] { return pulls_diagnostics_ || Offers("diagnosticProvider"); };
  const auto is_published = [&] {
    return !document.published.is_null() && document.published_version >= document.version;
  };
  // It may say only now that it wants to be asked.
  const absl::Status ready =
      peer_->Wait([&] { return pulls() || is_published(); }, std::min(kPublishTime, time_limit_));
  if (!ready.ok() && !absl::IsDeadlineExceeded(ready)) return ready;
  if (pulls()) {
    STILE_ASSIGN_OR_RETURN(
        const Json report,
        peer_->Call("textDocument/diagnostic",
                    {{"textDocument", {{"uri", FileUri(AbsolutePath(path))}}}}, time_limit_));
    const Json* const items = JsonMember(report, "items");
    return items != nullptr && items->is_array() ? *items : Json::array();
  }
  if (document.published.is_null()) {
    return absl::DeadlineExceededError(absl::StrCat(spec_.name, " sent no diagnostics"));
  }
  return document.published;
}

absl::StatusOr<std::vector<ResolvedProblem>> LanguageServer::Problems(const std::string& path) {
  if (!spec_.tells_diagnostics) {
    return absl::UnimplementedError(absl::StrCat(spec_.name, " tells no diagnostics"));
  }
  STILE_ASSIGN_OR_RETURN(const Json diagnostics, Diagnostics(path));
  std::vector<ResolvedProblem> problems;
  LspAnswer files = NewAnswer();
  for (const Json& diagnostic : diagnostics) {
    const Json* const range = JsonMember(diagnostic, "range");
    if (range == nullptr || problems.size() >= kMaxProblems) continue;
    // Those of an older text may not fit.
    auto place = files.RangeOf(path, *range);
    if (!place.ok()) continue;
    problems.push_back({*std::move(place),
                        JsonInt(diagnostic, "severity").value_or(kError) == kError,
                        HoldsValue(JsonMember(diagnostic, "tags"), kUnnecessary),
                        CodeOf(diagnostic), JsonString(diagnostic, "message").value_or("")});
  }
  std::stable_sort(
      problems.begin(), problems.end(),
      [](const ResolvedProblem& a, const ResolvedProblem& b) { return a.range < b.range; });
  return problems;
}

absl::StatusOr<Json> LanguageServer::CodeActions(const std::string& path, Json range,
                                                 Json context) {
  STILE_ASSIGN_OR_RETURN(Json actions,
                         peer_->Call("textDocument/codeAction",
                                     {{"textDocument", {{"uri", FileUri(AbsolutePath(path))}}},
                                      {"range", std::move(range)},
                                      {"context", std::move(context)}},
                                     time_limit_));
  return actions.is_array() ? std::move(actions) : Json::array();
}

absl::StatusOr<std::vector<ResolvedEdit>> LanguageServer::EditsOfAction(const std::string& path,
                                                                        const Json& action) {
  Json edit;
  // gopls writes an empty edit beside a command.
  if (const Json* own = JsonMember(action, "edit"); own != nullptr && !own->empty()) edit = *own;
  const Json* const provider = JsonMember(capabilities_, "codeActionProvider");
  const bool resolves =
      provider != nullptr && JsonBool(*provider, "resolveProvider").value_or(false);
  if (edit.is_null() && resolves && JsonMember(action, "data") != nullptr) {
    STILE_ASSIGN_OR_RETURN(const Json whole,
                           peer_->Call("codeAction/resolve", action, time_limit_));
    if (const Json* resolved = JsonMember(whole, "edit")) edit = *resolved;
  }
  // An action is a command itself, or has one.
  const Json* command = JsonMember(action, "command");
  if (command != nullptr && command->is_string()) command = &action;
  if (edit.is_null() && command != nullptr) {
    const std::string name = JsonString(*command, "command").value_or("");
    const Json* const executes = JsonMember(capabilities_, "executeCommandProvider");
    if (executes == nullptr || !HoldsValue(JsonMember(*executes, "commands"), name)) {
      return absl::DataLossError("it names a command that it does not have");
    }
    Json params = {{"command", name}};
    if (const Json* arguments = JsonMember(*command, "arguments")) params["arguments"] = *arguments;
    command_edit_ = Json(nullptr);
    const auto done = peer_->Call("workspace/executeCommand", std::move(params), time_limit_);
    edit = *std::exchange(command_edit_, std::nullopt);
    STILE_RETURN_IF_ERROR(done.status());
  }
  STILE_ASSIGN_OR_RETURN(ResolvedEdits edits, NewAnswer().EditsOf(edit));
  for (const ResolvedEdit& change : edits.edits) {
    if (change.range.path == path) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("it would change ", change.range.path, ", too"));
  }
  return std::move(edits.edits);
}

absl::StatusOr<OfferedChanges> LanguageServer::Fixes(const CodeRange& range,
                                                     const std::string& title) {
  STILE_RETURN_IF_ERROR(Need("codeActionProvider"));
  STILE_RETURN_IF_ERROR(Show(range.path));
  const std::string& text = open_.at(range.path).text;
  if (range.end > text.size()) {
    return absl::AbortedError(absl::StrCat(range.path, " changed meanwhile"));
  }
  const LspLines lines(text, encoding_);
  const Json whole = {{"start", lines.PositionOf(range.begin)},
                      {"end", lines.PositionOf(range.end)}};
  // One that tells no diagnostics looks for them itself.
  Json diagnostics = Json::array({{{"range", whole}}});
  if (spec_.tells_diagnostics) {
    STILE_ASSIGN_OR_RETURN(diagnostics, Diagnostics(range.path));
  }
  const int64_t first = JsonInt(lines.PositionOf(range.begin), "line").value_or(0);
  const int64_t last = JsonInt(lines.PositionOf(range.end), "line").value_or(0);
  OfferedChanges offered;
  std::set<std::string> seen;
  size_t asked = 0;
  for (const Json& diagnostic : diagnostics) {
    const Json* const place = JsonMember(diagnostic, "range");
    const Json* const start = place == nullptr ? nullptr : JsonMember(*place, "start");
    const int64_t line = start == nullptr ? -1 : JsonInt(*start, "line").value_or(-1);
    if (line < first || line > last || asked == kMaxProblemsOfRange) continue;
    ++asked;
    const Json context = spec_.tells_diagnostics ? Json::array({diagnostic}) : Json::array();
    STILE_ASSIGN_OR_RETURN(const Json actions,
                           CodeActions(range.path, *place, {{"diagnostics", context}}));
    for (const Json& action : actions) {
      const std::string name = JsonString(action, "title").value_or("");
      if (name.empty() || JsonMember(action, "disabled") != nullptr) continue;
      if (seen.size() >= kMaxActions || !seen.insert(name).second) continue;
      if (title.empty() ? !BeginsLike(name, spec_.fix_titles) : name != title) {
        offered.other_titles.push_back(name);
        continue;
      }
      auto edits = EditsOfAction(range.path, action);
      if (!peer_->status().ok()) return peer_->status();
      if (absl::IsCancelled(edits.status())) return edits.status();
      // An action whose edits cannot be used is as good as none.
      if (!edits.ok() || edits->empty()) continue;
      offered.changes.push_back(
          {name, JsonBool(action, "isPreferred").value_or(false), *std::move(edits)});
    }
  }
  std::stable_partition(offered.changes.begin(), offered.changes.end(),
                        [](const OfferedChange& change) { return change.is_preferred; });
  return offered;
}

absl::StatusOr<std::vector<ResolvedEdit>> LanguageServer::OrganizeImports(const std::string& path) {
  STILE_RETURN_IF_ERROR(Need("codeActionProvider"));
  if (!spec_.organizes_imports) {
    return absl::UnimplementedError(absl::StrCat(spec_.name, " removes no imports"));
  }
  if (!spec_.unused_import_code.empty()) {
    STILE_ASSIGN_OR_RETURN(const Json diagnostics, Diagnostics(path));
    for (const Json& diagnostic : diagnostics) {
      const Json* const range = JsonMember(diagnostic, "range");
      if (CodeOf(diagnostic) != spec_.unused_import_code || range == nullptr) continue;
      STILE_ASSIGN_OR_RETURN(
          const Json actions,
          CodeActions(path, *range, {{"diagnostics", Json::array({diagnostic})}}));
      for (const Json& action : actions) {
        if (JsonString(action, "title") == spec_.unused_import_title) {
          return EditsOfAction(path, action);
        }
      }
    }
    return std::vector<ResolvedEdit>();
  }
  if (!HoldsValue(JsonMember(capabilities_.at("codeActionProvider"), "codeActionKinds"),
                  kOrganizeImports)) {
    return absl::UnimplementedError(absl::StrCat(spec_.name, " does not organize imports"));
  }
  STILE_RETURN_IF_ERROR(Show(path));
  const std::string& text = open_.at(path).text;
  const LspLines lines(text, encoding_);
  STILE_ASSIGN_OR_RETURN(
      const Json actions,
      CodeActions(path, {{"start", lines.PositionOf(0)}, {"end", lines.PositionOf(text.size())}},
                  {{"diagnostics", Json::array()}, {"only", {kOrganizeImports}}}));
  for (const Json& action : actions) {
    if (JsonString(action, "kind") == kOrganizeImports) return EditsOfAction(path, action);
  }
  return std::vector<ResolvedEdit>();
}

absl::StatusOr<std::vector<std::string>> LanguageServer::Completions(const CodePlace& place) {
  STILE_RETURN_IF_ERROR(Need("completionProvider"));
  std::string partial;
  STILE_ASSIGN_OR_RETURN(const Json answer, Ask("textDocument/completion", place,
                                                {{"context", {{"triggerKind", 1}}}}, {}, &partial));
  const Json* items = answer.is_array() ? &answer : JsonMember(answer, "items");
  std::set<std::string> names;
  if (items == nullptr || !items->is_array()) return std::vector<std::string>();
  for (const Json& item : *items) {
    if (names.size() >= kMaxCompletions) break;
    const std::string filter = JsonString(item, "filterText").value_or("");
    // clangd writes a sign before the label, and parameters behind it.
    std::string name = filter.empty() ? JsonString(item, "label").value_or("") : filter;
    if (!name.empty()) names.insert(std::move(name));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace stile
