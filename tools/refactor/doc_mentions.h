// Where documentation names the symbol that it documents.
#ifndef STILE_TOOLS_REFACTOR_DOC_MENTIONS_H_
#define STILE_TOOLS_REFACTOR_DOC_MENTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Offsets in `doc`, which is a comment or docstring with its marks, of the words that name the
// symbol `name`. A word of prose may be spelt like the name, so the word has to be one that prose
// does not have (`orderTotal`, `max_size`), or stand as code (`{@link #run}`, `[Run]`, "`run`",
// `run()`), or be written with a capital in the middle of a sentence. `names_begin`: the language's
// documentation begins with the name, as that of Go does.
std::vector<uint32_t> FindDocMentions(absl::string_view doc, const std::string& name,
                                      bool names_begin);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DOC_MENTIONS_H_
