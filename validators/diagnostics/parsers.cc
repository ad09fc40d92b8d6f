#include "validators/diagnostics/parsers.h"

#include "validators/diagnostics/cargo_json_diagnostics.h"
#include "validators/diagnostics/cmake_diagnostics.h"
#include "validators/diagnostics/gcc_diagnostics.h"
#include "validators/diagnostics/generic_diagnostics.h"
#include "validators/diagnostics/go_diagnostics.h"
#include "validators/diagnostics/javac_diagnostics.h"
#include "validators/diagnostics/make_diagnostics.h"
#include "validators/diagnostics/msbuild_diagnostics.h"
#include "validators/diagnostics/node_diagnostics.h"
#include "validators/diagnostics/python_diagnostics.h"
#include "validators/diagnostics/tsc_diagnostics.h"

namespace stile {
namespace {

struct NamedParser {
  absl::string_view name;
  DiagnosticsParser parser;
};

constexpr NamedParser kParsers[] = {
    {"gcc", &ParseGcc},         {"cmake", &ParseCMake},
    {"make", &ParseMake},       {"msbuild", &ParseMsBuild},
    {"cargo", &ParseCargoJson}, {"javac", &ParseJavac},
    {"maven", &ParseMaven},     {"gradle", &ParseGradle},
    {"tsc", &ParseTsc},         {"node", &ParseNode},
    {"go", &ParseGo},           {"mypy", &ParseMypy},
    {"pyright", &ParsePyright}, {"py_compile", &ParsePyCompile},
    {"generic", &ParseGeneric},
};

}  // namespace

DiagnosticsParser FindDiagnosticsParser(absl::string_view name) {
  for (const NamedParser& entry : kParsers) {
    if (entry.name == name) return entry.parser;
  }
  return nullptr;
}

std::vector<std::string> DiagnosticsParserNames() {
  std::vector<std::string> names;
  for (const NamedParser& entry : kParsers) names.emplace_back(entry.name);
  return names;
}

}  // namespace stile
