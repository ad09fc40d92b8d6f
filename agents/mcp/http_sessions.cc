#include "agents/mcp/http_sessions.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "runtime/base/ids.h"

namespace stile {
namespace {

constexpr size_t kMaxSessions = 1000;
constexpr int kIdBytes = 16;

}  // namespace

absl::Time HttpSessions::LastUse(const Entry& entry) {
  return entry.session->notices()->is_attached() ? absl::InfiniteFuture() : entry.used;
}

std::shared_ptr<McpSession> HttpSessions::Open(std::string* id) {
  *id = RandomHex(kIdBytes);
  auto session = std::make_shared<McpSession>(services_);
  std::shared_ptr<McpSession> oldest;  // ends outside of the lock, since that waits
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_[*id] = {session, absl::Now()};
  if (entries_.size() > kMaxSessions) {
    const auto unused = std::min_element(
        entries_.begin(), entries_.end(),
        [](const auto& a, const auto& b) { return LastUse(a.second) < LastUse(b.second); });
    oldest = unused->second.session;
    entries_.erase(unused);
    oldest->notices()->Close();
  }
  return session;
}

std::shared_ptr<McpSession> HttpSessions::Find(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return nullptr;
  found->second.used = absl::Now();
  return found->second.session;
}

bool HttpSessions::Close(const std::string& id) {
  std::shared_ptr<McpSession> session;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    session = found->second.session;
    entries_.erase(found);
  }
  session->CancelAll();
  return true;
}

void HttpSessions::CancelAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, entry] : entries_) entry.session->CancelAll();
}

}  // namespace stile
