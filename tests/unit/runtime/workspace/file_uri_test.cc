#include "runtime/workspace/file_uri.h"

#include <string>

#include "gtest/gtest.h"

namespace stile {
namespace {

TEST(FileUriTest, GoesThereAndBack) {
  for (const std::string path : {"/a/b.go", "/with blank/ä+#?%.ts", "/a~b/_-.c"}) {
    EXPECT_EQ(PathOfFileUri(FileUri(path)), path);
  }
  EXPECT_EQ(FileUri("/a b"), "file:///a%20b");
}

TEST(FileUriTest, RefusesWhatIsNoFileOfThisMachine) {
  for (const char* uri : {"", "/a", "http://x/a", "file://host/a", "file:///a%", "file:///a%2",
                          "file:///a%zz", "file:///a%00b", "untitled:a"}) {
    EXPECT_FALSE(PathOfFileUri(uri).has_value()) << uri;
  }
}

}  // namespace
}  // namespace stile
