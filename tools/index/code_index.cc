#include "tools/index/code_index.h"

#include <string.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/query.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/byte_hash.h"
#include "tools/index/file_reading.h"

namespace stile {
namespace {

constexpr uint32_t kFilterVersion = 1;  // raised whenever filters of a text come out differently
constexpr size_t kMaxFilterBytes = size_t{64} << 20;
constexpr size_t kMaxKeptBytes = size_t{64} << 20;  // of text; trees are not kept

}  // namespace

size_t FindWord(absl::string_view text, absl::string_view word, size_t from) {
  if (word.empty() || from > text.size()) return absl::string_view::npos;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data() + from; at < end; ++at) {
    at = static_cast<const char*>(
        memmem(at, static_cast<size_t>(end - at), word.data(), word.size()));
    if (at == nullptr) break;
    const char* const behind = at + word.size();
    if ((at == text.data() || !IsIdentifierByte(at[-1])) &&
        (behind == end || !IsIdentifierByte(*behind))) {
      return static_cast<size_t>(at - text.data());
    }
  }
  return absl::string_view::npos;
}

bool HoldsWord(absl::string_view text, absl::string_view word) {
  return FindWord(text, word) != absl::string_view::npos;
}

struct CodeIndex::Candidate {
  explicit Candidate(ListedFile listed) : file(std::move(listed)) {}

  ListedFile file;
  const FileCache::Entry* entry = nullptr;
  const Kept* kept = nullptr;
  SeenFile seen;
  std::string text;  // empty: does not hold the word, or need not be parsed
  bool was_read = false;
  bool failed = false;
  bool is_news = false;  // `learned` goes into the cache
  FileCache::Entry learned;
  size_t hash = 0;
  std::shared_ptr<const SourceFile> parsed;
};

CodeIndex::CodeIndex(std::string workspace, const LanguageRegistry* languages,
                     FileLister list_files)
    : CodeIndex(std::move(workspace), languages, std::move(list_files), Memory()) {}

CodeIndex::CodeIndex(std::string workspace, const LanguageRegistry* languages,
                     FileLister list_files, Memory memory)
    : workspace_(std::move(workspace)),
      languages_(languages),
      list_files_(std::move(list_files)),
      memory_(std::move(memory)),
      identifiers_({memory_.folder.empty() ? "" : JoinPath(memory_.folder, "identifiers"),
                    kFilterVersion, kMaxFilterBytes, memory_.clock}) {}

CodeIndex::~CodeIndex() = default;

bool CodeIndex::IsCode(absl::string_view path) const {
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  const absl::string_view extension = name.substr(std::min(name.rfind('.'), name.size()));
  const auto known = is_code_.find(extension);
  if (known != is_code_.end()) return known->second;
  const bool is_code = FindGrammar(languages_->GrammarOf(path)) != nullptr;
  is_code_.emplace(extension, is_code);
  return is_code;
}

std::shared_ptr<const SourceFile> CodeIndex::Known(const std::string& path, size_t hash) {
  const auto found = kept_.find(path);
  if (found == kept_.end() || found->second.hash != hash) return nullptr;
  found->second.used = ++clock_;
  return found->second.file;
}

void CodeIndex::Keep(const std::string& path, const SeenFile& seen, size_t hash,
                     std::shared_ptr<const SourceFile> file) {
  Kept& kept = kept_[path];
  if (kept.file != nullptr) kept_bytes_ -= kept.file->text.size();
  kept_bytes_ += file->text.size();
  kept = {seen, hash, std::move(file), ++clock_};
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
  Keep(path, SeenFile(), hash, file);
  return file;
}

std::vector<CodeIndex::Candidate> CodeIndex::Candidates(absl::string_view wanted) {
  std::vector<Candidate> candidates;
  listed_ = 0;
  list_files_([&](const ListedFile& file) {
    if (!IsCode(file.path)) return;
    ++listed_;
    if (!wanted.empty() && !GlobMatch(wanted, file.path)) return;
    Candidate& candidate = candidates.emplace_back(file);
    candidate.entry = identifiers_.Find(file.path);
    const auto kept = kept_.find(file.path);
    if (kept != kept_.end()) candidate.kept = &kept->second;
  });
  return candidates;
}

