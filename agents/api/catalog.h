#ifndef STILE_AGENTS_API_CATALOG_H_
#define STILE_AGENTS_API_CATALOG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/agent_loop/prompt.h"
#include "runtime/base/embedded.h"
#include "runtime/language/language.h"
#include "tools/pattern/pattern.h"

namespace stile {

// The data that is compiled into the library: languages, profiles, prompts, stories.
const std::vector<EmbeddedFile>& EmbeddedData();

// Lives as long as the process. An error is one of Stile's own files.
const absl::StatusOr<std::vector<Language>>& BundledLanguages();

// A bundled profile by name, or a file when `name` has a '/' or ends in ".md". NotFound names the
// profiles there are.
absl::StatusOr<AgentProfile> LoadProfile(const std::string& name);

// Workflows that come with Stile are named like files, behind this.
inline constexpr absl::string_view kBuiltinPrefix = "builtin:";
// The text of agents/workflows/NAME.yaml; InvalidArgument names those there are.
absl::StatusOr<std::string> LoadBuiltinWorkflow(const std::string& name);

// The recipes that come with Stile; they live as long as the process.
const std::vector<CodingPattern>& BundledPatterns();

// Blocks of stile.yaml for languages without a validator of Stile's own (`stile init --language`).
// "ruby", …, sorted.
std::vector<std::string> TemplateNames();
// InvalidArgument names those there are.
absl::StatusOr<std::string> LoadTemplate(const std::string& name);

// A bundled prompt by name ("step-execute").
absl::StatusOr<PromptTemplate> LoadPrompt(const std::string& name);

}  // namespace stile

#endif  // STILE_AGENTS_API_CATALOG_H_
