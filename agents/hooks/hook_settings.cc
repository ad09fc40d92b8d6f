#include "agents/hooks/hook_settings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr int kIndent = 2;

// By which Stile knows its own entries again.
std::string MarkOf(const AgentHost& host) { return absl::StrCat(" gate hook ", host.id, " "); }

bool IsOwn(const OrderedJson& value, const std::string& mark) {
  return value.is_string() && absl::StrContains(value.get_ref<const std::string&>(), mark);
}

// An object with a command of ours among its members.
bool IsOwnEntry(const OrderedJson& value, const std::string& mark) {
  return value.is_object() &&
         std::any_of(value.begin(), value.end(),
                     [&](const OrderedJson& member) { return IsOwn(member, mark); });
}

bool IsEmpty(const OrderedJson& value) { return value.is_structured() && value.empty(); }

// An entry around an empty list, such as {"matcher": "", "hooks": []}.
bool IsHollow(const OrderedJson& value) {
  return value.is_object() && value.contains("hooks") && IsEmpty(value["hooks"]);
}

// Takes the entries of the hook out, and what is empty without them.
void Remove(const std::string& mark, OrderedJson* value) {
  if (!value->is_structured()) return;
  for (auto member = value->begin(); member != value->end();) {
    const bool was_empty = IsEmpty(*member);
    const bool was_hollow = IsHollow(*member);
    Remove(mark, &*member);
    const bool is_hollow = !was_hollow && IsHollow(*member);
    const bool goes = IsOwnEntry(*member, mark) || (!was_empty && IsEmpty(*member)) ||
                      (value->is_array() && is_hollow);
    member = goes ? value->erase(member) : std::next(member);
  }
}

absl::Status Add(const OrderedJson& part, const std::string& name, OrderedJson* value) {
  if (value->is_null()) *value = part;
  if (value->type() != part.type() && part.is_structured()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", name, "\" is not ", part.is_array() ? "a list" : "an object"));
  }
  if (part.is_array() && *value != part) {
    for (const OrderedJson& element : part) value->push_back(element);
  } else if (part.is_object() && *value != part) {
    for (const auto& [key, member] : part.items()) {
      STILE_RETURN_IF_ERROR(Add(member, key, &(*value)[key]));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<OrderedJson> Parse(const std::string& text) {
  if (text.empty()) return OrderedJson::object();
  STILE_ASSIGN_OR_RETURN(OrderedJson settings, ParseOrderedJson(text));
  if (!settings.is_object()) return absl::InvalidArgumentError("it is not a JSON object");
  return settings;
}

// Blanks before the first key of the text.
int IndentOf(const std::string& text) {
  const size_t start = text.find("\n ");
  if (start == std::string::npos) return kIndent;
  const size_t end = text.find_first_not_of(' ', start + 1);
  return end == std::string::npos ? kIndent : static_cast<int>(end - start - 1);
}

void Collect(const OrderedJson& value, const std::string& mark, std::vector<std::string>* found) {
  if (IsOwn(value, mark)) found->push_back(value.get<std::string>());
  if (!value.is_structured()) return;
  for (const OrderedJson& member : value) Collect(member, mark, found);
}

bool HasOwnFile(const AgentHost& host) { return host.settings.is_null(); }

absl::Status CheckOwnFile(const AgentHost& host, const std::string& text) {
  if (text.empty() || absl::StrContains(text, MarkOf(host))) return absl::OkStatus();
  return absl::InvalidArgumentError("the file is not of Stile, and is left alone");
}

}  // namespace

std::string HookCommand(const AgentHost& host, const std::string& program) {
  const std::string quoted = ShellQuoted(program);
  return absl::StrCat("[ -x ", quoted, " ] || exit 1; exec ", quoted, " gate hook ", host.id, " ");
}

absl::StatusOr<std::string> WithHook(const AgentHost& host, const std::string& text,
                                     const std::string& command) {
  if (HasOwnFile(host)) {
    STILE_RETURN_IF_ERROR(CheckOwnFile(host, text));
    return absl::StrReplaceAll(
        host.file_text, {{absl::StrCat("\"", kCommandMark, "\""), DumpOrderedJson(command, -1)}});
  }
  STILE_ASSIGN_OR_RETURN(OrderedJson settings, Parse(text));
  Remove(MarkOf(host), &settings);
  STILE_RETURN_IF_ERROR(Add(WithText(host.settings, kCommandMark, command), "", &settings));
  return absl::StrCat(DumpOrderedJson(settings, IndentOf(text)), "\n");
}

absl::StatusOr<std::string> WithoutHook(const AgentHost& host, const std::string& text) {
  if (HasOwnFile(host)) {
    STILE_RETURN_IF_ERROR(CheckOwnFile(host, text));
    return std::string();
  }
  STILE_ASSIGN_OR_RETURN(OrderedJson settings, Parse(text));
  const OrderedJson before = settings;
  Remove(MarkOf(host), &settings);
  if (settings == before) return text;
  // What WithHook writes into a new file.
  const bool is_bare =
      std::all_of(settings.items().begin(), settings.items().end(), [&](const auto& item) {
        return host.settings.contains(item.key()) && host.settings[item.key()] == item.value();
      });
  if (is_bare) return std::string();
  return absl::StrCat(DumpOrderedJson(settings, IndentOf(text)), "\n");
}

std::vector<std::string> HookCommandsIn(const AgentHost& host, const std::string& text) {
  std::vector<std::string> commands;
  if (HasOwnFile(host)) {
    // The line of the file that holds the command as a JSON text.
    const size_t at = text.find(MarkOf(host));
    const size_t start = at == std::string::npos ? at : text.rfind("= \"", at);
    const size_t end = at == std::string::npos ? at : text.find("\";", at);
    if (start == std::string::npos || end == std::string::npos) return commands;
    const auto command = ParseJson(text.substr(start + 2, end + 1 - start - 2));
    if (!command.ok() || !command->is_string()) return commands;
    for (const char* event : {"start", "stop"}) {
      commands.push_back(absl::StrCat(command->get<std::string>(), event));
    }
    return commands;
  }
  const absl::StatusOr<OrderedJson> settings = Parse(text);
  if (settings.ok()) Collect(*settings, MarkOf(host), &commands);
  return commands;
}

}  // namespace stile
