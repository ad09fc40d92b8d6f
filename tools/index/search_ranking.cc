#include "tools/index/search_ranking.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/threads.h"
#include "runtime/syntax/symbols.h"

namespace stile {
namespace {

constexpr size_t kMaxCandidates = 24;           // terms that feedback looks at
constexpr size_t kPostingsPerThread = 200'000;  // fewer are not worth a second thread

// From a term to its place among those that are looked for.
class TermFinder {
 public:
  explicit TermFinder(const std::vector<WeightedTerm>& terms) : terms_(terms) {
    next_.resize(terms.size());
    for (size_t i = 0; i < terms.size(); ++i) {
      uint8_t& first = first_[terms[i].term % kSlots];
      next_[i] = first;
      first = static_cast<uint8_t>(i + 1);
    }
  }
  // -1: not looked for.
  int Find(SearchTerm term) const {
    for (int i = first_[term % kSlots]; i != 0; i = next_[static_cast<size_t>(i - 1)]) {
      if (terms_[static_cast<size_t>(i - 1)].term == term) return i - 1;
    }
    return -1;
  }

 private:
  static constexpr size_t kSlots = 4096;
  const std::vector<WeightedTerm>& terms_;
  std::array<uint8_t, kSlots> first_{};
  std::vector<uint8_t> next_;
};

// The chunks that hold any of the terms, with the frequencies that BM25F gives them.
struct Matches {
  std::vector<RankedChunk> chunks;
  std::vector<float> frequencies;  // of each term, chunk after chunk
};

class Ranking {
 public:
  Ranking(const std::vector<FileTerms>& files, const SearchTerms& query,
          const RankingOptions& options)
      : files_(files),
        query_(query),
        options_(options),
        test_prior_(query.asks_for_tests ? 1 : options.test_prior) {
    std::array<double, kSearchFields> lengths{};
    for (const FileTerms& file : files) {
      chunks_ += file.chunk_count();
      for (size_t i = 0; i < kSearchFields; ++i) lengths[i] += file.lengths()[i];
    }
    for (size_t i = 0; i < kSearchFields; ++i) {
      average_[i] = static_cast<float>(std::max(lengths[i] / std::max<double>(1, chunks_), 0.01));
    }
  }

  std::vector<RankedChunk> Run(size_t limit) {
    std::vector<WeightedTerm> terms = query_.terms;
    if (terms.empty() || chunks_ == 0) return {};
    Matches matches = Find(terms);
    Score(terms, &matches);
    const bool has_feedback = options_.feedback_terms > 0 && query_.names.empty();
    if (has_feedback && !matches.chunks.empty()) {
      const auto best =
          std::min<size_t>(static_cast<size_t>(options_.feedback_chunks), matches.chunks.size());
      std::vector<RankedChunk> top = matches.chunks;
      Cut(&top, best);
      if (Expand(top, &terms)) {
        matches = Find(terms);
        Choose(&terms, &matches);
        Score(terms, &matches);
      }
    }
    SetExactness(terms, &matches);
    // What holds only terms that feedback thought of and dropped.
    std::vector<RankedChunk>& chunks = matches.chunks;
    chunks.erase(std::remove_if(chunks.begin(), chunks.end(),
                                [](const RankedChunk& chunk) { return chunk.score <= 0; }),
                 chunks.end());
    Cut(&chunks, limit);
    return std::move(chunks);
  }

 private:
  static bool IsBefore(const RankedChunk& a, const RankedChunk& b) {
    if (a.exactness != b.exactness) return a.exactness > b.exactness;
    if (a.score != b.score) return a.score > b.score;
    return a.file != b.file ? a.file < b.file : a.chunk < b.chunk;
  }
  static void Cut(std::vector<RankedChunk>* chunks, size_t limit) {
    limit = std::min(limit, chunks->size());
    std::partial_sort(chunks->begin(), chunks->begin() + static_cast<std::ptrdiff_t>(limit),
                      chunks->end(), IsBefore);
    chunks->resize(limit);
  }

