#include "runtime/certificate/certificate_reader.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/json_schema.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// A longer statement is refused without saying where: it may be wrong in millions of places.
constexpr size_t kMaxExplainedBytes = size_t{256} << 10;

absl::Status Refused(absl::string_view where, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", why));
}

// Why no file of a workspace has this path; "" if one may.
std::string WhatIsWrongWithPath(absl::string_view path) {
  if (path.empty()) return "is empty";
  if (path[0] == '/') return "is absolute";
  if (absl::StrContains(path, absl::string_view("\0", 1))) return "has a NUL byte";
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return "has '.', '..' or empty parts, which could lead out of the workspace";
    }
    if (absl::EqualsIgnoreCase(part, ".git")) return "lies in .git, which no certificate is about";
  }
  return "";
}

absl::StatusOr<std::string> PathOf(const Json& entry, const std::string& where) {
  const std::string shown = *JsonString(entry, "path");
  std::string path = shown;
  if (const auto base64 = JsonString(entry, "pathBase64")) {
    const auto bytes = Base64Decode(*base64);
    if (!bytes.ok() || Base64Encode(*bytes) != *base64 || IsUtf8(*bytes)) {
      return Refused(where, "pathBase64: not the base64 of a path that is not UTF-8");
    }
    if (ToUtf8(*bytes) != shown) return Refused(where, "path and pathBase64 are different paths");
    path = *bytes;
  }
  const std::string wrong = WhatIsWrongWithPath(path);
  if (wrong.empty()) return path;
  return Refused(where, absl::StrCat("path '", TruncateMiddle(ToUtf8(path), 200), "' ", wrong));
}

std::optional<CertifiedContent> ContentOf(const Json& content) {
  if (content.is_null()) return std::nullopt;
  CertifiedContent result;
  result.sha256 = *JsonString(content, "sha256");
  const std::string mode = *JsonString(content, "mode");  // six octal digits
  for (const char digit : mode) {
    result.mode = result.mode * 8 + static_cast<uint32_t>(digit - '0');
  }
  return result;
}

absl::Status ReadChanged(const Json& predicate, Certificate* certificate, Json* subjects) {
  const Json& changed = predicate["changed"];
  for (size_t i = 0; i < changed.size(); ++i) {
    const Json& entry = changed[i];
    const std::string where = absl::StrCat("predicate.changed[", i, "]");
    CertifiedFile file;
    STILE_ASSIGN_OR_RETURN(file.path, PathOf(entry, where));
    if (!certificate->changed.empty() && certificate->changed.back().path >= file.path) {
      return Refused(where, certificate->changed.back().path == file.path
                                ? "a second statement about one path"
                                : "the paths are not sorted");
    }
    if (entry["before"] == entry["after"]) return Refused(where, "before and after are the same");
    file.after = ContentOf(entry["after"]);
    if (file.after.has_value()) {
      subjects->push_back({{"name", entry["path"]}, {"digest", {{"sha256", file.after->sha256}}}});
    }
    certificate->changed.push_back(std::move(file));
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const Json& predicate, Certificate* certificate) {
  const Json& outputs = predicate["outputs"];
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string where = absl::StrCat("predicate.outputs[", i, "]");
    STILE_ASSIGN_OR_RETURN(std::string path, PathOf(outputs[i], where));
    if (!certificate->outputs.empty() && certificate->outputs.back() >= path) {
      return Refused(where, "the paths are not sorted");
    }
    if (std::any_of(certificate->changed.begin(), certificate->changed.end(),
                    [&](const CertifiedFile& file) { return file.path == path; })) {
      return Refused(where, "is a changed file");
    }
    certificate->outputs.push_back(std::move(path));
  }
  return absl::OkStatus();
}

absl::Status ReadTargets(const Json& predicate, Certificate* certificate) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  for (const Json& entry : predicate["targets"]) {
    CertifiedTarget target{*JsonString(entry, "language"), *JsonString(entry, "validator"),
                           *JsonString(entry, "root"),     *JsonString(entry, "level"),
                           *JsonString(entry, "verdict"),  *JsonString(entry, "rule")};
    if (!seen.insert({target.language, target.validator, target.root, target.level}).second) {
      return Refused("predicate.targets", "two statements about one target");
    }
    certificate->targets.push_back(std::move(target));
  }
  return absl::OkStatus();
}

