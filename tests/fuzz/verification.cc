// Replies of verifier and critic, taken up by a session on a file; and kept states of sessions.
#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "runtime/verify/debate.h"
#include "runtime/verify/evidence.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

constexpr char kCode[] = "import os\n\ndef remove(name):\n    os.system('rm ' + name)\n";

void TakeReply(stile::ReviewRole role, absl::string_view text, stile::VerifyState* state) {
  const auto reply = stile::ParseReviewReply(role, text);
  if (!reply.ok()) {
    STILE_CHECK(!reply.status().message().empty());
    return;
  }
  stile::ReviewedCode code;
  code.read = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path == "a.py") return kCode;
    return absl::NotFoundError("there is no such file");
  };
  stile::VerifyRound round;
  round.number = ++state->round;
  round.role = role;
  round.context = {"a.py"};
  stile::TakeUp(*reply, code, state, &round);
  for (const stile::VerifyIssue& issue : state->issues) {
    // Whatever is taken has its code in a file that was shown.
    STILE_CHECK(issue.place.file == "a.py");
    STILE_CHECK(stile::FindEvidence(issue.place, issue.evidence, kCode).ok());
  }
  state->rounds.push_back(std::move(round));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const stile::FuzzInput input(data, size);
  const std::string text = stile::ToUtf8(input.rest());
  stile::VerifyState state;
  state.id = "run";
  state.files.push_back({"a.py", "", false, {}});
  // The reply of each role, one behind the other.
  TakeReply(stile::ReviewRole::kVerifier, text, &state);
  TakeReply(stile::ReviewRole::kCritic, text, &state);
  TakeReply(stile::ReviewRole::kVerifier, text, &state);
  const stile::Json kept = ToJson(state);
  const auto again = stile::VerifyStateFromJson(kept);
  STILE_CHECK(again.ok() && ToJson(*again) == kept);
  STILE_CHECK(ResultOf(state).is_object());
  stile::CloseMended({[](const std::string&) { return std::string("x"); }, {}}, "p", &state);
  if (const auto json = stile::ParseJson(text); json.ok()) {
    stile::VerifyStateFromJson(*json).status().IgnoreError();
  }
  return 0;
}
