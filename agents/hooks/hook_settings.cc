#include "agents/hooks/hook_settings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/shell_words.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr int kIndent = 2;
constexpr int kMaxIndent = 16;

// Of HookCommand: before the program, and before its second mention.
constexpr char kGuard[] = "[ -x ";
constexpr char kExec[] = " ] || exit 1; exec ";

std::string EndOf(const AgentHost& host) { return absl::StrCat(" gate hook ", host.id, " "); }

// The program and the event of a command of HookCommand; nullopt for every other text. A command
// that a person wrapped around it belongs to that person. `gate doctor` runs what is found here, so
// that nothing but the program may vary.
std::optional<HookCommandParts> PartsOf(const AgentHost& host, const OrderedJson& value) {
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  for (const char* event : {"start", "stop"}) {
    const std::string end = absl::StrCat(EndOf(host), event);
    const size_t exec = text.find(kExec);
    if (!absl::StartsWith(text, kGuard) || !absl::EndsWith(text, end) ||
        exec == std::string::npos) {
      continue;
    }
    const std::string quoted = text.substr(sizeof(kGuard) - 1, exec - (sizeof(kGuard) - 1));
    const auto words = SplitShellWords(quoted);
    if (!words.ok() || words->size() != 1) return std::nullopt;
    HookCommandParts parts = {words->front(), event};
    if (absl::StrCat(HookCommand(host, parts.program), event) != text) return std::nullopt;
    return parts;
  }
  return std::nullopt;
}

bool IsOwn(const AgentHost& host, const OrderedJson& value) {
  return PartsOf(host, value).has_value();
}

// An entry of a hook with a command of Stile's.
bool IsOwnEntry(const AgentHost& host, const OrderedJson& value) {
  if (!value.is_object()) return false;
  for (const char* key : {"command", "bash"}) {
    if (value.contains(key) && IsOwn(host, value[key])) return true;
  }
  return false;
}

bool IsEmpty(const OrderedJson& value) { return value.is_structured() && value.empty(); }

// An entry around an empty list, such as {"matcher": "", "hooks": []}.
bool IsHollow(const OrderedJson& value) {
  return value.is_object() && value.contains("hooks") && IsEmpty(value["hooks"]);
}

// Takes the entries of the hook out, and what is empty without them.
void Remove(const AgentHost& host, OrderedJson* value) {
  if (!value->is_structured()) return;
  for (auto member = value->begin(); member != value->end();) {
    const bool was_empty = IsEmpty(*member);
    const bool was_hollow = IsHollow(*member);
    Remove(host, &*member);
    const bool is_hollow = !was_hollow && IsHollow(*member);
    const bool goes = IsOwnEntry(host, *member) || (!was_empty && IsEmpty(*member)) ||
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

// Lines that begin with multiples of `width` blanks, with a tab for each.
std::string WithTabs(const std::string& text, int width) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string& line : lines) {
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    line =
        absl::StrCat(std::string(blanks / static_cast<size_t>(width), '\t'), line.substr(blanks));
  }
  return absl::StrJoin(lines, "\n");
}

// `settings` in the way in which `like` is written: its indentation and its line ends.
std::string Write(const OrderedJson& settings, const std::string& like) {
  const size_t line = like.find('\n');
  if (!like.empty() && absl::StripTrailingAsciiWhitespace(like).find('\n') == std::string::npos) {
    return absl::StrCat(DumpOrderedJson(settings, -1), line == std::string::npos ? "" : "\n");
  }
  const size_t start = line == std::string::npos ? like.size() : line + 1;
  const size_t end = std::min(like.find_first_not_of(" \t", start), like.size());
  const std::string indent = like.substr(std::min(start, end), end - std::min(start, end));
  const bool is_tab = !indent.empty() && indent[0] == '\t';
  const int width =
      indent.empty() ? kIndent : std::min(static_cast<int>(indent.size()), kMaxIndent);
  std::string text = absl::StrCat(DumpOrderedJson(settings, width), "\n");
  if (is_tab) text = WithTabs(text, width);
  return absl::StrContains(like, "\r\n") ? absl::StrReplaceAll(text, {{"\n", "\r\n"}}) : text;
}

// The numbers of a JSON text as they are written.
std::vector<std::string> NumbersOf(const std::string& text) {
  std::vector<std::string> numbers;
  bool in_string = false;
  std::string number;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    const bool is_part = absl::ascii_isdigit(c) || c == '-' || c == '+' || c == '.' ||
                         (!number.empty() && (c == 'e' || c == 'E'));
    if (is_part) number.push_back(c);
    if (!is_part && !number.empty()) numbers.push_back(std::exchange(number, ""));
    in_string = c == '"';
  }
  if (!number.empty()) numbers.push_back(number);
  return numbers;
}

