// How well and how fast search finds things, for scripts/search_trial and BENCHMARKS.md:
//
//   search_bench trial FOLDER [OPTION=VALUE …]   questions made from documentation, as JSON
//   search_bench time FOLDER QUERY WORD          search (not for "") and FilesWith, cold and warm,
//   as JSON
//
// Options of `trial` are those of RankingOptions by name, max=N questions, and compare=0 to leave
// out what search is compared with.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/json.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/bench/bench_support.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tools/index/code_index.h"
#include "tools/index/search_chunks.h"
#include "tools/index/search_index.h"
#include "tools/index/search_ranking.h"

namespace stile {
namespace {

constexpr size_t kDepth = 10;  // of MRR@10 and Recall@10

bool IsCallable(uint8_t kind) {
  return kind == static_cast<uint8_t>(SymbolKind::kFunction) ||
         kind == static_cast<uint8_t>(SymbolKind::kMethod) ||
         kind == static_cast<uint8_t>(SymbolKind::kConstructor);
}

// What a person would ask for: the first sentence, without the name of what it documents.
std::string QuestionFrom(const std::string& documentation, const std::string& name) {
  std::string sentence;
  for (const absl::string_view line : absl::StrSplit(documentation, '\n')) {
    const absl::string_view said = absl::StripAsciiWhitespace(line);
    if (said.empty() || said.front() == '@' || said.front() == ':') {
      if (!sentence.empty()) break;
      continue;
    }
    absl::StrAppend(&sentence, sentence.empty() ? "" : " ", said);
    if (said.back() == '.') break;
  }
  sentence = sentence.substr(0, sentence.find(". "));
  std::vector<std::string> words;
  for (const absl::string_view word : absl::StrSplit(sentence, ' ', absl::SkipEmpty())) {
    absl::string_view plain = word;
    while (!plain.empty() && !IsIdentifierByte(plain.front())) plain.remove_prefix(1);
    while (!plain.empty() && !IsIdentifierByte(plain.back())) plain.remove_suffix(1);
    if (plain != name) words.emplace_back(word);
  }
  constexpr size_t kMinWords = 4;
  constexpr size_t kMaxWords = 40;
  if (words.size() < kMinWords || words.size() > kMaxWords) return "";
  return absl::StrJoin(words, " ");
}

struct Corpus {
  std::vector<std::string> paths;
  std::vector<std::string> texts;
  std::vector<std::string> blocks;
  std::vector<std::string> plain_blocks;
  std::vector<FileTerms> terms;
  std::vector<FileTerms> plain_terms;
};

struct Question {
  std::string text;
  uint32_t file = 0;
  uint32_t chunk = 0;
};

class Trial {
 public:
  Trial(const std::string& folder, RankingOptions options, size_t max_questions, bool compare)
      : options_(options), compare_(compare) {
    SearchWords plain(SearchWords::Form::kPlain);
    for (const std::string& path : FilesOf(folder)) {
      const Grammar* grammar = FindGrammar(languages_.GrammarOf(path));
      if (grammar == nullptr && !IsSearchableText(path)) continue;
      auto text = DiskFileSystem()->ReadFile(JoinPath(folder, path), size_t{16} << 20);
      if (!text.ok()) continue;
      const ChunkOptions without{.without_documentation = true};
      corpus_.blocks.push_back(ChunkFile(path, *text, grammar, without, &words_));
      corpus_.plain_blocks.push_back(compare ? ChunkFile(path, *text, grammar, without, &plain)
                                             : FileTermsBuilder().Build());
      corpus_.paths.push_back(path);
      corpus_.texts.push_back(*std::move(text));
    }
    for (size_t i = 0; i < corpus_.blocks.size(); ++i) {
      corpus_.terms.push_back(*FileTerms::Read(corpus_.blocks[i]));
      corpus_.plain_terms.push_back(*FileTerms::Read(corpus_.plain_blocks[i]));
    }
    Ask(max_questions);
  }

