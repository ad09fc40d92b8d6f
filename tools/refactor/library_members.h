// Members that types of libraries declare.
#ifndef STILE_TOOLS_REFACTOR_LIBRARY_MEMBERS_H_
#define STILE_TOOLS_REFACTOR_LIBRARY_MEMBERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"
#include "tools/index/source_file.h"
#include "tools/index/symbol_query.h"
#include "tools/resolve/resolver.h"

namespace stile {

// The first of `names` that the type at `place`, or a type above it, declares; "": none. Files of
// libraries are parsed as `like` is. Reads at most 100 types. Errors: those of the resolver that
// mean more than "no answer".
absl::StatusOr<std::string> DeclaredByLibrary(const OutsidePlace& place,
                                              const std::vector<std::string>& names,
                                              const SourceFile& like, Resolver* resolver);

// What a library looks for while the program runs, without a type that says so, and would find in
// this method if it had the name: "fmt.Formatter". "": nothing known.
std::string AssertedContract(const SourceFile& file, const Symbol& method, const std::string& name);

// Why a name cannot change because code outside of the project knows it, as the end of a sentence
// that begins with the name; "": nothing is known. As AssertedContract; names that the linker knows
// (Rust: `#[no_mangle]`, declarations in `extern "C" {}`); a trait that the project does not
// declare; a module that has its name from its file.
std::string KnownOutside(const Resolution& symbol, CodeIndex* index);

// Why a library would call the symbol under the new name, as a sentence without its period; "":
// none is known to.
std::string CalledOutside(const Resolution& symbol, const std::string& new_name);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_LIBRARY_MEMBERS_H_
