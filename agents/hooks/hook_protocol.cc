#include "agents/hooks/hook_protocol.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json_text.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// The texts of the first of the keys that has one, or a list with some.
std::vector<std::string> TextsOf(const Json& input, const std::vector<std::string>& keys) {
  std::vector<std::string> texts;
  const auto add = [&texts](const Json& value) {
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
      texts.push_back(value.get<std::string>());
    }
  };
  for (const std::string& key : keys) {
    const Json* const value = JsonMember(input, key);
    if (value == nullptr || !texts.empty()) continue;
    add(*value);
    if (value->is_array()) std::for_each(value->begin(), value->end(), add);
  }
  return texts;
}

std::string Reply(const OrderedJson& form, const std::string& text) {
  if (form.is_null()) return "";
  return absl::StrCat(DumpOrderedJson(WithText(form, kTextMark, ToUtf8(text)), -1), "\n");
}

}  // namespace

absl::StatusOr<HookCall> ReadHookCall(const AgentHost& host, absl::string_view input,
                                      const std::map<std::string, std::string>& environment) {
  const absl::StatusOr<Json> json = ParseJson(WithoutLoneSurrogates(input));
  if (!json.ok() || !json->is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("standard input is not the JSON object that ", host.name, " sends to a hook",
                     json.ok() ? "" : absl::StrCat(": ", json.status().message())));
  }
  HookCall call;
  const std::vector<std::string> sessions = TextsOf(*json, host.session_keys);
  if (!sessions.empty()) call.session = sessions.front();
  const auto variable = environment.find(host.folder_variable);
  const bool has_variable =
      !host.folder_variable.empty() && variable != environment.end() && !variable->second.empty();
  call.folders = TextsOf(*json, host.folder_keys);
  if (has_variable && call.folders.size() < 2) call.folders = {variable->second};
  call.is_again = JsonBool(*json, host.again_key).value_or(false) ||
                  JsonInt(*json, host.again_key).value_or(0) > 0;
  for (const std::string& key : host.foreign_keys) call.is_foreign |= json->contains(key);
  return call;
}

std::string RefusalReply(const AgentHost& host, const std::string& text) {
  return Reply(host.refusal, TruncateMiddle(ToUtf8(text), host.max_text));
}

std::string EndingReply(const AgentHost& host, const std::string& text) {
  return Reply(host.ending, text);
}

std::string NoticeReply(const AgentHost& host, const std::string& text) {
  return Reply(host.notice, text);
}

}  // namespace stile
