#include "validators/integrity/weakening_detector.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/loose_settings.h"
#include "validators/integrity/old_suite.h"
#include "validators/integrity/planted_file.h"
#include "validators/integrity/project_syntax.h"
#include "validators/integrity/shadowing_stubs.h"
#include "validators/integrity/source_findings.h"
#include "validators/integrity/strict_settings.h"
#include "validators/integrity/swallowing_macros.h"
#include "validators/integrity/test_scripts.h"
#include "validators/integrity/test_side.h"
#include "validators/integrity/test_weakening.h"

namespace stile {
namespace {

using Kind = SourceFinding::Kind;

Weakening Describe(const std::string& path, const SourceFinding& finding) {
  Weakening weakening{Weakening::Weight::kGrave, path, finding.line, ""};
  weakening.rule = "suppression";
  switch (finding.kind) {
    case Kind::kSuppressesLine:
      weakening.weight = Weakening::Weight::kMinor;
      weakening.what = absl::StrCat("'", finding.text, "' silences the compiler there");
      break;
    case Kind::kSuppressesFile:
      weakening.what = absl::StrCat("'", finding.text, "' keeps the file from being checked");
      break;
    case Kind::kAsksForCheck:
    case Kind::kFunction:
    case Kind::kAnnotatedFunction:
      break;
  }
  return weakening;
}

bool IsOfFunctions(const SourceFinding& finding) {
  return finding.kind == Kind::kFunction || finding.kind == Kind::kAnnotatedFunction;
}

// Functions by name: the lines of those with annotations, and of those without any.
struct Functions {
  explicit Functions(const std::vector<SourceFinding>& findings) {
    std::set<int> lines;
    for (const SourceFinding& finding : findings) {
      if (finding.kind != Kind::kAnnotatedFunction) continue;
      annotated[finding.text].insert(finding.line);
      lines.insert(finding.line);
    }
    for (const SourceFinding& finding : findings) {
      if (lines.count(finding.line) == 0) bare[finding.text].insert(finding.line);
    }
  }
  std::map<std::string, std::set<int>> annotated;
  std::map<std::string, std::set<int>> bare;
};

// Functions whose annotations are gone: checkers then leave their bodies out.
void CompareAnnotations(const std::string& path, const std::vector<SourceFinding>& findings_before,
                        const std::vector<SourceFinding>& findings_after,
                        std::vector<Weakening>* result) {
  Functions before(findings_before);
  Functions after(findings_after);
  for (const auto& [name, lines] : after.bare) {
    if (lines.size() <= before.bare[name].size() ||
        after.annotated[name].size() >= before.annotated[name].size()) {
      continue;
    }
    result->push_back({Weakening::Weight::kGrave, path, *lines.begin(),
                       absl::StrCat("the annotations of '", name,
                                    "' are gone, and with them the check of what is in it"),
                       "annotations-removed"});
  }
}

class Detector : public WeakeningDetector {
 public:
  explicit Detector(const LanguageRegistry* languages) : languages_(languages) {}

  bool Reads(const std::string& path) const override {
    return IsTestScript(path) || MayHoldSettings(path);
  }
  TestsTakenOut FindTestsTakenOut(const std::vector<ContentPair>& changes) const override {
    return CompareTestNames(*languages_, changes);
  }

  OldSuite FindOldSuite(const std::vector<ContentPair>& changes,
                        const std::vector<TextsByPath>& at_failures,
                        const WorkspaceFiles& files) const override {
    return ReadOldSuite(*languages_, changes, at_failures, files);
  }

  std::optional<OldSuite::Cut> WithoutTestAt(const std::string& path, const std::string& text,
                                             int line) const override {
    return TextWithoutTestAt(*languages_, path, text, line);
  }

  bool HoldsTests(const std::string& path) const override {
    return CanHoldTests(*languages_, path);
  }
  std::optional<PlantedFile> PlantFailures(const std::string& path,
                                           const std::string& text) const override {
    return PlantFailuresIn(*languages_, path, text);
  }

