// What happens in stories, workflows and verifications, beside the events of their sessions.
#ifndef STILE_RUNTIME_EVENT_FLOW_EVENTS_H_
#define STILE_RUNTIME_EVENT_FLOW_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/event/event_fields.h"

namespace stile {

// ---- stories ---------------------------------------------------------------------------------

struct StoryStartedEvent {
  std::string story;  // title
  std::string branch;
  std::string workspace;
  std::vector<std::string> steps;  // names
  std::string hooks;               // git's, to notice that a step changes them
  int max_parallelism = 0;
  int first_step = 0;
  STILE_EVENT_FIELDS(kStoryStarted, story, branch, workspace, steps, hooks, max_parallelism,
                     first_step)
};

struct StepStartedEvent {
  size_t step = 0;
  std::string name;
  size_t of = 0;  // steps
  std::string step_run_id;
  std::string task;
  STILE_EVENT_FIELDS(kStepStarted, step, name, of, step_run_id, task)
};

struct StoryFinishedEvent {
  std::string outcome;
  std::string reason;
  int exit_code = 0;
  std::string message;
  std::string branch;
  std::string workspace;
  std::string commit;
  bool hooks_unchanged = false;
  STILE_EVENT_FIELDS(kStoryFinished, outcome, reason, exit_code, message, branch, workspace, commit,
                     hooks_unchanged)
};

// ---- workflows -------------------------------------------------------------------------------

struct WorkflowStartedEvent {
  std::string workflow;
  size_t steps = 0;
  std::string event;
  STILE_EVENT_FIELDS(kWorkflowStarted, workflow, steps, event)
};

// Of steps that take time.
struct WorkflowStepStartedEvent {
  std::string scope;
  std::string step;
  std::string kind;
  int iteration = 0;
  int run = 0;
  std::string number;
  std::optional<std::string> workflow_sha256;  // of a nested one
  STILE_EVENT_FIELDS(kWorkflowStepStarted, scope, step, kind, iteration, run, number,
                     workflow_sha256)
};

struct WorkflowStepSkippedEvent {
  std::string scope;
  std::string step;
  int iteration = 0;
  std::string reason;
  std::string message;
  STILE_EVENT_FIELDS(kWorkflowStepSkipped, scope, step, iteration, reason, message)
};

struct WorkflowJumpedEvent {
  std::string scope;
  std::string from;
  std::string to;
  int iteration = 0;
  int transitions = 0;
  STILE_EVENT_FIELDS(kWorkflowJumped, scope, from, to, iteration, transitions)
};

struct WorkflowFinishedEvent {
  std::string outcome;
  std::string reason;
  Json runs = Json::object();  // {step: times}
  Json outputs;
  Json failed = Json::array();  // [{scope, step, run}]
  std::optional<Json> report;
  std::optional<bool> outputs_left_out;  // they were too large
  STILE_EVENT_FIELDS(kWorkflowFinished, outcome, reason, runs, outputs, failed, report,
                     outputs_left_out)
};

// ---- verifications (runtime/verify), whose fields are named as in its state -------------------

struct RoundStartEvent {
  int round = 0;
  std::string role;
  STILE_EVENT_FIELDS(kRoundStart, round, role)
};

struct RoundCompleteEvent {
  int round = 0;
  std::string role;
  size_t issues_raised = 0;
  size_t issues_resolved = 0;
  Json rejected = Json::array();
  bool context_expanded = false;
  std::vector<std::string> new_files_discovered;
  Json usage;
  int64_t duration_ms = 0;

  static constexpr EventType kEventType = EventType::kRoundComplete;
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& visit) {
    visit("round", self.round);
    visit("role", self.role);
    visit("issuesRaised", self.issues_raised);
    visit("issuesResolved", self.issues_resolved);
    visit("rejected", self.rejected);
    visit("contextExpanded", self.context_expanded);
    visit("newFilesDiscovered", self.new_files_discovered);
    visit("usage", self.usage);
    visit("duration_ms", self.duration_ms);
  }
};

struct IssueRaisedEvent {
  std::string issue_id;
  std::string severity;
  std::string category;
  std::string summary;
  std::string location;
  std::string raised_by;

  static constexpr EventType kEventType = EventType::kIssueRaised;
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& visit) {
    visit("issueId", self.issue_id);
    visit("severity", self.severity);
    visit("category", self.category);
    visit("summary", self.summary);
    visit("location", self.location);
    visit("raisedBy", self.raised_by);
  }
};

struct IssueResolvedEvent {
  std::string issue_id;
  std::string verdict;
  std::string reason;

  static constexpr EventType kEventType = EventType::kIssueResolved;
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& visit) {
    visit("issueId", self.issue_id);
    visit("verdict", self.verdict);
    visit("reason", self.reason);
  }
};

struct ConvergenceCheckEvent {
  int round = 0;
  bool is_converged = false;
  std::string reason;
  int unresolved_issues = 0;
  int critical_unresolved = 0;

  static constexpr EventType kEventType = EventType::kConvergenceCheck;
  template <typename Self, typename Visitor>
  static void VisitFields(Self& self, Visitor& visit) {
    visit("round", self.round);
    visit("isConverged", self.is_converged);
    visit("reason", self.reason);
    visit("unresolvedIssues", self.unresolved_issues);
    visit("criticalUnresolved", self.critical_unresolved);
  }
};

// Why the verification ended early.
struct ErrorEvent {
  std::string error;
  STILE_EVENT_FIELDS(kError, error)
};

}  // namespace stile

#endif  // STILE_RUNTIME_EVENT_FLOW_EVENTS_H_