void CodeIndex::Look(const IdentifierProbe& probe, absl::string_view word, int64_t now_ns,
                     Candidate* candidate) const {
  const std::string path = JoinPath(workspace_, candidate->file.path);
  const FileCache::Entry* const entry = candidate->entry;
  DiskStamp stamp;
  const bool is_without = entry != nullptr && !probe.MayBeIn(entry->payload);
  const Kept* const kept = candidate->kept;
  if ((is_without || kept != nullptr) && CurrentStamp(workspace_, candidate->file, &stamp)) {
    if (is_without && entry->IsOf(stamp)) return;
    if (kept != nullptr && kept->seen.IsOf(stamp)) {
      candidate->seen = kept->seen;
      candidate->hash = kept->hash;
      if (HoldsWord(kept->file->text, word)) candidate->parsed = kept->file;
      return;
    }
  }
  thread_local std::string buffer;
  if (!ReadRegularFile(path, kMaxCodeBytes, &buffer, &stamp)) {
    candidate->failed = true;
    return;
  }
  candidate->was_read = true;
  candidate->seen.stamp = stamp;
  candidate->seen.looked_at_ns = now_ns;
  if (HoldsWord(buffer, word)) {
    candidate->text = buffer;
    candidate->hash = std::hash<std::string>()(buffer);
  }
  if (entry != nullptr && entry->IsOf(stamp) && !entry->payload.empty()) return;
  // A filter costs more than a look: it is made for what is looked at a second time.
  FileCache::Entry& learned = candidate->learned;
  learned.stamp = stamp;
  learned.looked_at_ns = now_ns;
  if (entry != nullptr) {
    learned.owner = std::make_shared<const std::string>(MakeIdentifierFilter(buffer));
    learned.payload = *learned.owner;
  }
  candidate->is_news = true;
}

void CodeIndex::Learn(std::vector<Candidate>* candidates) {
  for (Candidate& candidate : *candidates) {
    if (candidate.is_news) identifiers_.Put(candidate.file.path, std::move(candidate.learned));
  }
  if (identifiers_.size() > listed_) {
    std::set<std::string> listed;
    ListFiles([&](const std::string& path) { listed.insert(path); });
    identifiers_.KeepOnly(listed);
  }
  identifiers_.SaveIfMuchChanged();
}

std::vector<std::shared_ptr<const SourceFile>> CodeIndex::FilesWith(absl::string_view word,
                                                                    absl::string_view wanted) {
  const int64_t now_ns = identifiers_.NowNs();
  std::vector<Candidate> candidates = Candidates(wanted);
  const IdentifierProbe probe(word);
  InParallel(candidates.size(), [&](size_t i) { Look(probe, word, now_ns, &candidates[i]); });
  Learn(&candidates);
  for (Candidate& candidate : candidates) {
    if (!candidate.text.empty()) candidate.parsed = Known(candidate.file.path, candidate.hash);
  }
  std::vector<Candidate*> unknown;
  for (Candidate& candidate : candidates) {
    if (!candidate.text.empty() && candidate.parsed == nullptr) unknown.push_back(&candidate);
  }
  // A large one that comes last would have one thread wait for the other.
  std::sort(unknown.begin(), unknown.end(),
            [](const Candidate* a, const Candidate* b) { return a->text.size() > b->text.size(); });
  InParallel(unknown.size(), [&](size_t i) {
    Candidate& candidate = *unknown[i];
    auto parsed = ParseText(candidate.file.path, std::move(candidate.text));
    candidate.failed = !parsed.ok();
    if (parsed.ok()) candidate.parsed = *std::move(parsed);
  });
  unreadable_.clear();
  files_read_ = 0;
  std::vector<std::shared_ptr<const SourceFile>> files;
  for (Candidate& candidate : candidates) {
    if (candidate.was_read) ++files_read_;
    if (candidate.failed) unreadable_.push_back(candidate.file.path);
    if (candidate.parsed == nullptr) continue;
    Keep(candidate.file.path, candidate.seen, candidate.hash, candidate.parsed);
    files.push_back(std::move(candidate.parsed));
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a->path < b->path; });
  return files;
}

}  // namespace stile
