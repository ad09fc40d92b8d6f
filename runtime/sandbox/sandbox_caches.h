// Variables that name caches: where a sandbox lets no program write, they name another place
// inside.
#ifndef STILE_RUNTIME_SANDBOX_SANDBOX_CACHES_H_
#define STILE_RUNTIME_SANDBOX_SANDBOX_CACHES_H_

#include <string>
#include <vector>

#include "runtime/sandbox/sandboxed_runner.h"

namespace stile {

// `own_folder` is a folder of the host, which need not exist, for the content of what is replaced.
// To `policy`:
//   GOCACHE, XDG_CACHE_HOME and their like      redirected to a folder below the home inside
//   GOMODCACHE, NUGET_PACKAGES                   the same, unless packages are there
//   CARGO_HOME, GRADLE_USER_HOME, GOPATH, …      replaced by an own folder, in which the package
//                                                caches that languages name stand as ever
// each only where its value cannot be written already. A HOME that is no folder becomes /tmp. Call
// it when all other rules are in the policy, those for PATH excepted.
void RedirectCaches(const Environment& environment, const std::string& workspace,
                    const std::string& own_folder, SandboxPolicy* policy);

// Repositories of Maven that MAVEN_OPTS or MAVEN_ARGS name; those that exist.
std::vector<std::string> MavenRepositories(const Environment& environment);

}  // namespace stile

#endif  // STILE_RUNTIME_SANDBOX_SANDBOX_CACHES_H_
