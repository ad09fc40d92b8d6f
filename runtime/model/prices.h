#ifndef STILE_RUNTIME_MODEL_PRICES_H_
#define STILE_RUNTIME_MODEL_PRICES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "runtime/model/message.h"

namespace stile {

// What `usage` costs by the public list price of `model` (with or without a date at its end), 0
// where none is known. `cache_write_tokens`: the part of input_tokens that was written to the
// provider's cache at its surcharge.
double CostUsd(absl::string_view model, const Usage& usage, int64_t cache_write_tokens);

}  // namespace stile

#endif  // STILE_RUNTIME_MODEL_PRICES_H_
