#include "runtime/git/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <future>

#include "absl/strings/str_cat.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RepositoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Git({"init", "-q", "-b", "main", dir_.path()});
    Git({"-C", dir_.path(), "config", "user.name", "Test"});
    Git({"-C", dir_.path(), "config", "user.email", "test@example.com"});
  }

  void Git(std::vector<std::string> arguments) {
    ProcessRequest request;
    request.argv = {"git"};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.env = InheritedEnvironment();
    const auto result = runner_->Run(request);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_TRUE(result->ok()) << result->err;
  }

  Repository Open() {
    auto repository = Repository::Open(runner_.get(), dir_.path());
    EXPECT_TRUE(repository.ok()) << repository.status();
    return *repository;
  }

  std::vector<std::string> StatusLines(const Repository& repository) {
    std::vector<std::string> lines;
    const auto status = repository.Status();
    EXPECT_TRUE(status.ok()) << status.status();
    for (const auto& entry : status->entries)
      lines.push_back(absl::StrCat(entry.code, " ", entry.path));
    return lines;
  }

  std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  TempDir dir_;
};

TEST_F(RepositoryTest, AStagedFileThatHasChangedSinceIsNoObstacleToACommit) {
  const Repository repository = Open();
  dir_.Write("a", "1\n");
  ASSERT_TRUE(repository.Commit({"a"}, "First").ok());
  dir_.Write("staged", "1\n");
  Git({"-C", dir_.path(), "add", "staged"});
  dir_.Write("staged", "longer\n");
  dir_.Write("a", "2\n");
  const auto commit = repository.Commit({"a"}, "Second");
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_THAT(StatusLines(repository), ElementsAre("AM staged"));
  ASSERT_TRUE(repository.Commit({"staged"}, "Third").ok());
  EXPECT_THAT(StatusLines(repository), IsEmpty());
}

TEST_F(RepositoryTest, ProgramsThatARepositoryNamesDoNotRun) {
  dir_.Write("evil.sh", "#!/bin/sh\ntouch \"$(dirname $0)/ran\"\n");
  ASSERT_EQ(chmod(dir_.Path("evil.sh").c_str(), 0755), 0);
  Git({"-C", dir_.path(), "config", "core.fsmonitor", dir_.Path("evil.sh")});
  dir_.Write(".git/hooks/post-index-change", "#!/bin/sh\ntouch ran\n");
  ASSERT_EQ(chmod(dir_.Path(".git/hooks/post-index-change").c_str(), 0755), 0);
  const Repository repository = Open();
  EXPECT_TRUE(repository.Status().ok());
  EXPECT_TRUE(repository.Diff({}, false).ok());
  EXPECT_TRUE(repository.Run({"update-index", "--refresh", "-q"}).ok());
  EXPECT_FALSE(dir_.Exists("ran"));
}

TEST_F(RepositoryTest, FiltersAndHooksRunBehindTheWrapper) {
  dir_.Write("filter.sh", "#!/bin/sh\necho \"$1,$WRAPPED\" >>\"$(dirname \"$0\")/ran\"\ncat\n");
  ASSERT_EQ(chmod(dir_.Path("filter.sh").c_str(), 0755), 0);
  dir_.Write(".git/hooks/pre-commit", "#!/bin/sh\necho \"hook,$WRAPPED\" >>ran\n");
  ASSERT_EQ(chmod(dir_.Path(".git/hooks/pre-commit").c_str(), 0755), 0);
  Git({"-C", dir_.path(), "config", "filter.own.clean", "./filter.sh %f | cat # 100%% it's"});
  dir_.Write(".gitattributes", "*.txt filter=own\n");
  dir_.Write("a b'c.txt", "text");
  const auto repository =
      Repository::Open(runner_.get(), dir_.path(), [](const Repository& opened) {
        EXPECT_FALSE(opened.git_dir().empty());
        return std::vector<std::string>{"env", "WRAPPED=it's 100%f"};
      });
  ASSERT_TRUE(repository.ok());
  const auto commit = repository->Commit({"a b'c.txt", ".gitattributes"}, "First");
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_EQ(*repository->Show(*commit, "a b'c.txt"), "text");
  const std::string ran = dir_.Read("ran");
  EXPECT_THAT(ran, HasSubstr("a b'c.txt,it's 100%f\n"));
  EXPECT_THAT(ran, HasSubstr("hook,it's 100%f\n"));
  EXPECT_THAT(ran, Not(HasSubstr(",\n")));
}

