#include "tools/resolve/typescript_server.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/support/temp_dir.h"
#include "tools/resolve/server_catalog.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class TypeScriptServerTest : public testing::Test {
 protected:
  void SetUp() override {
    search_.workspace = workspace_.path();
    search_.root = workspace_.path();
    search_.environment = InheritedEnvironment();
    search_.file = workspace_.Path("web/src/a.ts");
    const auto tsserver = FindExecutable("tsserver", search_.environment);
    if (!tsserver.ok()) GTEST_SKIP() << "there is no tsserver";
    library_ = TypeScriptLibrary(*tsserver);
    ASSERT_FALSE(library_.empty());
    // No other TypeScript is found.
    workspace_.MakeDir("bin");
    const auto node = FindExecutable("node", search_.environment);
    ASSERT_TRUE(node.ok()) << node.status();
    std::filesystem::create_symlink(*node, workspace_.Path("bin/node"));
    search_.environment["PATH"] = workspace_.Path("bin");
  }

  void Write(const std::string& path, const std::string& text) {
    workspace_.Write(path, text);
    if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
  }

  // As npm does it.
  void InstallTsserver() const {
    workspace_.MakeDir("node_modules/.bin");
    std::filesystem::create_symlink(DirName(library_), workspace_.Path("node_modules/typescript"));
    std::filesystem::create_symlink("../typescript/bin/tsserver",
                                    workspace_.Path("node_modules/.bin/tsserver"));
  }

  // A program that is taken for TypeScript 7.
  void InstallTypeScript7() const {
    const std::string package = "node_modules/typescript7";
    workspace_.Write(package + "/package.json", R"({"version": "7.0.2"})");
    workspace_.Write(package + "/bin/tsc", "#!/bin/sh\n");
    std::filesystem::permissions(workspace_.Path(package + "/bin/tsc"),
                                 std::filesystem::perms::owner_all);
    workspace_.MakeDir("node_modules/.bin");
    std::filesystem::create_symlink("../typescript7/bin/tsc",
                                    workspace_.Path("node_modules/.bin/tsc"));
  }

  absl::StatusOr<std::unique_ptr<LanguageServer>> Start() {
    STILE_ASSIGN_OR_RETURN(LanguageServerSpec spec, FindServer("typescript", search_));
    LanguageServerHost host;
    host.workspace = search_.workspace;
    host.root = search_.root;
    host.runner = runner_.get();
    host.environment = search_.environment;
    host.environment["NODE_OPTIONS"] = "--no-such-option";
    host.list_files = [this](const auto& use) {
      for (const std::string& path : files_) use({path});
    };
    STILE_RETURN_IF_ERROR(PrepareTypeScriptServer(state_.path(), &spec, &host));
    return LanguageServer::Start(std::move(spec), std::move(host));
  }

  TempDir workspace_;
  TempDir state_;
  ServerSearch search_;
  std::vector<std::string> files_;
  std::string library_;
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
};

TEST_F(TypeScriptServerTest, PlacesCountEachByteOfAFile) {
  InstallTsserver();
  // A byte order mark, a line separator that is none for the protocol, a character of two units.
  const std::string a = "\xEF\xBB\xBF/* \xE2\x80\xA8 \xF0\x9F\x98\x80 */ export const one = 1;\r\n";
  const std::string b =
      "/* \xF0\x9F\x98\x80 */ import { one } from './a';\nexport const o = { one };\n";
  Write("tsconfig.json", R"({"compilerOptions": {"strict": true, "noEmit": true}})");
  Write("a.ts", a);
  Write("b.ts", b);
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_THAT((*server)->name(), StartsWith("tsserver "));
  const auto in_a = static_cast<uint32_t>(a.find("one"));
  const auto import = static_cast<uint32_t>(b.find("one"));
  const auto shorthand = static_cast<uint32_t>(b.rfind("one"));
  const auto places = (*server)->References({"a.ts", in_a}, {"a.ts", "b.ts"});
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_THAT(places->ranges,
              ElementsAre(CodeRange{"a.ts", in_a, in_a + 3}, CodeRange{"b.ts", import, import + 3},
                          CodeRange{"b.ts", shorthand, shorthand + 3}));
  const auto renamed = (*server)->Rename({"b.ts", shorthand}, "first", {});
  ASSERT_TRUE(renamed.ok()) << renamed.status();
  const std::string last = renamed->edits.back().text;
  EXPECT_EQ(last, "one: first");
  const auto refused = (*server)->Rename({"b.ts", 0}, "first", {});
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
}

