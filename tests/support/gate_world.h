// Size: a judge, what it leaves out, and a workspace before it: tests need all three.
#ifndef STILE_TESTS_SUPPORT_GATE_WORLD_H_
#define STILE_TESTS_SUPPORT_GATE_WORLD_H_

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate.h"
#include "tests/support/temp_dir.h"

namespace stile {

// A judge that needs no compiler: a file that holds "bad" does not build. What stands between the
// lines "if X" and "end" counts only where word.lock holds X, or where X is switched on. notes.md
// of a project is read as well, though as prose it is no input. At level test, each "test:" is a
// test that runs. Other words make the judge behave badly itself: "broken-tool", "slow-tool",
// "flaky". Header-only: only tests of rooms above runtime/gate may include it.
class WordValidator : public Validator {
 public:
  explicit WordValidator(Level level = Level::kBuild)
      : id_(level == Level::kBuild ? "word" : "word-test"), level_(level) {}

  const std::string& id() const override { return id_; }
  Level level() const override { return level_; }
  bool Applies(const Project&) const override { return true; }
  Toolchain Probe(const Project&, const Environment&, ProcessRunner*) const override {
    return available ? Toolchain{true, "/usr/bin/word", "1.0", ""}
                     : Toolchain{false, "", "", "install word"};
  }
  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    if (unknown_graph) return std::nullopt;
    std::vector<std::string> roots;
    const auto text =
        DiskFileSystem()->ReadFile(project.absolute_root() + "/word.project", size_t{1} << 20);
    if (text.ok() && absl::StartsWith(*text, "uses ")) roots.push_back(text->substr(5));
    return roots;
  }
  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    ++runs;
    last_changed = request.changed;
    last_cold = request.cold;
    ValidationResult result;
    result.command = "word " + request.project->root;
    result.toolchain = Probe(*request.project, {}, nullptr);
    if (!available) {
      result.verdict = Verdict::kNoValidator;
      return result;
    }
    if (during_run) during_run();
    result.verdict = Verdict::kPass;
    if (!script.empty()) {
      ProcessRequest process;
      process.argv = {"/bin/sh", "-c", script};
      process.cwd = request.project->absolute_root();
      process.env = {{"PATH", "/usr/bin:/bin"},
                     {"STATE", request.state_dir},
                     {"COLD", request.cold ? "yes" : ""}};
      const auto ended = request.runner->Run(process);
      if (!ended.ok() || !ended->ok()) result.verdict = Verdict::kFail;
    }
    if (level_ == Level::kTest) result.tests = TestCounts();
    const bool in_copy = absl::StrContains(request.project->workspace, "/scratch/");
    result.files_read = in_copy && in_copies.has_value() ? in_copies : files_read;
    const auto lock = DiskFileSystem()->ReadFile(
        absl::StrCat(request.project->absolute_root(), "/word.lock"), size_t{1} << 20);
    std::string set = lock.value_or("");
    if (request.switches != nullptr) {
      for (const BuildSwitch& one : *request.switches) absl::StrAppend(&set, " ", one.name);
    }
    const bool blind = blind_when.empty() || lock.value_or("") == blind_when;
    const auto unlisted = DiskFileSystem()->ReadFile(
        absl::StrCat(request.project->absolute_root(), "/notes.md"), size_t{1} << 20);
    if (absl::StrContains(unlisted.value_or(""), "bad")) result.verdict = Verdict::kFail;
    if (!bad_when.empty() &&
        absl::StrContains(
            DiskFileSystem()
                ->ReadFile(absl::StrCat(request.project->workspace, "/", bad_when), size_t{1} << 20)
                .value_or(""),
            "wrong")) {
      result.verdict = Verdict::kFail;
      result.diagnostics.push_back({Severity::kError, bad_when, 1, 1, "W2", "wrong"});
    }
    for (const std::string& file : request.project->files) {
      if (blind && file == blind_to) continue;
      const auto text = DiskFileSystem()->ReadFile(
          absl::StrCat(request.project->workspace, "/", file), size_t{1} << 20);
      if (!text.ok()) continue;
      for (size_t at = text->find("test:"); at != std::string::npos && result.tests.has_value();
           at = text->find("test:", at + 1)) {
        ++result.tests->passed;
      }
      if (absl::StrContains(*text, "broken-tool")) result.verdict = Verdict::kInfraError;
      if (absl::StrContains(*text, "slow-tool")) result.verdict = Verdict::kTimeout;
      if (absl::StrContains(*text, "flaky")) result.verdict = Verdict::kFlakyPass;
      for (size_t at = text->find("bad"); at != std::string::npos; at = text->find("bad", at + 1)) {
        const size_t end = text->find_first_of(" \n", at);
        if (IsOff(*text, at, set)) continue;
        result.verdict = Verdict::kFail;
        const size_t newline = text->rfind('\n', at);
        const size_t line_start = newline == std::string::npos ? 0 : newline + 1;
        const int line = 1 + static_cast<int>(std::count(
                                 text->begin(), text->begin() + static_cast<long>(at), '\n'));
        result.diagnostics.push_back({Severity::kError, file, line,
                                      static_cast<int>(at - line_start) + 1, "W1",
                                      text->substr(at, end - at)});
      }
    }
    if (result.tests.has_value()) result.tests->failed += failed_by_report;
    return result;
  }

  std::vector<std::string> compilers() const override { return named_compilers; }
  bool Sets(BuildSwitch::Kind) const override { return sets_switches; }
  std::vector<JudgingFile> scripts(const Project&) const override { return named_scripts; }

  // Run in the project's folder, with STATE (folder) and COLD ("yes" or ""); what it ends with is
  // the verdict. Needs GateWorld::runner.
  std::string script;
  std::vector<std::string> named_compilers;
  std::vector<JudgingFile> named_scripts;
  std::string bad_when;  // a file that, while it holds "wrong", is an error
  bool available = true;
  bool sets_switches = true;
  int failed_by_report = 0;  // tests, of which the verdict says nothing
  std::optional<std::vector<std::string>> files_read;
  std::optional<std::vector<std::string>> in_copies;  // files_read in copies of the workspace
  std::string blind_to;                               // a file that it does not look at
  std::string blind_when;                             // only while word.lock holds this
  bool unknown_graph = false;
  std::function<void()> during_run;
  mutable int runs = 0;
  mutable std::vector<std::string> last_changed;
  mutable bool last_cold = false;

 private:
  static bool IsOff(const std::string& text, size_t at, const std::string& set) {
    const size_t begin = text.rfind("if ", at);
    if (begin == std::string::npos || text.find("end", begin) < at) return false;
    const size_t name = begin + 3;
    return !absl::StrContains(set, text.substr(name, text.find('\n', name) - name));
  }

  std::string id_;
  Level level_;
};