  Matches Find(const std::vector<WeightedTerm>& terms) const {
    size_t postings = 0;
    std::vector<size_t> before(1, 0);
    for (const FileTerms& file : files_) {
      postings += file.chunk_count() == 0 ? 0 : file.postings_begin(file.chunk_count());
      before.push_back(postings);
    }
    const TermFinder finder(terms);
    if (postings < kPostingsPerThread) return FindIn(0, files_.size(), terms.size(), finder);
    const auto half = static_cast<size_t>(
        std::lower_bound(before.begin(), before.end(), postings / 2) - before.begin());
    const size_t middle = std::min(half, files_.size());
    auto second = std::async(kAsyncIfPossible,
                             [&] { return FindIn(middle, files_.size(), terms.size(), finder); });
    Matches matches = FindIn(0, middle, terms.size(), finder);
    const Matches rest = second.get();
    matches.chunks.insert(matches.chunks.end(), rest.chunks.begin(), rest.chunks.end());
    matches.frequencies.insert(matches.frequencies.end(), rest.frequencies.begin(),
                               rest.frequencies.end());
    return matches;
  }

  Matches FindIn(size_t begin, size_t end, size_t terms, const TermFinder& finder) const {
    Matches matches;
    std::vector<std::pair<int, FileTerms::Posting>> path;
    std::vector<std::pair<int, FileTerms::Posting>> found;
    for (size_t index = begin; index < end; ++index) {
      const FileTerms& file = files_[index];
      path.clear();
      for (uint32_t i = 0; i < file.path_postings(); ++i) {
        const int term = finder.Find(file.term(i));
        if (term >= 0) path.emplace_back(term, file.posting(i));
      }
      uint32_t posting = file.path_postings();
      for (uint32_t chunk = 0; chunk < file.chunk_count(); ++chunk) {
        found = path;
        const uint32_t postings_end = file.postings_begin(chunk + 1);
        for (; posting < postings_end; ++posting) {
          const int term = finder.Find(file.term(posting));
          if (term >= 0) found.emplace_back(term, file.posting(posting));
        }
        if (found.empty()) continue;
        matches.chunks.push_back({static_cast<uint32_t>(index), chunk, 0, 0});
        const size_t row = matches.frequencies.size();
        matches.frequencies.resize(row + terms);
        const SearchChunk record = file.chunk(chunk);
        for (const auto& [term, hit] : found) {
          matches.frequencies[row + static_cast<size_t>(term)] += Frequency(record, hit);
        }
      }
    }
    return matches;
  }

  float Frequency(const SearchChunk& chunk, const FileTerms::Posting& hit) const {
    const auto field = static_cast<size_t>(hit.field);
    const RankingOptions::Field& rule = options_.fields[field];
    const float relative = static_cast<float>(chunk.lengths[field]) / average_[field];
    return rule.weight * static_cast<float>(hit.count) / (1 - rule.b + rule.b * relative);
  }

  std::vector<float> InverseFrequencies(size_t terms, const Matches& matches) const {
    std::vector<double> holding(terms);
    for (auto row = matches.frequencies.begin(); row != matches.frequencies.end();) {
      for (size_t i = 0; i < terms; ++i, ++row) holding[i] += *row > 0 ? 1 : 0;
    }
    std::vector<float> inverse;
    for (const double n : holding) {
      inverse.push_back(
          static_cast<float>(std::log(1 + (static_cast<double>(chunks_) - n + 0.5) / (n + 0.5))));
    }
    return inverse;
  }

  void Score(const std::vector<WeightedTerm>& terms, Matches* matches) const {
    const std::vector<float> inverse = InverseFrequencies(terms.size(), *matches);
    for (size_t row = 0; row < matches->chunks.size(); ++row) {
      float score = 0;
      for (size_t i = 0; i < terms.size(); ++i) {
        const float frequency = matches->frequencies[row * terms.size() + i];
        if (frequency <= 0) continue;
        const float weight = terms[i].weight * inverse[i];
        score += weight * (options_.k1 + 1) * frequency / (options_.k1 + frequency);
      }
      RankedChunk& chunk = matches->chunks[row];
      chunk.score = score * PriorOf(files_[chunk.file].chunk(chunk.chunk)) *
                    (files_[chunk.file].is_test() ? test_prior_ : 1);
    }
  }

  float PriorOf(const SearchChunk& chunk) const {
    if (chunk.kind == SearchChunk::kBlock) return options_.block_prior;
    if (chunk.kind == SearchChunk::kSection || chunk.kind == SearchChunk::kText) {
      return options_.text_prior;
    }
    switch (static_cast<SymbolKind>(chunk.kind)) {
      case SymbolKind::kEnumMember:
      case SymbolKind::kField:
      case SymbolKind::kProperty:
      case SymbolKind::kConstant:
      case SymbolKind::kVariable:
        return options_.value_prior;
      case SymbolKind::kNamespace:
      case SymbolKind::kClass:
      case SymbolKind::kStruct:
      case SymbolKind::kInterface:
      case SymbolKind::kEnum:
      case SymbolKind::kFunction:
      case SymbolKind::kMethod:
      case SymbolKind::kConstructor:
      case SymbolKind::kTypeAlias:
      case SymbolKind::kMacro:
        return chunk.is_definition != 0 ? 1 : options_.prototype_prior;
    }
    return 1;
  }

