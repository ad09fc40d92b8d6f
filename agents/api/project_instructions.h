// What a repository says to agents: AGENTS.md, CLAUDE.md and skills. All of it is data for the
// model, of lower rank than the user's task; no setting of Stile is read from it.
#ifndef STILE_AGENTS_API_PROJECT_INSTRUCTIONS_H_
#define STILE_AGENTS_API_PROJECT_INSTRUCTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/json.h"

namespace stile {

// In all, of the files' texts; and of skills and folders, which are lists.
constexpr size_t kMaxInstructionBytes = size_t{24} << 10;
constexpr size_t kMaxInstructionListBytes = size_t{8} << 10;

// One file that was found.
struct InstructionSource {
  enum class Kind {
    kText,    // its text is in the prompt
    kSkill,   // its name and description are
    kFolder,  // of a sub-folder: its path is
  };
  Kind kind = Kind::kText;
  std::string path;        // relative to the workspace, raw bytes; above it "../AGENTS.md"
  size_t bytes = 0;        // of the file
  std::string sha256;      // of the file, hexadecimal; "" where it was not read
  std::string text;        // kText: as much of it as is used; kSkill: the description
  std::string name;        // kSkill
  std::string skipped;     // why it is not used; "" : it is
  bool is_defect = false;  // it is skipped because something is wrong with it
  bool is_cut() const { return kind == Kind::kText && skipped.empty() && text.size() < bytes; }
};

struct InstructionPlace {
  std::string workspace;        // absolute, no symlinks
  std::string repository_root;  // the same; "" without version control
  std::vector<std::string>
      files;  // of the workspace, relative; those of sub-folders are found here
};

// Reads, nearest first: AGENTS.md of the workspace and of each folder above it up to the root of
// the repository, each followed by the CLAUDE.md beside it unless that says the same; then the
// skills of `.agents/skills/*/SKILL.md` in the workspace by name, then the AGENTS.md (else
// CLAUDE.md) of sub-folders by path. Never fails: a file that cannot be used says why.
std::vector<InstructionSource> FindProjectInstructions(const InstructionPlace& place);

// What stands before the task in the first message; "" when there is nothing to say.
absl::StatusOr<std::string> InstructionsPrompt(const std::vector<InstructionSource>& sources);

// One line for each source that is defective or cut, for a warning.
std::vector<std::string> InstructionWarnings(const std::vector<InstructionSource>& sources);

// As run_started and doctor show them: [{kind, path, bytes, sha256, used, cut, skipped}].
Json ToJson(const std::vector<InstructionSource>& sources);

}  // namespace stile

#endif  // STILE_AGENTS_API_PROJECT_INSTRUCTIONS_H_
