#ifndef STILE_RUNTIME_VALIDATION_REPORT_TEXT_H_
#define STILE_RUNTIME_VALIDATION_REPORT_TEXT_H_

#include <string>

#include "runtime/validation/validation_service.h"
#include "runtime/workspace/file_system.h"

namespace stile {

// A report as a model should read it: the verdict of each target with its reason, a bounded number
// of errors with the line they are about and the compiler's own fix, some warnings, and what the
// gate still misses. `workspace` is where the lines are read from.
std::string ValidationReportText(const ValidationReport& report, FileSystem* fs,
                                 const std::string& workspace);

// The report as data: the shape of code.validate's result and of `stile validate --json`.
Json ToJson(const ValidationReport& report);

}  // namespace stile

#endif  // STILE_RUNTIME_VALIDATION_REPORT_TEXT_H_
