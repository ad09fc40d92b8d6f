#include "tools/language/method_signature.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

// As written again in the language's own order.
std::string Read(const std::string& language, const std::string& signature,
                 const std::string& wanted = "") {
  const LanguageFamily* family = FindLanguageFamily(language);
  if (family == nullptr) return "no family";
  auto header = ParseMethodSignature(*family, signature, wanted);
  if (!header.ok()) return std::string(header.status().message());
  if (header->name.empty()) header->name = wanted.empty() ? "_" : wanted;
  return WriteSignature(*family, *header) +
         (header->body.has_value() ? " BODY " + *header->body : "");
}

struct Case {
  const char* language;
  const char* signature;
  const char* wanted;
  const char* expected;
};

class Spellings : public testing::TestWithParam<Case> {};

TEST_P(Spellings, AreUnderstood) {
  const Case& c = GetParam();
  EXPECT_EQ(Read(c.language, c.signature, c.wanted), c.expected) << c.signature;
}

INSTANTIATE_TEST_SUITE_P(
    CSharp, Spellings,
    testing::Values(
        Case{"csharp", "public int Add(int a, int b)", "", "public int Add(int a, int b)"},
        Case{"csharp", "(int a, int b): int", "Add", "int Add(int a, int b)"},
        Case{"csharp", "(int a) -> string", "Add", "string Add(int a)"},
        Case{"csharp", "int a, int b", "Add", "Add(int a, int b)"},
        Case{"csharp", "int", "Add", "int Add()"}, Case{"csharp", "int Add", "Add", "int Add()"},
        Case{"csharp", "Add", "", "Add()"},
        Case{"csharp", "(int, string) Both(Dictionary<string, (int, int)> d)", "",
             "(int, string) Both(Dictionary<string, (int, int)> d)"},
        Case{"csharp", "[HttpGet(\"x\")] public async Task<T> Get<T>(int id) where T : class", "",
             "[HttpGet(\"x\")]\npublic async Task<T> Get<T>(int id) where T : class"},
        Case{"csharp", "public int Twice(int a) => a * 2;", "",
             "public int Twice(int a) BODY a * 2"},
        Case{"csharp", "public Order(int a) : base(a) { X = a; }", "",
             "public Order(int a) : base(a) BODY  X = a; "},
        Case{"csharp", "```csharp\nvoid Run(char c = ')');\n```", "", "void Run(char c = ')')"}));

INSTANTIATE_TEST_SUITE_P(
    Java, Spellings,
    testing::Values(
        Case{"java",
             "public <T extends Comparable<T>> T max(List<? extends T> all) throws IOException", "",
             "public <T extends Comparable<T>> T max(List<? extends T> all) throws IOException"},
        Case{"java", "@Override\npublic String toString() { return \"}\"; }", "",
             "@Override\npublic String toString() BODY  return \"}\"; "},
        Case{"java", "(final int... xs)", "sum", "sum(final int... xs)"}));

INSTANTIATE_TEST_SUITE_P(
    TypeScript, Spellings,
    testing::Values(
        Case{"typescript", "add(a: number, b?: string): Promise<void>", "",
             "add(a: number, b?: string): Promise<void>"},
        Case{"typescript", "(a: number) => number", "add", "add(a: number): number"},
        Case{"typescript", "a: number, b = {}", "add", "add(a: number, b = {})"},
        Case{"typescript", "const add = async (a: number): Promise<number> => { return a; }", "",
             "async add(a: number): Promise<number> BODY  return a; "},
        Case{"typescript",
             "export function pick<K extends keyof T>(k: K): { a: T[K] } { return x; }", "",
             "export pick<K extends keyof T>(k: K): { a: T[K] } BODY  return x; "},
        Case{"typescript", "private static async get(key: string)", "",
             "private static async get(key: string)"},
        Case{"typescript", "get(key: string): () => void", "", "get(key: string): () => void"}));