  std::vector<Weakening> Compare(const std::vector<ContentPair>& changes,
                                 const WorkspaceFiles& files) const override {
    std::vector<Weakening> result = CompareStubs(changes, files);
    for (Weakening& weakening : CompareMacroCalls(*languages_, changes, files)) {
      result.push_back(std::move(weakening));
    }
    for (const ContentPair& change : changes) {
      CompareSettings(change, changes, &result);
      CompareHiddenSettings(change, changes, files, &result);
      for (Weakening& weakening : CompareProjectSyntax(change)) {
        result.push_back(std::move(weakening));
      }
      for (Weakening& weakening : CompareTestScripts(change)) {
        result.push_back(std::move(weakening));
      }
    }
    CompareSources(changes, &result);
    for (Weakening& weakening : CompareTests(*languages_, changes)) {
      result.push_back(std::move(weakening));
    }
    std::sort(result.begin(), result.end(), [](const Weakening& a, const Weakening& b) {
      return std::tie(a.path, a.line, a.what) < std::tie(b.path, b.line, b.what);
    });
    return result;
  }

 private:
  // Loosened: a loose fact that is new, or a strict one that is gone; unless another file above it,
  // changed too, or one that it includes, has taken over (a property moved to
  // Directory.Build.props).
  static void CompareSettings(const ContentPair& change, const std::vector<ContentPair>& changes,
                              std::vector<Weakening>* result) {
    if (change.path == "stile.yaml") {
      result->push_back({Weakening::Weight::kGrave, change.path, 0,
                         "the settings of the gate are not the agent's to change",
                         "gate-settings"});
      return;
    }
    const auto loose = [](const ContentPair& pair) {
      return Difference(LooseSettings(pair.path, pair.after.value_or("")),
                        LooseSettings(pair.path, pair.before.value_or("")));
    };
    const auto tightened = [](const ContentPair& pair) {
      return Difference(LooseSettings(pair.path, pair.before.value_or("")),
                        LooseSettings(pair.path, pair.after.value_or("")));
    };
    for (const std::string& fact : loose(change)) {
      // A new file has a base, and settings of its own, without loosening any.
      const bool is_new = !change.before.has_value();
      if (is_new && IsOnlyADifference(fact)) continue;
      if (TakenOver(change, changes, fact, tightened) || IsNewBase(change, changes, fact)) continue;
      result->push_back({Weakening::Weight::kGrave, change.path, 0,
                         absl::StrCat("a setting was loosened: ", ToUtf8(fact)),
                         "setting-loosened"});
    }
    // With a file that is gone goes what it was for.
    if (!change.before.has_value() || !change.after.has_value()) return;
    const auto added = [](const ContentPair& pair) {
      return Difference(StrictSettings(pair.path, pair.after.value_or("")),
                        StrictSettings(pair.path, pair.before.value_or("")));
    };
    for (const std::string& fact : Difference(StrictSettings(change.path, *change.before),
                                              StrictSettings(change.path, *change.after))) {
      if (TakenOver(change, changes, fact, added)) continue;
      result->push_back({Weakening::Weight::kGrave, change.path, 0,
                         absl::StrCat("a check was taken out: ", ToUtf8(fact)), "check-removed"});
    }
  }

  // mypy reads the first of these files alone: a new one takes the place of the next.
  static void CompareHiddenSettings(const ContentPair& change,
                                    const std::vector<ContentPair>& changes,
                                    const WorkspaceFiles& files, std::vector<Weakening>* result) {
    static const auto* const kOrder =
        new std::vector<std::string>{"mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"};
    const auto own = std::find(kOrder->begin(), kOrder->end(), BaseName(change.path));
    if (own == kOrder->end() || change.before.has_value() || !HasMypy(change.after.value_or(""))) {
      return;
    }
    for (auto next = own + 1; next != kOrder->end(); ++next) {
      const std::string path = JoinPath(DirName(change.path), *next);
      const auto changed = std::find_if(changes.begin(), changes.end(),
                                        [&path](const auto& one) { return one.path == path; });
      const std::string hidden =
          changed != changes.end() ? changed->before.value_or("") : files.Read(path).value_or("");
      if (!HasMypy(hidden)) continue;
      for (const std::string& fact :
           Difference(LooseSettings(change.path, *change.after), LooseSettings(path, hidden))) {
        if (!absl::StrContains(fact, "mypy")) continue;
        result->push_back({Weakening::Weight::kGrave, change.path, 0,
                           absl::StrCat("it takes the place of ", ToUtf8(path),
                                        ", and a setting was loosened: ", ToUtf8(fact)),
                           "setting-loosened"});
      }
      return;
    }
  }

  static bool HasMypy(absl::string_view text) {
    return absl::StrContains(text, "[mypy]") || absl::StrContains(text, "[tool.mypy]");
  }

  static std::set<std::string> Difference(const std::set<std::string>& a,
                                          const std::set<std::string>& b) {
    std::set<std::string> rest;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
    return rest;
  }

