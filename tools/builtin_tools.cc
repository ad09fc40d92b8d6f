#include "tools/builtin_tools.h"

#include "tools/agent/spawn_tool.h"
#include "tools/budget/check_tool.h"
#include "tools/code/generate_tool.h"
#include "tools/code/inspect_tool.h"
#include "tools/code/navigate_tool.h"
#include "tools/code/refactor_tool.h"
#include "tools/code/search_tool.h"
#include "tools/code/validate_tool.h"
#include "tools/file/file_tools.h"
#include "tools/git/git_tools.h"
#include "tools/pattern/pattern_tools.h"
#include "tools/search/grep_tool.h"
#include "tools/shell/execute_tool.h"

namespace stile {

std::vector<std::unique_ptr<Tool>> NewBuiltinTools(ValidationService* validation,
                                                   const LanguageRegistry* languages,
                                                   CodeIndex* index, ResolverPool* resolvers,
                                                   const std::vector<CodingPattern>* patterns) {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(NewFileReadTool());
  tools.push_back(NewFileWriteTool(languages));
  tools.push_back(NewFileModifyTool(languages));
  tools.push_back(NewFileListTool());
  tools.push_back(NewFileExistsTool());
  tools.push_back(NewFileDeleteTool());
  tools.push_back(NewSearchGrepTool());
  tools.push_back(NewCodeInspectTool(index));
  tools.push_back(NewCodeNavigateTool(index, resolvers));
  tools.push_back(NewCodeRefactorTool(validation, index, resolvers));
  tools.push_back(NewCodeSearchTool(index));
  tools.push_back(NewCodeGenerateTool(validation, languages, index));
  tools.push_back(NewCodeValidateTool(validation));
  tools.push_back(NewShellExecuteTool());
  tools.push_back(NewGitStatusTool());
  tools.push_back(NewGitDiffTool());
  tools.push_back(NewGitLogTool());
  tools.push_back(NewGitBranchTool());
  tools.push_back(NewGitCommitTool());
  tools.push_back(NewAgentSpawnTool());
  tools.push_back(NewBudgetCheckTool());
  tools.push_back(NewPatternListTool(patterns));
  tools.push_back(NewPatternLoadTool(patterns));
  return tools;
}

}  // namespace stile
