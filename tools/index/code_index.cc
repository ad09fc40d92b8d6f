#include "tools/index/code_index.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/byte_hash.h"
#include "tools/index/file_reading.h"

namespace stile {
namespace {

constexpr size_t kMaxKeptBytes = size_t{64} << 20;  // of text; trees are not kept

}  // namespace

bool HoldsWord(absl::string_view text, absl::string_view word) {
  if (word.empty()) return false;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    at = static_cast<const char*>(
        memmem(at, static_cast<size_t>(end - at), word.data(), word.size()));
    if (at == nullptr) return false;
    const char* const behind = at + word.size();
    if ((at == text.data() || !IsIdentifierByte(at[-1])) &&
        (behind == end || !IsIdentifierByte(*behind))) {
      return true;
    }
    ++at;
  }
  return false;
}

CodeIndex::CodeIndex(std::string workspace, const LanguageRegistry* languages,
                     FileLister list_files)
    : workspace_(std::move(workspace)), languages_(languages), list_files_(std::move(list_files)) {}

bool CodeIndex::IsCode(absl::string_view path) const {
  return FindGrammar(languages_->GrammarOf(path)) != nullptr;
}

std::shared_ptr<const SourceFile> CodeIndex::Known(const std::string& path, size_t hash) {
  const auto found = kept_.find(path);
  if (found == kept_.end() || found->second.hash != hash) return nullptr;
  found->second.used = ++clock_;
  return found->second.file;
}

void CodeIndex::Keep(const std::string& path, size_t hash, std::shared_ptr<const SourceFile> file) {
  Kept& kept = kept_[path];
  if (kept.file != nullptr) kept_bytes_ -= kept.file->text.size();
  kept_bytes_ += file->text.size();
  kept = {hash, std::move(file), ++clock_};
  while (kept_bytes_ > kMaxKeptBytes && kept_.size() > 1) {
    const auto oldest = std::min_element(
        kept_.begin(), kept_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    kept_bytes_ -= oldest->second.file->text.size();
    kept_.erase(oldest);
  }
}

absl::StatusOr<std::shared_ptr<const SourceFile>> CodeIndex::ParseText(const std::string& path,
                                                                       std::string text) const {
  const Grammar* grammar = FindGrammar(languages_->GrammarOf(path));
  const Language* language = languages_->OfFile(path);
  if (grammar == nullptr || language == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToUtf8(path), " is of no language that can be parsed"));
  }
  return SourceFile::Parse(path, *language, *grammar, std::move(text));
}

absl::StatusOr<std::shared_ptr<const SourceFile>> CodeIndex::Open(const std::string& path) {
  STILE_ASSIGN_OR_RETURN(std::string text,
                         DiskFileSystem()->ReadFile(JoinPath(workspace_, path), kMaxCodeBytes));
  const size_t hash = std::hash<std::string>()(text);
  if (auto known = Known(path, hash)) return known;
  STILE_ASSIGN_OR_RETURN(std::shared_ptr<const SourceFile> file, ParseText(path, std::move(text)));
  Keep(path, hash, file);
  return file;
}

std::vector<std::shared_ptr<const SourceFile>> CodeIndex::FilesWith(absl::string_view word,
                                                                    absl::string_view wanted) {
  struct Candidate {
    std::string path;
    std::string text;  // empty: does not hold the word
    bool failed = false;
    size_t hash = 0;
    std::shared_ptr<const SourceFile> file;
  };
  std::vector<Candidate> candidates;
  list_files_([&](const std::string& path) {
    if (!IsCode(path) || (!wanted.empty() && !GlobMatch(wanted, path))) return;
    candidates.emplace_back().path = path;
  });
  InParallel(candidates.size(), [&](size_t index) {
    thread_local std::string buffer;
    Candidate& candidate = candidates[index];
    if (!ReadRegularFile(JoinPath(workspace_, candidate.path), kMaxCodeBytes, &buffer)) {
      candidate.failed = true;
    } else if (HoldsWord(buffer, word)) {
      candidate.text = buffer;
      candidate.hash = std::hash<std::string>()(buffer);
    }
  });
  for (Candidate& candidate : candidates) {
    if (!candidate.text.empty()) candidate.file = Known(candidate.path, candidate.hash);
  }
  InParallel(candidates.size(), [&](size_t index) {
    Candidate& candidate = candidates[index];
    if (candidate.text.empty() || candidate.file != nullptr) return;
    auto parsed = ParseText(candidate.path, std::move(candidate.text));
    candidate.failed = !parsed.ok();
    if (parsed.ok()) candidate.file = *std::move(parsed);
  });
  unreadable_.clear();
  std::vector<std::shared_ptr<const SourceFile>> files;
  for (Candidate& candidate : candidates) {
    if (candidate.failed) unreadable_.push_back(candidate.path);
    if (candidate.file == nullptr) continue;
    Keep(candidate.path, candidate.hash, candidate.file);
    files.push_back(std::move(candidate.file));
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a->path < b->path; });
  return files;
}

}  // namespace stile
