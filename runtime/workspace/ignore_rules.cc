#include "runtime/workspace/ignore_rules.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/ignore_pattern.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxIgnoreFileBytes = size_t{16} << 20;

struct OuterList {
  std::string below;  // the workspace relative to the folder of these patterns; "" if it is that
  std::vector<IgnorePattern> patterns;
};

// The last pattern that matches decides. 1: ignored, 0: kept, -1: none matches.
int Verdict(const std::vector<IgnorePattern>& patterns, absl::string_view name, bool is_folder) {
  for (auto pattern = patterns.rbegin(); pattern != patterns.rend(); ++pattern) {
    if (pattern->Matches(name, is_folder)) return pattern->negated ? 0 : 1;
  }
  return -1;
}

// Neither we nor git can read on where somebody put these: git waits for the other end of a FIFO.
absl::Status CheckReadable(const std::string& path, const struct stat& info) {
  if (!S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(ToUtf8(path), " is a ",
                                                    S_ISFIFO(info.st_mode) ? "FIFO" : "device",
                                                    ", which git would read forever; remove it"));
}

// The content of an ignore file, "" if there is none. A symlink is none, as git has it.
absl::StatusOr<std::string> ReadIgnoreFile(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return std::string();
  STILE_RETURN_IF_ERROR(CheckReadable(path, info));
  if (!S_ISREG(info.st_mode)) return std::string();
  auto text = DiskFileSystem()->ReadFile(path, kMaxIgnoreFileBytes);
  if (absl::IsNotFound(text.status())) return std::string();
  return text;
}

// The git directory that holds info/exclude for the working tree at `folder`; "" if there is none.
std::string CommonGitDir(const std::string& folder) {
  const std::string dot_git = JoinPath(folder, ".git");
  if (DirectoryExists(dot_git)) return dot_git;
  auto text = DiskFileSystem()->ReadFile(dot_git, 4096);
  if (!text.ok()) return "";
  absl::string_view line = absl::StripAsciiWhitespace(*text);
  if (!absl::ConsumePrefix(&line, "gitdir:")) return "";
  line = absl::StripAsciiWhitespace(line);
  const std::string git_dir =
      absl::StartsWith(line, "/") ? std::string(line) : JoinPath(folder, line);
  text = DiskFileSystem()->ReadFile(JoinPath(git_dir, "commondir"), 4096);
  if (!text.ok()) return git_dir;
  line = absl::StripAsciiWhitespace(*text);
  return absl::StartsWith(line, "/") ? std::string(line) : JoinPath(git_dir, line);
}

}  // namespace

struct IgnoreRules::Data {
  std::vector<OuterList> outer;  // lowest precedence first
  // Of the .gitignore files in the workspace, by folder relative to it ("" for the root).
  std::unordered_map<std::string, std::vector<IgnorePattern>> by_folder;
  std::vector<std::string> tracked;  // sorted
  // What the two above were made of, in this order: folder and text, as AddOuter and AddFolder got
  // them.
  std::vector<std::pair<std::string, std::string>> outer_texts;
  std::vector<std::pair<std::string, std::string>> folder_texts;

  bool Matches(absl::string_view path, bool is_folder) const {
    size_t end = path.rfind('/');
    while (!by_folder.empty()) {
      const size_t size = end == absl::string_view::npos ? 0 : end;
      const auto found = by_folder.find(std::string(path.substr(0, size)));
      if (found != by_folder.end()) {
        const int verdict =
            Verdict(found->second, path.substr(size == 0 ? 0 : size + 1), is_folder);
        if (verdict >= 0) return verdict == 1;
      }
      if (size == 0) break;
      end = path.substr(0, size).rfind('/');
    }
    for (auto list = outer.rbegin(); list != outer.rend(); ++list) {
      const int verdict = list->below.empty()
                              ? Verdict(list->patterns, path, is_folder)
                              : Verdict(list->patterns, JoinPath(list->below, path), is_folder);
      if (verdict >= 0) return verdict == 1;
    }
    return false;
  }

  bool FolderAboveIgnored(absl::string_view path) const {
    for (size_t slash = path.find('/'); slash != absl::string_view::npos;
         slash = path.find('/', slash + 1)) {
      if (Matches(path.substr(0, slash), /*is_folder=*/true)) return true;
    }
    return false;
  }

  bool IsTracked(absl::string_view path) const {
    const auto found = std::lower_bound(tracked.begin(), tracked.end(), path);
    return found != tracked.end() && *found == path;
  }

  bool HasTrackedBelow(absl::string_view folder) const {
    if (tracked.empty()) return false;
    const std::string prefix = absl::StrCat(folder, "/");
    const auto found = std::lower_bound(tracked.begin(), tracked.end(), prefix);
    return found != tracked.end() && absl::StartsWith(*found, prefix);
  }