absl::Status ReadStatement(Certificate* certificate) {
  STILE_ASSIGN_OR_RETURN(certificate->statement, ParseJsonStrict(certificate->envelope.statement));
  const Json& statement = certificate->statement;
  // Told in their own words, as anybody may hand over any statement.
  if (JsonString(statement, "_type") != kStatementType) {
    return absl::InvalidArgumentError("not a certificate: no in-toto statement of version 1");
  }
  const std::string type = JsonString(statement, "predicateType").value_or("");
  if (type != kCertificatePredicateType) {
    return absl::InvalidArgumentError(absl::StrCat("not a certificate: predicateType is '",
                                                   TruncateMiddle(type, 100), "', not '",
                                                   kCertificatePredicateType, "'"));
  }
  STILE_ASSIGN_OR_RETURN(const Json schema, ParseJson(CertificateSchema()));
  const JsonSchema compiled(schema);
  if (!compiled.Fits(statement)) {
    if (certificate->envelope.statement.size() > kMaxExplainedBytes) {
      return absl::InvalidArgumentError(
          "not a certificate: it does not fit the schema (stile certificate schema)");
    }
    std::vector<std::string> violations = compiled.Violations(statement);
    if (violations.size() > 3) violations.resize(3);
    return absl::InvalidArgumentError(
        absl::StrCat("not a certificate: ", absl::StrJoin(violations, "; ")));
  }
  const Json& predicate = statement["predicate"];
  certificate->run_id = *JsonString(predicate, "run_id");
  certificate->outcome = *JsonString(predicate, "outcome");
  certificate->time = *JsonString(predicate, "time");
  certificate->prefix = *JsonString(predicate, "prefix");
  certificate->tree = JsonString(predicate, "tree").value_or("");
  certificate->accepted_root = *JsonString(predicate, "accepted_root");
  certificate->level = *JsonString(predicate["gate"], "level");
  if (!certificate->prefix.empty()) {
    absl::string_view folder = certificate->prefix;
    const bool ends = absl::ConsumeSuffix(&folder, "/");
    const std::string wrong = ends ? WhatIsWrongWithPath(folder) : "does not end in '/'";
    if (!wrong.empty()) return Refused("predicate.prefix", wrong);
  }
  Json subjects = Json::array();
  STILE_RETURN_IF_ERROR(ReadChanged(predicate, certificate, &subjects));
  STILE_RETURN_IF_ERROR(ReadOutputs(predicate, certificate));
  if (const Json* const folders = JsonMember(predicate, "source_folders"); folders != nullptr) {
    for (const Json& folder : *folders) {
      const std::string wrong = WhatIsWrongWithPath(folder.get<std::string>());
      if (!wrong.empty()) return Refused("predicate.source_folders", wrong);
      certificate->source_folders.push_back(folder.get<std::string>());
    }
  }
  if (subjects.empty()) {
    subjects.push_back({{"name", "."}, {"digest", {{"sha256", certificate->accepted_root}}}});
  }
  if (statement["subject"] != subjects) {
    return Refused("subject", "is not the accepted content of predicate.changed");
  }
  if ((certificate->outcome == "unchanged") != certificate->changed.empty()) {
    return Refused("predicate.outcome", "contradicts predicate.changed");
  }
  return ReadTargets(predicate, certificate);
}

}  // namespace

absl::StatusOr<Certificate> ReadCertificate(absl::string_view text, const std::string& name) {
  Certificate certificate;
  certificate.sha256 = Sha256Hex(text);
  auto opened = OpenCertificate(text);
  if (!opened.ok()) return WithContext(opened.status(), name);
  certificate.envelope = *std::move(opened);
  const absl::Status status = ReadStatement(&certificate);
  if (!status.ok()) {
    return WithContext(
        status, certificate.envelope.signatures.empty() ? name : absl::StrCat(name, ": payload"));
  }
  return certificate;
}

}  // namespace stile