// What this program cannot write again as it was must not be rewritten.
absl::Status CheckNumbers(const OrderedJson& settings, const std::string& text) {
  if (NumbersOf(text) == NumbersOf(DumpOrderedJson(settings, -1))) return absl::OkStatus();
  return absl::InvalidArgumentError("it holds a number that could not be kept as it is written");
}

absl::StatusOr<OrderedJson> ParseSettings(const std::string& text) {
  STILE_ASSIGN_OR_RETURN(OrderedJson settings, Parse(text));
  STILE_RETURN_IF_ERROR(CheckNumbers(settings, text));
  return settings;
}

void Collect(const AgentHost& host, const OrderedJson& value,
             std::vector<HookCommandParts>* found) {
  if (auto parts = PartsOf(host, value)) found->push_back(*std::move(parts));
  if (!value.is_structured()) return;
  for (const OrderedJson& member : value) Collect(host, member, found);
}

// Whether `part` of a host's facts holds the command of `event`.
bool Holds(const OrderedJson& part, const std::string& event) {
  return absl::StrContains(DumpOrderedJson(part, -1), absl::StrCat(kCommandMark, event));
}

bool HasOwnFile(const AgentHost& host) { return host.settings.is_null(); }

absl::string_view FirstLine(absl::string_view text) { return text.substr(0, text.find('\n')); }

absl::Status CheckOwnFile(const AgentHost& host, const std::string& text) {
  const absl::string_view first = FirstLine(host.file_text);
  if (text.empty() || FirstLine(text) == first) return absl::OkStatus();
  return absl::InvalidArgumentError("the file is not of Stile, and is left alone");
}

}  // namespace

std::string HookCommand(const AgentHost& host, const std::string& program) {
  const std::string quoted = ShellQuoted(program);
  return absl::StrCat(kGuard, quoted, kExec, quoted, EndOf(host));
}

absl::StatusOr<std::string> WithHook(const AgentHost& host, const std::string& text,
                                     const std::string& command) {
  if (HasOwnFile(host)) {
    STILE_RETURN_IF_ERROR(CheckOwnFile(host, text));
    return absl::StrReplaceAll(
        host.file_text, {{absl::StrCat("\"", kCommandMark, "\""), DumpOrderedJson(command, -1)}});
  }
  STILE_ASSIGN_OR_RETURN(OrderedJson settings, ParseSettings(text));
  Remove(host, &settings);
  STILE_RETURN_IF_ERROR(Add(WithText(host.settings, kCommandMark, command), "", &settings));
  return Write(settings, text);
}

absl::StatusOr<std::string> WithoutHook(const AgentHost& host, const std::string& text) {
  if (HasOwnFile(host)) {
    STILE_RETURN_IF_ERROR(CheckOwnFile(host, text));
    return std::string();
  }
  STILE_ASSIGN_OR_RETURN(OrderedJson settings, ParseSettings(text));
  const OrderedJson before = settings;
  Remove(host, &settings);
  if (settings == before) return text;
  // Other files may have been there before, and may be named elsewhere.
  const bool is_named_after_stile = absl::StrContains(host.user_file, "/stile");
  const bool is_bare =
      std::all_of(settings.items().begin(), settings.items().end(), [&](const auto& item) {
        return host.settings.contains(item.key()) && host.settings[item.key()] == item.value();
      });
  if (is_named_after_stile && is_bare) return std::string();
  return Write(settings, text);
}

absl::StatusOr<std::vector<HookCommandParts>> HookCommandsIn(const AgentHost& host,
                                                             const std::string& text) {
  std::vector<HookCommandParts> commands;
  if (HasOwnFile(host)) {
    if (text.empty() || !CheckOwnFile(host, text).ok()) return commands;
    // The line of the file that holds the command as a JSON text.
    const size_t at = text.find(EndOf(host));
    const size_t start = at == std::string::npos ? at : text.rfind("= \"", at);
    const size_t end = at == std::string::npos ? at : text.find("\";", at);
    if (start == std::string::npos || end == std::string::npos) return commands;
    const auto command = ParseOrderedJson(text.substr(start + 2, end + 1 - start - 2));
    if (!command.ok() || !command->is_string()) return commands;
    for (const char* event : {"start", "stop"}) {
      Collect(host, absl::StrCat(command->get<std::string>(), event), &commands);
    }
    return commands;
  }
  STILE_ASSIGN_OR_RETURN(const OrderedJson settings, Parse(text));
  const auto hooks = settings.find("hooks");
  if (hooks == settings.end() || !hooks->is_object()) return commands;
  for (const auto& [name, part] : host.settings["hooks"].items()) {
    const auto installed = hooks->find(name);
    if (installed == hooks->end()) continue;
    std::vector<HookCommandParts> found;
    Collect(host, *installed, &found);
    for (HookCommandParts& parts : found) {
      if (Holds(part, parts.event)) commands.push_back(std::move(parts));
    }
  }
  return commands;
}

}  // namespace stile