TEST_F(RepositoryTest, ARepositoryDoesNotNameWhatSigns) {
  Git({"-C", dir_.path(), "config", "commit.gpgSign", "true"});
  Git({"-C", dir_.path(), "config", "gpg.program", dir_.Path("evil.sh")});
  dir_.Write("a", "text");
  const auto repository = Repository::Open(runner_.get(), dir_.path(), [](const Repository&) {
    return std::vector<std::string>{"env"};
  });
  ASSERT_TRUE(repository.ok());
  EXPECT_THAT(std::string(repository->Commit({"a"}, "First").status().message()),
              HasSubstr("(gpg.program)"));
}

TEST_F(RepositoryTest, AFifoWithRulesDoesNotHoldUpACancelledLook) {
  ASSERT_EQ(mkfifo(dir_.Path(".gitignore").c_str(), 0600), 0);
  Cancellation stop;
  stop.Cancel();
  EXPECT_FALSE(Open().Status(&stop).ok());
}

TEST_F(RepositoryTest, AStatusNamesTheCommitThatItComparedWith) {
  const Repository repository = Open();
  EXPECT_EQ(repository.Status()->commit, "");
  EXPECT_EQ(repository.Status()->branch, "main");
  dir_.Write("a", "text");
  const auto commit = Open().Commit({"a"}, "First");
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_EQ(repository.opened_at().commit, "");
  EXPECT_EQ(repository.Status()->commit, *commit);
  Git({"-C", dir_.path(), "switch", "--quiet", "--detach"});
  EXPECT_EQ(repository.Status()->branch, "");
}

TEST_F(RepositoryTest, OpensFromASubfolder) {
  dir_.MakeDir("a/b");
  const auto repository = Repository::Open(runner_.get(), dir_.Path("a/b"));
  ASSERT_TRUE(repository.ok()) << repository.status();
  EXPECT_EQ(repository->root(), dir_.path());
  EXPECT_EQ(repository->git_dir(), dir_.Path(".git"));
}

TEST_F(RepositoryTest, RefusesAFolderOutsideAnyRepository) {
  TempDir outside;
  const auto repository = Repository::Open(runner_.get(), outside.path());
  EXPECT_TRUE(absl::IsFailedPrecondition(repository.status())) << repository.status();
  EXPECT_THAT(std::string(repository.status().message()), HasSubstr("not a git repository"));
}

TEST_F(RepositoryTest, AnswersBeforeTheFirstCommit) {
  const Repository repository = Open();
  dir_.Write("a", "1\n");
  EXPECT_EQ(*repository.Head(), "");
  EXPECT_EQ(*repository.CurrentBranch(), "main");
  EXPECT_FALSE(*repository.BranchExists("main"));
  EXPECT_THAT(*repository.Log(10, {}), IsEmpty());
  EXPECT_THAT(*repository.Branches(), IsEmpty());
  EXPECT_THAT(*repository.TrackedFiles(), IsEmpty());
  EXPECT_THAT(StatusLines(repository), ElementsAre("?? a"));
  ASSERT_TRUE(repository.Run({"add", "a"}).ok());
  const auto diff = repository.Diff({}, /*staged=*/true);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("+1"));
  const auto commit = repository.Commit({"a"}, "First");
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_EQ(*repository.Head(), *commit);
  EXPECT_THAT(StatusLines(repository), IsEmpty());
}

