#include "tools/refactor/prototype_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PrototypeBasesTest, FindsTheFormsThatDerive) {
  for (const char* const text :
       {"Stack.prototype = Object.create(List.prototype, {});", "Stack.prototype=new List(1)",
        "Object.setPrototypeOf(Stack.prototype, lists.List.prototype)", "inherits(Stack , List)",
        "util.inherits(\n  Stack,\n  lists.List);", "Stack.prototype.__proto__ = List.prototype"}) {
    EXPECT_THAT(PrototypeBases(text, "Stack"), ElementsAre("List")) << text;
  }
}

TEST(PrototypeBasesTest, LeavesOtherCode) {
  for (const char* const text :
       {"List.prototype = Object.create(Stack.prototype)", "Stack.prototype = {}",
        "MyStack.prototype = new List()", "merge(Stack, List)", "Stack.prototype = new", "Stack"}) {
    EXPECT_THAT(PrototypeBases(text, "Stack"), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace stile
