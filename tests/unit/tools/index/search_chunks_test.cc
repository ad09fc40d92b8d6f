#include "tools/index/search_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Chunks {
  std::string block;
  FileTerms terms;

  // "run:3-5" or ":1-2" for what has no name.
  std::vector<std::string> Shown() const {
    std::vector<std::string> shown;
    for (uint32_t i = 0; i < terms.chunk_count(); ++i) {
      const SearchChunk chunk = terms.chunk(i);
      shown.push_back(absl::StrCat(terms.container(i), terms.container(i).empty() ? "" : ".",
                                   terms.name(i), ":", chunk.first_line, "-", chunk.last_line));
    }
    return shown;
  }
  // In which fields of a chunk a word stands.
  std::vector<int> FieldsOf(absl::string_view name, absl::string_view word) const {
    SearchWords words;
    const SearchTerm wanted = words.Find(word).terms[0];
    std::vector<int> fields;
    for (uint32_t i = 0; i < terms.chunk_count(); ++i) {
      if (terms.name(i) != name) continue;
      for (uint32_t p = terms.postings_begin(i); p < terms.chunk(i).postings_end; ++p) {
        if (terms.term(p) == wanted) fields.push_back(static_cast<int>(terms.posting(p).field));
      }
    }
    return fields;
  }
};

Chunks Chunk(absl::string_view path, absl::string_view text, absl::string_view grammar,
             const ChunkOptions& options = {}) {
  SearchWords words;
  Chunks chunks;
  chunks.block = ChunkFile(path, text, FindGrammar(grammar), options, &words);
  const auto terms = FileTerms::Read(chunks.block);
  EXPECT_TRUE(terms.has_value());
  if (terms.has_value()) chunks.terms = *terms;
  return chunks;
}

constexpr int kName = static_cast<int>(SearchField::kName);
constexpr int kSignature = static_cast<int>(SearchField::kSignature);
constexpr int kDoc = static_cast<int>(SearchField::kDoc);
constexpr int kBody = static_cast<int>(SearchField::kBody);
constexpr int kContainer = static_cast<int>(SearchField::kContainer);

constexpr char kServer[] =
    "import socket\n\n\nclass Server:\n    \"\"\"Answers guests.\"\"\"\n\n"
    "    def run(self, port: Harbour):\n        \"\"\"Waits patiently.\"\"\"\n"
    "        self.listen()\n\n\nrun_everything()\n";

TEST(SearchChunksTest, SymbolsAreChunksAndTheRestIsBlocks) {
  const Chunks chunks = Chunk("net/server.py", kServer, "python");
  EXPECT_THAT(chunks.Shown(), ElementsAre("Server:4-9", "Server.run:7-9", ":1-12"));
  EXPECT_THAT(chunks.FieldsOf("run", "run"), ElementsAre(kName));
  EXPECT_THAT(chunks.FieldsOf("run", "harbour"), ElementsAre(kSignature));
  EXPECT_THAT(chunks.FieldsOf("run", "patiently"), ElementsAre(kDoc));
  EXPECT_THAT(chunks.FieldsOf("run", "listen"), ElementsAre(kBody));
  EXPECT_THAT(chunks.FieldsOf("run", "server"), ElementsAre(kContainer));
  // The type sees the heads of its members, not what they do.
  EXPECT_THAT(chunks.FieldsOf("Server", "guests"), ElementsAre(kDoc));
  EXPECT_THAT(chunks.FieldsOf("Server", "harbour"), ElementsAre(kBody));
  EXPECT_THAT(chunks.FieldsOf("Server", "listen"), IsEmpty());
  EXPECT_THAT(chunks.FieldsOf("", "socket"), ElementsAre(kBody));
  EXPECT_THAT(chunks.FieldsOf("", "everything"), ElementsAre(kBody));
}

TEST(SearchChunksTest, DocumentationCanBeLeftOut) {
  const Chunks chunks = Chunk("server.py", kServer, "python", {.without_documentation = true});
  EXPECT_THAT(chunks.FieldsOf("run", "patiently"), IsEmpty());
  EXPECT_THAT(chunks.FieldsOf("", "patiently"), IsEmpty());
  EXPECT_THAT(chunks.FieldsOf("run", "listen"), ElementsAre(kBody));
}