  void AddOuter(std::string below, absl::string_view text) {
    std::vector<IgnorePattern> patterns = ParseIgnoreFile(text);
    if (patterns.empty()) return;
    outer_texts.emplace_back(below, text);
    outer.push_back({std::move(below), std::move(patterns)});
  }

  void AddFolder(absl::string_view folder, absl::string_view text) {
    std::vector<IgnorePattern> patterns = ParseIgnoreFile(text);
    if (patterns.empty()) return;
    folder_texts.emplace_back(folder, text);
    by_folder[folder == "." ? "" : std::string(folder)] = std::move(patterns);
  }

  // The rules of the git working tree around `root`, from outside inwards, without root's own.
  absl::Status LoadAbove(const std::string& root) {
    std::string top = root;
    while (!FileExists(JoinPath(top, ".git"))) {
      if (top == "/") return absl::OkStatus();
      top = DirName(top);
    }
    std::string below = top == root ? "" : root.substr(top == "/" ? 1 : top.size() + 1);
    STILE_ASSIGN_OR_RETURN(std::string text,
                           ReadIgnoreFile(JoinPath(CommonGitDir(top), "info/exclude")));
    AddOuter(below, text);
    for (std::string folder = top; !below.empty();) {
      STILE_ASSIGN_OR_RETURN(text, ReadIgnoreFile(JoinPath(folder, ".gitignore")));
      AddOuter(below, text);
      const size_t slash = below.find('/');
      folder = JoinPath(folder, below.substr(0, slash));
      below = slash == std::string::npos ? "" : below.substr(slash + 1);
    }
    return absl::OkStatus();
  }
};

IgnoreRules::IgnoreRules() : data_(std::make_shared<Data>()) {}

IgnoreRules::Reader::Reader(std::string root)
    : root_(std::move(root)), data_(std::make_shared<Data>()) {}

absl::StatusOr<IgnoreRules::Reader> IgnoreRules::Reader::Open(
    const std::string& root, const std::vector<std::string>& extra_patterns) {
  Reader reader(root);
  reader.data_->AddOuter("", absl::StrJoin(extra_patterns, "\n"));
  STILE_RETURN_IF_ERROR(reader.data_->LoadAbove(root));
  return reader;
}

absl::Status IgnoreRules::Reader::EnterFolder(const std::string& folder,
                                              const std::vector<DirectoryEntry>& entries) {
  const auto path_of = [&](absl::string_view name) -> std::string {
    const auto found = std::lower_bound(
        entries.begin(), entries.end(), name,
        [](const DirectoryEntry& entry, absl::string_view wanted) { return entry.name < wanted; });
    if (found == entries.end() || found->name != name) return "";
    return JoinPath(JoinPath(root_, folder), name);
  };
  if (const std::string path = path_of(".gitattributes"); !path.empty()) {
    struct stat info {};
    if (lstat(path.c_str(), &info) == 0) STILE_RETURN_IF_ERROR(CheckReadable(path, info));
  }
  if (const std::string path = path_of(".gitignore"); !path.empty()) {
    STILE_ASSIGN_OR_RETURN(const std::string text, ReadIgnoreFile(path));
    data_->AddFolder(folder, text);
  }
  return absl::OkStatus();
}

bool IgnoreRules::Reader::Matches(absl::string_view path, bool is_folder) const {
  return data_->Matches(path, is_folder);
}

IgnoreRules IgnoreRules::Reader::Take(const std::vector<std::string>& tracked) {
  data_->tracked = tracked;
  std::sort(data_->tracked.begin(), data_->tracked.end());
  IgnoreRules rules;
  rules.data_ = std::move(data_);
  return rules;
}

absl::StatusOr<IgnoreRules> IgnoreRules::Load(const std::string& root,
                                              const std::vector<std::string>& extra_patterns,
                                              const std::vector<std::string>& tracked) {
  STILE_ASSIGN_OR_RETURN(Reader reader, Reader::Open(root, extra_patterns));
  std::vector<std::string> pending = {""};
  while (!pending.empty()) {
    const std::string folder = std::move(pending.back());
    pending.pop_back();
    const auto entries = ListEntries(JoinPath(root, folder));
    if (absl::IsNotFound(entries.status()) && !folder.empty()) continue;
    STILE_RETURN_IF_ERROR(entries.status());
    STILE_RETURN_IF_ERROR(reader.EnterFolder(folder, *entries));
    for (const DirectoryEntry& entry : *entries) {
      if (!entry.is_folder || entry.name == ".git") continue;
      std::string path = JoinPath(folder, entry.name);
      // Ignored folders need no look: nothing in them can be taken back in.
      if (!reader.Matches(path, /*is_folder=*/true)) pending.push_back(std::move(path));
    }
  }
  return reader.Take(tracked);
}

