#include "validators/integrity/old_suite.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/call_signatures.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/present_values.h"
#include "validators/integrity/test_registry.h"
#include "validators/integrity/test_scripts.h"
#include "validators/integrity/test_side.h"

namespace stile {
namespace {

using Part = OldSuite::Part;

constexpr size_t kMaxTextBytes = size_t{32} << 20;  // of unchanged code that is searched for names

std::string StemOf(const std::string& path) {
  const std::string name = BaseName(path);
  const size_t dot = name.find('.', 1);
  return name.substr(0, dot);
}

// Where a program that asks for a module by name finds it: folder and name.
std::string ModuleOf(const std::string& path) {
  const std::string stem = StemOf(path);
  const bool is_of_folder = stem == "__init__" || stem == "index" || stem == "mod";
  return is_of_folder ? DirName(path) : JoinPath(DirName(path), stem);
}

bool IsSettingsName(const std::string& path) {
  static const RE2 kSettings(
      R"((^|/)\.[^/]+$|\.(ini|cfg|conf|toml|env|pth|properties|props|targets|rsp|runsettings|mk|cmake|sh|bash)$|rc$|(^|/)(GNU)?[Mm]akefile$|(^|/)(jest|vitest|vite|babel|karma|mocha)\.\w*\.?\w+$)");
  return Finds(path, kSettings);
}

bool IsAmongTests(const std::string& path) {
  static const RE2 kPlace(
      R"((^|/)(tests?|__tests__|specs?|e2e|testdata|test_data|fixtures?|__fixtures__|goldens?|__snapshots__|snapshots?|expected|\w+[-_.]tests?|Tests|\w+\.Tests?)/|\.(golden|snap|approved|expected)(\.\w+)?$|(^|/|[._-])(tests?|specs?|golden|expected)[._-][^/]*$|(^|/)[^/]*[._-](golden|expected|snapshot)\.\w+$)");
  return Finds(path, kPlace);
}

class Reader {
 public:
  Reader(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
         const std::vector<TextsByPath>& at_failures, const WorkspaceFiles& files)
      : languages_(languages), changes_(changes), at_failures_(at_failures), files_(files) {
    for (const ContentPair& change : changes_) changed_[change.path] = &change;
  }

