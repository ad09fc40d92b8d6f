#include "tools/refactor/new_name.h"

#include <gtest/gtest.h>

#include <string>

namespace stile {
namespace {

Language Called(const std::string& id) {
  Language language;
  language.id = id;
  language.name = id;
  return language;
}

bool IsName(const std::string& language, const std::string& name) {
  return CheckNewName(Called(language), name).ok();
}

TEST(NewNameTest, TakesIdentifiersOfAnyScript) {
  for (const char* name : {"a", "_a1", "Größe", "имя", "名前", "x_y"}) {
    EXPECT_TRUE(IsName("python", name)) << name;
  }
}

TEST(NewNameTest, RefusesWhatIsNoName) {
  for (const char* name :
       {"", "_", "1a", "a b", "a.b", "x\xE2\x80\x8B", "a\xE2\x80\xAE", "a\xC2\xA0",
        "\xEF\xBD\x8Fpen", "\xEF\xAC\x81", "a\xE2\x86\x92", "\xff"}) {
    EXPECT_FALSE(IsName("python", name)) << name;
  }
}

TEST(NewNameTest, KnowsReservedWords) {
  for (const auto& [language, word] :
       std::vector<std::pair<std::string, std::string>>{{"c", "while"},
                                                        {"cpp", "while"},
                                                        {"cpp", "class"},
                                                        {"csharp", "event"},
                                                        {"go", "func"},
                                                        {"java", "int"},
                                                        {"javascript", "new"},
                                                        {"typescript", "enum"},
                                                        {"python", "lambda"},
                                                        {"rust", "type"}}) {
    EXPECT_FALSE(IsName(language, word)) << language << " " << word;
  }
  EXPECT_TRUE(IsName("c", "class"));
  EXPECT_TRUE(IsName("python", "type"));
  EXPECT_EQ(CheckNewName(Called("rust"), "type").message(),
            "type is a reserved word of rust; choose another newName");
}

}  // namespace
}  // namespace stile
