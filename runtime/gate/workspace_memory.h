#ifndef STILE_RUNTIME_GATE_WORKSPACE_MEMORY_H_
#define STILE_RUNTIME_GATE_WORKSPACE_MEMORY_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/validation/target_map.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// What the gate knows of a workspace from earlier runs, so that breaking the code in one run and
// finishing in the next does not work, and so that content which a certificate covers need not be
// validated again. Kept in the state folder, outside the workspace.
struct WorkspaceMemory {
  // Files an unsuccessful run left unvalidated, with their content from before it (nullopt:
  // absent).
  std::map<std::string, std::optional<Sha256Digest>> pending;
  // Targets that an unsuccessful run left with a verdict against them.
  std::map<TargetKey, Verdict> refusals;
  // (target, ContentFingerprint of its inputs) pairs that passed in accepted runs; newest last.
  std::vector<std::pair<TargetKey, std::string>> accepted;

  // Without git: folders with names of build outputs that held source when a run began. Once
  // source, always source: a later run may have left something else there.
  std::vector<std::string> source_folders;

  bool Covers(const TargetKey& target, const ContentMap& inputs) const;
  void Accept(const TargetKey& target, const ContentMap& inputs);
};

// Where it lies in the state folder of a workspace.
std::string WorkspaceMemoryFile(const std::string& state_dir);

// A missing file is an empty memory; a damaged one too, which costs a validation at worst when it
// held accepted content, so the pending part is written with care: atomically, and synced.
WorkspaceMemory LoadWorkspaceMemory(FileSystem* fs, const std::string& file);
absl::Status SaveWorkspaceMemory(FileSystem* fs, const std::string& file,
                                 const WorkspaceMemory& memory);

}  // namespace stile

#endif  // STILE_RUNTIME_GATE_WORKSPACE_MEMORY_H_
