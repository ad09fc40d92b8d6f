// Tests of workflows: cases with mocked steps and exact counts.
//
//   tests:
//     defaults:                  # also event, inputs, memory, max_loops
//       strict: true
//       mocks: {lint: {exit_code: 0}}
//     cases:
//       - name: refines once
//         event: manual            # also: inputs, memory, max_loops, strict
//         mocks:
//           verify[]: [{failures: 1}, {failures: 0}]   # one per call
//           write: done                                # for every call
//         expect:
//           calls: {write: 2, verify: 2, refine: 1}    # or [{step: write, exactly: 2}], at_least,
//           at_most no_calls: [review] outputs: [{step: verify, path: failures, equals: 0}]  # or
//           contains, contains_unordered,
//                        # not_contains, matches; index (a number, first or last), where: {path,
//                        equals}
//           prompts: [{step: write, index: last, contains: [Fix]}]  # what agents and people were
//           asked workflow_output: [{path: status, equals: done}]  # of the workflow as a step of
//           another report: [{path: status, equals: done}]     # of the workflow's report skipped:
//           {review: condition} fail: {reason: step_failed, message_contains: "…"}    # without it
//           the run has to pass
//       - name: in stages          # each stage is a run; memory goes on from stage to stage.
//         # inputs and mocks of a case add to those of the defaults, those of a stage to both
//         flow: [{name: first, mocks: {…}, expect: {…}}, …]
//
// A mock is the output of the step. For a command, {exit_code, stdout, stderr} is what the program
// did; for any step {$fail: "message", $output: …} fails it. Steps without a mock run.
//
// Of the cases of Visor, `description` and `skip` are understood, `workflow_input` as `inputs`, and
// `fixture`: with it only the steps of `calls` and those that they depend on are played, the last
// of the mocks for each call stands for all further ones, and agents without a mock give {}.
#ifndef STILE_RUNTIME_WORKFLOW_WORKFLOW_TESTS_H_
#define STILE_RUNTIME_WORKFLOW_WORKFLOW_TESTS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/workflow/step_executor.h"
#include "runtime/workflow/workflow.h"
#include "runtime/workflow/workflow_runner.h"

namespace stile {

struct ExpectedOutput {
  enum class Of { kStep, kPrompt, kReport, kWorkflow } of = Of::kStep;
  std::string step;          // of kStep and kPrompt
  std::string path;          // "" : all of it
  std::optional<int> index;  // of its runs, from 0, -1: the last; nullopt: as of the end
  // The first run of which `where_path` is this.
  std::string where_path;
  std::optional<Json> where;
  std::optional<Json> equals;
  std::vector<Json> members;              // of a list, in any order
  std::vector<std::string> contains;      // in its text, all of them
  std::vector<std::string> not_contains;  // none of them
  std::string matches;                    // RE2, on its text
  std::string place;                      // "file:line"
};

// How often a step runs.
struct ExpectedCalls {
  int least = 0;
  int most = 0;
};

// One run of the workflow and what is expected of it.
struct WorkflowStage {
  std::string name;  // "" where the case is one run
  std::string event = "manual";
  Json inputs = Json::object();
  Json memory = Json::object();
  std::optional<int> max_loops;
  bool strict = true;                             // a step that ran and is not in `calls` fails
  std::map<std::string, Json> mocks;              // for every call
  std::map<std::string, std::vector<Json>> each;  // one per call
  bool repeats_last = false;                      // of these, for calls beyond them
  bool mocks_models = false;                      // agents without a mock give {}
  bool plays_expected = false;                    // only steps of `calls`, and what they depend on
  Json event_data = Json::object();               // what `event` holds beside its name
  std::map<std::string, ExpectedCalls> calls;
  std::map<std::string, std::string> skipped;  // reasons by step
  std::vector<ExpectedOutput> outputs;
  bool fails = false;
  std::string fail_reason;       // "" : any
  std::string message_contains;  // "" : any
};

struct WorkflowCase {
  std::string name;
  bool skip = false;                  // is not played
  std::vector<WorkflowStage> stages;  // at least one
};

struct WorkflowTests {
  std::string workflow;  // as written, relative to the file; "" : the tests stand in it
  std::vector<WorkflowCase> cases;
};

// InvalidArgument with the place for what is no test file: also where it names steps that
// `workflow` does not have, or has no cases. `workflow` may be null: names are not checked.
absl::StatusOr<WorkflowTests> ParseWorkflowTests(absl::string_view text, absl::string_view file,
                                                 const Workflow* workflow);

struct WorkflowCaseResult {
  std::string name;
  bool skipped = false;  // the case says so
  struct Stage {
    std::string name;
    std::map<std::string, int> runs;
    std::vector<std::string> failures;  // what was not as expected, a line each
  };
  std::vector<Stage> stages;
  absl::Duration duration;
  bool passed() const;
};

// Plays the case. `executor` does the work of steps without a mock; `options` are completed by the
// case. A status means that the case could not be played (cancelled, our own failure).
absl::StatusOr<WorkflowCaseResult> PlayCase(const WorkflowCase& test, const Workflow& workflow,
                                            StepExecutor* executor, const WorkflowOptions& options);

// The reply that a mock stands for.
StepReply ReplyOfMock(const WorkflowStep& step, const Json& mock);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_WORKFLOW_TESTS_H_
