// Macros that may drop their arguments: their definitions and calls as tokens, one class a kind.
#ifndef STILE_VALIDATORS_INTEGRITY_MACRO_SYNTAX_H_
#define STILE_VALIDATORS_INTEGRITY_MACRO_SYNTAX_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Words, literals and signs, without comments and blanks.
struct MacroToken {
  std::string text;
  int line = 0;
  size_t close = 0;        // of an opening bracket: the index of the one that closes it
  size_t code_before = 0;  // how many tokens before this one are those of statements
};
using MacroTokens = std::vector<MacroToken>;

// Enough of the tokens of Rust, C and C++ to tell brackets from text. A line that begins with '#'
// ends with the token "\n", so that a definition has an end.
MacroTokens ReadMacroTokens(absl::string_view text);

// The text of the token; "" behind the end.
const std::string& TextAt(const MacroTokens& tokens, size_t i);
// The bracket that closes the one at `open`; the end if there is none.
size_t CloseOf(const MacroTokens& tokens, size_t open);
bool OpensBracket(absl::string_view text);
bool IsMacroName(absl::string_view text);

// Parameters that each macro drops, by its name. kAllParameters stands for all of them.
using SwallowedParameters = std::map<std::string, std::set<size_t>>;
constexpr size_t kAllParameters = static_cast<size_t>(-1);

// Immutable; thread-safe; lives as long as the process.
class MacroSyntax {
 public:
  virtual ~MacroSyntax() = default;

  // A file that defines macros holds this word.
  virtual absl::string_view DefinitionWord() const = 0;
  // What stands between the name and the bracket of a call; "": nothing.
  virtual absl::string_view CallSign() const = 0;
  // Whether commas divide arguments; otherwise a macro takes all tokens as one.
  virtual bool HasArguments() const = 0;
  // Adds the macros that the tokens define.
  virtual void AddMacros(const MacroTokens& tokens, SwallowedParameters* swallowed) const = 0;

  // The index of the bracket that opens the arguments, if a macro named by token `i` is called.
  size_t OpenOfCall(size_t i) const { return i + (CallSign().empty() ? 1 : 2); }
  bool IsCall(const MacroTokens& tokens, size_t i) const;
};

// macro_rules! name { … }, called as name!(…)
const MacroSyntax* RuleMacros();
// #define NAME(…) …, called as NAME(…)
const MacroSyntax* PreprocessorMacros();

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_MACRO_SYNTAX_H_
