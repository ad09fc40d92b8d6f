#ifndef STILE_TOOLS_REPORT_EDIT_SYNTAX_H_
#define STILE_TOOLS_REPORT_EDIT_SYNTAX_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/language/language.h"

namespace stile {

// The syntax errors that an edit introduced, for the answer to it.
struct EditSyntax {
  std::string text;  // one paragraph with the lines concerned; "" when there is nothing to say
  Json errors;       // array of {line, column, message}

  static Json Schema();  // of `errors`
};

// `path` decides the grammar; a file of no known one has no errors. `before` is "" for a new file.
EditSyntax CheckEdit(const LanguageRegistry& languages, absl::string_view path,
                     absl::string_view before, absl::string_view after);

}  // namespace stile

#endif  // STILE_TOOLS_REPORT_EDIT_SYNTAX_H_
