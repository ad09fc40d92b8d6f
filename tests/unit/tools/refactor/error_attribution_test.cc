#include "tools/refactor/error_attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

// The text of a TypeScript file with `depth` in brackets where KeysOfNamedValue finds it. `@` marks
// the place of the error, and is no part of the file.
std::string Marked(const std::string& text) {
  static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
  const Language& language = *languages->OfFile("a.ts");
  const std::string plain = absl::StrReplaceAll(text, {{"@", ""}});
  const auto file = SourceFile::Parse("a.ts", language, *FindGrammar(language.grammar), plain);
  if (!file.ok()) return std::string(file.status().message());
  const TextPlace at = (*file)->PlaceOf(static_cast<uint32_t>(text.find('@')));
  Diagnostic error;
  error.line = at.line;
  error.column = at.column;
  std::string marked = plain;
  ParsedFiles parsed;
  std::vector<uint32_t> keys = KeysOfNamedValue(**file, "depth", error, &parsed).keys;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) marked.replace(*key, 5, "[depth]");
  return marked;
}

TEST(KeysOfNamedValueTest, FindsThoseOfTheVariable) {
  EXPECT_EQ(Marked("const a = { depth: 1 };\nrun(@a);\n"), "const a = { [depth]: 1 };\nrun(a);\n");
  EXPECT_EQ(Marked("const a = x ? { depth } : { \"depth\": 2 };\nreturn @a;\n"),
            "const a = x ? { [depth] } : { \"[depth]\": 2 };\nreturn a;\n");
  EXPECT_EQ(Marked("const a = { depth: 1 };\nconst @b: Box = a;\n"),
            "const a = { [depth]: 1 };\nconst b: Box = a;\n");
}

TEST(KeysOfNamedValueTest, FindsThoseOfTheTypeOfAParameter) {
  EXPECT_EQ(Marked("function f(a?: { depth: number }) {\n  run(@a ?? {});\n}\n"),
            "function f(a?: { [depth]: number }) {\n  run(a ?? {});\n}\n");
}

TEST(KeysOfNamedValueTest, FindsThoseThatAFunctionReturns) {
  EXPECT_EQ(Marked("const f = () => ({ depth: 1 });\nrun(@f());\n"),
            "const f = () => ({ [depth]: 1 });\nrun(f());\n");
  EXPECT_EQ(
      Marked("function f() {\n  log({ depth: 1 });\n  const inner = { depth: 2 };\n  if (x) {\n"
             "    return { depth: 3 };\n  }\n  return [1].map(() => ({ depth: 4 "
             "}));\n}\nrun(@f());\n"),
      "function f() {\n  log({ depth: 1 });\n  const inner = { depth: 2 };\n  if (x) {\n"
      "    return { [depth]: 3 };\n  }\n  return [1].map(() => ({ depth: 4 }));\n}\nrun(f());\n");
}

TEST(KeysOfNamedValueTest, LeavesThoseOfOtherValues) {
  EXPECT_EQ(Marked("const a = { b: { depth: 1 } };\nrun(@a);\n"),
            "const a = { b: { depth: 1 } };\nrun(a);\n");
  EXPECT_EQ(Marked("function f() {\n  const a = { depth: 1 };\n}\nfunction g() {\n"
                   "  const a = { depth: 2 };\n  run(@a);\n}\n"),
            "function f() {\n  const a = { depth: 1 };\n}\nfunction g() {\n"
            "  const a = { [depth]: 2 };\n  run(a);\n}\n");
  EXPECT_EQ(Marked("run(@1);\n"), "run(1);\n");
}

}  // namespace
}  // namespace stile