IgnoreRules IgnoreRules::FromTexts(const std::vector<std::pair<std::string, std::string>>& files,
                                   const std::vector<std::string>& tracked) {
  auto data = std::make_shared<Data>();
  data->tracked = tracked;
  std::sort(data->tracked.begin(), data->tracked.end());
  for (const auto& [folder, text] : files) data->AddFolder(folder, text);
  IgnoreRules rules;
  rules.data_ = std::move(data);
  return rules;
}

std::string IgnoreRules::Serialize() const {
  const auto list = [](const std::vector<std::pair<std::string, std::string>>& texts) {
    Json array = Json::array();
    for (const auto& [folder, text] : texts) {
      array.push_back({Base64Encode(folder), Base64Encode(text)});
    }
    return array;
  };
  return DumpJson({{"outer", list(data_->outer_texts)}, {"folders", list(data_->folder_texts)}});
}

absl::StatusOr<IgnoreRules> IgnoreRules::Parse(absl::string_view text,
                                               const std::vector<std::string>& tracked) {
  const absl::StatusOr<Json> json = ParseJson(text);
  const absl::Status damaged = absl::DataLossError("the ignore rules that were kept are damaged");
  auto data = std::make_shared<Data>();
  for (const char* key : {"outer", "folders"}) {
    const Json* const list = json.ok() ? JsonMember(*json, key) : nullptr;
    if (list == nullptr || !list->is_array()) return damaged;
    for (const Json& entry : *list) {
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
          !entry[1].is_string()) {
        return damaged;
      }
      const auto folder = Base64Decode(entry[0].get<std::string>());
      const auto content = Base64Decode(entry[1].get<std::string>());
      if (!folder.ok() || !content.ok()) return damaged;
      if (key == absl::string_view("outer")) {
        data->AddOuter(*folder, *content);
      } else {
        data->AddFolder(*folder, *content);
      }
    }
  }
  data->tracked = tracked;
  std::sort(data->tracked.begin(), data->tracked.end());
  IgnoreRules rules;
  rules.data_ = std::move(data);
  return rules;
}

bool IgnoreRules::IsIgnoredFile(absl::string_view path) const {
  return (data_->FolderAboveIgnored(path) || data_->Matches(path, /*is_folder=*/false)) &&
         !data_->IsTracked(path);
}

bool IgnoreRules::CanSkipFolder(absl::string_view path) const {
  return (data_->FolderAboveIgnored(path) || data_->Matches(path, /*is_folder=*/true)) &&
         !data_->HasTrackedBelow(path);
}

bool IgnoreRules::Matches(absl::string_view path, bool is_folder) const {
  return data_->Matches(path, is_folder);
}

bool IgnoreRules::IsTracked(absl::string_view path) const { return data_->IsTracked(path); }

bool IgnoreRules::HasTrackedBelow(absl::string_view folder) const {
  return data_->HasTrackedBelow(folder);
}

namespace {

constexpr const char* kDefaultPatterns[] = {
    // any language
    "build/",
    "out/",
    "dist/",
    ".cache/",
    "*.o",
    "*.obj",
    "*.a",
    "*.so",
    "*.so.*",
    "*.dylib",
    "*.dll",
    "*.exe",
    ".DS_Store",
    // C and C++
    "CMakeFiles/",
    "cmake-build-*/",
    "bazel-*",
    "*.gcda",
    "*.gcno",
    ".ccls-cache/",
    // JavaScript and TypeScript
    "node_modules/",
    ".next/",
    ".nuxt/",
    ".turbo/",
    ".parcel-cache/",
    "*.tsbuildinfo",
    "**/.yarn/cache/",
    ".pnpm-store/",
    // Python
    "__pycache__/",
    "*.pyc",
    "*.pyo",
    ".venv/",
    "venv/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".tox/",
    ".nox/",
    "*.egg-info/",
    ".eggs/",
    ".coverage",
    "htmlcov/",
    // Rust, Java, Kotlin, Scala
    "target/",
    ".gradle/",
    "*.class",
    ".bsp/",
    ".metals/",
    // C#
    "**/bin/Debug/",
    "**/bin/Release/",
    "obj/",
    ".vs/",
    // Ruby, PHP
    ".bundle/",
    "**/vendor/bundle/",
    // Swift, Dart, Elixir, Haskell
    ".build/",
    ".dart_tool/",
    "_build/",
    "dist-newstyle/",
    ".stack-work/",
};

}  // namespace

std::vector<std::string> DefaultIgnorePatterns() {
  return {std::begin(kDefaultPatterns), std::end(kDefaultPatterns)};
}

}  // namespace stile
