#include "agents/api/step_log.h"

#include <unistd.h>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workspace/file_system.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class StepLogTest : public testing::Test {
 protected:
  std::string FileText(const std::string& name) {
    return DiskFileSystem()->ReadFile(folder_.Path(name), 1 << 30).value_or("unreadable");
  }
  TempDir folder_;
};

TEST_F(StepLogTest, KeepsAllInTheFileAndTheEndsInTheText) {
  auto log = StepLog::Open(folder_.Path("logs"), "tests-1.log");
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_TRUE(log->empty());
  log->Append("first\n");
  EXPECT_EQ(log->Text(), "first\n");
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 120; ++i) log->Append(piece);
  log->Append("\nlast");
  const std::string text = log->Text();
  EXPECT_LT(text.size(), StepLog::kMaxTextBytes + 1000);
  EXPECT_THAT(text, StartsWith("first\nxxx"));
  EXPECT_THAT(text, EndsWith("xxx\nlast"));
  EXPECT_THAT(text, HasSubstr("of 12000011 bytes the middle is left out"));
  EXPECT_EQ(FileText("logs/tests-1.log").size(), 12'000'011u);
  EXPECT_EQ(log->problem(), "");
}

TEST_F(StepLogTest, TheFileEndsAtItsLimit) {
  auto log = StepLog::Open(folder_.path(), "a");
  ASSERT_TRUE(log.ok());
  const std::string piece(size_t{1} << 20, 'x');
  for (int i = 0; i < 66; ++i) log->Append(piece);
  const std::string text = FileText("a");
  EXPECT_LT(text.size(), StepLog::kMaxFileBytes + 100);
  EXPECT_THAT(text.substr(text.size() - 50), EndsWith("\n[the log ends here, at 64 MiB]\n"));
}

TEST_F(StepLogTest, ReplacesWhatIsThereAndFollowsNoLink) {
  folder_.Write("precious", "1");
  ASSERT_EQ(symlink(folder_.Path("precious").c_str(), folder_.Path("a").c_str()), 0);
  auto log = StepLog::Open(folder_.path(), "a");
  ASSERT_TRUE(log.ok()) << log.status();
  log->Append("2");
  EXPECT_EQ(FileText("precious"), "1");
  EXPECT_EQ(FileText("a"), "2");
}

TEST_F(StepLogTest, NamesStayInTheFolder) {
  for (const char* name : {"", ".", "..", "../a", "a/b", "-a", "a\nb", ".hidden"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(StepLog::Open(folder_.path(), name).status())) << name;
  }
}

}  // namespace
}  // namespace stile