TEST_F(TypeScriptServerTest, SeesFilesThatComeChangeAndGo) {
  InstallTsserver();
  Write("tsconfig.json", R"({"compilerOptions": {"strict": true, "noEmit": true}})");
  Write("a.ts", "export class A { go() {} }\n");
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  const auto count = [&] {
    const auto places = (*server)->References({"a.ts", 17}, {});
    return places.ok() ? places->ranges.size() : size_t{0};
  };
  EXPECT_EQ(count(), 1U);
  Write("b.ts", "import { A } from './a';\nnew A().go();\n");
  ASSERT_TRUE((*server)->Refresh());
  EXPECT_EQ(count(), 2U);
  Write("b.ts", "import { A } from './a';\nnew A().go();\nnew A().go();\n");
  ASSERT_TRUE((*server)->Refresh());
  EXPECT_EQ(count(), 3U);
  std::filesystem::remove(workspace_.Path("b.ts"));
  files_.pop_back();
  ASSERT_TRUE((*server)->Refresh());
  EXPECT_EQ(count(), 1U);
}

TEST_F(TypeScriptServerTest, SeesOpenFilesChangeAndGo) {
  InstallTsserver();
  Write("tsconfig.json", R"({"compilerOptions": {"strict": true, "noEmit": true}})");
  Write("a.ts", "export class A { go() {} }\n");
  Write("b.ts", "import { A } from './a';\nnew A().go();\n");
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  const auto count = [&](uint32_t at, const std::vector<std::string>& users) {
    const auto places = (*server)->References({"a.ts", at}, users);
    return places.ok() ? places->ranges.size() : size_t{0};
  };
  EXPECT_EQ(count(17, {"b.ts"}), 2U);
  Write("a.ts", "/* A */ export class A { go() {} }\n");
  Write("b.ts", "import { A } from './a';\nnew A().go();\nnew A().go();\n");
  ASSERT_TRUE((*server)->Refresh());
  EXPECT_EQ(count(25, {"b.ts"}), 3U);
  std::filesystem::remove(workspace_.Path("b.ts"));
  files_.pop_back();
  ASSERT_TRUE((*server)->Refresh());
  EXPECT_EQ(count(25, {}), 1U);
}

TEST_F(TypeScriptServerTest, FollowsImportsOfThePackageWithoutAConfig) {
  InstallTsserver();
  Write("package.json", R"({"type": "module", "imports": {"#lib/*": "./lib/*"}})");
  Write("lib/a.js", "export const one = 1;\n");
  Write("b.js", "import { one } from '#lib/a.js';\nexport const two = one;\n");
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  const auto places = (*server)->References({"lib/a.js", 13}, {"lib/a.js", "b.js"});
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_EQ(places->ranges.size(), 3U);
}

TEST_F(TypeScriptServerTest, ALimitationIsOfEachAnswer) {
  InstallTsserver();
  Write("a.ts", "export const one = 1;\n");
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  (*server)->SetLimitation("it is old");
  EXPECT_EQ((*server)->References({"a.ts", 13}, {})->partial, "it is old");
  (*server)->SetLimitation("");
  EXPECT_EQ((*server)->References({"a.ts", 13}, {})->partial, "");
}

TEST_F(TypeScriptServerTest, OffersWhatMendsAnError) {
  InstallTsserver();
  Write("tsconfig.json", R"({"compilerOptions": {"strict": true, "noEmit": true}})");
  Write("a.ts", "export class Box { area() { return 1; } }\nexport const unused = 2;\n");
  const std::string b = "import { unused } from './a';\nexport const n = new Box().area();\n";
  Write("b.ts", b);
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  const auto problems = (*server)->Problems("b.ts");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 2U);
  EXPECT_TRUE(problems->at(0).is_unused);
  EXPECT_EQ(problems->at(1).code, "2304");
  const auto fixes = (*server)->Fixes(problems->at(1).range, "");
  ASSERT_TRUE(fixes.ok()) << fixes.status();
  ASSERT_EQ(fixes->changes.size(), 1U);
  EXPECT_THAT(fixes->changes[0].title, HasSubstr("mport from \"./a\""));
  EXPECT_TRUE(fixes->changes[0].is_preferred);
  const auto organized = (*server)->OrganizeImports("b.ts");
  ASSERT_TRUE(organized.ok()) << organized.status();
  EXPECT_EQ(organized->size(), 1U);
  const auto names = (*server)->Completions({"b.ts", static_cast<uint32_t>(b.find("Box"))});
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, testing::Contains("unused"));
  const auto hover = (*server)->Hover({"a.ts", 19});
  ASSERT_TRUE(hover.ok()) << hover.status();
  EXPECT_THAT(*hover, HasSubstr("(method) Box.area(): number"));
}

