#include "runtime/git/repository.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/git/named_programs.h"
#include "runtime/workspace/file_lock.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/scratch_folder.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr absl::Duration kTimeout = absl::Minutes(10);
constexpr size_t kMaxOutputBytes = kMaxFileBytes;
constexpr size_t kMaxLastWords = 600;

// Variables of git that say who the user is or how to reach the world; every other GIT_* variable
// would send git elsewhere, as inside a hook.
bool IsKept(absl::string_view name) {
  if (!absl::StartsWith(name, "GIT_")) return true;
  for (const absl::string_view prefix :
       {"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_", "GIT_EXEC_PATH",
        "GIT_ALLOW_PROTOCOL"}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

Environment GitEnvironment() {
  Environment env;
  for (const auto& [name, value] : InheritedEnvironment()) {
    if (IsKept(name)) env[name] = value;
  }
  env.erase("LANGUAGE");
  env["LC_ALL"] = "C";
  env["GIT_TERMINAL_PROMPT"] = "0";
  env["GIT_ASKPASS"] = env["SSH_ASKPASS"] = "false";
  env["GIT_EDITOR"] = env["GIT_SEQUENCE_EDITOR"] = "false";
  env["GIT_PAGER"] = "cat";
  env["GIT_MERGE_AUTOEDIT"] = "no";
  env["GIT_OPTIONAL_LOCKS"] = "0";
  return env;
}

// What git said last, on one line.
std::string LastWords(const ProcessResult& result) {
  std::string text = ToUtf8(result.err.empty() ? result.out : result.err);
  text = TruncateMiddle(absl::StripAsciiWhitespace(text), kMaxLastWords);
  return text.empty() ? result.Description() : text;
}

// Of the command that these arguments give, past options of git itself.
std::string CommandName(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "-c") {
      ++i;
    } else if (arguments[i][0] != '-') {
      return arguments[i];
    }
  }
  return "";
}

absl::Status Failure(const std::vector<std::string>& arguments, const ProcessResult& result) {
  const std::string message =
      absl::StrCat("git ", CommandName(arguments), " failed: ", LastWords(result));
  return result.end == ProcessResult::End::kTimedOut ? absl::DeadlineExceededError(message)
                                                     : absl::FailedPreconditionError(message);
}

// The first of the lines.
std::string FirstLine(absl::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string WithoutNewline(absl::string_view text) {
  return std::string(absl::StripSuffix(text, "\n"));
}

// What asks git for its settings must get them as they are.
bool AsksForSettings(absl::string_view command) {
  return command == "config" || command == "rev-parse";
}

bool IsObjectId(absl::string_view text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

// Commands that never look into the working tree.
bool ReadsNoFiles(absl::string_view command) {
  for (const char* name :
       {"ls-files", "symbolic-ref", "show-ref", "for-each-ref", "cat-file", "log", "notes"}) {
    if (command == name) return true;
  }
  return AsksForSettings(command);
}

std::vector<std::string> SplitNul(absl::string_view text) {
  return absl::StrSplit(text, '\0', absl::SkipEmpty());
}

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (!name.empty() && name[0] != '-') return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("not a ", what, ": '", name, "'"));
}

const std::vector<std::string> kUpdateIndex = {"update-index", "--add", "--remove",
                                               "--replace",    "-z",    "--stdin"};

// As `git update-index -z --stdin` reads them.
absl::StatusOr<std::string> JoinPaths(const std::vector<std::string>& paths) {
  std::string listed;
  for (const std::string& path : paths) {
    if (path.empty() || path[0] == '/' || path.find('\0') != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("not a path to commit: ", ToUtf8(path)));
    }
    absl::StrAppend(&listed, CleanPath(path), absl::string_view("\0", 1));
  }
  return listed;
}

