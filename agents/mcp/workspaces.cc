#include "agents/mcp/workspaces.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/trust.h"
#include "agents/api/user_folders.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxWarm = 8;
constexpr size_t kMaxSettingsBytes = size_t{1} << 20;
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
  return IsWithin(folder, options_.root);
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
  // No peer lifts the rules by rewriting their file. They are not among those of the workspace, by
  // which a session is judged wherever it goes on.
  PermissionRules own;
  own.ask = {"file.write(stile.yaml)", "file.modify(stile.yaml)", "file.delete(stile.yaml)"};
  options.outer_permissions.push_back({workspace, std::move(own)});
  for (const std::string& folder : FoldersAbove(workspace)) {
    STILE_ASSIGN_OR_RETURN(AgentOptions above, options_.make_options(folder, {}));
    options.outer_permissions.push_back({folder, std::move(above.config.permissions)});
  }
  return options;
}

absl::StatusOr<std::shared_ptr<McpWorkspaces::Warm>> McpWorkspaces::Start(
    const std::string& workspace) const {
  auto fresh = std::make_shared<Warm>();
  STILE_ASSIGN_OR_RETURN(AgentOptions options, OptionsFor(workspace, {}));
  options.cancellation = nullptr;  // each call has its own
  STILE_ASSIGN_OR_RETURN(fresh->agent, Agent::Create(std::move(options)));
  fresh->toolbox = fresh->agent->OpenToolbox();
  return fresh;
}

std::string McpWorkspaces::SettingsStamp(const std::string& workspace) const {
  std::string stamp = StampOf(UserConfigFile(options_.environment));
  std::vector<std::string> folders = FoldersAbove(workspace);
  folders.push_back(workspace);
  for (const std::string& folder : folders) {
    const std::string file = JoinPath(folder, kSettingsFile);
    const absl::StatusOr<std::string> text = DiskFileSystem()->ReadFile(file, kMaxSettingsBytes);
    const bool is_trusted =
        text.ok() && IsTrusted(options_.environment, folder, *text).value_or(false);
    absl::StrAppend(&stamp, " ", folder, " ", StampOf(file), " ", is_trusted);
  }
  return stamp;
}

absl::StatusOr<std::shared_ptr<Toolbox>> McpWorkspaces::ToolboxOf(const std::string& workspace) {
  const std::string stamp = SettingsStamp(workspace);
  std::shared_ptr<Warm> chosen;
  std::shared_ptr<Warm> replaced;  // their servers end outside of the lock
  std::shared_ptr<Warm> oldest;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = warm_.find(workspace);
    if (found != warm_.end() && found->second->stamp == stamp) chosen = found->second;
  }
  if (chosen == nullptr) {
    STILE_ASSIGN_OR_RETURN(chosen, Start(workspace));
    chosen->stamp = stamp;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Warm>& slot = warm_[workspace];
  if (slot != chosen) replaced = std::exchange(slot, chosen);
  chosen->used = ++uses_;
  if (warm_.size() > kMaxWarm) {
    const auto unused = std::min_element(
        warm_.begin(), warm_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    oldest = unused->second;
    warm_.erase(unused);
  }
  return std::shared_ptr<Toolbox>(chosen, chosen->toolbox.get());
}

}  // namespace stile
