#ifndef STILE_RUNTIME_MODEL_RECORDING_MODEL_H_
#define STILE_RUNTIME_MODEL_RECORDING_MODEL_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/model/chat_model.h"

namespace stile {

// Passes everything through to `inner` and appends each reply, with the hash of its request, to the
// cassette `path` (made if need be, readable by its owner only). Nothing else is written: no
// request, header or key. An error if the file cannot be opened; a reply that cannot be written
// ends the call with an error.
absl::StatusOr<std::unique_ptr<ChatModel>> NewRecordingModel(std::unique_ptr<ChatModel> inner,
                                                             const std::string& path);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_RECORDING_MODEL_H_
