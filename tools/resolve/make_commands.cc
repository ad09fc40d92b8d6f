#include "tools/resolve/make_commands.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/shell_words.h"
#include "runtime/tool/shell_command.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxEntries = 50'000;
constexpr size_t kMaxArgumentBytes = size_t{64} << 20;  // of all entries
constexpr size_t kMaxSubshells = 100;                   // one in another
constexpr std::array kCompilers = {"cc", "gcc", "g++", "c++", "clang", "clang++", "CC"};
constexpr std::array kSources = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
constexpr std::array kPrefixes = {"ccache",  "sccache", "distcc", "env",  "sh",    "bash",
                                  "libtool", "if",      "then",   "else", "while", "do",
                                  "!",       "{",       "time",   "exec"};
// Options whose value is the next word and may look like a source.
constexpr std::array kOptionsWithValue = {"-o", "-I", "-include", "-isystem", "-MF", "-MT", "-MQ"};

template <typename List>
bool IsOneOf(const List& list, absl::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// "arm-none-eabi-gcc", "/usr/bin/clang++-14".
bool IsCompiler(const std::string& program) {
  std::string name = BaseName(program);
  size_t end = name.size();
  while (end > 0 &&
         (absl::ascii_isdigit(static_cast<unsigned char>(name[end - 1])) || name[end - 1] == '.')) {
    --end;
  }
  if (end > 0 && end < name.size() && name[end - 1] == '-') name.resize(end - 1);
  const size_t dash = name.rfind('-');
  return IsOneOf(kCompilers, dash == std::string::npos ? name : name.substr(dash + 1));
}

// What may stand before the name of the compiler: words of the shell, variables, and programs that
// run it.
bool IsPrefix(const std::string& word) {
  const std::string name = BaseName(word);
  return absl::StrContains(word, '=') || absl::StartsWith(word, "-") || IsOneOf(kPrefixes, name);
}

bool IsSource(absl::string_view word) {
  return std::any_of(kSources.begin(), kSources.end(),
                     [&](const char* ending) { return absl::EndsWith(word, ending); });
}

// Without `…` and $(…).
std::string WithoutSubstitutions(absl::string_view line) {
  std::string rest;
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) {
      absl::StrAppend(&rest, line.substr(at++, 2));
      continue;
    }
    if (line[at] == '`') {
      const size_t end = line.find('`', at + 1);
      at = end == absl::string_view::npos ? line.size() : end;
      continue;
    }
    if (absl::StartsWith(line.substr(at), "$(")) {
      int depth = 0;
      for (++at; at < line.size(); ++at) {
        if (line[at] == '(') ++depth;
        if (line[at] == ')' && --depth == 0) break;
      }
      continue;
    }
    rest.push_back(line[at]);
  }
  return rest;
}

std::string Absolute(const std::string& path, const std::string& folder) {
  return CleanPath(absl::StartsWith(path, "/") ? path : JoinPath(folder, path));
}

class Reader {
 public:
  explicit Reader(const std::string& root) : root_(root), folders_({root}) {}

  void ReadLine(absl::string_view line) {
    constexpr absl::string_view kEnters = ": Entering directory ";
    if (absl::StartsWith(line, "make")) {
      if (const size_t at = line.find(kEnters); at != absl::string_view::npos) {
        absl::string_view folder = absl::StripAsciiWhitespace(line.substr(at + kEnters.size()));
        // 'folder', `folder' in old versions
        if (folder.size() > 2) folder = folder.substr(1, folder.size() - 2);
        folders_.push_back(Absolute(std::string(folder), folders_.back()));
        return;
      }
      if (absl::StrContains(line, ": Leaving directory ") && folders_.size() > 1) {
        folders_.pop_back();
        return;
      }
    }
    ReadShell(WithoutSubstitutions(line));
  }

  Json Take() { return std::move(entries_); }

 private:
  // A line of a recipe has a shell of its own, and a subshell its own folder.
  void ReadShell(const std::string& line) {
    std::vector<std::string> folders = {folders_.back()};
    std::string text;
    char quote = '\0';
    for (size_t at = 0; at < line.size(); ++at) {
      const char c = line[at];
      if (c == '\\' && quote != '\'' && at + 1 < line.size()) {
        absl::StrAppend(&text, line.substr(at++, 2));
        continue;
      }
      if (quote == '\0' && (c == '(' || c == ')')) {
        ReadCommands(text, &folders.back());
        text.clear();
        if (c == '(' && folders.size() < kMaxSubshells) folders.push_back(folders.back());
        if (c == ')' && folders.size() > 1) folders.pop_back();
        continue;
      }
      if (c == quote) {
        quote = '\0';
      } else if (quote == '\0' && (c == '"' || c == '\'')) {
        quote = c;
      }
      text.push_back(c);
    }
    ReadCommands(text, &folders.back());
  }

  void ReadCommands(const std::string& text, std::string* folder) {
    for (const std::string& part : SplitShellCommand(text).parts) {
      const auto words = SplitShellWords(part);
      if (!words.ok() || words->empty()) continue;
      if (words->front() == "cd" && words->size() == 2) {
        *folder = Absolute(words->at(1), *folder);
      } else {
        ReadCommand(*words, *folder);
      }
    }
  }

  void ReadCommand(const std::vector<std::string>& words, const std::string& folder) {
    const auto compiler = std::find_if_not(words.begin(), words.end(), IsPrefix);
    if (compiler == words.end() || !IsCompiler(*compiler)) return;
    std::vector<std::string> sources;
    std::vector<std::string> others;
    for (auto word = compiler; word != words.end(); ++word) {
      if (word != compiler && !absl::StartsWith(*word, "-") && IsSource(*word)) {
        sources.push_back(*word);
        continue;
      }
      others.push_back(*word);
      if (IsOneOf(kOptionsWithValue, *word) && std::next(word) != words.end()) {
        others.push_back(*++word);
      }
    }
    // Each source of a command has its words.
    size_t bytes = 0;
    for (const std::string& word : others) bytes += word.size() + sizeof(Json);
    for (const std::string& source : sources) {
      const std::string path = Absolute(source, folder);
      if (entries_.size() >= kMaxEntries || argument_bytes_ + bytes > kMaxArgumentBytes) return;
      if (!IsWithin(path, root_) || !FileExists(path)) continue;
      if (!seen_.insert(path).second) continue;
      std::vector<std::string> arguments = others;
      arguments.push_back(source);
      argument_bytes_ += bytes;
      entries_.push_back(
          {{"directory", folder}, {"file", path}, {"arguments", std::move(arguments)}});
    }
  }

  const std::string root_;
  std::vector<std::string> folders_;  // the last one is that of the make that prints
  std::set<std::string> seen_;
  size_t argument_bytes_ = 0;
  Json entries_ = Json::array();
};

}  // namespace

Json CompileCommandsOfMake(absl::string_view output, const std::string& root) {
  Reader reader(root);
  std::string line;  // with those that it continues
  for (absl::string_view piece : absl::StrSplit(output, '\n')) {
    const bool goes_on = absl::ConsumeSuffix(&piece, "\\");
    absl::StrAppend(&line, piece);
    if (goes_on) {
      line.push_back(' ');
      continue;
    }
    reader.ReadLine(line);
    line.clear();
  }
  return reader.Take();
}

}  // namespace stile
