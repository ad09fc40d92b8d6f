// What languages share whose tests are marked methods and whose failures are exceptions.
#ifndef STILE_VALIDATORS_INTEGRITY_MANAGED_LANGUAGE_H_
#define STILE_VALIDATORS_INTEGRITY_MANAGED_LANGUAGE_H_

#include <string>
#include <utility>
#include <vector>

#include "validators/integrity/test_language.h"

namespace stile {

// The words of one such language.
struct ManagedWords {
  absl::string_view holds;      // a condition that holds always, which no compiler knows
  absl::string_view caught;     // what a handler names to catch all failures
  absl::string_view exception;  // what a planted failure throws
  bool tests_give_values = false;
};

class ManagedLanguage : public TestLanguage {
 public:
  bool IsTestFunction(const TestCode& code, const FunctionPlace& place, uint32_t i,
                      const TestFunctionName& name,
                      const std::vector<uint32_t>& markers) const override;
  bool IsSkipMarker(absl::string_view text, const std::string& name) const override;
  std::string FailingStatement(const FailureSite& site) const override;
  bool PlantInTest(const TestSite& site, TestPlanter* planter) const override;

 protected:
  ManagedLanguage(TestLanguageFacts facts, ManagedWords words)
      : TestLanguage(std::move(facts)), words_(words) {}

 private:
  const ManagedWords words_;
};

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_MANAGED_LANGUAGE_H_
