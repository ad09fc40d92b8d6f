// What was worked out from the files of a workspace, kept by their content between processes. One
// file on disk, outside of the workspace; what is damaged or of another version counts as nothing.
#ifndef STILE_TOOLS_INDEX_FILE_CACHE_H_
#define STILE_TOOLS_INDEX_FILE_CACHE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/base/clock.h"
#include "runtime/base/sha256.h"
#include "tools/index/file_reading.h"

namespace stile {

// Not thread-safe, but several processes may use one file: each reads what was there when it began,
// and the last to write wins.
class FileCache {
 public:
  struct Options {
    std::string file;  // "": nothing outlives this object
    // Of the payloads, beside that of the file itself. What has another is thrown away.
    uint32_t version = 0;
    size_t max_bytes = size_t{512} << 20;  // of payloads on disk
    Clock* clock = SystemClock();
  };
  explicit FileCache(Options options);
  // Saves; see Save.
  ~FileCache();
  FileCache(const FileCache&) = delete;
  FileCache& operator=(const FileCache&) = delete;

  struct Entry : SeenFile {
    Sha256Digest hash{};  // of the content; all zero: not known
    absl::string_view payload;
    std::shared_ptr<const std::string> owner;  // of the payload
  };

  // Null if there is none. Looking paths up in their order is fastest. Valid until the next Put or
  // KeepOnly.
  const Entry* Find(const std::string& path);
  void Put(const std::string& path, Entry entry);
  // Forgets files that are gone.
  void KeepOnly(const std::set<std::string>& paths);

  // Writes everything beside the file and renames it over; does nothing when nothing changed, and
  // when somebody else is writing. Failures are not told: the next process works it out anew.
  void Save();
  // Saves when much has changed since the last time.
  void SaveIfMuchChanged();

  size_t size() const { return entries_.size(); }
  int64_t NowNs() const;

  // The form on disk. Load gives nothing for what is not whole. Payloads view `bytes`.
  static std::string Serialize(const std::map<std::string, Entry>& entries, uint32_t version,
                               size_t max_bytes);
  static std::optional<std::map<std::string, Entry>> Parse(
      const std::shared_ptr<const std::string>& bytes, uint32_t version);

 private:
  const Options options_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, Entry>::const_iterator next_;  // behind the one found last
  size_t changes_ = 0;                                 // since it was loaded or saved
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_FILE_CACHE_H_
