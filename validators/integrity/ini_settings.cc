#include "validators/integrity/ini_settings.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"

namespace stile {

std::vector<IniSetting> IniSettings(absl::string_view text) {
  std::vector<IniSetting> settings;
  std::string section;
  for (absl::string_view line : SplitLines(text)) {
    const absl::string_view bare = absl::StripAsciiWhitespace(line);
    if (bare.empty() || bare[0] == '#' || bare[0] == ';') continue;
    const size_t equals = bare.find_first_of("=:");
    const bool goes_on = line[0] == ' ' || line[0] == '\t' || equals == absl::string_view::npos;
    if (bare[0] == '[' && bare.back() == ']' && line[0] == '[') {
      section = std::string(bare);
    } else if (!goes_on) {
      settings.push_back({section, std::string(absl::StripAsciiWhitespace(bare.substr(0, equals))),
                          std::string(absl::StripAsciiWhitespace(bare.substr(equals + 1)))});
    } else if (!settings.empty()) {
      absl::StrAppend(&settings.back().value, " ", bare);
    }
  }
  return settings;
}

std::vector<std::string> SettingWords(absl::string_view value) {
  return absl::StrSplit(value, absl::ByAnyChar(" ,;[]\"'\t"), absl::SkipEmpty());
}

}  // namespace stile
