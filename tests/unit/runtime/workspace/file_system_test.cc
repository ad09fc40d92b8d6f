#include "runtime/workspace/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "runtime/workspace/blob_store.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FileSystemTest : public ::testing::Test {
 protected:
  TempDir dir_;
  FileSystem* fs_ = DiskFileSystem();
};

TEST_F(FileSystemTest, ReadsWhatItWrites) {
  const std::string bytes("a\0\xff\n", 4);
  ASSERT_TRUE(fs_->WriteFile(dir_.Path("f"), bytes, 0600, true).ok());
  EXPECT_EQ(*fs_->ReadFile(dir_.Path("f"), 4), bytes);
  ASSERT_TRUE(fs_->AppendFile(dir_.Path("f"), "b", false).ok());
  EXPECT_EQ(*fs_->ReadFile(dir_.Path("f"), 100), bytes + "b");
  ASSERT_TRUE(fs_->WriteFile(dir_.Path("f"), "", 0755, false).ok());
  EXPECT_EQ(*fs_->ReadFile(dir_.Path("f"), 0), "");
  struct stat info {};
  ASSERT_EQ(stat(dir_.Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_THAT(*fs_->ReadFile("/proc/self/status", 1 << 20), HasSubstr("Name:"));
}

TEST_F(FileSystemTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(dir_.Path("fifo").c_str(), 0600), 0);
  for (const std::string& path : {dir_.Path("fifo"), dir_.path(), std::string("/dev/null")}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(fs_->ReadFile(path, 10).status())) << path;
    EXPECT_TRUE(absl::IsFailedPrecondition(fs_->WriteFile(path, "x", 0600, false))) << path;
    EXPECT_TRUE(absl::IsFailedPrecondition(fs_->AppendFile(path, "x", false))) << path;
  }
}

TEST_F(FileSystemTest, ErrorsCarryTheirKindAndThePath) {
  dir_.Write("f", "12345");
  EXPECT_TRUE(absl::IsResourceExhausted(fs_->ReadFile(dir_.Path("f"), 4).status()));
  const auto missing = fs_->ReadFile(dir_.Path("missing"), 4).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("/missing"));
  EXPECT_TRUE(absl::IsNotFound(fs_->RemoveFile(dir_.Path("missing"))));
  EXPECT_TRUE(absl::IsNotFound(fs_->Rename(dir_.Path("missing"), dir_.Path("x"))));
  EXPECT_FALSE(fs_->WriteFile(dir_.Path("no/folder"), "", 0600, false).ok());
  EXPECT_FALSE(fs_->MakeDirs(dir_.Path("f/below")).ok());
  EXPECT_FALSE(fs_->MakeDirs(dir_.Path("f")).ok());
  EXPECT_FALSE(fs_->SyncDir(dir_.Path("missing")).ok());
}

TEST_F(FileSystemTest, MakesListsAndRemovesFolders) {
  ASSERT_TRUE(fs_->MakeDirs(dir_.Path("a/b/c")).ok());
  ASSERT_TRUE(fs_->MakeDirs(dir_.Path("a/b/c")).ok());
  dir_.Write("a/z", "");
  dir_.Write("a/\xff", "");
  EXPECT_THAT(*ListDirectory(dir_.Path("a")), ElementsAre("b", "z", "\xff"));
  EXPECT_FALSE(fs_->RemoveDir(dir_.Path("a")).ok());
  EXPECT_TRUE(fs_->RemoveDir(dir_.Path("a/b/c")).ok());
  EXPECT_TRUE(fs_->SyncDir(dir_.Path("a")).ok());
  EXPECT_TRUE(absl::IsNotFound(ListDirectory(dir_.Path("missing")).status()));
}

TEST_F(FileSystemTest, ReplacesAFileAtomically) {
  dir_.Write("f", "old");
  ASSERT_TRUE(WriteFileAtomically(fs_, dir_.Path("f"), "new").ok());
  EXPECT_EQ(dir_.Read("f"), "new");
  EXPECT_FALSE(WriteFileAtomically(fs_, dir_.Path("missing/f"), "new").ok());
  dir_.MakeDir("folder");
  EXPECT_FALSE(WriteFileAtomically(fs_, dir_.Path("folder"), "new").ok());
  EXPECT_THAT(*ListDirectory(dir_.path()), ElementsAre("f", "folder"));
}

TEST_F(FileSystemTest, RemovesTreesWithoutFollowingSymlinks) {
  TempDir outside;
  outside.Write("kept", "x");
  dir_.Write("tree/a/b", "x");
  ASSERT_EQ(symlink(outside.path().c_str(), dir_.Path("tree/link").c_str()), 0);
  ASSERT_EQ(chmod(dir_.Path("tree/a").c_str(), 0500), 0);
  ASSERT_TRUE(RemoveTree(dir_.Path("tree")).ok());
  EXPECT_FALSE(dir_.Exists("tree"));
  EXPECT_TRUE(outside.Exists("kept"));
  EXPECT_TRUE(RemoveTree(dir_.Path("tree")).ok());
}

TEST_F(FileSystemTest, ExistenceLooksAtTheNameItself) {
  ASSERT_EQ(symlink("nowhere", dir_.Path("dangling").c_str()), 0);
  ASSERT_EQ(symlink(".", dir_.Path("dot").c_str()), 0);
  EXPECT_TRUE(FileExists(dir_.Path("dangling")));
  EXPECT_FALSE(FileExists(dir_.Path("missing")));
  EXPECT_TRUE(DirectoryExists(dir_.Path("dot")));
  EXPECT_FALSE(DirectoryExists(dir_.Path("dangling")));
}

TEST_F(FileSystemTest, BlobsAreStoredByContent) {
  BlobStore store(fs_, dir_.Path("blobs"));
  const std::string bytes("x\0y", 3);
  EXPECT_FALSE(store.Has(Sha256Of(bytes)));
  EXPECT_TRUE(absl::IsNotFound(store.Get(Sha256Of(bytes)).status()));
  EXPECT_EQ(*store.Put(bytes), Sha256Of(bytes));
  EXPECT_EQ(*store.Put(bytes), Sha256Of(bytes));
  EXPECT_TRUE(store.Has(Sha256Of(bytes)));
  EXPECT_EQ(*store.Get(Sha256Of(bytes)), bytes);
  EXPECT_EQ(*store.Get(*store.Put("")), "");
}

TEST_F(FileSystemTest, ADamagedBlobIsNoticedAndReplaced) {
  BlobStore store(fs_, dir_.Path("blobs"));
  const Sha256Digest hash = *store.Put("content");
  const std::string hex = ToHex(hash);
  dir_.Write(absl::StrCat("blobs/", hex.substr(0, 2), "/", hex.substr(2)), "conten");
  EXPECT_TRUE(absl::IsDataLoss(store.Get(hash).status()));
  ASSERT_TRUE(store.Put("content").ok());
  EXPECT_EQ(*store.Get(hash), "content");
}

TEST_F(FileSystemTest, BlobsCanBeStoredFromSeveralThreads) {
  BlobStore store(fs_, dir_.Path("blobs"));
  std::vector<std::thread> threads;
  std::vector<int> failures(3);
  for (size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&store, &failures, t] {
      for (int i = 0; i < 20; ++i) {
        const auto hash = store.Put(absl::StrCat(i));
        if (!hash.ok() || !store.Get(*hash).ok()) ++failures[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace stile
