#include "tools/refactor/library_members.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/shipped_languages.h"

namespace stile {
namespace {

// `name`: that the method gets; "": its own.
std::string ContractOf(const std::string& head, const std::string& name = "") {
  static const auto* const languages = new LanguageRegistry(LanguagesOfThisRepository());
  const auto file = SourceFile::Parse("a.go", *languages->OfFile("a.go"), *FindGrammar("go"),
                                      absl::StrCat("package m\n\nfunc ", head, " {}\n"));
  if (!file.ok()) return "no file";
  for (const Symbol& symbol : (*file)->symbols) {
    const std::string contract =
        AssertedContract(**file, symbol, name.empty() ? symbol.name : name);
    if (!contract.empty()) return contract;
  }
  return "";
}

TEST(LibraryMembersTest, KnowsMethodsThatLibrariesOfGoAssert) {
  EXPECT_EQ(ContractOf("(t T) Format(s fmt.State, verb rune)"), "fmt.Formatter");
  EXPECT_EQ(ContractOf("(t *T) Unwrap() error"), "errors.Unwrap");
  EXPECT_EQ(ContractOf("(t *T) Unwrap() []error"), "errors.Is");
  EXPECT_EQ(ContractOf("(t *T) Unwrap() (err error)"), "errors.Unwrap");
  EXPECT_EQ(ContractOf("(t T) MarshalJSON() (data []byte, err error)"), "json.Marshaler");
  EXPECT_EQ(ContractOf("(t T) Value() (driver.Value, error)"), "driver.Valuer");
  EXPECT_EQ(ContractOf("(t *T) As(target interface{}) bool"), "errors.As");
  EXPECT_EQ(ContractOf("(t *T) MarshalJSON() ([]byte, error)"), "json.Marshaler");
  EXPECT_EQ(ContractOf("(t *T[K]) MarshalJSON() ([]uint8, error)"), "json.Marshaler");
  EXPECT_EQ(ContractOf("(t *T) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error"),
            "xml.Unmarshaler");
}

TEST(LibraryMembersTest, KnowsMethodsThatWouldBeAsserted) {
  EXPECT_EQ(ContractOf("(t T) Label() string", "String"), "fmt.Stringer");
  EXPECT_EQ(ContractOf("(t T) Label(n int) string", "String"), "");
  EXPECT_EQ(ContractOf("(t T) Show(s fmt.State, verb int32)", "Format"), "fmt.Formatter");
  EXPECT_EQ(ContractOf("(t T) Send(w io.Writer) (n int64, err error)", "WriteTo"), "io.WriterTo");
  EXPECT_EQ(ContractOf("(t T) Take(r io.Reader) (int64, error)", "ReadFrom"), "io.ReaderFrom");
  EXPECT_EQ(ContractOf("(t T) Put(s string) (int, error)", "WriteString"), "io.StringWriter");
  EXPECT_EQ(ContractOf("(t T) Empty() bool", "IsZero"), "json, for omitzero");
  EXPECT_EQ(ContractOf("(t T) Late() bool", "Timeout"), "os.IsTimeout");
  EXPECT_EQ(ContractOf("(t T) String() string", "Label"), "");
}

TEST(LibraryMembersTest, TakesOnlyTheWholeSignature) {
  EXPECT_EQ(ContractOf("(t T) Format(s fmt.State)"), "");
  EXPECT_EQ(ContractOf("(t T) Format(a, b string)"), "");
  EXPECT_EQ(ContractOf("(t *T) Unwrap() (T, error)"), "");
  EXPECT_EQ(ContractOf("(t *T) Is(other *T) bool"), "");
  EXPECT_EQ(ContractOf("Unwrap() error"), "");  // a function
}

}  // namespace
}  // namespace stile
