#include "agents/api/open_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 20;

}  // namespace

Json SettingsOf(const ConfigFlags& flags) {
  Json settings = Json::array();
  for (const ConfigFlags::Value& value : flags.values) {
    settings.push_back({{"key", value.key}, {"text", ToUtf8(value.text)}, {"flag", value.source}});
  }
  return settings;
}

ConfigFlags FlagsOf(const Json& settings) {
  ConfigFlags flags;
  for (const Json& value : settings) {
    flags.values.push_back({JsonString(value, "key").value_or(""),
                            JsonString(value, "text").value_or(""),
                            JsonString(value, "flag").value_or("")});
  }
  return flags;
}

std::string DescribeSession(const OpenSession& session) {
  return absl::StrCat(session.id, " (", DisplayPath(session.work.by), ", since ",
                      absl::FormatTime("%Y-%m-%d %H:%M", session.began, absl::LocalTimeZone()),
                      ")");
}

Json ToJson(const SessionStatus& status) {
  const auto list = [](const std::vector<std::string>& texts) {
    Json array = Json::array();
    for (const std::string& text : texts) array.push_back(ToUtf8(text));
    return array;
  };
  return {{"id", status.session.id},
          {"workspace", ToUtf8(status.session.workspace)},
          {"by", ToUtf8(status.session.work.by)},
          {"began", absl::FormatTime(absl::RFC3339_sec, status.session.began, absl::UTCTimeZone())},
          {"changed", list(status.changed)},
          {"remaining", list(status.remaining)},
          {"failures", status.failures},
          {"max_failures", status.max_failures},
          {"others", list(status.others)}};
}

std::string StatusText(const SessionStatus& status) {
  std::string text = absl::StrCat("Session ", DescribeSession(status.session), " in ",
                                  DisplayPath(status.session.workspace), "\n",
                                  Count(status.changed.size(), "changed file"), "\n");
  const auto add = [&text](const std::vector<std::string>& lines) {
    for (size_t i = 0; i < lines.size() && i < kMaxListed; ++i) {
      absl::StrAppend(&text, "  ", DisplayPath(lines[i]), "\n");
    }
    if (lines.size() > kMaxListed) {
      absl::StrAppend(&text, "  … and ", lines.size() - kMaxListed, " more\n");
    }
  };
  add(status.changed);
  if (!status.remaining.empty()) text += "Not validated:\n";
  add(status.remaining);
  if (status.failures > 0) {
    absl::StrAppend(&text, status.failures, " of ", status.max_failures,
                    " validations in a row have failed\n");
  }
  for (const std::string& other : status.others) {
    absl::StrAppend(&text, "Also: ", DisplayPath(other), "\n");
  }
  return text;
}

}  // namespace stile
