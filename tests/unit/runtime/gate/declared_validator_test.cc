// Validators that stile.yaml declares: for files of any name, and with scripts of the workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/gate_world.h"

namespace stile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Kind = Judgement::Kind;

class Linter : public WordValidator {
 public:
  explicit Linter(Level level) : WordValidator(level) {}
  const std::string& id() const override { return id_; }

 private:
  const std::string id_ = "lint";
};

class DeclaredValidatorTest : public testing::Test {
 protected:
  DeclaredValidatorTest() {
    Declare(Level::kBuild, {"*.x"}, {});
    world.workspace.Write("app/word.project", "");
    world.workspace.Write("app/main.word", "fine");
    world.workspace.Write("app/table.x", "fine");
  }

  void Declare(Level level, std::vector<std::string> files, std::vector<std::string> roots) {
    auto build = std::make_unique<WordValidator>();
    auto declared = std::make_unique<Linter>(level);
    world.validator = build.get();
    linter = declared.get();
    std::vector<std::unique_ptr<Validator>> list;
    list.push_back(std::move(build));
    list.push_back(std::move(declared));
    world.validators = std::make_unique<ValidatorRegistry>(std::move(list));
    Language language;
    language.id = language.name = "lint";
    language.declared = true;
    language.files = std::move(files);
    language.project_files = language.build_files = std::move(roots);
    (level == Level::kBuild ? language.build_validators : language.test_validators) = {"lint"};
    std::vector<Language> languages = {*GateWorld().languages.Find("word"), language};
    world.languages = LanguageRegistry::Of(std::move(languages));
  }

  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const Target& target : world.gate->targets().targets()) keys.push_back(target.key);
    return keys;
  }

  GateWorld world;
  WordValidator* linter = nullptr;
};

TEST_F(DeclaredValidatorTest, ItsFilesMustPass) {
  world.workspace.Write("other.x", "fine");
  world.Start();
  world.workspace.Write("other.x", "bad");
  Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("other.x"));
  EXPECT_EQ(world.Validate().verdict, Verdict::kFail);
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.workspace.Write("other.x", "good");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(DeclaredValidatorTest, ItTakesNoInputFromTheProjectAroundAFile) {
  world.Start();
  EXPECT_EQ(world.gate->targets().Find("word:app:build")->inputs.count("app/table.x"), 1U);
  EXPECT_EQ(world.gate->targets().Find("lint:.:build:loose")->inputs.count("app/table.x"), 1U);
  EXPECT_EQ(world.gate->targets().Find("lint:.:build:loose")->inputs.count("app/main.word"), 0U);
}

TEST_F(DeclaredValidatorTest, ItsPassCoversNothingForACompiler) {
  Declare(Level::kBuild, {"*.word"}, {});
  world.validator->files_read = std::vector<std::string>();
  world.Start();
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  const Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("it is not part of the build of word"));
}

TEST_F(DeclaredValidatorTest, AtLevelTestItStandsForNoBuild) {
  Declare(Level::kTest, {"*.x"}, {});
  world.Start();
  EXPECT_THAT(Keys(), Contains("lint:.:test:loose"));
  EXPECT_THAT(Keys(), Not(Contains(HasSubstr("none/"))));
  world.workspace.Write("app/table.x", "bad");
  world.workspace.Write("app/main.word", "finer");
  world.Validate();
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted) << "gate.level is build";
}

TEST_F(DeclaredValidatorTest, ItsProjectFileIsTheRoot) {
  Declare(Level::kBuild, {"*.x"}, {"x.root"});
  linter->unknown_graph = true;
  world.workspace.Write("api/x.root", "");
  world.workspace.Write("api/deep/a.x", "fine");
  world.workspace.Write("api/deep/data", "1");
  world.Start();
  const Target* const target = world.gate->targets().Find("lint:api:build");
  ASSERT_NE(target, nullptr);
  EXPECT_THAT(target->code_files, testing::ElementsAre("api/deep/a.x"));
  EXPECT_EQ(target->inputs.count("api/deep/data"), 1U);
  std::filesystem::remove(world.workspace.Path("api/x.root"));
  world.workspace.Write("api/deep/a.x", "bad");
  world.Validate();
  EXPECT_THAT(world.Finish().observation, HasSubstr("api/x.root was removed"));
}

