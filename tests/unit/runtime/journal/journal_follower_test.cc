#include "runtime/journal/journal_follower.h"

#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "runtime/base/json.h"
#include "runtime/journal/journal.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

std::string Line(uint64_t seq, const std::string& text = "x") {
  return DumpJson(ToJson(
      Event{EventType::kLog, seq, absl::UnixEpoch(), "run", {{"level", "info"}, {"text", text}}}));
}

class JournalFollowerTest : public ::testing::Test {
 protected:
  void Append(const std::string& bytes) {
    std::ofstream(path_, std::ios::app | std::ios::binary) << bytes;
  }
  // The numbers of the next events.
  std::vector<uint64_t> Next() {
    const auto events = follower_.Next();
    EXPECT_TRUE(events.ok()) << events.status();
    std::vector<uint64_t> numbers;
    for (const Event& event : *events) numbers.push_back(event.seq);
    return numbers;
  }

  TempDir folder_;
  const std::string path_ = folder_.Path("journal.jsonl");
  JournalFollower follower_{path_};
};

using Numbers = std::vector<uint64_t>;

TEST_F(JournalFollowerTest, GivesWhatIsNewAndWaitsForTheFile) {
  EXPECT_EQ(Next(), Numbers());
  Append(Line(1) + "\n" + Line(2) + "\n");
  EXPECT_EQ(Next(), Numbers({1, 2}));
  EXPECT_EQ(Next(), Numbers());
  Append(Line(3) + "\n");
  EXPECT_EQ(Next(), Numbers({3}));
}

TEST_F(JournalFollowerTest, ReadsALineWhenItIsComplete) {
  const std::string line = Line(2);
  Append(Line(1) + "\n" + line.substr(0, 10));
  EXPECT_EQ(Next(), Numbers({1}));
  EXPECT_EQ(Next(), Numbers());
  Append(line.substr(10));
  EXPECT_EQ(Next(), Numbers());
  Append("\n");
  EXPECT_EQ(Next(), Numbers({2}));
}

TEST_F(JournalFollowerTest, ReadsLinesThatAreLongerThanAPiece) {
  Append(Line(1) + "\n" + Line(2, std::string(size_t{3} << 20, 'y')) + "\n" + Line(3) + "\n");
  Numbers all;
  for (Numbers next; !(next = Next()).empty();) all.insert(all.end(), next.begin(), next.end());
  EXPECT_EQ(all, Numbers({1, 2, 3}));
}

TEST_F(JournalFollowerTest, NamesADamagedLineBehindWholeOnes) {
  Append(Line(1) + "\n{\n" + Line(3) + "\n");
  EXPECT_EQ(Next(), Numbers({1}));
  for (int i = 0; i < 2; ++i) {
    const auto events = follower_.Next();
    EXPECT_EQ(events.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_NE(events.status().message().find("journal.jsonl:2: "), std::string::npos);
  }
}

}  // namespace
}  // namespace stile
