// What the Maven and Gradle validators share.
#ifndef STILE_VALIDATORS_COMPILER_JVM_BUILD_H_
#define STILE_VALIDATORS_COMPILER_JVM_BUILD_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/validator.h"

namespace stile {

// The outermost folder, absolute, from the project's root upward within the workspace without a
// gap, that holds one of `names`: where a build of several modules starts.
std::string OutermostFolderWith(const Project& project, std::initializer_list<const char*> names);

// Folders below `folder` that hold one of `names`, with the folder itself, relative to the
// workspace, without the project's own root: the modules are judged together.
std::vector<std::string> ModulesWith(const Project& project, const std::string& folder,
                                     std::initializer_list<const char*> names);

// Whether a build tool's words say that something could not be downloaded, which is no fault of the
// code.
bool IsDownloadTrouble(absl::string_view output);

// The first line that states an error ("[ERROR] …", "> …" after "What went wrong"), for a message.
std::string FirstErrorLine(absl::string_view output);

// Counts and failures from the JUnit reports in folders named `folder` anywhere below `tree`, which
// stands for the workspace. nullopt when there is no report.
std::optional<TestCounts> ReadTestReports(const std::string& tree, absl::string_view folder,
                                          const Project& project, NamedTests* tests,
                                          std::vector<Diagnostic>* failures);

}  // namespace stile

#endif  // STILE_VALIDATORS_COMPILER_JVM_BUILD_H_
