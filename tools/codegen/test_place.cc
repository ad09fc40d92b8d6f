#include "tools/codegen/test_place.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/new_file.h"

namespace stile {
namespace {

std::string Stem(const std::string& path) {
  const std::string name = BaseName(path);
  return name.substr(0, name.rfind('.'));
}

std::string Extension(const std::string& path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot);
}

// What the files say that name a project's packages, in lower case.
std::string Settings(const GenerateContext& context, const std::string& path) {
  std::string text;
  for (const absl::string_view glob :
       {"*.csproj", "package.json", "pom.xml", "build.gradle*", "pyproject.toml",
        "requirements*.txt", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "Pipfile"}) {
    const std::string found = FindAbove(context.workspace, path, glob);
    if (found.empty()) continue;
    absl::StrAppend(&text, BaseName(found), "\n", ReadText(context.workspace, found), "\n");
  }
  return absl::AsciiStrToLower(text);
}

std::vector<std::string> FilesLike(const GenerateContext& context, absl::string_view glob) {
  std::vector<std::string> found;
  context.index->ListFiles([&](const std::string& path) {
    if (GlobMatch(glob, path)) found.push_back(path);
  });
  std::sort(found.begin(), found.end());
  return found;
}

// The project of tests for a project: by its name, else the only one.
absl::StatusOr<std::string> CSharpTests(const GenerateContext& context, const CodeSite& site,
                                        const std::string& file_name) {
  const std::string own = FindAbove(context.workspace, site.file->path, "*.csproj");
  const auto has_tests = [&](const std::string& project) {
    const std::string text = absl::AsciiStrToLower(ReadText(context.workspace, project));
    return absl::StrContains(text, "xunit") || absl::StrContains(text, "nunit") ||
           absl::StrContains(text, "mstest") || absl::StrContains(text, "microsoft.net.test.sdk");
  };
  std::vector<std::string> projects;
  for (const std::string& project : FilesLike(context, "*.csproj")) {
    if (has_tests(project)) projects.push_back(project);
  }
  std::string chosen;
  for (const std::string& project : projects) {
    const std::string text = ReadText(context.workspace, project);
    const bool refers = !own.empty() && absl::StrContains(text, BaseName(own));
    if (project == own || refers) {
      chosen = project;
      break;
    }
  }
  if (chosen.empty() && projects.size() == 1) chosen = projects[0];
  if (chosen.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        projects.empty()
            ? "no project of tests (a .csproj that refers to xunit, NUnit or MSTest) exists"
            : "several projects have tests",
        "; give the test file in targetFile and the type in className"));
  }
  // The folders below the project stay the same.
  const std::string root = own.empty() ? "." : DirName(own);
  std::string below = DirName(site.file->path);
  if (root != ".") {
    below = below.size() > root.size() ? below.substr(root.size() + 1) : "";
  } else if (below == ".") {
    below = "";
  }
  const std::string folder =
      chosen == own ? DirName(site.file->path) : JoinPath(DirName(chosen), below);
  return JoinPath(CleanPath(folder), file_name);
}

std::string JavaTests(const CodeSite& site, const std::string& file_name) {
  const std::string folder = absl::StrCat("/", DirName(site.file->path));
  const std::string tests = absl::StrReplaceAll(folder, {{"/src/main/java", "/src/test/java"}});
  return JoinPath(tests.substr(1), file_name);
}

std::string PythonTests(const GenerateContext& context, const CodeSite& site,
                        const std::string& file_name) {
  for (std::string folder = DirName(site.file->path);; folder = DirName(folder)) {
    for (const char* name : {"tests", "test"}) {
      const std::string tests = JoinPath(folder, name);
      if (DirectoryExists(JoinPath(context.workspace, tests))) return JoinPath(tests, file_name);
    }
    if (folder == "." || folder.empty()) break;
  }
  return JoinPath(DirName(site.file->path), file_name);
}

std::string EcmaTests(const GenerateContext& context, const CodeSite& site) {
  const std::string folder = DirName(site.file->path);
  const std::string stem = Stem(site.file->path);
  const std::string extension = Extension(site.file->path);
  size_t specs = 0;
  size_t tests = 0;
  bool in_folder = false;
  context.index->ListFiles([&](const std::string& path) {
    if (absl::StrContains(path, ".spec.")) ++specs;
    if (absl::StrContains(path, ".test.")) ++tests;
    if (absl::StrContains(path, "__tests__/")) in_folder = true;
  });
  const std::string name = absl::StrCat(stem, specs > tests ? ".spec" : ".test", extension);
  return in_folder ? JoinPath(JoinPath(folder, "__tests__"), name) : JoinPath(folder, name);
}

}  // namespace

bool IsTestFile(const Language& language, absl::string_view path) {
  return std::any_of(language.test_names.begin(), language.test_names.end(),
                     [&](const std::string& glob) { return GlobMatch(glob, path); });
}

const TestFramework* FindFramework(const GenerateContext& context, const CodeSite& site,
                                   const std::string& test_path) {
  const LanguageFamily& family = *site.family;
  const std::string settings = Settings(context, test_path);
  const std::string own = ReadText(context.workspace, test_path);
  for (const std::string* text : {&own, &settings}) {
    for (const TestFramework& framework : family.frameworks) {
      const bool python_functions =
          framework.name == "pytest" && text == &own && absl::StrContains(*text, "\ndef test_");
      if (absl::StrContains(*text, framework.marker) || python_functions) return &framework;
    }
  }
  if (absl::StrContains(settings, "<artifactid>junit</artifactid>") ||
      absl::StrContains(settings, "junit:junit:4")) {
    return family.FindFramework("junit4");
  }
  // What other tests use.
  for (const TestFramework& framework : family.frameworks) {
    const std::string word = framework.marker.substr(framework.marker.find_last_of(".:") + 1);
    for (const auto& file : context.index->FilesWith(word)) {
      if (file->language.id == site.language() && absl::StrContains(file->text, framework.marker)) {
        return &framework;
      }
    }
  }
  return family.FindFramework(family.test_default);
}

absl::StatusOr<TestFilePlace> FindTestPlace(const GenerateContext& context, const CodeSite& site,
                                            const std::string& group) {
  const LanguageFamily& family = *site.family;
  const std::string& own = site.generation().test_extension;
  const std::string extension = own.empty() ? Extension(site.file->path) : own;
  TestFilePlace place;
  const std::string of_group = Fill(family.test_file, {{"name", group}}) + extension;
  const std::string of_file = Fill(family.test_file, {{"name", Stem(site.file->path)}}) + extension;
  switch (site.generation().tests) {
    case TestLocation::kOwnProject: {
      STILE_ASSIGN_OR_RETURN(place.path, CSharpTests(context, site, of_group));
      break;
    }
    case TestLocation::kParallelTree:
      place.path = JavaTests(site, of_group);
      break;
    case TestLocation::kTestsFolder:
      place.path = PythonTests(context, site, of_file);
      break;
    case TestLocation::kBesideSource:
      place.path = JoinPath(DirName(site.file->path), of_file);
      break;
    case TestLocation::kByConvention:
      place.path = EcmaTests(context, site);
      break;
  }
  place.framework = FindFramework(context, site, place.path);
  return place;
}

}  // namespace stile
