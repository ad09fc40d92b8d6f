#include "validators/integrity/msbuild_properties.h"

#include "absl/strings/ascii.h"
#include "re2/re2.h"

namespace stile {

std::vector<std::pair<std::string, std::string>> MsBuildProperties(absl::string_view text) {
  static const RE2* const kComment = new RE2("(?s)<!--.*?-->");
  static const RE2* const kProperty = new RE2(
      R"((?s)<(NoWarn|WarningsNotAsErrors|TreatWarningsAsErrors|Nullable|WarningsAsErrors|MSBuildTreatWarningsAsErrors|WarningLevel|AnalysisLevel|AnalysisMode|SkipCompilerExecution|RunAnalyzers|RunAnalyzersDuringBuild|EnforceCodeStyleInBuild)\b[^>]*>(.*?)</)");
  std::string code(text);
  RE2::GlobalReplace(&code, *kComment, "");
  std::vector<std::pair<std::string, std::string>> properties;
  re2::StringPiece rest(code);
  std::string name;
  std::string value;
  while (RE2::FindAndConsume(&rest, *kProperty, &name, &value)) {
    absl::StripAsciiWhitespace(&value);
    properties.emplace_back(name, value);
  }
  return properties;
}

}  // namespace stile
