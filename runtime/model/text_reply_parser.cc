#include "runtime/model/text_reply_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/model/relaxed_json.h"

namespace stile {
namespace {

constexpr absl::string_view kReActForm =
    "Thought: <what you think>\n"
    "Action: <name of one tool>\n"
    "Action Input: <one JSON object with its arguments>\n";
constexpr absl::string_view kReActEnd =
    "Thought: <what you think>\n"
    "Final Answer: <the result of your work>\n";
constexpr absl::string_view kJsonForm =
    "{\"thought\": \"<what you think>\", \"action\": \"<name of one tool>\", "
    "\"action_input\": {<its arguments>}}\n";
constexpr absl::string_view kJsonEnd =
    "{\"thought\": \"<what you think>\", \"action\": \"finish\", "
    "\"action_input\": {\"answer\": \"<the result of your work>\"}}\n";

constexpr size_t kMaxCalls = 64;  // in one reply; what follows is ignored

enum class Label { kThought, kAction, kActionInput, kObservation, kFinalAnswer };

struct LabelAt {
  Label label;
  size_t begin;  // of its line
  size_t value;  // first byte after the colon
};

bool IsDecoration(char c) {
  return c == ' ' || c == '\t' || c == '*' || c == '#' || c == '>' || c == '_' || c == '`';
}

absl::string_view SkipDecoration(absl::string_view text) {
  while (!text.empty() && IsDecoration(text[0])) text.remove_prefix(1);
  return text;
}

// The label that a line begins with, markdown around it ignored: "**Action:** file.read".
std::optional<std::pair<Label, size_t>> LabelOf(absl::string_view line) {
  static constexpr std::pair<absl::string_view, Label> kLabels[] = {
      {"thought", Label::kThought},
      {"action input", Label::kActionInput},
      {"action_input", Label::kActionInput},
      {"actioninput", Label::kActionInput},
      {"action", Label::kAction},
      {"observation", Label::kObservation},
      {"final answer", Label::kFinalAnswer},
      {"final_answer", Label::kFinalAnswer},
  };
  const absl::string_view start = SkipDecoration(line);
  for (const auto& [name, label] : kLabels) {
    if (!absl::StartsWithIgnoreCase(start, name)) continue;
    absl::string_view rest = SkipDecoration(start.substr(name.size()));
    if (!absl::ConsumePrefix(&rest, ":")) continue;
    while (!rest.empty() && (rest[0] == '*' || rest[0] == '_')) rest.remove_prefix(1);
    return std::make_pair(label, line.size() - rest.size());
  }
  return std::nullopt;
}

// The next labelled line at or after `from`, which must be the start of a line.
std::optional<LabelAt> NextLabel(absl::string_view text, size_t from) {
  while (from < text.size()) {
    const size_t end = std::min(text.find('\n', from), text.size());
    if (const auto found = LabelOf(text.substr(from, end - from))) {
      return LabelAt{found->first, from, from + found->second};
    }
    from = end + 1;
  }
  return std::nullopt;
}

bool MentionsObservation(absl::string_view text) {
  return absl::StrContains(absl::AsciiStrToLower(text), "observation");
}

// Cuts code fences, quotes and blanks off both ends.
absl::string_view Bare(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "```")) {
    const size_t line_end = text.find('\n');
    if (line_end != absl::string_view::npos) text.remove_prefix(line_end + 1);
    text = absl::StripTrailingAsciiWhitespace(text);
    absl::ConsumeSuffix(&text, "```");
  }
  return absl::StripAsciiWhitespace(text);
}

bool IsFinishName(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "finish") || absl::EqualsIgnoreCase(name, "final answer") ||
         absl::EqualsIgnoreCase(name, "final_answer");
}

ToolCall Finish(absl::string_view answer) {
  ToolCall call;
  call.name = "finish";
  call.arguments = {{"answer", std::string(answer)}};
  return call;
}

// A call from its name and the text of its input.
ToolCall MakeCall(absl::string_view name, absl::string_view input) {
  ToolCall call;
  call.name = IsFinishName(name) ? "finish" : std::string(name);
  input = Bare(input);
  if (input.empty()) return call;
  const size_t open = input.find_first_of("{[");
  if (open == 0) {
    const auto json = ParseRelaxedJson(input);
    if (json && json->value.is_object()) {
      call.arguments = json->value;
      return call;
    }
  } else if (call.name == "finish") {
    return Finish(input);
  }
  call.malformed = absl::StrCat("the Action Input of ", call.name,
                                " is not one complete JSON object; write for example "
                                "{\"name\": \"value\"}, with line breaks in strings as \\n");
  return call;
}