// Finds what WordValidator leaves out: at most one condition a file. Names that begin with "with_"
// can be switched on.
class WordConditions : public ConditionFinder {
 public:
  std::vector<ConditionalRegion> Find(const std::string&, absl::string_view text) const override {
    const std::string lines(text);
    const size_t begin = lines.find("if ");
    if (begin == std::string::npos) return {};
    const auto line_at = [&](size_t at) {
      return 1 + static_cast<int>(
                     std::count(lines.begin(), lines.begin() + static_cast<long>(at), '\n'));
    };
    ConditionalRegion region;
    region.condition = lines.substr(begin, lines.find('\n', begin) - begin);
    region.constant = region.condition == "if never";
    region.condition_line = line_at(begin);
    region.first_line = region.plant_before = region.condition_line + 1;
    region.last_line = line_at(lines.find("end", begin)) - 1;
    region.planted = "badness";
    region.holds = {region.condition.substr(3)};
    for (int line = region.first_line; line <= region.last_line; ++line) {
      const absl::string_view text_of_line = SplitLines(text)[static_cast<size_t>(line) - 1];
      const absl::string_view word = absl::StripAsciiWhitespace(text_of_line);
      if (!word.empty()) absl::StrAppend(&region.code, word, "\n");
    }
    return {region};
  }
  std::vector<BuildSwitches> Ways(const std::string&, absl::string_view,
                                  const ConditionalRegion& region) const override {
    if (!absl::StartsWith(region.holds.front(), "with_")) return {};
    return {{{BuildSwitch::Kind::kFeature, region.holds.front(), "1"}}};
  }
};

// A workspace on disk with a gate before it. Files end in ".word"; a folder with word.project is a
// project.
class GateWorld : public BaselineContent {
 public:
  GateWorld() {
    auto build = std::make_unique<WordValidator>();
    auto test = std::make_unique<WordValidator>(Level::kTest);
    validator = build.get();
    test_validator = test.get();
    std::vector<std::unique_ptr<Validator>> list;
    list.push_back(std::move(build));
    list.push_back(std::move(test));
    validators = std::make_unique<ValidatorRegistry>(std::move(list));
    languages = *LanguageRegistry::Load({{"word.yaml",
                                          "id: word\n"
                                          "name: Word\n"
                                          "extensions: [.word]\n"
                                          "project_files: [word.project]\n"
                                          "comment: '#'\n"
                                          "test_names: ['*_test.word']\n"
                                          "validators: {build: [word], test: [word-test]}\n"
                                          "install_hint: install word\n"}});
  }

  // Call after the first files are written.
  void Start(GateSettings settings = {}) {
    GateOptions options;
    options.workspace = workspace.path();
    options.ignore_rules = IgnoreRules::Load(workspace.path(), {}, {}).value();
    options.state_dir = state.path();
    options.settings = std::move(settings);
    options.inherited = inherited;
    options.baseline = resume_from;
    options.languages = &languages;
    options.validators = validators.get();
    options.file_system = DiskFileSystem();
    options.runner = runner.get();
    options.clock = SystemClock();
    options.events = &events;
    options.baseline_content = this;
    options.conditions = &conditions;
    options.syntax = syntax;
    options.weakening = weakening;
    auto started = Gate::Start(std::move(options));
    if (!started.ok()) std::abort();
    gate = *std::move(started);
    for (const FileRecord& file : gate->baseline().files()) {
      if (file.kind != FileRecord::Kind::kRegular) continue;
      kept.emplace(file.hash, workspace.Read(file.path));
    }
  }

  absl::StatusOr<std::string> Read(const FileRecord& file) override {
    const auto it = kept.find(file.hash);
    if (it == kept.end()) return absl::NotFoundError("not kept");
    return it->second;
  }
  absl::Status Keep(const FileRecord&) override { return absl::OkStatus(); }

  ValidationReport Validate(const ValidateArguments& arguments = {}) {
    return gate->Validate(arguments).value();
  }
  Judgement Finish() { return gate->JudgeFinish(false).value(); }

  TempDir workspace;
  TempDir state;
  LanguageRegistry languages;
  std::unique_ptr<ValidatorRegistry> validators;
  WordConditions conditions;
  WordValidator* validator;
  WordValidator* test_validator;
  std::unique_ptr<ProcessRunner> runner;  // null: nothing runs programs, nothing is observed
  EventStream events{"test-run", SystemClock()};
  std::map<std::string, std::optional<Sha256Digest>> inherited;
  std::optional<Snapshot> resume_from;
  const WeakeningDetector* weakening = nullptr;  // not owned
  const SyntaxChecker* syntax = nullptr;
  std::map<Sha256Digest, std::string> kept;
  std::unique_ptr<Gate> gate;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_GATE_WORLD_H_
