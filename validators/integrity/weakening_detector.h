#ifndef STILE_VALIDATORS_INTEGRITY_WEAKENING_DETECTOR_H_
#define STILE_VALIDATORS_INTEGRITY_WEAKENING_DETECTOR_H_

#include <memory>

#include "runtime/language/language.h"
#include "runtime/validation/weakening.h"

namespace stile {

// Compares suppressions, tests and their skips by syntax tree (source_findings.h), and settings of
// checkers by what they leave loose (loose_settings.h). `languages` outlives the detector.
std::unique_ptr<WeakeningDetector> NewWeakeningDetector(const LanguageRegistry* languages);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_WEAKENING_DETECTOR_H_
