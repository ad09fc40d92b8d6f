// The model of another program, asked by `sampling/createMessage` of the Model Context Protocol.
// Source: https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
#ifndef STILE_RUNTIME_MODEL_SAMPLING_MODEL_H_
#define STILE_RUNTIME_MODEL_SAMPLING_MODEL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/model/chat_model.h"

namespace stile {

inline constexpr absl::string_view kSamplingPrefix = "sampling:";

// `hint`: the name of a model that the other program may prefer; may be empty. Complete does not
// retry. Its errors besides those of `sampling.create_message`: DataLoss for a reply of another
// form, or with other content than text and tool calls; Cancelled. InvalidArgument: `sampling` has
// no function.
absl::StatusOr<std::unique_ptr<ChatModel>> NewSamplingModel(const Sampling& sampling,
                                                            absl::string_view hint);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_SAMPLING_MODEL_H_