  static bool TakenOver(const ContentPair& change, const std::vector<ContentPair>& changes,
                        const std::string& fact,
                        const std::function<std::set<std::string>(const ContentPair&)>& gained) {
    return std::any_of(changes.begin(), changes.end(), [&](const ContentPair& other) {
      return other.path != change.path &&
             (IsWithin(DirName(change.path), DirName(other.path)) || Names(change, other.path)) &&
             gained(other).count(fact) > 0;
    });
  }

  // Whether the file as it is now speaks of another: includes it, extends it.
  static bool Names(const ContentPair& change, const std::string& other) {
    const std::string name = BaseName(other);
    const std::string stem = name.substr(0, name.rfind('.'));
    const std::string word = absl::StrCat("\\b", RE2::QuoteMeta(stem), "\\b");
    return !stem.empty() && RE2::PartialMatch(change.after.value_or(""), word);
  }

  // A base that is new, judged by itself and without one of its own, loosens nothing if there was
  // none before, or the one there was is gone and judged, too.
  static bool IsNewBase(const ContentPair& change, const std::vector<ContentPair>& changes,
                        const std::string& fact) {
    const std::optional<std::string> base = BaseOf(fact);
    if (!base.has_value()) return false;
    const auto is_judged = [&](const std::string& name, bool is_new) {
      return std::any_of(changes.begin(), changes.end(), [&](const ContentPair& other) {
        const std::string text = (is_new ? other.after : other.before).value_or("");
        const std::set<std::string> facts = LooseSettings(other.path, text);
        return !absl::StrContains(text, "\"extends\"") &&
               (is_new ? !other.before.has_value() : !other.after.has_value()) &&
               (BaseName(other.path) == BaseName(name) ||
                BaseName(other.path) == absl::StrCat(BaseName(name), ".json")) &&
               !facts.empty() && std::none_of(facts.begin(), facts.end(), [](const auto& one) {
                 return BaseOf(one).has_value();
               });
      });
    };
    if (!is_judged(*base, /*is_new=*/true)) return false;
    for (const std::string& old : LooseSettings(change.path, change.before.value_or(""))) {
      const std::optional<std::string> old_base = BaseOf(old);
      if (old_base.has_value() && !is_judged(*old_base, /*is_new=*/false)) return false;
    }
    return true;
  }

  std::vector<SourceFinding> Findings(const std::string& path,
                                      const std::optional<std::string>& text) const {
    const Grammar* grammar = FindGrammar(languages_->GrammarOf(path));
    if (grammar == nullptr || !text.has_value()) return {};
    return FindInSource(*grammar, *text);
  }

  // What was there before, in whichever of the files, is not new.
  void CompareSources(const std::vector<ContentPair>& changes,
                      std::vector<Weakening>* result) const {
    std::map<std::pair<Kind, std::string>, int> known;
    std::vector<std::pair<std::string, SourceFinding>> present;
    std::map<std::string, int> checks;  // comments that ask for one, by path
    for (const ContentPair& change : changes) {
      std::vector<SourceFinding> functions_before;
      std::vector<SourceFinding> functions_after;
      for (SourceFinding& finding : Findings(change.path, change.before)) {
        if (finding.kind == Kind::kAsksForCheck) {
          ++checks[change.path];
        } else if (IsOfFunctions(finding)) {
          functions_before.push_back(std::move(finding));
        } else {
          ++known[{finding.kind, finding.text}];
        }
      }
      for (SourceFinding& finding : Findings(change.path, change.after)) {
        if (finding.kind == Kind::kAsksForCheck) {
          --checks[change.path];
        } else if (IsOfFunctions(finding)) {
          functions_after.push_back(std::move(finding));
        } else {
          present.emplace_back(change.path, std::move(finding));
        }
      }
      CompareAnnotations(change.path, functions_before, functions_after, result);
    }
    for (const auto& [path, finding] : present) {
      if (known[{finding.kind, finding.text}]-- <= 0) result->push_back(Describe(path, finding));
    }
    for (const ContentPair& change : changes) {
      if (checks[change.path] <= 0 || !change.after.has_value()) continue;
      result->push_back({Weakening::Weight::kGrave, change.path, 0,
                         "a comment that asked for the file to be checked is gone",
                         "check-removed"});
    }
  }

  const LanguageRegistry* const languages_;
};

}  // namespace

std::unique_ptr<WeakeningDetector> NewWeakeningDetector(const LanguageRegistry* languages) {
  return std::make_unique<Detector>(languages);
}

}  // namespace stile
