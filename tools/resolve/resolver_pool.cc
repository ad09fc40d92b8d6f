#include "tools/resolve/resolver_pool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/backoff.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/resolve/server_catalog.h"
#include "tools/resolve/server_setup.h"

namespace stile {
namespace {

// Each takes from 100 MB to 2 GB.
constexpr size_t kMaxWarm = 4;

}  // namespace

ResolverPool::ResolverPool(Host host) : host_(std::move(host)) {}
ResolverPool::~ResolverPool() = default;

std::string ResolverPool::ProjectRootOf(const Language& language, const std::string& path) const {
  std::vector<std::string> paths;
  host_.list_files([&](const ListedFile& file) { paths.push_back(file.path); });
  std::sort(paths.begin(), paths.end());
  const std::string root = ProjectFinder(*host_.languages, paths).RootOf(language, path);
  return root.empty() ? "." : root;
}

std::string ResolverPool::FolderOf(const std::string& root) const {
  return root == "." ? host_.workspace : JoinPath(host_.workspace, root);
}

absl::StatusOr<Resolver*> ResolverPool::For(const std::string& path, absl::Duration limit) {
  const Language* const language = host_.languages->OfFile(path);
  if (language == nullptr) {
    return absl::UnimplementedError(absl::StrCat(path, " is of no known language"));
  }
  const std::string root = IsForWholeWorkspace(language->id) ? "." : ProjectRootOf(*language, path);
  STILE_ASSIGN_OR_RETURN(LanguageServerSpec spec,
                         FindServer(language->id, {host_.workspace, JoinPath(host_.workspace, path),
                                                   FolderOf(root), host_.environment}));
  Entry& entry = entries_[{spec.name, root}];
  entry.used = ++uses_;
  if (entry.resolver != nullptr && entry.resolver->Refresh()) {
    entry.resolver->SetTimeLimit(limit);
    entry.resolver->SetLimitation(spec.limitation);
    return entry.resolver.get();
  }
  const absl::Duration now = host_.clock->Monotonic();
  if (entry.resolver != nullptr) {
    if (const absl::Status status = entry.resolver->status(); !status.ok()) {
      entry.failure = status;
      entry.next_try = now + PauseAfter(entry.failures);
      ++entry.failures;
    }
    entry.resolver.reset();
  }
  if (now < entry.next_try) return entry.failure;
  EndOldest();
  auto started = Start(std::move(spec), root);
  if (absl::IsCancelled(started.status())) return started.status();
  if (!started.ok()) {
    entry.failure = absl::UnavailableError(started.status().message());
    entry.next_try = now + PauseAfter(entry.failures);
    ++entry.failures;
    return entry.failure;
  }
  entry.resolver = *std::move(started);
  entry.resolver->SetTimeLimit(limit);
  return entry.resolver.get();
}

void ResolverPool::EndOldest() {
  size_t warm = 0;
  Entry* oldest = nullptr;
  for (auto& [key, entry] : entries_) {
    if (entry.resolver == nullptr) continue;
    ++warm;
    if (oldest == nullptr || entry.used < oldest->used) oldest = &entry;
  }
  if (warm >= kMaxWarm) oldest->resolver.reset();
}

absl::StatusOr<std::unique_ptr<Resolver>> ResolverPool::Start(LanguageServerSpec spec,
                                                              const std::string& root) {
  LanguageServerHost host;
  host.workspace = host_.workspace;
  host.root = FolderOf(root);
  STILE_ASSIGN_OR_RETURN(host.runner, host_.open_runner());
  host.environment = host_.environment;
  host.list_files = host_.list_files;
  host.cancellation = host_.cancellation;
  const std::string own =
      JoinPath(host_.state_folder, absl::StrCat(spec.name, "-", Sha256Hex(root).substr(0, 16)));
  STILE_RETURN_IF_ERROR(SetUpServer(own, &spec, &host));
  return LanguageServer::Start(std::move(spec), std::move(host));
}

}  // namespace stile
