// Makes seccomp filters.
#ifndef STILE_RUNTIME_PROCESS_FILTER_PROGRAM_H_
#define STILE_RUNTIME_PROCESS_FILTER_PROGRAM_H_

struct sock_fprog;

namespace stile {

// A seccomp filter (seccomp(2)) that allows every system call but those that `add_rules` names,
// made by libseccomp: `add_rules` gets a scmp_filter_ctx and returns false on an error. 32-bit
// programs are held to the same rules; x32 and unknown architectures get ENOSYS. Null on an error.
// The filter is never freed.
const sock_fprog* MakeFilter(bool (*add_rules)(void* context));

}  // namespace stile

#endif  // STILE_RUNTIME_PROCESS_FILTER_PROGRAM_H_
