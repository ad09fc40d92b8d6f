#include "tools/refactor/move_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_file.h"

namespace stile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MoveFileTest : public testing::Test {
 protected:
  // A workspace as in CaseFile.
  void Files(const std::string& text) { files_.emplace(text); }

  absl::StatusOr<MovedFile> Plan(const std::string& from, const std::string& to) {
    return PlanMoveFile({files_->dir.path(), &files_->languages, &files_->index}, from, to);
  }
  void Move(const std::string& from, const std::string& to) {
    auto moved = Plan(from, to);
    ASSERT_TRUE(moved.ok()) << moved.status();
    EXPECT_FALSE(moved->plan.HasOverlap());
    EXPECT_EQ(moved->plan.files().at(from).moved_to, to);
    moved_ = *std::move(moved);
  }
  // A file afterwards, by the path that it had.
  std::string After(const std::string& path) {
    const auto file = moved_.plan.files().find(path);
    return file == moved_.plan.files().end() ? "unchanged" : file->second.After();
  }
  std::vector<std::string> Mentions() const {
    std::vector<std::string> places;
    for (const FileMention& mention : moved_.mentions) {
      places.push_back(
          absl::StrCat(mention.path, ":", mention.line, ":", mention.column, ": ", mention.text));
    }
    return places;
  }
  std::string Refusal(const std::string& from, const std::string& to) {
    return std::string(Plan(from, to).status().message());
  }

  std::optional<CaseFile> files_;
  MovedFile moved_;
};

TEST_F(MoveFileTest, FollowsPathsOfModules) {
  Files(
      "=== src/order.ts\nimport { Item } from \"./item\";\nimport \"../setup.js\";\nexport class "
      "Order {}\n"
      "=== src/item.ts\nexport class Item {}\n"
      "=== setup.ts\nexport {};\n"
      "=== src/use.ts\nimport { Order } from './order';\nexport * from \"./order.js\";\n"
      "const late = import(\"./order\");\njest.mock(\"./order\");\nlog(\"./order\");\nnew "
      "Error(\"./order\");\n"
      "path.resolve(\"./order\");\nexport default \"./order\";\n"
      "=== src/deep/other.js\nconst o = require(\"../order\");\nrequire(\"./order\");\n");
  Move("src/order.ts", "src/shop/orders.ts");
  EXPECT_EQ(
      After("src/order.ts"),
      "import { Item } from \"../item\";\nimport \"../../setup.js\";\nexport class Order {}\n");
  EXPECT_EQ(After("src/use.ts"),
            "import { Order } from './shop/orders';\nexport * from \"./shop/orders.js\";\n"
            "const late = "
            "import(\"./shop/orders\");\njest.mock(\"./shop/orders\");\nlog(\"./order\");\nnew "
            "Error(\"./order\");\n"
            "path.resolve(\"./order\");\nexport default \"./order\";\n");
  EXPECT_EQ(After("src/deep/other.js"),
            "const o = require(\"../shop/orders\");\nrequire(\"./order\");\n");
  EXPECT_FALSE(moved_.needs_compiler);
}

TEST_F(MoveFileTest, FollowsTheIndexOfAFolder) {
  Files(
      "=== lib/index.ts\nexport const a = 1;\n=== use.ts\nimport { a } from \"./lib\";\n"
      "=== lib/near.ts\nimport { a } from \".\";\n");
  Move("lib/index.ts", "lib/main.ts");
  EXPECT_EQ(After("use.ts"), "import { a } from \"./lib/main\";\n");
  EXPECT_EQ(After("lib/near.ts"), "import { a } from \"./main\";\n");
}

TEST_F(MoveFileTest, TellsPackagesFromAliases) {
  Files(
      "=== src/server.ts\nexport const a = 1;\n=== package.json\n{\"dependencies\": "
      "{\"react-dom\": \"1\"}}\n"
      "=== src/use.ts\nimport { b } from \"react-dom/server\";\nimport { a } from "
      "\"src/server\";\n");
  Move("src/server.ts", "src/http/server.ts");
  EXPECT_EQ(After("src/use.ts"),
            "import { b } from \"react-dom/server\";\nimport { a } from \"src/http/server\";\n");
  EXPECT_TRUE(moved_.needs_compiler);
}