  Json Run() {
    Json systems = Json::object();
    double ms = 0;
    systems["search"] = Measure([&](const Question& question) {
      std::vector<RankedChunk> ranked;
      ms += Milliseconds([&] {
        ranked = RankChunks(corpus_.terms, ParseSearch(question.text, &words_), options_, kDepth);
      });
      return ranked;
    });
    if (compare_)
      systems["plain"] = Measure([&](const Question& question) { return PlainBm25(question); });
    if (compare_)
      systems["grep"] = Measure([&](const Question& question) { return ByWords(question); });
    size_t chunks = 0;
    for (const FileTerms& file : corpus_.terms) chunks += file.chunk_count();
    return {{"files", corpus_.paths.size()},
            {"chunks", chunks},
            {"questions", questions_.size()},
            {"systems", systems},
            {"msPerQuery", ms / static_cast<double>(std::max<size_t>(1, questions_.size()))}};
  }

 private:
  void Ask(size_t max_questions) {
    std::map<std::string, std::vector<Question>> by_text;
    for (uint32_t i = 0; i < corpus_.paths.size(); ++i) {
      const FileTerms& file = corpus_.terms[i];
      for (uint32_t c = 0; c < file.chunk_count(); ++c) {
        const SearchChunk chunk = file.chunk(c);
        if (!IsCallable(chunk.kind) || chunk.is_definition == 0 || chunk.doc_end == 0) continue;
        const std::string documentation =
            DocumentationText(absl::string_view(corpus_.texts[i])
                                  .substr(chunk.doc_begin, chunk.doc_end - chunk.doc_begin));
        const std::string text = QuestionFrom(documentation, std::string(file.name(c)));
        if (!text.empty()) by_text[text].push_back({text, i, c});
      }
    }
    // What documents several functions asks for none of them.
    for (const auto& [text, questions] : by_text) {
      if (questions.size() == 1) questions_.push_back(questions[0]);
    }
    // The same ones each time, from everywhere.
    std::sort(questions_.begin(), questions_.end(), [](const Question& a, const Question& b) {
      return HashBytes(a.text) < HashBytes(b.text);
    });
    if (questions_.size() > max_questions) questions_.resize(max_questions);
  }

  Json Measure(const std::function<std::vector<RankedChunk>(const Question&)>& rank) {
    double reciprocal = 0;
    double found = 0;
    for (const Question& question : questions_) {
      const std::vector<RankedChunk> ranked = rank(question);
      for (size_t i = 0; i < ranked.size() && i < kDepth; ++i) {
        if (ranked[i].file == question.file && Same(ranked[i], question)) {
          reciprocal += 1 / static_cast<double>(i + 1);
          found += 1;
          break;
        }
      }
    }
    const auto count = static_cast<double>(std::max<size_t>(1, questions_.size()));
    return {{"mrr", reciprocal / count}, {"recall", found / count}};
  }

  // Plain blocks may have other chunks: stop words alone make no chunk.
  bool Same(const RankedChunk& ranked, const Question& question) const {
    return ranked.chunk == question.chunk;
  }

  // Okapi BM25 over each chunk as one bag of words as they are written; k1 1.2, b 0.75.
  std::vector<RankedChunk> PlainBm25(const Question& question) {
    std::set<SearchTerm> wanted;
    for (const absl::string_view word : Words(question.text)) {
      wanted.insert(static_cast<SearchTerm>(HashBytes(absl::AsciiStrToLower(word))));
    }
    struct Match {
      RankedChunk chunk;
      double length = 0;
      std::map<SearchTerm, double> counts;
    };
    std::vector<Match> matches;
    std::map<SearchTerm, double> holding;
    double all_chunks = 0;
    double all_length = 0;
    for (uint32_t f = 0; f < corpus_.plain_terms.size(); ++f) {
      const FileTerms& file = corpus_.plain_terms[f];
      for (uint32_t c = 0; c < file.chunk_count(); ++c) {
        Match match;
        const SearchChunk chunk = file.chunk(c);
        for (size_t i = 0; i < kSearchFields; ++i) {
          if (i != static_cast<size_t>(SearchField::kPath)) match.length += chunk.lengths[i];
        }
        all_length += match.length;
        ++all_chunks;
        for (uint32_t p = file.postings_begin(c); p < chunk.postings_end; ++p) {
          if (wanted.count(file.term(p)) > 0) match.counts[file.term(p)] += file.posting(p).count;
        }
        if (match.counts.empty()) continue;
        match.chunk.file = f;
        match.chunk.chunk = Translate(f, chunk);
        for (const auto& [term, count] : match.counts) ++holding[term];
        matches.push_back(std::move(match));
      }
    }
    std::vector<RankedChunk> ranked;
    for (Match& match : matches) {
      double score = 0;
      for (const auto& [term, count] : match.counts) {
        const double inverse =
            std::log(1 + (all_chunks - holding[term] + 0.5) / (holding[term] + 0.5));
        score += inverse * count * 2.2 /
                 (count + 1.2 * (0.25 + 0.75 * match.length / (all_length / all_chunks)));
      }
      match.chunk.score = static_cast<float>(score);
      ranked.push_back(match.chunk);
    }
    return Best(std::move(ranked));
  }

