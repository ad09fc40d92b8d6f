#include "agents/mcp/resources.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agents/api/catalog.h"
#include "agents/api/language_status.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/validation/validation_settings.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/file_uri.h"

namespace stile {
namespace {

constexpr char kLanguages[] = "stile://languages";
constexpr char kRunPrefix[] = "stile://runs/";
constexpr char kDiff[] = "/diff";
constexpr char kCertificate[] = "/certificate";
constexpr char kFiles[] = "/files";
constexpr size_t kMaxUriBytes = 8192;
constexpr size_t kMaxInlineLines = 5000;
constexpr size_t kMaxInlineBytes = size_t{1} << 20;
constexpr size_t kPreviewLines = 200;  // of a longer file
constexpr size_t kMaxCompletions = 100;
constexpr size_t kMaxCertificateBytes = size_t{16} << 20;

Json Content(const std::string& uri, const char* media_type, const std::string& text) {
  return {{{"uri", uri}, {"mimeType", media_type}, {"text", ToUtf8(text)}}};
}

absl::StatusOr<Json> ReadLanguages(McpWorkspaces* workspaces) {
  const McpOptions& options = workspaces->options();
  STILE_ASSIGN_OR_RETURN(AgentOptions agent_options, options.make_options(options.root, {}));
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent,
                         Agent::Create(std::move(agent_options)));
  Json list = Json::array();
  for (const LanguageStatus& status : agent->Languages()) {
    list.push_back({{"language", status.language},
                    {"name", status.name},
                    {"level", std::string(LevelName(status.level))},
                    {"validator", status.validator},
                    {"available", status.toolchain.available},
                    {"version", ToUtf8(status.toolchain.version)},
                    {"install_hint", status.toolchain.install_hint}});
  }
  return Content(kLanguages, "application/json", DumpJson(list));
}

absl::Status NoResource(absl::string_view uri) {
  constexpr size_t kShown = 500;
  return absl::NotFoundError(absl::StrCat("there is no resource ", ToUtf8(uri.substr(0, kShown))));
}

// The run with exactly this id, if its folder is served.
absl::StatusOr<RunSummary> ServedRun(McpWorkspaces* workspaces, absl::string_view id) {
  absl::StatusOr<RunSummary> run = workspaces->runs()->Find(std::string(id));
  if (!run.ok() || run->id != id || !workspaces->IsServed(run->workspace)) return NoResource(id);
  return run;
}

size_t CountLines(absl::string_view text) {
  const auto ends = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

absl::StatusOr<Json> ReadCertificate(McpWorkspaces* workspaces, const RunSummary& run,
                                     const std::string& uri) {
  STILE_ASSIGN_OR_RETURN(const RunRecord record, workspaces->runs()->Show(run.id));
  if (record.certificate.empty()) {
    return absl::NotFoundError(absl::StrCat("run ", run.id, " has no certificate"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         DiskFileSystem()->ReadFile(record.certificate, kMaxCertificateBytes));
  return Content(uri, "application/json", text);
}

// What the run changed. FailedPrecondition while a process works on it.
absl::StatusOr<std::vector<RecordedChange>> ChangesOf(McpWorkspaces* workspaces,
                                                      const RunSummary& run) {
  STILE_ASSIGN_OR_RETURN(RunRecord record, workspaces->runs()->Show(run.id));
  if (record.changes.has_value()) return *std::move(record.changes);
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run.id, " is still at work, or did not record what it changed"));
}

// The files that a run changed, with their sizes: their contents are resources of their own.
absl::StatusOr<Json> ReadFileList(McpWorkspaces* workspaces, const RunSummary& run,
                                  const std::string& uri) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, ChangesOf(workspaces, run));
  Json files = Json::array();
  size_t lines = 0;
  size_t deleted = 0;
  for (const RecordedChange& change : changes) {
    Json file = {{"change", !change.before.has_value()  ? "added"
                            : !change.after.has_value() ? "deleted"
                                                        : "modified"}};
    SetPath(&file, "path", change.path);
    if (!change.after.has_value()) ++deleted;
    // Deleted, or not stored any more: there is nothing to read.
    const absl::StatusOr<std::string> content = workspaces->runs()->Content(change);
    if (content.ok()) {
      const size_t count = CountLines(*content);
      lines += count;
      file["lines"] = count;
      file["bytes"] = content->size();
      file["uri"] = absl::StrCat(kRunPrefix, run.id, kFiles, "/", PercentEncoded(change.path));
    }
    files.push_back(std::move(file));
  }
  const Json list = {
      {"count", files.size()}, {"deleted", deleted}, {"lines", lines}, {"files", files}};
  return Content(uri, "application/json", DumpJson(list));
}

