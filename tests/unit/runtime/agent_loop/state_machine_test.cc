// The transition table and the tracker together, over every sequence of actions to depth 7 and over
// a million random longer ones, against the oracle.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "runtime/agent_loop/run_state.h"
#include "runtime/gate/validation_tracker.h"
#include "tests/unit/runtime/agent_loop/gate_oracle.h"

namespace stile {
namespace {

using oracle::Action;
using oracle::Outcome;

const TargetKey kTargets[2] = {"fake:a:build", "fake:b:build"};

const ContentMap& Content(int value) {
  static const auto* const contents = [] {
    auto* maps = new std::vector<ContentMap>(3);
    for (size_t i = 0; i < 3; ++i) {
      Sha256Digest digest{};
      digest[0] = static_cast<uint8_t>(i + 1);
      (*maps)[i] = {{"file", digest}};
    }
    return maps;
  }();
  return (*contents)[static_cast<size_t>(value)];
}

// What executor and gate do, on the table and the tracker alone.
struct Machine {
  RunState state = RunState::kThinking;
  ValidationTracker tracker{5};
  int content[2] = {0, 0};
  bool spoiled = false;

  Machine() {
    for (const TargetKey& key : kTargets) tracker.SetReference(key, Content(0));
  }

  void Move(RunTrigger trigger) {
    const auto next = NextRunState(state, trigger);
    ASSERT_TRUE(next.has_value()) << RunStateName(state);
    state = *next;
  }
  bool Dirty(int i) const { return !tracker.Dirty(kTargets[i], Content(content[i])).empty(); }
  bool Passed(int i) const { return tracker.HasPassed(kTargets[i], Content(content[i])); }
  bool AsFound() const { return content[0] == 0 && content[1] == 0 && !spoiled; }
  bool Open(int i) const {
    return Dirty(i) || (tracker.RefusalOf(kTargets[i]).has_value() && !AsFound());
  }
  bool AnyOpen() const { return Open(0) || Open(1); }

  void UseTool() {
    Move(RunTrigger::kToolCall);
    Move(RunTrigger::kObserved);
    Move(RunTrigger::kAskModel);
  }
  void Edit(int i, int value) {
    content[i] = value;
    UseTool();
  }
  void Spoil(bool value) {
    spoiled = value;
    UseTool();
  }

  void Validate(bool a, bool b) {
    Move(RunTrigger::kToolCall);
    Move(RunTrigger::kValidate);
    const bool selected[2] = {a, b};
    bool failed = false;
    for (int i = 0; i < 2; ++i) {
      if (!selected[i]) continue;
      if (content[i] == 2 || (i == 0 && spoiled)) {
        failed = true;
        tracker.RecordNoPass(kTargets[i], Verdict::kFail);
      } else {
        tracker.RecordPass(kTargets[i], Content(content[i]));
      }
    }
    tracker.RecordValidation(failed, AnyOpen());
    Move(RunTrigger::kObserved);
    Move(tracker.exhausted() ? RunTrigger::kFail : RunTrigger::kAskModel);
  }

  void Do(Action action) {
    switch (action) {
      case oracle::kEditA0:
        return Edit(0, 0);
      case oracle::kEditA1:
        return Edit(0, 1);
      case oracle::kEditA2:
        return Edit(0, 2);
      case oracle::kEditB1:
        return Edit(1, 1);
      case oracle::kEditB2:
        return Edit(1, 2);
      case oracle::kSpoil:
        return Spoil(true);
      case oracle::kMend:
        return Spoil(false);
      case oracle::kValidateDirty:
        if (AnyOpen()) return Validate(Open(0), Open(1));
        return Validate(!Passed(0), !Passed(1));
      case oracle::kValidateA:
        return Validate(true, false);
      case oracle::kFinish:
        Move(RunTrigger::kFinish);
        if (AnyOpen()) {
          Move(RunTrigger::kObserved);
          return Move(RunTrigger::kAskModel);
        }
        return Move(AsFound() ? RunTrigger::kAcceptUnchanged : RunTrigger::kAccept);
      case oracle::kActionCount:
        return;
    }
  }