  // Functions by how many of the words stand in them, as grep -i would find them.
  std::vector<RankedChunk> ByWords(const Question& question) {
    std::set<std::string> words;
    for (const absl::string_view word : Words(question.text)) {
      const std::string lower = absl::AsciiStrToLower(word);
      if (lower.size() > 1 && !IsStopWord(lower)) words.insert(lower);
    }
    std::vector<RankedChunk> ranked;
    for (uint32_t f = 0; f < corpus_.terms.size(); ++f) {
      const FileTerms& file = corpus_.terms[f];
      for (uint32_t c = 0; c < file.chunk_count(); ++c) {
        const SearchChunk chunk = file.chunk(c);
        if (!IsCallable(chunk.kind)) continue;
        std::string text = corpus_.texts[f].substr(chunk.begin, chunk.end - chunk.begin);
        if (chunk.doc_begin >= chunk.begin && chunk.doc_end <= chunk.end && chunk.doc_end > 0) {
          text.erase(chunk.doc_begin - chunk.begin, chunk.doc_end - chunk.doc_begin);
        }
        absl::AsciiStrToLower(&text);
        float held = 0;
        for (const std::string& word : words) held += absl::StrContains(text, word) ? 1 : 0;
        if (held > 0) ranked.push_back({f, c, 0, held});
      }
    }
    return Best(std::move(ranked));
  }

  static std::vector<RankedChunk> Best(std::vector<RankedChunk> ranked) {
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    if (ranked.size() > kDepth) ranked.resize(kDepth);
    return ranked;
  }

  // The number that the chunk has among those of stems.
  uint32_t Translate(uint32_t file, const SearchChunk& plain) const {
    const FileTerms& terms = corpus_.terms[file];
    for (uint32_t c = 0; c < terms.chunk_count(); ++c) {
      const SearchChunk chunk = terms.chunk(c);
      if (chunk.begin == plain.begin && chunk.line == plain.line && chunk.kind == plain.kind &&
          chunk.signature_end == plain.signature_end) {
        return c;
      }
    }
    return UINT32_MAX;
  }

  static std::vector<absl::string_view> Words(absl::string_view text) {
    std::vector<absl::string_view> words;
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && IsIdentifierByte(text[end])) ++end;
      if (end > at) words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return words;
  }