// A long file as its beginning: a peer that wants all of it has the workspace.
absl::StatusOr<Json> ReadChangedFile(McpWorkspaces* workspaces, const RunSummary& run,
                                     const std::string& path, const std::string& uri) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RecordedChange> changes, ChangesOf(workspaces, run));
  const auto change = std::find_if(changes.begin(), changes.end(),
                                   [&](const RecordedChange& one) { return one.path == path; });
  if (change == changes.end()) return NoResource(uri);
  STILE_ASSIGN_OR_RETURN(const std::string content, workspaces->runs()->Content(*change));
  if (!IsUtf8(content) || absl::StrContains(content, '\0')) {
    if (content.size() > kMaxInlineBytes) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(path), " has ", content.size(), " bytes; read it in the workspace"));
    }
    return Json{
        {{"uri", uri}, {"mimeType", "application/octet-stream"}, {"blob", Base64Encode(content)}}};
  }
  const size_t lines = CountLines(content);
  if (lines <= kMaxInlineLines && content.size() <= kMaxInlineBytes) {
    return Content(uri, "text/plain", content);
  }
  absl::string_view rest = content;
  size_t shown = 0;
  while (shown < kPreviewLines && !rest.empty()) {
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    ++shown;
  }
  const size_t size = std::min(content.size() - rest.size(), kMaxInlineBytes);
  Json contents = Content(uri, "text/plain", ToUtf8(content.substr(0, size)));
  contents[0]["_meta"] = {
      {"stile/preview", true}, {"stile/lines", lines}, {"stile/bytes", content.size()}};
  return contents;
}

// The parts of stile://runs/ID/PART. `path`: of a changed file, where the part is "/files/PATH".
struct RunUri {
  std::string id;
  std::string part;  // "", or one of the constants above
  std::optional<std::string> path;
};

// nullopt: it is no URI of a run.
std::optional<RunUri> ParseRunUri(absl::string_view uri) {
  if (uri.size() > kMaxUriBytes || !absl::ConsumePrefix(&uri, kRunPrefix)) return std::nullopt;
  const size_t slash = std::min(uri.find('/'), uri.size());
  RunUri parsed{std::string(uri.substr(0, slash)), std::string(uri.substr(slash)), std::nullopt};
  for (const char* known : {"", kDiff, kCertificate, kFiles}) {
    if (parsed.part == known) return parsed;
  }
  absl::string_view path = parsed.part;
  if (!absl::ConsumePrefix(&path, kFiles) || !absl::ConsumePrefix(&path, "/")) return std::nullopt;
  parsed.path = PercentDecoded(path);
  return parsed.path.has_value() ? std::optional(parsed) : std::nullopt;
}

absl::StatusOr<Json> ReadRun(McpWorkspaces* workspaces, const std::string& uri) {
  const std::optional<RunUri> parsed = ParseRunUri(uri);
  if (!parsed.has_value()) return NoResource(uri);
  const absl::StatusOr<RunSummary> run = ServedRun(workspaces, parsed->id);
  if (!run.ok()) return NoResource(uri);
  if (parsed->path.has_value()) return ReadChangedFile(workspaces, *run, *parsed->path, uri);
  if (parsed->part == kDiff) {
    STILE_ASSIGN_OR_RETURN(const std::string diff, workspaces->runs()->Diff(run->id));
    return Content(uri, "text/x-diff", diff);
  }
  if (parsed->part == kCertificate) return ReadCertificate(workspaces, *run, uri);
  if (parsed->part == kFiles) return ReadFileList(workspaces, *run, uri);
  return Content(uri, "application/json", DumpJson(ToJson(*run)));
}

// The runs of served folders, the newest first.
absl::StatusOr<std::vector<RunSummary>> ServedRuns(McpWorkspaces* workspaces) {
  STILE_ASSIGN_OR_RETURN(std::vector<RunSummary> runs, workspaces->runs()->List(false));
  std::erase_if(runs, [&](const RunSummary& run) { return !workspaces->IsServed(run.workspace); });
  return runs;
}

// What can stand for the variable of a resource template.
absl::StatusOr<std::vector<std::string>> ValuesOf(McpWorkspaces* workspaces,
                                                  const std::string& variable,
                                                  const std::string& run_id) {
  std::vector<std::string> values;
  if (variable == "id") {
    STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, ServedRuns(workspaces));
    for (const RunSummary& run : runs) values.push_back(run.id);
  }
  const absl::StatusOr<RunSummary> run = ServedRun(workspaces, run_id);
  if (variable != "path" || !run.ok()) return values;
  const absl::StatusOr<std::vector<RecordedChange>> changes = ChangesOf(workspaces, *run);
  if (!changes.ok()) return values;
  for (const RecordedChange& change : *changes) {
    if (change.after.has_value()) values.push_back(ToUtf8(change.path));
  }
  return values;
}

}  // namespace

