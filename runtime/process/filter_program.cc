#include "runtime/process/filter_program.h"

#include <linux/filter.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "runtime/process/unique_fd.h"

namespace stile {

const sock_fprog* MakeFilter(bool (*add_rules)(void* context)) {
  const scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
  if (context == nullptr) return nullptr;
#ifdef __x86_64__
  seccomp_arch_add(context, SCMP_ARCH_X86);
#endif
  seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
  seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree: a few comparisons a call
  const UniqueFd file(memfd_create("stile-filter", MFD_CLOEXEC));
  auto* const program = new std::vector<sock_filter>;
  if (add_rules(context) && file.get() >= 0 && seccomp_export_bpf(context, file.get()) == 0) {
    const off_t size = lseek(file.get(), 0, SEEK_END);
    program->resize(static_cast<size_t>(size) / sizeof(sock_filter));
    if (pread(file.get(), program->data(), static_cast<size_t>(size), 0) != size) program->clear();
  }
  seccomp_release(context);
  if (program->empty()) {
    delete program;
    return nullptr;
  }
  return new sock_fprog{static_cast<unsigned short>(program->size()), program->data()};
}

}  // namespace stile
