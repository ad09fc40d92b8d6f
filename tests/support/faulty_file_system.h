#ifndef STILE_TESTS_SUPPORT_FAULTY_FILE_SYSTEM_H_
#define STILE_TESTS_SUPPORT_FAULTY_FILE_SYSTEM_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// Lets the first operations through. The one after them fails; what follows works (a full disk),
// or, with `dead`, does nothing any more and says it did (the process was killed there).
class FaultyFileSystem : public FileSystem {
 public:
  FaultyFileSystem(int good_operations, bool dead) : left_(good_operations), dead_(dead) {}
  bool tripped() const { return tripped_; }

  absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) override {
    return DiskFileSystem()->ReadFile(path, max_bytes);
  }
  absl::Status WriteFile(const std::string& path, absl::string_view bytes, int mode,
                         bool sync) override {
    return Do([&] { return DiskFileSystem()->WriteFile(path, bytes, mode, sync); },
              [&] {  // half of it arrives
                DiskFileSystem()
                    ->WriteFile(path, bytes.substr(0, bytes.size() / 2), mode, sync)
                    .IgnoreError();
              });
  }
  absl::Status AppendFile(const std::string& path, absl::string_view bytes, bool sync) override {
    return Do([&] { return DiskFileSystem()->AppendFile(path, bytes, sync); });
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    return Do([&] { return DiskFileSystem()->Rename(from, to); });
  }
  absl::Status RemoveFile(const std::string& path) override {
    return Do([&] { return DiskFileSystem()->RemoveFile(path); });
  }
  absl::Status MakeDirs(const std::string& path) override {
    return Do([&] { return DiskFileSystem()->MakeDirs(path); });
  }
  absl::Status RemoveDir(const std::string& path) override {
    return Do([&] { return DiskFileSystem()->RemoveDir(path); });
  }
  absl::Status SyncDir(const std::string& path) override {
    return Do([&] { return DiskFileSystem()->SyncDir(path); });
  }

 private:
  absl::Status Do(
      const std::function<absl::Status()>& operation, const std::function<void()>& half = [] {}) {
    if (tripped_ && dead_) return absl::OkStatus();
    if (tripped_ || left_-- > 0) return operation();
    tripped_ = true;
    half();
    return dead_ ? absl::OkStatus() : absl::ResourceExhaustedError("no space left on device");
  }

  int left_;
  bool dead_;
  bool tripped_ = false;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_FAULTY_FILE_SYSTEM_H_
