// The folders in which a server works, with tools that are kept warm.
#ifndef STILE_AGENTS_MCP_WORKSPACES_H_
#define STILE_AGENTS_MCP_WORKSPACES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/agent.h"
#include "agents/api/config.h"
#include "agents/api/runs.h"
#include "agents/api/toolbox.h"

namespace stile {

struct McpOptions {
  std::string root;  // absolute, no symlinks; every workspace is this folder or lies in it
  // Options of an agent with the configuration of a workspace and `flags` on top. Thread-safe.
  std::function<absl::StatusOr<AgentOptions>(const std::string& workspace,
                                             const ConfigFlags& flags)>
      make_options;
  Environment environment;
  std::vector<std::string> tools;  // globs of names; empty: all
  bool read_only = false;          // only tools that change nothing
  std::string version;             // of Stile
};

// Thread-safe.
class McpWorkspaces {
 public:
  explicit McpWorkspaces(McpOptions options);
  ~McpWorkspaces();

  const McpOptions& options() const { return options_; }

  // The folder that the argument `workspace` names, absolute: relative to the root, which is the
  // default. InvalidArgument: not a folder, or outside of the root.
  absl::StatusOr<std::string> Resolve(const Json& arguments) const;
  absl::StatusOr<std::string> ResolveFolder(const std::string& folder) const;
  // Whether a folder is the root or lies in it.
  bool IsServed(const std::string& folder) const;

  // Options of an agent for a workspace: those of McpOptions, and the permissions of the folders
  // above it that are served.
  absl::StatusOr<AgentOptions> OptionsFor(const std::string& workspace,
                                          const ConfigFlags& flags) const;

  // The tools of a workspace; made anew when the configuration has changed. Errors as of
  // LoadConfig and Agent::Create.
  absl::StatusOr<std::shared_ptr<Toolbox>> ToolboxOf(const std::string& workspace);

  Runs* runs() { return runs_.get(); }

 private:
  struct Warm;

  absl::StatusOr<std::shared_ptr<Warm>> Start(const std::string& workspace) const;
  // Changes when a file of the settings of a workspace changes, or is trusted.
  std::string SettingsStamp(const std::string& workspace) const;
  // The folders above `workspace` that are served, and hold settings.
  std::vector<std::string> FoldersAbove(const std::string& workspace) const;

  const McpOptions options_;
  const std::unique_ptr<Runs> runs_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Warm>> warm_;  // by workspace; guarded by mutex_
  uint64_t uses_ = 0;                                  // guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_WORKSPACES_H_
