#include "runtime/verify/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kFile[] =
    "def read(path):\n"
    "    with open(path) as file:\n"
    "        return file.read()\n"
    "\n"
    "def write(path, text):\n"
    "    with open(path) as file:\n"
    "        file.write(text)\n";

std::string Found(const std::string& place, absl::string_view evidence) {
  const auto found = FindEvidence(ParseIssuePlace(place).value(), evidence, kFile);
  return found.ok() ? IssuePlaceText(found->place) : std::string(found.status().message());
}

TEST(EvidenceTest, BlanksNumbersAndFencesDoNotCount) {
  EXPECT_EQ(Found("a.py:3", "return   file.read()"), "a.py:3");
  EXPECT_EQ(Found("a.py:2-3", "   2 |     with open(path) as file:\n   3 |  return file.read()"),
            "a.py:2-3");
  EXPECT_EQ(Found("a.py:3", "```python\nreturn file.read()\n```"), "a.py:3");
  EXPECT_EQ(Found("a.py", "return file.read()"), "a.py");
}

TEST(EvidenceTest, HalfOfTheQuotedLinesMustBeThere) {
  EXPECT_EQ(Found("a.py:3", "return file.read()\nfile.close()"), "a.py:3");
  EXPECT_THAT(Found("a.py:3", "return file.read()\nfile.close()\nfile.flush()"),
              HasSubstr("1 of 3 quoted lines is in a.py"));
  EXPECT_THAT(Found("a.py:3", "os.remove(path)"), HasSubstr("0 of 1 quoted line are in a.py"));
}

TEST(EvidenceTest, ShortLinesAreNoEvidence) {
  EXPECT_THAT(Found("a.py:3", "}\n  )\n\n"), HasSubstr("quotes no line of a.py"));
  EXPECT_THAT(Found("a.py:3", ""), HasSubstr("quotes no line of a.py"));
}

TEST(EvidenceTest, AWrongPlaceIsCorrected) {
  EXPECT_EQ(Found("a.py:300", "file.write(text)"), "a.py:7");
  EXPECT_EQ(Found("a.py:5000-5001", "with open(path) as file:\nfile.write(text)"), "a.py:6-7");
  // The nearest of two.
  EXPECT_EQ(Found("a.py:40", "with open(path) as file:"), "a.py:6");
}

TEST(EvidenceTest, OnlyWhatWasFoundCanBeGone) {
  const auto found =
      FindEvidence(ParseIssuePlace("a.py:3").value(), "return file.read()\nfile.close()", kFile);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->lines, ElementsAre("returnfile.read()"));
  EXPECT_THAT(MissingLines(found->lines, kFile), IsEmpty());
  // Blanks and line breaks are no change.
  EXPECT_THAT(MissingLines(found->lines, "return file.read(\n)"), IsEmpty());
  EXPECT_THAT(MissingLines(found->lines, "return file.readline()"), SizeIs(1));
}

TEST(EvidenceTest, LargeQuotesOfLargeFilesEndSoon) {
  std::string file;
  for (int i = 0; i < 28'000; ++i) absl::StrAppend(&file, "x = 1\n");
  std::string evidence;
  for (int i = 0; i < 2'300; ++i) absl::StrAppend(&evidence, "x = 1\n");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(FindEvidence(ParseIssuePlace("a.py:3").value(), evidence, file).ok());
  }
}

TEST(IssuePlaceTest, ReadsFileAndLines) {
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, std::string>>{{"a.py:3", "a.py:3"},
                                                        {"./a.py:3-5", "a.py:3-5"},
                                                        {"a.py:3:7", "a.py:3"},
                                                        {"a.py", "a.py"},
                                                        {"c:x/a.py:12", "c:x/a.py:12"},
                                                        {"a.py:9-3", "a.py:9"},
                                                        {"a.py:zero", "a.py:zero"}}) {
    const auto place = ParseIssuePlace(text);
    ASSERT_TRUE(place.ok()) << text;
    EXPECT_EQ(IssuePlaceText(*place), expected);
  }
  EXPECT_FALSE(ParseIssuePlace("").ok());
  EXPECT_FALSE(ParseIssuePlace(":3").ok());
}

}  // namespace
}  // namespace stile
