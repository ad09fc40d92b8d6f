// Examples in documentation, which compilers can be asked about.
#ifndef STILE_RUNTIME_VALIDATION_DOC_EXAMPLE_H_
#define STILE_RUNTIME_VALIDATION_DOC_EXAMPLE_H_

#include <string>
#include <tuple>

namespace stile {

// An example in the documentation of code, or several.
struct DocExample {
  std::string path;  // relative to the workspace
  // 1-based, of the mark before its first line; 0: all of the file; kOfProject: all of the project
  // that builds the file.
  int line = 0;

  static constexpr int kOfProject = -1;
  friend bool operator<(const DocExample& a, const DocExample& b) {
    return std::tie(a.path, a.line) < std::tie(b.path, b.line);
  }
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_DOC_EXAMPLE_H_
