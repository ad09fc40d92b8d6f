#ifndef STILE_RUNTIME_BASE_VERSION_H_
#define STILE_RUNTIME_BASE_VERSION_H_

namespace stile {

// As in CMakeLists.txt; a test compares the two.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_VERSION_H_
