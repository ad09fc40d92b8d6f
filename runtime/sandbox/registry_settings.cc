#include "runtime/sandbox/registry_settings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/sandbox/sandbox_paths.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = 1'000'000;

// Parts of keys, in lower case.
constexpr absl::string_view kSecretWords[] = {"auth",   "token",      "pass",  "pwd",  "secret",
                                              "apikey", "credential", "login", "user", "key"};
// Names of XML elements, and parts of them, in lower case.
constexpr absl::string_view kSecretElements[] = {"apikeys", "packagesourcecredentials", "servers"};
constexpr absl::string_view kSecretElementWords[] = {"pass",       "pwd",        "secret",  "token",
                                                     "credential", "privatekey", "username"};

bool IsWordChar(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; }

// Whether a key with one of the words above stands before "=" or ":".
bool HasSecretKey(absl::string_view line) {
  const std::string text = absl::AsciiStrToLower(line);
  const absl::string_view lower = text;
  for (const absl::string_view word : kSecretWords) {
    for (size_t at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
      // A host, or the scope of an npm registry.
      const size_t scheme = lower.rfind("://", at);
      const bool is_host =
          scheme != lower.npos &&
          lower.substr(scheme + 3, at - scheme - 3).find_first_of("/ \t\"',") == lower.npos;
      if (is_host || (absl::StartsWith(lower, "@") && at < lower.find(':'))) continue;
      size_t end = at + word.size();
      while (end < lower.size() && IsWordChar(lower[end])) ++end;
      while (end < lower.size() && absl::StrContains("\"' \t]", lower[end])) ++end;
      if (end < lower.size() && (lower[end] == '=' || lower[end] == ':')) return true;
    }
  }
  return false;
}

// "${A}", or several, all of which are handed on.
bool OnlyNames(absl::string_view value, const std::vector<std::string>& variables) {
  value = absl::StripAsciiWhitespace(value);
  if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  if (value.empty()) return false;
  for (absl::string_view part : absl::StrSplit(value, ':')) {
    if (!absl::ConsumePrefix(&part, "${") || !absl::ConsumeSuffix(&part, "}")) return false;
    if (std::find(variables.begin(), variables.end(), part) == variables.end()) return false;
  }
  return true;
}

// Addresses without "user:password@".
std::string WithoutUserInfo(absl::string_view text, const std::vector<std::string>& variables,
                            int* left_out) {
  std::string kept;
  while (true) {
    const size_t scheme = text.find("://");
    if (scheme == absl::string_view::npos) break;
    absl::StrAppend(&kept, text.substr(0, scheme + 3));
    text.remove_prefix(scheme + 3);
    const absl::string_view authority = text.substr(0, text.find_first_of("/?# \t\r\n\"'<>"));
    const size_t at = authority.rfind('@');
    if (at == absl::string_view::npos || OnlyNames(authority.substr(0, at), variables)) continue;
    text.remove_prefix(at + 1);
    ++*left_out;
  }
  return absl::StrCat(kept, text);
}

size_t Indentation(absl::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

std::string LinesWithoutLogins(absl::string_view text, const std::vector<std::string>& variables,
                               int* left_out) {
  std::vector<std::string> kept;
  absl::string_view until;  // of a TOML text over several lines that is left out
  bool is_gone = false;     // the line before, whose indentation this is
  bool goes_on = false;     // by a backslash at its end
  size_t indentation = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!until.empty()) {
      if (absl::StrContains(line, until)) until = "";
      continue;
    }
    const bool is_blank = absl::StripAsciiWhitespace(line).empty();
    if (is_gone && (goes_on || (!is_blank && Indentation(line) > indentation))) {
      goes_on = absl::EndsWith(absl::StripTrailingAsciiWhitespace(line), "\\");
      continue;
    }
    is_gone = false;
    std::string clean = WithoutUserInfo(line, variables, left_out);
    const size_t equals = clean.find('=');
    const bool is_named = equals != std::string::npos &&
                          OnlyNames(absl::string_view(clean).substr(equals + 1), variables);
    if (!HasSecretKey(clean) || is_named) {
      kept.push_back(std::move(clean));
      continue;
    }
    ++*left_out;
    is_gone = true;
    indentation = Indentation(line);
    goes_on = absl::EndsWith(absl::StripTrailingAsciiWhitespace(line), "\\");
    for (const absl::string_view quotes : {"\"\"\"", "'''"}) {
      const size_t begin = line.find(quotes);
      if (begin != absl::string_view::npos && line.find(quotes, begin + 3) == line.npos) {
        until = quotes;
      }
    }
  }
  return absl::StrJoin(kept, "\n");
}

