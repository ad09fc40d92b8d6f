#include "agents/mcp/mcp_answers.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace stile {
namespace {

constexpr size_t kItemsOfPage = 100;     // of lists
constexpr int kListsHoldForMs = 60'000;  // how long peers may keep them

}  // namespace

Json McpAnswers::ServerInfo() const {
  return {{"name", "stile"}, {"title", "Stile"}, {"version", version_}};
}

void McpAnswers::Answer(const Pending& request, Json result, bool may_be_kept) {
  if (request->is_stateless) {
    result.emplace("resultType", "complete");
    result["_meta"][kMetaServerInfo] = ServerInfo();
    if (may_be_kept) {
      result["ttlMs"] = kListsHoldForMs;
      result["cacheScope"] = "private";
    }
  }
  requests_.End(request, ResultMessage(request->id, std::move(result)));
}

void McpAnswers::List(const Pending& request, const char* member, const Json& items) {
  size_t first = 0;
  if (const Json* const cursor = JsonMember(request->params, "cursor")) {
    if (!cursor->is_string() || !absl::SimpleAtoi(cursor->get<std::string>(), &first) ||
        first > items.size()) {
      return Fail(request, {kInvalidParams, "\"cursor\" is not of an earlier answer", nullptr});
    }
  }
  Json page = Json::array();
  const size_t end = std::min(items.size(), first + kItemsOfPage);
  for (size_t i = first; i < end; ++i) page.push_back(items[i]);
  Json result = {{member, std::move(page)}};
  if (end < items.size()) result["nextCursor"] = absl::StrCat(end);
  Answer(request, std::move(result), true);
}

void McpAnswers::Fail(const Pending& request, const McpError& error) {
  requests_.End(request, ErrorMessage(request->id, error));
}

}  // namespace stile
