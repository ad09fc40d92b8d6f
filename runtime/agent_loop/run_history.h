#ifndef STILE_RUNTIME_AGENT_LOOP_RUN_HISTORY_H_
#define STILE_RUNTIME_AGENT_LOOP_RUN_HISTORY_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/event/event.h"
#include "runtime/gate/gate.h"
#include "runtime/model/message.h"

namespace stile {

// What a run that was interrupted, or ended without success, had reached, rebuilt from its journal,
// so that it goes on without asking the model again for turns it already gave.
struct RunHistory {
  struct Observation {
    int call = -1;  // index into the reply's calls; -1: a message that answers no call
    std::string text;
    bool ok = true;
    std::vector<ImageData> images;
  };
  struct Turn {
    ModelReply reply;
    std::vector<Observation> observations;  // in order
    int number = 0;                         // within the run
    // A call that was begun and has no result: its index, and the workspace's root hash before it.
    std::optional<int> interrupted_call;
    std::string root_before;
    // After it, turns before it were left out; several times where the model wanted it shorter.
    struct Compaction {
      size_t first_kept = 0;
      Json record;
    };
    std::vector<Compaction> compactions;
  };
  // What one agent and the model said to each other.
  struct Conversation {
    std::vector<Turn> turns;
    int unparsable_in_a_row = 0;
  };
  struct SubAgent : Conversation {
    Json start;                           // data of agent_started
    std::optional<Observation> finished;  // what it said to the agent that spawned it
  };
  Conversation main;                           // of the run's own agent
  std::map<std::string, SubAgent> sub_agents;  // by id
  std::string running_sub_agent;  // whose result the run's own agent has not seen; "": none
  std::map<std::string, int> tools_used;
  PastValidations validations;
  int rejections = 0;      // finishes that the gate refused
  std::string root;        // workspace root hash as last recorded
  absl::Duration elapsed;  // while a process worked on it
  uint64_t last_seq = 0;
  Json start;  // data of run_started; "limits" as last raised
  bool finished = false;
  Json finish;  // data of run_finished
  std::string
      ended_by;  // the reason of the end after which it goes on, until the model has replied

  // Goes on after its end: what counts in a row (failed validations, unusable replies) begins again
  // at 0.
  void Reopen();

  // What all turns used. Figures of the whole run count on after an end.
  Usage TotalUsage() const;

  // Turns of all agents: what of a cassette has been played.
  size_t CountTurns() const;
};

// How long processes worked on what the events tell of: without the time between the last event of
// one and its being resumed.
absl::Duration TimeWorked(const std::vector<Event>& events);

// Of several run_finished all but the last must be followed by run_resumed. DataLoss when the
// events do not begin with run_started or contradict each other.
absl::StatusOr<RunHistory> ReplayEvents(const std::vector<Event>& events);

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_RUN_HISTORY_H_
