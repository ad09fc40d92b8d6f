// The output of compilers and test runners. The first line names the parser as stile.yaml does, or
// "junit" for test reports.
#include "runtime/base/check.h"
#include "runtime/validation/diagnostic.h"
#include "tests/fuzz/fuzz_input.h"
#include "validators/diagnostics/cargo_json_diagnostics.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/junit_report.h"
#include "validators/diagnostics/parsers.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

void ReadReport(absl::string_view text) {
  const auto cases = ParseJunitReport(text);
  if (!cases.ok()) return;
  size_t failed = 0;
  const TestCounts counts = CountCases(*cases, [&](const JunitCase&) { ++failed; });
  STILE_CHECK(static_cast<size_t>(counts.failed) == failed);
  STILE_CHECK(static_cast<size_t>(counts.passed + counts.failed + counts.skipped) == cases->size());
}

void ReadOutput(DiagnosticsParser parser, absl::string_view text) {
  std::vector<Diagnostic> diagnostics = parser(text, "/ws/sub", "/ws");
  for (const Diagnostic& diagnostic : diagnostics) {
    STILE_CHECK(diagnostic.line >= 0 && diagnostic.column >= 0);
    STILE_CHECK(ToJson(diagnostic).is_object());
    FormatDiagnostic(diagnostic);
    for (const SuggestedFix& fix : diagnostic.fixes) {
      STILE_CHECK(fix.start_line > 0 && fix.start_column > 0);
    }
    for (const ColumnUnit unit : {ColumnUnit::kUtf16, ColumnUnit::kCodePoint, ColumnUnit::kDisplay,
                                  ColumnUnit::kUtf16Tab8}) {
      STILE_CHECK(ByteColumn(text.substr(0, 200), diagnostic.column, unit) >= 0);
    }
  }
  STILE_CHECK(CountErrors(diagnostics) <= diagnostics.size());
  DropDuplicates(&diagnostics);
}

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const absl::string_view name = input.TakeLine();
  if (name == "junit") stile::ReadReport(input.rest());
  const stile::DiagnosticsParser parser = stile::FindDiagnosticsParser(name);
  if (parser != nullptr) stile::ReadOutput(parser, input.rest());
  if (name == "gcc") stile::IsClangOutput(input.rest());
  if (name == "cargo") stile::CargoSaysFinished(input.rest());
  return 0;
}
