#include "tools/index/file_reading.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <vector>

#include "runtime/base/threads.h"
#include "runtime/workspace/file_time.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr int kThreads = 2;

}  // namespace

bool SeenFile::IsOf(const DiskStamp& now) const {
  return stamp == now && SafelyBefore(now.mtime_ns, looked_at_ns) &&
         SafelyBefore(now.ctime_ns, looked_at_ns);
}

bool CurrentStamp(const std::string& workspace, const ListedFile& file, DiskStamp* stamp) {
  if (!file.stamp.has_value()) return DiskStampOf(JoinPath(workspace, file.path), stamp);
  *stamp = *file.stamp;
  return true;
}

bool ReadRegularFile(const std::string& path, size_t max_bytes, std::string* text,
                     DiskStamp* stamp) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return false;
  struct stat info {};
  bool whole = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
               static_cast<uint64_t>(info.st_size) <= max_bytes;
  if (whole && stamp != nullptr) *stamp = DiskStampOf(info);
  if (whole) {
    text->resize(static_cast<size_t>(info.st_size) + 1);
    size_t size = 0;
    ssize_t got = 0;
    while (size < text->size() && (got = read(fd, text->data() + size, text->size() - size)) > 0) {
      size += static_cast<size_t>(got);
    }
    // One that grew meanwhile is cut; whoever asks next sees the rest.
    text->resize(std::min(size, static_cast<size_t>(info.st_size)));
    whole = got >= 0;
  }
  close(fd);
  return whole;
}

void InParallel(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto worker = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) work(i);
  };
  std::vector<std::future<void>> others;
  for (int i = 1; i < kThreads; ++i) others.push_back(std::async(kAsyncIfPossible, worker));
  worker();
  for (std::future<void>& other : others) other.get();
}

}  // namespace stile
