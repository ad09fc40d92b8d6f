#include "tools/index/search_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SearchIndexTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    dir_.Write(path, text);
    paths_.push_back(path);
  }
  SearchAnswer Ask(const std::string& query, const std::string& pattern = "", size_t limit = 10) {
    return index_.Search({query, pattern, limit});
  }
  std::vector<std::string> Found(const std::string& query, const std::string& pattern = "") {
    std::vector<std::string> found;
    for (const SearchHit& hit : Ask(query, pattern).hits) {
      found.push_back(hit.symbol.empty() ? absl::StrCat(hit.path, ":", hit.first_line)
                                         : hit.symbol);
    }
    return found;
  }

  TempDir dir_;
  std::vector<std::string> paths_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex code_{dir_.path(), &languages_, [this](const auto& use) {
                    for (const std::string& path : paths_) use(path);
                  }};
  SearchIndex index_{&code_};
};

TEST_F(SearchIndexTest, AHitSaysWhatAndWhere) {
  Write("net/client.ts",
        "import x from './x';\n\n/** Sends a request again\n * when it failed. */\n"
        "export function retryRequest(url: string): void {\n  const attempts = 3;\n"
        "  wait(attempts);\n}\n");
  const SearchAnswer answer = Ask("retrying failed requests");
  ASSERT_THAT(answer.hits, ::testing::SizeIs(1));
  const SearchHit& hit = answer.hits[0];
  EXPECT_EQ(hit.path, "net/client.ts");
  EXPECT_EQ(hit.symbol, "retryRequest");
  EXPECT_EQ(hit.kind, "function");
  EXPECT_EQ(hit.line, 5);
  EXPECT_EQ(hit.first_line, 5);
  EXPECT_EQ(hit.last_line, 8);
  EXPECT_EQ(hit.signature, "export function retryRequest(url: string): void");
  EXPECT_EQ(hit.documentation, "Sends a request again");
  EXPECT_EQ(hit.excerpt_line, 5);
  EXPECT_GT(hit.score, 0);
  EXPECT_EQ(Ask("how many attempts").hits[0].excerpt, "const attempts = 3;");
}

TEST_F(SearchIndexTest, ADeclarationComesBeforeItsUses) {
  std::string uses = "from a import parse_header\n";
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&uses, "\n\ndef parse_header_user_", i,
                    "():\n    \"\"\"parse_header parse header.\"\"\"\n    parse_header()\n");
  }
  Write("uses.py", uses);
  Write("z/a.py", "def parse_header(text):\n    return text\n");
  EXPECT_EQ(Found("parse_header")[0], "parse_header");
  EXPECT_EQ(Found("parseHeader")[0], "parse_header");
  EXPECT_EQ(Found("where is parse_header used")[0], "parse_header");
}

TEST_F(SearchIndexTest, OwnersAndCaseDecideBetweenEqualNames) {
  Write("a.py",
        "class Client:\n    def close(self):\n        pass\n\n\nclass Server:\n"
        "    def close(self):\n        pass\n\n\ndef Close():\n    pass\n");
  EXPECT_EQ(Found("Server.close")[0], "Server.close");
  EXPECT_EQ(Found("Client#close")[0], "Client.close");
  EXPECT_EQ(Found("Close")[0], "Close");
}

TEST_F(SearchIndexTest, WordsAreFoundInNamesSignaturesCommentsBodiesAndPaths) {
  Write("a.go",
        "package a\n\n// Folds the napkin.\nfunc One() {}\n\nfunc TwoSpoons() {}\n\n"
        "func Three(f Fork) {}\n\nfunc Four() { knife() }\n");
  Write("plates/b.go", "package b\n\nfunc Five() {}\n");
  EXPECT_THAT(Found("napkins"), ElementsAre("One"));
  EXPECT_THAT(Found("two spoons"), ElementsAre("TwoSpoons"));
  EXPECT_THAT(Found("a fork please"), ElementsAre("Three"));
  EXPECT_THAT(Found("some knives or knife"), ElementsAre("Four"));
  EXPECT_THAT(Found("all the plates"), Contains("Five"));
}

TEST_F(SearchIndexTest, PatternsLimitTheFiles) {
  Write("src/a.py", "def load():\n    pass\n");
  Write("tests/a_test.py", "def load():\n    pass\n");
  EXPECT_THAT(Found("load", "src/**"), ElementsAre("load"));
  EXPECT_EQ(Ask("load", "src/**").files, 1u);
  EXPECT_THAT(Found("load", "*.ts"), IsEmpty());
  EXPECT_THAT(Ask("load", "", 1).hits, ::testing::SizeIs(1));
}

TEST_F(SearchIndexTest, TestsComeAfterWhatTheyTestUnlessAskedFor) {
  Write("tests/a_test.py", "def load_settings():\n    pass\n");
  Write("z.py", "def load_settings():\n    pass\n");
  EXPECT_EQ(Ask("loading of settings").hits[0].path, "z.py");
  EXPECT_EQ(Ask("tests of loading settings").hits[0].path, "tests/a_test.py");
}

TEST_F(SearchIndexTest, FeedbackFindsWhatTheQueryDoesNotSay) {
  for (int i = 0; i < 4; ++i) {
    Write(absl::StrCat("a", i, ".py"),
          absl::StrCat("def tombstone_evict", i, "():\n    evict(cache)\n"));
  }
  Write("b.py", "def bury():\n    tombstone()\n");
  Write("c.py", "def other():\n    nothing_of_it()\n");
  EXPECT_THAT(Found("evict the cache"), Contains("bury"));
}

TEST_F(SearchIndexTest, ChangedFilesAreReadAnewAndOddOnesCounted) {
  Write("a.py", "def one():\n    pass\n");
  EXPECT_THAT(Found("one"), ElementsAre("one"));
  dir_.Write("a.py", "def two():\n    pass\n");
  EXPECT_THAT(Found("one"), IsEmpty());
  EXPECT_THAT(Found("two"), ElementsAre("two"));
  paths_.push_back("gone.py");
  Write("big.py", std::string(17'000'000, 'x'));
  ASSERT_EQ(mkfifo(dir_.Path("fifo.py").c_str(), 0600), 0);
  paths_.push_back("fifo.py");
  const SearchAnswer answer = Ask("two");
  EXPECT_EQ(answer.hits.size(), 1u);
  EXPECT_EQ(answer.unreadable, 3u);
}

TEST_F(SearchIndexTest, NothingIsAnAnswerToo) {
  EXPECT_THAT(Found("anything"), IsEmpty());
  Write("a.py", "def one():\n    pass\n");
  for (const char* query : {"", "the", "\xff\xfe", "(((((", "zzzz qqqq"}) {
    EXPECT_THAT(Found(query), IsEmpty()) << query;
  }
}

}  // namespace
}  // namespace stile
