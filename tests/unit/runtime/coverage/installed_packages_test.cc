#include "runtime/coverage/installed_packages.h"

#include "gtest/gtest.h"

namespace stile {
namespace {

TEST(InstalledPackagesTest, FoldersAndNamesArePartsOfThePath) {
  EXPECT_EQ(PackageFolderOf("web/node_modules/a/node_modules/b/x.d.ts"), "web/node_modules");
  EXPECT_EQ(PackageFolderOf("my_node_modules/a/x.d.ts"), "");
  EXPECT_EQ(PackageFolderOf("my_node_modules/a/node_modules/b/x"),
            "my_node_modules/a/node_modules");
  EXPECT_EQ(PackageNameOf("node_modules/a/x.d.ts"), "a");
  EXPECT_EQ(PackageNameOf("node_modules/.pnpm/a@1/node_modules/@b/c/x.d.ts"), "@b/c");
  EXPECT_EQ(PackageNameOf("node_modules/a/my_node_modules/b"), "a");
  EXPECT_EQ(PackageNameOf("src/a.ts"), "");
}

TEST(InstalledPackagesTest, LocksNamePackagesInTheirOwnWays) {
  EXPECT_TRUE(LockNames("{\"packages\": {\"node_modules/@a/b\": {}}}", "@a/b"));
  EXPECT_TRUE(LockNames("a@^1.0, a@^2.0:\n  version 1\n", "a"));
  EXPECT_TRUE(LockNames("\"@a/b@^1\":\n  version 1\n", "@a/b"));
  EXPECT_TRUE(LockNames("packages:\n  /a@1.0.0:\n", "a"));
  EXPECT_FALSE(LockNames("{\"packages\": {\"node_modules/ab\": {}}}", "b"));
  EXPECT_FALSE(LockNames("{\"packages\": {\"node_modules/ab\": {}}}", "a"));
  EXPECT_FALSE(LockNames("ab@1\n", "b"));
  EXPECT_FALSE(LockNames("a@1\n", ""));
}

}  // namespace
}  // namespace stile
