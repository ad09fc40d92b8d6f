// code.validate: the model's view of the gate. Wrong code is a result, not an error. It is
// read-only because validators never write into the workspace, and the gate looks again by itself.
#include "tools/code/validate_tool.h"

#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/validation/report_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Of ToJson(ValidationReport).
Json ValidationSchema() {
  std::vector<std::string> names;
  for (const Verdict verdict :
       {Verdict::kPass, Verdict::kFail, Verdict::kFlakyPass, Verdict::kTimeout,
        Verdict::kInfraError, Verdict::kNoValidator, Verdict::kSyntaxOnly,
        Verdict::kChangedDuringRun, Verdict::kRemoved}) {
    names.emplace_back(VerdictName(verdict));
  }
  const Json verdict = EnumSchema(names);
  const Json diagnostic = ObjectSchema({Required("file", "string"), Required("line", "integer"),
                                        Required("column", "integer"), Required("code", "string"),
                                        Required("message", "string")});
  const Json coverage = {{"type", {"integer", "null"}},
                         {"description", "files read; null where the validator cannot tell"}};
  const Json tests = ObjectSchema({Required("passed", "integer"), Required("failed", "integer"),
                                   Required("skipped", "integer")});
  const Json target = ObjectSchema({Required("validator", "string"),
                                    Required("root", "string"),
                                    {"verdict", verdict, true},
                                    Required("command", "string"),
                                    Required("durationMs", "integer"),
                                    {"coverage", coverage, true},
                                    Required("language", "string"),
                                    Required("level", "string"),
                                    Optional("message", "string", "why it is no pass"),
                                    Optional("version", "string", "of the validator's program"),
                                    {"tests", tests}});
  return ObjectSchema({Required("success", "boolean"),
                       {"verdict", verdict, true},
                       {"targets", ArraySchema(target), true},
                       Required("language", "string"),
                       Required("errorCount", "integer"),
                       Required("warningCount", "integer"),
                       {"errors", ArraySchema(diagnostic), true},
                       {"warnings", ArraySchema(diagnostic), true},
                       Required("command", "string"),
                       Required("summary", "string")});
}

class CodeValidateTool : public Tool {
 public:
  explicit CodeValidateTool(ValidationService* service) : service_(service) {
    spec_.name = "code.validate";
    spec_.description = "Build or test what changed; required before finish.";
    spec_.parameters = ObjectSchema(
        {Optional("projectPath", "string", "Project folder; default: every project that changed."),
         Optional("language", "string", "Language id, such as python; default: all.", "auto"),
         {"level", EnumSchema({"build", "test"},
                              "Build only, or build and test; default: what the gate demands.")}});
    spec_.output = ValidationSchema();
    spec_.read_only = true;
    spec_.permission_argument = "projectPath";
    spec_.argument_aliases = {{"path", "projectPath"},
                              {"project", "projectPath"},
                              {"root", "projectPath"},
                              {"lang", "language"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    ValidateArguments wanted;
    if (const auto path = JsonString(arguments, "projectPath").value_or(""); !path.empty()) {
      auto resolved = ResolveInWorkspace(context.workspace, path);
      if (!resolved.ok()) return ToolResult::FromStatus(resolved.status());
      if (!FileExists(resolved->absolute)) {
        return ToolResult::Error(absl::StrCat("there is no ", DisplayPath(resolved->relative),
                                              "; leave projectPath out to validate what changed"));
      }
      wanted.project_path = resolved->relative;
    }
    wanted.language = JsonString(arguments, "language").value_or("");
    if (const auto level = JsonString(arguments, "level"); level.has_value()) {
      wanted.level = *level == LevelName(Level::kTest) ? Level::kTest : Level::kBuild;
    }
    auto report = service_->Validate(wanted);
    if (absl::IsInvalidArgument(report.status())) {
      return ToolResult::Error(std::string(report.status().message()));
    }
    if (!report.ok()) return ToolResult::Fatal(report.status());
    return ToolResult::Success(
        ValidationReportText(*report, context.file_system, context.workspace), ToJson(*report));
  }

 private:
  ValidationService* service_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeValidateTool(ValidationService* service) {
  return std::make_unique<CodeValidateTool>(service);
}

}  // namespace stile
