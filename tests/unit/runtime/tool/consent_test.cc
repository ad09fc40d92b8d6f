#include "runtime/tool/consent.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

ToolSpec FileWrite() {
  ToolSpec spec;
  spec.name = "file.write";
  spec.permission_argument = "path";
  return spec;
}

TEST(ConsentTest, RulesOfAFolderAboveHoldForTheSameFile) {
  Consent consent;
  consent.workspace = "/project/secret";
  consent.outer = {{"/project", {{}, {"file.write(secret/ask/**)"}, {"file.write(secret/no/**)"}}}};
  EXPECT_TRUE(consent.CheckCall(FileWrite(), {{"path", "yes.txt"}}, nullptr).ok());
  EXPECT_THAT(consent.CheckCall(FileWrite(), {{"path", "no/a.txt"}}, nullptr).message(),
              HasSubstr("forbidden"));
  EXPECT_THAT(
      consent.CheckCall(FileWrite(), {{"path", "/project/secret/no/a.txt"}}, nullptr).message(),
      HasSubstr("forbidden"));
  EXPECT_THAT(consent.CheckCall(FileWrite(), {{"path", "ask/a.txt"}}, nullptr).message(),
              HasSubstr("--yes"));
  consent.yes = true;
  EXPECT_TRUE(consent.CheckCall(FileWrite(), {{"path", "ask/a.txt"}}, nullptr).ok());
}

TEST(ConsentTest, RulesOfAFolderAboveHoldForFilesThatACallDoesNotName) {
  Consent consent;
  consent.workspace = "/project/secret";
  consent.outer = {{"/project", {{}, {}, {"file.write(secret/no/**)"}}}};
  std::set<std::string> allowed;
  EXPECT_TRUE(consent.CheckChanges(FileWrite(), {"yes.txt"}, &allowed).ok());
  EXPECT_FALSE(consent.CheckChanges(FileWrite(), {"no/a.txt"}, &allowed).ok());
}

TEST(ConsentTest, WhatAFolderAboveAllowsIsNotAllowedBelow) {
  Consent consent;
  consent.workspace = "/project/sub";
  consent.rules.deny = {"file.write"};
  consent.outer = {{"/project", {{"file.write"}, {}, {}}}};
  EXPECT_FALSE(consent.CheckCall(FileWrite(), {{"path", "a.txt"}}, nullptr).ok());
}

}  // namespace
}  // namespace stile
