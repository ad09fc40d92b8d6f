// "key = value" settings of INI, TOML and .editorconfig files.
#ifndef STILE_RUNTIME_BASE_INI_SETTINGS_H_
#define STILE_RUNTIME_BASE_INI_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

struct IniSetting {
  std::string section;  // with its brackets: "[tool.mypy]"; "" before the first
  std::string key;
  std::string value;  // as it stands there, quotes too
  int table = 0;      // number of its section in the file, from 1; tells sections of one name apart
};

// kIni: as Python's configparser reads them, a value goes on in lines that are indented deeper.
// kToml: a value goes on within brackets and """; dotted keys count as sections, quotes of names
// are left out. kEditorConfig: a line is a line.
enum class SettingsSyntax { kIni, kToml, kEditorConfig };

// "key = value" lines, far enough for settings of checkers.
std::vector<IniSetting> IniSettings(absl::string_view text, SettingsSyntax syntax);

// The words of a value that is a list in one of these files: without quotes, commas and brackets.
std::vector<std::string> SettingWords(absl::string_view value);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_INI_SETTINGS_H_
