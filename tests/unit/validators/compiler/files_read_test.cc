#include "validators/compiler/files_read.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::ElementsAre;

TEST(FilesRead, ReadsTheFirstRuleWithItsEscapes) {
  EXPECT_THAT(ParseDepfile("a.o: a.cc my\\ dir/b.h \\\n  c\\#d.h e$$f.h\n\nb.h:\n"),
              ElementsAre("a.cc", "my dir/b.h", "c#d.h", "e$f.h"));
  EXPECT_THAT(ParseDepfile("nonsense"), ElementsAre());
  EXPECT_THAT(ParseDepfile("a.o: \\"), ElementsAre("\\"));
}

TEST(FilesRead, CargoNamesArtifactsWithDepfiles) {
  TempDir dir;
  dir.Write("w/Cargo.toml", "");
  dir.Write("t/deps/shop-1.d", "t/deps/libshop-1.rmeta: src/lib.rs src/a.rs /usr/lib/x.rs\n");
  dir.Write("t/build/shop-2/build_script_build-2.d", "x: build.rs\n");
  const auto artifact = [&](const std::string& manifest, const std::string& file) {
    return absl::StrCat(R"({"reason":"compiler-artifact","manifest_path":")", dir.path(), "/",
                        manifest, R"(","filenames":[")", dir.path(), "/", file, "\"]}\n");
  };
  const std::string root = dir.path() + "/w";
  const std::string all = artifact("w/Cargo.toml", "t/deps/libshop-1.rmeta") +
                          artifact("w/Cargo.toml", "t/build/shop-2/build-script-build") +
                          artifact("elsewhere/Cargo.toml", "t/deps/libnone.rmeta");
  EXPECT_THAT(*FilesReadByCargo(all, root, root),
              ElementsAre("build.rs", "src/a.rs", "src/lib.rs"));
  EXPECT_EQ(FilesReadByCargo(artifact("w/Cargo.toml", "t/deps/libgone-3.rmeta"), root, root),
            std::nullopt);
}

TEST(FilesRead, NinjaListsWhatObjectsWereBuiltFrom) {
  TempDir dir;
  dir.Write("w/a.cc", "");
  dir.Write("w/late.h", "");
  const auto stamp = [&](const std::string& path, int64_t seconds) {
    const timespec times[] = {{seconds, 0}, {seconds, 0}};
    utimensat(AT_FDCWD, (dir.path() + "/" + path).c_str(), times, 0);
  };
  stamp("w/a.cc", 1000);
  stamp("w/late.h", 3000);
  const std::string output =
      absl::StrCat("a.o: #deps 3, deps mtime 2000000000000 (VALID)\n    ", dir.path(),
                   "/w/a.cc\n    ../w/late.h\n    /usr/include/stdio.h\n\n");
  EXPECT_THAT(FilesReadByNinja(output, dir.path() + "/build", dir.path() + "/w"),
              ElementsAre("a.cc"));
  EXPECT_THAT(FilesReadByNinja("nonsense\n    x\n", "/b", "/w"), ElementsAre());
}

}  // namespace
}  // namespace stile
