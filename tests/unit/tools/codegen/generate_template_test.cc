// Code from templates, given to the real compilers of its languages; what is missing is skipped.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "runtime/process/process_runner.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tests/support/toolchain_env.h"
#include "tools/codegen/generate.h"

namespace stile {
namespace {

// What checks a file without running it, and how its languages write parameters and a body.
struct Checker {
  std::vector<std::string> programs;  // that must be there
  std::string command;                // of a shell; $0 is the file
  std::string parameters;
  std::string body;
};

const std::map<std::string, Checker>& Checkers() {
  static const auto* const checkers = new std::map<std::string, Checker>{
      {"Groovy",
       {{"groovyc", "javac"},
        // It looks for Java where Debian may have none.
        "JAVA_HOME=$(dirname $(dirname $(readlink -f $(command -v javac)))) groovyc -d . \"$0\"",
        "(int a, b)",
        "return a + b"}},
      {"Lua", {{"luac5.4"}, "luac5.4 -p \"$0\"", "(a, b)", "return a + b"}},
      {"PHP", {{"php"}, "php -l \"$0\"", "(int $a, int $b)", "return $a + $b;"}},
      {"Perl", {{"perl"}, "perl -c \"$0\"", "($a, $b)", "return $a + $b;"}},
      {"Ruby", {{"ruby"}, "ruby -c \"$0\"", "(a, b = 1)", "a + b"}},
      {"Shell", {{"bash"}, "bash -n \"$0\"", "", "echo \"$(($1 + $2))\""}},
  };
  return *checkers;
}

class TemplateTest : public testing::TestWithParam<std::string> {
 protected:
  const CodeTemplate& Code() const {
    for (const CodeTemplate& code : CodeTemplates()) {
      if (code.language == GetParam()) return code;
    }
    ADD_FAILURE() << GetParam();
    return CodeTemplates()[0];
  }
  std::string File() const { return absl::StrCat("made", Code().extensions[0]); }

  absl::Status Generate(GenerateRequest request) {
    request.file = File();
    const auto generated = PlanGenerate({dir_.path(), &languages_, &index_}, request);
    if (!generated.ok()) return generated.status();
    for (const auto& [path, file] : generated->plan.files()) dir_.Write(path, file.After());
    return absl::OkStatus();
  }
  void ExpectGenerates(const GenerateRequest& request) {
    const absl::Status status = Generate(request);
    EXPECT_TRUE(status.ok()) << request.operation << ": " << status;
  }

  ProcessResult Check() {
    ProcessRequest request;
    request.argv = {"sh", "-c", Checkers().at(GetParam()).command, File()};
    request.cwd = dir_.path();
    request.env = TestEnvironment();
    request.timeout = absl::Minutes(4);
    const auto result = runner_->Run(request);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : ProcessResult();
  }

  const TempDir dir_;
  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  CodeIndex index_{dir_.path(), &languages_, [](const auto&) {}};
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
};

TEST_P(TemplateTest, EverythingCompilesInOneFile) {
  ASSERT_EQ(Checkers().count(GetParam()), 1u) << "no checker is known for it";
  const Checker& checker = Checkers().at(GetParam());
  for (const std::string& program : checker.programs) {
    if (!HasProgram(program)) GTEST_SKIP() << program << " is not installed";
  }
  for (const auto& [kind, text] : Code().types) {
    ExpectGenerates({"create_type", "", absl::StrCat("Order", kind), "", kind, ""});
  }
  ExpectGenerates({"method", "", "", "missing", "", ""});
  ExpectGenerates({"method", "", "", "add", checker.parameters, checker.body});
  const ProcessResult good = Check();
  EXPECT_TRUE(good.ok()) << good.out << good.err << dir_.Read(File());
  // And the checker is one that sees mistakes.
  dir_.Write(File(), absl::StrCat(dir_.Read(File()), "\n)(\n"));
  EXPECT_FALSE(Check().ok());
}

TEST_P(TemplateTest, WhatIsThereOrCannotBeIsRefused) {
  ExpectGenerates({"method", "", "", "add", "", ""});
  EXPECT_EQ(Generate({"method", "", "", "add", "", ""}).code(), absl::StatusCode::kAlreadyExists);
  for (const char* name : {"", "a b", "a\nb", "1a", "$(x)"}) {
    EXPECT_EQ(Generate({"method", "", "", name, "", ""}).code(), absl::StatusCode::kInvalidArgument)
        << name;
  }
  EXPECT_EQ(Generate({"method", "", "", "other", "(a", ""}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Generate({"method", "", "", "other", "other(a) {}", ""}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Generate({"method", "", "Order", "add", "", ""}).code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Generate({"property", "", "Order", "sum", "", ""}).code(),
            absl::StatusCode::kUnimplemented);
  if (Code().types.empty()) return;
  EXPECT_EQ(Generate({"create_type", "", "order", "", "", ""}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Generate({"create_type", "", "Order", "", "planet", ""}).code(),
            absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Languages, TemplateTest, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const CodeTemplate& code : CodeTemplates()) {
                             names.push_back(code.language);
                           }
                           return names;
                         }()),
                         [](const auto& language) { return language.param; });

TEST(CodeTemplateTest, MistakesAreToldWithTheirPlace) {
  const auto status = ParseCodeTemplate("language: X\nfoo: 1\n", "x.yaml").status();
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), "x.yaml")) << status;
  EXPECT_FALSE(ParseCodeTemplate("language: X\n", "x.yaml").ok());
}

}  // namespace
}  // namespace stile
