#include "runtime/gate/workspace_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "runtime/gate/validation_tracker.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr size_t kMaxAccepted = 500;

}  // namespace

bool WorkspaceMemory::Covers(const TargetKey& target, const ContentMap& inputs) const {
  const std::pair<TargetKey, std::string> wanted{target, ContentFingerprint(inputs)};
  return std::find(accepted.begin(), accepted.end(), wanted) != accepted.end();
}

void WorkspaceMemory::Accept(const TargetKey& target, const ContentMap& inputs) {
  std::pair<TargetKey, std::string> entry{target, ContentFingerprint(inputs)};
  accepted.erase(std::remove(accepted.begin(), accepted.end(), entry), accepted.end());
  accepted.push_back(std::move(entry));
  if (accepted.size() > kMaxAccepted) {
    accepted.erase(accepted.begin(), accepted.end() - kMaxAccepted);
  }
}

std::string WorkspaceMemoryFile(const std::string& state_dir) {
  return absl::StrCat(state_dir, "/memory.json");
}

WorkspaceMemory LoadWorkspaceMemory(FileSystem* fs, const std::string& file) {
  WorkspaceMemory memory;
  const auto text = fs->ReadFile(file, kMaxBytes);
  if (!text.ok()) return memory;
  const auto json = ParseJson(*text);
  if (!json.ok()) return memory;
  if (const Json* pending = JsonMember(*json, "pending"); pending && pending->is_object()) {
    for (const auto& [key, value] : pending->items()) {
      const auto path = Base64Decode(key);
      if (!path.ok()) continue;
      memory.pending[*path] =
          value.is_string() ? DigestFromHex(value.get<std::string>()) : std::nullopt;
    }
  }
  if (const Json* refusals = JsonMember(*json, "refusals"); refusals && refusals->is_array()) {
    for (const Json& entry : *refusals) {
      const auto target = Base64Decode(JsonString(entry, "target").value_or(""));
      const auto verdict = VerdictFromName(JsonString(entry, "verdict").value_or(""));
      if (target.ok() && verdict) memory.refusals.emplace(*target, *verdict);
    }
  }
  if (const Json* folders = JsonMember(*json, "source_folders"); folders && folders->is_array()) {
    for (const Json& entry : *folders) {
      const auto path = Base64Decode(entry.is_string() ? entry.get<std::string>() : "");
      if (path.ok() && !path->empty()) memory.source_folders.push_back(*path);
    }
  }
  if (const Json* accepted = JsonMember(*json, "accepted"); accepted && accepted->is_array()) {
    for (const Json& entry : *accepted) {
      const auto target = JsonString(entry, "target");
      const auto fingerprint = JsonString(entry, "fingerprint");
      if (target && fingerprint) memory.accepted.emplace_back(*target, *fingerprint);
    }
  }
  return memory;
}

absl::Status SaveWorkspaceMemory(FileSystem* fs, const std::string& file,
                                 const WorkspaceMemory& memory) {
  Json pending = Json::object();
  for (const auto& [path, hash] : memory.pending) {
    pending[Base64Encode(path)] = hash.has_value() ? Json(ToHex(*hash)) : Json();
  }
  Json refusals = Json::array();
  for (const auto& [target, verdict] : memory.refusals) {
    refusals.push_back(
        {{"target", Base64Encode(target)}, {"verdict", std::string(VerdictName(verdict))}});
  }
  Json accepted = Json::array();
  for (const auto& [target, fingerprint] : memory.accepted) {
    accepted.push_back({{"target", target}, {"fingerprint", fingerprint}});
  }
  Json folders = Json::array();
  for (const std::string& folder : memory.source_folders) folders.push_back(Base64Encode(folder));
  return WriteFileAtomically(fs, file,
                             DumpJson({{"pending", pending},
                                       {"refusals", refusals},
                                       {"accepted", accepted},
                                       {"source_folders", folders}}),
                             0600);
}

}  // namespace stile