// One entry of a list of folders that are separated by colons.
std::string Quoted(absl::string_view folder) {
  return absl::StrCat("\"", absl::StrReplaceAll(folder, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

}  // namespace

Repository::Repository(ProcessRunner* runner, std::string git, std::string root,
                       std::string git_dir)
    : runner_(runner), git_(std::move(git)), root_(std::move(root)), git_dir_(std::move(git_dir)) {}

absl::StatusOr<Repository> Repository::Open(ProcessRunner* runner, const std::string& folder,
                                            ProgramWrapper wrapper) {
  STILE_ASSIGN_OR_RETURN(std::string git, FindExecutable("git", InheritedEnvironment()));
  Repository repository(runner, std::move(git), folder, "");
  const std::vector<std::string> all = {"rev-parse", "--show-toplevel", "--absolute-git-dir",
                                        "HEAD", "HEAD^{tree}"};
  STILE_ASSIGN_OR_RETURN(const ProcessResult found, repository.Execute(all, "", {}));
  std::vector<std::string> lines = absl::StrSplit(WithoutNewline(found.out), '\n');
  if (!found.ok() && found.out.empty()) return Failure(all, found);
  if (found.ok() && lines.size() == 4 && IsObjectId(lines[2]) && IsObjectId(lines[3])) {
    repository.opened_at_ = {lines[2], lines[3]};
  } else if (lines.size() != 3 || lines[2] != "HEAD") {  // it has a commit
    // A path holds a newline, or a part of the commit is missing.
    STILE_ASSIGN_OR_RETURN(const std::string root,
                           repository.Run({"rev-parse", "--show-toplevel"}));
    STILE_ASSIGN_OR_RETURN(const std::string git_dir,
                           repository.Run({"rev-parse", "--absolute-git-dir"}));
    lines = {WithoutNewline(root), WithoutNewline(git_dir)};
    STILE_ASSIGN_OR_RETURN(repository.opened_at_.commit, repository.Head());
  }
  STILE_ASSIGN_OR_RETURN(repository.root_, RealPath(lines[0]));
  repository.git_dir_ = std::move(lines[1]);
  repository.wrapper_ = std::move(wrapper);
  return repository;
}

std::string Repository::common_dir() const {
  const auto text = DiskFileSystem()->ReadFile(JoinPath(git_dir_, "commondir"), size_t{64} << 10);
  if (!text.ok()) return git_dir_;
  const std::string folder = WithoutNewline(*text);
  return absl::StartsWith(folder, "/") ? folder : JoinPath(git_dir_, folder);
}

absl::StatusOr<ProcessResult> Repository::Execute(const std::vector<std::string>& arguments,
                                                  const std::string& stdin_text,
                                                  const Environment& extra_env,
                                                  const Cancellation* cancellation) const {
  ProcessRequest request;
  request.argv = {git_, "--no-pager", "--literal-pathspecs", "-c", "color.ui=false"};
  // Of what a repository can name as a program: it may have been made, or edited, by an agent.
  for (const char* setting : {"core.fsmonitor=false", "safe.bareRepository=explicit"}) {
    request.argv.insert(request.argv.end(), {"-c", setting});
  }
  const std::string command = CommandName(arguments);
  // The hooks of everything but a commit have no business here.
  if (command != "commit" && !AsksForSettings(command)) {
    request.argv.insert(request.argv.end(), {"-c", "core.hooksPath=/dev/null"});
  }
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.cwd = root_;
  request.env = GitEnvironment();
  for (const auto& [name, value] : extra_env) request.env[name] = value;
  if (!ReadsNoFiles(command)) {
    STILE_ASSIGN_OR_RETURN(const Environment filters, WrappedFilters());
    request.env.insert(filters.begin(), filters.end());
  }
  request.cancellation = cancellation;
  request.stdin_text = stdin_text;
  request.timeout = kTimeout;
  request.max_output_bytes = kMaxOutputBytes;
  STILE_ASSIGN_OR_RETURN(ProcessResult result, runner_->Run(request));
  if (result.out_bytes > result.out.size()) {
    return absl::ResourceExhaustedError(absl::StrCat("git ", command, " printed ", result.out_bytes,
                                                     " bytes, more than the ", kMaxOutputBytes,
                                                     " that are read"));
  }
  return result;
}

absl::StatusOr<std::vector<std::string>> Repository::Wrapper() const {
  if (wrapper_ == nullptr) return std::vector<std::string>();
  return wrapper_(*this);
}

absl::StatusOr<Environment> Repository::WrappedFilters() const {
  if (wrapper_ == nullptr || !MayNamePrograms(git_dir_, common_dir())) return Environment();
  STILE_ASSIGN_OR_RETURN(const auto answer, Ask({"config", "-z", "--show-scope", "--includes",
                                                 "--get-regexp", kFilterSettings}));
  if (!answer.has_value()) return Environment();
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> wrapper, Wrapper());
  return wrapper.empty() ? Environment() : WrapSettings(*answer, wrapper);
}

// The folder of the hooks for a commit; "" where they run as they are.
absl::StatusOr<std::string> Repository::WrappedHooks(const std::string& folder) const {
  STILE_ASSIGN_OR_RETURN(std::string hooks, Run({"rev-parse", "--git-path", "hooks"}));
  hooks = WithoutNewline(hooks);
  if (!absl::StartsWith(hooks, "/")) hooks = JoinPath(root_, hooks);
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, RunnableHooks(hooks));
  // What comes to be there from now on is none that anybody has seen.
  if (names.empty()) return std::string("/dev/null");
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> wrapper, Wrapper());
  if (wrapper.empty()) return std::string();
  STILE_RETURN_IF_ERROR(WrapHooks(hooks, names, wrapper, folder));
  return folder;
}

