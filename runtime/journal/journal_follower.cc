#include "runtime/journal/journal_follower.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "runtime/journal/journal.h"

namespace stile {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<std::vector<Event>> JournalFollower::Next() {
  std::vector<Event> events;
  std::ifstream file(path_, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(offset_))) return events;
  std::string text;
  size_t end = std::string::npos;
  // A line may be longer than a piece.
  while (end == std::string::npos && text.size() < kMaxJournalLineBytes) {
    std::string piece(kPieceBytes, '\0');
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<size_t>(file.gcount()));
    if (piece.empty()) return events;
    text += piece;
    end = text.rfind('\n');
  }
  const auto damaged = [this](absl::string_view why) {
    return absl::DataLossError(absl::StrCat(path_, ":", line_ + 1, ": ", why));
  };
  if (end == std::string::npos) return damaged("line too long");
  size_t begin = 0;
  for (size_t newline; (newline = text.find('\n', begin)) != std::string::npos;
       begin = newline + 1) {
    auto event = ParseJournalLine(absl::string_view(text).substr(begin, newline - begin));
    if (!event.ok()) {
      // Those before it are whole.
      if (!events.empty()) return events;
      return damaged(event.status().message());
    }
    events.push_back(*std::move(event));
    ++line_;
    offset_ += newline + 1 - begin;
  }
  return events;
}

}  // namespace stile
