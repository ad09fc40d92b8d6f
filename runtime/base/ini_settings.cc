#include "runtime/base/ini_settings.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

size_t IndentOf(absl::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

std::vector<IniSetting> OfLines(absl::string_view text, bool goes_on_by_indent) {
  std::vector<IniSetting> settings;
  std::string section;
  int table = 0;
  size_t indent = 0;
  bool in_value = false;
  for (absl::string_view line : SplitLines(text)) {
    const absl::string_view bare = absl::StripAsciiWhitespace(line);
    if (bare.empty() || bare[0] == '#' || bare[0] == ';') continue;
    if (goes_on_by_indent && in_value && IndentOf(line) > indent) {
      absl::StrAppend(&settings.back().value, " ", bare);
      continue;
    }
    indent = IndentOf(line);
    const size_t equals = bare.find_first_of("=:");
    if (bare[0] == '[' && bare.rfind(']') != absl::string_view::npos) {
      section = std::string(bare.substr(0, bare.rfind(']') + 1));
      ++table;
      in_value = false;
    } else if (equals != absl::string_view::npos) {
      settings.push_back({section, std::string(absl::StripAsciiWhitespace(bare.substr(0, equals))),
                          std::string(absl::StripAsciiWhitespace(bare.substr(equals + 1))), table});
      in_value = true;
    }
  }
  return settings;
}

// Reads TOML piece by piece.
class TomlReader {
 public:
  explicit TomlReader(absl::string_view text) : text_(text) {}

  std::vector<IniSetting> Read() {
    while (at_ < text_.size()) {
      if (absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_[at_] == '#') {
        SkipLine();
      } else if (text_[at_] == '[') {
        section_ = Name("\n#");
        ++table_;
        SkipLine();
      } else {
        AddSetting();
      }
    }
    return std::move(settings_);
  }

 private:
  void SkipLine() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  // Up to one of `ends`, without blanks and quotes.
  std::string Name(absl::string_view ends) {
    std::string name;
    while (at_ < text_.size() && !absl::StrContains(ends, text_[at_])) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        ++at_;
        while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n') name += text_[at_++];
        if (at_ < text_.size() && text_[at_] == '\n') break;
      } else if (!absl::ascii_isspace(static_cast<unsigned char>(c))) {
        name += c;
      }
      ++at_;
    }
    return name;
  }

  void AddSetting() {
    IniSetting setting{section_, Name("=\n"), "", table_};
    if (at_ >= text_.size() || text_[at_] != '=') return;
    ++at_;
    setting.value = Value();
    // [tool] mypy.strict = true
    const size_t dot = setting.key.rfind('.');
    if (dot != std::string::npos) {
      const std::string above = section_.empty() ? "" : section_.substr(0, section_.find(']'));
      setting.section = absl::StrCat(above.empty() ? "[" : absl::StrCat(above, "."),
                                     setting.key.substr(0, dot), "]");
      if (absl::StartsWith(setting.section, "[[")) setting.section += "]";
      setting.key = setting.key.substr(dot + 1);
    }
    settings_.push_back(std::move(setting));
  }

  std::string Value() {
    std::string value;
    int depth = 0;
    while (at_ < text_.size() && (depth > 0 || text_[at_] != '\n')) {
      const char c = text_[at_];
      if (c == '#') {
        SkipLine();
        continue;
      }
      if (c == '"' || c == '\'') {
        AddString(c, &value);
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      value += c == '\n' ? ' ' : c;
      ++at_;
    }
    return std::string(absl::StripAsciiWhitespace(value));
  }

  void AddString(char quote, std::string* value) {
    const std::string three(3, quote);
    const bool is_long = absl::StartsWith(text_.substr(at_), three);
    const std::string end = is_long ? three : std::string(1, quote);
    absl::StrAppend(value, end);
    at_ += end.size();
    while (at_ < text_.size() && !absl::StartsWith(text_.substr(at_), end)) {
      if (!is_long && text_[at_] == '\n') return;
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size())
        value->push_back(text_[at_++]);
      value->push_back(text_[at_++]);
    }
    if (at_ >= text_.size()) return;
    absl::StrAppend(value, end);
    at_ += end.size();
  }

  const absl::string_view text_;
  size_t at_ = 0;
  std::string section_;
  int table_ = 0;
  std::vector<IniSetting> settings_;
};

}  // namespace

std::vector<IniSetting> IniSettings(absl::string_view text, SettingsSyntax syntax) {
  if (syntax == SettingsSyntax::kToml) return TomlReader(text).Read();
  return OfLines(text, syntax == SettingsSyntax::kIni);
}

std::vector<std::string> SettingWords(absl::string_view value) {
  return absl::StrSplit(value, absl::ByAnyChar(" ,;[]\"'\t"), absl::SkipEmpty());
}

}  // namespace stile
