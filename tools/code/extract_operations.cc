// Operations on lines of one file: extract_* and inline_variable.
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/carry_plan.h"
#include "tools/code/refactor_operation.h"
#include "tools/extract/extract_constant.h"
#include "tools/extract/extract_interface.h"
#include "tools/extract/extract_method.h"
#include "tools/extract/extract_variable.h"
#include "tools/extract/hover_type.h"
#include "tools/extract/inline_variable.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/extract_parameter.h"

namespace stile {
namespace {

// A server that reads its project for the first time may need as long.
constexpr absl::Duration kPlaceTime = absl::Seconds(60);

// What is extracted, by the arguments.
struct Selected {
  std::string path;  // relative to the workspace; "" : not given
  int start_line = 0;
  int end_line = 0;
  std::string symbol;  // a type, or the text of an expression
  std::string new_name;
};

class ExtractOperation : public RefactorOperation {
 public:
  using RefactorOperation::RefactorOperation;

  ToolResult Run(const Json& arguments, const RefactorHost& host) const final {
    const auto plan = PlanFor(arguments, host);
    if (!plan.ok()) return NoPlan(plan.status());
    const std::string what = absl::StrCat(name().substr(name().find('_') + 1), " ",
                                          ToUtf8(JsonString(arguments, "newName").value_or("")));
    return CarryPlan(
        {*plan, absl::StrCat("Extracted ", what), absl::StrCat("Would extract ", what)}, arguments,
        host);
  }

 protected:
  virtual bool needs_lines() const { return true; }
  virtual absl::StatusOr<EditPlan> Plan(const Selected& selected,
                                        const RefactorHost& host) const = 0;

 private:
  absl::StatusOr<EditPlan> PlanFor(const Json& arguments, const RefactorHost& host) const {
    Selected selected;
    selected.new_name = JsonString(arguments, "newName").value_or("");
    if (selected.new_name.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(name(), " needs newName"));
    }
    selected.symbol = JsonString(arguments, "symbolName").value_or("");
    selected.path = JsonString(arguments, "filePath").value_or("");
    if (!selected.path.empty()) {
      STILE_ASSIGN_OR_RETURN(const WorkspacePath place,
                             ResolveInWorkspace(host.context->workspace, selected.path));
      selected.path = place.relative;
    }
    if (!needs_lines()) return Plan(selected, host);
    const auto start =
        JsonInt(arguments, "startLine").value_or(JsonInt(arguments, "line").value_or(0));
    selected.start_line = static_cast<int>(start);
    selected.end_line = static_cast<int>(JsonInt(arguments, "endLine").value_or(start));
    if (selected.path.empty() || start < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(name(), " needs filePath, startLine and endLine"));
    }
    return Plan(selected, host);
  }
};

class ExtractMethod : public ExtractOperation {
 public:
  ExtractMethod() : ExtractOperation("extract_method") {}

 protected:
  absl::StatusOr<EditPlan> Plan(const Selected& selected, const RefactorHost& host) const override {
    STILE_ASSIGN_OR_RETURN(const auto file, host.index->Open(selected.path));
    return PlanExtractMethod(*file, selected.start_line, selected.end_line, selected.new_name,
                             host.Probe());
  }
};

class ExtractVariable : public ExtractOperation {
 public:
  ExtractVariable() : ExtractOperation("extract_variable") {}

 protected:
  absl::StatusOr<EditPlan> Plan(const Selected& selected, const RefactorHost& host) const override {
    STILE_ASSIGN_OR_RETURN(const auto file, host.index->Open(selected.path));
    return PlanExtractVariable(*file, selected.start_line, selected.end_line, /*start_column=*/0,
                               selected.symbol, selected.new_name, host.Probe());
  }
};

class ExtractConstant : public ExtractOperation {
 public:
  ExtractConstant() : ExtractOperation("extract_constant") {}

 protected:
  absl::StatusOr<EditPlan> Plan(const Selected& selected, const RefactorHost& host) const override {
    STILE_ASSIGN_OR_RETURN(const auto file, host.index->Open(selected.path));
    return PlanExtractConstant(*file, host.index, selected.start_line, selected.end_line,
                               selected.symbol, selected.new_name);
  }
};

class ExtractParameter : public ExtractOperation {
 public:
  ExtractParameter() : ExtractOperation("extract_parameter") {}

 protected:
  absl::StatusOr<EditPlan> Plan(const Selected& selected, const RefactorHost& host) const override {
    return PlanExtractParameter(selected.path, host.index, selected.start_line, selected.end_line,
                                selected.symbol, selected.new_name);
  }
};

class ExtractInterface : public ExtractOperation {
 public:
  ExtractInterface() : ExtractOperation("extract_interface") {}

 protected:
  bool needs_lines() const override { return false; }

  absl::StatusOr<EditPlan> Plan(const Selected& selected, const RefactorHost& host) const override {
    return PlanExtractInterface({host.context->workspace, &host.index->languages(), host.index},
                                selected.path, selected.symbol, selected.new_name,
                                TypesByHover(host));
  }

 private:
  // Types as a language server shows them.
  static InferredType TypesByHover(const RefactorHost& host) {
    if (host.resolvers == nullptr) return nullptr;
    return [&host](const std::string& path, uint32_t name_begin) -> std::string {
      const auto resolver = host.resolvers->For(path, kPlaceTime);
      const Language* const language = host.index->languages().OfFile(path);
      if (!resolver.ok() || language == nullptr) return "";
      const auto hover = (*resolver)->Hover({path, name_begin});
      return hover.ok() ? TypeInHover(LanguageBackendOf(language->id).facts, *hover) : "";
    };
  }
};

class InlineVariable : public RefactorOperation {
 public:
  InlineVariable() : RefactorOperation("inline_variable") {}

  ToolResult Run(const Json& arguments, const RefactorHost& host) const override {
    const auto path = FileOf(arguments, *host.context);
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const std::string variable = JsonString(arguments, "symbolName").value_or("");
    if (variable.empty()) {
      return ToolResult::Error("inline_variable needs symbolName: the variable.");
    }
    const auto file = host.index->Open(*path);
    if (!file.ok()) return ToolResult::FromStatus(file.status());
    const auto line = JsonInt(arguments, "line").value_or(0);
    const auto plan = PlanInlineVariable(**file, static_cast<int>(line), variable, host.Probe());
    if (!plan.ok()) return NoPlan(plan.status());
    const std::string what = absl::StrCat("the variable ", ToUtf8(variable));
    return CarryPlan({*plan, absl::StrCat("Inlined ", what), absl::StrCat("Would inline ", what)},
                     arguments, host);
  }
};

}  // namespace

OperationPointer NewExtractMethod() { return std::make_unique<ExtractMethod>(); }
OperationPointer NewExtractVariable() { return std::make_unique<ExtractVariable>(); }
OperationPointer NewExtractConstant() { return std::make_unique<ExtractConstant>(); }
OperationPointer NewExtractParameter() { return std::make_unique<ExtractParameter>(); }
OperationPointer NewExtractInterface() { return std::make_unique<ExtractInterface>(); }
OperationPointer NewInlineVariable() { return std::make_unique<InlineVariable>(); }

}  // namespace stile
