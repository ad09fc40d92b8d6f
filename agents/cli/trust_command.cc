#include "agents/cli/trust_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "agents/api/trust.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

struct TrustFlags {
  std::string folder = ".";
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

int TrustWorkspace(const CliContext& context, const TrustFlags& flags) {
  const auto workspace = ResolveFolder(flags.folder);
  if (!workspace.ok()) return ReportStatus(workspace.status());
  if (flags.revoke) return Revoke(context, *workspace);
  const std::string file = JoinPath(*workspace, "stile.yaml");
  if (!FileExists(file)) {
    return UsageError(absl::StrCat("there is no stile.yaml in ", ToUtf8(*workspace),
                                   ", so there is nothing to trust; `stile init` writes one"));
  }
  const auto text = DiskFileSystem()->ReadFile(file, kMaxBytes);
  if (!text.ok()) return ReportStatus(absl::InvalidArgumentError(text.status().message()));
  const auto yaml = ParseYaml(*text, file);
  if (!yaml.ok()) return ReportStatus(yaml.status());
  const TrustSplit split = SplitByTrust(*yaml);
  const absl::Status status = Trust(context.environment, *workspace, *text);
  if (!status.ok()) return ReportStatus(status);
  if (context.json) {
    PrintJson({{"workspace", ToUtf8(*workspace)}, {"trusted", true}, {"keys", split.sensitive}});
    return 0;
  }
  std::string out = absl::StrCat(OneLine(file), " is trusted as it is now");
  absl::StrAppend(&out, split.sensitive.empty() ? "; it holds nothing that needs trust\n"
                                                : "; from now on these count:\n");
  for (const std::string& key : split.sensitive) absl::StrAppend(&out, "  ", OneLine(key), "\n");
  Print(out);
  return 0;
}

}  // namespace

void DeclareTrust(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<TrustFlags>();
  app->add_option("DIR", flags->folder, "The workspace; default: this folder");
  app->add_flag("--revoke", flags->revoke, "Take the trust back");
  app->footer(
      "Without trust, a repository's stile.yaml cannot send the model elsewhere (base_url), "
      "declare\n"
      "commands (validators, languages), allow tools (permissions.allow) or loosen the gate. Read "
      "it\nfirst. Any edit of the file takes the trust back.");
  OnCommand(app, [flags, context] { return TrustWorkspace(*context, *flags); });
}

}  // namespace stile
