// Where the tests of a file go, and with which framework they are written.
#ifndef STILE_TOOLS_CODEGEN_TEST_PLACE_H_
#define STILE_TOOLS_CODEGEN_TEST_PLACE_H_

#include <string>

#include "tools/codegen/code_site.h"

namespace stile {

struct TestFilePlace {
  std::string path;  // may exist
  const TestFramework* framework = nullptr;
};

// Whether the path is that of a test by the language's own names.
bool IsTestFile(const Language& language, absl::string_view path);

// For the tests of `group` (a type or a file's stem), which `site` declares. FailedPrecondition
// where a project of tests has to exist first.
absl::StatusOr<TestFilePlace> FindTestPlace(const GenerateContext& context, const CodeSite& site,
                                            const std::string& group);
// The framework that a test file, or what is around it, uses.
const TestFramework* FindFramework(const GenerateContext& context, const CodeSite& site,
                                   const std::string& test_path);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_TEST_PLACE_H_
