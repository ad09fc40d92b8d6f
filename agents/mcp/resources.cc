#include "agents/mcp/resources.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agents/api/catalog.h"
#include "agents/api/language_status.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/validation/level.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr char kLanguages[] = "stile://languages";
constexpr char kRunPrefix[] = "stile://runs/";
constexpr char kDiff[] = "/diff";
constexpr char kCertificate[] = "/certificate";
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

absl::StatusOr<Json> ReadRun(McpWorkspaces* workspaces, const std::string& uri) {
  absl::string_view id = uri;
  id.remove_prefix(sizeof(kRunPrefix) - 1);
  const bool wants_diff = absl::ConsumeSuffix(&id, kDiff);
  const bool wants_certificate = !wants_diff && absl::ConsumeSuffix(&id, kCertificate);
  const absl::StatusOr<RunSummary> found = workspaces->runs()->Find(std::string(id));
  if (!found.ok() || found->id != id || !workspaces->IsServed(found->workspace)) {
    return absl::NotFoundError(absl::StrCat("there is no resource ", ToUtf8(uri)));
  }
  const RunSummary& run = *found;
  if (wants_diff) {
    STILE_ASSIGN_OR_RETURN(const std::string diff, workspaces->runs()->Diff(run.id));
    return Content(uri, "text/x-diff", diff);
  }
  if (!wants_certificate) return Content(uri, "application/json", DumpJson(ToJson(run)));
  STILE_ASSIGN_OR_RETURN(const RunRecord record, workspaces->runs()->Show(run.id));
  if (record.certificate.empty()) {
    return absl::NotFoundError(absl::StrCat("run ", run.id, " has no certificate"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         DiskFileSystem()->ReadFile(record.certificate, kMaxCertificateBytes));
  return Content(uri, "application/json", text);
}

}  // namespace

absl::StatusOr<Json> ListResources(McpWorkspaces* workspaces) {
  Json list = {{{"uri", kLanguages},
                {"name", "languages"},
                {"title", "What this machine can validate"},
                {"mimeType", "application/json"}}};
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, workspaces->runs()->List(false));
  for (const RunSummary& run : runs) {
    if (!workspaces->IsServed(run.workspace)) continue;
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
  const auto row = [](const char* name, const char* title, const char* suffix,
                      const char* media_type) {
    return Json{{"uriTemplate", absl::StrCat(kRunPrefix, "{id}", suffix)},
                {"name", name},
                {"title", title},
                {"mimeType", media_type}};
  };
  return {row("run", "Summary of a run", "", "application/json"),
          row("run_diff", "What a run changed, as a patch", kDiff, "text/x-diff"),
          row("run_certificate", "Proof of an accepted run", kCertificate, "application/json")};
}

absl::StatusOr<Json> ReadResource(McpWorkspaces* workspaces, const std::string& uri) {
  if (uri == kLanguages) return ReadLanguages(workspaces);
  if (absl::StartsWith(uri, kRunPrefix)) return ReadRun(workspaces, uri);
  return absl::NotFoundError(absl::StrCat("there is no resource ", ToUtf8(uri)));
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