TEST_F(RepositoryTest, CreatesABranchBeforeTheFirstCommit) {
  const Repository repository = Open();
  const auto status = repository.CreateBranch("topic");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(*repository.CurrentBranch(), "topic");
}

TEST_F(RepositoryTest, CommitsExactlyTheGivenPaths) {
  const Repository repository = Open();
  for (const char* name : {"changed", "deleted", "staged", "other", "file"}) dir_.Write(name, "1");
  ASSERT_TRUE(repository.Commit({"changed", "deleted", "staged", "other", "file"}, "First").ok());
  dir_.Write("changed", "2");
  dir_.Write("staged", "2");
  dir_.Write("other", "2");
  dir_.Write("new/inside", "new");
  dir_.Write(".gitignore", "ignored\n");
  dir_.Write("ignored", "but asked for");
  ASSERT_EQ(unlink(dir_.Path("deleted").c_str()), 0);
  ASSERT_EQ(unlink(dir_.Path("file").c_str()), 0);
  dir_.Write("file/now-a-folder", "x");
  ASSERT_TRUE(repository.Run({"add", "staged"}).ok());

  const auto commit =
      repository.Commit({"changed", "deleted", "new/inside", "ignored", "never-existed", "file"},
                        "Second\n\n# kept: not a comment\n");
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_THAT(StatusLines(repository),
              ElementsAre(" M other", "M  staged", "?? .gitignore", "?? file/now-a-folder"));
  EXPECT_EQ(*repository.Show("HEAD", "changed"), "2");
  EXPECT_EQ(*repository.Show("HEAD", "staged"), "1");
  EXPECT_EQ(*repository.Show("HEAD", "ignored"), "but asked for");
  EXPECT_TRUE(absl::IsNotFound(repository.Show("HEAD", "deleted").status()));
  EXPECT_TRUE(absl::IsNotFound(repository.Show("HEAD", "file").status()));
  EXPECT_THAT(*repository.Run({"log", "-1", "--format=%B"}), HasSubstr("# kept"));
}

TEST_F(RepositoryTest, CommitsNamesOfAnyBytes) {
  const Repository repository = Open();
  const std::vector<std::string> names = {"a b", "c\nd", "e\"f", "g\xff", "*", ":(glob)h", "-i"};
  for (const std::string& name : names) dir_.Write(name, "x");
  dir_.Write("kept out", "x");
  const auto commit = repository.Commit(names, "Odd names");
  ASSERT_TRUE(commit.ok()) << commit.status();
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(*repository.TrackedFiles(), sorted);
  EXPECT_THAT(StatusLines(repository), ElementsAre("?? kept out"));
}

TEST_F(RepositoryTest, RefusesToCommitNothing) {
  const Repository repository = Open();
  dir_.Write("a", "1");
  ASSERT_TRUE(repository.Commit({"a"}, "First").ok());
  const auto commit = repository.Commit({"a"}, "Again");
  EXPECT_TRUE(absl::IsFailedPrecondition(commit.status())) << commit.status();
  EXPECT_THAT(std::string(commit.status().message()), HasSubstr("nothing to commit"));
}

TEST_F(RepositoryTest, AHookThatRefusesLeavesTheIndexAlone) {
  const Repository repository = Open();
  dir_.Write(".git/hooks/pre-commit", "#!/bin/sh\necho the hook says no >&2\nexit 1\n");
  ASSERT_EQ(chmod(dir_.Path(".git/hooks/pre-commit").c_str(), 0755), 0);
  dir_.Write("a", "1");
  const auto commit = repository.Commit({"a"}, "First");
  EXPECT_THAT(std::string(commit.status().message()), HasSubstr("the hook says no"));
  EXPECT_THAT(StatusLines(repository), ElementsAre("?? a"));
  const auto files = repository.Run({"ls-files"});
  EXPECT_EQ(*files, "");
}