// What signs has to reach keys, which nothing in a sandbox does.
absl::Status Repository::CheckSigning() const {
  if (!MayNamePrograms(git_dir_, common_dir())) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const auto signs, Ask({"config", "--type=bool", "commit.gpgSign"}));
  if (WithoutNewline(signs.value_or("")) != "true") return absl::OkStatus();
  for (const char* scope : {"--local", "--worktree"}) {
    STILE_ASSIGN_OR_RETURN(const auto named,
                           Ask({"config", scope, "--includes", "--name-only", "--get-regexp",
                                "^gpg\\.(.*\\.)?(program|defaultkeycommand)$"}));
    if (!named.has_value()) continue;
    STILE_ASSIGN_OR_RETURN(const std::vector<std::string> wrapper, Wrapper());
    if (wrapper.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("the repository's own settings name the program that signs commits (",
                     FirstLine(*named), "); name it in your settings: git config --global"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Repository::RunIn(const Environment& extra_env,
                                              const std::vector<std::string>& arguments,
                                              const std::string& stdin_text) const {
  STILE_ASSIGN_OR_RETURN(ProcessResult result, Execute(arguments, stdin_text, extra_env));
  if (!result.ok()) return Failure(arguments, result);
  return std::move(result.out);
}

absl::StatusOr<std::string> Repository::Run(const std::vector<std::string>& arguments,
                                            const std::string& stdin_text) const {
  return RunIn({}, arguments, stdin_text);
}

absl::StatusOr<std::optional<std::string>> Repository::Ask(
    const std::vector<std::string>& arguments) const {
  STILE_ASSIGN_OR_RETURN(ProcessResult result, Execute(arguments, "", {}));
  if (result.end == ProcessResult::End::kExited && result.exit_code == 1) return std::nullopt;
  if (!result.ok()) return Failure(arguments, result);
  return std::move(result.out);
}

absl::StatusOr<std::string> Repository::Head() const {
  STILE_ASSIGN_OR_RETURN(const auto head, Ask({"rev-parse", "--quiet", "--verify", "HEAD"}));
  return WithoutNewline(head.value_or(""));
}

absl::StatusOr<std::string> Repository::HeadOrEmptyTree() const {
  STILE_ASSIGN_OR_RETURN(std::string head, Head());
  if (!head.empty()) return head;
  // Its id depends on the repository's hash function.
  STILE_ASSIGN_OR_RETURN(const std::string tree,
                         Run({"hash-object", "-w", "-t", "tree", "/dev/null"}));
  return WithoutNewline(tree);
}

absl::StatusOr<std::string> Repository::CurrentBranch() const {
  STILE_ASSIGN_OR_RETURN(const auto ref, Ask({"symbolic-ref", "--quiet", "HEAD"}));
  return std::string(absl::StripPrefix(WithoutNewline(ref.value_or("")), "refs/heads/"));
}

absl::StatusOr<bool> Repository::BranchExists(const std::string& name) const {
  STILE_ASSIGN_OR_RETURN(const auto found, Ask({"show-ref", "--verify", "--quiet",
                                                absl::StrCat("refs/heads/", name)}));
  return found.has_value();
}

absl::Status Repository::CreateBranch(const std::string& name) const {
  STILE_RETURN_IF_ERROR(CheckName("branch name", name));
  return Run({"switch", "--quiet", "--no-track", "-c", name}).status();
}

absl::Status Repository::Switch(const std::string& branch) const {
  STILE_RETURN_IF_ERROR(CheckName("branch name", branch));
  return Run({"switch", "--quiet", "--no-guess", branch}).status();
}

absl::StatusOr<GitStatus> Repository::Status(const Cancellation* cancellation) const {
  const std::vector<std::string> arguments = {"status",
                                              "--porcelain=v2",
                                              "--branch",
                                              "--no-ahead-behind",
                                              "-z",
                                              "--no-renames",
                                              "--untracked-files=all",
                                              "--ignore-submodules=dirty"};
  STILE_ASSIGN_OR_RETURN(const ProcessResult result, Execute(arguments, "", {}, cancellation));
  if (!result.ok()) return Failure(arguments, result);
  return ParseGitStatus(result.out);
}

absl::StatusOr<std::vector<std::string>> Repository::TrackedFiles() const {
  STILE_ASSIGN_OR_RETURN(const std::string text, Run({"ls-files", "-z"}));
  std::vector<std::string> files = SplitNul(text);
  std::sort(files.begin(), files.end());
  // A file in conflict is listed once per side.
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

absl::StatusOr<std::vector<std::string>> Repository::UserIgnorePatterns() const {
  STILE_ASSIGN_OR_RETURN(const auto configured,
                         Ask({"config", "--type=path", "--get", "core.excludesFile"}));
  std::string path = WithoutNewline(configured.value_or(""));
  if (path.empty()) {
    const Environment& env = InheritedEnvironment();
    const auto config = env.find("XDG_CONFIG_HOME");
    const auto home = env.find("HOME");
    if (config != env.end() && !config->second.empty()) {
      path = JoinPath(config->second, "git/ignore");
    } else if (home != env.end()) {
      path = JoinPath(home->second, ".config/git/ignore");
    }
  }
  if (path.empty()) return std::vector<std::string>();
  if (path[0] != '/') path = JoinPath(root_, path);
  if (!FileExists(path)) return std::vector<std::string>();
  STILE_ASSIGN_OR_RETURN(const std::string text, DiskFileSystem()->ReadFile(path, kMaxFileBytes));
  std::vector<std::string> patterns;
  for (const absl::string_view line : SplitLines(text)) {
    patterns.emplace_back(absl::StripSuffix(line, "\r"));
  }
  return patterns;
}

absl::StatusOr<std::string> Repository::Diff(const std::vector<std::string>& paths,
                                             bool staged) const {
  STILE_ASSIGN_OR_RETURN(const std::string base, HeadOrEmptyTree());
  std::vector<std::string> arguments = {"diff", "--no-ext-diff", "--no-textconv",
                                        "--ignore-submodules=dirty", "--no-color"};
  if (staged) arguments.push_back("--cached");
  arguments.insert(arguments.end(), {base, "--"});
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  return Run(arguments);
}

absl::StatusOr<std::vector<GitCommit>> Repository::Log(
    int limit, const std::vector<std::string>& paths) const {
  std::vector<GitCommit> commits;
  STILE_ASSIGN_OR_RETURN(const std::string head, Head());
  if (head.empty()) return commits;
  std::vector<std::string> arguments = {"log",
                                        "-z",
                                        "--no-show-signature",
                                        "--no-color",
                                        "--format=%H%x00%an%x00%aI%x00%s",
                                        "-n",
                                        absl::StrCat(std::max(limit, 0)),
                                        head,
                                        "--"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  STILE_ASSIGN_OR_RETURN(const std::string text, Run(arguments));
  const std::vector<std::string> fields = absl::StrSplit(text, '\0');
  for (size_t i = 0; i + 4 <= fields.size(); i += 4) {
    commits.push_back({fields[i], fields[i + 1], fields[i + 2], fields[i + 3]});
  }
  return commits;
}

absl::StatusOr<std::vector<std::string>> Repository::Branches() const {
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         Run({"for-each-ref", "--format=%(refname)", "refs/heads/"}));
  std::vector<std::string> names;
  for (const absl::string_view line : SplitLines(text)) {
    names.emplace_back(absl::StripPrefix(line, "refs/heads/"));
  }
  return names;
}

absl::StatusOr<std::string> Repository::Show(const std::string& revision,
                                             const std::string& path) const {
  STILE_RETURN_IF_ERROR(CheckName("revision", revision));
  const std::vector<std::string> arguments = {"cat-file", "blob",
                                              absl::StrCat(revision, ":", path)};
  STILE_ASSIGN_OR_RETURN(ProcessResult result, Execute(arguments, "", {}));
  if (result.ok()) return std::move(result.out);
  if (result.end != ProcessResult::End::kExited) return Failure(arguments, result);
  return absl::NotFoundError(
      absl::StrCat(ToUtf8(path), " is not a file at ", ToUtf8(revision), ": ", LastWords(result)));
}

absl::StatusOr<Environment> Repository::IdentityEnvironment() const {
  Environment env;
  const Environment& inherited = InheritedEnvironment();
  STILE_ASSIGN_OR_RETURN(const auto email, Ask({"config", "--get", "user.email"}));
  if (email.has_value() || inherited.count("EMAIL") > 0) return env;
  for (const std::string role : {"GIT_AUTHOR_", "GIT_COMMITTER_"}) {
    if (inherited.count(role + "EMAIL") > 0) continue;
    env[role + "NAME"] = "Stile";
    env[role + "EMAIL"] = "stile@localhost";
  }
  return env;
}

absl::StatusOr<std::string> Repository::Commit(const std::vector<std::string>& paths,
                                               const std::string& message) const {
  for (const absl::string_view state : {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}) {
    if (FileExists(JoinPath(git_dir_, state))) {
      return absl::FailedPreconditionError(
          absl::StrCat("git is in the middle of another operation (", state, ")"));
    }
  }
  STILE_ASSIGN_OR_RETURN(const std::string listed, JoinPaths(paths));
  // An index of its own, HEAD plus these paths: what else is staged stays out and stays staged. It
  // must lie in the git directory, and keeps the stat data of that one, so that git need not read
  // every file again.
  const ScratchFolder scratch(git_dir_);
  const std::string index = scratch.Sub("index");
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(DirName(index)));
  STILE_ASSIGN_OR_RETURN(const std::string head, Head());
  std::vector<std::string> read_tree = {"read-tree", "--index-output=" + index};
  if (head.empty()) {
    read_tree.push_back("--empty");
  } else {
    // -i: what is staged and not in HEAD goes from this index, whatever the file holds now.
    read_tree.insert(read_tree.end(), {"-m", "-i", head});
  }
  STILE_RETURN_IF_ERROR(Run(read_tree).status());
  STILE_ASSIGN_OR_RETURN(Environment env, IdentityEnvironment());
  env["GIT_INDEX_FILE"] = index;
  STILE_RETURN_IF_ERROR(RunIn(env, kUpdateIndex, listed).status());
  std::vector<std::string> commit = {"commit", "--quiet", "--cleanup=whitespace", "--file=-"};
  if (wrapper_ != nullptr) {
    STILE_RETURN_IF_ERROR(CheckSigning());
    STILE_ASSIGN_OR_RETURN(const std::string hooks, WrappedHooks(scratch.Sub("hooks")));
    if (!hooks.empty()) {
      commit.insert(commit.begin(), {"-c", absl::StrCat("core.hooksPath=", hooks)});
    }
  }
  STILE_RETURN_IF_ERROR(RunIn(env, commit, message).status());
  // The commit stands whether or not the user's index, which somebody may hold, follows it.
  Run(kUpdateIndex, listed).status().IgnoreError();
  return Head();
}

absl::StatusOr<std::string> Repository::BuildTree(const Environment& env, const std::string& base,
                                                  const std::vector<std::string>& paths) const {
  if (paths.empty() && !base.empty()) {  // one call of git in place of three
    STILE_ASSIGN_OR_RETURN(const std::string same,
                           Run({"rev-parse", "--verify", absl::StrCat(base, "^{tree}")}));
    return WithoutNewline(same);
  }
  STILE_ASSIGN_OR_RETURN(const std::string listed, JoinPaths(paths));
  STILE_RETURN_IF_ERROR(
      RunIn(env, {"read-tree", base.empty() ? std::string("--empty") : base}, "").status());
  STILE_RETURN_IF_ERROR(RunIn(env, kUpdateIndex, listed).status());
  STILE_ASSIGN_OR_RETURN(const std::string tree, RunIn(env, {"write-tree"}, ""));
  return WithoutNewline(tree);
}

absl::StatusOr<std::string> Repository::WriteTree(const std::string& base,
                                                  const std::vector<std::string>& paths) const {
  const ScratchFolder scratch(git_dir_);
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(scratch.Sub("")));
  return BuildTree({{"GIT_INDEX_FILE", scratch.Sub("index")}}, base, paths);
}

absl::StatusOr<std::string> Repository::TreeWith(const std::string& base,
                                                 const std::vector<std::string>& paths) const {
  if (paths.empty() && !base.empty()) return BuildTree({}, base, paths);
  const std::string objects = JoinPath(common_dir(), "objects");
  // Index and new objects lie in a folder of their own; the repository's objects are only read.
  const ScratchFolder scratch(git_dir_);
  const std::string own_objects = scratch.Sub("objects");
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(own_objects));
  const Environment env = {{"GIT_INDEX_FILE", scratch.Sub("index")},
                           {"GIT_OBJECT_DIRECTORY", own_objects},
                           {"GIT_ALTERNATE_OBJECT_DIRECTORIES", Quoted(objects)}};
  return BuildTree(env, base, paths);
}

absl::Status Repository::AddNote(const std::string& ref, const std::string& commit,
                                 const std::string& bytes) const {
  STILE_RETURN_IF_ERROR(CheckName("commit", commit));
  // Written through, it would move a branch.
  STILE_ASSIGN_OR_RETURN(const auto target, Ask({"symbolic-ref", "--quiet", ref}));
  if (target.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(ref, " is a symbolic ref to ", ToUtf8(WithoutNewline(*target))));
  }
  STILE_ASSIGN_OR_RETURN(const std::string blob, Run({"hash-object", "-w", "--stdin"}, bytes));
  STILE_ASSIGN_OR_RETURN(const Environment env, IdentityEnvironment());
  const std::vector<std::string> add = {
      "notes", "--ref", ref, "add", "-f", "-C", WithoutNewline(blob), commit};
  // git reads the notes and writes them back without a look at what came between.
  const std::string lock_file = JoinPath(common_dir(), "stile-notes.lock");
  const FileLock lock(lock_file, FileLock::Wait::kYes);
  const absl::Status status = RunIn(env, add, "").status();
  unlink(lock_file.c_str());
  return status;
}

