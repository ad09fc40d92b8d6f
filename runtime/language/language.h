#ifndef STILE_RUNTIME_LANGUAGE_LANGUAGE_H_
#define STILE_RUNTIME_LANGUAGE_LANGUAGE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/yaml.h"
#include "runtime/language/name_matcher.h"

namespace stile {

// What Stile knows of a programming language without knowing any compiler: data from one file of
// agents/languages/. Ids of validators are resolved by the ValidatorRegistry (runtime/gate).
struct Language {
  std::string
      id;  // "csharp", "typescript", "javascript", "python", "go", "rust", "java", "c", "cpp"
  std::string name;                     // "C#"
  std::vector<std::string> extensions;  // with the dot, lower case
  // Globs over paths in the workspace: further code files, whatever their extension.
  std::vector<std::string> files;
  // Stands for one validator declared with `files:` or with project files alone. It judges its
  // files beside the languages that they are code of, and OfFile never returns it.
  bool declared = false;
  // Globs over file names that mark a project's root folder, in order of preference.
  std::vector<std::string> project_files;
  // `root: outermost`: a project file below a folder with one of the same glob is a part of that
  // project, not a project (CMakeLists.txt, pom.xml). Otherwise each one starts a project.
  bool outermost_root = false;
  // Globs over file names that decide a build without being code: lock, checker, settings files.
  // They are watched too. Project files are included by the loader.
  std::vector<std::string> build_files;
  // Candidates in order of preference; the first that applies to a project judges it.
  std::vector<std::string> build_validators;
  std::vector<std::string> test_validators;
  std::vector<std::string> reads;  // ids of other languages whose code its builds can read
  // Names of tree-sitter grammars (runtime/syntax); "" when there is none. By extension where a
  // language has more than one.
  std::string grammar;
  std::map<std::string, std::string> grammar_of;
  std::string line_comment;             // "//"
  std::vector<std::string> test_names;  // globs over paths of test files
  // Errors to plant in a file, to see whether a judge looks at it: of meaning, where its judges can
  // tell, any one of which will do, and of syntax. "$id" and "$other" stand for two names that the
  // file does not hold.
  std::vector<std::string> canary_meaning;
  std::string canary_syntax;
  // Of the user's home, which sandboxes hide (see runtime/sandbox/sandbox.h). Paths begin with "~/"
  // or with "$VARIABLE", and only those that exist count.
  struct Sandbox {
    std::vector<std::string> read;      // toolchains: seen by every command
    std::vector<std::string> caches;    // packages: seen by commands, written by validators
    std::vector<std::string> settings;  // may hold passwords: seen by validators
    std::vector<std::string> network;   // ids of validators that fetch packages
  } sandbox;
  std::string install_hint;  // how to get the usual compiler
  std::string notes;         // for prompts, may be empty
};

// Whether a sandbox must let this validator of the language reach the network.
bool NeedsNetwork(const Language& language, absl::string_view validator_id);

// Parses one language file; unknown keys and wrong types are located errors. A map `validators`
// (command validators, see ParseCommandValidators) is permitted and left to its own reader.
absl::StatusOr<Language> ParseLanguage(absl::string_view yaml, absl::string_view file);

// The languages of a run. Immutable after Load; thread-safe.
class LanguageRegistry {
 public:
  struct Source {
    std::string file;  // for messages
    std::string text;
  };
  // Later sources replace earlier ones of the same id.
  static absl::StatusOr<LanguageRegistry> Load(const std::vector<Source>& sources);
  // Ids are unique; the order does not matter.
  static LanguageRegistry Of(std::vector<Language> languages);

  const std::vector<Language>& languages() const { return languages_; }
  const Language* Find(absl::string_view id) const;  // null if unknown
  // By extension, else by `files`; null if of none. Never a declared one.
  const Language* OfFile(absl::string_view path) const;
  // All languages that the file is code of: OfFile and those whose `files` match, each once.
  std::vector<const Language*> AllOfFile(absl::string_view path) const;
  std::string GrammarOf(absl::string_view path) const;  // of runtime/syntax; "" if there is none
  // Languages for which this file name is a project or build file.
  std::vector<const Language*> OfBuildFile(absl::string_view path) const;
  bool IsProjectFile(const Language& language, absl::string_view path) const;
  // For each match of `path` with a project file glob: the language, and the glob's place in its
  // list.
  std::vector<std::pair<const Language*, size_t>> ProjectMarksOf(absl::string_view path) const;

 private:
  std::vector<Language> languages_;  // sorted by id
  std::map<std::string, size_t, std::less<>> by_extension_;
  // Tags are language * kMaxGlobs + glob.
  NameMatcher project_files_;
  NameMatcher build_files_;
  NameMatcher files_;
};

// Where a file belongs: the nearest enclosing project root of the language, relative to the
// workspace ("." for the workspace itself), "" if there is none. `sorted_paths` are all files of
// the workspace. Immutable after construction; thread-safe.
class ProjectFinder {
 public:
  ProjectFinder(const LanguageRegistry& registry, const std::vector<std::string>& sorted_paths);
  std::string RootOf(const Language& language, absl::string_view path) const;
  // All project roots of a language, sorted.
  std::vector<std::string> Roots(const Language& language) const;

 private:
  std::map<std::string, std::vector<std::string>> roots_;  // by language id; sorted
};

}  // namespace stile

#endif  // STILE_RUNTIME_LANGUAGE_LANGUAGE_H_
