// Sessions in which programs and people that Stile does not start change the files: an editor, a
// shell, an agent that calls Stile in its hooks.
#ifndef STILE_AGENTS_API_OPEN_SESSION_H_
#define STILE_AGENTS_API_OPEN_SESSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agents/api/config.h"
#include "runtime/base/json.h"
#include "runtime/session/external_body.h"

namespace stile {

struct OpenSession {
  std::string id;
  std::string workspace;  // absolute
  absl::Time began;
  ExternalWork work;
};

struct SessionStatus {
  OpenSession session;
  std::vector<std::string> changed;    // paths that differ from its beginning, sorted
  std::vector<std::string> remaining;  // a line for each target that is not validated
  int failures = 0;                    // validations in a row that failed
  int max_failures = 0;
  std::vector<std::string> others;  // a line for each other run or session in the workspace
};

// How ExternalWork::settings keeps the flags with which a session was opened, and the reverse.
Json SettingsOf(const ConfigFlags& flags);
ConfigFlags FlagsOf(const Json& settings);

// "20261128T… (claude, since 10:02)".
std::string DescribeSession(const OpenSession& session);
Json ToJson(const SessionStatus& status);
// Several lines for people and models.
std::string StatusText(const SessionStatus& status);

}  // namespace stile

#endif  // STILE_AGENTS_API_OPEN_SESSION_H_