absl::StatusOr<Json> ListResources(McpWorkspaces* workspaces) {
  Json list = {{{"uri", kLanguages},
                {"name", "languages"},
                {"title", "What this machine can validate"},
                {"mimeType", "application/json"}}};
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, ServedRuns(workspaces));
  for (const RunSummary& run : runs) {
    const std::string task = ToUtf8(run.task.substr(0, run.task.find('\n')));
    list.push_back({{"uri", absl::StrCat(kRunPrefix, run.id)},
                    {"name", run.id},
                    {"title", absl::StrCat(run.kind, " ", run.id, ": ", run.outcome)},
                    {"description", task},
                    {"mimeType", "application/json"}});
  }
  return list;
}

Json ListResourceTemplates() {
  const auto row = [](const char* name, const char* title, absl::string_view suffix,
                      const char* media_type) {
    return Json{{"uriTemplate", absl::StrCat(kRunPrefix, "{id}", suffix)},
                {"name", name},
                {"title", title},
                {"mimeType", media_type}};
  };
  return {row("run", "Summary of a run", "", "application/json"),
          row("run_diff", "What a run changed, as a patch", kDiff, "text/x-diff"),
          row("run_files", "The files that a run changed, with their sizes", kFiles,
              "application/json"),
          row("run_file", "A file as a run left it; of a long one its beginning",
              absl::StrCat(kFiles, "/{+path}"), "text/plain"),
          row("run_certificate", "Proof of an accepted run", kCertificate, "application/json")};
}

absl::StatusOr<Json> ReadResource(McpWorkspaces* workspaces, const std::string& uri) {
  if (uri == kLanguages) return ReadLanguages(workspaces);
  if (absl::StartsWith(uri, kRunPrefix)) return ReadRun(workspaces, uri);
  return absl::NotFoundError(absl::StrCat("there is no resource ", ToUtf8(uri)));
}

absl::StatusOr<std::string> RunOfResource(McpWorkspaces* workspaces, const std::string& uri) {
  if (uri == kLanguages) return "";
  const std::optional<RunUri> parsed = ParseRunUri(uri);
  if (!parsed.has_value()) return NoResource(uri);
  const absl::StatusOr<RunSummary> run = ServedRun(workspaces, parsed->id);
  if (!run.ok()) return NoResource(uri);
  return run->id;
}

absl::StatusOr<Json> CompleteArgument(McpWorkspaces* workspaces, const Json& params) {
  const Json* const reference = JsonMember(params, "ref");
  const Json* const argument = JsonMember(params, "argument");
  if (reference == nullptr || argument == nullptr) {
    return absl::InvalidArgumentError("completion/complete needs \"ref\" and \"argument\"");
  }
  const std::string type = JsonString(*reference, "type").value_or("");
  const auto name = JsonString(*argument, "name");
  const auto value = JsonString(*argument, "value");
  if (!name.has_value() || !value.has_value()) {
    return absl::InvalidArgumentError("\"argument\" needs \"name\" and \"value\"");
  }
  std::vector<std::string> values;
  if (type == "ref/prompt") {
    STILE_RETURN_IF_ERROR(GetPrompt(JsonString(*reference, "name").value_or("")).status());
  } else if (type == "ref/resource") {
    const Json* const context = JsonMember(params, "context");
    const Json* const known = context == nullptr ? nullptr : JsonMember(*context, "arguments");
    const std::string run = known == nullptr ? "" : JsonString(*known, "id").value_or("");
    const std::string uri = JsonString(*reference, "uri").value_or("");
    if (absl::StartsWith(uri, kRunPrefix)) {
      STILE_ASSIGN_OR_RETURN(values, ValuesOf(workspaces, *name, run));
    }
  } else {
    return absl::InvalidArgumentError("\"ref\" is of no known type");
  }
  std::erase_if(values, [&](const std::string& one) { return !absl::StartsWith(one, *value); });
  const size_t total = values.size();
  if (total > kMaxCompletions) values.resize(kMaxCompletions);
  return Json{
      {"completion", {{"values", values}, {"total", total}, {"hasMore", total > kMaxCompletions}}}};
}

Json ListPrompts() {
  Json list = Json::array();
  for (const CodingPattern& pattern : BundledPatterns()) {
    list.push_back({{"name", pattern.name}, {"description", pattern.description}});
  }
  return list;
}

absl::StatusOr<Json> GetPrompt(const std::string& name) {
  for (const CodingPattern& pattern : BundledPatterns()) {
    if (pattern.name != name) continue;
    return Json{{"description", pattern.description},
                {"messages",
                 {{{"role", "user"}, {"content", {{"type", "text"}, {"text", pattern.text}}}}}}};
  }
  return absl::NotFoundError(absl::StrCat("there is no prompt ", ToUtf8(name)));
}

}  // namespace stile
