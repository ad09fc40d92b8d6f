#ifndef STILE_TOOLS_INDEX_FILE_READING_H_
#define STILE_TOOLS_INDEX_FILE_READING_H_

#include <cstddef>
#include <functional>
#include <string>

namespace stile {

constexpr size_t kMaxCodeBytes = size_t{16} << 20;  // what is larger was not written by anybody

// The content of a regular file, without waiting for anybody and without following a symlink. False
// when it cannot be had.
bool ReadRegularFile(const std::string& path, size_t max_bytes, std::string* text);

// Calls `work` with 0 … count - 1, each once, on two threads.
void InParallel(size_t count, const std::function<void(size_t)>& work);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_FILE_READING_H_
