#include "tools/index/search_chunks.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/line_table.h"

namespace stile {
namespace {

constexpr size_t kMaxParsedBytes = size_t{4} << 20;
constexpr size_t kMaxTextBytes = size_t{256} << 10;  // of what is cut by lines
constexpr size_t kMaxDocBytes = 4096;
constexpr size_t kMaxHeadBytes = 256;  // of a member, as its type sees it
// A generated or minified line is longer than people write.
constexpr size_t kMaxMeanLineBytes = 300;
constexpr size_t kMaxTermsInChunk = 20'000;
constexpr uint32_t kBlockLines = 25;  // a block ends at the first blank line after so many
constexpr uint32_t kMaxBlockLines = 60;
constexpr uint32_t kMaxGapLines = 15;  // that belong to symbols between two lines of a block

// One thing: the state of one pass over a file.
class Chunker {
 public:
  Chunker(absl::string_view path, absl::string_view text, const ChunkOptions& options,
          SearchWords* words)
      : path_(path), text_(text), options_(options), lines_(text), words_(*words) {
    words_.ForEach(path, [&](absl::string_view, const SearchWords::Word& word) {
      for (uint32_t i = 0; i < word.size; ++i) builder_.AddToPath(word.terms[i]);
    });
    builder_.SetTest(IsTestFile(path));
    builder_.AddToPath(WholeTerm(absl::StripSuffix(BaseName(path), Extension(path))));
  }

  std::string Code(const Grammar& grammar, const SyntaxTree& tree) {
    symbols_ = FindSymbols(grammar, tree, text_);
    AddSymbols();
    for (const Symbol& symbol : symbols_) {
      if (symbol.doc_end > symbol.doc_begin) docs_.push_back({symbol.doc_begin, symbol.doc_end});
    }
    std::sort(docs_.begin(), docs_.end());
    DivideText();
    return builder_.Build();
  }

  std::string Lines() {
    const absl::string_view extension = Extension(path_);
    is_markdown_ = extension == ".md" || extension == ".markdown" || extension == ".mdx";
    kind_of_rest_ = SearchChunk::kText;
    Rest(0, static_cast<uint32_t>(std::min(text_.size(), kMaxTextBytes)));
    return builder_.Build();
  }

 private:
  static constexpr int kNone = -1;

  static absl::string_view Extension(absl::string_view path) {
    const absl::string_view name = BaseName(path);
    const size_t dot = name.rfind('.');
    return dot == absl::string_view::npos || dot == 0 ? "" : name.substr(dot);
  }
  static absl::string_view BaseName(absl::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  }

  void AddSymbols() {
    for (const Symbol& symbol : symbols_) {
      if (symbol.kind == SymbolKind::kNamespace) {  // what is in it matters
        chunk_of_.push_back(kNone);
        continue;
      }
      SearchChunk chunk;
      chunk.begin = symbol.begin;
      chunk.end = symbol.end;
      chunk.signature_end = symbol.signature_end;
      chunk.doc_begin = symbol.doc_begin;
      chunk.doc_end = symbol.doc_end;
      chunk.line = static_cast<uint32_t>(symbol.line);
      chunk.first_line = lines_.LineOf(symbol.begin);
      chunk.last_line = lines_.LineOf(std::max(symbol.begin, symbol.end - 1));
      chunk.kind = static_cast<uint8_t>(symbol.kind);
      chunk.is_definition = symbol.is_definition ? 1 : 0;
      const size_t added = builder_.AddChunk(chunk, symbol.name, symbol.container);
      chunk_of_.push_back(static_cast<int>(added));
      Put(symbol.name, added, SearchField::kName);
      const SearchWords::Word whole = words_.Find(symbol.name);
      if (!whole.is_compound) builder_.Add(added, SearchField::kName, WholeTerm(symbol.name));
      Put(symbol.container, added, SearchField::kContainer);
      if (!options_.without_documentation && symbol.doc_end > symbol.doc_begin) {
        Put(text_.substr(symbol.doc_begin,
                         std::min<size_t>(symbol.doc_end - symbol.doc_begin, kMaxDocBytes)),
            added, SearchField::kDoc);
      }
    }
  }

