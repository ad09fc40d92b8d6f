#include "tools/refactor/prototype_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::set<std::string> Bases(const std::string& text) {
  static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
  const auto file =
      SourceFile::Parse("a.js", *languages->OfFile("a.js"), *FindGrammar("javascript"), text);
  return file.ok() ? PrototypeBases(**file, "Stack") : std::set<std::string>{"?"};
}

TEST(PrototypeBasesTest, FindsTheFormsThatDerive) {
  for (const char* const text :
       {"Stack.prototype = Object.create(List.prototype, {});", "Stack.prototype=new List(1)",
        "Object.setPrototypeOf(Stack.prototype, lists.List.prototype)", "inherits(Stack , List)",
        "util.inherits(\n  Stack,\n  lists.List);", "Stack.prototype.__proto__ = List.prototype"}) {
    EXPECT_THAT(Bases(text), ElementsAre("List")) << text;
  }
}

TEST(PrototypeBasesTest, LeavesOtherCode) {
  for (const char* const text :
       {"List.prototype = Object.create(Stack.prototype)", "Stack.prototype = {}",
        "MyStack.prototype = new List()", "merge(Stack, List)", "Stack.prototype = newList()",
        "Stack.prototype = new", "// Stack.prototype = new List()",
        "text = 'Stack.prototype = new List()'", "inherits(Stack, require('./list'))", "Stack"}) {
    EXPECT_THAT(Bases(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace stile
