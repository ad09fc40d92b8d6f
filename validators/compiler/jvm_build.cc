#include "validators/compiler/jvm_build.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/diagnostics/junit_report.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

bool HoldsOneOf(const std::string& folder, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&folder](const char* name) { return FileExists(JoinPath(folder, name)); });
}

// The stack names "a.MainTest.bad(MainTest.java:6)": the file of that name below the package.
void PlaceInStack(const JunitCase& test, const Project& project, Diagnostic* diagnostic) {
  static const Pattern* const kFrame =
      new Pattern(R"(\s*at ([\w.$]+)\.[\w$<>]+\((\w+\.\w+):(\d+)\)\s*)");
  for (absl::string_view line : SplitLines(test.details)) {
    std::string type, file, number;
    if (!kFrame->Matches(line, &type, &file, &number)) continue;
    if (!absl::StartsWith(type, test.class_name)) continue;
    const std::string suffix = absl::StrCat("/", file);
    const auto found = std::find_if(
        project.files.begin(), project.files.end(),
        [&](const std::string& path) { return absl::EndsWith(absl::StrCat("/", path), suffix); });
    if (found == project.files.end()) continue;
    diagnostic->file = *found;
    diagnostic->line = PositiveNumber(number);
    return;
  }
}

}  // namespace

std::string OutermostFolderWith(const Project& project, std::initializer_list<const char*> names) {
  std::string top = project.absolute_root();
  for (const std::string& folder : FoldersUpward(project)) {
    const std::string absolute =
        folder == "." ? project.workspace : JoinPath(project.workspace, folder);
    if (!HoldsOneOf(absolute, names)) break;
    top = absolute;
  }
  return top;
}

std::vector<std::string> ModulesWith(const Project& project, const std::string& folder,
                                     std::initializer_list<const char*> names) {
  std::set<std::string> roots;
  std::error_code error;
  const auto add = [&](const std::string& absolute) {
    if (!HoldsOneOf(absolute, names)) return;
    roots.insert(absolute == project.workspace
                     ? "."
                     : WorkspaceFile(absolute, project.workspace, project.workspace));
  };
  add(folder);
  std::filesystem::recursive_directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
    const std::string name = it->path().filename().string();
    if (name == "target" || name == "build" || absl::StartsWith(name, ".") || it.depth() > 6) {
      it.disable_recursion_pending();
      continue;
    }
    add(it->path().string());
  }
  roots.erase(project.root);
  return {roots.begin(), roots.end()};
}

bool IsDownloadTrouble(absl::string_view output) {
  for (absl::string_view sign :
       {"in offline mode", "Could not transfer artifact", "Unknown host", "Could not GET",
        "Could not HEAD", "No cached version", "Connection refused", "Connect to ",
        "UnknownHostException", "Temporary failure in name resolution", "Network is unreachable"}) {
    if (absl::StrContains(output, sign)) return true;
  }
  return false;
}

std::string FirstErrorLine(absl::string_view output) {
  for (absl::string_view prefix : {"[ERROR] ", "> "}) {
    for (absl::string_view line : SplitLines(output)) {
      if (absl::ConsumePrefix(&line, prefix) && !absl::StripAsciiWhitespace(line).empty()) {
        return TruncateMiddle(ToUtf8(line), 600);
      }
    }
  }
  return "";
}

std::optional<TestCounts> ReadTestReports(const std::string& tree, absl::string_view folder,
                                          const Project& project, NamedTests* tests,
                                          std::vector<Diagnostic>* failures) {
  std::optional<TestCounts> counts;
  std::vector<std::string> reports;
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(tree, error), end;
  for (; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    std::error_code ignored;
    if (it->path().extension() == ".xml" &&
        absl::StrContains(path, absl::StrCat("/", folder, "/")) && it->is_regular_file(ignored)) {
      reports.push_back(path);
    }
  }
  std::sort(reports.begin(), reports.end());
  for (const std::string& path : reports) {
    const auto text = DiskFileSystem()->ReadFile(path, kMaxFileBytes);
    const auto cases = text.ok() ? ParseJunitReport(*text) : text.status();
    if (!cases.ok()) continue;
    if (!counts.has_value()) counts = TestCounts();
    AddNamedTests(*cases, tests);
    const TestCounts found = CountCases(*cases, [&](const JunitCase& test) {
      Diagnostic diagnostic;
      diagnostic.message = absl::StrCat("test ", test.class_name, ".", test.name, " failed",
                                        test.message.empty() ? "" : ": ", ToUtf8(test.message));
      PlaceInStack(test, project, &diagnostic);
      failures->push_back(std::move(diagnostic));
    });
    counts->passed += found.passed;
    counts->failed += found.failed;
    counts->skipped += found.skipped;
  }
  return counts;
}

}  // namespace stile
