#include "runtime/journal/run_changes.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/journal/run_store.h"

namespace stile {
namespace {

Json HashJson(const std::optional<Sha256Digest>& hash) {
  return hash.has_value() ? Json(ToHex(*hash)) : Json(nullptr);
}

// nullopt: the member is absent or no hash. An inner nullopt is JSON null.
std::optional<std::optional<Sha256Digest>> HashMember(const Json& json, absl::string_view key) {
  const Json* member = JsonMember(json, key);
  if (member == nullptr) return std::nullopt;
  if (member->is_null()) return std::optional<Sha256Digest>();
  const std::string hex = JsonString(json, key).value_or("");
  Sha256Digest digest;
  if (hex.size() != 2 * digest.size() || !std::all_of(hex.begin(), hex.end(), [](unsigned char c) {
        return absl::ascii_isxdigit(c);
      })) {
    return std::nullopt;
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

std::optional<uint32_t> ModeMember(const Json& json, absl::string_view key) {
  const auto mode = JsonInt(json, key);
  if (!mode || *mode < 0 || *mode > 0177777) return std::nullopt;
  return static_cast<uint32_t>(*mode);
}

std::optional<std::string> PathMember(const Json& json) {
  if (auto path = JsonString(json, "path"); path.has_value()) return path;
  const auto encoded = JsonString(json, "path_base64");
  if (!encoded) return std::nullopt;
  absl::StatusOr<std::string> path = Base64Decode(*encoded);
  if (!path.ok()) return std::nullopt;
  return *std::move(path);
}

}  // namespace

absl::Status WriteChanges(FileSystem* fs, const RunPaths& run,
                          const std::vector<RecordedChange>& changes) {
  Json list = Json::array();
  for (const RecordedChange& change : changes) {
    Json item = {{"before", HashJson(change.before)},
                 {"after", HashJson(change.after)},
                 {"before_mode", change.before_mode},
                 {"after_mode", change.after_mode}};
    const bool utf8 = IsUtf8(change.path);
    item[utf8 ? "path" : "path_base64"] = utf8 ? change.path : Base64Encode(change.path);
    list.push_back(std::move(item));
  }
  const Json document = {{"version", 1}, {"changes", std::move(list)}};
  return WriteFileAtomically(fs, run.changes, DumpJson(document, 1) + "\n", 0600);
}

absl::StatusOr<std::vector<RecordedChange>> ReadChanges(const RunPaths& run) {
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         DiskFileSystem()->ReadFile(run.changes, kMaxFileBytes));
  const auto damaged = [&](absl::string_view why) {
    return absl::DataLossError(absl::StrCat(run.changes, " is damaged: ", why));
  };
  const absl::StatusOr<Json> document = ParseJson(text);
  if (!document.ok()) return damaged(document.status().message());
  const Json* list = JsonMember(*document, "changes");
  if (JsonInt(*document, "version") != 1 || list == nullptr || !list->is_array()) {
    return damaged("not a version 1 list of changes");
  }
  std::vector<RecordedChange> changes;
  for (const Json& item : *list) {
    auto path = PathMember(item);
    const auto before = HashMember(item, "before");
    const auto after = HashMember(item, "after");
    const auto before_mode = ModeMember(item, "before_mode");
    const auto after_mode = ModeMember(item, "after_mode");
    if (!path || !before || !after || !before_mode || !after_mode) {
      return damaged(absl::StrCat("entry ", changes.size() + 1));
    }
    changes.push_back({*std::move(path), *before, *after, *before_mode, *after_mode});
  }
  return changes;
}

namespace {

Json ListOf(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(ToUtf8(text));
  return list;
}

std::vector<std::string> TextsOf(const Json& document, absl::string_view key) {
  std::vector<std::string> texts;
  const Json* const list = JsonMember(document, key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& text : *list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

absl::Status WriteUndone(FileSystem* fs, const RunPaths& run, const UndoRecord& record) {
  const Json document = {
      {"version", 1},
      {"time", absl::FormatTime(absl::RFC3339_full, record.time, absl::UTCTimeZone())},
      {"begun_again", record.begun_again},
      {"restored", ListOf(record.report.restored)},
      {"kept", ListOf(record.report.kept)},
      {"lost", ListOf(record.report.lost)},
      {"removed", ListOf(record.report.removed)},
      {"left", ListOf(record.report.left)}};
  return WriteFileAtomically(fs, run.undone, DumpJson(document, 1) + "\n", 0600);
}

absl::StatusOr<std::optional<UndoRecord>> ReadUndone(const RunPaths& run) {
  struct stat info {};
  if (stat(run.undone.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return ErrnoStatus(errno, "look up", run.undone);
  }
  UndoRecord record;
  record.time = absl::FromTimeT(info.st_mtime);
  STILE_ASSIGN_OR_RETURN(const std::string text,
                         DiskFileSystem()->ReadFile(run.undone, kMaxFileBytes));
  const absl::StatusOr<Json> document = ParseJson(text);
  if (!document.ok()) return record;
  std::string error;
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, JsonString(*document, "time").value_or(""), &time,
                      &error)) {
    record.time = time;
  }
  record.begun_again = JsonBool(*document, "begun_again").value_or(false);
  record.report.restored = TextsOf(*document, "restored");
  record.report.kept = TextsOf(*document, "kept");
  record.report.lost = TextsOf(*document, "lost");
  record.report.removed = TextsOf(*document, "removed");
  record.report.left = TextsOf(*document, "left");
  return record;
}

}  // namespace stile
