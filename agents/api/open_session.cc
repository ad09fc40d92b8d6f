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

// Unavailable: a process works on a session there.
absl::Status CheckNoneIsBusy(Runs* runs, const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> all, runs->List(/*with_steps=*/false));
  for (const RunSummary& run : all) {
    const bool is_here = run.workspace == folder || IsWithin(folder, run.workspace);
    if (run.outcome != "running" || !is_here) continue;
    const absl::StatusOr<RunRecord> record = runs->Show(run.id);
    if (record.ok() && !record->events.empty() && IsExternal(record->events.front().data)) {
      return absl::UnavailableError(absl::StrCat("session ", run.id, " is being judged by process ",
                                                 run.pid, "; wait until that has ended"));
    }
  }
  return absl::OkStatus();
}

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

absl::StatusOr<OpenSession> ChooseSession(Runs* runs, const std::string& id,
                                          const std::string& folder) {
  if (!id.empty()) {
    STILE_ASSIGN_OR_RETURN(const RunSummary run, runs->Find(id));
    STILE_ASSIGN_OR_RETURN(const RunRecord record, runs->Show(run.id));
    if (record.events.empty() || !IsExternal(record.events.front().data)) {
      return absl::InvalidArgumentError(
          absl::StrCat("run ", run.id, " is no session of `stile gate begin`"));
    }
    return OpenSession{run.id, run.workspace, run.started,
                       ExternalWorkOf(record.events.front().data)};
  }
  STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> open, runs->OpenSessions(folder));
  if (open.empty()) STILE_RETURN_IF_ERROR(CheckNoneIsBusy(runs, folder));
  if (open.empty()) {
    return absl::NotFoundError(absl::StrCat("no session is open in ", DisplayPath(folder)));
  }
  if (open.size() == 1) return std::move(open.front());
  std::string list;
  for (const OpenSession& session : open) absl::StrAppend(&list, "\n  ", DescribeSession(session));
  return absl::InvalidArgumentError(absl::StrCat(
      "several sessions are open in ", DisplayPath(folder), "; give the id of one:", list));
}

absl::StatusOr<std::optional<OpenSession>> FindOverlapping(Runs* runs, const std::string& folder) {
  STILE_ASSIGN_OR_RETURN(std::vector<OpenSession> open, runs->OpenSessions(""));
  for (OpenSession& session : open) {
    const std::string& other = session.workspace;
    if (other == folder || IsWithin(folder, other) || IsWithin(other, folder)) {
      return std::move(session);
    }
  }
  return std::nullopt;
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
