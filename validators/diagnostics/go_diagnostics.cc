#include "validators/diagnostics/go_diagnostics.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

// What follows tab-indented belongs to the line before.
bool GoesOn(absl::string_view line) { return absl::StartsWith(line, "\t"); }

Diagnostic Unlocated(absl::string_view message) {
  Diagnostic diagnostic;
  diagnostic.message = ToUtf8(message);
  return diagnostic;
}

}  // namespace

std::vector<Diagnostic> ParseGo(absl::string_view output, absl::string_view base_dir,
                                absl::string_view workspace) {
  static const auto* const located = new Pattern(
      R"((?:vet: |go: )?(.+?(?:\.(?:go|s|S|c|cc|cpp|h)|go\.mod|go\.sum|go\.work)):(\d+)(?::(\d+))?: (.*))");
  static const auto* const no_main =
      new Pattern(R"(.*: (function main is undeclared in the main package))");
  static const auto* const mixed = new Pattern(R"((?:package \S+: )?(found packages .* in (/.+)))");
  static const auto* const no_package = new Pattern(
      R"((?:package \S+: |go: )?((?:\S+: )?(?:package \S+ is not in (?:GOROOT|std)|no required module provides package|missing go\.sum entry|import cycle not allowed).*))");
  std::vector<Diagnostic> diagnostics;
  std::string package;  // of the last "# package" heading
  std::string chain;    // "package a", then its imports
  bool goes_on = false;
  const auto end_chain = [&] {
    if (absl::StrContains(chain, "\n")) diagnostics.push_back(Unlocated(chain));
    chain.clear();
  };
  for (absl::string_view line : SplitLines(output)) {
    line = absl::StripSuffix(line, "\r");
    if (GoesOn(line)) {
      if (!chain.empty()) {
        absl::StrAppend(&chain, "\n", line);
      } else if (goes_on) {
        absl::StrAppend(&diagnostics.back().message, "\n", ToUtf8(line));
      }
      continue;
    }
    end_chain();
    std::string file, row, column, message;
    goes_on = true;
    if (absl::StartsWith(line, "# ")) {
      package = std::string(line.substr(2));
      goes_on = false;
    } else if (located->Matches(line, &file, &row, &column, &message)) {
      Diagnostic diagnostic;
      const bool warning = absl::StartsWith(message, "warning: ");
      const bool note = absl::StartsWith(message, "note: ");
      diagnostic.severity = warning ? Severity::kWarning
                            : note  ? Severity::kNote
                                    : Severity::kError;
      diagnostic.file = WorkspaceFile(file, base_dir, workspace);
      diagnostic.line = PositiveNumber(row);
      diagnostic.column = PositiveNumber(column);
      diagnostic.message = ToUtf8(message);
      diagnostics.push_back(std::move(diagnostic));
    } else if (no_main->Matches(line, &message)) {
      diagnostics.push_back(Unlocated(absl::StrCat(package, ": ", message)));
    } else if (mixed->Matches(line, &message, &file)) {
      diagnostics.push_back(Unlocated(message));
      diagnostics.back().file = WorkspaceFile(file, base_dir, workspace);
    } else if (no_package->Matches(line, &message)) {
      diagnostics.push_back(Unlocated(message));
    } else {
      goes_on = false;
      if (absl::StartsWith(line, "package ")) chain = std::string(line);
    }
  }
  end_chain();
  return diagnostics;
}

}  // namespace stile
