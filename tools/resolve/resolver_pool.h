// The resolvers of a run: started when first asked for, kept warm, ended with the pool.
#ifndef STILE_TOOLS_RESOLVE_RESOLVER_POOL_H_
#define STILE_TOOLS_RESOLVE_RESOLVER_POOL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation_source.h"
#include "runtime/base/clock.h"
#include "runtime/language/language.h"
#include "runtime/process/process_runner.h"
#include "tools/resolve/language_server.h"
#include "tools/resolve/resolver.h"

namespace stile {

// Not thread-safe.
class ResolverPool {
 public:
  // Nothing is owned; all outlives the pool.
  struct Host {
    std::string workspace;  // absolute, no symlinks
    // Outside of the workspace; resolvers keep their indexes there. It need not exist.
    std::string state_folder;
    const LanguageRegistry* languages = nullptr;
    // Gives what runs the servers when the first one starts: a project may bring its own, so that
    // they are not to be trusted.
    std::function<absl::StatusOr<ProcessRunner*>()> open_runner;
    Environment environment;
    FileLister list_files;
    CancellationSource cancellation;
    Clock* clock = SystemClock();
  };
  explicit ResolverPool(Host host);
  ~ResolverPool();

  // The resolver for a file of code, which sees the files as they are now; it is the pool's, and
  // valid until the next call. Unimplemented and NotFound as for FindServer; Unavailable where it
  // failed: it is tried again after a while, longer with each failure. Blocks while a server
  // starts. Calls of the resolver wait for `limit`, see Resolver::SetTimeLimit.
  absl::StatusOr<Resolver*> For(const std::string& path, absl::Duration limit);

 private:
  using Key = std::pair<std::string, std::string>;  // server's name, root relative to the workspace
  struct Entry {
    std::unique_ptr<Resolver> resolver;  // null: it failed
    uint64_t used = 0;
    int failures = 0;
    absl::Duration next_try;  // Clock::Monotonic
    absl::Status failure;
  };

  // Relative to the workspace.
  std::string ProjectRootOf(const Language& language, const std::string& path) const;
  std::string FolderOf(const std::string& root) const;  // absolute
  absl::StatusOr<std::unique_ptr<Resolver>> Start(LanguageServerSpec spec, const std::string& root);
  void EndOldest();

  const Host host_;
  std::map<Key, Entry> entries_;
  uint64_t uses_ = 0;
};

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_RESOLVER_POOL_H_
