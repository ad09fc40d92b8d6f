// What a person sees while a run goes on.
#ifndef STILE_AGENTS_CLI_PROGRESS_VIEW_H_
#define STILE_AGENTS_CLI_PROGRESS_VIEW_H_

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "agents/cli/output.h"
#include "runtime/base/clock.h"
#include "runtime/event/event.h"

namespace stile {

// Turns events into lines: one for each tool call, validation and decision of the gate; on a
// terminal also a last line with turn, tool, gate, elapsed time and tokens that is drawn again at
// most ten times a second. Everything that models and tools say is made harmless first.
// Thread-safe.
// One thing: the lines on one terminal; an event changes lines that earlier ones drew.
class ProgressView {
 public:
  struct Options {
    Terminal terminal;
    bool verbose = false;  // what the model says and tools print, too
    int max_turns = 0;     // 0: not shown
    int max_failures = 5;
    std::function<int()> columns;  // of the terminal as it is now; empty: terminal.columns
  };
  using Writer = std::function<void(absl::string_view)>;

  // `clock` not owned. `write` gets whole pieces of output, under the view's lock.
  ProgressView(Options options, Clock* clock, Writer write);
  // Leaves no status line behind.
  ~ProgressView();

  void OnEvent(const Event& event);
  // Draws the status line again if it is due; called now and then from a timer.
  void Tick();
  // From now on the status line says that the run is being ended.
  void SetStopping();
  // Without the status line, until Resume: somebody else has the terminal.
  void Suspend();
  void Resume();

 private:
  // All below with mutex_ held.
  static std::string CallKey(const Json& data);
  void Show(const Event& event);
  void ShowRun(const Event& event);
  void ShowConversation(const Event& event);
  void ShowWork(const Event& event);
  void ShowGate(const Event& event);
  void ShowStory(const Event& event);
  void ShowWorkflow(const Event& event);
  void ShowToolFinished(const Event& event);
  void ShowValidation(const Event& event);
  void ShowWorkflowStep(const Json& data);
  void ShowVerification(const Event& event);
  void ShowRejection(const Event& event);
  void ShowList(const std::vector<std::string>& lines);
  void ShowText(Style style, const std::string& text);
  std::string In(Style style, absl::string_view text) const;
  void Line(absl::string_view text);
  void Warn(absl::string_view text);
  std::string Mark(bool ok) const;  // "✓" or "✗"
  void Streamed(Style style, absl::string_view text);
  void Erase();
  void Draw();
  std::string StatusText();
  std::string GateText() const;

  static constexpr char kReading[] = "reading the workspace";
  static constexpr absl::Duration kRedrawInterval = absl::Milliseconds(100);

  int Columns() const {
    return std::max(2, options_.columns ? options_.columns() : options_.terminal.columns);
  }

  const Options options_;
  Clock* const clock_;
  const Writer write_;
  std::mutex mutex_;
  const absl::Duration started_;
  absl::Duration last_drawn_;
  bool drawn_ = false;     // a status line stands on the terminal, the cursor at its first column
  int drawn_columns_ = 0;  // of the terminal then
  bool stopping_ = false;
  bool has_turns_ = false;  // the agent at work has begun its first turn
  bool suspended_ = false;
  std::string held_;       // lines that wait until it is not
  bool told_ = false;      // the running call has had its line: of a validation, or of the gate
  bool mid_line_ = false;  // streamed text has not ended its line
  int turn_ = 0;
  int failures_ = 0;
  int64_t tokens_ = 0;
  std::string activity_ = kReading;  // "file.write src/a.py"
  std::string step_;                 // "step 2/3 rename"
  enum class Gate { kClean, kDirty, kFailed, kAccepted } gate_ = Gate::kClean;
  std::map<std::string, std::string> calls_;  // running ones, by CallKey → short form
  std::set<int64_t> under_way_;               // steps of a story; several: they run at once
  std::string prefix_;                        // of the lines of the present event
};

// On one line: the tool, its operation and the argument that says most.
// "code.refactor rename Order".
std::string DescribeCall(const std::string& tool, const Json& arguments);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_PROGRESS_VIEW_H_
