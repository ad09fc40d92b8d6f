// Server-sent events: what is read must not depend on the pieces in which the bytes came. The first
// byte chooses the size of pieces.
#include "runtime/base/check.h"
#include "runtime/http/sse_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace stile {
namespace {

constexpr size_t kMaxEventBytes = 512;

std::string Read(absl::string_view bytes, size_t piece_bytes) {
  std::string read;
  SseReader reader(
      [&](const SseEvent& event) {
        read += event.event + "\x1f" + event.id + "\x1f" + event.data + "\x1e";
        return absl::OkStatus();
      },
      kMaxEventBytes);
  for (size_t at = 0; at < bytes.size(); at += piece_bytes) {
    const absl::Status status = reader.Push(bytes.substr(at, piece_bytes));
    if (!status.ok()) return read + std::string(status.message());
  }
  const absl::Status status = reader.Finish();
  return read + std::string(status.message());
}

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kPieces[] = {1, 2, 3, 5, 64};
  stile::FuzzInput input(data, size);
  const size_t piece_bytes = kPieces[input.TakeChoice(std::size(kPieces))];
  const std::string whole = stile::Read(input.rest(), input.rest().size() + 1);
  STILE_CHECK(whole == stile::Read(input.rest(), piece_bytes));
  return 0;
}
