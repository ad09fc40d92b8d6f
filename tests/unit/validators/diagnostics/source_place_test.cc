#include "validators/diagnostics/source_place.h"

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

TEST(WorkspaceFile, IsRelativeWithinTheWorkspaceAndAsReportedOutside) {
  EXPECT_EQ(WorkspaceFile("a.c", "/ws/src", "/ws"), "src/a.c");
  EXPECT_EQ(WorkspaceFile("../b/./a.c", "/ws/src", "/ws"), "b/a.c");
  EXPECT_EQ(WorkspaceFile("/ws/a.c", "/ws/src", "/ws"), "a.c");
  EXPECT_EQ(WorkspaceFile("/usr/include/a.h", "/ws", "/ws"), "/usr/include/a.h");
  EXPECT_EQ(WorkspaceFile("/wsx/a.h", "/ws", "/ws"), "/wsx/a.h");
  EXPECT_EQ(WorkspaceFile("../../a.c", "/ws/src", "/ws"), "../../a.c");
  EXPECT_EQ(WorkspaceFile("", "/ws", "/ws"), "");
}

TEST(ByteColumn, CountsInEachUnit) {
  EXPECT_EQ(ByteColumn("abc", 2, ColumnUnit::kUtf16), 2);
  EXPECT_EQ(ByteColumn("é x", 3, ColumnUnit::kUtf16), 4);
  EXPECT_EQ(ByteColumn("😀x", 3, ColumnUnit::kUtf16), 5);
  EXPECT_EQ(ByteColumn("😀x", 2, ColumnUnit::kCodePoint), 5);
  EXPECT_EQ(ByteColumn("\tx", 9, ColumnUnit::kDisplay), 2);
  EXPECT_EQ(ByteColumn("ab\tx", 9, ColumnUnit::kUtf16Tab8), 4);
  EXPECT_EQ(ByteColumn("漢x", 3, ColumnUnit::kDisplay), 4);
  EXPECT_EQ(ByteColumn("e\u0301x", 2, ColumnUnit::kDisplay), 2);
}

TEST(ByteColumn, GoesOnPastTheEndAndTakesBrokenText) {
  EXPECT_EQ(ByteColumn("é", 2, ColumnUnit::kUtf16), 3);
  EXPECT_EQ(ByteColumn("é", 4, ColumnUnit::kUtf16), 5);
  EXPECT_EQ(ByteColumn("", 1, ColumnUnit::kUtf16), 1);
  EXPECT_EQ(ByteColumn("abc", 0, ColumnUnit::kUtf16), 0);
  EXPECT_EQ(ByteColumn("\xff\xffx", 3, ColumnUnit::kCodePoint), 3);
}

TEST(ColumnsToBytes, ReadsTheFilesOfTheWorkspace) {
  const TempDir dir;
  dir.Write("src/a.cs", "\xEF\xBB\xBF// é x\nvar é = y;\r\n");
  std::vector<Diagnostic> diagnostics(4);
  diagnostics[0].file = diagnostics[1].file = diagnostics[2].file = "src/a.cs";
  diagnostics[0].line = 2, diagnostics[0].column = 9;
  diagnostics[1].line = 1, diagnostics[1].column = 6;
  diagnostics[2].line = 99, diagnostics[2].column = 6;
  diagnostics[3].file = "missing.cs", diagnostics[3].line = 1, diagnostics[3].column = 3;
  ColumnsToBytes(dir.path(), ColumnUnit::kUtf16, &diagnostics);
  EXPECT_EQ(diagnostics[0].column, 10);
  EXPECT_EQ(diagnostics[1].column, 10);
  EXPECT_EQ(diagnostics[2].column, 6);
  EXPECT_EQ(diagnostics[3].column, 3);
}

TEST(PositiveNumber, RefusesWhatIsNone) {
  EXPECT_EQ(PositiveNumber("12"), 12);
  EXPECT_EQ(PositiveNumber(""), 0);
  EXPECT_EQ(PositiveNumber("-3"), 0);
  EXPECT_EQ(PositiveNumber("9999999999"), 0);
}

}  // namespace
}  // namespace stile