INSTANTIATE_TEST_SUITE_P(
    Python, Spellings,
    testing::Values(Case{"python", "def add(self, a: int, b: str = ':') -> dict[str, int]:", "",
                         "def add(self, a: int, b: str = ':') -> dict[str, int]"},
                    Case{"python", "a, *args, **kw", "add", "def add(a, *args, **kw)"},
                    Case{"python", "(a: int) -> int", "add", "def add(a: int) -> int"},
                    Case{"python", "@app.get(\"/\")\nasync def root(q: str):\n    return q", "",
                         "@app.get(\"/\")\nasync def root(q: str) BODY \n    return q"}));

INSTANTIATE_TEST_SUITE_P(
    GoAndRust, Spellings,
    testing::Values(
        Case{"go", "func (s *Server) Run(ctx context.Context, fs ...func() error) (int, error) {",
             "", "func (s *Server) Run(ctx context.Context, fs ...func() error) (int, error)"},
        Case{"go", "(a int) error", "Run", "func Run(a int) error"},
        Case{"go", "Map[T any](xs []T) map[string]interface{}", "",
             "func Map[T any](xs []T) map[string]interface{}"},
        Case{"rust",
             "pub(crate) async fn get<'a>(&'a self, k: &str) -> Option<&'a str> where Self: Sized",
             "",
             "pub(crate) async fn get<'a>(&'a self, k: &str) -> Option<&'a str> where Self: Sized"},
        Case{"rust", "(&self) -> u32 { 1 }", "one", "fn one(&self) -> u32 BODY  1 "}));

INSTANTIATE_TEST_SUITE_P(
    Cpp, Spellings,
    testing::Values(Case{"cpp", "const std::string& Server::Name() const", "",
                         "const std::string& Name() const"},
                    Case{"cpp", "[[nodiscard]] virtual int Run(std::map<int, int> m) override;", "",
                         "[[nodiscard]] virtual int Run(std::map<int, int> m) override"},
                    Case{"c", "static int *find(const char *name)", "",
                         "static int *find(const char *name)"}));

TEST(MethodHeaderTest, EveryFamilyIsRead) {
  for (const char* language :
       {"csharp", "java", "typescript", "javascript", "python", "go", "rust", "c", "cpp"}) {
    const LanguageFamily* family = FindLanguageFamily(language);
    ASSERT_NE(family, nullptr) << language;
    EXPECT_TRUE(family->Supports("create_type"));
    EXPECT_TRUE(family->Supports("method"));
  }
  EXPECT_EQ(FindLanguageFamily("ruby"), nullptr);
}

TEST(MethodHeaderTest, HostileTextsEnd) {
  const LanguageFamily& family = *FindLanguageFamily("csharp");
  for (const std::string& text :
       {std::string(100000, '('), std::string(100000, '{'), std::string(100000, '<'),
        "int f(" + std::string(100000, '[') + ")", std::string(2 << 20, 'x'),
        std::string("\0(\0", 3), std::string("\xff\xfe(\xff)"), std::string(")("),
        std::string("'\"`")}) {
    const auto header = ParseMethodSignature(family, text);
    if (!header.ok()) {
      EXPECT_TRUE(absl::IsInvalidArgument(header.status()));
    }
  }
}

TEST(MethodHeaderTest, ParametersAreTakenApart) {
  const auto go = ParseParameters(*FindLanguageFamily("go"), "a, b int, f func(int, int) error");
  ASSERT_EQ(go.size(), 3u);
  EXPECT_EQ(go[0].type, "int");
  EXPECT_EQ(go[2].name, "f");
  EXPECT_EQ(go[2].type, "func(int, int) error");
  const auto cs = ParseParameters(*FindLanguageFamily("csharp"),
                                  "ref Dictionary<int, int> map, params int[] xs, int c = 3");
  ASSERT_EQ(cs.size(), 3u);
  EXPECT_EQ(cs[0].name, "map");
  EXPECT_EQ(cs[2].value, "3");
  const auto ts = ParseParameters(*FindLanguageFamily("typescript"),
                                  "{ a, b }: Pair, c?: (x: number) => void, ...d: string[]");
  ASSERT_EQ(ts.size(), 3u);
  EXPECT_EQ(ts[0].type, "Pair");
  EXPECT_EQ(ts[1].name, "c");
  EXPECT_EQ(ts[1].type, "(x: number) => void");
  EXPECT_EQ(ts[2].name, "d");
}

}  // namespace
}  // namespace stile
