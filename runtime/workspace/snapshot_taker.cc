// The walk behind SnapshotTaker::Take. Two threads take jobs from one stack: a folder to list, or a
// batch of files of one folder to read. Everything is opened relative to the descriptor of its
// folder and without following symlinks, so a folder swapped for a symlink meanwhile leads nowhere.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"
#include "runtime/workspace/file_time.h"
#include "runtime/workspace/snapshot.h"
#include "runtime/workspace/snapshot_data.h"

namespace stile {
namespace {

constexpr size_t kReadBytes = 256 << 10;
constexpr size_t kFilesPerBatch = 32;
constexpr uint64_t kMaxHashedBytes = uint64_t{1} << 30;
constexpr int kMaxSwaps = 3;  // how often a file may change its kind under our hands

struct Folder {
  explicit Folder(int descriptor) : fd(descriptor) {}
  ~Folder() { close(fd); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const int fd;
};

struct FileToRead {
  std::string path;
  size_t previous;  // its index in the previous snapshot, or PathIndex::kNone
};

struct Job {
  std::shared_ptr<const Folder> parent;
  // A folder to list…
  std::string path;           // relative to the workspace, "" for the root
  bool tracked_only = false;  // lies in an ignored folder
  // …or files in `parent` to read.
  std::vector<FileToRead> files;
};

FileRecord RecordOf(std::string path, const struct stat& info) {
  FileRecord record;
  record.path = std::move(path);
  record.kind = S_ISREG(info.st_mode)   ? FileRecord::Kind::kRegular
                : S_ISLNK(info.st_mode) ? FileRecord::Kind::kSymlink
                                        : FileRecord::Kind::kSpecial;
  record.mode = info.st_mode;
  record.size = static_cast<uint64_t>(info.st_size);
  record.mtime_ns = Nanoseconds(info.st_mtim);
  record.ctime_ns = Nanoseconds(info.st_ctim);
  record.inode = info.st_ino;
  return record;
}

bool SameStat(const FileRecord& record, const struct stat& info) {
  return record.mode == info.st_mode && record.size == static_cast<uint64_t>(info.st_size) &&
         record.mtime_ns == Nanoseconds(info.st_mtim) &&
         record.ctime_ns == Nanoseconds(info.st_ctim) && record.inode == info.st_ino;
}

const char* NameIn(const std::string& path) {
  const size_t slash = path.rfind('/');
  return path.c_str() + (slash == std::string::npos ? 0 : slash + 1);
}

// One thing: the state of one walk over the folders.
class Walk {
 public:
  // `known_to_pass`: what `previous` holds has passed these very rules.
  Walk(const std::string& root, const IgnoreRules& rules, const Snapshot& previous,
       const PathIndex* index, bool known_to_pass)
      : root_(root),
        rules_(rules),
        previous_(previous),
        index_(index),
        known_to_pass_(known_to_pass),
        unchanged_(previous.files().size()) {}

  absl::Status Run() {
    Push(Job{});
    std::vector<FileRecord> helper_fresh;
    std::thread helper =
        TryStartThread([this, &helper_fresh] { helper_fresh = Worker(this).Run(); });
    fresh_ = Worker(this).Run();
    if (helper.joinable()) helper.join();
    STILE_RETURN_IF_ERROR(status_);
    fresh_.insert(fresh_.end(), std::make_move_iterator(helper_fresh.begin()),
                  std::make_move_iterator(helper_fresh.end()));
    std::sort(fresh_.begin(), fresh_.end(),
              [](const FileRecord& a, const FileRecord& b) { return a.path < b.path; });
    return absl::OkStatus();
  }

  bool NothingChanged() const {
    return fresh_.empty() && std::find(unchanged_.begin(), unchanged_.end(), 0) == unchanged_.end();
  }

  // The new and changed records and the unchanged old ones, in order.
  std::vector<FileRecord> TakeRecords() {
    std::vector<FileRecord> records;
    records.reserve(fresh_.size() + unchanged_.size());
    auto fresh = fresh_.begin();
    for (size_t i = 0; i < unchanged_.size(); ++i) {
      if (unchanged_[i] == 0) continue;
      const FileRecord& old = previous_.files()[i];
      while (fresh != fresh_.end() && fresh->path < old.path)
        records.push_back(std::move(*fresh++));
      records.push_back(old);
    }
    std::move(fresh, fresh_.end(), std::back_inserter(records));
    return records;
  }

 private:
  class Worker {
   public:
    explicit Worker(Walk* walk) : walk_(*walk) {}

    std::vector<FileRecord> Run() {
      while (std::optional<Job> job = walk_.Pop()) {
        absl::Status status = job->files.empty() ? List(*job) : Read(*job);
        job.reset();  // closes the folder before the walk can count as done
        walk_.Finished(std::move(status));
      }
      return std::move(fresh_);
    }

