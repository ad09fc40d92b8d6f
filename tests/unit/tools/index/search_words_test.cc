#include "tools/index/search_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tools/index/search_query.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<SearchTerm> TermsOf(absl::string_view word) {
  SearchWords words;
  const SearchWords::Word found = words.Find(word);
  return std::vector<SearchTerm>(found.terms, found.terms + found.size);
}

TEST(SplitIdentifierTest, TakesEveryStyleApart) {
  EXPECT_THAT(SplitIdentifier("getHTTPResponse"), ElementsAre("get", "http", "response"));
  EXPECT_THAT(SplitIdentifier("max_line_length"), ElementsAre("max", "line", "length"));
  EXPECT_THAT(SplitIdentifier("MAX_SIZE"), ElementsAre("max", "size"));
  EXPECT_THAT(SplitIdentifier("sha256Hex"), ElementsAre("sha", "256", "hex"));
  EXPECT_THAT(SplitIdentifier("__init__"), ElementsAre("init"));
  EXPECT_THAT(SplitIdentifier("$scope"), ElementsAre("scope"));
  EXPECT_THAT(SplitIdentifier("IOError"), ElementsAre("io", "error"));
  EXPECT_THAT(SplitIdentifier("größeÄndern"), ElementsAre("größeÄndern"));
  EXPECT_THAT(SplitIdentifier("___"), IsEmpty());
  EXPECT_THAT(SplitIdentifier(""), IsEmpty());
}

TEST(SearchWordsTest, FormsOfAWordAreOneTerm) {
  EXPECT_EQ(TermsOf("connections"), TermsOf("Connecting"));
  EXPECT_NE(TermsOf("connections"), TermsOf("content"));
  EXPECT_THAT(TermsOf("the"), IsEmpty());
  EXPECT_THAT(TermsOf("x"), IsEmpty());
}

TEST(SearchWordsTest, AnIdentifierIsItsPartsAndItself) {
  EXPECT_THAT(TermsOf("parseRequest"),
              ElementsAre(TermsOf("parse")[0], TermsOf("request")[0], WholeTerm("parse_request")));
  EXPECT_EQ(WholeTerm("ParseRequest"), WholeTerm("PARSE_REQUEST"));
  EXPECT_NE(WholeTerm("parse"), TermsOf("parse")[0]);
}

TEST(SearchWordsTest, RemembersMoreWordsThanItBeginsWith) {
  SearchWords words;
  const SearchTerm first = words.Find("begin1").terms[0];
  for (int i = 0; i < 50'000; ++i) words.Find(absl::StrCat("word", i));
  EXPECT_EQ(words.Find("begin1").terms[0], first);
}

TEST(SearchWordsTest, DataIsNoWord) {
  SearchWords words;
  std::vector<std::string> seen;
  words.ForEach(absl::StrCat("one ", std::string(5000, 'A'), " \xff\xfe two-three"),
                [&](absl::string_view word, const SearchWords::Word&) { seen.emplace_back(word); });
  EXPECT_THAT(seen, ElementsAre("one", "\xff\xfe", "two", "three"));
}

TEST(SearchQueryTest, NamesAreToldFromWords) {
  SearchWords words;
  EXPECT_THAT(ParseSearch("retry failed requests", &words).names, IsEmpty());
  ASSERT_EQ(ParseSearch("run", &words).names.size(), 1u);
  const SearchTerms mixed = ParseSearch("where is `Server.runAll()` called", &words);
  ASSERT_EQ(mixed.names.size(), 1u);
  EXPECT_EQ(mixed.names[0].name, "runAll");
  EXPECT_EQ(mixed.names[0].owner, "Server");
  EXPECT_THAT(ParseSearch("", &words).terms, IsEmpty());
  EXPECT_THAT(ParseSearch("the of ?!", &words).terms, IsEmpty());
  EXPECT_LE(ParseSearch(std::string(100'000, 'a') + " b", &words).terms.size(), 48u);
}

}  // namespace
}  // namespace stile
