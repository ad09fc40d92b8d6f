#include "validators/integrity/test_registry.h"

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

// Whether the assignment stands in the class of the test, or in the file outside of all classes.
bool IsInSameScope(const TestCode& code, const TestUnit& unit, uint32_t assignment) {
  const uint32_t at = code.BeginByte(assignment);
  uint32_t begin = 0;
  uint32_t end = static_cast<uint32_t>(code.text().size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (code.Role(i) == NodeRole::kClass && code.BeginByte(i) <= at && at < code.EndByte(i)) {
      begin = code.BeginByte(i);
      end = code.EndByte(i);
    }
  }
  return begin <= unit.begin && unit.end <= end;
}

}  // namespace

// Names that stand outside of their own function; C finds its tests by them.
void NoteReferences(const TestCode& code, FileTests* tests) {
  std::map<std::string, int> counts;
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (code.End(i) == i + 1 && code.IsNamed(i) && code.Role(i) == NodeRole::kNone) {
      ++counts[std::string(code.Text(i))];
    }
  }
  for (TestUnit& unit : tests->units) unit.is_referenced = counts[unit.last_name] > 1;
}

// The last of two tests of one name runs.
void NoteShadowed(const TestCode& code, FileTests* tests) {
  if (!code.language().facts().rebinds_tests) return;
  std::map<std::string, size_t> last;
  for (size_t at = 0; at < tests->units.size(); ++at) {
    std::string name = tests->units[at].name;
    name = name.substr(0, name.find(" #"));
    const auto [found, is_new] = last.try_emplace(name, at);
    if (is_new) continue;
    tests->units[found->second].dead = "has the name of a later test, which takes its place";
    found->second = at;
  }
  // test_price = None
  for (uint32_t i = 0; i < code.size(); ++i) {
    if (code.Type(i) != "assignment") continue;
    const uint32_t left = code.Child(i, "left");
    if (left == 0) continue;
    std::string name = JoinTokens(code.Tokens(left));
    const bool is_switch =
        absl::EndsWith(name, "__test__") || absl::EndsWith(name, "__unittest_skip__");
    const bool of_class = name == "__test__" || name == "__unittest_skip__";
    const size_t dot = name.find(" . ");
    if (is_switch && dot != std::string::npos) name = name.substr(0, dot);
    for (TestUnit& unit : tests->units) {
      if (unit.kind != TestUnit::Kind::kTest) continue;
      const bool is_meant = of_class ? IsInSameScope(code, unit, i)
                                     : unit.name == name || absl::StartsWith(unit.name, name + ".");
      const bool turns_off = !is_switch || !absl::StrContains(code.Text(i), "test__ = True");
      if (is_meant && turns_off) {
        unit.dead = absl::StrCat("is taken out by '",
                                 std::string(code.Text(i).substr(0, code.Text(i).find('\n'))), "'");
      }
    }
  }
}

std::string NameInReports(const TestUnit& unit) {
  absl::string_view name = unit.last_name;
  if (name.size() >= 2 && (name[0] == '\'' || name[0] == '"' || name[0] == '`')) {
    name = name.substr(1, name.size() - 2);
  } else if (const size_t dot = name.rfind('.'); dot != absl::string_view::npos) {
    name = name.substr(dot + 1);  // TEST(Suite, Name)
  }
  return std::string(name);
}

}  // namespace stile