TEST_F(TypeScriptServerTest, WritesItsSourceAnewWhereItDiffers) {
  InstallTsserver();
  Write("a.ts", "export const one = 1;\n");
  ASSERT_TRUE(DiskFileSystem()->WriteFile(state_.Path("main.cjs"), "throw 1;", 0600, false).ok());
  std::filesystem::create_symlink("/dev/null", state_.Path("session.cjs"));
  auto server = Start();
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_TRUE((*server)->References({"a.ts", 13}, {}).ok());
}

TEST_F(TypeScriptServerTest, FindsTheLibraryBehindTheScriptOfPnpm) {
  InstallTsserver();
  const std::string program = workspace_.Path("node_modules/.bin/tsserver");
  std::filesystem::remove(program);
  workspace_.Write("node_modules/.bin/tsserver",
                   "#!/bin/sh\nexec node ../typescript/bin/tsserver\n");
  EXPECT_EQ(TypeScriptLibrary(program), workspace_.Path("node_modules/typescript/lib"));
  workspace_.Write("other/.bin/tsserver", "#!/bin/sh\n");
  EXPECT_EQ(TypeScriptLibrary(workspace_.Path("other/.bin/tsserver")), "");
}

TEST_F(TypeScriptServerTest, TypeScript7ComesFirstWhereItReadsTheProject) {
  const auto name = [&] {
    const auto spec = FindServer("javascript", search_);
    if (!spec.ok()) return std::string("none");
    return absl::StrCat(spec->name, spec->limitation.empty() ? "" : ", limited");
  };
  EXPECT_EQ(name(), "none");
  InstallTypeScript7();
  EXPECT_EQ(name(), "TypeScript");
  Write("docs/tsconfig.json", R"({"compilerOptions": {"baseUrl": "."}})");
  Write("tsconfig.json", R"({"compilerOptions": {"baseUrl": "."}})");
  EXPECT_EQ(name(), "TypeScript, limited");
  // The nearest one counts, without its comments, and what it extends and refers to.
  Write("web/tsconfig.json", "{\"compilerOptions\": { // \"baseUrl\": \"./\"\n}}");
  EXPECT_EQ(name(), "TypeScript");
  Write("web/cfg/base.json", R"({"compilerOptions": {"baseUrl": "src"}})");
  for (const char* config : {R"({"extends": "./cfg/base"})", R"({"extends": ["./cfg/base.json"]})",
                             R"({"files": [], "references": [{"path": "./cfg/base.json"}]})"}) {
    Write("web/tsconfig.json", config);
    EXPECT_EQ(name(), "TypeScript, limited") << config;
    EXPECT_THAT(FindServer("javascript", search_)->limitation, HasSubstr("in web/cfg/base.json;"));
  }
  InstallTsserver();
  EXPECT_EQ(name(), "tsserver");
  for (const char* config :
       {R"({"extends": "../../outside.json"})", R"({"extends": "./tsconfig.json"})",
        R"({"extends": 1, "references": [1, {"path": 2}]})", "[", ""}) {
    Write("web/tsconfig.json", config);
    EXPECT_EQ(name(), "TypeScript") << config;
  }
}

}  // namespace
}  // namespace stile