TEST_F(MoveFileTest, LeavesAliasesToTheCompiler) {
  Files(
      "=== src/shop/order.ts\nexport const a = 1;\n=== src/use.ts\nimport { a } from "
      "\"@/shop/order\";\n");
  Move("src/shop/order.ts", "src/orders/order.ts");
  EXPECT_EQ(After("src/use.ts"), "import { a } from \"@/orders/order\";\n");
  EXPECT_TRUE(moved_.needs_compiler);
}

constexpr char kShop[] =
    "=== shop/__init__.py\n=== shop/order.py\nfrom .item import Item\nfrom . import item\nfrom ..x "
    "import y\n\n\nclass Order:\n    pass\n"
    "=== shop/item.py\nclass Item:\n    pass\n=== shop/sub/__init__.py\n";

TEST_F(MoveFileTest, FollowsModulesOfPython) {
  Files(absl::StrCat(
      kShop,
      "=== use.py\nimport shop.order\nimport shop.order as so\nfrom shop.order import Order\n"
      "from shop import order\nfrom shop import item, order as o\nshop.order.Order()\n"
      "patch(\"shop.order.Order\")\n"
      "=== shop/near.py\nfrom .order import Order\nfrom . import order\n"));
  Move("shop/order.py", "shop/orders.py");
  EXPECT_EQ(After("use.py"),
            "import shop.orders\nimport shop.orders as so\nfrom shop.orders import Order\n"
            "from shop import orders as order\nfrom shop import item, orders as o\n"
            "shop.orders.Order()\npatch(\"shop.order.Order\")\n");
  EXPECT_EQ(After("shop/near.py"), "from .orders import Order\nfrom . import orders as order\n");
}

TEST_F(MoveFileTest, MovesModulesOfPythonToAnotherPackage) {
  Files(absl::StrCat(
      kShop,
      "=== use.py\nfrom shop import item, order\n"
      "=== shop/near.py\ndef f():\n    from . import order, item\n    from .order import Order\n"));
  Move("shop/order.py", "shop/sub/order.py");
  EXPECT_THAT(After("shop/order.py"), HasSubstr("from ..item import Item\nfrom .. import item\n"));
  EXPECT_EQ(After("use.py"), "from shop import item\nfrom shop.sub import order\n");
  EXPECT_EQ(After("shop/near.py"),
            "def f():\n    from . import item\n    from .sub import order\n    from .sub.order "
            "import Order\n");
}

TEST_F(MoveFileTest, FindsModulesBelowAFolderOfSources) {
  Files(
      "=== src/shop/order.py\nx = 1\n=== tests/test_order.py\nfrom shop.order import x\nimport "
      "shop.order\n");
  Move("src/shop/order.py", "src/shop/core/orders.py");
  EXPECT_EQ(After("tests/test_order.py"),
            "from shop.core.orders import x\nimport shop.core.orders\n");
  EXPECT_THAT(Refusal("src/shop/order.py", "lib/order.py"),
              HasSubstr("lies outside of that folder"));
}

TEST_F(MoveFileTest, TellsModulesOfOneNameApart) {
  Files(
      "=== scripts/json.py\nx = 1\n=== app/main.py\nimport json\njson.dumps(1)\n"
      "=== a/util.py\nx = 1\n=== b/util.py\nx = 2\n=== b/main.py\nimport util\n=== "
      "a/main.py\nimport util\n");
  Move("scripts/json.py", "scripts/encode.py");
  EXPECT_EQ(After("app/main.py"), "unchanged");
  Move("a/util.py", "a/tools.py");
  EXPECT_EQ(After("b/main.py"), "unchanged");
  EXPECT_EQ(After("a/main.py"), "import tools as util\n");
  EXPECT_THAT(Refusal("a/util.py", "a/copy.py"),
              HasSubstr("would hide a module of the standard library"));
}

TEST_F(MoveFileTest, WantsAPackageForAModuleOfAPackage) {
  Files(kShop);
  EXPECT_THAT(Refusal("shop/order.py", "shop/core/order.py"),
              HasSubstr("shop/core is no package; write shop/core/__init__.py first"));
}