TEST(SearchChunksTest, DocumentsAreCutByHeadings) {
  const Chunks chunks =
      Chunk("README.md", "intro words\n\n# Getting started\ninstall it\n\n## Usage ##\nrun\n", "");
  EXPECT_THAT(chunks.Shown(), ElementsAre(":1-1", "Getting started:3-4", "Usage ##:6-7"));
  EXPECT_THAT(chunks.FieldsOf("Getting started", "install"), ElementsAre(kBody));
}

TEST(SearchChunksTest, LongTextIsCutAtBlankLines) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    absl::StrAppend(&text, "line number", i, i % 10 == 9 ? "\n\n" : "\n");
  const Chunks chunks = Chunk("notes.txt", text, "");
  ASSERT_GT(chunks.terms.chunk_count(), 4u);
  EXPECT_LT(chunks.terms.chunk(0).last_line, 40u);
}

TEST(SearchChunksTest, LineEndsAndByteOrderMarksAreNoWords) {
  const Chunks chunks =
      Chunk("a.go", "\xEF\xBB\xBFpackage alpha\r\n\r\nfunc Beta() {\r\n}\r\n", "go");
  EXPECT_THAT(chunks.FieldsOf("", "package"), ElementsAre(kBody));
  EXPECT_THAT(chunks.Shown(), ElementsAre("Beta:3-4", ":1-1"));
}

TEST(SearchChunksTest, OddTextsAreTakenAsFarAsTheyGo) {
  EXPECT_THAT(Chunk("a.py", "", "python").Shown(), IsEmpty());
  EXPECT_THAT(Chunk("a.py", "\n\n\n", "python").Shown(), IsEmpty());
  EXPECT_THAT(Chunk("a.py", absl::string_view("alpha\0beta", 10), "python").Shown(), IsEmpty());
  Chunk("a.py", "def \xff\xfe(:\n  caf\xc3\n", "python");
  EXPECT_THAT(Chunk("deep.js", std::string(100'000, '(') + "needle", "javascript").Shown(),
              SizeIs(1));
  std::string minified;
  while (minified.size() < 10'000'000) minified += "function a(b){return b+1};";
  EXPECT_LE(Chunk("a.min.js", minified, "javascript").terms.chunk_count(), 1u);
  EXPECT_LE(Chunk("data.txt", std::string(10'000'000, 'x'), "").terms.chunk_count(), 1u);
}

TEST(SearchChunksTest, WhatIsWorthSearchingIsKnownByName) {
  for (const char* path : {"README.md", "docs/a.RST", "Dockerfile", "x/config.yaml", "a.vue"}) {
    EXPECT_TRUE(IsSearchableText(path)) << path;
  }
  for (const char* path :
       {"package-lock.json", "pnpm-lock.yaml", "a.png", "noextension", "a.csv", "b.min.css", ""}) {
    EXPECT_FALSE(IsSearchableText(path)) << path;
  }
}

TEST(SearchChunksTest, TestsAreKnownByTheirNames) {
  for (const char* path : {"a_test.go", "tests/x.py", "src/__tests__/a.ts", "a.spec.ts",
                           "src/main/OrderTest.java", "test_a.py", "examples/b.rs"}) {
    EXPECT_TRUE(IsTestFile(path)) << path;
  }
  for (const char* path : {"a.go", "src/testimony.py", "latest/x.ts", "contest.c", "tests"}) {
    EXPECT_FALSE(IsTestFile(path)) << path;
  }
}

TEST(FileTermsTest, ADamagedBlockIsNotRead) {
  const Chunks chunks = Chunk("net/server.py", kServer, "python");
  const std::string& block = chunks.block;
  for (size_t size = 0; size < block.size(); size += 3) {
    EXPECT_FALSE(FileTerms::Read(absl::string_view(block).substr(0, size)).has_value());
  }
  // Whatever a byte becomes, nothing outside is touched (a sanitizer would say so).
  for (size_t i = 0; i < block.size(); ++i) {
    std::string damaged = block;
    damaged[i] = static_cast<char>(~damaged[i]);
    const auto terms = FileTerms::Read(damaged);
    if (!terms.has_value()) continue;
    for (uint32_t chunk = 0; chunk < terms->chunk_count(); ++chunk) {
      EXPECT_LE(terms->name(chunk).size() + terms->container(chunk).size(), damaged.size());
      EXPECT_LE(terms->postings_begin(chunk), terms->chunk(chunk).postings_end);
    }
  }
}

}  // namespace
}  // namespace stile
