#ifndef STILE_RUNTIME_WORKSPACE_SCRATCH_FOLDER_H_
#define STILE_RUNTIME_WORKSPACE_SCRATCH_FOLDER_H_

#include <string>

#include "runtime/workspace/file_lock.h"

namespace stile {

// A new folder below `folder` that goes with this object, and, should the process be killed, with
// the next one made there: its maker holds a lock beside it. Not made before something is written
// into it; one that cannot be removed is only waste.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& folder);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string Sub(const char* name) const;  // the path of something in it

 private:
  const std::string path_;
  FileLock lock_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_WORKSPACE_SCRATCH_FOLDER_H_
