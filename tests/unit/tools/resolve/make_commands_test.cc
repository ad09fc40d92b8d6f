#include "tools/resolve/make_commands.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class MakeCommandsTest : public testing::Test {
 protected:
  MakeCommandsTest() {
    for (const char* path : {"a.c", "b.c", "sub/c.cc", "sub/d.cpp"}) root_.Write(path, "");
  }

  // "a.c: gcc -O2 a.c", relative to the root.
  std::vector<std::string> Read(const std::string& output) const {
    std::vector<std::string> found;
    for (const Json& entry : CompileCommandsOfMake(output, root_.path())) {
      std::string line = entry.at("file").get<std::string>().substr(root_.path().size() + 1);
      line += ":";
      for (const Json& word : entry.at("arguments")) {
        absl::StrAppend(&line, " ", word.get<std::string>());
      }
      found.push_back(line);
    }
    return found;
  }

  TempDir root_;
};

TEST_F(MakeCommandsTest, EachSourceOfACommandHasAnEntry) {
  EXPECT_THAT(Read("mkdir -p build\n"
                   "cc -O2 -DX='\"a b\"' -o build/all a.c b.c -lm\n"
                   "cc -c a.c\n"     // compiled again
                   "cc -c none.c\n"  // does not exist
                   "rm -f a.c; echo gcc a.c\n"),
              ElementsAre("a.c: cc -O2 -DX=\"a b\" -o build/all -lm a.c",
                          "b.c: cc -O2 -DX=\"a b\" -o build/all -lm b.c"));
}

TEST_F(MakeCommandsTest, FollowsFolders) {
  const std::string sub = root_.Path("sub");
  const std::string output = absl::StrCat(
      "make: Entering directory '", root_.path(), "'\nmake -C sub\nmake[1]: Entering directory '",
      sub, "'\ng++ -c c.cc\nmake[1]: Leaving directory '", sub,
      "'\ngcc -c b.c\ncd sub && g++ -I.. -c d.cpp\ngcc -c a.c\n");
  EXPECT_THAT(Read(output), ElementsAre("sub/c.cc: g++ -c c.cc", "b.c: gcc -c b.c",
                                        "sub/d.cpp: g++ -I.. -c d.cpp", "a.c: gcc -c a.c"));
  EXPECT_EQ(CompileCommandsOfMake(output, root_.path()).at(0).at("directory"), sub);
}

TEST_F(MakeCommandsTest, KnowsCompilersBehindOtherPrograms) {
  EXPECT_THAT(Read("echo '  CC a.o'; CCACHE_DIR=/x ccache arm-none-eabi-gcc-12 -c a.c\n"
                   "/bin/sh ../libtool --mode=compile /usr/bin/clang-14.0 \\\n  -c b.c\n"
                   "clang-tidy sub/c.cc\nccc-analyzer -c sub/d.cpp\n"),
              ElementsAre("a.c: arm-none-eabi-gcc-12 -c a.c", "b.c: /usr/bin/clang-14.0 -c b.c"));
}

TEST_F(MakeCommandsTest, ASubshellHasAFolderOfItsOwn) {
  root_.Write("d1/e.c", "");
  root_.Write("d2/f.c", "");
  EXPECT_THAT(Read("(cd d1 && cc -c e.c) && (cd d2 && cc -DX='(' -c f.c); cc -c a.c\n"
                   "if true; then cc -c b.c; fi\n"),
              ElementsAre("d1/e.c: cc -c e.c", "d2/f.c: cc -DX=( -c f.c", "a.c: cc -c a.c",
                          "b.c: cc -c b.c"));
}

TEST_F(MakeCommandsTest, LeavesOutWhatOnlyTheShellKnows) {
  EXPECT_THAT(Read("gcc `pkg-config --cflags x` -DV=$(git log | (head)) -MF sub/d.cpp -c a.c\n"),
              ElementsAre("a.c: gcc -DV= -MF sub/d.cpp -c a.c"));
}

TEST_F(MakeCommandsTest, TextThatIsNoCommandGivesNothing) {
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read("make: *** No rule to make target 'x'.  Stop.\n"), IsEmpty());
  EXPECT_THAT(Read("make: Leaving directory 'x'\nmake: Entering directory \n\\\n'\"`$(\n"),
              IsEmpty());
  EXPECT_THAT(Read("gcc -c -o\ngcc\n=\n"), IsEmpty());
}

TEST_F(MakeCommandsTest, AHostileMakefileCostsLittle) {
  EXPECT_THAT(Read(absl::StrCat(std::string(2'000'000, '('), "gcc -c a.c")),
              ElementsAre("a.c: gcc -c a.c"));
  const std::string flags(40'000'000, 'x');
  EXPECT_THAT(CompileCommandsOfMake(absl::StrCat("gcc -", flags, " a.c b.c\n"), root_.path()),
              SizeIs(1));
}

TEST_F(MakeCommandsTest, LeavesOutFilesThatAreNotBelowTheRoot) {
  const TempDir other;
  other.Write("o.c", "");
  EXPECT_THAT(
      Read(absl::StrCat("gcc -c ", other.path(), "/o.c a.c\ncd ", other.path(), "; cc o.c\n")),
      ElementsAre("a.c: gcc -c a.c"));
}

}  // namespace
}  // namespace stile
