#include "runtime/gate/allowance.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

const std::vector<std::string>& Kinds() {
  static const auto* const kKinds = new std::vector<std::string>{
      "removed_tests", "weakened_tests", "suppressions", "settings", "uncovered"};
  return *kKinds;
}

absl::StatusOr<Allowance> Checked(absl::string_view kind, absl::string_view glob) {
  if (std::find(Kinds().begin(), Kinds().end(), kind) == Kinds().end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", ToUtf8(kind), "' cannot be allowed; known: ", absl::StrJoin(Kinds(), ", ")));
  }
  if (glob.empty() || glob[0] == '/') {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", ToUtf8(glob), "' is no glob of paths in the workspace; write for example ", kind,
        "=tests/legacy/**"));
  }
  return Allowance{std::string(kind), std::string(glob)};
}

}  // namespace

absl::StatusOr<Allowance> ParseAllowance(absl::string_view text) {
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", ToUtf8(text), "' is not KIND=GLOB, as removed_tests=tests/legacy/**"));
  }
  return Checked(text.substr(0, equals), text.substr(equals + 1));
}

std::string AllowanceText(const Allowance& allowance) {
  return absl::StrCat(allowance.kind, "=", allowance.glob);
}

absl::StatusOr<std::vector<Allowance>> ReadAllowances(const Yaml& yaml) {
  std::vector<Allowance> allowances;
  const bool is_list = yaml.kind == Yaml::Kind::kList;
  for (const Yaml& item : is_list ? yaml.items : std::vector<Yaml>{yaml}) {
    if (item.kind == Yaml::Kind::kMap) {
      for (const auto& [kind, value] : item.keys) {
        STILE_ASSIGN_OR_RETURN(const std::vector<std::string> globs, value.AsStringList());
        for (const std::string& glob : globs) {
          const absl::StatusOr<Allowance> allowance = Checked(kind, glob);
          if (!allowance.ok()) return value.Error(allowance.status().message());
          allowances.push_back(*allowance);
        }
      }
      continue;
    }
    STILE_ASSIGN_OR_RETURN(const std::string text, item.AsString());
    const absl::StatusOr<Allowance> allowance = ParseAllowance(text);
    if (!allowance.ok()) return item.Error(allowance.status().message());
    allowances.push_back(*allowance);
  }
  return allowances;
}

std::string KindOf(const Weakening& weakening) {
  static const auto* const kKindOfRule = new std::map<std::string, std::string>{
      {"test-removed", "removed_tests"},
      {"test-emptied", "removed_tests"},
      {"case-removed", "removed_tests"},
      {"tests-lost", "removed_tests"},
      {"assertion-removed", "weakened_tests"},
      {"assertion-dead", "weakened_tests"},
      {"assertion-conditional", "weakened_tests"},
      {"assertion-loosened", "weakened_tests"},
      {"tolerance-widened", "weakened_tests"},
      {"expectation-edited", "weakened_tests"},
      {"test-disabled", "weakened_tests"},
      {"test-skipped", "weakened_tests"},
      {"old-test-broken", "weakened_tests"},
      {"test-cannot-fail", "weakened_tests"},
      {"run-controlled", "weakened_tests"},
      {"script-loosened", "weakened_tests"},
      {"suppression", "suppressions"},
      {"annotations-removed", "suppressions"},
      {"module-shadowed", "suppressions"},
      {"code-swallowed", "suppressions"},
      {"setting-loosened", "settings"},
      {"check-removed", "settings"},
  };
  const auto found = kKindOfRule->find(weakening.rule);
  return found == kKindOfRule->end() ? "" : found->second;
}

bool IsAllowed(const std::vector<Allowance>& allowances, const Weakening& weakening) {
  return std::any_of(allowances.begin(), allowances.end(), [&](const Allowance& allowance) {
    return allowance.kind == KindOf(weakening) && GlobMatch(allowance.glob, weakening.path);
  });
}

bool IsAllowedUncovered(const std::vector<Allowance>& allowances, const std::string& path) {
  return std::any_of(allowances.begin(), allowances.end(), [&](const Allowance& allowance) {
    return allowance.kind == "uncovered" && GlobMatch(allowance.glob, path);
  });
}

}  // namespace stile
