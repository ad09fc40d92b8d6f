#include "tools/extract/hover_type.h"

#include "gtest/gtest.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

TEST(TypeInHover, OfTypeScript) {
  const auto type = [](const char* hover) {
    return TypeInHover(LanguageBackendOf("typescript").facts, hover);
  };
  EXPECT_EQ(type("```tsx\n(method) Order.total(tax: number, lines: number[]): number\n```\nSum."),
            "number");
  EXPECT_EQ(type("```tsx\n(method) A.f(g: (a: string) => void): Promise<[string, number]>\n```"),
            "Promise<[string, number]>");
  EXPECT_EQ(type("```tsx\n(property) Order.lines: { a: number; }[]\n```"), "{ a: number; }[]");
  EXPECT_EQ(type("```tsx\n(getter) Order.size: number\n```"), "number");
  EXPECT_EQ(type("```tsx\n(method) A.f(...all: string[]): void\n```"), "void");
  EXPECT_EQ(type("```tsx\n(method) A.f(a: number): string (+1 overload)\n```"), "");
  EXPECT_EQ(type("```tsx\n(method) A.f(): { a: number; ... 3 more ...; b: string; }\n```"), "");
  EXPECT_EQ(type("```tsx\n(method) A.f(): import(\"/x\").B\n```"), "");
  EXPECT_EQ(type("```tsx\n(method) A.f(\n```"), "");
  EXPECT_EQ(type(""), "");
}

TEST(TypeInHover, OfPyright) {
  const auto type = [](const char* hover) {
    return TypeInHover(LanguageBackendOf("python").facts, hover);
  };
  EXPECT_EQ(type("```python\n(method) def total(self: Self@Order, tax: int) -> int\n```"), "int");
  EXPECT_EQ(type("```python\n(variable) rate: float\n```"), "float");
  EXPECT_EQ(type("```python\n(method) def f(self: Self@Order) -> None\n```\nDoc."), "None");
  EXPECT_EQ(type("(method) def total("), "");
}

}  // namespace
}  // namespace stile
