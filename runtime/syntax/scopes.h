// Which declaration of the same file an identifier means, by runtime/syntax/queries/<grammar>/
// scopes.scm: locals, parameters and imports hide what the file or the project declares under their
// name. Types are not known: what stands right of a dot has a receiver and no binding.
#ifndef STILE_RUNTIME_SYNTAX_SCOPES_H_
#define STILE_RUNTIME_SYNTAX_SCOPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {

enum class BindingKind : uint8_t {
  kParameter,
  kLocal,
  kTypeParameter,
  kImport,
  kNamespace,
  kType,
  kFunction,
  kMethod,
  kVariable,  // of the file or a namespace
  kField,
  kConstant,  // enum members
  kMacro,
};

absl::string_view BindingKindName(BindingKind kind);

// A name that is declared in the file. Offsets are bytes into the text.
struct Binding {
  std::string name;
  uint32_t name_begin = 0;  // of the first declaration, where there may be several
  uint32_t name_end = 0;
  // Where a plain identifier of that name means it, unless something nearer hides it. Only the name
  // itself for members that are always reached through an object or a type.
  uint32_t scope_begin = 0;
  uint32_t scope_end = 0;
  BindingKind kind = BindingKind::kVariable;
  bool is_file_level = true;  // declared outside of every function: others may know it, too
};

enum class OccurrenceRole : uint8_t {
  kDefinition,  // the name of a declaration
  kReference,
  kMember,     // right of `.`, `->` or `::`; see receiver
  kType,       // where only a type can stand
  kImport,     // in an import or use declaration, where it does not declare a name of this file
  kLabel,      // of a goto, a loop, a lifetime
  kKey,        // of an object literal, keyword argument, field initialiser, destructuring pattern
  kRaw,        // in what a macro reads or holds as bare tokens, where only scopes are known
  kShorthand,  // key and variable in one: `{bar}`; renaming either makes it `bar: other`
};

absl::string_view OccurrenceRoleName(OccurrenceRole role);

struct Occurrence {
  uint32_t begin = 0;
  uint32_t end = 0;
  OccurrenceRole role = OccurrenceRole::kReference;
  bool is_call = false;
  int binding = -1;  // into FileScopes::bindings; -1: nothing in this file, or not to be known
  // kMember: the expression or qualifier on the left; both 0 where it is not written.
  uint32_t receiver_begin = 0;
  uint32_t receiver_end = 0;
};

// All bindings of a file, and what FindOccurrences needs to resolve any name without the tree.
struct FileScopes {
  std::vector<Binding> bindings;  // by name_begin
  bool is_complete = true;        // false: the text took too much work, and the rest is missing

  struct Visibility {
    uint32_t begin;
    uint32_t end;
    int binding;
    bool not_in_functions;  // class bodies of Python
  };
  std::vector<Visibility> visibilities;
  struct Identifier {
    Occurrence occurrence;        // with the binding that it declares, or -1
    uint32_t function_begin = 0;  // of the innermost function around it
  };
  std::vector<Identifier> identifiers;  // every one of the file, by begin
};

// `tree` was parsed from `text`. A function of its arguments. Costs about as much as parsing.
FileScopes AnalyzeScopes(const Grammar& grammar, const SyntaxTree& tree, absl::string_view text);

// Every identifier of that name in the file, in the order of the text. Those in comments and
// strings are left out, except for names of Python's code in quotes (quoted_names.h). `scopes` is
// what AnalyzeScopes gave for the text.
std::vector<Occurrence> FindOccurrences(const Grammar& grammar, const FileScopes& scopes,
                                        absl::string_view text, absl::string_view name);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SCOPES_H_