// "file.read", "`file.read`", "file.read({…})", "[file.read]": the name, and what follows it.
std::pair<absl::string_view, absl::string_view> SplitAction(absl::string_view action) {
  action = absl::StripAsciiWhitespace(action);
  const auto is_wrapping = [](char c) {
    return IsDecoration(c) || c == '"' || c == '\'' || c == '[';
  };
  while (!action.empty() && is_wrapping(action[0])) action.remove_prefix(1);
  if (absl::StartsWithIgnoreCase(action, "final answer")) return {"finish", action.substr(12)};
  size_t end = 0;
  while (end < action.size() && (absl::ascii_isalnum(static_cast<unsigned char>(action[end])) ||
                                 absl::StrContains("_.-:/", action.substr(end, 1)))) {
    ++end;
  }
  absl::string_view name = action.substr(0, end);
  while (!name.empty() && (name.back() == '.' || name.back() == ':')) name.remove_suffix(1);
  absl::string_view rest = action.substr(end);
  while (!rest.empty() && (is_wrapping(rest[0]) || rest[0] == ']')) rest.remove_prefix(1);
  return {name, rest};
}

// Where the value of an "Action Input:" ends: behind its JSON if it is JSON, so that labels inside
// strings are not seen; else at the next label.
size_t InputEnd(absl::string_view text, size_t value) {
  const size_t line_end = std::min(text.find('\n', value), text.size());
  const auto next = NextLabel(text, line_end + 1);
  const size_t limit = next ? next->begin : text.size();
  const size_t open = text.find_first_of("{[", value);
  if (open < limit) {
    if (const auto json = ParseRelaxedJson(text.substr(open))) {
      // What stands before it must be a fence or nothing, or it is not the input.
      const absl::string_view before = absl::StripAsciiWhitespace(text.substr(value, open - value));
      if (before.empty() || absl::StartsWith(before, "```")) return open + json->end;
    }
  }
  return limit;
}

// Takes the answer that ends a reply; what the model made up behind it is not kept.
void TakeFinalAnswer(absl::string_view text, const LabelAt& label, bool cut_off, TextReply* reply) {
  absl::string_view answer = text.substr(label.value);
  const size_t made_up = answer.find("\nObservation:");
  answer = answer.substr(0, made_up);
  if (!cut_off) reply->calls.push_back(Finish(Bare(answer)));
  reply->kept = std::string(text.substr(0, label.value + answer.size()));
}

// Takes the call of a labelled line that ends at `end`, and of the input behind it, if `next` is
// the label of one. Returns where the call ends.
size_t TakeAction(absl::string_view text, const LabelAt& label, size_t end,
                  const std::optional<LabelAt>& next, TextReply* reply) {
  auto [name, input] = SplitAction(text.substr(label.value, end - label.value));
  if (next && next->label == Label::kActionInput) {
    end = InputEnd(text, next->value);
    input = text.substr(next->value, end - next->value);
  } else if (absl::ConsumePrefix(&input, "(")) {
    input = absl::StripAsciiWhitespace(input);
    absl::ConsumeSuffix(&input, ")");
  }
  if (!name.empty() && !absl::EqualsIgnoreCase(name, "none")) {
    reply->calls.push_back(MakeCall(name, input));
  }
  return end;
}

// Reads labelled lines. Returns whether there was any action or answer.
bool ParseLabels(absl::string_view text, bool cut_off, TextReply* reply) {
  bool any = false;
  auto label = NextLabel(text, 0);
  reply->thought =
      std::string(absl::StripAsciiWhitespace(text.substr(0, label ? label->begin : text.size())));
  while (label) {
    const auto next_line =
        NextLabel(text, std::min(text.find('\n', label->value), text.size()) + 1);
    size_t end = next_line ? next_line->begin : text.size();
    switch (label->label) {
      case Label::kThought:
        absl::StrAppend(&reply->thought, reply->thought.empty() ? "" : "\n",
                        absl::StripAsciiWhitespace(text.substr(label->value, end - label->value)));
        break;
      case Label::kObservation:
        // Only the runtime observes: from here on the model made it up.
        if (any) {
          reply->kept =
              std::string(absl::StripTrailingAsciiWhitespace(text.substr(0, label->begin)));
          return true;
        }
        break;
      case Label::kActionInput:  // without an action before it
        break;
      case Label::kFinalAnswer:
        TakeFinalAnswer(text, *label, cut_off, reply);
        return true;
      case Label::kAction:
        any = true;
        end = TakeAction(text, *label, end, next_line, reply);
        break;
    }
    if (end >= text.size() || reply->calls.size() >= kMaxCalls) break;
    const size_t line_end = std::min(text.find('\n', end - 1), text.size());
    if (label->label == Label::kAction && line_end > end &&
        MentionsObservation(text.substr(end, line_end - end))) {
      reply->kept = std::string(text.substr(0, end));
      return any;
    }
    label = NextLabel(text, line_end + 1);
  }
  reply->kept = std::string(text);
  return any;
}

