#include "tools/index/search_index.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/index/line_table.h"
#include "tools/index/search_chunks.h"
#include "tools/index/search_words.h"
#include "tools/index/source_file.h"

namespace stile {
namespace {

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

SearchIndex::SearchIndex(const CodeIndex* code, RankingOptions options)
    : code_(code), options_(options), words_(new SearchWords) {}

SearchIndex::~SearchIndex() = default;

std::vector<const std::pair<const std::string, SearchIndex::File>*> SearchIndex::Refresh(
    absl::string_view pattern, SearchAnswer* answer) {
  struct Candidate {
    std::pair<const std::string, File>* file;
    bool is_read = false;
  };
  std::vector<Candidate> candidates;
  code_->ListFiles([&](const std::string& path) {
    if (!pattern.empty() && !GlobMatch(pattern, path)) return;
    if (!code_->IsCode(path) && !IsSearchableText(path)) return;
    candidates.push_back({&*files_.try_emplace(path).first});
  });
  std::mutex mutex;
  std::vector<std::unique_ptr<SearchWords>> readers;  // that no thread uses now
  InParallel(candidates.size(), [&](size_t index) {
    thread_local std::string text;
    Candidate& candidate = candidates[index];
    const std::string& path = candidate.file->first;
    File& file = candidate.file->second;
    if (!ReadRegularFile(JoinPath(code_->workspace(), path), kMaxCodeBytes, &text)) return;
    const size_t hash = std::hash<std::string>()(text);
    if (file.hash != hash || file.block.empty()) {
      std::unique_ptr<SearchWords> words;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!readers.empty()) {
          words = std::move(readers.back());
          readers.pop_back();
        }
      }
      if (words == nullptr) words = std::make_unique<SearchWords>();
      file.block =
          ChunkFile(path, text, FindGrammar(code_->languages().GrammarOf(path)), {}, words.get());
      file.hash = hash;
      const std::lock_guard<std::mutex> lock(mutex);
      readers.push_back(std::move(words));
    }
    const auto terms = FileTerms::Read(file.block);
    candidate.is_read = terms.has_value();
    if (terms.has_value()) file.terms = *terms;
  });
  std::vector<const std::pair<const std::string, File>*> found;
  for (const Candidate& candidate : candidates) {
    if (candidate.is_read) {
      found.push_back(candidate.file);
    } else {
      ++answer->unreadable;
    }
  }
  answer->files = found.size();
  std::sort(found.begin(), found.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return found;
}

SearchAnswer SearchIndex::Search(const SearchRequest& request) {
  SearchAnswer answer;
  const auto files = Refresh(request.file_pattern, &answer);
  std::vector<FileTerms> terms;
  terms.reserve(files.size());
  for (const auto* file : files) terms.push_back(file->second.terms);
  const SearchTerms query = ParseSearch(request.query, words_.get());
  for (const RankedChunk& ranked : RankChunks(terms, query, options_, request.limit)) {
    answer.hits.push_back(Describe(files[ranked.file]->first, terms[ranked.file], ranked, query));
  }
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
