#include "tools/index/search_index.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/syntax/query.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/index/line_table.h"
#include "tools/index/search_chunks.h"
#include "tools/index/search_words.h"
#include "tools/index/source_file.h"

namespace stile {
namespace {

// Raised whenever what a text becomes changes: chunks, words, stems.
constexpr uint32_t kBlockVersion = 1;
constexpr size_t kMaxBlockBytes = size_t{512} << 20;
constexpr uint32_t kMaxExcerptLines = 400;  // of a chunk that are looked at

std::string KindName(uint8_t kind) {
  if (kind == SearchChunk::kBlock) return "block";
  if (kind == SearchChunk::kSection) return "section";
  if (kind >= SearchChunk::kText) return "text";
  return std::string(SymbolKindName(static_cast<SymbolKind>(kind)));
}

absl::string_view Piece(absl::string_view text, uint32_t begin, uint32_t end) {
  const size_t from = std::min<size_t>(begin, text.size());
  return text.substr(from, std::clamp<size_t>(end, from, text.size()) - from);
}

}  // namespace

// One for each thread, because they remember words.
class SearchIndex::Readers {
 public:
  std::unique_ptr<SearchWords> Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) return std::make_unique<SearchWords>();
    std::unique_ptr<SearchWords> words = std::move(free_.back());
    free_.pop_back();
    return words;
  }
  void GiveBack(std::unique_ptr<SearchWords> words) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(words));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<SearchWords>> free_;
};

struct SearchIndex::Candidate {
  std::string path;
  const FileCache::Entry* entry = nullptr;
  bool was_read = false;
  bool is_news = false;  // `learned` goes into the cache
  FileCache::Entry learned;
  std::optional<FileTerms> terms;
};

SearchIndex::SearchIndex(const CodeIndex* code, RankingOptions options)
    : code_(code),
      options_(options),
      blocks_({code->memory().folder.empty() ? "" : JoinPath(code->memory().folder, "search"),
               kBlockVersion, kMaxBlockBytes, code->memory().clock}),
      words_(new SearchWords) {}

SearchIndex::~SearchIndex() = default;

void SearchIndex::Look(int64_t now_ns, Readers* readers, Candidate* candidate) const {
  const std::string path = JoinPath(code_->workspace(), candidate->path);
  const FileCache::Entry* const entry = candidate->entry;
  DiskStamp stamp;
  if (entry != nullptr && DiskStampOf(path, &stamp) && entry->IsOf(stamp)) {
    candidate->terms = FileTerms::Read(entry->payload);
    if (candidate->terms.has_value()) return;
  }
  thread_local std::string text;
  if (!ReadRegularFile(path, kMaxCodeBytes, &text, &stamp)) return;
  candidate->was_read = true;
  candidate->is_news = true;
  FileCache::Entry& learned = candidate->learned;
  learned.stamp = stamp;
  learned.looked_at_ns = now_ns;
  learned.hash = Sha256Of(text);
  if (entry != nullptr && entry->hash == learned.hash) {
    learned.owner = entry->owner;
    learned.payload = entry->payload;
    candidate->terms = FileTerms::Read(learned.payload);
    if (candidate->terms.has_value()) return;
  }
  std::unique_ptr<SearchWords> words = readers->Take();
  learned.owner = std::make_shared<const std::string>(
      ChunkFile(candidate->path, text, FindGrammar(code_->languages().GrammarOf(candidate->path)),
                {}, words.get()));
  readers->GiveBack(std::move(words));
  learned.payload = *learned.owner;
  candidate->terms = FileTerms::Read(learned.payload);
}

