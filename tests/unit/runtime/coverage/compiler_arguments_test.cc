#include "runtime/coverage/compiler_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"

namespace stile {
namespace {

using testing::ElementsAre;

std::vector<std::string> Words(const std::string& text) { return absl::StrSplit(text, ' '); }

CompilerWay Way(const std::string& program, const std::string& arguments) {
  return WayOf(program, Words("name " + arguments), {"/home/me/shop", "/state/t1"});
}

std::shared_ptr<const CompilerWay> Shared(const std::string& program,
                                          const std::string& arguments) {
  return std::make_shared<CompilerWay>(Way(program, arguments));
}

TEST(CompilerArgumentsTest, OutputsOfCAreLeftOut) {
  EXPECT_THAT(Way("/usr/lib/cc1",
                  "-quiet -I /state/t1/tree -MD /tmp/a.d -MF b.d -D FULL /home/me/shop/price.c "
                  "-quiet -dumpdir x- -dumpbase price.c -O2 -o /tmp/ccAbc1.s"),
              ElementsAre("/usr/lib/cc1", "-quiet", "-I", "$STATE/tree", "-D", "FULL",
                          "$WORKSPACE/price.c", "-quiet", "-O2"));
  EXPECT_THAT(Way("/usr/bin/clang-14", "-MD -MT x.o -MF x.d -c price.c -o x.o"),
              ElementsAre("/usr/bin/clang-14", "-c", "price.c"));
}

TEST(CompilerArgumentsTest, WhatDecidesHowCIsCompiledStays) {
  const CompilerWay plain = Way("/usr/lib/cc1", "-quiet price.c -o a.s");
  for (const char* other :
       {"-E -quiet price.c -o a.s", "-quiet -D HIDE price.c -o a.s", "-quiet price.c -w -o a.s",
        "-quiet -fsyntax-only price.c", "-quiet -std=c89 price.c -o a.s", "-quiet kept.c -o a.s",
        "-quiet -include g.h price.c -o a.s"}) {
    EXPECT_NE(plain, Way("/usr/lib/cc1", other)) << other;
  }
  EXPECT_NE(plain, Way("/opt/lib/cc1", "-quiet price.c -o a.s"));
  EXPECT_NE(Way("/usr/lib/cc1", "-D X -U X price.c"), Way("/usr/lib/cc1", "-U X -D X price.c"));
  EXPECT_EQ(plain, Way("/usr/lib/cc1", "-quiet price.c -o b.s"));
}

TEST(CompilerArgumentsTest, VersionsAndDatesInStringsAreLeftOut) {
  EXPECT_THAT(Way("/usr/lib/cc1",
                  "-D SUM=\"d41d8cd9\" -D V=\"1.2-rc\" -D H=\"a1.h\" -D N=\"name\" "
                  "-D E=12 a.c"),
              ElementsAre("/usr/lib/cc1", "-D", "SUM=\"*\"", "-D", "V=\"*\"", "-D", "H=\"a1.h\"",
                          "-D", "N=\"name\"", "-D", "E=12", "a.c"));
}

TEST(CompilerArgumentsTest, HashesAndFoldersOfCargoAreLeftOut) {
  const std::string first =
      "--crate-name shop --edition=2021 src/lib.rs --emit=dep-info,metadata -C metadata=0a1b "
      "-C extra-filename=-0a1b -C debuginfo=2 --out-dir /x/y -C incremental=/x/z --cfg a "
      "--extern base=/x/libbase-0123456789abcdef.rmeta";
  const std::string second =
      "--crate-name shop --edition=2021 src/lib.rs --emit=dep-info,metadata -C metadata=77 "
      "-C debuginfo=2 --out-dir /q --cfg a --extern base=/x/libbase-fedcba9876543210.rmeta";
  EXPECT_EQ(Way("/r/bin/rustc", first), Way("/r/bin/rustc", second));
  EXPECT_NE(Way("/r/bin/rustc", first), Way("/r/bin/rustc", first + " --cfg stub"));
  EXPECT_NE(Way("/r/bin/rustc", first), Way("/r/bin/rustc", first + " -C opt-level=3"));
}

TEST(CompilerArgumentsTest, FoldersAndIdentitiesOfGoAreLeftOut) {
  EXPECT_THAT(Way("/go/pkg/tool/linux_amd64/compile",
                  "-o /tmp/go-build1/b001/_pkg_.a -trimpath /tmp/go-build1/b001=> -p main "
                  "-lang=go1.22 -buildid a/a -c=2 -importcfg /tmp/go-build1/b001/importcfg -pack "
                  "./a.go /tmp/go-build1/b001/_gomod_.go"),
              ElementsAre("/go/pkg/tool/linux_amd64/compile", "-p", "main", "-lang=go1.22", "-pack",
                          "./a.go", "/tmp/*"));
}

TEST(CompilerArgumentsTest, FilesOfCsharpHaveNoOrder) {
  EXPECT_EQ(Way("/dotnet/csc", "/noconfig /out:a.dll B.cs /define:X A.cs"),
            Way("/dotnet/csc", "/noconfig /out:b.dll A.cs /define:X B.cs"));
  EXPECT_NE(Way("/dotnet/csc", "/noconfig A.cs /resource:B.cs"),
            Way("/dotnet/csc", "/noconfig A.cs B.cs"));
}

TEST(CompilerArgumentsTest, OfOtherProgramsTheArgumentsSayNothing) {
  EXPECT_THAT(Way("/usr/bin/node", "tsc -p /tmp/x"), ElementsAre("/usr/bin/node"));
  EXPECT_FALSE(ComparesArguments("/usr/bin/node"));
  EXPECT_TRUE(ComparesArguments("/usr/lib/gcc/cc1plus"));
}

TEST(CompilerArgumentsTest, TellsTheSmallestDifference) {
  const CompilerWays trial = {Shared("/bin/cc1", "-quiet a.c -O2 -D FULL"),
                              Shared("/bin/cc1", "-quiet a.c")};
  EXPECT_EQ(WayDifference({Shared("/bin/cc1", "-E -quiet a.c")}, trial), "-E");
  EXPECT_EQ(WayDifference({Shared("/bin/cc1", "a.c")}, trial), "without -quiet");
  EXPECT_EQ(WayDifference({Shared("/bin/cc1", "a.c -quiet")}, trial), "in another order");
  EXPECT_EQ(WayDifference({Shared("/bin/as", "a.c")}, trial), "as in place of cc1");
  EXPECT_TRUE(HaveOneInCommon(trial, {Shared("/bin/cc1", "-quiet a.c -o x")}));
  EXPECT_FALSE(HaveOneInCommon(trial, {Shared("/bin/cc1", "-quiet b.c")}));
}

}  // namespace
}  // namespace stile
