// Where documentation names the symbol that it documents.
#ifndef STILE_TOOLS_REFACTOR_DOC_MENTIONS_H_
#define STILE_TOOLS_REFACTOR_DOC_MENTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

struct MentionRules {
  bool names_begin =
      false;  // the language's documentation begins with the name, as that of Go does
  // The text is a file that may hold settings, in which `module:run` names a symbol, or a template,
  // whose code between `{{ }}`, `{% %}` or `<% %>` does.
  bool in_settings = false;
  // Another symbol has the name: a capital does not tell which of the two a sentence means.
  bool has_namesake = false;
  // … and is in scope without a qualifier, where the symbol is a member.
  bool has_namesake_in_scope = false;
  // Qualifiers of a symbol that is no member: its module, package or namespace. Empty: any.
  std::vector<std::string> modules;
  // Types whose members of the name are renamed, too.
  std::vector<std::string> owners;
};

// Offsets in `doc` of words that name the symbol `name`. `doc` is a comment or docstring with its
// marks. A word counts if prose does not have it (`orderTotal`, `max_size`), if it is marked as
// code (`{@link #run}`, `[Run]`, "`run`", `run()`), or if it has a capital within a sentence.
// `owner`: the type that the member belongs to, "" if it is no member. `Other#run` does not count
// if Other is not `owner`, nor does `other.run`, unless prose does not have the name.
std::vector<uint32_t> FindDocMentions(absl::string_view doc, const std::string& name,
                                      const std::string& owner, const MentionRules& rules);

// Whether a name between `begin` and `end`, in a comment or a string, may be looked up or run: it
// ends a text in quotes, alone or behind a dot, stands in braces of a text (`"{total} of
// {count}"`), in a template of Go (`{{range .Items}}`), or in an example (`>>> total(1)`,
// `@example`).
bool MayBeRun(absl::string_view text, size_t begin, size_t end);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DOC_MENTIONS_H_
