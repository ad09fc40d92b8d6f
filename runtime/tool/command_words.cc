#include "runtime/tool/command_words.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "runtime/tool/shell_reading.h"

namespace stile {
namespace {

constexpr size_t kMaxWords = 200;

using Words = std::set<absl::string_view>;

bool Has(const Words& words, const std::string& word) { return words.count(word) > 0; }

// Keywords in front of a command.
const Words& Keywords() {
  static const auto* const kWords =
      new Words{"!", "{", "if", "then", "elif", "else", "do", "while", "until"};
  return *kWords;
}

// Builtins that run text, or change what later words mean.
const Words& Unreadable() {
  static const auto* const kWords =
      new Words{".",  "alias", "bind",    "compgen", "complete", "compopt",   "enable", "eval",
                "fc", "hash",  "history", "mapfile", "shopt",    "readarray", "source", "trap"};
  return *kWords;
}

const Words& Shells() {
  static const auto* const kWords =
      new Words{"sh", "bash", "rbash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh", "mksh"};
  return *kWords;
}

// Programs that run the words after them, which begin there unless options come first.
const Words& Wrappers() {
  static const auto* const kWords =
      new Words{"builtin", "busybox", "command", "coproc", "doas", "env",  "exec",    "ionice",
                "nice",    "nohup",   "setsid",  "stdbuf", "sudo", "time", "timeout", "xargs"};
  return *kWords;
}

// Programs that run the words after them, behind options and an operand.
const Words& WrappersWithOperand() {
  static const auto* const kWords =
      new Words{"chroot",   "chrt",    "flock",   "linux32", "linux64", "ltrace",     "nsenter",
                "parallel", "prlimit", "runuser", "script",  "setarch", "setpriv",    "ssh",
                "strace",   "su",      "taskset", "unshare", "watch",   "systemd-run"};
  return *kWords;
}

// Programs that never run an argument, in whatever form.
const Words& Data() {
  static const auto* const kWords =
      new Words{"basename", "cat",   "cp",     "cut",    "date",     "df",    "diff",  "dirname",
                "du",       "echo",  "egrep",  "file",   "fgrep",    "grep",  "head",  "ls",
                "mkdir",    "mv",    "printf", "pwd",    "readlink", "rg",    "rmdir", "seq",
                "realpath", "sleep", "stat",   "tail",   "tee",      "touch", "tr",    "type",
                "uniq",     "wc",    "which",  "for",    "true",     "false", ":",     "exit",
                "chmod",    "ln",    "case",   "select", "rm",       "find",  "return"};
  return *kWords;
}

// Builtins whose arguments are no commands, but may hold subscripts, which bash evaluates.
const Words& Builtins() {
  static const auto* const kWords = new Words{
      "[",     "[[",    "test",   "let",     "declare", "typeset", "local", "export", "readonly",
      "unset", "read",  "wait",   "getopts", "set",     "cd",      "pushd", "popd",   "shift",
      "kill",  "umask", "ulimit", "jobs",    "fg",      "bg",      "times"};
  return *kWords;
}

// Commands of git whose arguments are data.
const Words& GitData() {
  static const auto* const kWords = new Words{"add",          "apply",
                                              "blame",        "branch",
                                              "cat-file",     "check-ignore",
                                              "checkout",     "cherry",
                                              "clean",        "commit",
                                              "describe",     "diff",
                                              "diff-index",   "diff-tree",
                                              "grep",         "hash-object",
                                              "help",         "init",
                                              "log",          "ls-files",
                                              "ls-tree",      "merge",
                                              "merge-base",   "mv",
                                              "notes",        "push",
                                              "reflog",       "remote",
                                              "reset",        "restore",
                                              "rev-list",     "rev-parse",
                                              "revert",       "rm",
                                              "shortlog",     "show",
                                              "show-branch",  "show-ref",
                                              "stash",        "status",
                                              "switch",       "symbolic-ref",
                                              "tag",          "update-index",
                                              "update-ref",   "version",
                                              "whatchanged",  "worktree",
                                              "cherry-pick",  "count-objects",
                                              "diff-files",   "for-each-ref",
                                              "format-patch", "name-rev",
                                              "read-tree",    "write-tree",
                                              "commit-tree",  "sparse-checkout",
                                              "verify-commit"};
  return *kWords;
}

// Commands of git that may run an argument. Another word may be an alias.
const Words& GitOther() {
  static const auto* const kWords = new Words{
      "am",    "archive", "bisect", "bundle",    "clone",         "config",      "difftool",
      "fetch", "fsck",    "gc",     "lfs",       "ls-remote",     "maintenance", "mergetool",
      "pull",  "rebase",  "repack", "submodule", "filter-branch", "prune",       "send-email"};
  return *kWords;
}

// Settings of `git -c` that run nothing; those that end in a dot: all below.
bool IsPlainSetting(absl::string_view setting) {
  const std::string name = absl::AsciiStrToLower(setting.substr(0, setting.find('=')));
  for (const absl::string_view plain :
       {"user.name", "user.email", "core.quotepath", "core.autocrlf", "core.filemode",
        "core.longpaths", "commit.gpgsign", "tag.gpgsign", "init.defaultbranch", "safe.directory",
        "diff.renames", "merge.conflictstyle", "pull.rebase", "push.default", "http.sslverify"}) {
    if (name == plain) return true;
  }
  return absl::StartsWith(name, "advice.") || absl::StartsWith(name, "color.");
}

std::string Program(absl::string_view word) {
  if (const size_t slash = word.rfind('/'); slash != absl::string_view::npos) {
    word.remove_prefix(slash + 1);
  }
  return std::string(word);
}

bool IsUnknown(absl::string_view word) { return !word.empty() && word[0] == kUnknownText; }

bool HoldsSubstitution(absl::string_view text) {
  return absl::StrContains(text, "$(") || absl::StrContains(text, "`");
}

// Where the value of an assignment begins; npos: it is none.
size_t ValueAt(absl::string_view word) {
  const size_t equals = word.find('=');
  if (equals == absl::string_view::npos || equals == 0) return absl::string_view::npos;
  if (absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) return absl::string_view::npos;
  const absl::string_view name = word.substr(0, equals);
  const size_t end = std::min(name.find_first_of("[+\x01"), name.size());
  for (const char c : name.substr(0, end)) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') {
      return absl::string_view::npos;
    }
  }
  return end == 0 ? absl::string_view::npos : equals + 1;
}

