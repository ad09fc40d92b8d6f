// Where the checkout lies that the tests were built from.
#ifndef STILE_TESTS_SUPPORT_SOURCE_FOLDER_H_
#define STILE_TESTS_SUPPORT_SOURCE_FOLDER_H_

#include <string>

namespace stile {

// Absolute. A function instead of a macro on the compiler's command line: only one generated source
// names the folder, so that the compiler cache serves clones in other places.
std::string SourceFolder();

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_SOURCE_FOLDER_H_
