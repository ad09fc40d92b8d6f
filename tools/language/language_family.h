// What it takes to write code of a language: data from tools/language/families/*.yaml, one file a
// language. What a language means beyond that (where a member goes, which fields a type has) is in
// the files beside this one.
#ifndef STILE_TOOLS_LANGUAGE_LANGUAGE_FAMILY_H_
#define STILE_TOOLS_LANGUAGE_LANGUAGE_FAMILY_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// How the head of a function is written.
enum class HeaderLayout {
  kTypeFirst,  // int Add(int a)
  kNameFirst,  // add(a: number): number
  kPython,     // def add(a: int) -> int
  kGo,         // func (s *Sum) Add(a int) int
  kRust,       // fn add(a: i32) -> i32
};

enum class BlockStyle { kSameLine, kOwnLine, kColon };

// Texts in which {name} and other holes are filled in; see Fill.
struct TestFramework {
  std::string name;
  std::string marker;  // a project that holds this text uses it
  std::vector<std::string> uses;
  std::string group;  // what holds tests; "": nothing does
  std::string group_end;
  std::string test;
  std::string test_end;
  std::string stub;
};

struct LanguageFamily {
  std::string language;  // id
  std::vector<std::string> operations;
  HeaderLayout layout = HeaderLayout::kTypeFirst;
  std::string indent;
  BlockStyle blocks = BlockStyle::kSameLine;
  std::vector<std::string> keywords;   // words of a head that say only that it is one
  std::vector<std::string> modifiers;  // words before a head that are kept
  std::vector<std::string> access;     // those of them that say who sees it
  std::string default_access;
  // Members of the types that most code uses: built in, or of the standard library.
  std::vector<std::string> library_members;
  // Top-level modules of the standard library whose import has no side effect.
  std::vector<std::string> library_modules;
  // Go: paths of packages of the standard library that share a name.
  std::vector<std::string> library_packages;
  std::string no_result;  // the type of what returns nothing; "": nothing is written
  std::string stub;       // the statement of a body that nobody has written yet
  std::string stub_uses;
  std::string default_type;
  std::map<std::string, std::string> types;      // head by kind
  std::map<std::string, std::string> type_uses;  // import by kind
  std::string type_end;
  std::string bases;
  std::string test_file;  // its name without extension
  std::string test_default;
  std::string test_name;  // pascal, camel, snake, words or prefixed
  std::vector<TestFramework> frameworks;

  bool Supports(absl::string_view operation) const;
  bool IsModifier(absl::string_view word) const;
  const TestFramework* FindFramework(absl::string_view name) const;
  // Whether the module is one of library_modules, or lies in one.
  bool IsLibraryModule(absl::string_view module) const;
};

// Unknown keys, holes in what is needed: located errors.
absl::StatusOr<LanguageFamily> ParseLanguageFamily(absl::string_view yaml, absl::string_view file);

// Null where Stile writes no code of the language.
const LanguageFamily* FindLanguageFamily(absl::string_view language);

// `text` with {hole} replaced, for each hole that is given.
std::string Fill(absl::string_view text,
                 const std::vector<std::pair<std::string, std::string>>& holes);

// The words of an identifier or a sentence, lower case: "getHTTPResponse" → get, http, response.
std::vector<std::string> WordsOf(absl::string_view name);
std::string PascalCase(absl::string_view name);
std::string CamelCase(absl::string_view name);
std::string SnakeCase(absl::string_view name);

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_LANGUAGE_FAMILY_H_
