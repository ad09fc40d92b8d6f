// What a tree of processes holds in memory, that included which belongs to no process: files in
// memory and shared memory.
#ifndef STILE_RUNTIME_PROCESS_MEMORY_USE_H_
#define STILE_RUNTIME_PROCESS_MEMORY_USE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/process/process_tree.h"

namespace stile {

// Made before the processes start. Not thread-safe.
class MemoryUse {
 public:
  // `folders`: of these, files in those on a file system in memory count as far as they grow.
  explicit MemoryUse(std::vector<std::string> folders);

  // Whether the processes hold more than `limit` bytes. Cheap while they are far from it: memory
  // that several share counts once for each then, and all shared memory that the machine has gained
  // since. Only if that is too much is it looked up whose it is:
  //   anonymous and mapped files   of each process
  //   /dev/shm                     of a sandbox, whole
  //   memfd                        that any process has open
  //   other shared memory          that processes have mapped
  bool Exceeds(uint64_t limit, const ProcessEntry* entries, size_t count) const;

 private:
  uint64_t Exact(const ProcessEntry* entries, size_t count, uint64_t gained) const;

  const uint64_t shared_at_start_;
  std::map<std::string, uint64_t> used_at_start_;  // folders on a file system in memory
};

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_MEMORY_USE_H_
