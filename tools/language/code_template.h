// Code of languages without a LanguageFamily, from templates: tools/language/templates/*.yaml, one
// file a language. Nothing is parsed: a type or a function is written, no member into a type.
#ifndef STILE_TOOLS_LANGUAGE_CODE_TEMPLATE_H_
#define STILE_TOOLS_LANGUAGE_CODE_TEMPLATE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// Texts in which {name}, {parameters} and {body} are filled in; see Fill. {body} is whole lines.
struct CodeTemplate {
  std::string language;  // its name for people
  std::vector<std::string> extensions;
  std::string indent;
  std::string file_head;                     // of a new file
  std::map<std::string, std::string> types;  // by kind; empty: the language has none
  std::string default_type;
  std::string method;
  std::string receive;  // first line of a function that has parameters, where the head names none
  std::string stub;     // the statement of a body that is not written yet
};

// Unknown or missing keys: located errors (InvalidArgument).
absl::StatusOr<CodeTemplate> ParseCodeTemplate(absl::string_view yaml, absl::string_view file);

// All that are compiled in, by file. Thread-safe; they live as long as the process.
const std::vector<CodeTemplate>& CodeTemplates();

// By the extension of the path. Null if there is none.
const CodeTemplate* FindCodeTemplate(absl::string_view path);

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_CODE_TEMPLATE_H_
