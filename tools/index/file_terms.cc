#include "tools/index/file_terms.h"

#include <algorithm>

namespace stile {
namespace {

constexpr size_t kMaxNameBytes = 1000;

template <typename T>
void AppendRaw(const T& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendArray(const std::string& array, std::string* bytes) {
  bytes->append(array);
  while (bytes->size() % alignof(uint64_t) != 0) bytes->push_back('\0');
}

size_t Padded(size_t size) {
  return (size + alignof(uint64_t) - 1) / alignof(uint64_t) * alignof(uint64_t);
}

// Sorts and counts; returns how many postings were added.
uint32_t AppendPostings(std::vector<uint64_t>* terms, std::string* values, std::string* counts) {
  std::sort(terms->begin(), terms->end());
  uint32_t added = 0;
  for (size_t i = 0; i < terms->size();) {
    size_t next = i + 1;
    while (next < terms->size() && (*terms)[next] == (*terms)[i]) ++next;
    const auto count = static_cast<uint8_t>(std::min<size_t>(next - i, FileTerms::kMaxCount));
    AppendRaw(static_cast<SearchTerm>((*terms)[i] >> 8), values);
    counts->push_back(static_cast<char>(((*terms)[i] & 7) << 5 | count));
    ++added;
    i = next;
  }
  return added;
}

}  // namespace

std::optional<FileTerms> FileTerms::Read(absl::string_view block) {
  FileTerms file;
  if (block.size() < sizeof(Header)) return std::nullopt;
  std::memcpy(&file.header_, block.data(), sizeof(Header));
  const Header& header = file.header_;
  const size_t chunk_bytes = Padded(size_t{header.chunks} * sizeof(SearchChunk));
  const size_t term_bytes = Padded(size_t{header.postings} * sizeof(SearchTerm));
  const size_t count_bytes = Padded(header.postings);
  if (block.size() != Padded(sizeof(Header)) + chunk_bytes + term_bytes + count_bytes +
                          Padded(header.name_bytes) ||
      header.path_postings > header.postings) {
    return std::nullopt;
  }
  file.chunks_ = block.data() + Padded(sizeof(Header));
  file.terms_ = file.chunks_ + chunk_bytes;
  file.counts_ = file.terms_ + term_bytes;
  file.names_ = file.counts_ + count_bytes;
  uint32_t postings = header.path_postings;
  uint32_t names = 0;
  for (uint32_t i = 0; i < header.chunks; ++i) {
    const SearchChunk chunk = file.chunk(i);
    if (chunk.postings_end < postings || chunk.postings_end > header.postings ||
        chunk.names_end < names || chunk.names_end > header.name_bytes ||
        chunk.name_size > chunk.names_end - names || chunk.begin > chunk.end ||
        chunk.doc_begin > chunk.doc_end || chunk.first_line > chunk.last_line) {
      return std::nullopt;
    }
    postings = chunk.postings_end;
    names = chunk.names_end;
  }
  for (uint32_t i = 0; i < header.postings; ++i) {
    if (static_cast<uint8_t>(file.counts_[i]) >> 5 >= kSearchFields) return std::nullopt;
  }
  return file;
}

absl::string_view FileTerms::name(uint32_t index) const {
  const uint32_t begin = index == 0 ? 0 : chunk(index - 1).names_end;
  return {names_ + begin, chunk(index).name_size};
}

absl::string_view FileTerms::container(uint32_t index) const {
  const SearchChunk here = chunk(index);
  const uint32_t begin = (index == 0 ? 0 : chunk(index - 1).names_end) + here.name_size;
  return {names_ + begin, here.names_end - begin};
}

void FileTermsBuilder::AddToPath(SearchTerm term) {
  path_.push_back(uint64_t{term} << 8 | static_cast<uint8_t>(SearchField::kPath));
}

size_t FileTermsBuilder::AddChunk(const SearchChunk& chunk, absl::string_view name,
                                  absl::string_view container) {
  Chunk& added = chunks_.emplace_back();
  added.record = chunk;
  added.name = std::string(name.substr(0, kMaxNameBytes));
  added.container = std::string(container.substr(0, kMaxNameBytes));
  return chunks_.size() - 1;
}

std::string FileTermsBuilder::Build() {
  FileTerms::Header header;
  header.is_test = is_test_ ? 1 : 0;
  std::string records, terms, counts, names;
  const auto path_length = static_cast<uint32_t>(path_.size());
  header.path_postings = AppendPostings(&path_, &terms, &counts);
  uint32_t postings = header.path_postings;
  for (Chunk& chunk : chunks_) {
    if (chunk.terms.empty()) continue;
    SearchChunk& record = chunk.record;
    for (const uint64_t term : chunk.terms) ++record.lengths[term & 7];
    record.lengths[static_cast<size_t>(SearchField::kPath)] = path_length;
    for (size_t i = 0; i < kSearchFields; ++i) header.lengths[i] += record.lengths[i];
    postings += AppendPostings(&chunk.terms, &terms, &counts);
    names += chunk.name + chunk.container;
    record.postings_end = postings;
    record.names_end = static_cast<uint32_t>(names.size());
    record.name_size = static_cast<uint16_t>(chunk.name.size());
    AppendRaw(record, &records);
    ++header.chunks;
  }
  header.postings = postings;
  header.name_bytes = static_cast<uint32_t>(names.size());
  std::string block;
  block.reserve(sizeof(header) + records.size() + terms.size() + counts.size() + names.size() + 64);
  AppendRaw(header, &block);
  AppendArray("", &block);
  AppendArray(records, &block);
  AppendArray(terms, &block);
  AppendArray(counts, &block);
  AppendArray(names, &block);
  return block;
}

}  // namespace stile
