// Walks tests/golden/diagnostics/<parser>/<case>.txt, real output of each tool with the folder that
// it ran in replaced by /ws. STILE_UPDATE_GOLDEN=1 writes the expectations anew.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/validation/diagnostic.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/source_folder.h"
#include "validators/diagnostics/parsers.h"

namespace stile {
namespace {

std::string GoldenFolder() { return absl::StrCat(SourceFolder(), "/tests/golden/diagnostics"); }

std::vector<std::string> Names(const std::string& folder) {
  return ListDirectory(folder).value_or(std::vector<std::string>());
}

std::vector<std::string> Cases() {
  std::vector<std::string> cases;
  for (const std::string& parser : Names(GoldenFolder())) {
    for (const std::string& name : Names(absl::StrCat(GoldenFolder(), "/", parser))) {
      const std::filesystem::path path(name);
      if (path.extension() == ".txt") cases.push_back(parser + "/" + path.stem().string());
    }
  }
  return cases;
}

std::string Print(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    absl::StrAppend(&text, FormatDiagnostic(diagnostic), "\n");
    for (const SuggestedFix& fix : diagnostic.fixes) {
      absl::StrAppend(&text, fix.is_certain ? "  fix: " : "  possible fix: ", fix.title, " at ",
                      fix.file, ":", fix.start_line, ":", fix.start_column, "-", fix.end_line, ":",
                      fix.end_column, " → '", fix.replacement, "'\n");
    }
  }
  return text;
}

class DiagnosticsGolden : public testing::TestWithParam<std::string> {};

TEST_P(DiagnosticsGolden, PrintsAsExpected) {
  const std::string parser_name = GetParam().substr(0, GetParam().find('/'));
  const DiagnosticsParser parser = FindDiagnosticsParser(parser_name);
  ASSERT_NE(parser, nullptr) << parser_name;
  const std::string base = absl::StrCat(GoldenFolder(), "/", GetParam());
  const auto output = DiskFileSystem()->ReadFile(base + ".txt", kMaxFileBytes);
  ASSERT_TRUE(output.ok()) << output.status();
  const std::string print = Print(parser(*output, "/ws", "/ws"));
  if (std::getenv("STILE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(DiskFileSystem()->WriteFile(base + ".expected", print, 0644, false).ok());
    return;
  }
  const auto expected = DiskFileSystem()->ReadFile(base + ".expected", kMaxFileBytes);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(print, *expected);
}

// Every prefix of real output, and every real output with bytes spoilt, is an input like any other.
TEST_P(DiagnosticsGolden, ReadsBrokenOutputWithoutHarm) {
  const DiagnosticsParser parser =
      FindDiagnosticsParser(GetParam().substr(0, GetParam().find('/')));
  ASSERT_NE(parser, nullptr);
  const auto output = DiskFileSystem()->ReadFile(
      absl::StrCat(GoldenFolder(), "/", GetParam(), ".txt"), kMaxFileBytes);
  ASSERT_TRUE(output.ok()) << output.status();
  const size_t step = output->size() / 50 + 1;
  for (size_t length = 0; length < output->size(); length += step) {
    parser(absl::string_view(*output).substr(0, length), "/ws", "/ws");
    std::string spoilt = *output;
    for (size_t i = length; i < spoilt.size(); i += step + 7) spoilt[i] = static_cast<char>(i * 31);
    parser(spoilt, "/ws", "/ws");
  }
}

INSTANTIATE_TEST_SUITE_P(Tools, DiagnosticsGolden, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<std::string>& test) {
                           std::string name = test.param;
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

TEST(DiagnosticsParsers, EachNameHasAParserThatTakesAnyBytes) {
  for (const std::string& name : DiagnosticsParserNames()) {
    const DiagnosticsParser parser = FindDiagnosticsParser(name);
    ASSERT_NE(parser, nullptr) << name;
    EXPECT_THAT(parser("", "/ws", "/ws"), testing::IsEmpty()) << name;
    parser(absl::string_view("\0\xff\xfe\n:::\n{\"\n[[[\n", 16), "/ws", "/ws");
  }
  EXPECT_EQ(FindDiagnosticsParser("nope"), nullptr);
}

}  // namespace
}  // namespace stile