TEST_F(MoveFileTest, KeepsTheNameOfAModuleWithoutAPackage) {
  Files("=== helpers.py\nx = 1\n=== use.py\nimport helpers\nhelpers.x\n");
  Move("helpers.py", "tools.py");
  EXPECT_EQ(After("use.py"), "import tools as helpers\nhelpers.x\n");
  EXPECT_THAT(Refusal("helpers.py", "my-tools.py"), HasSubstr("my-tools is no name"));
}

TEST_F(MoveFileTest, FollowsIncludesAndListsOfSources) {
  Files(
      "=== CMakeLists.txt\nadd_library(shop src/order.cc src/order.ccx src/item.cc)\n"
      "=== src/order.cc\n#include \"order.h\"\n#include \"item.h\"\n"
      "=== src/order.h\n#include \"item.h\"\n#include <vector>\n=== src/item.h\nstruct Item {};\n"
      "=== src/use.cc\n#include \"order.h\"\n=== app/main.cc\n#include \"src/order.h\"\n#include "
      "<src/order.h>\n");
  Move("src/order.h", "src/shop/orders.h");
  EXPECT_EQ(After("src/order.h"), "#include \"../item.h\"\n#include <vector>\n");
  EXPECT_EQ(After("src/order.cc"), "#include \"shop/orders.h\"\n#include \"item.h\"\n");
  EXPECT_EQ(After("app/main.cc"), "#include \"src/shop/orders.h\"\n#include <src/shop/orders.h>\n");
  Move("src/order.cc", "src/orders.cc");
  EXPECT_EQ(After("CMakeLists.txt"), "add_library(shop src/orders.cc src/order.ccx src/item.cc)\n");
}

TEST_F(MoveFileTest, LeavesHeadersOfTheSystem) {
  Files("=== src/time.h\nint f();\n=== src/use.c\n#include <time.h>\n#include \"time.h\"\n");
  Move("src/time.h", "src/clock.h");
  EXPECT_EQ(After("src/use.c"), "#include <time.h>\n#include \"clock.h\"\n");
}

TEST_F(MoveFileTest, RefusesIncludesThatWouldMeanAnotherFile) {
  Files("=== src/a.c\n#include \"x.h\"\n=== include/x.h\nint x;\n=== lib/x.h\nint y;\n");
  EXPECT_THAT(Refusal("src/a.c", "lib/a.c"),
              HasSubstr("it includes x.h, which would mean lib/x.h there"));
}

TEST_F(MoveFileTest, RefusesToLeaveTheFolderOfIncludes) {
  Files("=== include/shop/order.h\nstruct Order {};\n=== src/main.cc\n#include \"shop/order.h\"\n");
  EXPECT_EQ(Refusal("include/shop/order.h", "src/order.h"),
            "src/main.cc includes it as shop/order.h, from include/; src/order.h lies outside of "
            "that folder");
}

TEST_F(MoveFileTest, MovesTypesOfJavaToAnotherPackage) {
  Files(
      "=== src/shop/Order.java\npackage shop;\n\npublic class Order {\n    Item item;\n}\n"
      "=== src/shop/Item.java\npackage shop;\n\npublic class Item {\n    Order of;\n}\n"
      "=== src/app/Main.java\npackage app;\n\nimport shop.Order;\n\nclass Main {\n    shop.Order "
      "other;\n}\n"
      "=== src/app/All.java\npackage app;\n\nimport shop.*;\n\nclass All {\n    Order order;\n}\n");
  Move("src/shop/Order.java", "src/shop/orders/Order.java");
  EXPECT_EQ(
      After("src/shop/Order.java"),
      "package shop.orders;\n\nimport shop.Item;\n\npublic class Order {\n    Item item;\n}\n");
  EXPECT_EQ(
      After("src/shop/Item.java"),
      "package shop;\n\nimport shop.orders.Order;\n\npublic class Item {\n    Order of;\n}\n");
  EXPECT_EQ(After("src/app/Main.java"),
            "package app;\n\nimport shop.orders.Order;\n\nclass Main {\n    shop.orders.Order "
            "other;\n}\n");
  EXPECT_THAT(After("src/app/All.java"), HasSubstr("import shop.orders.Order;\n"));
  EXPECT_THAT(Refusal("src/shop/Order.java", "src/shop/Orders.java"), HasSubstr("rename the type"));
}

