#include "tools/refactor/move_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/backend/syntax_nodes.h"
#include "tools/index/file_reading.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

constexpr size_t kMaxMentions = 50;
constexpr size_t kMaxReadBytes = size_t{64} << 20;
constexpr size_t kMaxTextBytes = size_t{1} << 20;

bool IsEcma(const Language& language) {
  return language.id == "typescript" || language.id == "javascript";
}

absl::Status CheckLanguages(const FileMove& move) {
  const Language& before = move.file->language;
  const Language* const after = move.context.languages->OfFile(move.to);
  const bool fits =
      after != nullptr && (after->id == before.id || (IsEcma(before) && IsEcma(*after)) ||
                           SeeEachOther(before, *after));
  if (fits) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(ToUtf8(move.to), " is no file of ", before.name, "; keep the extension"));
}

absl::Status MoveGoFile(const FileMove& move) {
  if (move.ChangesFolder()) {
    return absl::FailedPreconditionError(
        "in Go a folder is a package: a file moves within its folder only");
  }
  const auto is_test = [](const std::string& path) { return absl::EndsWith(path, "_test.go"); };
  if (is_test(move.from()) == is_test(move.to)) return absl::OkStatus();
  return absl::FailedPreconditionError("in Go only the names of tests end with _test.go");
}

absl::Status MoveByLanguage(const FileMove& move) {
  const std::string& language = move.file->language.id;
  if (IsEcma(move.file->language)) return MoveEcmaModule(move);
  if (language == "python") return MovePythonModule(move);
  if (language == "c" || language == "cpp") return MoveIncluded(move);
  if (language == "java") return MoveJavaFile(move);
  if (language == "go") return MoveGoFile(move);
  if (language == "csharp") return absl::OkStatus();  // types are known by their namespaces
  return absl::UnimplementedError(absl::StrCat(
      "move_file is not available for ", move.file->language.name, "; use git.mv and file.modify"));
}

bool IsPathByte(char c) { return IsIdentifierByte(c) || c == '-' || c == '.' || c == '/'; }

// Lines of other text that hold the name of the file as a whole path, or its end.
void FindMentions(const FileMove& move) {
  const std::string base = BaseName(move.from());
  size_t bytes = 0;
  for (const std::string& path : move.paths) {
    std::vector<FileMention>& mentions = move.result->mentions;
    if (mentions.size() == kMaxMentions || bytes > kMaxReadBytes) return;
    std::string text;
    if (path == move.from() || move.context.index->IsCode(path) ||
        !ReadRegularFile(JoinPath(move.context.workspace, path), kMaxTextBytes, &text)) {
      continue;
    }
    bytes += text.size();
    const auto edited = move.result->plan.files().find(path);
    if (edited != move.result->plan.files().end()) text = edited->second.After();
    for (size_t at = text.find(base); at != std::string::npos; at = text.find(base, at + 1)) {
      const size_t end = at + base.size();
      size_t begin = at;
      while (begin > 0 && IsPathByte(text[begin - 1])) --begin;
      const std::string written = CleanPath(text.substr(begin, end - begin));
      const bool is_whole = end == text.size() || !IsPathByte(text[end]) ||
                            (text[end] == '.' && (end + 1 == text.size() || text[end + 1] <= ' '));
      const bool is_it = written == move.from() || absl::EndsWith(move.from(), "/" + written) ||
                         CleanPath(JoinPath(DirName(path), written)) == move.from();
      if (!is_whole || !is_it || mentions.size() == kMaxMentions) continue;
      const int line = 1 + static_cast<int>(std::count(
                               text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      if (mentions.empty() || mentions.back().path != path || mentions.back().line != line) {
        mentions.push_back({path, line});
      }
    }
  }
}

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

std::string RelativePath(const std::string& folder, const std::string& path) {
  std::vector<std::string> here;
  if (folder != ".") here = absl::StrSplit(folder, '/');
  const std::vector<std::string> there = absl::StrSplit(path, '/');
  size_t shared = 0;
  while (shared < here.size() && shared + 1 < there.size() && here[shared] == there[shared]) {
    ++shared;
  }
  std::string relative;
  for (size_t i = shared; i < here.size(); ++i) absl::StrAppend(&relative, "../");
  return absl::StrCat(relative, absl::StrJoin(there.begin() + static_cast<std::ptrdiff_t>(shared),
                                              there.end(), "/"));
}

absl::StatusOr<MovedFile> PlanMoveFile(const GenerateContext& context, const std::string& from,
                                       const std::string& to) {
  STILE_ASSIGN_OR_RETURN(auto file, context.index->Open(from));
  MovedFile result;
  FileMove move{context, std::move(file), to, {}, &result};
  STILE_RETURN_IF_ERROR(CheckLanguages(move));
  context.index->ListFiles([&](const std::string& path) { move.paths.insert(path); });
  STILE_RETURN_IF_ERROR(MoveByLanguage(move));
  result.plan.Move(*move.file, to);
  FindMentions(move);
  return result;
}

}  // namespace stile
