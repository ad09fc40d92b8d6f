// The git.* tools. status, diff and log only read; branch and commit ask first.
#ifndef STILE_TOOLS_GIT_GIT_TOOLS_H_
#define STILE_TOOLS_GIT_GIT_TOOLS_H_

#include <memory>

#include "runtime/tool/tool.h"

namespace stile {

std::unique_ptr<Tool> NewGitStatusTool();
std::unique_ptr<Tool> NewGitDiffTool();
std::unique_ptr<Tool> NewGitLogTool();
std::unique_ptr<Tool> NewGitBranchTool();
std::unique_ptr<Tool> NewGitCommitTool();

}  // namespace stile

#endif  // STILE_TOOLS_GIT_GIT_TOOLS_H_
