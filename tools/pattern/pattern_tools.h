#ifndef STILE_TOOLS_PATTERN_PATTERN_TOOLS_H_
#define STILE_TOOLS_PATTERN_PATTERN_TOOLS_H_

#include <memory>
#include <vector>

#include "runtime/tool/tool.h"
#include "tools/pattern/pattern.h"

namespace stile {

// `patterns` is not owned and outlives the tools.
std::unique_ptr<Tool> NewPatternListTool(
    const std::vector<CodingPattern>* patterns);  // pattern.list
std::unique_ptr<Tool> NewPatternLoadTool(
    const std::vector<CodingPattern>* patterns);  // pattern.load

}  // namespace stile

#endif  // STILE_TOOLS_PATTERN_PATTERN_TOOLS_H_