// The call in an object such as {"action": "…", "action_input": {…}}, if it is one.
std::optional<ToolCall> CallIn(const Json& object) {
  if (const auto answer = JsonString(object, "final_answer")) return Finish(*answer);
  std::optional<std::string> name = JsonString(object, "action");
  const bool by_action = name.has_value();
  const Json* arguments = nullptr;
  if (const Json* action = JsonMember(object, "action"); action != nullptr && action->is_object()) {
    return CallIn(*action);
  }
  for (const char* key : {"action_input", "arguments", "args", "input", "parameters"}) {
    if (arguments == nullptr) arguments = JsonMember(object, key);
  }
  for (const char* key : {"tool", "name"}) {
    if (!name) name = JsonString(object, key);
  }
  // {"name": "x"} alone may be any JSON that the model shows.
  if (!name || name->empty() || (!by_action && arguments == nullptr)) return std::nullopt;
  if (arguments == nullptr || arguments->is_null()) return MakeCall(*name, "");
  return MakeCall(*name,
                  arguments->is_string() ? arguments->get<std::string>() : DumpJson(*arguments));
}

void AddCalls(const Json& value, TextReply* reply) {
  if (value.is_array()) {
    for (const Json& item : value) AddCalls(item, reply);
    return;
  }
  if (const auto thought = JsonString(value, "thought")) {
    absl::StrAppend(&reply->thought, reply->thought.empty() ? "" : "\n", *thought);
  }
  if (const auto call = CallIn(value)) {
    reply->calls.push_back(*call);
  } else if (const Json* actions = JsonMember(value, "actions"); actions && actions->is_array()) {
    AddCalls(*actions, reply);
  }
}

// Reads the JSON objects in `text`, in order, up to a made-up observation.
bool ParseObjects(absl::string_view text, TextReply* reply) {
  size_t at = text.find_first_of("{[");
  size_t kept = text.size();
  // Each failed start is tried once; a bound keeps hostile "{{{{…" from costing a square.
  int failures = 0;
  while (at != absl::string_view::npos && failures < 64 && reply->calls.size() < kMaxCalls) {
    const auto json = ParseRelaxedJson(text.substr(at));
    if (!json) {
      ++failures;
      at = text.find_first_of("{[", at + 1);
      continue;
    }
    if (!reply->calls.empty() && JsonMember(json->value, "observation") != nullptr) break;
    AddCalls(json->value, reply);
    kept = at + json->end;
    const size_t next = text.find_first_of("{[", kept);
    if (MentionsObservation(text.substr(kept, next - kept))) break;
    at = next;
  }
  reply->kept = std::string(text.substr(0, kept));
  return !reply->calls.empty();
}

std::string Unparsable(absl::string_view why, TextForm form) {
  const bool react = form == TextForm::kReAct;
  return absl::StrCat(why, " Reply in exactly this form:\n", react ? kReActForm : kJsonForm,
                      "or, when the task is done:\n", react ? kReActEnd : kJsonEnd);
}

}  // namespace

TextReply ParseTextReply(absl::string_view text, TextForm form, bool cut_off) {
  TextReply reply;
  if (form == TextForm::kJson) {
    if (!ParseObjects(text, &reply)) ParseLabels(text, cut_off, &(reply = TextReply()));
  } else {
    if (!ParseLabels(text, cut_off, &reply)) ParseObjects(text, &(reply = TextReply()));
  }
  if (reply.calls.empty()) {
    reply = TextReply();
    reply.kept = std::string(text);
    reply.unparsable = Unparsable(
        cut_off ? "Your reply was cut off at the output limit; be shorter."
        : absl::StripAsciiWhitespace(text).empty() ? "Your reply was empty."
                                                   : "Your reply holds no action that can be read.",
        form);
  }
  return reply;
}

std::string TextFormInstructions(TextForm form) {
  const bool react = form == TextForm::kReAct;
  return absl::StrCat("To use a tool, reply in exactly this form, then stop:\n",
                      react ? kReActForm : kJsonForm,
                      react ? "The result comes in the next message as \"Observation: …\"; never "
                              "write one yourself.\n"
                            : "Reply with that one JSON object and nothing else. The result comes "
                              "in the next message "
                              "as \"Observation: …\"; never write one yourself.\n",
                      "When the task is done, reply:\n", react ? kReActEnd : kJsonEnd);
}

}  // namespace stile
