// Workflows: steps that depend on each other, with routes back. What a file says, checked; see
// plan.h for the order in which steps run.
#ifndef STILE_RUNTIME_WORKFLOW_WORKFLOW_H_
#define STILE_RUNTIME_WORKFLOW_WORKFLOW_H_

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/base/yaml_errors.h"
#include "runtime/workflow/visor_dialect.h"

namespace stile {

enum class StepType {
  kAgent,     // a gated run
  kCommand,   // a program, or text for `sh -c`
  kScript,    // ECMAScript, see expression.h
  kGate,      // the output of a test runner as {ready, failures}
  kTool,      // a built-in tool or one of an MCP server
  kResource,  // of an MCP server
  kVerify,    // verifier and critic
  kHttp,
  kMemory,  // values that steps share
  kLog,
  kWorkflow,  // another file
  kHuman,     // asks
  kNoop,
  kForeign,  // of another program, which Stile is not: only tests, by mocks, give its output
};
// "agent", "command", …
absl::string_view StepTypeName(StepType type);
// Whether strings of the setting are taken as they are, instead of as templates.
bool IsVerbatim(StepType type, absl::string_view setting);

enum class Fanout { kMap, kReduce };

struct Goto {
  std::string to;
  bool then_forward = false;  // an ancestor, and all that lies between
  std::string event;          // see Routing::event
  int line = 0;
};

// What follows a step that ended in some way; in this order: run, retry, transitions, goto.
struct Routing {
  struct Run {
    std::string step;
    std::optional<Fanout> fanout;  // nullopt: as the step says
    int line = 0;
  };
  struct Transition {
    std::string when;               // an expression
    std::optional<std::string> to;  // nullopt: stop
    std::string event;              // see Routing::event
    int line = 0;
  };
  std::vector<Run> run;
  std::string run_js;  // a script that returns names of steps; "": none
  std::vector<Transition> transitions;
  std::optional<Goto> go;
  std::string goto_js;  // a script that returns the name of a step, or nothing
  // What a jump leads to runs as if this had happened: with steps whose `on` names it. "": the
  // event of the run.
  std::string event;
  // Of on_fail only.
  int max_retries = 0;
  enum class Backoff { kFixed, kExponential } backoff = Backoff::kFixed;
  int delay_ms = 0;
};

struct WorkflowStep {
  std::string name;
  StepType type = StepType::kNoop;
  int line = 0;
  // All of them; each is met by one of its names.
  std::vector<std::vector<std::string>> depends_on;
  // Expressions; "": none. The first two decide before, the others after.
  std::string condition;  // `if`
  std::string assume;
  std::string fail_if;
  std::string guarantee;
  // What the output becomes before it is judged: a template (its text, as JSON where it is JSON) or
  // an expression. "": it stays.
  std::string transform;
  std::string transform_js;
  // Conditions that fail the step where they hold, or are only logged.
  struct FailureCondition {
    std::string name;
    std::string expression;
    std::string message;  // "": its name
    bool only_warns = false;
  };
  std::vector<FailureCondition> failure_conditions;
  Json schema;          // of the output; null: any
  bool manual = false;  // runs only when something leads to it
  bool continue_on_failure = false;
  bool for_each = false;  // its output is a list, and its dependents run for each item
  // nullopt: it runs for each item of a list that it depends on, and once where a route of the list
  // leads to it.
  std::optional<Fanout> fanout;
  Routing on_success;
  Routing on_fail;
  Routing on_finish;
  int max_runs = 50;
  int timeout_s = 0;  // 0: the door's
  // Of commands: an earlier reply is good for this long. It is one to the same settings (command,
  // `cwd`, `stdin`), in the same environment but for variables of the terminal and the session
  // (which the command does not see), on the same content: of the files of the workspace, and of
  // the programs and files that the command and its variables name.
  struct Cache {
    int ttl_s = 0;                   // 0: never
    std::vector<std::string> paths;  // names in the run's artifacts that belong to the reply
  } cache;
  bool output_json = false;  // `output_format: json`: what is no JSON is a failure
  std::string group;
  std::vector<std::string> tags;
  std::vector<std::string> events;         // `on`
  std::map<std::string, std::string> env;  // templates
  // What only its type has: strings are templates, unless said otherwise.
  //   agent: prompt, agent, model (the last two as they are), max_turns
  //   command: exec (a template, or a list of templates), stdin, cwd, log (a name: that file of
  //   the run's logs gets all that it prints), mcp (names of tools and
  //   resources of MCP servers that `stile mcp` in it may ask for; true: all)
  //   script: content (as it is)      gate: from (a step; default: what it depends on)
  //   tool: tool (as it is), arguments, log (of code.validate: what the validators print; of
  //   others: the text of the result)
  //   verify: target, exclude, requirements, workingDir, maxRounds, minRounds, stopOnCritical,
  //   maxTokens, autoConsolidate, fix, model (as it is)
  //
  //   http: url, method, headers, body
  //
  //   memory: operation (get, has, set, append, increment, delete, list, clear), key, namespace,
  //   value or value_js (an expression)
  //
  //   log: message, level      workflow: file, inputs      human: question      foreign: kind
  Json settings = Json::object();
};

// What a run says of itself when it has ended, however it ended.
struct WorkflowReport {
  std::string content;  // a script; see scope.h for what it sees
  Json schema;          // of what it returns; null: any
  int line = 0;
};

struct Workflow {
  std::string sha256;  // of its text
  std::string version = "1.0";
  std::string name;
  int max_loops = 10;
  int max_parallelism = 3;
  bool goes_forward = false;  // each goto to an ancestor runs what lies between, too
  std::string memory_namespace = "default";
  // Values of `inputs` that a caller may leave out, by name; null where it may not.
  std::map<std::string, Json> input_defaults;
  // What it gives as a step of another workflow; empty: the outputs of its steps, by name.
  struct Output {
    std::string name;
    std::string value;     // a template; "": value_js
    std::string value_js;  // an expression
    int line = 0;
  };
  std::vector<Output> outputs;
  bool has_tests = false;  // in the same file, see workflow_tests.h
  // Environment variables that expressions and templates see as `env`; none else.
  std::vector<std::string> env;
  std::vector<WorkflowStep> steps;  // in the order of the file; names are unique
  std::optional<WorkflowReport> report;
  // "file:line: …": what runs, but hardly as meant; see also CheckNames.
  std::vector<std::string> warnings;

  // -1 where there is none of the name.
  int Find(absl::string_view step) const;

  std::unordered_map<std::string, int> by_name;  // indices into `steps`
};

// InvalidArgument with file and line for what cannot run as written: unknown keys, types and steps,
// cycles of dependencies (named), expressions and templates that do not parse; a line for each
// error, in the order of the file. Where the YAML itself is wrong, the first error only. A step is
// named with letters, digits, `_`, `-`, `.`.
// Files of Visor are understood as visor_dialect.h says; `read` gives it the files that they name.
absl::StatusOr<Workflow> ParseWorkflow(absl::string_view text, absl::string_view file,
                                       const WorkflowFileReader& read = nullptr);

// The same for a check of the file.
struct CheckedWorkflow {
  Workflow workflow;     // without what is wrong
  bool has_all = false;  // steps: every file that it extends could be read
  YamlErrors errors{""};
};
CheckedWorkflow CheckWorkflow(absl::string_view text, absl::string_view file,
                              const WorkflowFileReader& read = nullptr);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_WORKFLOW_H_
