#include "tools/language/code_template.h"

#include <utility>

#include "absl/strings/match.h"
#include "runtime/base/check.h"
#include "runtime/base/embedded.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"

namespace stile {

const std::vector<EmbeddedFile>& CodeTemplateFiles();  // made by the build

absl::StatusOr<CodeTemplate> ParseCodeTemplate(absl::string_view text, absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, {"language", "extensions", "indent", "file_head", "types",
                                         "default_type", "method", "receive", "stub"}));
  CodeTemplate code;
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "language", &code.language));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "extensions", &code.extensions));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "indent", &code.indent));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "file_head", &code.file_head));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "default_type", &code.default_type));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "method", &code.method));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "receive", &code.receive));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "stub", &code.stub));
  if (const Yaml* types = yaml.Find("types"); types != nullptr) {
    for (const Yaml::Entry& entry : types->keys) {
      STILE_ASSIGN_OR_RETURN(code.types[entry.first], entry.second.AsString());
    }
  }
  if (code.language.empty() || code.extensions.empty() || code.method.empty() ||
      code.stub.empty()) {
    return yaml.Error("'language', 'extensions', 'method' or 'stub' is missing");
  }
  if (!code.types.empty() && code.types.count(code.default_type) == 0) {
    return yaml.Error("'default_type' is not among 'types'");
  }
  return code;
}

const std::vector<CodeTemplate>& CodeTemplates() {
  static const auto* const templates = [] {
    auto* all = new std::vector<CodeTemplate>;
    for (const EmbeddedFile& file : CodeTemplateFiles()) {
      auto code = ParseCodeTemplate(file.text, file.path);
      STILE_CHECK(code.ok());  // a file of ours
      all->push_back(*std::move(code));
    }
    return all;
  }();
  return *templates;
}

const CodeTemplate* FindCodeTemplate(absl::string_view path) {
  for (const CodeTemplate& code : CodeTemplates()) {
    for (const std::string& extension : code.extensions) {
      if (absl::EndsWith(path, extension)) return &code;
    }
  }
  return nullptr;
}

}  // namespace stile
