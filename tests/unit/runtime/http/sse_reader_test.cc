#include "runtime/http/sse_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

using ::testing::ElementsAre;

// Every event as "event|data".
std::vector<std::string> ReadInPieces(const std::string& bytes, size_t piece_bytes) {
  std::vector<std::string> events;
  SseReader reader([&](const SseEvent& event) {
    events.push_back(absl::StrCat(event.event, "|", event.data));
    return absl::OkStatus();
  });
  for (size_t i = 0; i < bytes.size(); i += piece_bytes) {
    EXPECT_TRUE(reader.Push(bytes.substr(i, piece_bytes)).ok());
  }
  EXPECT_TRUE(reader.Finish().ok());
  return events;
}

TEST(SseReaderTest, ReadsTheSameEventsInAnySplit) {
  const std::string bytes =
      "\xEF\xBB\xBF: hello\r\n\r\nevent: start\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n"
      "data:no blank\rdata\r\revent: only a name\n\nid: 7\nretry: 10\nunknown: x\ndata: é\n\n";
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_THAT(ReadInPieces(bytes, piece),
                ElementsAre("start|{\"a\":\n1}", "message|no blank\n", "message|é"))
        << "pieces of " << piece;
  }
}

TEST(SseReaderTest, DropsHalfALineButKeepsAnEventWithoutItsEmptyLine) {
  EXPECT_THAT(ReadInPieces("data: whole\n", 3), ElementsAre("message|whole"));
  EXPECT_THAT(ReadInPieces("data: one\n\ndata: ha", 3), ElementsAre("message|one"));
}

TEST(SseReaderTest, KeepsTheLastIdForLaterEvents) {
  std::vector<std::string> ids;
  SseReader reader([&](const SseEvent& event) {
    ids.push_back(event.id);
    return absl::OkStatus();
  });
  ASSERT_TRUE(reader.Push("id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n").ok());
  EXPECT_THAT(ids, ElementsAre("1", "1", "2"));
}

TEST(SseReaderTest, RefusesALineBeyondTheBound) {
  SseReader reader([](const SseEvent&) { return absl::OkStatus(); }, 100);
  EXPECT_TRUE(reader.Push(std::string(90, 'x')).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(reader.Push(std::string(20, 'x'))));
}

TEST(SseReaderTest, RefusesManyLinesThatAddUpBeyondTheBound) {
  SseReader reader([](const SseEvent&) { return absl::OkStatus(); }, 100);
  absl::Status status;
  for (int i = 0; i < 50 && status.ok(); ++i) status = reader.Push("data: 0123456789\n");
  EXPECT_TRUE(absl::IsResourceExhausted(status));
}

TEST(SseReaderTest, PassesTheErrorOfItsSinkOn) {
  SseReader reader([](const SseEvent&) { return absl::DataLossError("no"); });
  EXPECT_TRUE(absl::IsDataLoss(reader.Push("data: x\n\n")));
}

TEST(LineSplitterTest, HandsOverALastLineWithoutEnd) {
  std::vector<std::string> lines;
  LineSplitter splitter(100, [&](absl::string_view line) {
    lines.emplace_back(line);
    return absl::OkStatus();
  });
  ASSERT_TRUE(splitter.Push("a\r").ok());
  ASSERT_TRUE(splitter.Push("\nb\n\nc").ok());
  ASSERT_TRUE(splitter.Finish().ok());
  EXPECT_THAT(lines, ElementsAre("a", "b", "", "c"));
}

}  // namespace
}  // namespace stile