  Outcome outcome() const {
    if (state == RunState::kSucceeded) return Outcome::kSucceeded;
    if (state == RunState::kUnchanged) return Outcome::kUnchanged;
    return state == RunState::kFailed ? Outcome::kGateFailed : Outcome::kOpen;
  }
};

// False, with the difference told, when the two worlds disagree.
bool Agree(const Machine& machine, const oracle::World& world, const std::vector<Action>& path) {
  const bool agree = machine.outcome() == world.outcome &&
                     machine.tracker.failures() == world.failures &&
                     machine.Open(0) == world.IsOpen(0) && machine.Open(1) == world.IsOpen(1);
  if (agree) return true;
  std::string told;
  for (const Action action : path) told += oracle::Name(action) + "; ";
  ADD_FAILURE() << "differs from the oracle after: " << told;
  return false;
}

struct Walk {
  int64_t sequences = 0;
  std::set<Outcome> outcomes;
  std::vector<Action> path;

  bool Down(const Machine& machine, const oracle::World& world, int depth) {
    if (!Agree(machine, world, path)) return false;
    outcomes.insert(world.outcome);
    if (depth == 0 || world.outcome != Outcome::kOpen) {
      ++sequences;
      return true;
    }
    for (int i = 0; i < oracle::kActionCount; ++i) {
      const auto action = static_cast<Action>(i);
      Machine next = machine;
      oracle::World next_world = world;
      next.Do(action);
      next_world.Do(action);
      path.push_back(action);
      if (!Down(next, next_world, depth - 1)) return false;
      path.pop_back();
    }
    return true;
  }
};

TEST(StateMachineTest, EverySequenceToDepthSevenAgreesWithTheOracle) {
  Walk walk;
  ASSERT_TRUE(walk.Down(Machine(), oracle::World(), 7));
  EXPECT_GT(walk.sequences, 500'000);
  EXPECT_EQ(walk.outcomes.size(), 4u) << "every outcome is reached";
}

TEST(StateMachineTest, AMillionRandomSequencesAgreeWithTheOracle) {
  std::mt19937 random(20261121);
  for (int i = 0; i < 1'000'000; ++i) {
    Machine machine;
    oracle::World world;
    std::vector<Action> path;
    for (int step = 0; step < 24 && world.outcome == Outcome::kOpen; ++step) {
      // Finish seldom, so that sequences grow long.
      auto action = static_cast<Action>(random() % oracle::kActionCount);
      if (action == oracle::kFinish && random() % 4 != 0) action = oracle::kValidateDirty;
      machine.Do(action);
      world.Do(action);
      path.push_back(action);
    }
    ASSERT_TRUE(Agree(machine, world, path)) << "sequence " << i;
  }
}

TEST(StateMachineTest, NothingLeavesATerminalStateAndEveryOtherStateCanFail) {
  for (const RunTransition& row : RunTransitions()) {
    EXPECT_FALSE(IsTerminal(row.from)) << RunStateName(row.from);
    if (!IsTerminal(row.from)) {
      EXPECT_EQ(NextRunState(row.from, RunTrigger::kFail), RunState::kFailed);
    }
  }
}

TEST(StateMachineTest, SuccessIsReachedOnlyFromFinishing) {
  for (const RunTransition& row : RunTransitions()) {
    if (row.to == RunState::kSucceeded || row.to == RunState::kUnchanged ||
        row.to == RunState::kUngated) {
      EXPECT_EQ(row.from, RunState::kFinishing);
    }
  }
}

TEST(StateMachineTest, EveryReasonHasANameAndAnExitCode) {
  for (int i = 0; i <= static_cast<int>(StopReason::kLoopBudget); ++i) {
    const auto reason = static_cast<StopReason>(i);
    EXPECT_EQ(StopReasonName(reason).empty(), reason == StopReason::kNone);
    EXPECT_NE(ExitCodeOf(RunState::kFailed, reason), 0);
    EXPECT_EQ(ExitCodeOf(RunState::kSucceeded, StopReason::kNone), 0);
  }
}

}  // namespace
}  // namespace stile
