// How often the weakening detector refuses what people committed: reads commits that changed tests
// from a git directory and compares each with its parent. JSON on stdout, one line a refusal on
// stderr.
//
//   weakening_bench GIT_DIR [SKIP:]COUNT [LANGUAGE…]  the newest COUNT commits that changed tests,
//                                                     or those behind the newest SKIP
//   weakening_bench GIT_DIR COMMIT                    one commit, with all that is found
//
// A commit counts if it changes a test file of one of the languages (ids; default: all) that was
// there before, and at most 60 files. Merges are left out.

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/json.h"
#include "runtime/process/process_runner.h"
#include "tests/support/memory_files.h"
#include "tests/support/shipped_languages.h"
#include "validators/integrity/test_functions.h"
#include "validators/integrity/weakening_detector.h"

namespace stile {
namespace {

constexpr size_t kMaxFiles = 60;
constexpr size_t kMaxOutput = size_t{64} << 20;

class Bench {
 public:
  explicit Bench(std::string git_dir) : git_dir_(std::move(git_dir)) {}

  bool Counts(const std::string& commit, const std::set<std::string>& wanted) {
    return !LanguagesOf(ChangesOf(commit), wanted).empty();
  }

  // False if the commit does not count.
  bool Judge(const std::string& commit, const std::set<std::string>& wanted, bool tell_all) {
    const std::vector<ContentPair> changes = ChangesOf(commit);
    const std::set<std::string> languages = LanguagesOf(changes, wanted);
    if (languages.empty() && !tell_all) return false;
    std::set<std::string> rules;
    for (const Weakening& weakening : detector_->Compare(changes, MemoryFiles(changes))) {
      const bool is_grave = weakening.weight == Weakening::Weight::kGrave;
      if (is_grave) rules.insert(weakening.rule);
      if (is_grave || tell_all) {
        std::fprintf(stderr, "%s %s %s:%d %s%s\n", commit.substr(0, 12).c_str(),
                     weakening.rule.c_str(), weakening.path.c_str(), weakening.line,
                     weakening.what.c_str(), is_grave ? "" : " (not grave)");
      }
    }
    for (const std::string& language : languages) {
      ++commits_[language];
      if (!rules.empty()) ++refused_[language];
    }
    for (const std::string& rule : rules) ++by_rule_[rule];
    ++all_commits_;
    if (!rules.empty()) ++all_refused_;
    return true;
  }

  std::vector<std::string> Commits() {
    return absl::StrSplit(Git({"log", "--no-merges", "--format=%H", "-n", "20000"}), '\n',
                          absl::SkipEmpty());
  }

  Json Result() const {
    return {{"commits", all_commits_},
            {"refused", all_refused_},
            {"commits_by_language", commits_},
            {"refused_by_language", refused_},
            {"refused_by_rule", by_rule_}};
  }

 private:
  // Of the test files that were there before and changed; empty if the commit does not count.
  std::set<std::string> LanguagesOf(const std::vector<ContentPair>& changes,
                                    const std::set<std::string>& wanted) const {
    std::set<std::string> languages;
    if (changes.size() > kMaxFiles) return languages;
    for (const ContentPair& change : changes) {
      const Language* const language = languages_.OfFile(change.path);
      if (language == nullptr || !change.before.has_value() || !IsTestPath(change.path)) continue;
      if (wanted.empty() || wanted.count(language->id) > 0) languages.insert(language->id);
    }
    return languages;
  }

  std::string Git(const std::vector<std::string>& arguments) {
    ProcessRequest request;
    request.argv = {"git", "--git-dir", git_dir_};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.env = InheritedEnvironment();
    request.max_output_bytes = kMaxOutput;
    const auto result = runner_->Run(request);
    return result.ok() ? result->out : "";
  }

  bool IsRead(const std::string& path) const {
    return languages_.OfFile(path) != nullptr || !languages_.OfBuildFile(path).empty() ||
           detector_->Reads(path);
  }

  std::vector<ContentPair> ChangesOf(const std::string& commit) {
    std::vector<ContentPair> changes;
    const std::string listed =
        Git({"diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", commit});
    const std::vector<std::string> fields = absl::StrSplit(listed, '\0', absl::SkipEmpty());
    if (fields.size() > 8 * kMaxFiles) return changes;
    for (size_t i = 0; i + 1 < fields.size(); i += 2) {
      // :100644 100644 <blob> <blob> M
      const std::vector<std::string> parts = absl::StrSplit(fields[i], ' ');
      const std::string& path = fields[i + 1];
      if (parts.size() != 5 || !IsRead(path)) continue;
      ContentPair change;
      change.path = path;
      if (absl::StartsWith(parts[0], ":100")) change.before = Git({"cat-file", "blob", parts[2]});
      if (absl::StartsWith(parts[1], "100")) change.after = Git({"cat-file", "blob", parts[3]});
      changes.push_back(std::move(change));
      if (changes.size() > kMaxFiles) break;
    }
    return changes;
  }

  const std::string git_dir_;
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  const std::unique_ptr<WeakeningDetector> detector_ = NewWeakeningDetector(&languages_);
  std::map<std::string, int> commits_;
  std::map<std::string, int> refused_;
  std::map<std::string, int> by_rule_;
  int all_commits_ = 0;
  int all_refused_ = 0;
};

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: weakening_bench GIT_DIR [SKIP:]COUNT|COMMIT [LANGUAGE…]\n");
    return 2;
  }
  Bench bench(argv[1]);
  const std::string what = argv[2];
  const std::set<std::string> languages(argv + 3, argv + argc);
  const std::vector<std::string> numbers = absl::StrSplit(what, ':');
  int skip = 0;
  int count = 0;
  const bool skips = numbers.size() == 2 && absl::SimpleAtoi(numbers[0], &skip);
  if (what.size() >= 12 || !absl::SimpleAtoi(numbers.back(), &count)) {
    bench.Judge(what, languages, /*tell_all=*/true);
  } else {
    for (const std::string& commit : bench.Commits()) {
      if (count == 0) break;
      if (skips && skip > 0) {
        if (bench.Counts(commit, languages)) --skip;
      } else if (bench.Judge(commit, languages, /*tell_all=*/false)) {
        --count;
      }
    }
  }
  std::printf("%s\n", DumpJson(bench.Result()).c_str());
  return 0;
}

}  // namespace
}  // namespace stile

int main(int argc, char** argv) { return stile::Main(argc, argv); }
