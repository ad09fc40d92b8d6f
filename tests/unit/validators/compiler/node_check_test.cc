#include "validators/compiler/node_check.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/validation_fixture.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

class NodeCheck : public testing::Test {
 protected:
  NodeCheck() : fixture_(NewNodeCheckValidator(), "javascript") {}
  void SetUp() override {
    if (!HasProgram("node")) GTEST_SKIP() << "node is not installed";
  }
  ValidationFixture fixture_;
};

TEST_F(NodeCheck, EachKindOfFileIsReadAsWhatNodeWouldRun) {
  fixture_.Write("package.json", "{}");
  fixture_.Write("script.js", "#!/usr/bin/env node\nwith (Math) {}\nreturn 1;\n");
  fixture_.Write("module.mjs", "export const x = await 1;\n");
  fixture_.Write("common.cjs", "const await = 1; module.exports = await;\n");
  fixture_.Write("unsaid.js", "import fs from 'fs';\nexport default fs;\n");
  fixture_.Write("esm/package.json", R"({"type": "module"})");
  fixture_.Write("esm/in.js", "export {};\n");
  const std::string before = fixture_.Content();
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_EQ(fixture_.Content(), before);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("common.cjs", "esm/in.js", "module.mjs",
                                                      "script.js", "unsaid.js")));
}

TEST_F(NodeCheck, FaultsAreLocatedInEachKindOfFile) {
  fixture_.Write("package.json", "{}");
  fixture_.Write("a.js", "const a = 1;\nconst é日 = = 2;\n");
  // node --check of node 20 passes this one.
  fixture_.Write("b.js", "export const x = 1;\nconst y = ;\n");
  fixture_.Write("c.mjs", "\nlet z = = 1;\n");
  fixture_.Write("d.cjs", "export const x = 1;\n");
  const ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  std::vector<std::string> places;
  for (const Diagnostic& d : result.diagnostics) places.push_back(FormatDiagnostic(d));
  EXPECT_THAT(places, ElementsAre("a.js:2:15: error: Unexpected token '=' [SyntaxError]",
                                  "b.js:2:11: error: Unexpected token ';' [SyntaxError]",
                                  "c.mjs:2:9: error: Unexpected token '=' [SyntaxError]",
                                  "d.cjs:1:1: error: Unexpected token 'export' [SyntaxError]"));
}

TEST_F(NodeCheck, JsxGoesToTypeScript) {
  if (!HasProgram("tsc")) GTEST_SKIP() << "tsc is not in the toolchain folder";
  fixture_.Write("package.json", "{}");
  fixture_.Write("a.jsx", "export const A = () => <div>{1}</div>;\n");
  fixture_.Write("b.js", "export const B = () => <p/>;\n");
  ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kPass) << Describe(result);
  EXPECT_THAT(result.files_read, Optional(ElementsAre("a.jsx", "b.js")));
  fixture_.Write("a.jsx", "export const A = () => <div>{1}</p>;\n");
  result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "a.jsx");
}

TEST_F(NodeCheck, JsxWithoutTypeScriptHasNoValidator) {
  fixture_.Write("package.json", "{}");
  fixture_.Write("a.jsx", "export const A = () => <div/>;\n");
  fixture_.FakeProgram("unused", "");
  std::string node_only;
  for (const char* folder : {"/usr/bin", "/usr/local/bin"}) {
    if (std::filesystem::exists(std::string(folder) + "/node")) node_only = folder;
  }
  if (node_only.empty() || std::filesystem::exists(node_only + "/tsc"))
    GTEST_SKIP() << "tsc is beside node";
  fixture_.environment()["PATH"] = node_only;
  const ValidationResult result = fixture_.Validate();
  EXPECT_EQ(result.verdict, Verdict::kNoValidator) << Describe(result);
  EXPECT_THAT(result.message, HasSubstr("JSX"));
}

TEST_F(NodeCheck, NamesOfAllKindsAreReadAndTheFixIsSeen) {
  fixture_.Write("a b'\"é.js", "let x = ;\n");
  ValidationResult result = fixture_.Validate();
  ASSERT_EQ(result.verdict, Verdict::kFail) << Describe(result);
  EXPECT_EQ(result.diagnostics[0].file, "a b'\"é.js");
  fixture_.Write("a b'\"é.js", "let x = 1;\n");
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kPass);
}

TEST_F(NodeCheck, MissingBrokenAndSlowProgramsNeverPass) {
  fixture_.Write("a.js", "let x = 1;\n");
  fixture_.set_timeout(absl::Milliseconds(1));
  EXPECT_EQ(fixture_.Validate().verdict, Verdict::kTimeout);
  fixture_.set_timeout(absl::Minutes(5));
  fixture_.environment() = EmptyPathEnvironment();
  const ValidationResult missing = fixture_.Validate();
  EXPECT_EQ(missing.verdict, Verdict::kNoValidator);
  EXPECT_THAT(missing.message, HasSubstr("apt-get install nodejs"));
  std::vector<BrokenProgram> programs = BrokenPrograms();
  programs.push_back({"prints 'error' and exits 0", "echo error; exit 0\n"});
  programs.push_back({"knows its version only", "echo v20.0.0\n"});
  for (const BrokenProgram& program : programs) {
    ValidationFixture fixture(NewNodeCheckValidator(), "javascript");
    fixture.Write("a.js", "let x = 1;\n");
    fixture.FakeProgram("node", program.script);
    EXPECT_EQ(fixture.Validate().verdict, Verdict::kInfraError) << program.name;
  }
}

}  // namespace
}  // namespace stile
