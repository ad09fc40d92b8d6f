// Sessions of HTTP peers, found by the header Mcp-Session-Id.
#ifndef STILE_AGENTS_MCP_HTTP_SESSIONS_H_
#define STILE_AGENTS_MCP_HTTP_SESSIONS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/time/time.h"
#include "agents/mcp/mcp_session.h"

namespace stile {

// The sessions of peers that shook hands, by the value of Mcp-Session-Id. When there are too many,
// the one that has not been used for the longest time ends. Thread-safe.
class HttpSessions {
 public:
  explicit HttpSessions(const McpServices* services) : services_(services) {}

  // A new one, and its id.
  std::shared_ptr<McpSession> Open(std::string* id);
  // Null: there is none of that id.
  std::shared_ptr<McpSession> Find(const std::string& id);
  // False: there is none of that id. What is under way in it is cancelled.
  bool Close(const std::string& id);
  void CancelAll();

 private:
  struct Entry {
    std::shared_ptr<McpSession> session;
    absl::Time used;
  };
  // A session whose stream is open is in use.
  static absl::Time LastUse(const Entry& entry);

  const McpServices* const services_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // guarded by mutex_
};

}  // namespace stile

#endif  // STILE_AGENTS_MCP_HTTP_SESSIONS_H_
