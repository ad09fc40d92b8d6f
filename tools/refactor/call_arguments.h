// The arguments of a call after its function got other parameters.
#ifndef STILE_TOOLS_REFACTOR_CALL_ARGUMENTS_H_
#define STILE_TOOLS_REFACTOR_CALL_ARGUMENTS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/index/source_file.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/parameter_mapping.h"

namespace stile {

// The list of parameters of the function that is declared at a name, with its brackets; null where
// no function is.
TSNode ParametersAt(const SyntaxTree& tree, uint32_t begin, uint32_t end);

// The list of arguments of the nearest call around the name, behind the name; null where none is.
TSNode ArgumentsAt(const SyntaxTree& tree, uint32_t begin, uint32_t end);

// What a call passes, by the places of the parameters.
struct GivenArgument {
  TSNode value{};
  std::string text;  // as it is written, without the name that the call gives it: `ref total`
};
struct GivenArguments {
  std::map<size_t, GivenArgument> values;
  std::vector<size_t> written;  // the places in the order of the call, which evaluates them
  size_t positional = 0;        // so many have no name, the first ones
};

// FailedPrecondition, naming the call's place, where the list spreads a list, or an argument goes
// to none of `parameters`, which are without self.
absl::StatusOr<GivenArguments> ReadArguments(const SourceFile& file, TSNode list,
                                             const std::vector<Parameter>& parameters);

// The text of the argument list `list`, with its brackets, for the new parameters; its own text
// where it means the same as before. FailedPrecondition, naming the call's place, where an argument
// would be lost or evaluated in another order, or where it is not known to which parameter it goes.
absl::StatusOr<std::string> ArgumentsAfter(const SourceFile& file, TSNode list,
                                           const ParameterMapping& mapping);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_CALL_ARGUMENTS_H_