std::vector<SearchIndex::File> SearchIndex::Refresh(absl::string_view pattern,
                                                    SearchAnswer* answer) {
  const int64_t now_ns = blocks_.NowNs();
  std::vector<Candidate> candidates;
  size_t listed = 0;
  const auto is_searched = [&](const std::string& path) {
    return code_->IsCode(path) || IsSearchableText(path);
  };
  code_->ListFiles([&](const std::string& path) {
    if (!is_searched(path)) return;
    ++listed;
    if (!pattern.empty() && !GlobMatch(pattern, path)) return;
    Candidate& candidate = candidates.emplace_back();
    candidate.path = path;
    candidate.entry = blocks_.Find(path);
  });
  Readers readers;
  InParallel(candidates.size(), [&](size_t i) { Look(now_ns, &readers, &candidates[i]); });
  std::vector<File> files;
  for (Candidate& candidate : candidates) {
    if (candidate.is_news) blocks_.Put(candidate.path, std::move(candidate.learned));
    if (candidate.was_read) ++answer->files_read;
    if (candidate.terms.has_value()) {
      files.push_back({std::move(candidate.path), *candidate.terms});
    } else {
      ++answer->unreadable;
    }
  }
  if (blocks_.size() > listed) {
    std::set<std::string> present;
    code_->ListFiles([&](const std::string& path) {
      if (is_searched(path)) present.insert(path);
    });
    blocks_.KeepOnly(present);
  }
  answer->files = files.size();
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

SearchAnswer SearchIndex::Search(const SearchRequest& request) {
  SearchAnswer answer;
  const std::vector<File> files = Refresh(request.file_pattern, &answer);
  std::vector<FileTerms> terms;
  terms.reserve(files.size());
  for (const File& file : files) terms.push_back(file.terms);
  const SearchTerms query = ParseSearch(request.query, words_.get());
  for (const RankedChunk& ranked : RankChunks(terms, query, options_, request.limit)) {
    answer.hits.push_back(Describe(files[ranked.file].path, terms[ranked.file], ranked, query));
  }
  blocks_.SaveIfMuchChanged();
  return answer;
}

SearchHit SearchIndex::Describe(const std::string& path, const FileTerms& terms,
                                const RankedChunk& ranked, const SearchTerms& query) {
  const SearchChunk chunk = terms.chunk(ranked.chunk);
  SearchHit hit;
  hit.path = path;
  hit.line = static_cast<int>(chunk.line);
  hit.first_line = static_cast<int>(chunk.first_line);
  hit.last_line = static_cast<int>(chunk.last_line);
  const absl::string_view container = terms.container(ranked.chunk);
  hit.symbol =
      ToUtf8(absl::StrCat(container, container.empty() ? "" : ".", terms.name(ranked.chunk)));
  hit.kind = KindName(chunk.kind);
  hit.score = ranked.score;
  std::string text;
  if (!ReadRegularFile(JoinPath(code_->workspace(), path), kMaxCodeBytes, &text)) return hit;
  if (chunk.kind < SearchChunk::kBlock) {
    hit.signature = SignatureText(Piece(text, chunk.begin, chunk.signature_end));
    const std::string said = DocumentationText(Piece(text, chunk.doc_begin, chunk.doc_end));
    hit.documentation = said.substr(0, said.find('\n'));
  }
  std::set<SearchTerm> wanted;
  for (const WeightedTerm& term : query.terms) wanted.insert(term.term);
  const LineTable lines(text);
  size_t most = 0;
  const uint32_t last =
      std::min({chunk.last_line, lines.count(), chunk.first_line + kMaxExcerptLines});
  for (uint32_t line = std::max(1U, chunk.first_line); line <= last; ++line) {
    const uint32_t begin = lines.BeginOf(line);
    // The first line of the documentation is shown anyway.
    if (!hit.documentation.empty() && begin < chunk.doc_end &&
        lines.EndOf(line) > chunk.doc_begin) {
      continue;
    }
    const absl::string_view said = Piece(text, begin, lines.EndOf(line));
    std::set<SearchTerm> held;
    words_->ForEach(said, [&](absl::string_view, const SearchWords::Word& word) {
      for (uint32_t i = 0; i < word.size; ++i) {
        if (wanted.count(word.terms[i]) > 0) held.insert(word.terms[i]);
      }
    });
    // The signature says what the line of the name says.
    const size_t value = held.size() * 2 + (line == chunk.line ? 0 : held.empty() ? 0 : 1);
    if (value <= most && hit.excerpt_line != 0) continue;
    if (held.empty() && absl::StripAsciiWhitespace(said).empty()) continue;
    most = value;
    hit.excerpt_line = static_cast<int>(line);
    hit.excerpt = ToUtf8(absl::StripAsciiWhitespace(said));
  }
  return hit;
}

}  // namespace stile