TEST_F(DeclaredValidatorTest, WithAProjectFileAloneItJudgesTheFolder) {
  Declare(Level::kBuild, {}, {"x.root"});
  world.workspace.Write("api/x.root", "");
  world.workspace.Write("api/a.y", "1");
  world.Start();
  world.workspace.Write("api/a.y", "2");
  EXPECT_THAT(world.Finish().observation, HasSubstr("api/a.y"));
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  std::filesystem::remove(world.workspace.Path("api/x.root"));
  EXPECT_THAT(world.Finish().observation, HasSubstr("api/x.root was removed"));
  std::filesystem::remove(world.workspace.Path("api/a.y"));
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

TEST_F(DeclaredValidatorTest, AScriptThatTheRunChangedDoesNotJudge) {
  world.workspace.Write("tools/check", "strict");
  world.workspace.Write("lint", "no script");
  linter->named_scripts = {{"tools/check"}, {"lint", false}, {"made", false}, {"tools/new"}};
  world.Start();
  world.workspace.Write("app/table.x", "good");
  world.workspace.Write("made", "by the run");
  world.workspace.Write("app/main.word", "finer");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass) << "words of a command that name no script";
  world.workspace.Write("lint", "changed");
  world.workspace.Write("app/table.x", "better");
  EXPECT_EQ(world.Validate().verdict, Verdict::kInfraError) << "a file that it names";
  world.workspace.Write("lint", "no script");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  world.workspace.Write("tools/check", "lenient");
  EXPECT_THAT(world.Finish().observation, HasSubstr("tools/check")) << "it is an input";
  ValidationReport report = world.Validate();
  EXPECT_EQ(report.verdict, Verdict::kInfraError);
  EXPECT_THAT(report.targets[0].result.message,
              HasSubstr("uses tools/check, which was changed during this run"));
  EXPECT_EQ(world.Finish().kind, Kind::kRejected);
  world.workspace.Write("tools/check", "strict");
  EXPECT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
  world.workspace.Write("tools/new", "exit 0");
  EXPECT_EQ(world.Validate().verdict, Verdict::kInfraError) << "it was not there";
}

TEST_F(DeclaredValidatorTest, AScriptReplacedWhileItJudgesDoesNotCount) {
  world.workspace.Write("tools/check", "strict");
  linter->named_scripts = {{"tools/check"}};
  world.Start();
  world.workspace.Write("app/table.x", "good");
  linter->during_run = [this] {
    world.workspace.Write("tools/check", "lenient");
    world.workspace.Write("tools/check", "strict");
  };
  EXPECT_EQ(world.Validate({".", "", std::nullopt, true}).verdict, Verdict::kInfraError);
}

TEST_F(DeclaredValidatorTest, AnOutputThatItsCommandNamesIsNoScript) {
  world.workspace.Write("report", "old");
  linter->named_scripts = {{"report", false}, {"log", false}};
  world.Start();
  world.workspace.Write("app/table.x", "good");
  linter->during_run = [this] {
    world.workspace.Write("report", "by the validator");
    world.workspace.Write("log", "by the validator");
  };
  EXPECT_NE(world.Validate({".", "", std::nullopt, true}).verdict, Verdict::kInfraError);
}

TEST_F(DeclaredValidatorTest, FilesThatNoProgramOpenedAreNotJudged) {
  world.runner = NewLocalProcessRunner();
  world.workspace.Write("a.x", "fine");
  world.workspace.Write("b.x", "fine");
  linter->named_compilers = {std::string(kAnyProgram)};
  linter->script = "cat a.x";
  world.Start();
  world.workspace.Write("a.x", "good");
  world.workspace.Write("b.x", "good");
  ASSERT_EQ(world.Validate().verdict, Verdict::kPass);
  Judgement verdict = world.Finish();
  EXPECT_EQ(verdict.kind, Kind::kRejected);
  EXPECT_THAT(verdict.observation, HasSubstr("b.x: the command of lint passes, but no program"));
  EXPECT_THAT(verdict.observation, Not(HasSubstr("a.x:")));
  linter->script = "cat a.x b.x";
  world.workspace.Write("b.x", "better");
  ASSERT_EQ(world.Validate().verdict, Verdict::kPass);
  EXPECT_EQ(world.Finish().kind, Kind::kAccepted);
}

}  // namespace
}  // namespace stile
