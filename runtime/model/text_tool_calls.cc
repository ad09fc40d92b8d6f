#include "runtime/model/text_tool_calls.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/model/relaxed_json.h"
#include "runtime/model/tool_call.h"

namespace stile {
namespace {

constexpr size_t kMaxCalls = 64;
constexpr absl::string_view kOpen = "<tool_call>";
constexpr absl::string_view kClose = "</tool_call>";
constexpr absl::string_view kFunction = "<function=";
constexpr absl::string_view kFence = "```";
constexpr absl::string_view kMistral = "[TOOL_CALLS]";

// The tool by either spelling of its name; null: there is none.
const ToolDefinition* FindTool(const std::vector<ToolDefinition>& tools, absl::string_view name) {
  for (const ToolDefinition& tool : tools) {
    if (tool.name == name || ProviderToolName(tool.name) == ProviderToolName(name)) return &tool;
  }
  return nullptr;
}

// Where `tag` first stands at the beginning of a line: elsewhere, prose speaks of it.
size_t FindAtLine(absl::string_view text, absl::string_view tag) {
  for (size_t at = text.find(tag); at != absl::string_view::npos; at = text.find(tag, at + 1)) {
    const size_t line = at == 0 ? absl::string_view::npos : text.rfind('\n', at - 1);
    const size_t begin = line == absl::string_view::npos ? 0 : line + 1;
    if (absl::StripAsciiWhitespace(text.substr(begin, at - begin)).empty()) return at;
  }
  return absl::string_view::npos;
}

// A call as {"name": …, "arguments": {…}}, also under "parameters" and inside of "function".
std::optional<ToolCall> CallIn(const Json& object) {
  if (const Json* function = JsonMember(object, "function"); function && function->is_object()) {
    return CallIn(*function);
  }
  const auto name = JsonString(object, "name");
  if (!name || name->empty()) return std::nullopt;
  ToolCall call;
  call.name = *name;
  for (const char* key : {"arguments", "parameters"}) {
    const Json* arguments = JsonMember(object, key);
    if (arguments == nullptr) continue;
    SetArguments(arguments->is_string() ? arguments->get<std::string>() : DumpJson(*arguments),
                 &call);
    return call;
  }
  return std::nullopt;
}

bool AddCalls(const Json& value, std::vector<ToolCall>* calls) {
  if (value.is_array()) {
    for (const Json& item : value) {
      if (!AddCalls(item, calls)) return false;
    }
    return !value.empty();
  }
  auto call = CallIn(value);
  if (!call || calls->size() >= kMaxCalls) return false;
  calls->push_back(*std::move(call));
  return true;
}

// The value as the schema wants it: text as it stands, anything else as JSON.
Json ParameterValue(const ToolDefinition* tool, const std::string& key, absl::string_view text) {
  const Json* properties = tool == nullptr ? nullptr : JsonMember(tool->parameters, "properties");
  const Json* schema = properties == nullptr ? nullptr : JsonMember(*properties, key);
  if (schema == nullptr || JsonString(*schema, "type") == "string") return std::string(text);
  const auto plain = ParseWireJson(absl::StripAsciiWhitespace(text));
  return plain.ok() ? *plain : Json(std::string(text));
}

// <function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>…</function>; the last tags may be missing.
// Moves `text` behind it.
std::optional<ToolCall> TakeFunction(absl::string_view* text,
                                     const std::vector<ToolDefinition>& tools) {
  if (!absl::ConsumePrefix(text, kFunction)) return std::nullopt;
  const size_t name_end = text->find('>');
  if (name_end == absl::string_view::npos) return std::nullopt;
  ToolCall call;
  call.name = std::string(absl::StripAsciiWhitespace(text->substr(0, name_end)));
  text->remove_prefix(name_end + 1);
  const ToolDefinition* tool = FindTool(tools, call.name);
  while (true) {
    *text = absl::StripLeadingAsciiWhitespace(*text);
    if (absl::ConsumePrefix(text, "</function>") || text->empty()) break;
    if (!absl::ConsumePrefix(text, "<parameter=")) break;
    const size_t key_end = text->find('>');
    const size_t value_end = text->find("</parameter>");
    if (key_end == absl::string_view::npos || value_end == absl::string_view::npos ||
        value_end < key_end) {
      return std::nullopt;
    }
    const std::string key(absl::StripAsciiWhitespace(text->substr(0, key_end)));
    absl::string_view value = text->substr(key_end + 1, value_end - key_end - 1);
    // One line break belongs to the form.
    if (!absl::ConsumePrefix(&value, "\r\n")) absl::ConsumePrefix(&value, "\n");
    if (!absl::ConsumeSuffix(&value, "\r\n")) absl::ConsumeSuffix(&value, "\n");
    call.arguments[key] = ParameterValue(tool, key, value);
    text->remove_prefix(value_end + absl::string_view("</parameter>").size());
  }
  return call.name.empty() ? std::nullopt : std::optional<ToolCall>(std::move(call));
}

// Calls between tags, from the first one on.
bool ReadTagged(absl::string_view text, const std::vector<ToolDefinition>& tools,
                std::vector<ToolCall>* calls) {
  while (calls->size() < kMaxCalls) {
    const size_t open = text.find(kOpen);
    const size_t function = text.find(kFunction);
    if (open == absl::string_view::npos && function == absl::string_view::npos) break;
    text.remove_prefix(open < function ? open + kOpen.size() : function);
    text = absl::StripLeadingAsciiWhitespace(text);
    if (absl::StartsWith(text, kFunction)) {
      auto call = TakeFunction(&text, tools);
      if (!call) return false;
      calls->push_back(*std::move(call));
    } else {
      if (text.empty()) return false;
      const auto json = ParseRelaxedJson(text);
      if (!json || !AddCalls(json->value, calls)) return false;
      text.remove_prefix(json->end);
    }
    text = absl::StripLeadingAsciiWhitespace(text);
    absl::ConsumePrefix(&text, kClose);
  }
  return !calls->empty();
}

// Behind [TOOL_CALLS]: a list of objects, or names with [ARGS] and an object, each.
bool ReadMistral(absl::string_view text, std::vector<ToolCall>* calls) {
  while (calls->size() < kMaxCalls) {
    text = absl::StripLeadingAsciiWhitespace(text);
    absl::ConsumePrefix(&text, kMistral);
    text = absl::StripLeadingAsciiWhitespace(text);
    if (text.empty() || absl::StartsWith(text, "</s>")) break;
    std::string name;
    if (text[0] != '[' && text[0] != '{') {
      const size_t brace = text.find('{');
      if (brace == absl::string_view::npos) return false;
      name = std::string(absl::StripAsciiWhitespace(
          absl::StripSuffix(absl::StripAsciiWhitespace(text.substr(0, brace)), "[ARGS]")));
      text.remove_prefix(brace);
    }
    const auto json = ParseRelaxedJson(text);
    if (!json) return false;
    if (name.empty()) {
      if (!AddCalls(json->value, calls)) return false;
    } else {
      ToolCall call;
      call.name = name;
      SetArguments(DumpJson(json->value), &call);
      calls->push_back(std::move(call));
    }
    text.remove_prefix(json->end);
  }
  return !calls->empty();
}

// Adds the calls in the object or list that `*text` begins with, if all of them name tools, and
// moves `*text` behind it.
bool TakeObject(absl::string_view* text, const std::vector<ToolDefinition>& tools,
                std::vector<ToolCall>* calls) {
  if (text->empty() || ((*text)[0] != '{' && (*text)[0] != '[')) return false;
  const auto json = ParseRelaxedJson(*text);
  std::vector<ToolCall> found;
  if (!json || !AddCalls(json->value, &found)) return false;
  for (const ToolCall& call : found) {
    if (FindTool(tools, call.name) == nullptr) return false;
  }
  for (ToolCall& call : found) calls->push_back(std::move(call));
  text->remove_prefix(json->end);
  return calls->size() <= kMaxCalls;
}

// Objects in code fences; what is written may hold fences itself. What stands before the first goes
// to `before`; behind the last stands nothing.
bool ReadFences(absl::string_view text, const std::vector<ToolDefinition>& tools,
                absl::string_view* before, std::vector<ToolCall>* calls) {
  const absl::string_view whole = text;
  bool is_last = false;
  for (size_t fence = FindAtLine(text, kFence); fence != absl::string_view::npos;
       fence = FindAtLine(text, kFence)) {
    const absl::string_view prose = text.substr(0, fence);
    text.remove_prefix(fence + kFence.size());
    const size_t line_end = text.find('\n');
    if (line_end == absl::string_view::npos) return false;
    absl::string_view body = absl::StripLeadingAsciiWhitespace(text.substr(line_end + 1));
    const bool is_first = calls->empty();
    if (TakeObject(&body, tools, calls)) {
      body = absl::StripLeadingAsciiWhitespace(body);
      if (!absl::ConsumePrefix(&body, kFence)) return false;
      if (is_first) *before = whole.substr(0, static_cast<size_t>(prose.end() - whole.begin()));
      text = body;
      is_last = true;
      continue;
    }
    is_last = false;
    const size_t close = FindAtLine(text.substr(line_end), kFence);
    if (close == absl::string_view::npos) return false;
    text.remove_prefix(line_end + close + kFence.size());
  }
  return is_last && absl::StripAsciiWhitespace(text).empty();
}

// Objects that name tools, alone or in fences.
bool ReadObjects(absl::string_view text, const std::vector<ToolDefinition>& tools,
                 absl::string_view* before, std::vector<ToolCall>* calls) {
  absl::string_view alone = absl::StripAsciiWhitespace(text);
  if (TakeObject(&alone, tools, calls) && alone.empty()) return true;
  calls->clear();
  return ReadFences(text, tools, before, calls);
}

}  // namespace

std::optional<TextToolCalls> ReadTextToolCalls(absl::string_view text,
                                               const std::vector<ToolDefinition>& tools) {
  TextToolCalls result;
  const size_t thought = text.rfind("</think>");
  if (thought != absl::string_view::npos) text.remove_prefix(thought + 8);
  const size_t tag = std::min(FindAtLine(text, kOpen), FindAtLine(text, kFunction));
  const size_t mistral = FindAtLine(text, kMistral);
  absl::string_view before;
  bool read = false;
  if (tag != absl::string_view::npos) {
    before = text.substr(0, tag);
    read = ReadTagged(text.substr(tag), tools, &result.calls);
  } else if (mistral != absl::string_view::npos) {
    before = text.substr(0, mistral);
    read = ReadMistral(text.substr(mistral), &result.calls);
  } else {
    if (!ReadObjects(text, tools, &before, &result.calls)) return std::nullopt;
    read = true;
  }
  result.text = std::string(absl::StripAsciiWhitespace(before));
  if (!read) {
    result.calls.clear();
    result.unparsable =
        "Your tool call could not be read. Call the tool through the tool interface, or write "
        "exactly: <tool_call>{\"name\": \"TOOL\", \"arguments\": {…}}</tool_call>";
  }
  return result;
}

}  // namespace stile
