#include "agents/api/trust.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agents/api/user_folders.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/gate_settings.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxTrustBytes = 4096;

// Whether this value of a gate setting asks for less than the default does.
bool Loosens(absl::string_view key, const Yaml& value) {
  const std::string& text = value.scalar;
  if (key == "mode") return text == "observe";
  if (key == "baseline") return text == "no_new_errors";
  if (key == "no_validator" || key == "uncovered" || key == "weakening" || key == "untrusted") {
    return text == "report";
  }
  if (key == "allow") return true;
  if (key == "coverage") return text == "off";
  if (key == "allow_flaky") return text != "false" && text != "False";
  const GateSettings defaults;
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number)) return false;
  return (key == "max_failures" && number > defaults.max_failures) ||
         (key == "max_infra_errors" && number > defaults.max_infra_errors);
}

bool IsEmpty(const Yaml& value) {
  return value.kind == Yaml::Kind::kNull ||
         (value.kind == Yaml::Kind::kList && value.items.empty()) ||
         (value.kind == Yaml::Kind::kMap && value.keys.empty());
}

bool IsSensitive(absl::string_view section, absl::string_view key, const Yaml& value) {
  if (section.empty()) {
    return key == "base_url" || key == "model_request" || key == "prices" || key == "validators" ||
           key == "languages" || key == "mcp_servers" ||
           (key == "sandbox" && value.scalar != "required") ||
           (key == "instructions" && value.scalar != "off" && value.scalar != "false");
  }
  if (section == "permissions") return key == "allow" && !IsEmpty(value);
  if (section == "deliver" && key == "clean_room") return value.scalar != "true";
  return section == "gate" && Loosens(key, value);
}

absl::StatusOr<std::string> TrustFile(const Environment& environment,
                                      const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(const std::string state, StateDir(environment));
  return JoinPath(state, absl::StrCat("trust/", Sha256Hex(workspace)));
}

}  // namespace

TrustSplit SplitByTrust(const Yaml& yaml) {
  TrustSplit split;
  split.harmless = yaml;
  split.harmless.keys.clear();
  for (const auto& [section, value] : yaml.keys) {
    if (IsSensitive("", section, value)) {
      split.sensitive.push_back(absl::StrCat(value.file, ":", value.line, ": ", value.path));
      if ((section == "validators" || section == "languages") && !IsEmpty(value)) {
        split.validators.push_back(split.sensitive.back());
      }
      continue;
    }
    Yaml kept = value;
    kept.keys.clear();
    for (const auto& [key, inner] : value.keys) {
      if (IsSensitive(section, key, inner)) {
        split.sensitive.push_back(absl::StrCat(inner.file, ":", inner.line, ": ", inner.path));
      } else {
        kept.keys.push_back({key, inner});
      }
    }
    split.harmless.keys.push_back({section, std::move(kept)});
  }
  return split;
}

absl::StatusOr<bool> IsTrusted(const Environment& environment, const std::string& workspace,
                               absl::string_view text) {
  STILE_ASSIGN_OR_RETURN(const std::string file, TrustFile(environment, workspace));
  const auto known = DiskFileSystem()->ReadFile(file, kMaxTrustBytes);
  if (absl::IsNotFound(known.status())) return false;
  if (!known.ok()) return known.status();
  return *known == absl::StrCat(Sha256Hex(text), "\n");
}

absl::Status Trust(const Environment& environment, const std::string& workspace,
                   absl::string_view text) {
  STILE_ASSIGN_OR_RETURN(const std::string file, TrustFile(environment, workspace));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(DirName(file)));
  return WriteFileAtomically(DiskFileSystem(), file, absl::StrCat(Sha256Hex(text), "\n"), 0600);
}

absl::StatusOr<bool> RevokeTrust(const Environment& environment, const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(const std::string file, TrustFile(environment, workspace));
  if (!FileExists(file)) return false;
  STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(file));
  return true;
}

}  // namespace stile
