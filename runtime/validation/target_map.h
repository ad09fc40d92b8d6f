// Which validator answers for which files: the workspace divided into targets.
#ifndef STILE_RUNTIME_VALIDATION_TARGET_MAP_H_
#define STILE_RUNTIME_VALIDATION_TARGET_MAP_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/language/language.h"
#include "runtime/validation/validator.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// Content of files by path.
using ContentMap = std::map<std::string, Sha256Digest>;

// Paths present in one only, or with different hashes; sorted.
std::vector<std::string> DiffContent(const ContentMap& a, const ContentMap& b);

// SHA-256 (hex) over the map, to compare content between runs.
std::string ContentFingerprint(const ContentMap& content);

// (validator, project root, level), as text: "tsc:web:build".
using TargetKey = std::string;

struct Target {
  TargetKey key;
  const Validator* validator = nullptr;  // null: nothing on offer judges this project
  Level level = Level::kBuild;
  Project project;                      // files: the target's own watched files
  std::vector<std::string> code_files;  // those of project.files that are code
  // Own files and those of every target it builds on, with their content now.
  ContentMap inputs;

  std::string validator_id() const { return validator == nullptr ? "" : validator->id(); }
};

// Immutable. Targets sorted by key.
class TargetMap {
 public:
  TargetMap() = default;

  // Divides the watched files of `snapshot` (see gate documentation: code, project, build and
  // checker files of known languages, stile.yaml, matches of the globs `watch`). Reads project
  // files on disk where a validator asks for them, and what symlinks lead to. Files within a
  // project that are neither are inputs of it as well, but for prose and `validator_outputs`.
  // `registry` and `validators` must outlive the map.
  static TargetMap Build(const std::string& workspace, const Snapshot& snapshot,
                         const LanguageRegistry& registry, const ValidatorRegistry& validators,
                         const std::vector<std::string>& watch,
                         const std::set<std::string>& validator_outputs);

  const std::vector<Target>& targets() const { return targets_; }
  const Target* Find(const TargetKey& key) const;
  // Whether inputs hold content that no snapshot shows (through symlinks), so that they can change
  // while the snapshot does not.
  bool reads_unseen() const { return reads_unseen_; }

 private:
  bool reads_unseen_ = false;
  std::vector<Target> targets_;
};

// Whether the gate looks at this file at all.
bool IsWatched(absl::string_view path, const LanguageRegistry& registry,
               const std::vector<std::string>& watch);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_TARGET_MAP_H_
