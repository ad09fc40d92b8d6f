// A second, independent telling of the gate's rules, written from the specification alone: what a
// run may do with two projects of one file each. Tests hold the real parts against it.
#ifndef STILE_TESTS_UNIT_RUNTIME_AGENT_LOOP_GATE_ORACLE_H_
#define STILE_TESTS_UNIT_RUNTIME_AGENT_LOOP_GATE_ORACLE_H_

#include <array>
#include <string>

namespace stile::oracle {

// Contents of a file: 0 is what the run found, 1 is good too, 2 does not build. Project A also
// reads a file that is not known to be its input; when that is spoiled, A does not build.
enum Action {
  kEditA0,
  kEditA1,
  kEditA2,
  kEditB1,
  kEditB2,
  kSpoil,
  kMend,
  kValidateDirty,
  kValidateA,
  kFinish,
  kActionCount
};

enum class Outcome { kOpen, kSucceeded, kUnchanged, kGateFailed };

struct World {
  std::array<int, 2> content{0, 0};
  bool spoiled = false;
  std::array<int, 2> passed{-1, -1};          // content at the last pass, -1: none, or failed since
  std::array<bool, 2> refused{false, false};  // the last verdict was against it
  int failures = 0;
  Outcome outcome = Outcome::kOpen;

  bool IsDirty(size_t i) const { return content[i] != 0 && content[i] != passed[i]; }
  bool IsAsFound() const { return content[0] == 0 && content[1] == 0 && !spoiled; }
  bool Builds(size_t i) const { return content[i] != 2 && (i != 0 || !spoiled); }
  bool IsOpen(size_t i) const { return IsDirty(i) || (refused[i] && !IsAsFound()); }
  bool AnyOpen() const { return IsOpen(0) || IsOpen(1); }

  void Validate(bool a, bool b) {
    bool failed = false;
    const std::array<bool, 2> selected{a, b};
    for (size_t i = 0; i < 2; ++i) {
      if (!selected[i]) continue;
      failed = failed || !Builds(i);
      passed[i] = Builds(i) ? content[i] : -1;
      refused[i] = !Builds(i);
    }
    if (failed) {
      if (++failures == 5) outcome = Outcome::kGateFailed;
    } else if (!AnyOpen()) {
      failures = 0;
    }
  }

  void Do(Action action) {
    switch (action) {
      case kEditA0:
        content[0] = 0;
        break;
      case kEditA1:
        content[0] = 1;
        break;
      case kEditA2:
        content[0] = 2;
        break;
      case kEditB1:
        content[1] = 1;
        break;
      case kEditB2:
        content[1] = 2;
        break;
      case kSpoil:
        spoiled = true;
        break;
      case kMend:
        spoiled = false;
        break;
      case kValidateDirty:
        if (AnyOpen()) {
          Validate(IsOpen(0), IsOpen(1));
        } else {
          Validate(passed[0] != content[0], passed[1] != content[1]);
        }
        break;
      case kValidateA:
        Validate(true, false);
        break;
      case kFinish:
        if (!AnyOpen()) outcome = IsAsFound() ? Outcome::kUnchanged : Outcome::kSucceeded;
        break;
      case kActionCount:
        break;
    }
  }
};

inline std::string Name(Action action) {
  static const char* const kNames[] = {"a=0",   "a=1",  "a=2",      "b=1",        "b=2",
                                       "spoil", "mend", "validate", "validate a", "finish"};
  return kNames[action];
}

}  // namespace stile::oracle

#endif  // STILE_TESTS_UNIT_RUNTIME_AGENT_LOOP_GATE_ORACLE_H_