TEST_F(RepositoryTest, ACommitStandsThoughTheIndexIsInUse) {
  const Repository repository = Open();
  dir_.Write(".git/hooks/post-commit", "#!/bin/sh\ntouch .git/index.lock\n");
  ASSERT_EQ(chmod(dir_.Path(".git/hooks/post-commit").c_str(), 0755), 0);
  dir_.Write("a", "1");
  const auto commit = repository.Commit({"a"}, "First");
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_EQ(*commit, *repository.Head());
  EXPECT_EQ(*repository.Show("HEAD", "a"), "1");
}

TEST_F(RepositoryTest, RefusesToCommitDuringAMerge) {
  const Repository repository = Open();
  dir_.Write("a", "1");
  const auto first = repository.Commit({"a"}, "First");
  dir_.Write(".git/MERGE_HEAD", *first + "\n");
  dir_.Write("a", "2");
  EXPECT_TRUE(absl::IsFailedPrecondition(repository.Commit({"a"}, "No").status()));
}

TEST_F(RepositoryTest, ListsCommitsNewestFirst) {
  const Repository repository = Open();
  dir_.Write("a", "1");
  const auto first = repository.Commit({"a"}, "First \xc3\xa4\n\nBody");
  dir_.Write("b", "1");
  const auto second = repository.Commit({"b"}, "Second");
  const auto log = repository.Log(10, {});
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_EQ(log->size(), 2u);
  EXPECT_EQ((*log)[0].id, *second);
  EXPECT_EQ((*log)[1].id, *first);
  EXPECT_EQ((*log)[1].subject, "First \xc3\xa4");
  EXPECT_EQ((*log)[1].author, "Test");
  EXPECT_THAT((*log)[1].time, HasSubstr("T"));
  EXPECT_EQ(repository.Log(10, {"a"})->size(), 1u);
  EXPECT_EQ(repository.Log(1, {})->size(), 1u);
}

TEST_F(RepositoryTest, SwitchesBetweenBranches) {
  const Repository repository = Open();
  dir_.Write("a", "1");
  const auto first = repository.Commit({"a"}, "First");
  ASSERT_TRUE(repository.CreateBranch("topic/one").ok());
  EXPECT_EQ(*repository.CurrentBranch(), "topic/one");
  EXPECT_TRUE(*repository.BranchExists("topic/one"));
  EXPECT_THAT(*repository.Branches(), ElementsAre("main", "topic/one"));
  ASSERT_TRUE(repository.Switch("main").ok());
  EXPECT_EQ(*repository.CurrentBranch(), "main");
  EXPECT_FALSE(repository.Switch("missing").ok());
  EXPECT_FALSE(repository.Switch("--detach").ok());
  EXPECT_FALSE(repository.CreateBranch("main").ok());
  EXPECT_FALSE(repository.CreateBranch("-d").ok());
  ASSERT_TRUE(repository.Run({"checkout", "-q", *first}).ok());
  EXPECT_EQ(*repository.CurrentBranch(), "");
}

TEST_F(RepositoryTest, DiffsAgainstHead) {
  const Repository repository = Open();
  dir_.Write("a", "old\n");
  dir_.Write("b", "old\n");
  ASSERT_TRUE(repository.Commit({"a", "b"}, "First").ok());
  dir_.Write("a", "new a\n");
  dir_.Write("b", "new b\n");
  ASSERT_TRUE(repository.Run({"add", "a"}).ok());
  EXPECT_THAT(*repository.Diff({}, false), HasSubstr("+new b"));
  EXPECT_THAT(*repository.Diff({}, false), HasSubstr("+new a"));
  EXPECT_THAT(*repository.Diff({"b"}, false), ::testing::Not(HasSubstr("new a")));
  EXPECT_THAT(*repository.Diff({}, true), ::testing::Not(HasSubstr("new b")));
}