TEST_F(MoveFileTest, RefusesWhatMeansAnotherThingInTheNewPackage) {
  Files(
      "=== a/Order.java\npackage a;\n\npublic class Order extends Base {\n    String label() { "
      "return \"order\"; }\n}\n"
      "=== a/Base.java\npackage a;\n\npublic class Base {\n    String label() { return \"base\"; "
      "}\n}\n"
      "=== a/Bill.java\npackage a;\n\npublic class Bill {\n    m.Money of;\n    Money own;\n}\n"
      "=== a/Text.java\npackage a;\n\npublic class Text {\n    Object of = "
      "Text.class.getResource(\"a.txt\");\n}\n"
      "=== b/Money.java\npackage b;\n\npublic class Money {\n}\n");
  EXPECT_EQ(
      Refusal("a/Order.java", "b/Order.java"),
      "a/Base.java:4 declares Base.label for its package alone, and a/Order.java extends Base");
  EXPECT_EQ(Refusal("a/Bill.java", "b/Bill.java"),
            "package b has a type Money, which the file would mean then");
  EXPECT_THAT(Refusal("a/Text.java", "b/Text.java"), HasSubstr("it reads a resource"));
}

TEST_F(MoveFileTest, RefusesWhatChangesMoreThanImports) {
  Files(
      "=== a/a.go\npackage a\n=== b/__init__.py\nx = 1\n=== c.rs\nfn f() {}\n=== d.ts\nexport "
      "{};\n");
  EXPECT_THAT(Refusal("a/a.go", "b/a.go"), HasSubstr("a folder is a package"));
  EXPECT_THAT(Refusal("a/a.go", "a/a_test.go"), HasSubstr("must stay"));
  EXPECT_THAT(Refusal("a/a.go", "a/a_windows.go"), HasSubstr("must stay"));
  EXPECT_THAT(Refusal("d.ts", "d.mts"), HasSubstr("which kind of module"));
  EXPECT_THAT(Refusal("d.ts", "node_modules/d.ts"), HasSubstr("made by tools"));
  EXPECT_THAT(Refusal("b/__init__.py", "b/other.py"), HasSubstr("no file moves from or to it"));
  EXPECT_THAT(Refusal("c.rs", "e.rs"), HasSubstr("not available for Rust"));
  EXPECT_THAT(Refusal("d.ts", "d.py"), HasSubstr("keep the extension"));
  EXPECT_FALSE(Plan("missing.ts", "other.ts").ok());
}

TEST_F(MoveFileTest, NamesOtherTextWithThePath) {
  Files(
      "=== src/order.ts\nexport {};\n=== package.json\n{\n  \"scripts\": {\"a\": \"node "
      "src/order.ts\"}\n}\n"
      "=== README.md\nSee src/order.ts.\nNot src/order.tsx.\nNot other/order.ts\n");
  Move("src/order.ts", "src/orders.ts");
  EXPECT_THAT(Mentions(),
              ElementsAre("README.md:1:9: See src/order.ts.",
                          "package.json:2:30: \"scripts\": {\"a\": \"node src/order.ts\"}"));
}

TEST_F(MoveFileTest, FollowsPathsOfAConfigAboveIt) {
  Files(
      "=== shared/x.ts\nexport {};\n=== web/tsconfig.json\n{\"files\": [\"../shared/x.ts\"]}\n"
      "=== lib/tsconfig.json\n{\"compilerOptions\": {\"baseUrl\": \"src\", \"paths\": "
      "{\"@\": [\"../shared/x.ts\"]}}}\n");
  Move("shared/x.ts", "shared/y.ts");
  EXPECT_EQ(After("web/tsconfig.json"), "{\"files\": [\"../shared/y.ts\"]}\n");
  EXPECT_EQ(After("lib/tsconfig.json"), "unchanged");
}

