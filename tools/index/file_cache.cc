#include "tools/index/file_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/file_time.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/byte_hash.h"

namespace stile {
namespace {

// The file: header, a record for each entry by path, paths, payloads. Numbers are as the machine
// has them: the file does not leave it, and on another the first number would not fit.
constexpr uint64_t kMagic = 0x0178'6449'6c74'5321;
constexpr size_t kMaxFileOnDisk = size_t{1} << 30;

struct Header {
  uint64_t magic = kMagic;
  uint32_t version = 0;
  uint32_t count = 0;
  uint64_t path_bytes = 0;
  uint64_t payload_bytes = 0;
  uint64_t checksum = 0;  // of records and paths
};

struct Record {
  DiskStamp stamp;
  int64_t looked_at_ns = 0;
  Sha256Digest hash{};
  uint64_t payload_size = 0;
  uint64_t path_size = 0;
  uint64_t checksum = 0;  // of the payload
};

size_t Padded(size_t size) {
  constexpr size_t kAlignment = 8;
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename T>
void AppendRaw(const T& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
T ReadRaw(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

std::string FileCache::Serialize(const std::map<std::string, Entry>& entries, uint32_t version,
                                 size_t max_bytes) {
  Header header;
  header.version = version;
  std::string table, paths;
  std::vector<const Entry*> kept;
  for (const auto& [path, entry] : entries) {
    const size_t size = Padded(entry.payload.size());
    if (header.payload_bytes + size > max_bytes) continue;
    header.payload_bytes += size;
    Record record;
    record.stamp = entry.stamp;
    record.looked_at_ns = entry.looked_at_ns;
    record.hash = entry.hash;
    record.payload_size = entry.payload.size();
    record.path_size = path.size();
    record.checksum = HashBytes(entry.payload);
    AppendRaw(record, &table);
    paths += path;
    kept.push_back(&entry);
  }
  paths.resize(Padded(paths.size()));
  header.count = static_cast<uint32_t>(kept.size());
  header.path_bytes = paths.size();
  header.checksum = HashBytes(paths, HashBytes(table));
  std::string bytes;
  bytes.reserve(sizeof(header) + table.size() + paths.size() + header.payload_bytes);
  AppendRaw(header, &bytes);
  bytes += table;
  bytes += paths;
  for (const Entry* entry : kept) {
    bytes.append(entry->payload.data(), entry->payload.size());
    bytes.resize(Padded(bytes.size()));
  }
  return bytes;
}

std::optional<std::map<std::string, FileCache::Entry>> FileCache::Parse(
    const std::shared_ptr<const std::string>& bytes, uint32_t version) {
  static_assert(sizeof(Header) % 8 == 0 && sizeof(Record) % 8 == 0);
  if (bytes->size() < sizeof(Header)) return std::nullopt;
  const auto header = ReadRaw<Header>(bytes->data());
  if (header.magic != kMagic || header.version != version) return std::nullopt;
  const size_t left = bytes->size() - sizeof(Header);
  const size_t table_bytes = size_t{header.count} * sizeof(Record);
  if (header.path_bytes > left || header.payload_bytes > left || table_bytes > left ||
      table_bytes + header.path_bytes + header.payload_bytes != left) {
    return std::nullopt;
  }
  const absl::string_view all(*bytes);
  const absl::string_view table = all.substr(sizeof(Header), table_bytes);
  const absl::string_view paths = all.substr(sizeof(Header) + table_bytes, header.path_bytes);
  if (HashBytes(paths, HashBytes(table)) != header.checksum) return std::nullopt;
  size_t path_at = 0;
  size_t payload_at = sizeof(Header) + table_bytes + header.path_bytes;
  std::map<std::string, Entry> entries;
  for (uint32_t i = 0; i < header.count; ++i) {
    const auto record = ReadRaw<Record>(table.data() + size_t{i} * sizeof(Record));
    if (record.path_size > paths.size() - path_at ||
        record.payload_size > all.size() - payload_at) {
      return std::nullopt;
    }
    Entry entry;
    entry.stamp = record.stamp;
    entry.looked_at_ns = record.looked_at_ns;
    entry.hash = record.hash;
    entry.payload = all.substr(payload_at, record.payload_size);
    entry.owner = bytes;
    const absl::string_view path = paths.substr(path_at, record.path_size);
    path_at += record.path_size;
    payload_at = std::min(payload_at + Padded(record.payload_size), all.size());
    // One that does not hold what was written is left out alone.
    if (HashBytes(entry.payload) != record.checksum) continue;
    entries.emplace_hint(entries.end(), path, std::move(entry));
  }
  return entries;
}

FileCache::FileCache(Options options) : options_(std::move(options)) {
  if (!options_.file.empty()) {
    auto bytes = std::make_shared<std::string>();
    if (ReadRegularFile(options_.file, kMaxFileOnDisk, bytes.get())) {
      auto entries = Parse(std::move(bytes), options_.version);
      if (entries.has_value()) entries_ = *std::move(entries);
    }
  }
  next_ = entries_.begin();
}

FileCache::~FileCache() { Save(); }

int64_t FileCache::NowNs() const { return absl::ToUnixNanos(options_.clock->Now()); }

const FileCache::Entry* FileCache::Find(const std::string& path) {
  if (next_ == entries_.end() || next_->first != path) next_ = entries_.find(path);
  if (next_ == entries_.end()) return nullptr;
  return &next_++->second;
}

void FileCache::Put(const std::string& path, Entry entry) {
  entries_[path] = std::move(entry);
  next_ = entries_.end();
  ++changes_;
}

void FileCache::KeepOnly(const std::set<std::string>& paths) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (paths.count(entry->first) > 0) {
      ++entry;
    } else {
      entry = entries_.erase(entry);
      ++changes_;
    }
  }
  next_ = entries_.begin();
}

void FileCache::Save() {
  if (options_.file.empty() || changes_ == 0) return;
  changes_ = 0;
  FileSystem* const fs = DiskFileSystem();
  if (!fs->MakeDirs(DirName(options_.file)).ok()) return;
  const FileLock lock(options_.file + ".lock", FileLock::Wait::kNo);
  if (!lock.held()) return;
  const std::string bytes = Serialize(entries_, options_.version, options_.max_bytes);
  // Without fsync: what a crash of the machine damages is seen by its checksum.
  const std::string beside = options_.file + ".new";
  absl::Status status = fs->WriteFile(beside, bytes, 0600, /*sync=*/false);
  if (status.ok()) status = fs->Rename(beside, options_.file);
  if (!status.ok()) fs->RemoveFile(beside).IgnoreError();
}

void FileCache::SaveIfMuchChanged() {
  constexpr size_t kMany = 32;
  constexpr size_t kPart = 8;
  if (changes_ >= kMany && changes_ > entries_.size() / kPart) Save();
}

}  // namespace stile