TEST_F(RepositoryTest, ShowsOldContent) {
  const Repository repository = Open();
  const std::string bytes("a\0b\r\n\xff", 6);
  dir_.Write("x", bytes);
  const auto first = repository.Commit({"x"}, "First");
  dir_.Write("x", "new");
  EXPECT_EQ(*repository.Show(*first, "x"), bytes);
  EXPECT_TRUE(absl::IsNotFound(repository.Show("HEAD", "missing").status()));
  EXPECT_TRUE(absl::IsNotFound(repository.Show("nonsense", "x").status()));
}

TEST_F(RepositoryTest, WorktreesComeAndGo) {
  const Repository repository = Open();
  dir_.Write("a", "1");
  const auto first = repository.Commit({"a"}, "First");
  TempDir elsewhere;
  const std::string folder = elsewhere.Path("tree");
  auto status = repository.AddWorktree(folder, "topic");
  ASSERT_TRUE(status.ok()) << status;
  const auto worktree = Repository::Open(runner_.get(), folder);
  ASSERT_TRUE(worktree.ok()) << worktree.status();
  EXPECT_EQ(worktree->root(), folder);
  EXPECT_EQ(worktree->git_dir(), dir_.Path(".git/worktrees/tree"));
  EXPECT_EQ(*worktree->CurrentBranch(), "topic");
  elsewhere.Write("tree/b", "2");
  const auto second = worktree->Commit({"b"}, "In the worktree");
  ASSERT_TRUE(second.ok()) << second.status();
  elsewhere.Write("tree/untracked", "x");
  status = repository.RemoveWorktree(folder);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_FALSE(elsewhere.Exists("tree"));
  EXPECT_EQ(*repository.Head(), *first);
  EXPECT_EQ(*repository.Show("topic", "b"), "2");
  // As git leaves one when it is killed in the middle.
  elsewhere.Write("tree/b", "half");
  dir_.Write(".git/worktrees/tree/locked", "initializing");
  dir_.Write(".git/worktrees/tree/gitdir", elsewhere.Path("tree/.git") + "\n");
  ASSERT_TRUE(repository.RemoveWorktree(folder).ok());
  EXPECT_FALSE(elsewhere.Exists("tree"));
  EXPECT_FALSE(dir_.Exists(".git/worktrees/tree"));
  status = repository.AddDetachedWorktree(folder, *second);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(*Repository::Open(runner_.get(), folder)->CurrentBranch(), "");
  EXPECT_EQ(elsewhere.Read("tree/b"), "2");
}

TEST_F(RepositoryTest, ErrorsCarryGitsOwnWords) {
  const auto result = Open().Run({"rev-parse", "--verify", "no-such-thing"});
  EXPECT_TRUE(absl::IsFailedPrecondition(result.status()));
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("Needed a single revision"));
}

TEST_F(RepositoryTest, ReadsTheUsersIgnoreFile) {
  dir_.Write("my-ignores", "*.log\r\n/anchored\n");
  Git({"-C", dir_.path(), "config", "core.excludesFile", dir_.Path("my-ignores")});
  const auto patterns = Open().UserIgnorePatterns();
  ASSERT_TRUE(patterns.ok()) << patterns.status();
  EXPECT_THAT(*patterns, ElementsAre("*.log", "/anchored"));
  Git({"-C", dir_.path(), "config", "core.excludesFile", dir_.Path("missing")});
  EXPECT_THAT(*Open().UserIgnorePatterns(), IsEmpty());
}

