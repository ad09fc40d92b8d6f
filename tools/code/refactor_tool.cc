// code.refactor: plans a change, tries it out, lets the compilers decide what a syntax tree cannot
// know, and keeps either all of it or nothing.
#include "tools/code/refactor_tool.h"

#include <string>
#include <vector>

#include "runtime/tool/schema_builder.h"
#include "tools/code/code_text.h"
#include "tools/code/refactor_operation.h"
#include "tools/code/refactor_text.h"

namespace stile {
namespace {

std::vector<std::string> OperationNames() {
  std::vector<std::string> names;
  for (const OperationPointer& operation : RefactorOperations()) names.push_back(operation->name());
  return names;
}

class CodeRefactorTool : public Tool {
 public:
  CodeRefactorTool(ValidationService* service, CodeIndex* index, ResolverPool* resolvers)
      : service_(service), index_(index), resolvers_(resolvers) {
    spec_.name = "code.refactor";
    spec_.description = "Change code by meaning in all files at once; the compiler has a say.";
    spec_.parameters = ObjectSchema(
        {{"operation",
          EnumSchema(OperationNames(),
                     "What to do. apply_fix mends one error (import, misspelt name, missing "
                     "members) as far as the compiler agrees."),
          true},
         Optional("filePath", "string",
                  "File of the symbol, the lines or the error; needed by extract_method, "
                  "extract_variable, extract_constant, extract_parameter, inline_variable, "
                  "move_file, apply_fix and "
                  "organize_imports."),
         Optional(
             "symbolName", "string",
             "Symbol to change: name or Owner.name. extract_variable, _constant, _parameter: the "
             "expression."),
         Optional("newName", "string",
                  "The new name. move_type, move_symbol, move_file: the new file. pull_up: the "
                  "base class, if there are several."),
         Optional("parameters", "string",
                  "change_signature: the new parameters, such as (a: int, b: int = 0)."),
         Optional("startLine", "integer", "First line to extract."),
         Optional("endLine", "integer", "Last line to extract, inclusive; default: startLine."),
         Optional("line", "integer", "Line of the symbol or error in filePath."),
         Optional("fix", "string", "apply_fix: the title of the change that is wanted."),
         {"related",
          EnumSchema({"list", "apply", "none"},
                     "rename: names made from the old one (NewOrder, OrderTest) are listed "
                     "(default), or renamed, too."),
          false},
         Optional("comments", "boolean", "rename: also in the symbol's documentation.", true),
         Optional("preview", "boolean", "Show the changes, make none.", false)});
    spec_.output = ResultSchema();
    spec_.permission_argument = "filePath";
    spec_.argument_aliases = QueryAliases();
    for (const char* name : {"to", "newSymbolName", "new", "destination"}) {
      spec_.argument_aliases.emplace_back(name, "newName");
    }
    spec_.argument_aliases.emplace_back("signature", "parameters");
    spec_.argument_aliases.emplace_back("dryRun", "preview");
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const RefactorHost host{service_, index_, resolvers_, &context};
    const std::string operation = *JsonString(arguments, "operation");
    for (const OperationPointer& row : RefactorOperations()) {
      if (row->name() == operation) return row->Run(arguments, host);
    }
    return ToolResult::Fatal(absl::InternalError("the schema names an operation without a row"));
  }

 private:
  ToolSpec spec_;
  ValidationService* const service_;
  CodeIndex* const index_;
  ResolverPool* const resolvers_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeRefactorTool(ValidationService* service, CodeIndex* index,
                                          ResolverPool* resolvers) {
  return std::make_unique<CodeRefactorTool>(service, index, resolvers);
}

}  // namespace stile
