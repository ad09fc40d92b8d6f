#include "runtime/certificate/certificate.h"

#include <map>
#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/base/embedded.h"
#include "runtime/base/text.h"
#include "runtime/gate/allowance.h"
#include "runtime/workspace/file_system.h"

namespace stile {

const std::vector<EmbeddedFile>& CertificateSchemaFiles();

namespace {

// Paths are raw bytes; what JSON cannot carry exactly is carried in base64 beside it.
void SetPath(Json* entry, const char* key, const std::string& path) {
  (*entry)[key] = ToUtf8(path);
  if (!IsUtf8(path)) (*entry)["pathBase64"] = Base64Encode(path);
}

// What stood at a path: hash and git mode; null for nothing.
Json ContentOf(const FileRecord* file) {
  if (file == nullptr) return nullptr;
  return {{"sha256", ToHex(file->hash)}, {"mode", absl::StrFormat("%06o", file->ContentMode())}};
}

// Adds the hash of each judge's program; null when it cannot be read any more.
Json WithProgramHashes(Json targets) {
  std::map<std::string, Json> known;
  for (Json& target : targets) {
    const std::string program = JsonString(target, "program").value_or("");
    const auto [entry, is_new] = known.emplace(program, Json());
    if (is_new && !program.empty()) {
      const auto content = DiskFileSystem()->ReadFile(program, kMaxFileBytes);
      if (content.ok()) entry->second = Sha256Hex(*content);
    }
    target["program_sha256"] = entry->second;
  }
  return targets;
}

Json WeakeningsOf(const Judgement& accepted) {
  Json list = Json::array();
  for (const Weakening& weakening : accepted.tolerated) {
    const bool grave = weakening.weight == Weakening::Weight::kGrave;
    Json entry = {{"line", weakening.line},
                  {"what", ToUtf8(weakening.what)},
                  {"weight", grave ? "grave" : "minor"}};
    SetPath(&entry, "path", weakening.path);
    list.push_back(std::move(entry));
  }
  return list;
}

Json PathList(const std::vector<std::string>& paths) {
  Json list = Json::array();
  for (const std::string& path : paths) {
    Json entry = Json::object();
    SetPath(&entry, "path", path);
    list.push_back(std::move(entry));
  }
  return list;
}

Json Texts(const std::vector<std::string>& paths) {
  Json list = Json::array();
  for (const std::string& path : paths) list.push_back(ToUtf8(path));
  return list;
}

Json OrNull(const std::string& text) { return text.empty() ? Json() : Json(ToUtf8(text)); }

}  // namespace

Json BuildCertificate(const Gate& gate, const Judgement& accepted,
                      const CertificateContext& context) {
  const std::string accepted_root = gate.WithoutOutputs().RootHash();
  Json subjects = Json::array();
  Json changed = Json::array();
  for (const FileChange& change : gate.Changes()) {
    const FileRecord* before = gate.baseline().Find(change.path);
    const FileRecord* after = gate.current().Find(change.path);
    Json entry = {{"before", ContentOf(before)}, {"after", ContentOf(after)}};
    SetPath(&entry, "path", change.path);
    changed.push_back(std::move(entry));
    if (after == nullptr) continue;
    subjects.push_back(
        {{"name", ToUtf8(change.path)}, {"digest", {{"sha256", ToHex(after->hash)}}}});
  }
  // A statement needs a subject: where no file is left to name, the workspace stands for itself.
  if (subjects.empty()) {
    subjects.push_back({{"name", "."}, {"digest", {{"sha256", accepted_root}}}});
  }
  std::vector<std::string> outputs;
  for (const std::string& path : gate.validator_outputs()) {
    if (gate.current().Contains(path)) outputs.push_back(path);
  }
  Json statement = {
      {"_type", kStatementType},
      {"subject", std::move(subjects)},
      {"predicateType", kCertificatePredicateType},
      {"predicate",
       {{"run_id", context.run_id},
        {"outcome", context.outcome},
        {"time", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", context.time, absl::UTCTimeZone())},
        {"workspace", ToUtf8(context.workspace)},
        {"prefix", ToUtf8(context.prefix)},
        {"base_commit", OrNull(context.base_commit)},
        {"tree", OrNull(context.tree)},
        {"base_root", gate.baseline().RootHash()},
        {"accepted_root", accepted_root},
        {"outputs", PathList(outputs)},
        {"changed", std::move(changed)},
        {"targets", WithProgramHashes(accepted.evidence)},
        {"uncovered", PathList(accepted.uncovered)},
        {"weakenings", WeakeningsOf(accepted)},
        {"gate", ToJson(gate.settings())},
        {"sandbox", context.sandbox},
        {"provider", context.provider},
        {"model", ToUtf8(context.model)},
        {"usage", context.usage},
        {"turns", context.turns},
        {"failed_validations", gate.failures().of_run}}}};
  for (const Allowance& allowance : gate.settings().allow) {
    statement["predicate"]["allowed"].push_back(ToUtf8(AllowanceText(allowance)));
  }
  if (!gate.source_folders().empty()) {
    statement["predicate"]["source_folders"] = Texts(gate.source_folders());
  }
  return statement;
}

absl::string_view CertificateSchema() { return CertificateSchemaFiles().at(0).text; }

}  // namespace stile
