#include "runtime/base/yaml_errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/yaml.h"

namespace stile {
namespace {

Yaml Parsed(const std::string& text, const std::string& file = "f.yaml") {
  const auto yaml = ParseYaml(text, file);
  return yaml.ok() ? *yaml : Yaml();
}

TEST(YamlErrorsTest, ComeInTheOrderOfTheFile) {
  const Yaml yaml = Parsed("a: [x]\nb: {c: [y], d: 1}\n");
  YamlErrors errors("f.yaml");
  EXPECT_TRUE(errors.Add(absl::OkStatus()));
  EXPECT_TRUE(errors.empty());
  EXPECT_TRUE(errors.status().ok());
  EXPECT_FALSE(errors.Add(yaml.Find("b")->Find("d")->Error("last")));
  EXPECT_FALSE(errors.Add(yaml.Find("b")->Find("c")->Error("before it")));
  EXPECT_FALSE(errors.Add(yaml.Find("a")->AsInt().status()));
  EXPECT_FALSE(errors.Add(absl::InternalError("no place")));
  EXPECT_EQ(errors.status().message(),
            "no place\nf.yaml:1: a: expected a whole number\nf.yaml:2: b.c: before it\n"
            "f.yaml:2: b.d: last");
  EXPECT_TRUE(absl::IsInvalidArgument(errors.status()));
}

TEST(YamlErrorsTest, OfOtherFilesComeBehind) {
  YamlErrors errors("own.yaml");
  errors.Add(Parsed("a: 1", "b.yaml").Find("a")->Error("second"));
  errors.Add(Parsed("\n\n\na: 1", "a.yaml").Find("a")->Error("third"));
  errors.Add(Parsed("\n\na: 1", "own.yaml").Find("a")->Error("first"));
  EXPECT_EQ(errors.status().message(),
            "own.yaml:3: a: first\nb.yaml:1: a: second\na.yaml:4: a: third");
}

TEST(YamlErrorsTest, AreToldOnce) {
  const Yaml yaml = Parsed("a: &x {k: v}\nb: *x\nc:\n  <<: *x\n");
  YamlErrors errors("f.yaml");
  for (const char* key : {"a", "b", "c", "a"}) {
    errors.Add(yaml.Find(key)->Find("k")->Error("is wrong"));
  }
  EXPECT_EQ(errors.status().message(), "f.yaml:1: a.k: is wrong");
  errors.Add(yaml.Find("a")->Find("k")->Error("is wrong in another way"));
  errors.Add(absl::InternalError("x"));
  errors.Add(absl::InternalError("x"));
  EXPECT_EQ(errors.Sorted().size(), 3u);
}

TEST(YamlErrorsTest, AStatusKeepsThem) {
  const Yaml yaml = Parsed("a: 1\nb: 2\nc: 3\n");
  const absl::Status unknown = CheckKeys(yaml, {"b"});
  EXPECT_EQ(unknown.message(),
            "f.yaml:1: unknown key 'a', did you mean 'b'?\n"
            "f.yaml:3: unknown key 'c', did you mean 'b'?");
  YamlErrors errors("f.yaml");
  errors.Add(yaml.Find("b")->Error("between them"));
  errors.Add(unknown);
  ASSERT_EQ(errors.Sorted().size(), 3u);
  EXPECT_EQ(errors.Sorted()[1].message, "between them");
  YamlErrors again("f.yaml");
  again.Add(errors.status());
  EXPECT_EQ(again.status().message(), errors.status().message());
  EXPECT_TRUE(ErrorsOfStatus(absl::OkStatus()).empty());
}

TEST(YamlErrorsTest, ValuesAreTakenOrTheirErrors) {
  const Yaml yaml = Parsed("a: 1\nb: [x, [y], {z: 1}]\n");
  YamlErrors errors("f.yaml");
  int64_t number = 0;
  std::vector<std::string> list = {"as it was"};
  EXPECT_TRUE(errors.Add(yaml.Find("a")->AsInt(), &number));
  EXPECT_EQ(number, 1);
  EXPECT_FALSE(errors.Add(yaml.Find("b")->AsStringList(), &list));
  EXPECT_EQ(list.size(), 1u);
  EXPECT_EQ(errors.status().message(),
            "f.yaml:2: b[1]: expected text\nf.yaml:2: b[2]: expected text");
}

}  // namespace
}  // namespace stile