// Where the element that begins at `at` ends: behind its end tag, or behind itself.
size_t EndOfElement(const std::string& lower, size_t at, absl::string_view name) {
  const size_t close = lower.find('>', at);
  if (close == std::string::npos) return lower.size();
  if (lower[close - 1] == '/') return close + 1;
  const size_t end = lower.find(absl::StrCat("</", name), close);
  const size_t last = end == std::string::npos ? end : lower.find('>', end);
  return last == std::string::npos ? lower.size() : last + 1;
}

bool IsSecretElement(absl::string_view name) {
  const absl::string_view plain = name.substr(name.find(':') + 1);  // npos + 1 is 0
  return std::find(std::begin(kSecretElements), std::end(kSecretElements), plain) !=
             std::end(kSecretElements) ||
         std::any_of(std::begin(kSecretElementWords), std::end(kSecretElementWords),
                     [&](absl::string_view word) { return absl::StrContains(name, word); });
}

std::string XmlWithoutLogins(absl::string_view text, int* left_out) {
  std::string kept;
  const std::string lower = absl::AsciiStrToLower(text);
  size_t at = 0;
  while (at < text.size()) {
    size_t next = lower.find('<', at);
    if (next == std::string::npos) next = text.size();
    absl::StrAppend(&kept, text.substr(at, next - at));
    if (next == text.size()) break;
    at = next;
    if (absl::StartsWith(lower.substr(at, 4), "<!--")) {
      const size_t end = lower.find("-->", at);
      at = end == std::string::npos ? text.size() : end + 3;
      continue;
    }
    size_t end = lower.find('>', at);
    end = end == std::string::npos ? text.size() : end + 1;
    size_t name_end = at + 1;
    while (name_end < end && (IsWordChar(lower[name_end]) || lower[name_end] == ':')) ++name_end;
    const absl::string_view name = absl::string_view(lower).substr(at + 1, name_end - at - 1);
    const absl::string_view tag = absl::string_view(lower).substr(at, end - at);
    const size_t key = tag.find("key=");
    const bool is_secret = IsSecretElement(name);
    // <add key="http_proxy.password" value="…"/>
    const bool has_secret_key =
        key != tag.npos && (absl::StrContains(tag.substr(key), "password") ||
                            absl::StrContains(tag.substr(key), "http_proxy.user"));
    if (is_secret || has_secret_key) {
      ++*left_out;
      at = EndOfElement(lower, at, name);
      continue;
    }
    absl::StrAppend(&kept, text.substr(at, end - at));
    at = end;
  }
  return WithoutUserInfo(kept, {}, left_out);
}

struct SettingsFile {
  std::string path;  // with "~" or a variable, see Expand
  SettingsForm form = SettingsForm::kLines;
  enum class Shown { kToNobody, kToJudges, kToAll } so_far = Shown::kToNobody;  // by languages
};

std::vector<SettingsFile> Files() {
  using Shown = SettingsFile::Shown;
  constexpr auto kLines = SettingsForm::kLines;
  constexpr auto kXml = SettingsForm::kXml;
  return {{"~/.npmrc"},
          {"$NPM_CONFIG_USERCONFIG"},
          {"$npm_config_userconfig"},
          {"~/.config/pnpm/rc"},
          {"~/.yarnrc"},
          {"~/.yarnrc.yml"},
          {"~/.config/pip/pip.conf"},
          {"$XDG_CONFIG_HOME/pip/pip.conf"},
          {"~/.pip/pip.conf"},
          {"$PIP_CONFIG_FILE"},
          {"~/.cargo/config.toml", kLines, Shown::kToAll},
          {"$CARGO_HOME/config.toml", kLines, Shown::kToAll},
          {"~/.nuget/NuGet/NuGet.Config", kXml, Shown::kToJudges},
          {"~/.config/NuGet/NuGet.Config", kXml, Shown::kToJudges},
          {"~/.m2/settings.xml", kXml, Shown::kToJudges},
          {"~/.gradle/gradle.properties", kLines, Shown::kToJudges}};
}

