// Which open session (open_session.h) a person or a program means.
#ifndef STILE_AGENTS_API_SESSION_CHOICE_H_
#define STILE_AGENTS_API_SESSION_CHOICE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "agents/api/open_session.h"
#include "agents/api/runs.h"

namespace stile {

// The session of that id (or the beginning of one), open or not; with id "", the only open session
// whose workspace `folder` is or lies in. NotFound: there is none; Unavailable: there is one, and a
// finish of it is under way; InvalidArgument: several are open, or the run is no session.
absl::StatusOr<OpenSession> ChooseSession(Runs* runs, const std::string& id,
                                          const std::string& folder);

// An open session whose workspace is `folder`, holds it or lies in it; nullopt: there is none.
absl::StatusOr<std::optional<OpenSession>> FindOverlapping(Runs* runs, const std::string& folder);

}  // namespace stile

#endif  // STILE_AGENTS_API_SESSION_CHOICE_H_