  // Adds what the best chunks have in common, each with how well it speaks for them.
  bool Expand(const std::vector<RankedChunk>& best, std::vector<WeightedTerm>* terms) const {
    float all = 0;
    for (const RankedChunk& chunk : best) all += chunk.score;
    if (all <= 0) return false;
    std::map<SearchTerm, float> weights;
    for (const RankedChunk& ranked : best) {
      const FileTerms& file = files_[ranked.file];
      const SearchChunk chunk = file.chunk(ranked.chunk);
      float length = 0;
      for (size_t i = 0; i < kSearchFields; ++i) {
        length += static_cast<float>(chunk.lengths[i]) * options_.fields[i].weight;
      }
      for (uint32_t i = file.postings_begin(ranked.chunk); i < chunk.postings_end; ++i) {
        const FileTerms::Posting posting = file.posting(i);
        const float weight = options_.fields[static_cast<size_t>(posting.field)].weight;
        weights[posting.term] +=
            ranked.score / all * weight * static_cast<float>(posting.count) / length;
      }
    }
    for (const WeightedTerm& term : *terms) weights.erase(term.term);
    std::vector<WeightedTerm> candidates;
    for (const auto& [term, weight] : weights) candidates.push_back({term, weight});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (candidates.size() > kMaxCandidates) candidates.resize(kMaxCandidates);
    terms->insert(terms->end(), candidates.begin(), candidates.end());
    return !candidates.empty();
  }

  // Of the added terms keeps those that are also rare; the others weigh nothing.
  void Choose(std::vector<WeightedTerm>* terms, Matches* matches) const {
    const std::vector<float> inverse = InverseFrequencies(terms->size(), *matches);
    std::vector<size_t> order;
    for (size_t i = query_.terms.size(); i < terms->size(); ++i) order.push_back(i);
    const auto value = [&](size_t i) { return (*terms)[i].weight * inverse[i]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return value(a) > value(b); });
    const float most = order.empty() ? 0 : (*terms)[order[0]].weight;
    for (size_t i = 0; i < order.size(); ++i) {
      float& weight = (*terms)[order[i]].weight;
      const bool is_kept = i < static_cast<size_t>(options_.feedback_terms) && most > 0;
      weight = is_kept ? std::min(1.0F, weight / most) * options_.feedback_weight : 0;
    }
  }

  void SetExactness(const std::vector<WeightedTerm>& terms, Matches* matches) const {
    for (const SearchTerms::Name& wanted : query_.names) {
      const auto term = std::find_if(terms.begin(), terms.end(), [&](const WeightedTerm& other) {
        return other.term == wanted.whole;
      });
      if (term == terms.end()) continue;
      const auto column = static_cast<size_t>(term - terms.begin());
      for (size_t row = 0; row < matches->chunks.size(); ++row) {
        if (matches->frequencies[row * terms.size() + column] <= 0) continue;
        RankedChunk& chunk = matches->chunks[row];
        chunk.exactness = std::max(chunk.exactness, ExactnessOf(chunk, wanted));
      }
    }
  }

  int ExactnessOf(const RankedChunk& ranked, const SearchTerms::Name& wanted) const {
    const FileTerms& file = files_[ranked.file];
    if (file.chunk(ranked.chunk).kind >= SearchChunk::kBlock) return 0;
    const absl::string_view name = file.name(ranked.chunk);
    if (WholeTerm(name) != wanted.whole) return 0;
    const absl::string_view container = file.container(ranked.chunk);
    const bool is_owned =
        !wanted.owner.empty() &&
        (container == wanted.owner || absl::EndsWith(container, absl::StrCat(".", wanted.owner)));
    return is_owned ? 4 : name == wanted.name ? 2 : 1;
  }

  const std::vector<FileTerms>& files_;
  const SearchTerms& query_;
  const RankingOptions& options_;
  const float test_prior_;
  size_t chunks_ = 0;
  std::array<float, kSearchFields> average_{};
};

}  // namespace

std::vector<RankedChunk> RankChunks(const std::vector<FileTerms>& files, const SearchTerms& query,
                                    const RankingOptions& options, size_t limit) {
  return Ranking(files, query, options).Run(limit);
}

}  // namespace stile
