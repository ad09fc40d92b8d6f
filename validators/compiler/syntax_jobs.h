// Checking C and C++ files one by one with -fsyntax-only, for cc-syntax and compile-commands: which
// files need it after a change (by the depfiles of the last check that each passed, and what was
// written since), several at a time.
#ifndef STILE_VALIDATORS_COMPILER_SYNTAX_JOBS_H_
#define STILE_VALIDATORS_COMPILER_SYNTAX_JOBS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"
#include "validators/compiler/command_run.h"

namespace stile {

struct SyntaxJob {
  std::vector<std::string> argv;  // the compiler with everything but output and dependency switches
  std::string cwd;                // absolute
  std::string stdin_text;
  std::string file;    // what is checked, relative to the workspace; absolute outside of it
  Toolchain compiler;  // behind argv[0]: what another version passed is checked again
};

// The first of gcc and clang on the PATH, for `cpp` the C++ drivers.
Toolchain FindCCompiler(bool cpp, const Environment& environment, ProcessRunner* runner);

// Validator::compilers of builds that compile C and C++: the programs that open the files, which
// are not the drivers that one calls.
std::vector<std::string> CCompilers();

// The compilers that a makefile or CMake may choose, present or not: a build's state is as good as
// the versions it was made with.
std::vector<Toolchain> BuildCompilers(const Environment& environment, ProcessRunner* runner);

// By extension: a translation unit of C or C++; a header that can be checked by itself.
bool IsCSource(absl::string_view file);
bool IsCHeader(absl::string_view file);

// Switches that make diagnostics readable for ParseGcc with columns in bytes.
std::vector<std::string> DiagnosticSwitches(const Toolchain& compiler);

// Runs the jobs that need it, all of them when request.cold or in doubt, and concludes. Fills
// files_read with all files of the workspace that the checks read.
absl::StatusOr<ValidationResult> RunSyntaxJobs(const ValidationRequest& request,
                                               const std::vector<SyntaxJob>& jobs,
                                               ValidationRun* run);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_SYNTAX_JOBS_H_