  // Gives every part of the text to the innermost symbol around it.
  void DivideText() {
    std::vector<int> around;
    uint32_t at = 0;
    const auto end_of = [&](int symbol) { return symbols_[static_cast<size_t>(symbol)].end; };
    const auto close_until = [&](uint32_t offset) {
      while (!around.empty() && end_of(around.back()) <= offset) {
        Part(at, end_of(around.back()), around);
        at = std::max(at, end_of(around.back()));
        around.pop_back();
      }
    };
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (chunk_of_[i] == kNone) continue;
      close_until(symbols_[i].begin);
      Part(at, symbols_[i].begin, around);
      at = std::max(at, symbols_[i].begin);
      around.push_back(static_cast<int>(i));
    }
    const auto end = static_cast<uint32_t>(text_.size());
    while (!around.empty()) {
      Part(at, std::min(end, end_of(around.back())), around);
      at = std::max(at, std::min(end, end_of(around.back())));
      around.pop_back();
    }
    Part(at, end, around);
  }

  // Without documentation, which has its own field.
  void Part(uint32_t begin, uint32_t end, const std::vector<int>& around) {
    while (next_doc_ < docs_.size() && docs_[next_doc_].end <= begin) ++next_doc_;
    for (size_t doc = next_doc_; doc < docs_.size() && docs_[doc].begin < end; ++doc) {
      if (docs_[doc].begin > begin) Code(begin, docs_[doc].begin, around);
      begin = std::max(begin, docs_[doc].end);
    }
    if (begin < end) Code(begin, end, around);
  }

  void Code(uint32_t begin, uint32_t end, const std::vector<int>& around) {
    if (around.empty()) return Rest(begin, end);
    const auto index = static_cast<size_t>(around.back());
    const Symbol& symbol = symbols_[index];
    const auto chunk = static_cast<size_t>(chunk_of_[index]);
    const uint32_t head = std::clamp(symbol.signature_end, begin, end);
    Put(Between(begin, std::min(head, symbol.name_begin)), chunk, SearchField::kSignature);
    Put(Between(std::max(begin, symbol.name_end), head), chunk, SearchField::kSignature);
    Put(Between(head, end), chunk, SearchField::kBody);
    if (around.size() > 1 && head > begin) {
      const auto outer =
          static_cast<size_t>(chunk_of_[static_cast<size_t>(around[around.size() - 2])]);
      Put(Between(begin, head).substr(0, kMaxHeadBytes), outer, SearchField::kBody);
    }
  }

  absl::string_view Between(uint32_t begin, uint32_t end) const {
    return begin < end ? text_.substr(begin, end - begin) : absl::string_view();
  }

  // What is in no symbol, by lines.
  void Rest(uint32_t begin, uint32_t end) {
    for (uint32_t line = lines_.LineOf(begin); begin < end; ++line) {
      const uint32_t line_end = std::min(end, lines_.EndOf(line));
      const absl::string_view said = absl::StripAsciiWhitespace(Between(begin, line_end));
      const bool is_heading = is_markdown_ && absl::StartsWith(said, "#");
      if (said.empty()) {
        last_was_blank_ = true;
      } else {
        if (NeedsNewBlock(line, is_heading)) OpenBlock(begin, line, is_heading ? said : "");
        SearchChunk& chunk = builder_.chunk(block_);
        chunk.end = line_end;
        chunk.last_line = line;
        Put(said, block_, is_heading ? SearchField::kName : SearchField::kBody);
        last_was_blank_ = false;
      }
      begin = line_end;
    }
  }

  bool NeedsNewBlock(uint32_t line, bool is_heading) {
    if (!has_block_ || is_heading) return true;
    const SearchChunk& chunk = builder_.chunk(block_);
    const uint32_t size = line - chunk.first_line;
    return line > chunk.last_line + kMaxGapLines || size >= kMaxBlockLines ||
           (size >= kBlockLines && last_was_blank_) ||
           builder_.TermsIn(block_) > kMaxTermsInChunk / 4;
  }

  void OpenBlock(uint32_t begin, uint32_t line, absl::string_view heading) {
    SearchChunk chunk;
    chunk.begin = begin;
    chunk.line = chunk.first_line = line;
    chunk.kind = heading.empty() ? kind_of_rest_ : SearchChunk::kSection;
    while (absl::ConsumePrefix(&heading, "#")) {
    }
    block_ = builder_.AddChunk(chunk, absl::StripAsciiWhitespace(heading), "");
    has_block_ = true;
  }

