// New code from a few words: types, members, constructors, tests, what an interface asks for. Each
// plan is complete, in the style of the file that it goes to, and compiles as far as its own text
// goes: what nobody has written yet fails loudly when it runs.
#ifndef STILE_TOOLS_CODEGEN_GENERATE_H_
#define STILE_TOOLS_CODEGEN_GENERATE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/language/language.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/code_index.h"
#include "tools/language/code_template.h"

namespace stile {

struct GenerateRequest {
  std::string operation;  // create_type, method, property, constructor, tests, implement_interface
  std::string file;       // relative to the workspace; "": where class_name is declared
  std::string class_name;
  std::string method_name;  // of a method, a property, or what a test is for
  std::string signature;    // a head, parameters, a type, or the interface, as the operation has it
  std::string body;
};

// What planning looks at. Nothing is owned.
struct GenerateContext {
  std::string workspace;  // absolute
  const LanguageRegistry* languages = nullptr;
  CodeIndex* index = nullptr;
};

struct Generated {
  EditPlan plan;
  std::string what;                // "method Order.Total", for the answer
  std::vector<std::string> notes;  // what the caller should know
};

// Any operation. InvalidArgument, NotFound, FailedPrecondition, AlreadyExists and Unimplemented
// speak to a model: they say what is missing, and what to do.
absl::StatusOr<Generated> PlanGenerate(const GenerateContext& context,
                                       const GenerateRequest& request);

// create_type and method for files of a language without a LanguageFamily, by `code`: at the end of
// the file, or as a new one. Nothing is parsed, so nothing goes into a type that is there already.
absl::StatusOr<Generated> PlanFromTemplate(const GenerateContext& context, const CodeTemplate& code,
                                           const GenerateRequest& request);

absl::StatusOr<Generated> PlanType(const GenerateContext& context, const GenerateRequest& request);
absl::StatusOr<Generated> PlanMethod(const GenerateContext& context,
                                     const GenerateRequest& request);
absl::StatusOr<Generated> PlanProperty(const GenerateContext& context,
                                       const GenerateRequest& request);
absl::StatusOr<Generated> PlanConstructor(const GenerateContext& context,
                                          const GenerateRequest& request);
absl::StatusOr<Generated> PlanTests(const GenerateContext& context, const GenerateRequest& request);
absl::StatusOr<Generated> PlanImplementInterface(const GenerateContext& context,
                                                 const GenerateRequest& request);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_GENERATE_H_