absl::StatusOr<std::optional<std::string>> Repository::ReadNote(const std::string& ref,
                                                                const std::string& commit,
                                                                size_t max_bytes) const {
  STILE_RETURN_IF_ERROR(CheckName("commit", commit));
  STILE_ASSIGN_OR_RETURN(const auto found,
                         Ask({"--no-replace-objects", "notes", "--ref", ref, "list", commit}));
  if (!found.has_value()) return std::nullopt;
  const std::string blob = WithoutNewline(*found);
  STILE_ASSIGN_OR_RETURN(const std::string size,
                         Run({"--no-replace-objects", "cat-file", "-s", blob}));
  size_t bytes = 0;
  if (!absl::SimpleAtoi(WithoutNewline(size), &bytes) || bytes > max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the note has ", WithoutNewline(size), " bytes, more than ", max_bytes));
  }
  return Run({"--no-replace-objects", "cat-file", "blob", blob});
}

absl::Status Repository::AddWorktree(const std::string& folder, const std::string& branch) const {
  STILE_RETURN_IF_ERROR(CheckName("folder", folder));
  STILE_RETURN_IF_ERROR(CheckName("branch name", branch));
  return Run({"worktree", "add", "--quiet", "--no-track", "-b", branch, folder, "HEAD"}).status();
}

