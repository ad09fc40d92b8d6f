// The seam between the gate and whoever knows which constructs of a language turn code off.
#ifndef STILE_RUNTIME_VALIDATION_CONDITIONAL_CODE_H_
#define STILE_RUNTIME_VALIDATION_CONDITIONAL_CODE_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/build_switch.h"

namespace stile {

// Code that a judge may leave out although it reads the file. Lines are 1-based.
struct ConditionalRegion {
  std::string
      condition;  // "#ifdef FAST"; for people, and to find the region again in other content
  bool constant = false;  // no setting, no system and no argument can ever turn it on or off
  int condition_line = 0;
  int first_line = 0;  // of the code under the condition
  int last_line = 0;
  // A line that, put before the line `plant_before`, is an error if and only if the judge looks at
  // the region.
  std::string planted;
  int plant_before = 0;
  // The same outside the region: where this one is not reported either, nothing follows. 0: every
  // judge reports what it looks at.
  std::string beside;
  int beside_before = 0;
  // What has to hold for the region to be looked at, in the words of the language; empty where no
  // condition of a build decides that, but the judge (Python).
  std::vector<std::string> holds;
  // What stands there, without comments and blanks that say nothing, or a hash of it: regions with
  // the same code and conditions are the same.
  std::string code;
  // Of files that it takes in ("mod fast;"); set by the gate.
  std::string code_taken_in;
  bool is_attribute = false;  // no code depends on the condition, only an attribute of it
  bool is_guard = false;      // of a header that is to be taken in once
};

// Names and how they are declared.
using Declarations = std::set<std::pair<std::string, std::string>>;

class ConditionFinder {
 public:
  virtual ~ConditionFinder() = default;
  // The regions of a code file, by ascending condition_line, outer ones before those inside them;
  // empty where the language has no such constructs. Thread-safe.
  virtual std::vector<ConditionalRegion> Find(const std::string& path,
                                              absl::string_view text) const = 0;
  // How a region of the file could be looked at: a few sets of switches, small ones first. They
  // need not be enough: the system may decide as well. Empty where only the system decides.
  virtual std::vector<BuildSwitches> Ways(const std::string& path, absl::string_view text,
                                          const ConditionalRegion& region) const {
    static_cast<void>(path), static_cast<void>(text), static_cast<void>(region);
    return {};
  }
  // The same for a file that says of itself when it is part of the build (Go).
  virtual std::vector<BuildSwitches> WaysIntoFile(const std::string& path,
                                                  absl::string_view text) const {
    static_cast<void>(path), static_cast<void>(text);
    return {};
  }
  // What a file declares: names, each with its declaration without the body; macros whole. Empty
  // where the language has no regions of which it is known what has to hold. Thread-safe.
  virtual Declarations Declared(const std::string& path, absl::string_view text) const {
    static_cast<void>(path), static_cast<void>(text);
    return {};
  }
  // The text of the file with the macros among the switches set, lines reported as they were; the
  // same text where the language has no macros.
  virtual std::string Set(const std::string& path, absl::string_view text,
                          const BuildSwitches& switches) const {
    static_cast<void>(path), static_cast<void>(switches);
    return std::string(text);
  }
};

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_CONDITIONAL_CODE_H_
