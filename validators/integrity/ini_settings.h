#ifndef STILE_VALIDATORS_INTEGRITY_INI_SETTINGS_H_
#define STILE_VALIDATORS_INTEGRITY_INI_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

struct IniSetting {
  std::string section;  // with its brackets: "[tool.mypy]"; "" before the first
  std::string key;
  std::string value;  // as it stands there, quotes too
};

// "key = value" lines of INI and TOML files, far enough for settings of checkers; a value goes on
// in indented lines and in brackets.
std::vector<IniSetting> IniSettings(absl::string_view text);

// The words of a value that is a list in one of these files: without quotes, commas and brackets.
std::vector<std::string> SettingWords(absl::string_view value);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_INI_SETTINGS_H_