   private:
    absl::Status List(const Job& job) {
      const int fd = job.parent == nullptr
                         ? open(walk_.root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                         : openat(job.parent->fd, NameIn(job.path),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
      if (fd < 0) {
        const int error = errno;
        // Gone, or no folder any more: what took its place was not there when its parent was
        // listed.
        const bool vanished = error == ENOENT || error == ENOTDIR || error == ELOOP;
        if (job.parent != nullptr && vanished) return absl::OkStatus();
        return walk_.Error(error, "list", job.path);
      }
      const auto folder = std::make_shared<const Folder>(fd);
      const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(dup(fd)), closedir);
      if (stream == nullptr) return walk_.Error(errno, "list", job.path);
      Job batch{folder, job.path, job.tracked_only, {}};
      std::string path = job.path.empty() ? "" : absl::StrCat(job.path, "/");
      const size_t prefix = path.size();
      while (true) {
        errno = 0;
        const dirent* entry = readdir(stream.get());
        if (entry == nullptr) break;
        const absl::string_view name = entry->d_name;
        if (name == "." || name == ".." || name == ".git") continue;
        path.resize(prefix);
        path.append(name.data(), name.size());
        STILE_RETURN_IF_ERROR(Entry(folder, job, entry->d_type, path, &batch));
        if (batch.files.size() == kFilesPerBatch) {
          walk_.Push(batch);
          batch.files.clear();
        }
      }
      if (errno != 0) return walk_.Error(errno, "list", job.path);
      // The last batch is read at once: for most folders it is the only one.
      return Read(batch);
    }

    absl::Status Entry(const std::shared_ptr<const Folder>& folder, const Job& job,
                       unsigned char type, const std::string& path, Job* batch) {
      struct stat info {};
      if (type != DT_DIR) {
        if (fstatat(folder->fd, NameIn(path), &info, AT_SYMLINK_NOFOLLOW) != 0) {
          return errno == ENOENT ? absl::OkStatus() : walk_.Error(errno, "look up", path);
        }
      }
      if (type == DT_DIR || S_ISDIR(info.st_mode)) {
        const bool ignored = job.tracked_only || walk_.rules_.Matches(path, /*is_folder=*/true);
        if (!ignored || walk_.rules_.HasTrackedBelow(path)) {
          walk_.Push(Job{folder, path, ignored, {}});
        }
        return absl::OkStatus();
      }
      const size_t index = walk_.index_ == nullptr ? PathIndex::kNone : walk_.index_->Find(path);
      const bool known = index != PathIndex::kNone && walk_.known_to_pass_;
      if (!known && (job.tracked_only || walk_.rules_.Matches(path, /*is_folder=*/false)) &&
          !walk_.rules_.IsTracked(path)) {
        return absl::OkStatus();
      }
      if (index != PathIndex::kNone) {
        const FileRecord& old = walk_.previous_.files()[index];
        const int64_t moment_ns = walk_.previous_.taken_at_ns();
        if (SameStat(old, info) && SafelyBefore(old.mtime_ns, moment_ns) &&
            SafelyBefore(old.ctime_ns, moment_ns)) {
          walk_.unchanged_[index] = 1;
          return absl::OkStatus();
        }
      }
      batch->files.push_back({path, index});
      return absl::OkStatus();
    }

    absl::Status Read(const Job& job) {
      for (const FileToRead& file : job.files) {
        STILE_ASSIGN_OR_RETURN(std::optional<FileRecord> record,
                               ReadOne(job.parent->fd, file.path));
        if (!record.has_value()) continue;
        if (file.previous != PathIndex::kNone &&
            Equal(walk_.previous_.files()[file.previous], *record)) {
          walk_.unchanged_[file.previous] = 1;
        } else {
          fresh_.push_back(*std::move(record));
        }
      }
      return absl::OkStatus();
    }

    static bool Equal(const FileRecord& a, const FileRecord& b) {
      return a.hash == b.hash && a.kind == b.kind && a.mode == b.mode && a.size == b.size &&
             a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns && a.inode == b.inode;
    }

    // nullopt when it vanished, or is a folder now.
    absl::StatusOr<std::optional<FileRecord>> ReadOne(int folder, const std::string& path) {
      const char* name = NameIn(path);
      for (int swaps = 0; swaps < kMaxSwaps; ++swaps) {
        struct stat info {};
        if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
          if (errno == ENOENT) return std::nullopt;
          return walk_.Error(errno, "look up", path);
        }
        if (S_ISDIR(info.st_mode)) return std::nullopt;
        if (S_ISLNK(info.st_mode)) {
          char target[PATH_MAX];
          const ssize_t size = readlinkat(folder, name, target, sizeof(target));
          if (size < 0) {
            if (errno == EINVAL || errno == ENOENT) continue;
            return walk_.Error(errno, "read link", path);
          }
          FileRecord record = RecordOf(path, info);
          sha256_.Update(absl::string_view(target, static_cast<size_t>(size)));
          record.hash = sha256_.Finish();
          return record;
        }
        if (!S_ISREG(info.st_mode)) {
          FileRecord record = RecordOf(path, info);
          record.hash = sha256_.Finish();
          return record;
        }
        const int fd =
            openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd < 0) {
          if (errno == ENOENT || errno == ELOOP || errno == ENXIO) continue;
          return walk_.Error(errno, "read", path);
        }
        const Folder closer(fd);
        // The stat before the reading: a change during it then shows as a newer stat next time.
        if (fstat(fd, &info) != 0) return walk_.Error(errno, "read", path);
        if (!S_ISREG(info.st_mode)) continue;
        FileRecord record = RecordOf(path, info);
        if (record.size > kMaxHashedBytes) {
          HashStat(&record);
        } else {
          STILE_RETURN_IF_ERROR(HashContent(fd, &record));
        }
        return record;
      }
      return absl::AbortedError(absl::StrCat(ToUtf8(path), " keeps changing its kind"));
    }