  const RankingOptions options_;
  const bool compare_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  SearchWords words_;
  Corpus corpus_;
  std::vector<Question> questions_;
};

bool SetOption(absl::string_view name, float value, RankingOptions* options) {
  const std::map<absl::string_view, float*> places = {{"name", &options->fields[0].weight},
                                                      {"name_b", &options->fields[0].b},
                                                      {"signature", &options->fields[1].weight},
                                                      {"signature_b", &options->fields[1].b},
                                                      {"doc", &options->fields[2].weight},
                                                      {"doc_b", &options->fields[2].b},
                                                      {"body", &options->fields[3].weight},
                                                      {"body_b", &options->fields[3].b},
                                                      {"container", &options->fields[4].weight},
                                                      {"container_b", &options->fields[4].b},
                                                      {"path", &options->fields[5].weight},
                                                      {"path_b", &options->fields[5].b},
                                                      {"k1", &options->k1},

                                                      {"value_prior", &options->value_prior},
                                                      {"block_prior", &options->block_prior},
                                                      {"test_prior", &options->test_prior},
                                                      {"text_prior", &options->text_prior},
                                                      {"feedback", &options->feedback_weight}};
  if (name == "feedback_terms") options->feedback_terms = static_cast<int>(value);
  if (name == "feedback_chunks") options->feedback_chunks = static_cast<int>(value);
  if (absl::StartsWith(name, "feedback_")) return true;
  const auto place = places.find(name);
  if (place == places.end()) return false;
  *place->second = value;
  return true;
}

Json Time(const std::string& folder, const std::string& query, const std::string& word) {
  constexpr int kRuns = 7;
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const std::vector<std::string> paths = FilesOf(folder);
  const TempDir memory;
  const auto list = [&](const auto& use) {
    for (const std::string& path : paths) use(path);
  };
  Json times = {{"files", paths.size()}};
  // As a new process would: with nothing in memory but what is on disk.
  const auto search = [&](const std::string& memory_folder) {
    CodeIndex code(folder, &languages, list, {memory_folder});
    SearchIndex index(&code);
    return index.Search({query, "", kDepth}).hits.size();
  };
  std::vector<double> cold, warm, again;
  const int searches = query.empty() ? 0 : kRuns;
  for (int i = 0; i < searches; ++i) cold.push_back(Milliseconds([&] { search(""); }));
  if (searches > 0) search(memory.path());
  for (int i = 0; i < searches; ++i) warm.push_back(Milliseconds([&] { search(memory.path()); }));
  CodeIndex code(folder, &languages, list, {memory.path()});
  SearchIndex index(&code);
  if (searches > 0) index.Search({query, "", kDepth});
  for (int i = 0; i < searches; ++i) {
    again.push_back(Milliseconds([&] { index.Search({query, "", kDepth}); }));
  }
  if (searches > 0) {
    times["searchCold"] = Median(cold);
    times["searchWarm"] = Median(warm);
    times["searchSameProcess"] = Median(again);
  }

  std::vector<double> first, second, third, from_disk;
  for (int i = 0; i < kRuns; ++i) {
    CodeIndex once(folder, &languages, list);
    first.push_back(Milliseconds([&] { once.FilesWith(word); }));
    second.push_back(Milliseconds([&] { once.FilesWith(word); }));
    third.push_back(Milliseconds([&] { once.FilesWith(word); }));
    times["filesReadWarm"] = once.files_read();
  }
  for (int i = 0; i < 2; ++i) CodeIndex(folder, &languages, list, {memory.path()}).FilesWith(word);
  for (int i = 0; i < kRuns; ++i) {
    from_disk.push_back(Milliseconds(
        [&] { CodeIndex(folder, &languages, list, {memory.path()}).FilesWith(word); }));
  }
  times["filesWithCold"] = Median(first);
  times["filesWithSecond"] = Median(second);
  times["filesWithWarm"] = Median(third);
  times["filesWithFromDisk"] = Median(from_disk);
  return times;
}

int Main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 4 && arguments[0] == "time") {
    std::puts(DumpJson(Time(arguments[1], arguments[2], arguments[3])).c_str());
    return 0;
  }
  if (arguments.size() < 2 || arguments[0] != "trial") {
    std::fputs("usage: search_bench trial FOLDER [OPTION=VALUE …] | time FOLDER QUERY WORD\n",
               stderr);
    return 2;
  }
  RankingOptions options;
  size_t max_questions = 1000;
  bool compare = true;
  for (size_t i = 2; i < arguments.size(); ++i) {
    const std::vector<std::string> parts = absl::StrSplit(arguments[i], '=');
    float value = 0;
    if (parts.size() != 2 || !absl::SimpleAtof(parts[1], &value)) return 2;
    if (parts[0] == "max") {
      max_questions = static_cast<size_t>(value);
    } else if (parts[0] == "compare") {
      compare = value != 0;
    } else if (!SetOption(parts[0], value, &options)) {
      std::fprintf(stderr, "search_bench: no option %s\n", parts[0].c_str());
      return 2;
    }
  }
  std::puts(DumpJson(Trial(arguments[1], options, max_questions, compare).Run()).c_str());
  return 0;
}

}  // namespace
}  // namespace stile

int main(int argc, char** argv) { return stile::Main(argc, argv); }
