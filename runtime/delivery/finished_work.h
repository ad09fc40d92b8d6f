// From finished work to a commit: validated by itself, committed, with its certificates as a note.
#ifndef STILE_RUNTIME_DELIVERY_FINISHED_WORK_H_
#define STILE_RUNTIME_DELIVERY_FINISHED_WORK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/agent_loop/run_result.h"
#include "runtime/base/cancellation.h"
#include "runtime/delivery/clean_checkout.h"
#include "runtime/delivery/work_place.h"
#include "runtime/journal/run_changes.h"

namespace stile {

// What a delivery needs from the services around it.
class DeliveryHost : public CheckoutValidator {
 public:
  // What a run left, as it recorded it; NotFound when it did not come to its end.
  virtual absl::StatusOr<std::vector<RecordedChange>> ChangesOf(const std::string& run_id) = 0;
};

// Nothing is owned.
struct FinishedWork {
  const WorkPlace* place = nullptr;
  std::string run_id;                // named by the commit's trailer
  std::vector<std::string> changed;  // all of the work, relative to the workspace
  std::vector<std::string> allowed;  // globs; a change outside them is refused. Empty: all are in
  // What steps that this process did not run left, the latest for each path; and the runs of those
  // that it did, in their order.
  std::vector<RecordedChange> accepted;
  std::vector<std::string> run_ids;
  std::string message;  // of the commit, with its trailers
  std::string hooks;    // FingerprintHooks before the first step
  std::vector<RunResult::CertificateRef> certificates;
  bool commit = true;          // else the work is only counted
  bool clean_checkout = true;  // validate what is about to be committed in a checkout of its own
  std::string scratch_dir;     // for that checkout
  // An earlier process of the same run was killed, and may have made the commit.
  bool resumed = false;
  bool all_done_before = false;  // with it: that process had finished every step
};

struct WorkDelivery {
  std::string commit;   // "" : none was made
  std::string text;     // for people: "2 files committed as 0f3c…"; "" when refused
  std::string problem;  // why the delivery is refused, for people; "" : it is not
  StopReason reason = StopReason::kNone;  // of a refusal
  std::vector<std::string> warnings;
};

// Commits the paths of the work that differ from HEAD. Refused, with the work left in place, when
// they do not pass by themselves (without a clean checkout: when a file does not hold what the
// steps left), when a hook rejects the commit or changes it, and when hooks or git's configuration
// changed since the first step. Blocks while git and validators run; `cancellation`, which may be
// null, is heeded before the commit.
WorkDelivery DeliverWork(const FinishedWork& work, DeliveryHost* host,
                         const Cancellation* cancellation);

}  // namespace stile

#endif  // STILE_RUNTIME_DELIVERY_FINISHED_WORK_H_
