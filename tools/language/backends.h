// The backends of single languages, for the table in language_backend.cc.
#ifndef STILE_TOOLS_LANGUAGE_BACKENDS_H_
#define STILE_TOOLS_LANGUAGE_BACKENDS_H_

#include "tools/language/language_backend.h"

namespace stile {

// Without `family`, which the table adds.
LanguageBackend CBackend();
LanguageBackend CppBackend();
LanguageBackend CSharpBackend();
LanguageBackend GoBackend();
LanguageBackend JavaBackend();
LanguageBackend JavaScriptBackend();
LanguageBackend PythonBackend();
LanguageBackend RustBackend();
LanguageBackend TypeScriptBackend();

// What stands between two texts in `message`; "" where they do not.
std::string TextBetween(absl::string_view message, absl::string_view before,
                        absl::string_view after);

// Whether a literal number has a point or an exponent: 1.5, 1e3, 0x1p-2.
bool IsFloatLiteral(absl::string_view word);

// Number types of languages whose literals have suffixes (1L, 2.0f, 3u).
struct SuffixedNumbers {
  std::string long_type = "long";
  std::string unsigned_type;  // "" : no literal is unsigned
  std::string unsigned_long_type;
  std::string decimal_type;    // of the suffix m; "" : none has it
  bool has_long_long = false;  // whose type no suffix of one l shows
};
std::string SuffixedNumberType(const SuffixedNumbers& numbers, absl::string_view word);

// The owner of a method of a language with classes and a keyword for the object.
FunctionOwner OwnerInClass(TSNode member, bool in_type, absl::string_view text);

// Members of languages whose functions all stand in types, and say who sees them.
class ClassMembers : public MemberRules {
 public:
  FunctionOwner OwnerOf(TSNode member, absl::string_view text) const override;
  void CompleteHelper(const FunctionOwner& owner, bool uses_this,
                      std::vector<std::string>* parameters, MethodSignature* header) const override;
  bool IsPublic(const MethodSignature& header) const override;
};

// Declarations whose type stands before the name.
class TypeFirstWriter : public CodeWriter {
 public:
  std::string ParameterText(const std::string& name, const std::string& type) const override;
};

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_BACKENDS_H_
