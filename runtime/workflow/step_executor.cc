#include "runtime/workflow/step_executor.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {

bool WantsJson(const WorkflowStep& step) {
  return step.output_json || step.for_each || !step.schema.is_null();
}

absl::Status SetOutput(const WorkflowStep& step, absl::string_view text, StepReply* reply) {
  reply->output = ToUtf8(absl::StripTrailingAsciiWhitespace(text));
  if (!WantsJson(step)) return absl::OkStatus();
  auto json = ParseJson(ToUtf8(absl::StripAsciiWhitespace(text)));
  if (!json.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its output is no JSON: ", json.status().message()));
  }
  reply->output = *std::move(json);
  return absl::OkStatus();
}

}  // namespace stile