class WordsReader {
 public:
  explicit WordsReader(const std::vector<std::string>& words) : words_(words) {}

  CommandReading Read() {
    size_t first = 0;
    while (first < words_.size()) {
      const std::string& word = words_[first];
      if (word == "function") {
        first += 2;
      } else if (ValueAt(word) != absl::string_view::npos) {
        Assignment(word);
        ++first;
      } else if (Has(Keywords(), word)) {
        ++first;
      } else if (Has(Wrappers(), Program(word)) && HasCommandAt(first)) {
        Certain(first);
        first += Program(word) == "timeout" ? 2 : 1;
      } else {
        break;
      }
    }
    if (first < words_.size()) Command(first);
    return reading_;
  }

 private:
  void Unknown() { reading_.possible.emplace_back(1, kUnknownText); }

  std::string Join(size_t from) const {
    return absl::StrJoin(
        words_.begin() + static_cast<std::ptrdiff_t>(std::min(from, words_.size())), words_.end(),
        " ");
  }

  // Whether the command that a wrapper runs begins right behind it.
  bool HasCommandAt(size_t wrapper) const {
    size_t next = wrapper + 1;
    if (Program(words_[wrapper]) == "timeout") {
      if (next >= words_.size() || words_[next][0] == '-') return false;
      ++next;
    }
    return next < words_.size() && words_[next][0] != '-';
  }

  void Assignment(const std::string& word) {
    const absl::string_view name = absl::string_view(word).substr(0, word.find('='));
    if (name == "BASH_ENV" || name == "ENV" || name == "SHELLOPTS" || name == "BASHOPTS") Unknown();
    std::string value = word.substr(ValueAt(word));
    value.erase(std::remove(value.begin(), value.end(), kUnknownText), value.end());
    if (!value.empty()) reading_.texts.push_back(std::move(value));
  }

  void Certain(size_t first) {
    const std::string program = Program(words_[first]);
    reading_.certain.push_back(Join(first));
    const std::string rest = Join(first + 1);
    if (program != words_[first]) reading_.certain.push_back(absl::StrCat(program, " ", rest));
    if (program == "git") {
      const size_t command = GitCommandAt(words_, first);
      if (command > first + 1) reading_.certain.push_back(absl::StrCat("git ", Join(command)));
    }
  }

  // Behind git's global options.
  static size_t GitCommandAt(const std::vector<std::string>& words, size_t git) {
    static const auto* const kWithValue =
        new Words{"-C",          "-c",           "--git-dir",     "--work-tree",
                  "--namespace", "--config-env", "--attr-source", "--super-prefix"};
    size_t at = git + 1;
    while (at < words.size() && words[at][0] == '-') at += Has(*kWithValue, words[at]) ? 2 : 1;
    return std::min(at, words.size());
  }