TEST_F(RepositoryTest, TellsTheTreeOfAContentWithoutWritingIt) {
  dir_.Write("gone.txt", "1");
  dir_.Write("kept.txt", "2");
  const Repository repository = Open();
  const auto first = repository.Commit({"gone.txt", "kept.txt"}, "start");
  ASSERT_TRUE(first.ok()) << first.status();
  dir_.Write("sub/new.txt", "3");
  dir_.Write("other.txt", "4");
  ASSERT_EQ(unlink(dir_.Path("gone.txt").c_str()), 0);
  const std::string objects = repository.Run({"count-objects", "-v"}).value();
  const auto tree = repository.TreeWith(*first, {"gone.txt", "sub/new.txt"});
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(repository.Run({"count-objects", "-v"}).value(), objects);
  const auto second = repository.Commit({"gone.txt", "sub/new.txt"}, "next");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(repository.Run({"rev-parse", "HEAD^{tree}"}).value(), *tree + "\n");
  // From nothing: the tree of a repository that has no commit yet.
  EXPECT_NE(repository.TreeWith("", {"kept.txt"}).value(), *tree);
  EXPECT_FALSE(repository.TreeWith("no-such-commit", {}).ok());
  // Nothing but the base: its own tree.
  EXPECT_NE(repository.TreeWith(*first, {}).value(), *tree);
  EXPECT_EQ(repository.TreeWith(*first, {}).value(),
            repository.TreeWith(*first, {"kept.txt"}).value());
  EXPECT_FALSE(repository.TreeWith(*first, {"../outside"}).ok());
}

TEST_F(RepositoryTest, KeepsNotesByteForByte) {
  dir_.Write("a.txt", "1");
  const Repository repository = Open();
  const auto commit = repository.Commit({"a.txt"}, "start");
  ASSERT_TRUE(commit.ok()) << commit.status();
  const std::string ref = "refs/notes/test";
  EXPECT_EQ(repository.ReadNote(ref, *commit, 100).value(), std::nullopt);
  const std::string bytes = "\n  {}  \n\n# no comment\n{}\n";
  ASSERT_EQ(repository.AddNote(ref, *commit, bytes), absl::OkStatus());
  EXPECT_EQ(repository.ReadNote(ref, *commit, 100).value(), bytes);
  ASSERT_EQ(repository.AddNote(ref, *commit, "other"), absl::OkStatus());
  EXPECT_EQ(repository.ReadNote(ref, *commit, 100).value(), "other");
  EXPECT_TRUE(absl::IsResourceExhausted(repository.ReadNote(ref, *commit, 4).status()));
}

TEST_F(RepositoryTest, NotesOfTwoAtOnceAreBothKept) {
  const Repository repository = Open();
  std::vector<std::string> commits;
  for (int i = 0; i < 6; ++i) {
    dir_.Write("a.txt", absl::StrCat(i));
    commits.push_back(repository.Commit({"a.txt"}, "next").value());
  }
  std::vector<std::future<absl::Status>> adding;
  for (const std::string& commit : commits) {
    adding.push_back(std::async(std::launch::async, [&repository, commit] {
      return repository.AddNote("refs/notes/stile", commit, "note of " + commit);
    }));
  }
  for (auto& added : adding) EXPECT_TRUE(added.get().ok());
  for (const std::string& commit : commits) {
    EXPECT_EQ(repository.ReadNote("refs/notes/stile", commit, 1000).value(), "note of " + commit);
  }
}

TEST_F(RepositoryTest, DoesNotWriteANoteThroughASymbolicRef) {
  dir_.Write("a.txt", "1");
  const Repository repository = Open();
  const auto commit = repository.Commit({"a.txt"}, "start");
  ASSERT_TRUE(commit.ok()) << commit.status();
  Git({"-C", dir_.path(), "symbolic-ref", "refs/notes/test", "refs/heads/main"});
  EXPECT_TRUE(absl::IsFailedPrecondition(repository.AddNote("refs/notes/test", *commit, "x")));
  EXPECT_EQ(repository.Head().value(), *commit);
}