  void Put(absl::string_view text, size_t chunk, SearchField field) {
    const bool is_code = field == SearchField::kBody || field == SearchField::kSignature;
    absl::ConsumePrefix(&text, "\xEF\xBB\xBF");  // a byte order mark is no word
    words_.ForEach(text, [&](absl::string_view written, const SearchWords::Word& word) {
      if (is_code && (word.is_keyword || absl::ascii_isdigit(written[0]))) return;
      if (builder_.TermsIn(chunk) > kMaxTermsInChunk) return;
      for (uint32_t i = 0; i < word.size; ++i) builder_.Add(chunk, field, word.terms[i]);
    });
  }

  struct Range {
    uint32_t begin;
    uint32_t end;
    bool operator<(const Range& other) const { return begin < other.begin; }
  };

  const absl::string_view path_;
  const absl::string_view text_;
  const ChunkOptions options_;
  const LineTable lines_;
  SearchWords& words_;
  FileTermsBuilder builder_;
  std::vector<Symbol> symbols_;
  std::vector<int> chunk_of_;  // by symbol
  std::vector<Range> docs_;
  size_t next_doc_ = 0;
  uint8_t kind_of_rest_ = SearchChunk::kBlock;
  bool is_markdown_ = false;
  bool has_block_ = false;
  bool last_was_blank_ = false;
  size_t block_ = 0;
};

bool IsMinified(absl::string_view text) {
  constexpr size_t kSmall = 20'000;
  if (text.size() < kSmall) return false;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  return text.size() / lines > kMaxMeanLineBytes;
}

}  // namespace

bool IsSearchableText(absl::string_view path) {
  static constexpr const char* kExtensions[] = {
      // Documents and settings.
      ".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt", ".yaml", ".yml", ".toml", ".ini", ".cfg",
      ".conf", ".proto", ".graphql", ".gql", ".sql", ".tf", ".xml", ".gradle", ".cmake", ".mk",
      // Languages that nothing here can parse.
      ".vue", ".svelte", ".astro", ".html", ".css", ".scss", ".less", ".sh", ".bash", ".zsh",
      ".fish", ".ps1", ".rb", ".php", ".kt", ".kts", ".swift", ".scala", ".lua", ".pl", ".pm", ".r",
      ".jl", ".ex", ".exs", ".erl", ".hs", ".ml", ".mli", ".fs", ".clj", ".dart", ".groovy", ".nix",
      ".zig", ".vb", ".m", ".mm", ".s", ".asm"};
  static constexpr const char* kNames[] = {"Dockerfile", "Makefile",    "README",      "Rakefile",
                                           "Gemfile",    "Vagrantfile", "Jenkinsfile", "go.mod"};
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  if (absl::StrContains(name, "-lock.") || absl::EndsWith(name, ".min.css")) return false;
  for (const char* known : kNames) {
    if (name == known) return true;
  }
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos) return false;
  for (const char* extension : kExtensions) {
    if (absl::EqualsIgnoreCase(name.substr(dot), extension)) return true;
  }
  return false;
}

bool IsTestFile(absl::string_view path) {
  static const auto* const folders = new std::set<absl::string_view>{
      "test",      "tests",      "testing",  "testdata", "__tests__", "spec",
      "specs",     "e2e",        "example",  "examples", "sample",    "samples",
      "benchmark", "benchmarks", "fixtures", "__mocks__"};
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (folders->count(parts[i]) > 0) return true;
  }
  const absl::string_view name = parts.back();
  const absl::string_view stem = name.substr(0, name.find('.'));
  return absl::StartsWith(name, "test_") || absl::EndsWith(stem, "_test") ||
         absl::EndsWith(stem, "_tests") || absl::EndsWith(stem, "Test") ||
         absl::EndsWith(stem, "Tests") || absl::StrContains(name, ".test.") ||
         absl::StrContains(name, ".spec.");
}

std::string ChunkFile(absl::string_view path, absl::string_view text, const Grammar* grammar,
                      const ChunkOptions& options, SearchWords* words) {
  constexpr size_t kLookedAt = 8000;  // as git decides whether a file is binary
  if (absl::StrContains(text.substr(0, kLookedAt), '\0')) return FileTermsBuilder().Build();
  Chunker chunker(path, text, options, words);
  if (grammar != nullptr && text.size() <= kMaxParsedBytes && !IsMinified(text)) {
    const auto tree = SyntaxTree::Parse(*grammar, text);
    if (tree.ok()) return chunker.Code(*grammar, *tree);
  }
  return chunker.Lines();
}

}  // namespace stile
