#include "agents/hooks/hook_protocol.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// The first of the keys that has a text, or a list with one.
std::string FirstText(const Json& input, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const Json* value = JsonMember(input, key);
    if (value != nullptr && value->is_array() && !value->empty()) value = &value->front();
    if (value != nullptr && value->is_string() && !value->get_ref<const std::string&>().empty()) {
      return value->get<std::string>();
    }
  }
  return "";
}

std::string Reply(const OrderedJson& form, const std::string& text) {
  if (form.is_null()) return "";
  return absl::StrCat(DumpOrderedJson(WithText(form, kTextMark, ToUtf8(text)), -1), "\n");
}

}  // namespace

absl::StatusOr<HookCall> ReadHookCall(const AgentHost& host, absl::string_view input,
                                      const std::map<std::string, std::string>& environment) {
  const absl::StatusOr<Json> json = ParseJson(input);
  if (!json.ok() || !json->is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("standard input is not the JSON object that ", host.name, " sends to a hook",
                     json.ok() ? "" : absl::StrCat(": ", json.status().message())));
  }
  HookCall call;
  call.session = FirstText(*json, host.session_keys);
  const auto variable = environment.find(host.folder_variable);
  call.folder =
      !host.folder_variable.empty() && variable != environment.end() && !variable->second.empty()
          ? variable->second
          : FirstText(*json, host.folder_keys);
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
