// Standard input of a program that is written while the program runs.
#ifndef STILE_RUNTIME_PROCESS_PROCESS_INPUT_H_
#define STILE_RUNTIME_PROCESS_PROCESS_INPUT_H_

#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/process/unique_fd.h"

namespace stile {

// A queue of bytes. One ProcessRunner::Run takes from it; any thread may add. Thread-safe; no call
// blocks. The queue has no limit: the writer bounds what it sends before it gets an answer.
class ProcessInput {
 public:
  ProcessInput();
  ProcessInput(const ProcessInput&) = delete;
  ProcessInput& operator=(const ProcessInput&) = delete;

  // Ignored after Close.
  void Write(absl::string_view bytes);
  // The program reads the end of its input behind what was written.
  void Close();

  // For the runner. Readable while there is something to take, or the end; -1 where the system had
  // no descriptor left, and then the program reads an end at once.
  int fd() const { return event_.get(); }
  // Appends what was written since the last call to `bytes`. Returns whether the end was reached.
  bool Take(std::string* bytes);

 private:
  void Signal();

  UniqueFd event_;
  std::mutex mutex_;
  std::string bytes_;    // under mutex_
  bool closed_ = false;  // under mutex_
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_PROCESS_INPUT_H_
