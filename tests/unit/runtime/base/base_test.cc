#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/cancellation.h"
#include "runtime/base/deadline.h"
#include "runtime/base/ids.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/sha256.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(JsonTest, ErrorsNameLineAndColumn) {
  const auto json = ParseJson("{\n  \"a\": 1,\n  b\n}");
  EXPECT_THAT(std::string(json.status().message()), HasSubstr("line 3, column 3"));
}

TEST(JsonTest, DepthIsBounded) {
  EXPECT_TRUE(ParseJson(std::string(200, '[') + std::string(200, ']')).ok());
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '[')).ok());
  EXPECT_TRUE(ParseJson("\"" + std::string(500, '[') + "\"").ok()) << "brackets in a string";
}

TEST(JsonTest, InvalidUtf8IsDumpedAsReplacementCharacters) {
  EXPECT_EQ(DumpJson("a\xff"), "\"a\xEF\xBF\xBD\"");
}

TEST(JsonCommentsTest, CommentsAndTrailingCommasGo) {
  EXPECT_EQ(StripJsonComments("\xEF\xBB\xBF{\"a//b\": [1, /* x */ 2,\n ], // end\n}"),
            "{\"a//b\": [1,  2\n ] \n}");
  EXPECT_EQ(StripJsonComments("\"\\\"//\" /*"), "\"\\\"//\" ");
  EXPECT_EQ(StripJsonComments("\""), "\"");
  EXPECT_EQ(StripJsonComments("\"\\"), "\"\\");
}

TEST(YamlTest, UnknownKeysNameTheNearestAndTheLine) {
  const auto yaml = ParseYaml("model: x\nlimts: {}\n", "stile.yaml");
  EXPECT_EQ(CheckKeys(*yaml, {"model", "limits"}).message(),
            "stile.yaml:2: unknown key 'limts', did you mean 'limits'?");
}

