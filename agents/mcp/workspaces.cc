#include "agents/mcp/workspaces.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxWarm = 8;
constexpr char kSettingsFile[] = "stile.yaml";

// What changes when a file is written: good enough for settings, which people edit.
std::string StampOf(const std::string& file) {
  struct stat info;
  if (file.empty() || stat(file.c_str(), &info) != 0) return "-";
  return absl::StrCat(info.st_ino, ".", info.st_size, ".", info.st_mtim.tv_sec, ".",
                      info.st_mtim.tv_nsec);
}

}  // namespace

// The tools go before the agent to which they belong.
struct McpWorkspaces::Warm {
  std::unique_ptr<Agent> agent;
  std::unique_ptr<Toolbox> toolbox;
  std::string stamp;  // of the files of its configuration
  uint64_t used = 0;
};

McpWorkspaces::McpWorkspaces(McpOptions options)
    : options_(std::move(options)), runs_(Runs::Open(options_.environment)) {}

McpWorkspaces::~McpWorkspaces() = default;

bool McpWorkspaces::IsServed(const std::string& folder) const {
  return folder == options_.root || IsWithin(folder, options_.root);
}

absl::StatusOr<std::string> McpWorkspaces::Resolve(const Json& arguments) const {
  const Json* const workspace = JsonMember(arguments, "workspace");
  if (workspace == nullptr) return options_.root;
  if (!workspace->is_string()) return absl::InvalidArgumentError("workspace is not a string");
  return ResolveFolder(workspace->get<std::string>());
}

absl::StatusOr<std::string> McpWorkspaces::ResolveFolder(const std::string& folder) const {
  const std::string path = absl::StartsWith(folder, "/") ? folder : JoinPath(options_.root, folder);
  const absl::StatusOr<std::string> real = RealPath(path);
  if (!real.ok() || !DirectoryExists(*real)) {
    return absl::InvalidArgumentError(
        absl::StrCat("workspace ", ToUtf8(folder), " is not a folder; give one that exists"));
  }
  if (!IsServed(*real)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "workspace ", ToUtf8(folder), " lies outside of ", ToUtf8(options_.root),
        ", where this server works; start `stile mcp -C DIR` with a folder that holds both"));
  }
  return *real;
}

std::vector<std::string> McpWorkspaces::FoldersAbove(const std::string& workspace) const {
  std::vector<std::string> folders;
  for (std::string at = workspace; at != options_.root && at != "/";) {
    at = DirName(at);
    if (FileExists(JoinPath(at, kSettingsFile))) folders.push_back(at);
  }
  return folders;
}

absl::StatusOr<AgentOptions> McpWorkspaces::OptionsFor(const std::string& workspace,
                                                       const ConfigFlags& flags) const {
  STILE_ASSIGN_OR_RETURN(AgentOptions options, options_.make_options(workspace, flags));
  for (const std::string& folder : FoldersAbove(workspace)) {
    STILE_ASSIGN_OR_RETURN(AgentOptions above, options_.make_options(folder, {}));
    options.outer_permissions.push_back({folder, std::move(above.config.permissions)});
  }
  return options;
}

absl::StatusOr<std::shared_ptr<Toolbox>> McpWorkspaces::ToolboxOf(const std::string& workspace) {
  std::string stamp = absl::StrCat(StampOf(JoinPath(workspace, kSettingsFile)), " ",
                                   StampOf(UserConfigFile(options_.environment)));
  for (const std::string& folder : FoldersAbove(workspace)) {
    absl::StrAppend(&stamp, " ", folder, StampOf(JoinPath(folder, kSettingsFile)));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Warm>& warm = warm_[workspace];
  if (warm == nullptr || warm->stamp != stamp) {
    auto fresh = std::make_shared<Warm>();
    STILE_ASSIGN_OR_RETURN(AgentOptions options, OptionsFor(workspace, {}));
    options.cancellation = nullptr;  // each call has its own
    STILE_ASSIGN_OR_RETURN(fresh->agent, Agent::Create(std::move(options)));
    fresh->toolbox = fresh->agent->OpenToolbox();
    fresh->stamp = stamp;
    warm = std::move(fresh);
  }
  warm->used = ++uses_;
  const std::shared_ptr<Warm> chosen = warm;
  if (warm_.size() > kMaxWarm) {
    warm_.erase(std::min_element(warm_.begin(), warm_.end(), [](const auto& a, const auto& b) {
      return (a.second == nullptr ? 0 : a.second->used) <
             (b.second == nullptr ? 0 : b.second->used);
    }));
  }
  return std::shared_ptr<Toolbox>(chosen, chosen->toolbox.get());
}

}  // namespace stile
