#include "tools/report/edit_syntax.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_errors.h"
#include "runtime/tool/schema_builder.h"
#include "tools/report/numbered_lines.h"

namespace stile {
namespace {

constexpr size_t kMaxLineBytes = 200;

}  // namespace

Json EditSyntax::Schema() {
  return ArraySchema(ObjectSchema(
      {Required("line", "integer"), Required("column", "integer"), Required("message", "string")}));
}

EditSyntax CheckEdit(const LanguageRegistry& languages, absl::string_view path,
                     absl::string_view before, absl::string_view after) {
  EditSyntax result{"", Json::array()};
  const Grammar* grammar = FindGrammar(languages.GrammarOf(path));
  if (grammar == nullptr) return result;
  const std::vector<SyntaxError> errors = IntroducedErrors(*grammar, before, after);
  if (errors.empty()) return result;
  const std::vector<absl::string_view> lines = SplitLines(after);
  absl::StrAppend(&result.text, "This edit breaks the syntax:\n");
  for (const SyntaxError& error : errors) {
    result.errors.push_back(
        {{"line", error.line}, {"column", error.column}, {"message", error.message}});
    absl::StrAppend(&result.text, "line ", error.line, ", column ", error.column, ": ",
                    error.message, "\n");
    const auto index = static_cast<size_t>(error.line) - 1;
    if (index < lines.size()) {
      absl::StrAppend(&result.text, NumberedLines({lines[index]}, static_cast<size_t>(error.line),
                                                  kMaxLineBytes));
    }
  }
  return result;
}

}  // namespace stile
