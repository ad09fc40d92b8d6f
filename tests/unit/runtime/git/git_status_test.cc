#include "runtime/git/git_status.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;

// The bytes of a literal, with the NUL characters that end its lines.
template <size_t N>
absl::string_view Bytes(const char (&literal)[N]) {
  return absl::string_view(literal, N - 1);
}

TEST(GitStatusTest, ReadsEachKindOfEntry) {
  const auto status =
      ParseGitStatus(Bytes("# branch.oid 0123456789abcdef\0# branch.head topic\0# stash 2\0"
                           "1 .M N... 100644 100644 100644 a b one two\0"
                           "1 A. N... 000000 100644 100644 a b # branch.oid x\0"
                           "u UU N... 100644 100644 100644 100644 a b c both\nways\0"
                           "? \xff new\0"));
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->commit, "0123456789abcdef");
  EXPECT_EQ(status->branch, "topic");
  EXPECT_THAT(status->entries,
              ElementsAre(FieldsAre(" M", "one two"), FieldsAre("A ", "# branch.oid x"),
                          FieldsAre("UU", "both\nways"), FieldsAre("??", "\xff new")));
}

TEST(GitStatusTest, NamesNeitherTheFirstCommitNorADetachedHead) {
  const auto status = ParseGitStatus(Bytes("# branch.oid (initial)\0# branch.head (detached)\0"));
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->commit, "");
  EXPECT_EQ(status->branch, "");
  EXPECT_TRUE(ParseGitStatus("").ok());
}

TEST(GitStatusTest, RefusesLinesOfAnotherForm) {
  for (const absl::string_view text :
       {"1 .M N... 100644", "1", "?", "? ", "?x", "2 R. N... 1 2 3 a b R100 new", "! ignored", "x",
        "1 M N... 100644 100644 100644 a b one", "#"}) {
    EXPECT_FALSE(ParseGitStatus(text).ok()) << text;
  }
}

}  // namespace
}  // namespace stile
