#ifndef STILE_RUNTIME_SYNTAX_GRAMMAR_H_
#define STILE_RUNTIME_SYNTAX_GRAMMAR_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tree_sitter/api.h"

namespace stile {

// One tree-sitter grammar that is compiled in. Lives as long as the process; thread-safe.
struct Grammar {
  std::string name;  // as language files give it: "python", "c_sharp"
  const TSLanguage* language;
};

// All of them, by name.
const std::vector<Grammar>& Grammars();

// Null if there is none of that name.
const Grammar* FindGrammar(absl::string_view name);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_GRAMMAR_H_
