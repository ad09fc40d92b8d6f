#include "runtime/gate/certificate.h"

#include "runtime/base/text.h"

namespace stile {
namespace {

Json HashOf(const FileRecord* file) { return file == nullptr ? Json() : Json(ToHex(file->hash)); }

// Paths are raw bytes; what JSON cannot carry exactly is carried in base64 beside it.
void SetPath(Json* entry, const char* key, const std::string& path) {
  (*entry)[key] = ToUtf8(path);
  if (!IsUtf8(path)) (*entry)["pathBase64"] = Base64Encode(path);
}

}  // namespace

Json BuildCertificate(const Gate& gate, const CertificateContext& context) {
  Json subjects = Json::array();
  Json changed = Json::array();
  for (const FileChange& change : gate.Changes()) {
    const FileRecord* before = gate.baseline().Find(change.path);
    const FileRecord* after = gate.current().Find(change.path);
    Json entry = {{"before", HashOf(before)}, {"after", HashOf(after)}};
    SetPath(&entry, "path", change.path);
    changed.push_back(std::move(entry));
    if (after == nullptr) continue;
    Json subject = {{"digest", {{"sha256", ToHex(after->hash)}}}};
    SetPath(&subject, "name", change.path);
    subjects.push_back(std::move(subject));
  }
  // A statement needs a subject: an unchanged workspace stands for itself.
  if (subjects.empty()) {
    subjects.push_back({{"name", "."}, {"digest", {{"sha256", gate.current().RootHash()}}}});
  }
  Json weakenings = Json::array();
  for (const Weakening& weakening : gate.tolerated_weakenings()) {
    weakenings.push_back({{"path", ToUtf8(weakening.path)},
                          {"line", weakening.line},
                          {"what", ToUtf8(weakening.what)}});
  }
  Json uncovered = Json::array();
  for (const std::string& path : gate.UncoveredChanges()) uncovered.push_back(ToUtf8(path));
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", std::move(subjects)},
          {"predicateType", kCertificatePredicateType},
          {"predicate",
           {{"run_id", context.run_id},
            {"outcome", context.outcome},
            {"time", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", context.time, absl::UTCTimeZone())},
            {"base_commit", context.base_commit.empty() ? Json() : Json(context.base_commit)},
            {"base_root", gate.baseline().RootHash()},
            {"accepted_root", gate.current().RootHash()},
            {"changed", std::move(changed)},
            {"targets", gate.Evidence()},
            {"uncovered", std::move(uncovered)},
            {"weakenings", std::move(weakenings)},
            {"gate", ToJson(gate.settings())},
            {"sandbox", context.sandbox},
            {"provider", context.provider},
            {"model", context.model},
            {"usage", context.usage},
            {"turns", context.turns},
            {"failures", gate.failures()}}}};
}

}  // namespace stile
