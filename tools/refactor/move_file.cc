#include "tools/refactor/move_file.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/index/symbol_query.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

constexpr size_t kMaxMentions = 50;
constexpr size_t kMaxShown = 160;
constexpr size_t kMaxReadBytes = size_t{64} << 20;
constexpr size_t kMaxTextBytes = size_t{1} << 20;

bool ImportsFiles(const Language& language) {
  return LanguageBackendOf(language.id).generation.imports_files;
}

// Folders whose files are made by tools, and whose own files a build does not see.
absl::Status CheckFolder(const FileMove& move) {
  const std::vector<std::string>& made =
      LanguageBackendOf(move.file->language.id).naming.tool_folders;
  for (const absl::string_view part : absl::StrSplit(DirName(move.to), '/')) {
    const bool is_generated = part == "node_modules" || part == "__pycache__" ||
                              std::find(made.begin(), made.end(), part) != made.end();
    if (!is_generated) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("files in ", part, " are made by tools; choose another folder"));
  }
  return absl::OkStatus();
}

absl::Status CheckLanguages(const FileMove& move) {
  const Language& before = move.file->language;
  const Language* const after = move.context.languages->OfFile(move.to);
  const bool fits = after != nullptr &&
                    (after->id == before.id || (ImportsFiles(before) && ImportsFiles(*after)) ||
                     SeeEachOther(before, *after));
  if (fits) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(ToUtf8(move.to), " is no file of ", before.name, "; keep the extension"));
}

// The parts of its name by which Go decides whether a file is built, see `go help buildconstraint`.
std::set<std::string> GoConditions(const std::string& path) {
  static const std::set<std::string> kKnown = {
      "test",    "aix",     "android", "darwin",  "dragonfly", "freebsd", "hurd",
      "illumos", "ios",     "js",      "linux",   "nacl",      "netbsd",  "openbsd",
      "plan9",   "solaris", "wasip1",  "windows", "zos",       "386",     "amd64",
      "arm",     "arm64",   "loong64", "mips",    "mipsle",    "mips64",  "mips64le",
      "ppc64",   "ppc64le", "riscv64", "s390x",   "wasm"};
  const std::string base = BaseName(path);
  std::set<std::string> conditions;
  if (base[0] == '_' || base[0] == '.') conditions.insert("hidden");
  const std::vector<std::string> parts = absl::StrSplit(base.substr(0, base.rfind('.')), '_');
  for (size_t i = 1; i < parts.size(); ++i) {
    if (kKnown.count(parts[i]) > 0) conditions.insert(parts[i]);
  }
  return conditions;
}

// Whether a file of Go has an init, or a variable without a name that is made by a call.
bool RunsAtStart(const SourceFile& file) {
  for (const absl::string_view line : SplitLines(file.text)) {
    const bool is_made = absl::StartsWith(line, "var _ ") && absl::StrContains(line, "(") &&
                         !absl::StrContains(line, "(nil)");
    if (is_made || (absl::StartsWith(line, "func init") && FindWord(line, "init") == 5))
      return true;
  }
  return false;
}

absl::Status MoveGoFile(const FileMove& move) {
  if (move.ChangesFolder()) {
    return absl::FailedPreconditionError(
        "in Go a folder is a package: a file moves within its folder only");
  }
  if (GoConditions(move.from()) != GoConditions(move.to)) {
    return absl::FailedPreconditionError(
        "in Go the name says when a file is built: a leading _ or ., and ends such as _test, "
        "_linux "
        "and _arm64 must stay");
  }
  // Files are initialized in the order of their names.
  if (!RunsAtStart(*move.file)) return absl::OkStatus();
  for (const std::string& path : move.paths) {
    const bool is_neighbour =
        DirName(path) == DirName(move.from()) && path != move.from() && absl::EndsWith(path, ".go");
    if (!is_neighbour || (path < move.from()) == (path < move.to)) continue;
    const auto other = move.context.index->Open(path);
    if (other.ok() && RunsAtStart(**other)) {
      return absl::FailedPreconditionError(
          absl::StrCat("its init would run on the other side of that in ", ToUtf8(path),
                       ", because Go initializes files in the order of their names"));
    }
  }
  return absl::OkStatus();
}

absl::Status MoveByLanguage(const FileMove& move) {
  const LanguageBackend& language = LanguageBackendOf(move.file->language.id);
  const GenerationFacts& facts = language.generation;
  if (facts.imports_files) return MoveEcmaModule(move);
  if (facts.imports_dotted_modules) return MovePythonModule(move);
  if (facts.has_includes) return MoveIncluded(move);
  if (facts.imports_types) return MoveJavaFile(move);
  if (facts.imports_packages) return MoveGoFile(move);
  if (language.facts.imports_name_spaces) return absl::OkStatus();  // no name depends on the file
  return absl::UnimplementedError(absl::StrCat(
      "move_file is not available for ", move.file->language.name, "; use git.mv and file.modify"));
}

bool IsPathByte(char c) { return IsIdentifierByte(c) || c == '-' || c == '.' || c == '/'; }

// Collects the lines of a text that name the moved file.
class MentionFinder {
 public:
  explicit MentionFinder(const FileMove& move) : move_(move), base_(BaseName(move.from())) {}

  void FindAll() {
    size_t bytes = 0;
    for (const std::string& path : move_.paths) {
      if (bytes > kMaxReadBytes) return;
      std::string text;
      if (!ReadRegularFile(JoinPath(move_.context.workspace, path), kMaxTextBytes, &text)) continue;
      bytes += text.size();
      if (path == move_.from()) {
        if (move_.ChangesFolder()) FindOwnFolder(text);
        continue;
      }
      const auto edited = move_.result->plan.files().find(path);
      if (edited != move_.result->plan.files().end()) text = edited->second.After();
      Find(path, text);
    }
  }