  OldSuite Read() {
    const TestSide before = ReadSide(languages_, changes_, /*after=*/false);
    const TestSide after = ReadSide(languages_, changes_, /*after=*/true);
    for (const ContentPair& change : changes_) AddFile(change);
    std::sort(suite_.files.begin(), suite_.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    AddTests(before, after);
    return std::move(suite_);
  }

 private:
  // ---- files -----------------------------------------------------------------------------------

  void AddFile(const ContentPair& change) {
    if (change.path == "stile.yaml" || change.before == change.after) return;
    const std::optional<Part> part = PartOf(change);
    if (!part.has_value()) return AddTestsWithinCode(change);
    OldSuite::File file{change.path, *part, change.before, change.before};
    const Grammar* const grammar = FindGrammar(languages_.GrammarOf(change.path));
    if (change.before.has_value() && change.after.has_value() && *part != Part::kSettings) {
      const std::vector<std::string> then = AtFailures(change);
      if (*part == Part::kData) {
        file.text = DataWithPresentValues(*change.before, *change.after, then);
      } else if (grammar != nullptr) {
        file.text = WithPresentValues(*grammar, *change.before, *change.after, then);
      }
    }
    suite_.files.push_back(std::move(file));
  }

  std::vector<std::string> AtFailures(const ContentPair& change) const {
    std::vector<std::string> texts;
    for (const TextsByPath& moment : at_failures_) {
      const auto then = moment.find(change.path);
      texts.push_back((then == moment.end() ? change.before : then->second).value_or(""));
    }
    return texts;
  }

  std::optional<Part> PartOf(const ContentPair& change) {
    const std::string& path = change.path;
    const bool is_new = !change.before.has_value();
    if (!languages_.OfBuildFile(path).empty() || IsTestScript(path)) return Part::kSettings;
    if (IsNamedAsTest(languages_, path) && languages_.OfFile(path) != nullptr) return Part::kCode;
    if (is_new && StandsInFront(path)) return Part::kSettings;
    if (languages_.OfFile(path) != nullptr) {
      if (is_new && !IsUsedByCode(change)) return Part::kSettings;
      if (!is_new && (HoldsOnlyValues(change) || ImportsTestLibrary(*change.before)) &&
          IsNamedBy(path, /*in_tests=*/true) && !IsNamedBy(path, /*in_tests=*/false)) {
        return Part::kCode;
      }
      return std::nullopt;
    }
    if (IsAmongTests(path)) return Part::kData;
    const bool of_product = IsNamedBy(path, /*in_tests=*/false);
    if (IsSettingsName(path) && !of_product) return Part::kSettings;
    if (!of_product && IsNamedBy(path, /*in_tests=*/true)) return Part::kData;
    return std::nullopt;
  }

  // Whether a module of the same name is there already: the new file may take its place.
  bool StandsInFront(const std::string& path) const {
    const std::string module = ModuleOf(path);
    const auto is_other = [&](const std::string& other) {
      return other != path && languages_.OfFile(other) != nullptr &&
             !IsNamedAsTest(languages_, other) && ModuleOf(other) == module;
    };
    for (const std::string& other : Paths()) {
      const auto change = changed_.find(other);
      const bool was_there = change == changed_.end() || change->second->before.has_value();
      if (was_there && is_other(other)) return true;
    }
    return false;
  }

  // Whether the file, new code, is named by other code that is no test, or declares what is.
  bool IsUsedByCode(const ContentPair& change) {
    const Grammar* const grammar = FindGrammar(languages_.GrammarOf(change.path));
    std::set<std::string> names = {StemOf(change.path), BaseName(DirName(change.path))};
    if (grammar != nullptr && change.after.has_value()) {
      const auto tree = SyntaxTree::Parse(*grammar, *change.after);
      if (!tree.ok()) return true;
      for (const Symbol& symbol : FindSymbols(*grammar, *tree, *change.after)) {
        names.insert(symbol.name);
      }
    }
    names.erase(".");
    names.erase("");
    for (const auto& [path, text] : Texts(/*in_tests=*/false, /*is_old=*/false)) {
      if (path == change.path) continue;
      for (const std::string& name : names) {
        if (HoldsWord(text, name)) return true;
      }
    }
    return false;
  }

  // Helpers of tests in a file that is not named as one.
  static bool ImportsTestLibrary(const std::string& text) {
    static const RE2 kLibrary(
        R"re((?m)^\s*(import\s+)?"(testing|github\.com/stretchr/testify/\w+)"\s*$|^\s*(import|from)\s+(pytest|unittest)\b|['"](node:test|vitest|@jest/globals|chai)['"]|\borg\.junit\b|\b(Xunit|NUnit\.Framework)\b|(gtest/gtest|gmock/gmock|catch2/\w+)\.h)re");
    return Finds(text, kLibrary);
  }

  // A module of constants.
  bool HoldsOnlyValues(const ContentPair& change) const {
    const Grammar* const grammar = FindGrammar(languages_.GrammarOf(change.path));
    if (grammar == nullptr) return false;
    const auto tree = SyntaxTree::Parse(*grammar, *change.before);
    if (!tree.ok()) return false;
    for (const Symbol& symbol : FindSymbols(*grammar, *tree, *change.before)) {
      if (symbol.kind != SymbolKind::kConstant && symbol.kind != SymbolKind::kVariable &&
          symbol.kind != SymbolKind::kField && symbol.kind != SymbolKind::kNamespace &&
          symbol.kind != SymbolKind::kProperty) {
        return false;
      }
    }
    static const RE2 kCode(R"(=>|\bfunction\b|\blambda\b|\bdef\b|\bfn\b|\bfunc\b)");
    return !Finds(*change.before, kCode);
  }

  // By its name, or, for data, by that of its folder; in the code as it was.
  bool IsNamedBy(const std::string& path, bool in_tests) {
    const bool is_code = languages_.OfFile(path) != nullptr;
    const std::string name = is_code ? StemOf(path) : BaseName(path);
    const std::string folder = is_code ? "" : BaseName(DirName(path));
    for (const auto& [other, text] : Texts(in_tests, /*is_old=*/true)) {
      if (other == path) continue;
      if (HoldsWord(text, name)) return true;
      if (folder.size() > 2 && HoldsWord(text, folder)) return true;
    }
    return false;
  }

  std::vector<std::string> Paths() const {
    std::vector<std::string> paths = files_.Paths();
    for (const auto& [path, change] : changed_) {
      if (!change->after.has_value()) paths.push_back(path);
    }
    return paths;
  }

  // The code of the tests, or all other, by path.
  const std::map<std::string, std::string>& Texts(bool in_tests, bool is_old) {
    auto& texts = texts_[{in_tests, is_old}];
    if (!texts.empty()) return texts;
    texts[""] = "";  // read
    size_t bytes = 0;
    for (const std::string& path : Paths()) {
      if (languages_.OfFile(path) == nullptr || IsNamedAsTest(languages_, path) != in_tests) {
        continue;
      }
      const auto change = changed_.find(path);
      if (change != changed_.end()) {
        const auto& text = is_old ? change->second->before : change->second->after;
        if (text.has_value()) texts[path] = *text;
      } else if (bytes < kMaxTextBytes) {
        const absl::StatusOr<std::string> text = files_.Read(path);
        if (!text.ok()) continue;
        bytes += text->size();
        texts[path] = *text;
      }
    }
    return texts;
  }

  // ---- tests beside the code that they test ----------------------------------------------------

  // What stands at the top of a file and holds tests: `mod tests { … }` of Rust.
  struct TestBlock {
    std::string name;
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  std::vector<TestBlock> TestBlocks(const Grammar& grammar, const std::string& path,
                                    const std::string& text) const {
    const std::optional<TestCode> code = TestCode::Parse(grammar, text);
    if (!code.has_value() || code->size() == 0) return {};
    const NameAliases aliases = ReadAliases(*code);
    const std::map<std::string, NameAliases> modules;
    const FileTests tests = ReadTests(*code, path, /*is_test=*/false, SkipNames(aliases, &modules));
    std::vector<TestBlock> blocks;
    for (const uint32_t child : code->Children(0)) {
      const uint32_t begin = code->BeginByte(child);
      const uint32_t end = code->EndByte(child);
      const bool holds =
          std::any_of(tests.units.begin(), tests.units.end(), [&](const TestUnit& unit) {
            return unit.kind == TestUnit::Kind::kTest && unit.begin >= begin && unit.end <= end;
          });
      if (!holds) continue;
      const uint32_t name = code->Child(child, "name");
      blocks.push_back({std::string(name == 0 ? "" : code->Text(name)), begin, end});
    }
    return blocks;
  }

  static std::string TextOfBlock(const TestBlock& block, const std::string& text) {
    return text.substr(block.begin, block.end - block.begin);
  }

  void AddTestsWithinCode(const ContentPair& change) {
    const Grammar* const grammar = FindGrammar(languages_.GrammarOf(change.path));
    if (grammar == nullptr || !change.before.has_value() || !change.after.has_value()) return;
    const std::vector<TestBlock> old = TestBlocks(*grammar, change.path, *change.before);
    if (old.empty()) return;
    std::vector<TestBlock> now = TestBlocks(*grammar, change.path, *change.after);
    bool differs = false;
    // From behind, so that what stands before keeps its place.
    struct Splice {
      uint32_t end;
      std::string text;
      std::string old_text;
    };
    std::map<uint32_t, Splice, std::greater<>> edits;
    std::string missing;
    for (const TestBlock& block : old) {
      const std::string was = TextOfBlock(block, *change.before);
      const auto same = std::find_if(now.begin(), now.end(), [&block](const TestBlock& other) {
        return other.name == block.name;
      });
      if (same == now.end()) {
        absl::StrAppend(&missing, "\n", Marked(was, block, *change.before), "\n");
        differs = true;
        continue;
      }
      const std::string is = TextOfBlock(*same, *change.after);
      if (was == is) continue;
      differs = true;
      std::vector<std::string> then;
      for (const std::string& text : AtFailures(change)) {
        std::string at_failure;
        for (const TestBlock& other : TestBlocks(*grammar, change.path, text)) {
          if (other.name == block.name) at_failure = TextOfBlock(other, text);
        }
        then.push_back(std::move(at_failure));
      }
      edits[same->begin] = {same->end, WithPresentValues(*grammar, was, is, then), was};
      now.erase(same);
    }
    if (!differs) return;
    std::string text = *change.after;
    std::string old_text = *change.after;
    for (const auto& [begin, edit] : edits) {
      text.replace(begin, edit.end - begin, edit.text);
      old_text.replace(begin, edit.end - begin, edit.old_text);
    }
    suite_.files.push_back({change.path, Part::kCode, text + missing, old_text + missing});
  }

  // With the attributes that stand before it.
  static std::string Marked(const std::string& text, const TestBlock& block,
                            const std::string& file) {
    static const RE2 kAttributes(R"(((?:#\[[^\n]*\]\s*)+)$)");
    std::string attributes;
    Finds(absl::string_view(file).substr(0, block.begin), kAttributes, &attributes);
    return attributes + text;
  }

  // ---- tests -----------------------------------------------------------------------------------

  void AddTests(const TestSide& before, const TestSide& after) {
    std::set<std::string> lost;  // names of the code that are not declared any more
    for (const auto& [name, bag] : before.symbols) {
      if (after.symbols.count(name) == 0) lost.insert(name);
    }
    const std::set<std::string> recalled = OtherwiseCalled(languages_, changes_);
    std::set<std::string> present;
    for (const TestPlace& place : after.tests) {
      if (place.unit->kind == TestUnit::Kind::kTest) present.insert(NameInReports(*place.unit));
    }
    for (const TestPlace& place : before.tests) {
      const bool may_run = place.unit->dead.empty() || place.unit->dead == "skipped";
      if (place.unit->kind != TestUnit::Kind::kTest || !may_run) continue;
      OldSuite::Test test{place.path, NameInReports(*place.unit), false, ""};
      test.is_gone = present.count(test.name) == 0;
      std::set<std::string> names = NamesOf(before, place);
      names.erase(place.unit->last_name);
      for (const std::string& name : names) {
        if (lost.count(name) > 0) {
          test.may_break = absl::StrCat("it uses '", name, "', which is no longer declared");
        } else if (recalled.count(name) > 0) {
          test.may_break =
              absl::StrCat("it uses '", name, "', which has to be called otherwise now");
        }
      }
      suite_.tests.push_back(std::move(test));
    }
  }

  // Of the test and the helpers that it calls.
  static std::set<std::string> NamesOf(const TestSide& side, const TestPlace& place) {
    std::set<std::string> names = place.unit->names;
    std::vector<const TestUnit*> open = {place.unit};
    std::set<const TestUnit*> seen = {place.unit};
    while (!open.empty()) {
      const TestUnit* const unit = open.back();
      open.pop_back();
      for (const std::string& name : unit->names) {
        const auto helpers = side.functions.find(name);
        if (helpers == side.functions.end()) continue;
        for (const TestPlace& helper : helpers->second) {
          if (helper.unit->kind != TestUnit::Kind::kHelper || !seen.insert(helper.unit).second) {
            continue;
          }
          names.insert(helper.unit->names.begin(), helper.unit->names.end());
          open.push_back(helper.unit);
        }
      }
    }
    return names;
  }

  const LanguageRegistry& languages_;
  const std::vector<ContentPair>& changes_;
  const std::vector<TextsByPath>& at_failures_;
  const WorkspaceFiles& files_;
  std::map<std::string, const ContentPair*> changed_;
  std::map<std::pair<bool, bool>, std::map<std::string, std::string>> texts_;
  OldSuite suite_;
};

}  // namespace

OldSuite ReadOldSuite(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
                      const std::vector<TextsByPath>& at_failures, const WorkspaceFiles& files) {
  return Reader(languages, changes, at_failures, files).Read();
}

std::optional<OldSuite::Cut> TextWithoutTestAt(const LanguageRegistry& languages,
                                               const std::string& path, const std::string& text,
                                               int line) {
  const Grammar* const grammar = FindGrammar(languages.GrammarOf(path));
  if (grammar == nullptr) return std::nullopt;
  const std::optional<TestCode> code = TestCode::Parse(*grammar, text);
  if (!code.has_value()) return std::nullopt;
  const NameAliases aliases = ReadAliases(*code);
  const std::map<std::string, NameAliases> modules;
  const FileTests tests =
      ReadTests(*code, path, IsNamedAsTest(languages, path), SkipNames(aliases, &modules));
  const auto line_of = [&text](uint32_t at) {
    return static_cast<int>(std::count(text.begin(), text.begin() + at, '\n')) + 1;
  };
  const TestUnit* found = nullptr;
  for (const TestUnit& unit : tests.units) {
    if (unit.kind == TestUnit::Kind::kFile || line_of(unit.begin) > line ||
        line_of(unit.end) < line) {
      continue;
    }
    if (found == nullptr || unit.end - unit.begin < found->end - found->begin) found = &unit;
  }
  if (found == nullptr) return std::nullopt;
  // The lines stay, so that further errors are found at theirs.
  std::string without = text;
  for (uint32_t at = found->begin; at < found->end; ++at) {
    if (without[at] != '\n') without[at] = ' ';
  }
  return OldSuite::Cut{std::move(without), NameInReports(*found)};
}

}  // namespace stile
