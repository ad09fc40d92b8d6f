// Starting threads without exceptions.
#ifndef STILE_RUNTIME_BASE_THREADS_H_
#define STILE_RUNTIME_BASE_THREADS_H_

#include <cstddef>
#include <functional>
#include <future>
#include <thread>

namespace stile {

// For std::async: in a thread of its own, or, where the system has no more threads, by whoever asks
// for the result. With std::launch::async alone that would be an exception.
inline constexpr std::launch kAsyncIfPossible = std::launch::async | std::launch::deferred;

// A thread that runs `body`; not joinable, and `body` not called, where the system has no more of
// them.
std::thread TryStartThread(std::function<void()> body);

// Calls `body` with 0, 1 … count - 1, beginning in this order, at most `at_most` at once (and one
// by one where there are no threads to be had), and waits for all of them.
void CallAtOnce(size_t count, size_t at_most, const std::function<void(size_t)>& body);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_THREADS_H_
