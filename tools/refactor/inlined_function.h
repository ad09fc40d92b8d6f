// A function whose body is one expression, as it can take the place of its calls.
#ifndef STILE_TOOLS_REFACTOR_INLINED_FUNCTION_H_
#define STILE_TOOLS_REFACTOR_INLINED_FUNCTION_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/symbol_query.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"

namespace stile {

struct InlinedFunction {
  // A parameter, and where the expression uses it, in the order of the text.
  struct Input {
    Parameter declared;
    std::vector<TSNode> uses;
  };
  // A name that the expression takes from outside of the function.
  struct FreeName {
    std::string name;
    int binding = -1;  // of the file; -1: it declares no such name
    bool is_type = false;
  };

  Declaration declaration;
  SyntaxTree tree;
  TSNode value{};            // the expression, a node of `tree`
  bool gives_value = false;  // false: its calls are statements, and so is the expression
  MethodSignature head;
  std::vector<Input> inputs;  // without self
  std::optional<Input> self;  // where the object is a parameter with a name
  std::vector<FreeName> free_names;
  std::set<std::string> member_names;  // behind a dot

  const SourceFile& file() const { return *declaration.file; }
  const LanguageBackend& language() const {
    return LanguageBackendOfGrammar(declaration.file->grammar.name);
  }
  // Whether calls need an object: a method that is not static.
  bool IsOfObject() const;
};

// FailedPrecondition, with the reason, where the declaration is no function or method of one
// expression, or the expression would not do the same in another function: it declares names, runs
// later, changes a variable, calls the function itself, or asks how the function was called.
absl::StatusOr<InlinedFunction> ReadInlinedFunction(const Declaration& declaration);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_INLINED_FUNCTION_H_