TEST_F(MoveFileTest, FollowsPathsInManifests) {
  Files(
      "=== web/index.ts\nexport {};\n"
      "=== web/package.json\n{\n  \"name\": \"index.ts\", \"keywords\": [\"index.ts\"],\n  "
      "\"main\": \"index.ts\",\n"
      "  \"bin\": {\"index.ts\": \"./index.ts\"},\n"
      "  \"exports\": {\".\": {\"import\": [\"./index.ts\", \"./in\\u0064ex.ts\"]}, \"./a\": "
      "\"./index.tsx\"}\n}\n"
      "=== package.json\n{\"files\": [\"web/index.ts\", \"index.ts\"]}\n"
      "=== web/tsconfig.json\n{ // \"files\": [\"index.ts\"]\n  /* \"index.ts\" */ \"files\": "
      "[\"./index.ts\"],\n"
      "  \"compilerOptions\": {\"paths\": {\"@\": [\"index.ts\"]}}}\n"
      "=== deep/er/package.json\n{\"main\": \"../../web/index.ts\"}\n"
      "=== other/package.json\n{\"main\": \"index.ts\" \n=== bad/package.json\n{\"main\": \"\n");
  Move("web/index.ts", "web/src/main.ts");
  EXPECT_EQ(
      After("web/package.json"),
      "{\n  \"name\": \"index.ts\", \"keywords\": [\"index.ts\"],\n  \"main\": \"src/main.ts\",\n"
      "  \"bin\": {\"index.ts\": \"./src/main.ts\"},\n"
      "  \"exports\": {\".\": {\"import\": [\"./src/main.ts\", \"./in\\u0064ex.ts\"]}, \"./a\": "
      "\"./index.tsx\"}\n}\n");
  EXPECT_EQ(After("package.json"), "{\"files\": [\"web/src/main.ts\", \"index.ts\"]}\n");
  EXPECT_EQ(After("web/tsconfig.json"),
            "{ // \"files\": [\"index.ts\"]\n  /* \"index.ts\" */ \"files\": [\"./src/main.ts\"],\n"
            "  \"compilerOptions\": {\"paths\": {\"@\": [\"src/main.ts\"]}}}\n");
  EXPECT_EQ(After("deep/er/package.json"), "unchanged");
  EXPECT_EQ(After("other/package.json"), "unchanged");
}

TEST_F(MoveFileTest, KeepsTheOrderOfInitialization) {
  Files(
      "=== p/a.go\npackage p\nfunc init() {}\n=== p/b.go\npackage p\nfunc init() {}\n=== "
      "p/c.go\npackage p\n");
  EXPECT_THAT(Refusal("p/b.go", "p/A.go"), HasSubstr("on the other side of that in p/a.go"));
  EXPECT_TRUE(Plan("p/b.go", "p/bb.go").ok());
  EXPECT_TRUE(Plan("p/c.go", "p/A.go").ok());
  Files(
      "=== p/a.go\npackage p\n\nvar _ = add(\"a\")\n=== p/b.go\npackage p\n\nfunc init () {}\n"
      "=== p/c.go\npackage p\n\nvar _ I = (*T)(nil)\n");
  EXPECT_THAT(Refusal("p/b.go", "p/A.go"), HasSubstr("on the other side of that in p/a.go"));
  EXPECT_TRUE(Plan("p/c.go", "p/A.go").ok());
}

TEST_F(MoveFileTest, NamesPathsThatNoImportHas) {
  Files(
      "=== lib/a.js\nopen(__dirname);\n=== t.js\n/** @type {import('./lib/a')} "
      "*/\nrequire(`./lib/a`);\nconst n = 'a';\n"
      "=== list.py\nFILES = ['a.js']\n");
  Move("lib/a.js", "lib/sub/a.js");
  EXPECT_THAT(
      Mentions(),
      ElementsAre("lib/sub/a.js:1:6: open(__dirname);", "list.py:1:11: FILES = ['a.js']",
                  "t.js:1:26: /** @type {import('./lib/a')} */", "t.js:2:16: require(`./lib/a`);"));
}

TEST_F(MoveFileTest, NamesStringsWithTheModule) {
  Files(absl::StrCat(kShop,
                     "=== use.py\nimport shop.order\npatch(\"shop.order.Order\")\n"
                     "=== pyproject.toml\nrun = \"shop.order:main\"\n"));
  Move("shop/order.py", "shop/orders.py");
  EXPECT_THAT(Mentions(), ElementsAre("pyproject.toml:1:8: run = \"shop.order:main\"",
                                      "use.py:2:8: patch(\"shop.order.Order\")"));
}

}  // namespace
}  // namespace stile
