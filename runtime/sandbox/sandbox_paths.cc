#include "runtime/sandbox/sandbox_paths.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

std::string Variable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string Existing(const std::string& path) {
  if (!absl::StartsWith(path, "/")) return "";
  const absl::StatusOr<std::string> real = RealPath(path);
  return real.ok() && *real != "/" ? *real : "";
}

std::string Expand(const std::string& path, const Environment& environment) {
  if (absl::StartsWith(path, "/")) return Existing(path);
  const std::pair<std::string, std::string> parts = absl::StrSplit(path, absl::MaxSplits('/', 1));
  if (parts.first != "~" && !absl::StartsWith(parts.first, "$")) return "";
  const std::string base = parts.first == "~" ? Variable(environment, "HOME")
                                              : Variable(environment, parts.first.substr(1));
  if (base.empty()) return "";
  return Existing(parts.second.empty() ? base : JoinPath(base, parts.second));
}

void AddPath(const std::string& path, std::vector<std::string>* list) {
  if (path.empty() || std::find(list->begin(), list->end(), path) != list->end()) return;
  list->push_back(path);
}

namespace {

enum class Rule { kNone, kHidden, kReadOnly, kReplaced, kWritable };

// The order of SandboxPolicy: the deeper rule wins, then the later one.
Rule RuleFor(const std::string& path, const SandboxPolicy& policy) {
  Rule rule = Rule::kNone;
  size_t depth = 0;
  const auto consider = [&](const std::string& place, Rule candidate) {
    if (!IsWithin(path, place) || place.size() < depth) return;
    depth = place.size();
    rule = candidate;
  };
  for (const std::string& place : policy.hidden) consider(place, Rule::kHidden);
  for (const std::string& place : policy.read_only) consider(place, Rule::kReadOnly);
  for (const auto& [place, source] : policy.replaced) consider(place, Rule::kReplaced);
  for (const std::string& place : policy.writable) consider(place, Rule::kWritable);
  return rule;
}

}  // namespace

Access AccessInside(const std::string& path, const SandboxPolicy& policy) {
  switch (RuleFor(path, policy)) {
    case Rule::kHidden:
      return Access::kNone;
    case Rule::kReplaced:
    case Rule::kWritable:
      return Access::kWrite;
    case Rule::kNone:
    case Rule::kReadOnly:
      break;
  }
  return Access::kRead;
}

bool IsShown(const std::string& path, const SandboxPolicy& policy) {
  const Rule rule = RuleFor(path, policy);
  return rule != Rule::kHidden && rule != Rule::kReplaced;
}

const std::vector<std::string>& HomeSecrets() {
  static const auto* const kNames =
      new std::vector<std::string>{".ssh",    ".gnupg", ".aws",   ".azure",          ".config",
                                   ".docker", ".kube",  ".netrc", ".git-credentials"};
  return *kNames;
}

bool IsSecretPath(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    const auto is_part = [&](const std::string& name) { return name == part; };
    if (std::any_of(HomeSecrets().begin(), HomeSecrets().end(), is_part)) return true;
  }
  return false;
}

bool HoldsSecrets(const std::string& folder) {
  const auto holds = [&](const std::string& name) { return FileExists(JoinPath(folder, name)); };
  if (std::any_of(HomeSecrets().begin(), HomeSecrets().end(), holds)) return true;
  for (const char* name : {".git", ".env", ".npmrc", ".pypirc", ".pgpass", "credentials",
                           "credentials.toml", "credentials.json"}) {
    if (holds(name)) return true;
  }
  return false;
}

}  // namespace stile
