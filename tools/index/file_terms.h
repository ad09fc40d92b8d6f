// What search knows of one file: its chunks and the words in them, in one block of bytes that can
// be written to disk and used as it lies there.
#ifndef STILE_TOOLS_INDEX_FILE_TERMS_H_
#define STILE_TOOLS_INDEX_FILE_TERMS_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/index/search_words.h"

namespace stile {

enum class SearchField : uint8_t {
  kName,       // of the symbol: as a whole and its parts
  kSignature,  // the declaration up to its body, without the name
  kDoc,        // its documentation
  kBody,
  kContainer,  // the names of what it is declared in
  kPath,       // of the file; the same for all of its chunks
};
constexpr size_t kSearchFields = 6;

// A function, method, type or other symbol, or a block of what is in none. `kind` is a SymbolKind
// or one of those below.
struct SearchChunk {
  static constexpr uint8_t kBlock = 100;    // code outside of symbols
  static constexpr uint8_t kSection = 101;  // of a document, with a heading
  static constexpr uint8_t kText = 102;     // lines of another file

  uint32_t begin = 0;  // bytes of the text
  uint32_t end = 0;
  uint32_t signature_end = 0;
  uint32_t doc_begin = 0;  // both 0: none
  uint32_t doc_end = 0;
  uint32_t line = 0;  // 1-based: of the name, or the first
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  uint32_t postings_end = 0;  // those of the chunk before it end where its own begin
  uint32_t names_end = 0;     // likewise: name and container
  uint16_t name_size = 0;
  uint8_t kind = kText;
  uint8_t is_definition = 1;
  std::array<uint32_t, kSearchFields> lengths{};  // in terms
};

// Views a block. Cheap to copy.
class FileTerms {
 public:
  // nullopt when the block is damaged: nothing that it says leads outside of it.
  static std::optional<FileTerms> Read(absl::string_view block);

  uint32_t chunk_count() const { return header_.chunks; }
  SearchChunk chunk(uint32_t index) const {
    SearchChunk chunk;
    std::memcpy(&chunk, chunks_ + size_t{index} * sizeof(SearchChunk), sizeof(SearchChunk));
    return chunk;
  }
  absl::string_view name(uint32_t index) const;
  absl::string_view container(uint32_t index) const;  // "net.Server"
  uint32_t postings_begin(uint32_t index) const {
    return index == 0 ? header_.path_postings : chunk(index - 1).postings_end;
  }

  // A term in a field of a chunk, or, before all others, in the path.
  struct Posting {
    SearchTerm term;
    SearchField field;
    uint8_t count;  // at most kMaxCount
  };
  static constexpr uint8_t kMaxCount = 31;
  SearchTerm term(uint32_t posting) const {
    SearchTerm value;
    std::memcpy(&value, terms_ + size_t{posting} * sizeof(value), sizeof(value));
    return value;
  }
  Posting posting(uint32_t index) const {
    const auto packed = static_cast<uint8_t>(counts_[index]);
    return {term(index), static_cast<SearchField>(packed >> 5), static_cast<uint8_t>(packed & 31)};
  }
  uint32_t path_postings() const { return header_.path_postings; }
  bool is_test() const { return header_.is_test != 0; }
  // Summed over the chunks; of the path once a chunk.
  const std::array<uint32_t, kSearchFields>& lengths() const { return header_.lengths; }

 private:
  friend class FileTermsBuilder;
  struct Header {
    uint32_t chunks = 0;
    uint32_t path_postings = 0;
    uint32_t postings = 0;
    uint32_t name_bytes = 0;
    uint32_t is_test = 0;
    uint32_t unused = 0;
    std::array<uint32_t, kSearchFields> lengths{};
  };

  Header header_;
  const char* chunks_ = nullptr;
  const char* terms_ = nullptr;
  const char* counts_ = nullptr;
  const char* names_ = nullptr;
};

// Makes a block.
class FileTermsBuilder {
 public:
  void AddToPath(SearchTerm term);
  void SetTest(bool is_test) { is_test_ = is_test; }
  // Returns its number. Chunks may be filled in any order.
  size_t AddChunk(const SearchChunk& chunk, absl::string_view name, absl::string_view container);
  SearchChunk& chunk(size_t index) { return chunks_[index].record; }
  void Add(size_t chunk, SearchField field, SearchTerm term) {
    chunks_[chunk].terms.push_back(uint64_t{term} << 8 | static_cast<uint8_t>(field));
  }
  size_t TermsIn(size_t chunk) const { return chunks_[chunk].terms.size(); }
  // Ends the building. Chunks without any term are left out.
  std::string Build();

 private:
  struct Chunk {
    SearchChunk record;
    std::string name;
    std::string container;
    std::vector<uint64_t> terms;  // term << 8 | field
  };
  bool is_test_ = false;
  std::vector<uint64_t> path_;
  std::vector<Chunk> chunks_;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_FILE_TERMS_H_