// Where `path` stands and is looked for: its folder without links. A file may be a link itself.
std::string PlaceOf(const std::string& path, const Environment& environment) {
  const std::string folder = Expand(DirName(path), environment);
  if (absl::StartsWith(path, "$") && !absl::StrContains(path, "/")) {
    const std::string file = Variable(environment, path.substr(1));
    const std::string parent = absl::StartsWith(file, "/") ? Existing(DirName(file)) : "";
    return parent.empty() ? "" : JoinPath(parent, BaseName(file));
  }
  return folder.empty() ? "" : JoinPath(folder, BaseName(path));
}

std::string Remark(const std::string& path, int left_out, SettingsForm form) {
  const std::string words =
      absl::StrCat("Stile left out ", left_out, left_out == 1 ? " login" : " logins", " of ", path,
                   ": `sandbox: {read: [", path, "]}` in your settings shows it as it is");
  return form == SettingsForm::kXml ? absl::StrCat("\n<!-- ", words, " -->\n")
                                    : absl::StrCat("# ", words, "\n");
}

}  // namespace

std::string WithoutLogins(absl::string_view text, SettingsForm form,
                          const std::vector<std::string>& variables, int* left_out) {
  return form == SettingsForm::kXml ? XmlWithoutLogins(text, left_out)
                                    : LinesWithoutLogins(text, variables, left_out);
}

std::string RegistryVariable(absl::string_view name, const std::string& value) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const absl::string_view prefix : {"pip_", "uv_", "npm_config_", "cargo_", "nuget_"}) {
    int left_out = 0;
    if (absl::StartsWith(lower, prefix)) return WithoutUserInfo(value, {}, &left_out);
  }
  return value;
}

void ShowRegistrySettings(const Environment& environment, const SandboxSettings& settings,
                          const LanguageRegistry& languages, const std::string& folder,
                          SandboxPolicy* judges, SandboxPolicy* packages, SandboxPolicy* commands) {
  const auto is_read = [&](const std::string& path) {
    const auto covers = [&](const std::string& one) {
      const std::string place = Expand(one, environment);
      return !place.empty() && (IsWithin(path, place) || Existing(path) == place);
    };
    return std::any_of(settings.read.begin(), settings.read.end(), covers) ||
           std::any_of(settings.write.begin(), settings.write.end(), covers);
  };
  for (const Language& language : languages.languages()) {
    for (const std::string& one : language.sandbox.settings) {
      const std::string path = Expand(one, environment);
      std::vector<std::string>& shown = packages->read_only;
      if (!is_read(path)) shown.erase(std::remove(shown.begin(), shown.end(), path), shown.end());
    }
  }
  int number = 0;
  for (const SettingsFile& file : Files()) {
    const std::string place = PlaceOf(file.path, environment);
    if (place.empty() || is_read(place)) continue;
    const absl::StatusOr<std::string> text = DiskFileSystem()->ReadFile(place, kMaxBytes);
    if (!text.ok() || !IsUtf8(*text)) continue;
    int left_out = 0;
    std::string kept = WithoutLogins(*text, file.form, settings.environment, &left_out);
    if (left_out > 0) {
      kept.insert(file.form == SettingsForm::kXml ? kept.size() : 0,
                  Remark(place, left_out, file.form));
    }
    const std::string copy = JoinPath(folder, absl::StrCat(++number, "-", BaseName(place)));
    if (!DiskFileSystem()->MakeDirs(folder).ok() ||
        !DiskFileSystem()->WriteFile(copy, kept, 0600, /*sync=*/false).ok()) {
      continue;
    }
    packages->shown[place] = copy;
    if (file.so_far == SettingsFile::Shown::kToNobody) judges->shown[place] = copy;
    if (file.so_far == SettingsFile::Shown::kToAll) commands->shown[place] = copy;
  }
}

}  // namespace stile