    // A file of this size is no code: what its inode says stands for its content. (A sparse one can
    // pretend to any size, and hashing it would never end.)
    void HashStat(FileRecord* record) {
      sha256_.Update(absl::StrCat("size ", record->size, " mtime ", record->mtime_ns, " ctime ",
                                  record->ctime_ns, " inode ", record->inode));
      record->hash = sha256_.Finish();
    }

    absl::Status HashContent(int fd, FileRecord* record) {
      if (buffer_.empty()) buffer_.resize(kReadBytes);
      while (true) {
        const ssize_t size = read(fd, buffer_.data(), buffer_.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) {
          const int error = errno;
          sha256_.Finish();
          return walk_.Error(error, "read", record->path);
        }
        if (size == 0) break;
        sha256_.Update(absl::string_view(buffer_.data(), static_cast<size_t>(size)));
        if (walk_.failed_.load(std::memory_order_relaxed)) break;  // the result is thrown away
      }
      record->hash = sha256_.Finish();
      return absl::OkStatus();
    }

    Walk& walk_;
    std::vector<FileRecord> fresh_;
    std::vector<char> buffer_;
    Sha256 sha256_;
  };

  void Push(Job job) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push_back(std::move(job));
      ++unfinished_;
    }
    wake_.notify_one();
  }

  // Waits for a job. nullopt when the walk is over or has failed.
  std::optional<Job> Pop() {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [this] { return !jobs_.empty() || unfinished_ == 0 || !status_.ok(); });
    if (jobs_.empty() || !status_.ok()) return std::nullopt;
    Job job = std::move(jobs_.back());
    jobs_.pop_back();
    return job;
  }

  void Finished(absl::Status status) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      --unfinished_;
      if (!status.ok() && status_.ok()) {
        status_ = std::move(status);
        failed_ = true;
      }
      if (unfinished_ > 0 && status_.ok()) return;
    }
    wake_.notify_all();
  }

  absl::Status Error(int error_number, absl::string_view action, absl::string_view path) const {
    return ErrnoStatus(error_number, action, ToUtf8(path.empty() ? root_ : std::string(path)));
  }

  const std::string& root_;
  const IgnoreRules& rules_;
  const Snapshot& previous_;
  const PathIndex* const index_;
  const bool known_to_pass_;
  std::vector<uint8_t> unchanged_;  // per previous record; each path is met by one worker only
  std::vector<FileRecord> fresh_;
  std::atomic<bool> failed_{false};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job> jobs_;
  size_t unfinished_ = 0;
  absl::Status status_;
};

}  // namespace

SnapshotTaker::SnapshotTaker(std::string root, IgnoreRules rules, Clock* clock)
    : root_(std::move(root)), rules_(std::move(rules)), clock_(clock) {}

SnapshotTaker::~SnapshotTaker() = default;

absl::StatusOr<Snapshot> SnapshotTaker::Take(const Snapshot& previous) {
  const int64_t now_ns = absl::ToUnixNanos(clock_->Now());
  const PathIndex* index = previous.data_ == nullptr ? nullptr : &previous.data_->Index();
  Walk walk(root_, rules_, previous, index, previous.data_ == last_.data_);
  STILE_RETURN_IF_ERROR(walk.Run());
  if (previous.data_ != nullptr && walk.NothingChanged()) {
    last_ = previous;
    last_.taken_at_ns_ = now_ns;
  } else {
    last_ = Snapshot(walk.TakeRecords(), now_ns);
  }
  return last_;
}

}  // namespace stile
