// The text form of a snapshot: one JSON object a line, first a header, then the files.

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/snapshot.h"

namespace stile {
namespace {

constexpr int kFormat = 1;

absl::string_view KindName(FileRecord::Kind kind) {
  switch (kind) {
    case FileRecord::Kind::kRegular:
      return "regular";
    case FileRecord::Kind::kSymlink:
      return "symlink";
    case FileRecord::Kind::kSpecial:
      return "special";
  }
  return "";
}

absl::StatusOr<uint64_t> Unsigned(const Json& line, absl::string_view key) {
  const Json* value = JsonMember(line, key);
  if (value == nullptr || !value->is_number_integer() ||
      (!value->is_number_unsigned() && value->get<int64_t>() < 0)) {
    return absl::InvalidArgumentError(absl::StrCat("'", key, "' is no number ≥ 0"));
  }
  return value->get<uint64_t>();
}

absl::StatusOr<int64_t> Signed(const Json& line, absl::string_view key) {
  const std::optional<int64_t> value = JsonInt(line, key);
  if (!value.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("'", key, "' is no number"));
  }
  return *value;
}

absl::StatusOr<std::string> ParsePath(const Json& line) {
  std::optional<std::string> path = JsonString(line, "path");
  if (!path.has_value()) {
    const std::optional<std::string> encoded = JsonString(line, "pathBase64");
    if (!encoded.has_value()) return absl::InvalidArgumentError("'path' is missing");
    STILE_ASSIGN_OR_RETURN(path, Base64Decode(*encoded));
  }
  if (path->empty() || path->find('\0') != std::string::npos || absl::StartsWith(*path, "/")) {
    return absl::InvalidArgumentError("'path' is no relative path");
  }
  return *std::move(path);
}

absl::StatusOr<Sha256Digest> ParseHash(const Json& line) {
  const std::string hex = JsonString(line, "sha256").value_or("");
  bool valid = hex.size() == 64;
  for (const char c : hex) valid &= absl::ascii_isxdigit(static_cast<unsigned char>(c));
  if (!valid) return absl::InvalidArgumentError("'sha256' is no hash");
  const std::string bytes = absl::HexStringToBytes(hex);
  Sha256Digest hash;
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

absl::StatusOr<FileRecord> ParseRecord(absl::string_view text) {
  STILE_ASSIGN_OR_RETURN(const Json line, ParseJson(text));
  FileRecord record;
  STILE_ASSIGN_OR_RETURN(record.path, ParsePath(line));
  const std::string kind = JsonString(line, "kind").value_or("");
  if (kind == "symlink") {
    record.kind = FileRecord::Kind::kSymlink;
  } else if (kind == "special") {
    record.kind = FileRecord::Kind::kSpecial;
  } else if (kind != "regular") {
    return absl::InvalidArgumentError(absl::StrCat("unknown kind '", kind, "'"));
  }
  STILE_ASSIGN_OR_RETURN(const uint64_t mode, Unsigned(line, "mode"));
  if (mode > 0xffffffff) return absl::InvalidArgumentError("'mode' is too large");
  record.mode = static_cast<uint32_t>(mode);
  STILE_ASSIGN_OR_RETURN(record.size, Unsigned(line, "size"));
  STILE_ASSIGN_OR_RETURN(record.mtime_ns, Signed(line, "mtime_ns"));
  STILE_ASSIGN_OR_RETURN(record.ctime_ns, Signed(line, "ctime_ns"));
  STILE_ASSIGN_OR_RETURN(record.inode, Unsigned(line, "inode"));
  STILE_ASSIGN_OR_RETURN(record.hash, ParseHash(line));
  return record;
}

absl::Status AtLine(const absl::Status& status, size_t line) {
  return absl::InvalidArgumentError(absl::StrCat("snapshot, line ", line, ": ", status.message()));
}

}  // namespace

std::string SerializeSnapshot(const Snapshot& snapshot) {
  const Json header = {{"format", kFormat},
                       {"taken_at_ns", snapshot.taken_at_ns()},
                       {"files", snapshot.files().size()}};
  std::string text = absl::StrCat(DumpJson(header), "\n");
  for (const FileRecord& record : snapshot.files()) {
    Json line = {{"kind", std::string(KindName(record.kind))},
                 {"mode", record.mode},
                 {"size", record.size},
                 {"mtime_ns", record.mtime_ns},
                 {"ctime_ns", record.ctime_ns},
                 {"inode", record.inode},
                 {"sha256", ToHex(record.hash)}};
    if (IsUtf8(record.path)) {
      line["path"] = record.path;
    } else {
      line["pathBase64"] = Base64Encode(record.path);
    }
    absl::StrAppend(&text, DumpJson(line), "\n");
  }
  return text;
}

absl::StatusOr<Snapshot> ParseSnapshot(absl::string_view text) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  if (lines.empty()) return absl::InvalidArgumentError("the snapshot is empty");
  const absl::StatusOr<Json> header = ParseJson(lines[0]);
  if (!header.ok()) return AtLine(header.status(), 1);
  if (JsonInt(*header, "format") != kFormat) {
    return AtLine(absl::InvalidArgumentError("unknown format"), 1);
  }
  const absl::StatusOr<int64_t> taken_at_ns = Signed(*header, "taken_at_ns");
  if (!taken_at_ns.ok()) return AtLine(taken_at_ns.status(), 1);
  if (JsonInt(*header, "files") != static_cast<int64_t>(lines.size() - 1)) {
    return AtLine(absl::InvalidArgumentError("not as many files as it says: it is cut off"), 1);
  }
  std::vector<FileRecord> records;
  records.reserve(lines.size() - 1);
  for (size_t i = 1; i < lines.size(); ++i) {
    absl::StatusOr<FileRecord> record = ParseRecord(lines[i]);
    if (!record.ok()) return AtLine(record.status(), i + 1);
    if (!records.empty() && records.back().path >= record->path) {
      return AtLine(absl::InvalidArgumentError("the paths are not in order"), i + 1);
    }
    records.push_back(*std::move(record));
  }
  return Snapshot(std::move(records), *taken_at_ns);
}

}  // namespace stile
