// Recognises pictures by their first bytes.
#ifndef STILE_RUNTIME_BASE_PICTURE_H_
#define STILE_RUNTIME_BASE_PICTURE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stile {

// The media type of a picture in a format that models take (PNG, JPEG, GIF, WebP), by the first
// bytes of its file; "" : it is none.
std::string PictureType(absl::string_view content);

// The largest file of a picture that is sent to a model.
inline constexpr size_t kMaxPictureBytes = size_t{4} << 20;

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_PICTURE_H_
