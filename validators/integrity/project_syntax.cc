#include "validators/integrity/project_syntax.h"

#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

std::optional<SyntaxFault> JsonFault(absl::string_view text, bool with_comments) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  const absl::StatusOr<Json> json = ParseJson(with_comments ? StripJsonComments(text) : text);
  if (!json.ok()) return SyntaxFault{0, std::string(json.status().message())};
  if (!json->is_object()) return SyntaxFault{1, "it is no object"};
  return std::nullopt;
}

// As Python's configparser reads it; after a fault mypy goes on with its defaults.
std::optional<SyntaxFault> IniFault(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  std::set<std::string> sections;
  std::set<std::string> keys;
  bool in_section = false;
  bool in_value = false;
  size_t indent = 0;
  int number = 0;
  for (const absl::string_view line : SplitLines(text)) {
    ++number;
    const absl::string_view bare = absl::StripAsciiWhitespace(line);
    if (bare.empty() || bare[0] == '#' || bare[0] == ';') continue;
    const size_t here = line.find(bare[0]);
    if (in_value && here > indent) continue;
    indent = here;
    const size_t end = bare.rfind(']');
    if (bare[0] == '[' && end != absl::string_view::npos && end > 1) {
      if (!sections.insert(std::string(bare.substr(1, end - 1))).second) {
        return SyntaxFault{number, "a section stands there twice"};
      }
      in_section = true;
      in_value = false;
      keys.clear();
      continue;
    }
    if (!in_section) return SyntaxFault{number, "a setting stands before the first section"};
    const size_t equals = bare.find_first_of("=:");
    if (equals == absl::string_view::npos || equals == 0) {
      return SyntaxFault{number, "the line is no setting"};
    }
    const absl::string_view key = absl::StripAsciiWhitespace(bare.substr(0, equals));
    if (!keys.insert(absl::AsciiStrToLower(key)).second) {
      return SyntaxFault{number, "a setting stands there twice"};
    }
    in_value = true;
  }
  return std::nullopt;
}

// Blocks of "Project(…)" and "GlobalSection(…)" below the line with the version.
std::optional<SyntaxFault> SolutionFault(absl::string_view text) {
  static const auto* const kEnds =
      new std::map<std::string, std::string>{{"Project", "EndProject"},
                                             {"ProjectSection", "EndProjectSection"},
                                             {"Global", "EndGlobal"},
                                             {"GlobalSection", "EndGlobalSection"}};
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  bool has_header = false;
  std::vector<std::string> ends;  // those that are awaited
  int number = 0;
  for (const absl::string_view line : SplitLines(text)) {
    ++number;
    const absl::string_view bare = absl::StripAsciiWhitespace(line);
    if (bare.empty() || bare[0] == '#') continue;
    if (!has_header) {
      if (!absl::StartsWith(bare, "Microsoft Visual Studio Solution File, Format Version")) {
        return SyntaxFault{number, "the line with the format version is missing"};
      }
      has_header = true;
      continue;
    }
    const std::string word(bare.substr(0, bare.find_first_of("( =")));
    const auto block = kEnds->find(word);
    if (block != kEnds->end()) {
      ends.push_back(block->second);
    } else if (absl::StartsWith(word, "End")) {
      if (ends.empty() || ends.back() != word) {
        return SyntaxFault{number, absl::StrCat(ToUtf8(word), " closes nothing")};
      }
      ends.pop_back();
    } else if (ends.empty() && !absl::StrContains(bare, "=")) {
      return SyntaxFault{number, "the line is neither a property nor a project"};
    }
  }
  if (!has_header) return SyntaxFault{0, "the line with the format version is missing"};
  if (!ends.empty()) return SyntaxFault{0, absl::StrCat(ends.back(), " is missing")};
  return std::nullopt;
}

std::optional<SyntaxFault> GoModFault(absl::string_view text, absl::string_view first_verb) {
  bool in_block = false;
  bool has_first = first_verb.empty();
  int number = 0;
  for (absl::string_view line : SplitLines(text)) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find("//")));
    if (line.empty()) continue;
    if (in_block) {
      if (line == ")") in_block = false;
      if (absl::EndsWith(line, "(")) return SyntaxFault{number, "a block stands in a block"};
      continue;
    }
    const size_t end = line.find_first_of(" \t(");
    if (end == absl::string_view::npos) {
      return SyntaxFault{number, absl::StrCat(ToUtf8(line), " has no argument")};
    }
    if (line.substr(0, end) == first_verb) has_first = true;
    in_block = absl::EndsWith(line, "(");
  }
  if (in_block) return SyntaxFault{number, "a block is not closed"};
  if (!has_first) return SyntaxFault{0, absl::StrCat("it names no ", first_verb)};
  return std::nullopt;
}

bool IsTestData(absl::string_view path) {
  for (const char* folder : {"testdata", "fixtures", "__fixtures__", "test_data", "test-data"}) {
    if (absl::StartsWith(path, absl::StrCat(folder, "/")) ||
        absl::StrContains(path, absl::StrCat("/", folder, "/"))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<SyntaxFault> ProjectSyntaxFault(absl::string_view path, absl::string_view text) {
  const std::string name = BaseName(path);
  if (name == "package.json" || name == "package-lock.json" || name == "CMakePresets.json") {
    return JsonFault(text, /*with_comments=*/false);
  }
  if (GlobMatch("{tsconfig,jsconfig}*.json", name) || name == "pyrightconfig.json" ||
      name == "global.json") {
    return JsonFault(text, /*with_comments=*/true);
  }
  if (name == "pyproject.toml" || name == "Cargo.toml" || name == "Cargo.lock" ||
      name == "Pipfile" || name == "rust-toolchain.toml" || name == "mypy.toml" ||
      absl::EndsWith(path, ".cargo/config.toml")) {
    return TomlFault(text);
  }
  if (name == "mypy.ini" || name == ".mypy.ini" || name == "setup.cfg" || name == "pytest.ini" ||
      name == ".pytest.ini" || name == "tox.ini") {
    return IniFault(text);
  }
  if (GlobMatch("*.{csproj,props,targets,slnx}", name) || name == "pom.xml") return XmlFault(text);
  if (absl::EndsWith(name, ".sln")) return SolutionFault(text);
  if (name == "go.mod") return GoModFault(text, "module");
  if (name == "go.work") return GoModFault(text, "");
  return std::nullopt;
}

std::vector<Weakening> CompareProjectSyntax(const ContentPair& change) {
  if (!change.after.has_value()) return {};
  if (change.before.has_value() ? ProjectSyntaxFault(change.path, *change.before).has_value()
                                : IsTestData(change.path)) {
    return {};
  }
  const std::optional<SyntaxFault> fault = ProjectSyntaxFault(change.path, *change.after);
  if (!fault.has_value()) return {};
  return {{Weakening::Weight::kGrave, change.path, fault->line,
           absl::StrCat("the project file ",
                        change.before.has_value() ? "no longer parses: " : "does not parse: ",
                        ToUtf8(fault->what)),
           "project-file-broken"}};
}

}  // namespace stile
