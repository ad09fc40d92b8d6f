#include "agents/cli/trust_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agents/api/file_servers.h"
#include "agents/api/trust.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{2} << 20;
constexpr char kSettings[] = "stile.yaml";

struct TrustFlags {
  std::string place = ".";  // a folder, or a file
  bool revoke = false;
};

int Revoke(const CliContext& context, const std::string& workspace) {
  const auto revoked = RevokeTrust(context.environment, workspace);
  if (!revoked.ok()) return ReportStatus(revoked.status());
  if (context.json) {
    PrintJson({{"workspace", ToUtf8(workspace)}, {"trusted", false}});
  } else {
    Print(absl::StrCat(OneLine(workspace),
                       *revoked ? " is no longer trusted\n" : " was not trusted\n"));
  }
  return 0;
}

// Trusts `file` under the name `place`, and names the keys that count from now on.
int TrustText(const CliContext& context, const std::string& place, const std::string& file,
              const std::string& text, const std::vector<std::string>& keys) {
  const absl::Status status = Trust(context.environment, place, text);
  if (!status.ok()) return ReportStatus(status);
  if (context.json) {
    PrintJson(
        {{place == file ? "file" : "workspace", ToUtf8(place)}, {"trusted", true}, {"keys", keys}});
    return 0;
  }
  std::string out = absl::StrCat(OneLine(file), " is trusted as it is now");
  absl::StrAppend(&out, keys.empty() ? "; it holds nothing that needs trust\n"
                                     : "; from now on these count:\n");
  for (const std::string& key : keys) absl::StrAppend(&out, "  ", OneLine(key), "\n");
  Print(out);
  return 0;
}

// A story or a workflow: its MCP servers. `place`: the file without symlinks. It is read by the
// name that is given, as when it runs.
int TrustFile(const CliContext& context, const std::string& file, const std::string& place) {
  const auto text = DiskFileSystem()->ReadFile(file, kMaxBytes);
  if (!text.ok()) return ReportStatus(absl::InvalidArgumentError(text.status().message()));
  const auto servers = ServersIn(*text, file);
  if (!servers.ok()) return ReportStatus(servers.status());
  std::vector<std::string> keys;
  for (const McpServerSettings& server : *servers) {
    if (!IsHarmless(server)) {
      keys.push_back(absl::StrCat(server.source, ": mcp_servers.", server.name));
    }
  }
  return TrustText(context, place, place, *text, keys);
}

int TrustPlace(const CliContext& context, const TrustFlags& flags) {
  const auto path = RealPath(flags.place);
  // A file that is gone can still be revoked.
  if (!path.ok() && flags.revoke) {
    return Revoke(context, CleanPath(std::filesystem::absolute(flags.place).string()));
  }
  if (path.ok() && !DirectoryExists(*path) && BaseName(*path) != kSettings) {
    return flags.revoke ? Revoke(context, *path) : TrustFile(context, flags.place, *path);
  }
  const auto workspace =
      ResolveFolder(path.ok() && !DirectoryExists(*path) ? DirName(*path) : flags.place);
  if (!workspace.ok()) return ReportStatus(workspace.status());
  if (flags.revoke) return Revoke(context, *workspace);
  const std::string file = JoinPath(*workspace, kSettings);
  if (!FileExists(file)) {
    return UsageError(absl::StrCat("there is no stile.yaml in ", ToUtf8(*workspace),
                                   ", so there is nothing to trust; `stile init` writes one"));
  }
  const auto text = DiskFileSystem()->ReadFile(file, kMaxBytes);
  if (!text.ok()) return ReportStatus(absl::InvalidArgumentError(text.status().message()));
  const auto yaml = ParseYaml(*text, file);
  if (!yaml.ok()) return ReportStatus(yaml.status());
  // A workflow may have this name, too.
  const absl::Status as_file = Trust(context.environment, file, *text);
  if (!as_file.ok()) return ReportStatus(as_file);
  return TrustText(context, *workspace, file, *text, SplitByTrust(*yaml).sensitive);
}

}  // namespace

void DeclareTrust(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<TrustFlags>();
  app->add_option("PATH", flags->place,
                  "A workspace, or the file of a story or workflow; default: this folder");
  app->add_flag("--revoke", flags->revoke, "Revoke the trust");
  app->footer(
      "Without trust, a repository's stile.yaml cannot send the model elsewhere (base_url), "
      "declare\n"
      "commands (validators, languages), allow tools (permissions.allow) or loosen the gate. Read "
      "it\nfirst. Any edit of the file takes the trust back.\n"
      "Without trust, the file of a story or workflow cannot name MCP servers that have a url, "
      "the\n"
      "network or variables of yours, nor programs that run without a sandbox or that your rules\n"
      "for shell.execute do not allow.");
  OnCommand(app, [flags, context] { return TrustPlace(*context, *flags); });
}

}  // namespace stile