TEST(YamlTest, HostileDocumentsAreErrors) {
  EXPECT_FALSE(ParseYaml("a: b: c", "f").ok());
  EXPECT_FALSE(ParseYaml("a: 1\na: 2\n", "f").ok()) << "twice the same key";
  EXPECT_FALSE(ParseYaml(std::string(5000, '['), "f").ok());
  EXPECT_FALSE(ParseYaml("a: \xff", "f").ok());
  EXPECT_FALSE(ParseYaml("a: 1\n---\nb: 2\n", "f").ok());
  EXPECT_FALSE(ParseYaml(",:1 \na: 2\n", "f").ok());
  EXPECT_FALSE(ParseYaml("a: &a [*a, *a]\n", "f").ok()) << "a value that holds itself";
  std::string bomb = "a0: &a0 [x]\n";
  for (int i = 1; i < 30; ++i)
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [*a", i - 1, ", *a", i - 1, "]\n");
  EXPECT_FALSE(ParseYaml(bomb, "f").ok()) << "aliases that double";
  std::string long_text = absl::StrCat("a: &a ", std::string(300'000, 'x'), "\nb: [");
  for (int i = 0; i < 100'000; ++i) absl::StrAppend(&long_text, "*a,");
  EXPECT_THAT(ParseYaml(long_text + "]\n", "f").status().message(), HasSubstr("64 MiB of text"));
  EXPECT_THAT(ParseYaml(std::string(200, '['), "f").status().message(),
              HasSubstr("nested too deeply"));
}

TEST(YamlTest, ErrorsNameTheLineAndWhatIsWrong) {
  EXPECT_EQ(
      ParseYaml("a: 1\nb: [1,\nc: 2\n", "f").status().message(),
      "f:4: invalid YAML: did not find expected ',' or ']', while parsing a flow sequence that "
      "begins in line 2");
  EXPECT_EQ(ParseYaml("a: 1\nb: \x01\n", "f").status().message(),
            "f:2: invalid YAML: control characters are not allowed");
  EXPECT_EQ(ParseYaml("a: 1\nb: *nothing\n", "f").status().message(),
            "f:2: invalid YAML: no value has the anchor &nothing");
  EXPECT_EQ(ParseYaml("a: 1\nb: 2\na: 3\n", "f").status().message(), "f:3: key 'a' is given twice");
}

TEST(YamlTest, AliasesAreCopiesWithPathsOfTheirOwn) {
  const auto yaml = ParseYaml("a: &x {b: 1}\nc: [*x]\n&k d: 2\ne: {*k : 3}\n", "f");
  ASSERT_TRUE(yaml.ok()) << yaml.status();
  EXPECT_EQ(DumpJson(yaml->AsJson()), R"({"a":{"b":1},"c":[{"b":1}],"d":2,"e":{"d":3}})");
  EXPECT_EQ(yaml->Find("c")->items[0].Find("b")->path, "c[0].b");
}

TEST(YamlTest, JsonReadsBackWhateverCharactersItHolds) {
  std::string text = "\t\n\"\\/ \u00e4 \U0001F600 \ufeff \ufffe \uffff \u2028 \u2029";
  for (int c = 0; c < 0x20; ++c) text += static_cast<char>(c);
  text += '\x7f';
  for (int c = 0x80; c < 0xa0; ++c)
    absl::StrAppend(&text, "\xC2", std::string(1, static_cast<char>(c)));
  const Json json = {{"key " + text.substr(40), {text, 1, true, nullptr}}};
  const auto yaml = ParseYaml(YamlText(json), "f");
  ASSERT_TRUE(yaml.ok()) << yaml.status();
  EXPECT_EQ(yaml->AsJson(), json);
}

TEST(YamlTest, MergeKeysAddWhatAMapDoesNotHave) {
  const auto yaml = ParseYaml(
      "x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\none: {<<: *x, a: 5}\nboth:\n  <<: [*x, *y]\n"
      "  d: 6\ntext: {'<<': 7}\n",
      "f");
  ASSERT_TRUE(yaml.ok()) << yaml.status();
  const Json json = yaml->AsJson();
  EXPECT_EQ(DumpJson(json["one"]), R"({"a":5,"b":2})");
  EXPECT_EQ(DumpJson(json["both"]), R"({"a":1,"b":2,"c":4,"d":6})");
  EXPECT_EQ(DumpJson(json["text"]), R"({"<<":7})");
  EXPECT_EQ(yaml->Find("both")->Find("c")->path, "both.c");
  EXPECT_EQ(ParseYaml("a: 1\nb:\n  <<: 5\n", "f").status().message(),
            "f:3: '<<' takes a map, or a list of maps");
}

TEST(YamlTest, ScalarsFollowTheCoreSchemaUnlessQuoted) {
  const auto yaml = ParseYaml("a: 5\nb: '5'\nc: true\nd: null\ne: 1.5\nf: 1.2.3\n", "f");
  EXPECT_EQ(DumpJson(yaml->AsJson()), R"({"a":5,"b":"5","c":true,"d":null,"e":1.5,"f":"1.2.3"})");
}

TEST(YamlTest, FrontMatterKeepsLineNumbers) {
  const auto matter = ParseFrontMatter("---\nname: x\nbad key: 1\n---\nbody\n", "f.md");
  ASSERT_TRUE(matter.ok());
  EXPECT_EQ(matter->body, "body\n");
  EXPECT_EQ(matter->body_line, 5);
  EXPECT_EQ(matter->front_matter.Find("bad key")->line, 3);
  EXPECT_FALSE(ParseFrontMatter("---\nname: x\n", "f.md").ok());
  EXPECT_EQ(ParseFrontMatter("no matter", "f.md")->body, "no matter");
}

TEST(TextTest, GlobsStayWithinComponentsUnlessTheyCross) {
  EXPECT_TRUE(GlobMatch("*.cc", "a/b/c.cc"));
  EXPECT_FALSE(GlobMatch("a/*.cc", "a/b/c.cc"));
  EXPECT_TRUE(GlobMatch("a/**/*.cc", "a/b/c.cc"));
  EXPECT_TRUE(GlobMatch("a/**/c.cc", "a/c.cc"));
  EXPECT_FALSE(GlobMatch("a/**/c.cc", "a/xc.cc"));
  EXPECT_TRUE(GlobMatch("**", "a/b"));
  EXPECT_TRUE(GlobMatch("*.{ts,tsx}", "x.tsx"));
  EXPECT_TRUE(GlobMatch("[a-c]?[!x]", "bzy"));
  EXPECT_FALSE(GlobMatch("[a-c]?[!x]", "bzx"));
  EXPECT_FALSE(GlobMatch(std::string(60, '*') + "x", std::string(2000, 'a'))) << "and quickly";
}

TEST(TextTest, TruncationKeepsBothEndsAndWholeCharacters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, "line ", i, "\n");
  const std::string cut = TruncateMiddle(text, 500);
  EXPECT_THAT(cut, HasSubstr("line 0\n"));
  EXPECT_THAT(cut, HasSubstr("line 999\n"));
  EXPECT_THAT(cut, HasSubstr("left out"));
  EXPECT_LT(cut.size(), 600u);
  std::string umlauts;
  for (int i = 0; i < 500; ++i) umlauts += "ä";
  EXPECT_TRUE(IsUtf8(TruncateMiddle(umlauts, 101)));
}

TEST(TextTest, Utf8) {
  EXPECT_TRUE(IsUtf8("aä€😀"));
  for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_FALSE(IsUtf8(bad));
    EXPECT_TRUE(IsUtf8(ToUtf8(bad)));
  }
}

TEST(TextTest, NearestOnlyWhenPlausible) {
  EXPECT_EQ(Nearest("modle", {"model", "agent"}), "model");
  EXPECT_EQ(Nearest("xyzzy", {"model", "agent"}), "");
}

TEST(TextTest, LinesWithAndWithoutAFinalNewline) {
  EXPECT_THAT(SplitLines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(SplitLines("a\n"), ElementsAre("a"));
  EXPECT_TRUE(SplitLines("").empty());
}

TEST(Sha256Test, KnownVectors) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 hash;
  hash.Update("a");
  hash.Update("bc");
  EXPECT_EQ(ToHex(hash.Finish()), Sha256Hex("abc"));
  EXPECT_EQ(ToHex(hash.Finish()), Sha256Hex("")) << "ready for the next";
}

TEST(DeadlineTest, ItsTimeCancelsAndIsTold) {
  Deadline deadline(nullptr);
  EXPECT_FALSE(deadline.cancellation()->cancelled()) << "not before it is started";
  deadline.Start(absl::Milliseconds(1));
  EXPECT_TRUE(deadline.cancellation()->WaitFor(absl::InfiniteDuration()));
  EXPECT_TRUE(deadline.passed());
  Deadline late(nullptr);
  late.Start(absl::Seconds(-5));
  EXPECT_TRUE(late.cancellation()->WaitFor(absl::InfiniteDuration()));
}

TEST(DeadlineTest, ItsParentCancelsAndIsToldApart) {
  Cancellation parent;
  Deadline deadline(&parent);
  deadline.Start(absl::Hours(1));
  parent.Cancel();
  EXPECT_TRUE(deadline.cancellation()->WaitFor(absl::InfiniteDuration()));
  EXPECT_FALSE(deadline.passed());
}

TEST(CancellationTest, WakesAWaiter) {
  Cancellation cancellation;
  std::thread waker([&] { cancellation.Cancel(); });
  EXPECT_TRUE(cancellation.WaitFor(absl::Seconds(60)));
  waker.join();
  EXPECT_FALSE(Cancellation().WaitFor(absl::ZeroDuration()));
}

TEST(IdsTest, SortByTimeAndAreUnique) {
  const std::string early = NewRunId(absl::FromUnixSeconds(1'000'000'000));
  const std::string late = NewRunId(absl::FromUnixSeconds(1'000'000'001));
  EXPECT_LT(early, late);
  EXPECT_NE(NewRunId(absl::UnixEpoch()), NewRunId(absl::UnixEpoch()));
}

}  // namespace
}  // namespace stile
