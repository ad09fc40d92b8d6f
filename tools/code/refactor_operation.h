// The operations of code.refactor: one class each, and one table.
#ifndef STILE_TOOLS_CODE_REFACTOR_OPERATION_H_
#define STILE_TOOLS_CODE_REFACTOR_OPERATION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/base/json.h"
#include "runtime/tool/tool.h"
#include "tools/code/refactor_host.h"
#include "tools/index/symbol_query.h"

namespace stile {

// Has no state: one object serves all calls, on any thread.
class RefactorOperation {
 public:
  explicit RefactorOperation(std::string name) : name_(std::move(name)) {}
  virtual ~RefactorOperation() = default;

  // As the argument `operation` gives it.
  const std::string& name() const { return name_; }
  // `arguments` fit the schema of code.refactor. Blocks while compilers and servers are asked.
  virtual ToolResult Run(const Json& arguments, const RefactorHost& host) const = 0;

 private:
  const std::string name_;
};

// An operation on the symbol that the arguments name.
class SymbolOperation : public RefactorOperation {
 public:
  using RefactorOperation::RefactorOperation;
  ToolResult Run(const Json& arguments, const RefactorHost& host) const final;

 protected:
  // `resolution` has at least one target.
  virtual ToolResult RunOn(Resolution resolution, const Json& arguments,
                           const RefactorHost& host) const = 0;
};

using OperationPointer = std::unique_ptr<const RefactorOperation>;

// In the order in which the schema names them.
const std::vector<OperationPointer>& RefactorOperations();

// A row each of that table. On lines:
OperationPointer NewExtractMethod();
OperationPointer NewExtractVariable();
OperationPointer NewExtractConstant();
OperationPointer NewExtractParameter();
OperationPointer NewExtractInterface();
OperationPointer NewInlineVariable();
// On symbols:
OperationPointer NewRename();
OperationPointer NewPullUp();
OperationPointer NewPushDown();
OperationPointer NewMoveDeclaration(std::string name);
OperationPointer NewInlineConstant();
OperationPointer NewInlineFunction();
OperationPointer NewSafeDelete();
OperationPointer NewChangeSignature();
// On files:
OperationPointer NewMoveFile();
OperationPointer NewApplyFix();
OperationPointer NewOrganizeImports();

// The result for a plan that could not be made.
ToolResult NoPlan(const absl::Status& status);
// The path of the one file that an operation is about, relative to the workspace.
absl::StatusOr<std::string> FileOf(const Json& arguments, const ToolContext& context);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_REFACTOR_OPERATION_H_
