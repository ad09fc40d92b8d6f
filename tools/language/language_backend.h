// One language as the operations on code see it: its facts, its types, its members and the texts of
// its declarations. Whatever an operation has to ask about a language is asked here.
#ifndef STILE_TOOLS_LANGUAGE_LANGUAGE_BACKEND_H_
#define STILE_TOOLS_LANGUAGE_LANGUAGE_BACKEND_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/language/language_facts.h"
#include "tools/language/language_family.h"
#include "tools/language/method_signature.h"
#include "tools/language/syntax_nodes.h"

namespace stile {

// What shows the type of a declared name: the text of a type, or the value that it gets.
struct TypeSource {
  std::string type;
  TSNode value{};
};

// Types, as far as the text shows them. Every `text` is that of the whole file of the nodes.
class TypeRules {
 public:
  virtual ~TypeRules() = default;

  // Of a literal number as a constant has it; "" where the text does not show it.
  virtual std::string NumberType(absl::string_view word) const;
  // Of values that only this language has (`&T{}`, `make(T)`, a float of its own kind); "" for
  // others.
  virtual std::string ValueType(TSNode value, absl::string_view text) const;
  // Of a name that is declared beside others; nullopt where the declarations around the name tell.
  virtual std::optional<TypeSource> DeclaredBeside(TSNode name, absl::string_view text) const;

  // Statements that make the compiler tell the type of an expression in an error; they declare
  // `probe`, a name that no program has. "" where no statement does.
  virtual std::string ProbeOf(absl::string_view probe, absl::string_view expression) const;
  // The type in the compiler's error about such statements; "" where it is in none.
  virtual std::string TypeInMessage(absl::string_view message) const;

  // Whether an argument of the type (of a declaration in the tree) is a copy.
  virtual bool CopiesArgument(const std::string& type, TSNode root, absl::string_view text) const;
  // Whether a method that is called on a variable of the type may change the variable.
  virtual bool MayChangeReceiver(const std::string& type, absl::string_view method,
                                 absl::string_view text) const;
  // What an async function declares that gives such a result.
  virtual std::string AsyncResult(const std::string& type) const { return type; }
  // Whether code of any file can name the type without an import.
  virtual bool IsKnownEverywhere(const std::string& type) const;
};

// The function or method that code is moved out of.
struct FunctionOwner {
  TSNode member{};       // the outermost: a new function goes behind it
  bool in_type = false;  // a method: calls of a new one name the object or the type
  bool is_static = false;
  bool is_class_method = false;
  std::string type_name;
  TSNode receiver{};          // the name by which the method knows its object; null: a keyword
  std::string receiver_text;  // as declared, without parentheses
  std::string receiver_name;
};

// What surrounds a base that is added at a byte.
struct BasePlace {
  uint32_t at = 0;
  std::string before;
  std::string after;
};

// What members of types are, and how one becomes part of an interface.
class MemberRules {
 public:
  virtual ~MemberRules() = default;

  // `member`: the outermost function around, of a type or of the file.
  virtual FunctionOwner OwnerOf(TSNode member, absl::string_view text) const;
  // Modifiers, attributes, receiver and the parameter for the object, for a new function beside
  // `owner` whose body uses the object or not.
  virtual void CompleteHelper(const FunctionOwner& owner, bool uses_this,
                              std::vector<std::string>* parameters, MethodSignature* header) const;
  // What stands before the name of that function in a call: "self.".
  virtual std::string CallPrefix(const FunctionOwner& owner, bool uses_this) const;

  virtual bool IsPublic(const MethodSignature& header) const;
  // The same of a declaration whose text before its body is `head`.
  virtual bool IsPublicHead(absl::string_view head, absl::string_view name) const;
  // Attributes and modifiers of a method that overrides one with this header, of an interface or of
  // an abstract class.
  virtual void CompleteOverride(bool of_interface, MethodSignature* header) const;
  // The member that a type needs for a property that an interface or an abstract class declares;
  // "" where it needs none. `stub`: the statement of a body that is not written yet.
  virtual std::string FieldFor(absl::string_view declared, bool of_interface,
                               const std::string& stub) const;
  // Where the declaration of a type names another base: behind `head_end`, the end of its name and
  // parameters, or in the list it has. nullopt where it names none.
  virtual std::optional<BasePlace> PlaceOfBase(TSNode declaration, uint32_t head_end) const;
  // The member of an interface for a getter or setter that is written as a method; nullopt where
  // the header is none, "" where the interface has no part of it.
  virtual std::optional<std::string> AccessorOf(const MethodSignature& header) const;
  // The member of an interface for the code of a property or field; "" where it has no part of it.
  // `inferred`: the type of the name that NameToInfer found.
  virtual std::string PropertyOf(absl::string_view code, const std::string& inferred) const;
  // Where in the code of a property the name is whose type is not written; npos where there is
  // none.
  virtual size_t NameToInfer(absl::string_view code) const;
  // A parameter of a method, as an interface declares it. `inferred`: its type, if none is written.
  // "" if its type is not known and the interface must declare it.
  virtual std::string InterfaceParameter(const Parameter& parameter,
                                         const std::string& inferred) const;
  // The head of an interface for a type with that head; `generics` with its brackets.
  virtual std::string InterfaceHead(absl::string_view type_head, const std::string& name,
                                    const std::string& generics) const;
};

// A variable that takes what an extracted function gives back.
struct TakenResult {
  std::string name;
  std::string type;       // "" : not known
  bool is_fresh = false;  // not declared before
};
struct ResultTaking {
  std::vector<TakenResult> results;  // at least one
  std::string call;
  std::string indentation;        // of the lines behind the first
  bool is_written_later = false;  // a fresh one gets another value behind the call
};

// Declarations and statements as text, without indentation.
class CodeWriter {
 public:
  virtual ~CodeWriter() = default;

  // A local variable; `type` is "" where the language infers it. "" where a local needs a type and
  // none is given.
  virtual std::string DeclareLocal(const std::string& name, const std::string& type,
                                   absl::string_view value) const;
  // A local variable without a value; "" where the language declares none.
  virtual std::string DeclareUnset(const std::string& name, const std::string& type) const;
  // A constant of the file, or of a type where constants stand in types (of an interface where
  // `in_interface`). "" where a type is needed and none is given.
  virtual std::string DeclareConstant(const std::string& name, const std::string& type,
                                      absl::string_view value, bool in_interface) const;
  virtual std::string ParameterText(const std::string& name, const std::string& type) const;
  // The type of several results at once.
  virtual std::string TypeOfResults(const std::vector<TakenResult>& results) const;
  // What `return` gives for several results.
  virtual std::string ResultList(const std::vector<std::string>& names) const;
  // The statement of a constructor that keeps a parameter in a field.
  virtual std::string KeepInField(const std::string& field, const std::string& parameter) const;
  virtual std::string TakeResults(const ResultTaking& taking) const;
};

// Constant, and safe to use from any thread.
struct LanguageBackend {
  const LanguageFamily* family = nullptr;
  LanguageFacts facts;
  GenerationFacts generation;
  NamingFacts naming;
  const TypeRules* types = nullptr;
  const MemberRules* members = nullptr;
  const CodeWriter* writer = nullptr;
};

// By the id of the language. A language without a file in tools/language/families has no family and
// the default facts.
const LanguageBackend& LanguageBackendOf(absl::string_view language);
// By the name of a grammar. Headers of C++ have the language of C where their names do not tell;
// what the text of a file means depends on the grammar that reads it.
const LanguageBackend& LanguageBackendOfGrammar(absl::string_view grammar);

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_LANGUAGE_BACKEND_H_
