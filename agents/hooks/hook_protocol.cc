#include "agents/hooks/hook_protocol.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
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

// Hosts in JavaScript write half of a pair of surrogates as it stands in a text; JSON has none.
std::string WithoutLoneSurrogates(absl::string_view input) {
  const auto unit_at = [&](size_t i) {
    int unit = -1;
    const bool is_escape = i + 6 <= input.size() && input[i] == '\\' && input[i + 1] == 'u';
    return is_escape && absl::SimpleHexAtoi(input.substr(i + 2, 4), &unit) ? unit : -1;
  };
  const auto is_high = [](int unit) { return unit >= 0xD800 && unit <= 0xDBFF; };
  const auto is_low = [](int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
  std::string text;
  for (size_t i = 0; i < input.size();) {
    const int unit = unit_at(i);
    const bool is_pair = is_high(unit) && is_low(unit_at(i + 6));
    size_t size = is_pair ? 12 : unit >= 0 ? 6 : input[i] == '\\' ? 2 : 1;
    size = std::min(size, input.size() - i);
    const bool is_lone = !is_pair && (is_high(unit) || is_low(unit));
    absl::StrAppend(&text, is_lone ? "\\ufffd" : input.substr(i, size));
    i += size;
  }
  return text;
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