absl::Status Repository::AddDetachedWorktree(const std::string& folder,
                                             const std::string& revision) const {
  STILE_RETURN_IF_ERROR(CheckName("folder", folder));
  STILE_RETURN_IF_ERROR(CheckName("revision", revision));
  return Run({"worktree", "add", "--quiet", "--detach", folder, revision}).status();
}

absl::Status Repository::RemoveWorktree(const std::string& folder) const {
  STILE_RETURN_IF_ERROR(CheckName("folder", folder));
  STILE_RETURN_IF_ERROR(RemoveTree(folder));
  // Twice forced: git locks a working tree while it makes it. One that is not registered is fine.
  // Others that are gone are not ours to forget: they may be on a disk that comes back.
  Run({"worktree", "remove", "--force", "--force", folder}).status().IgnoreError();
  const std::string registered = JoinPath(common_dir(), "worktrees");
  if (!DirectoryExists(registered)) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(registered));
  for (const std::string& name : names) {
    const std::string entry = JoinPath(registered, name);
    const auto leads_to = DiskFileSystem()->ReadFile(JoinPath(entry, "gitdir"), kMaxFileBytes);
    const bool is_unfinished = !leads_to.ok() && name == BaseName(folder);
    if (is_unfinished || (leads_to.ok() && WithoutNewline(*leads_to) == JoinPath(folder, ".git"))) {
      STILE_RETURN_IF_ERROR(RemoveTree(entry));
    }
  }
  rmdir(registered.c_str());  // as git does when it holds nothing any more
  return absl::OkStatus();
}

absl::Status Repository::ForgetWorktrees(const std::string& folder) const {
  STILE_ASSIGN_OR_RETURN(const std::string list, Run({"worktree", "list", "--porcelain"}));
  for (absl::string_view line : SplitLines(list)) {
    if (!absl::ConsumePrefix(&line, "worktree ")) continue;
    const std::string tree(line);
    if (tree == folder || !IsWithin(tree, folder) || FileExists(tree)) continue;
    STILE_RETURN_IF_ERROR(RemoveWorktree(tree));
  }
  return absl::OkStatus();
}

}  // namespace stile
