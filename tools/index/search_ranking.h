// BM25F over chunks, with pseudo-relevance feedback.
//
// BM25F: a chunk's frequency of a term is the sum over its fields of v_f * tf_f / B_f, where
// B_f = 1 - b_f + b_f * length_f / average length_f, and that sum saturates once, as tf / (k1 +
// tf); times the inverse document frequency ln(1 + (N - n + 0.5) / (n + 0.5)).
//   S. Robertson, H. Zaragoza, M. Taylor: Simple BM25 extension to multiple weighted fields, 2004.
//   S. Robertson, H. Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009, 3.6.
//
// Feedback, after RM3: the terms that stand out in the best chunks of a first pass are added to the
// query with a small weight.
//   N. Abdul-Jaleel et al.: UMass at TREC 2004: Novelty and HARD, 2004.
#ifndef STILE_TOOLS_INDEX_SEARCH_RANKING_H_
#define STILE_TOOLS_INDEX_SEARCH_RANKING_H_

#include <array>
#include <cstdint>
#include <vector>

#include "tools/index/file_terms.h"
#include "tools/index/search_query.h"

namespace stile {

// Tuned by scripts/search_trial, see BENCHMARKS.md.
struct RankingOptions {
  struct Field {
    float weight;
    float b;
  };
  // By SearchField: name, signature, documentation, body, container, path.
  std::array<Field, kSearchFields> fields = {
      {{4.0F, 0.3F}, {1.5F, 0.7F}, {2.0F, 0.5F}, {0.3F, 0.75F}, {1.5F, 0.6F}, {0.8F, 0.6F}}};
  float k1 = 1.2F;
  // What is not a function or a type is seldom what a question means.
  float value_prior = 0.6F;  // fields, constants, variables, enum members
  float block_prior = 0.8F;  // code outside of symbols
  float text_prior = 0.5F;   // documents, settings
  float prototype_prior = 0.9F;
  float test_prior = 0.7F;  // of tests and examples, unless they are asked for
  int feedback_chunks = 5;
  int feedback_terms = 5;  // 0: no feedback
  float feedback_weight = 0.25F;
};

// By the place of the file in what was ranked, and of the chunk in the file. Lists of these can be
// joined with those of another ranking of the same chunks by reciprocal rank.
struct RankedChunk {
  uint32_t file = 0;
  uint32_t chunk = 0;
  // Whether it declares what the query names: 0 no, 1 but for the way it is written, 2 exactly, 4
  // with its owner. Goes before the score.
  int exactness = 0;
  float score = 0;
};

// The best `limit` chunks that hold a term of the query, best first; equal ones by place. A
// function of its arguments; uses two threads inside.
std::vector<RankedChunk> RankChunks(const std::vector<FileTerms>& files, const SearchTerms& query,
                                    const RankingOptions& options, size_t limit);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SEARCH_RANKING_H_