TEST_F(RepositoryTest, OnlyTheWorkingTreeThatIsMeantIsForgotten) {
  dir_.Write("a.txt", "a");
  Git({"-C", dir_.path(), "add", "-A"});
  Git({"-C", dir_.path(), "commit", "-q", "-m", "start"});
  const Repository repository = Open();
  const TempDir elsewhere;
  ASSERT_TRUE(repository.AddDetachedWorktree(elsewhere.Path("usb"), "HEAD").ok());
  ASSERT_TRUE(repository.AddDetachedWorktree(elsewhere.Path("ours"), "HEAD").ok());
  ASSERT_EQ(rename(elsewhere.Path("usb").c_str(), elsewhere.Path("away").c_str()), 0);
  ASSERT_TRUE(RemoveTree(elsewhere.Path("ours")).ok());
  dir_.Write(".git/worktrees/broken/HEAD", "x");  // git was killed while it made it
  ASSERT_TRUE(repository.RemoveWorktree(elsewhere.Path("ours")).ok());
  ASSERT_TRUE(repository.RemoveWorktree(elsewhere.Path("broken")).ok());
  EXPECT_THAT(ListDirectory(dir_.Path(".git/worktrees")).value(), ElementsAre("usb"));
  ASSERT_TRUE(repository.RemoveWorktree(elsewhere.Path("usb")).ok());
  EXPECT_FALSE(FileExists(dir_.Path(".git/worktrees")));
}

TEST_F(RepositoryTest, MergesCommitsWithoutAWorkingTree) {
  dir_.Write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  dir_.Write("gone.txt", "g\n");
  dir_.Write(".gitattributes", "*.crlf text eol=crlf\n");
  Git({"-C", dir_.path(), "add", "-A"});
  Git({"-C", dir_.path(), "commit", "-q", "-m", "start"});
  const Repository repository = Open();
  const std::string head = repository.Head().value();
  const auto commit = [&](const std::vector<std::string>& paths) {
    return repository.CommitTree(repository.WriteTree(head, paths).value(), {head}, "x\n").value();
  };
  dir_.Write("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
  const std::string ours = commit({"a.txt"});
  EXPECT_EQ(commit({"a.txt"}), ours) << "the same for the same arguments";
  dir_.Write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  dir_.Write("n\303\244w \"x\".crlf", "new\n");
  ASSERT_EQ(unlink(dir_.Path("gone.txt").c_str()), 0);
  const std::string theirs = commit({"a.txt", "gone.txt", "n\303\244w \"x\".crlf"});
  const auto merged = repository.MergeTrees(ours, theirs);
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_THAT(merged->conflicts, IsEmpty());
  const auto changes = repository.CompareTrees(ours, merged->tree);
  ASSERT_TRUE(changes.ok()) << changes.status();
  std::vector<std::string> told;
  for (const Repository::TreeChange& change : *changes) {
    told.push_back(
        absl::StrCat(absl::Hex(change.before), " ", absl::Hex(change.after), " ", change.path));
  }
  EXPECT_THAT(told,
              ElementsAre("81a4 81a4 a.txt", "81a4 0 gone.txt", "0 81a4 n\303\244w \"x\".crlf"));
  const TempDir out;
  ASSERT_TRUE(
      repository.CheckOutFiles(merged->tree, {"a.txt", "n\303\244w \"x\".crlf"}, out.path()).ok());
  EXPECT_EQ(out.Read("a.txt"), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  EXPECT_EQ(out.Read("n\303\244w \"x\".crlf"), "new\r\n") << "as a checkout writes it";
  EXPECT_EQ(dir_.Read("a.txt"), "1\n2\n3\n4\n5\n6\n7\n8\nnine\n") << "nothing here is touched";

  dir_.Write("a.txt", "uno\n2\n3\n4\n5\n6\n7\n8\n9\n");
  const auto conflict = repository.MergeTrees(ours, commit({"a.txt"}));
  ASSERT_TRUE(conflict.ok()) << conflict.status();
  EXPECT_EQ(conflict->tree, "");
  EXPECT_THAT(conflict->conflicts, ElementsAre("a.txt"));
  EXPECT_FALSE(repository.MergeTrees(ours, "none").ok());
}

}  // namespace
}  // namespace stile
