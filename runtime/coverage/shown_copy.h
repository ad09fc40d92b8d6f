// Copies of the workspace that programs see at the workspace's own path.
#ifndef STILE_RUNTIME_COVERAGE_SHOWN_COPY_H_
#define STILE_RUNTIME_COVERAGE_SHOWN_COPY_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/process/process_runner.h"

namespace stile {

// Makes `mirror` (must not exist), which a sandbox shows at `workspace` instead of `copy`: hard
// links to the files of `copy` (copies where the file system has none), and folders where `copy`
// has links to folders of the workspace, which would lead to themselves there. Returns what has to
// stand where (ProcessRequest::replaced). All paths are absolute; `copy` and `mirror` are on one
// file system.
absl::StatusOr<std::map<std::string, std::string>> MirrorCopy(const std::string& copy,
                                                              const std::string& workspace,
                                                              const std::string& mirror);

// OK when programs of `runner` can see another folder at the path of the workspace; else why not.
// `folder` is made for the look, and removed.
absl::Status CheckReplacement(ProcessRunner* runner, const Environment& environment,
                              const std::string& workspace, const std::string& folder);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_SHOWN_COPY_H_
