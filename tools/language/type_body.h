// What lies between the braces of a type, by its syntax tree.
#ifndef STILE_TOOLS_LANGUAGE_TYPE_BODY_H_
#define STILE_TOOLS_LANGUAGE_TYPE_BODY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/language/language_family.h"

namespace stile {

enum class MemberKind { kField, kProperty, kConstructor, kMethod, kOther };

struct TypeMember {
  MemberKind kind = MemberKind::kOther;
  std::string name;  // of a constructor, method, field or property
  uint32_t begin = 0;
  uint32_t end = 0;
  bool is_public = true;     // C++: the section that it lies in
  bool is_abstract = false;  // without a body, or said to be abstract
};

// What an object of the type holds.
struct TypeField {
  std::string name;
  std::string type;  // "" where none is written
  bool is_static = false;
  bool has_value = false;
  bool is_optional = false;
  bool is_readonly = false;
  bool is_property = false;
};

struct TypeBody {
  uint32_t declaration_begin = 0;
  uint32_t name_end = 0;
  // With braces: the places of the two. Without: of the block.
  uint32_t begin = 0;
  uint32_t end = 0;
  bool has_braces = true;
  bool is_interface = false;  // interfaces, traits, protocols: members need no body
  std::vector<TypeMember> members;
  std::vector<TypeField> fields;  // in the order of the text
};

// The body of the type whose name stands at `name_begin`; NotFound where it has none (`struct
// Unit;`), FailedPrecondition where it does not close.
absl::StatusOr<TypeBody> FindTypeBody(const LanguageFamily& family, const SyntaxTree& tree,
                                      absl::string_view text, uint32_t name_begin);

// The same for the node of a declaration, a block of an impl, or a body itself.
absl::StatusOr<TypeBody> TypeBodyOf(const LanguageFamily& family, TSNode declaration,
                                    absl::string_view text);

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_TYPE_BODY_H_
