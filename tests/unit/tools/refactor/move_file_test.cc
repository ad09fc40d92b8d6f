#include "tools/refactor/move_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/tools/refactor/case_file.h"

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
      "const late = import(\"./order\");\njest.mock(\"./order\");\nlog(\"./order\");\n"
      "=== src/deep/other.js\nconst o = require(\"../order\");\nrequire(\"./order\");\n");
  Move("src/order.ts", "src/shop/orders.ts");
  EXPECT_EQ(
      After("src/order.ts"),
      "import { Item } from \"../item\";\nimport \"../../setup.js\";\nexport class Order {}\n");
  EXPECT_EQ(After("src/use.ts"),
            "import { Order } from './shop/orders';\nexport * from \"./shop/orders.js\";\n"
            "const late = "
            "import(\"./shop/orders\");\njest.mock(\"./shop/orders\");\nlog(\"./order\");\n");
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

TEST_F(MoveFileTest, RefusesWhatChangesMoreThanImports) {
  Files(
      "=== a/a.go\npackage a\n=== b/__init__.py\nx = 1\n=== c.rs\nfn f() {}\n=== d.ts\nexport "
      "{};\n");
  EXPECT_THAT(Refusal("a/a.go", "b/a.go"), HasSubstr("a folder is a package"));
  EXPECT_THAT(Refusal("a/a.go", "a/a_test.go"), HasSubstr("_test.go"));
  EXPECT_THAT(Refusal("b/__init__.py", "b/other.py"), HasSubstr("it cannot move"));
  EXPECT_THAT(Refusal("c.rs", "e.rs"), HasSubstr("not available for Rust"));
  EXPECT_THAT(Refusal("d.ts", "d.py"), HasSubstr("keep the extension"));
  EXPECT_FALSE(Plan("missing.ts", "other.ts").ok());
}

TEST_F(MoveFileTest, NamesOtherTextWithThePath) {
  Files(
      "=== src/order.ts\nexport {};\n=== package.json\n{\n  \"main\": \"./src/order.ts\"\n}\n"
      "=== README.md\nSee src/order.ts.\nNot src/order.tsx.\nNot other/order.ts\n");
  Move("src/order.ts", "src/orders.ts");
  std::vector<std::string> places;
  for (const FileMention& mention : moved_.mentions) {
    places.push_back(absl::StrCat(mention.path, ":", mention.line));
  }
  EXPECT_THAT(places, ElementsAre("README.md:1", "package.json:2"));
}

}  // namespace
}  // namespace stile
