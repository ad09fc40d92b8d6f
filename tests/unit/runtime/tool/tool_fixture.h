#ifndef STILE_TESTS_UNIT_RUNTIME_TOOL_TOOL_FIXTURE_H_
#define STILE_TESTS_UNIT_RUNTIME_TOOL_TOOL_FIXTURE_H_

#include <memory>
#include <string>
#include <utility>

#include "runtime/tool/tool.h"

namespace stile {

// A tool that gives back its arguments.
class EchoTool : public Tool {
 public:
  explicit EchoTool(ToolSpec spec) : spec_(std::move(spec)) {}
  const ToolSpec& spec() const override { return spec_; }
  ToolResult Run(const Json& arguments, const ToolContext&) override {
    return ToolResult::Success(DumpJson(arguments), arguments);
  }

 private:
  ToolSpec spec_;
};

inline std::unique_ptr<Tool> MakeEcho(std::string name, Json parameters) {
  ToolSpec spec;
  spec.name = std::move(name);
  spec.parameters = std::move(parameters);
  return std::make_unique<EchoTool>(std::move(spec));
}

}  // namespace stile

#endif  // STILE_TESTS_UNIT_RUNTIME_TOOL_TOOL_FIXTURE_H_
