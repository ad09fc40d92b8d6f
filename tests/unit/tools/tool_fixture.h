// A workspace in a temporary folder, and calls as the loop makes them: through the registry, so
// that every test also checks arguments and results against the tool's schemas.
#ifndef STILE_TESTS_UNIT_TOOLS_TOOL_FIXTURE_H_
#define STILE_TESTS_UNIT_TOOLS_TOOL_FIXTURE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/tool/tool_registry.h"
#include "tests/support/temp_dir.h"

namespace stile {

class ToolFixture : public testing::Test {
 protected:
  ToolFixture() : runner_(NewLocalProcessRunner()) {
    outside_.MakeDir("ws");
    context_.workspace = outside_.Path("ws");
    context_.journal_dir = outside_.Path("state/edits");
    context_.output_dir = outside_.Path("state/output");
    context_.file_system = DiskFileSystem();
    context_.runner = runner_.get();
    context_.clock = SystemClock();
    context_.environment = InheritedEnvironment();
    context_.cancellation = &cancellation_;
  }

  void Add(std::unique_ptr<Tool> tool) { tools_.push_back(std::move(tool)); }

  ToolResult Call(const std::string& name, const Json& arguments) {
    if (registry_ == nullptr) registry_ = std::make_unique<ToolRegistry>(std::move(tools_));
    auto call = registry_->Prepare(name, arguments);
    if (!call.ok()) return ToolResult::Error(std::string(call.status().message()));
    ToolResult result = call->tool->Run(call->arguments, context_);
    EXPECT_FALSE(result.text.empty()) << name;
    if (result.ok) {
      EXPECT_EQ(CheckSchema(call->tool->spec().output, result.data), absl::OkStatus())
          << name << " " << DumpJson(result.data);
    } else {
      EXPECT_TRUE(result.data.is_null());
    }
    return result;
  }
  // The call must succeed.
  ToolResult Ok(const std::string& name, const Json& arguments) {
    ToolResult result = Call(name, arguments);
    EXPECT_TRUE(result.ok) << result.text;
    return result;
  }
  // The text of the error that the call must give to the model.
  std::string Error(const std::string& name, const Json& arguments) {
    const ToolResult result = Call(name, arguments);
    EXPECT_FALSE(result.ok) << result.text;
    EXPECT_TRUE(result.fatal.ok()) << result.fatal;
    return result.text;
  }

  void Write(const std::string& path, absl::string_view text) {
    outside_.Write("ws/" + path, text);
  }
  std::string Read(const std::string& path) { return outside_.Read("ws/" + path); }
  bool Exists(const std::string& path) { return outside_.Exists("ws/" + path); }
  std::string Path(const std::string& path) { return outside_.Path("ws/" + path); }

  TempDir outside_;  // the workspace is the folder "ws" in it
  std::unique_ptr<ProcessRunner> runner_;
  Cancellation cancellation_;
  ToolContext context_;
  std::vector<std::unique_ptr<Tool>> tools_;
  std::unique_ptr<ToolRegistry> registry_;
};

}  // namespace stile

#endif  // STILE_TESTS_UNIT_TOOLS_TOOL_FIXTURE_H_