  void Command(size_t first) {
    const std::string program = Program(words_[first]);
    Certain(first);
    if (Has(Unreadable(), program) || Has(Shells(), program)) return Unknown();
    if (program == "git") return Git(first);
    if (program == "find") Find(first);
    if (Has(Data(), program)) return DataCommand(program, first);
    if (HoldsSubstitution(Join(first))) reading_.texts.push_back(Join(first));
    if (Has(Builtins(), program)) {
      for (size_t i = first + 1; i < words_.size(); ++i) {
        if (ValueAt(words_[i]) != absl::string_view::npos) Assignment(words_[i]);
      }
      return;
    }
    Tails(first);
  }

  // Some of them have an option all the same that runs something.
  void DataCommand(const std::string& program, size_t first) {
    for (size_t i = first + 1; i < words_.size(); ++i) {
      if (program == "rg" && absl::StartsWith(words_[i], "--pre")) return Tails(first);
      if (program == "printf" && absl::StartsWith(words_[i], "-v") && HoldsSubstitution(Join(i))) {
        reading_.texts.push_back(Join(i));
      }
    }
  }

  void Find(size_t first) {
    for (size_t i = first + 1, found = 0; i + 1 < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (word != "-exec" && word != "-execdir" && word != "-ok" && word != "-okdir") continue;
      if (++found > kMaxWords / 10) return Unknown();
      const std::vector<std::string> rest(words_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                          words_.end());
      CommandReading inner = WordsReader(rest).Read();
      for (const auto* list : {&inner.certain, &inner.possible}) {
        reading_.possible.insert(reading_.possible.end(), list->begin(), list->end());
      }
      reading_.texts.insert(reading_.texts.end(), inner.texts.begin(), inner.texts.end());
    }
  }

  // `git grep -OPAGER`, `git push --receive-pack=PROGRAM`, in every spelling that git takes.
  bool NamesProgramForGit(size_t command) const {
    const bool is_grep = words_[command] == "grep";
    if (!is_grep && words_[command] != "push") return false;
    return std::any_of(
        words_.begin() + static_cast<std::ptrdiff_t>(command) + 1, words_.end(),
        [is_grep](const std::string& word) {
          if (!absl::StartsWith(word, "--")) {
            return is_grep && absl::StartsWith(word, "-") && absl::StrContains(word, "O");
          }
          return is_grep ? absl::StartsWith(word, "--op")
                         : absl::StartsWith(word, "--rec") || absl::StartsWith(word, "--e");
        });
  }

  void Git(size_t git) {
    const size_t command = GitCommandAt(words_, git);
    for (size_t i = git + 1; i < command; ++i) {
      const std::string& option = words_[i];
      const bool sets = option == "-c" && i + 1 < command && IsPlainSetting(words_[i + 1]);
      if (absl::StartsWith(option, "--config-env") || absl::StartsWith(option, "--exec-path=") ||
          (option == "-c" && !sets)) {
        Unknown();
      }
    }
    if (command >= words_.size()) return;
    if (Has(GitData(), words_[command])) {
      if (NamesProgramForGit(command)) Unknown();
      return;
    }
    if (!Has(GitOther(), words_[command])) return Unknown();
    Tails(command);
  }

  // Each word behind the program may begin what it runs, pieces of quoted text too.
  void Tails(size_t program) {
    std::vector<std::string> pieces;
    for (size_t i = program + 1; i < words_.size(); ++i) {
      const std::vector<std::string> parts = absl::StrSplit(
          words_[i], absl::ByAnyChar(" \t\r\n\v\f;&|()`\"'!{}[],="), absl::SkipEmpty());
      pieces.insert(pieces.end(), parts.begin(), parts.end());
    }
    const bool runs_next = Has(Wrappers(), Program(words_[program]));
    const bool runs = runs_next || Has(WrappersWithOperand(), Program(words_[program]));
    size_t operands = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i >= kMaxWords) return Unknown();
      const std::string& word = pieces[i];
      if (word[0] == '-') continue;
      const std::string name = Program(word);
      if (Has(Shells(), name) || (runs && Has(Unreadable(), name))) Unknown();
      // Elsewhere a word that is not known is an argument.
      if (IsUnknown(word) && !(runs && operands <= 1)) continue;
      ++operands;
      const std::string rest =
          absl::StrJoin(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, pieces.end(), " ");
      const std::string space = rest.empty() ? "" : " ";
      reading_.possible.push_back(absl::StrCat(word, space, rest));
      if (name != word) reading_.possible.push_back(absl::StrCat(name, space, rest));
      if (name != "git") continue;
      const size_t command = GitCommandAt(pieces, i);
      reading_.possible.push_back(absl::StrCat(
          "git ",
          absl::StrJoin(pieces.begin() + static_cast<std::ptrdiff_t>(command), pieces.end(), " ")));
    }
  }

  const std::vector<std::string>& words_;
  CommandReading reading_;
};

}  // namespace

CommandReading ReadCommandWords(const std::vector<std::string>& words) {
  return WordsReader(words).Read();
}

}  // namespace stile