 private:
  void Find(const std::string& path, const std::string& text) {
    for (size_t at = text.find(base_); at != std::string::npos; at = text.find(base_, at + 1)) {
      if (IsPathAt(path, text, at)) Add(path, text, at);
    }
    if (ImportsFiles(move_.file->language)) FindSpecifiers(path, text);
    for (const std::string& name : move_.result->other_names) {
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const size_t end = at + name.size();
        const bool is_whole =
            (at == 0 || (!IsIdentifierByte(text[at - 1]) && text[at - 1] != '.')) &&
            (end == text.size() || !IsIdentifierByte(text[end]));
        if (is_whole) Add(path, text, at);
      }
    }
  }

  // Paths of modules that no import statement has: in comments, in templates, in other calls.
  void FindSpecifiers(const std::string& path, const std::string& text) {
    const std::string stem = move_.from().substr(0, move_.from().rfind('.'));
    const std::string last = BaseName(stem);
    for (size_t at = text.find(last); at != std::string::npos; at = text.find(last, at + 1)) {
      const size_t end = at + last.size();
      const bool ends =
          end < text.size() && absl::string_view("'\"`").find(text[end]) != absl::string_view::npos;
      size_t begin = at;
      while (begin > 0 && IsPathByte(text[begin - 1])) --begin;
      const std::string written = text.substr(begin, end - begin);
      const bool is_relative = absl::StartsWith(written, "./") || absl::StartsWith(written, "../");
      if (ends && is_relative && CleanPath(JoinPath(DirName(path), written)) == stem) {
        Add(path, text, at);
      }
    }
  }

  // What the moved file looks for beside itself.
  void FindOwnFolder(const std::string& text) {
    for (const char* const word :
         {"__file__", "__dirname", "__filename", "import.meta.url", "import.meta.dirname"}) {
      for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        Add(move_.to, text, at);
      }
    }
  }

  // Whether the path that ends with the name at `at` is that of the moved file, or its end.
  bool IsPathAt(const std::string& path, const std::string& text, size_t at) const {
    const size_t end = at + base_.size();
    size_t begin = at;
    while (begin > 0 && IsPathByte(text[begin - 1])) --begin;
    while (begin < at && text[begin] == '/') ++begin;
    const std::string written = CleanPath(text.substr(begin, end - begin));
    const bool is_whole = end == text.size() || !IsPathByte(text[end]) ||
                          (text[end] == '.' && (end + 1 == text.size() || text[end + 1] <= ' '));
    return is_whole && (written == move_.from() || absl::EndsWith(move_.from(), "/" + written) ||
                        CleanPath(JoinPath(DirName(path), written)) == move_.from());
  }

  void Add(const std::string& path, const std::string& text, size_t at) {
    std::vector<FileMention>& mentions = move_.result->mentions;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const int line = 1 + static_cast<int>(std::count(text.begin(), begin, '\n'));
    const bool is_known =
        !mentions.empty() && mentions.back().path == path && mentions.back().line == line;
    if (is_known || mentions.size() == kMaxMentions) return;
    const size_t line_begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos: 0
    const std::string whole = text.substr(line_begin, text.find('\n', at) - line_begin);
    mentions.push_back({path, line, 1 + static_cast<int>(at - line_begin),
                        ToUtf8(absl::StripAsciiWhitespace(whole).substr(0, kMaxShown))});
  }

  const FileMove& move_;
  const std::string base_;
};

}  // namespace

bool FileMove::ChangesFolder() const { return DirName(from()) != DirName(to); }

void FileMove::ForEachUser(
    const std::set<std::string>& languages, const std::string& text,
    const std::function<void(const SourceFile&, const SyntaxTree&)>& use) const {
  for (const std::string& path : paths) {
    const Language* const language = context.languages->OfFile(path);
    if (path == from() || language == nullptr || languages.count(language->id) == 0) continue;
    std::string content;
    if (!ReadRegularFile(JoinPath(context.workspace, path), kMaxCodeBytes, &content) ||
        !absl::StrContains(content, text)) {
      continue;
    }
    const auto user = context.index->Open(path);
    if (!user.ok()) continue;
    const auto tree = SyntaxTree::Parse((*user)->grammar, (*user)->text);
    if (tree.ok()) use(**user, *tree);
  }
}

void FileMove::Edit(const SourceFile& in, TSNode node, std::string text) const {
  if (absl::string_view(in.text).substr(BeginOf(node), EndOf(node) - BeginOf(node)) == text) return;
  result->plan.Edit(in, {BeginOf(node), EndOf(node), std::move(text)});
}

absl::StatusOr<MovedFile> PlanMoveFile(const GenerateContext& context, const std::string& from,
                                       const std::string& to) {
  STILE_ASSIGN_OR_RETURN(auto file, context.index->Open(from));
  MovedFile result;
  FileMove move{context, std::move(file), to, {}, &result};
  STILE_RETURN_IF_ERROR(CheckLanguages(move));
  STILE_RETURN_IF_ERROR(CheckFolder(move));
  context.index->ListFiles([&](const std::string& path) { move.paths.insert(path); });
  STILE_RETURN_IF_ERROR(MoveByLanguage(move));
  result.plan.Move(*move.file, to);
  MentionFinder(move).FindAll();
  return result;
}

}  // namespace stile
