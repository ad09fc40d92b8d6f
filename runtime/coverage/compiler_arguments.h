// The arguments of compilers in a form that is the same for two builds of the same code in the same
// way.
#ifndef STILE_RUNTIME_COVERAGE_COMPILER_ARGUMENTS_H_
#define STILE_RUNTIME_COVERAGE_COMPILER_ARGUMENTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// A program (absolute path) and what it was told: equal for processes that compile alike.
using CompilerWay = std::vector<std::string>;
using CompilerWays = std::vector<std::shared_ptr<const CompilerWay>>;

// Absolute folders whose names differ between a build and its copy; "" for none.
struct ArgumentPlaces {
  std::string workspace;
  std::string state;  // ValidationRequest::state_dir
};

// Whether `program` is a compiler whose arguments are compared: of C and C++ (cc1, clang), Rust, Go
// and C#.
bool ComparesArguments(absl::string_view program);

// `program` and the arguments that decide what is compiled and how, in their order. Left out: where
// the outputs go, hashes that build tools make up, names of temporary files. `arguments` begins
// with the name by which the program was called. Of other programs: the program alone.
CompilerWay WayOf(absl::string_view program, const std::vector<std::string>& arguments,
                  const ArgumentPlaces& places);

bool HaveOneInCommon(const CompilerWays& a, const CompilerWays& b);

// How the most similar of `real` and `trial` differ: "-E", "without -DFULL", "as in place of cc1".
// Neither may be empty.
std::string WayDifference(const CompilerWays& real, const CompilerWays& trial);

}  // namespace stile

#endif  // STILE_RUNTIME_COVERAGE_COMPILER_ARGUMENTS_H_
