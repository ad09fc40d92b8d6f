// What models give as arguments: made to fit a tool's schema, or refused in words.
#include "runtime/base/check.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/tool/tool_registry.h"
#include "tests/fuzz/fuzz_input.h"

namespace stile {
namespace {

class ReadTool : public Tool {
 public:
  ReadTool() {
    spec_.name = "file.read";
    spec_.parameters = ObjectSchema({Required("path", "string", "The file."),
                                     Optional("startLine", "integer", "From."),
                                     Optional("follow", "boolean", "Wait."),
                                     Optional("rate", "number", "How fast."),
                                     {"mode", EnumSchema({"text", "bytes"}, "How.")},
                                     {"names", ArraySchema({{"type", "string"}}, "Which.")}});
    spec_.argument_aliases = {{"file", "path"}};
  }
  const ToolSpec& spec() const override { return spec_; }
  ToolResult Run(const Json&, const ToolContext&) override { return ToolResult::Success(""); }

 private:
  ToolSpec spec_;
};

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const registry = [] {
    std::vector<std::unique_ptr<stile::Tool>> tools;
    tools.push_back(std::make_unique<stile::ReadTool>());
    return new stile::ToolRegistry(std::move(tools));
  }();
  stile::FuzzInput input(data, size);
  const absl::string_view name = input.TakeLine();
  const auto arguments = stile::ParseJson(input.rest());
  if (!arguments.ok()) return 0;
  const auto call = registry->Prepare(name, *arguments);
  if (!call.ok()) {
    STILE_CHECK(!call.status().message().empty());
    return 0;
  }
  STILE_CHECK(stile::CheckSchema(call->tool->spec().parameters, call->arguments).ok());
  return 0;
}
