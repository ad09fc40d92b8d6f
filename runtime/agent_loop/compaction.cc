#include "runtime/agent_loop/compaction.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kFirst = 2;  // behind system and task
constexpr int kMostTurnsKept = 4;
constexpr int64_t kTurnsAhead = 8;   // of the token budget, at the present length
constexpr size_t kLeastWon = 8'000;  // bytes
constexpr size_t kPlanBytes = 2'000;
constexpr size_t kNoteBytes = 600;
constexpr size_t kMaxNotes = 5;
constexpr size_t kMaxPaths = 100;
constexpr size_t kMaxErrors = 20;
constexpr size_t kLineBytes = 200;
constexpr int64_t kBytesPerToken = 4;
constexpr int64_t kMostTurns = 1'000'000;

size_t SizeOf(const Message& message) {
  size_t bytes = message.text.size();
  for (const ToolCall& call : message.tool_calls) bytes += DumpJson(call.arguments).size();
  return bytes;
}

size_t SizeOf(const std::vector<Message>& messages, size_t begin, size_t end) {
  size_t bytes = 0;
  for (size_t i = begin; i < end; ++i) bytes += SizeOf(messages[i]);
  return bytes;
}

// Behind the task, and behind the record of earlier turns that may stand there.
size_t FirstTurn(const std::vector<Message>& messages) {
  return messages.size() > kFirst && messages[kFirst].role == Role::kUser ? kFirst + 1 : kFirst;
}

Json FirstOf(const std::vector<std::string>& lines, size_t most) {
  Json list = Json::array();
  for (size_t i = 0; i < std::min(lines.size(), most); ++i) {
    list.push_back(ToUtf8(TruncateMiddle(lines[i], kLineBytes)));
  }
  if (lines.size() > most) list.push_back(absl::StrCat("… and ", lines.size() - most, " more"));
  return list;
}

Json ValidationOf(const std::optional<ValidationReport>& report) {
  if (!report.has_value()) return nullptr;
  std::vector<std::string> errors;
  for (const TargetReport& target : report->targets) {
    for (const Diagnostic& diagnostic : target.result.diagnostics) {
      if (diagnostic.severity == Severity::kError) errors.push_back(FormatDiagnostic(diagnostic));
    }
  }
  return {{"verdict", std::string(VerdictName(report->verdict))},
          {"summary", ToUtf8(TruncateMiddle(report->summary, kLineBytes))},
          {"errors", FirstOf(errors, kMaxErrors)},
          {"missing", FirstOf(report->remaining, kMaxErrors)}};
}

// Strings of a list that an earlier record holds.
std::vector<std::string> Texts(const Json& record, const char* key) {
  std::vector<std::string> texts;
  const Json* const list = JsonMember(record, key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& text : *list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

bool IsCompactionDue(const Budget& budget, int64_t context_limit, const Usage& last,
                     const std::vector<Message>& messages) {
  const RunLimits& limits = budget.limits();
  if (context_limit <= 0 && limits.tokens <= 0) return false;
  size_t answered = messages.size();
  while (answered > 0 && messages[answered - 1].role != Role::kAssistant) --answered;
  const auto tokens = [&](size_t begin, size_t end) {
    return static_cast<int64_t>(SizeOf(messages, begin, end)) / kBytesPerToken;
  };
  const int64_t counted = last.input_tokens > 0 ? last.total() : tokens(0, answered);
  const int64_t context_tokens = counted + tokens(answered, messages.size());
  if (context_limit > 0 && context_tokens > context_limit / 5 * 4) return true;
  const int64_t left = limits.tokens - budget.usage().total();
  return limits.tokens > 0 && left < limits.tokens / 2 && left / kTurnsAhead < context_tokens;
}

std::optional<size_t> FirstKept(const std::vector<Message>& messages) {
  const size_t first = FirstTurn(messages);
  const size_t all = SizeOf(messages, first, messages.size());
  std::optional<size_t> best;
  size_t kept = 0;
  int turns = 0;
  for (size_t i = messages.size(); i-- > first + 1;) {
    kept += SizeOf(messages[i]);
    if (messages[i].role != Role::kAssistant) continue;
    if (all - kept < std::max(kLeastWon, all / 2)) break;
    best = i;
    if (++turns == kMostTurnsKept) break;
  }
  return best;
}

Json MakeContextRecord(const std::vector<Message>& messages, size_t first_kept, const Json& before,
                       const std::vector<std::string>& changed,
                       const std::optional<ValidationReport>& last_report) {
  int64_t turns = std::clamp<int64_t>(JsonInt(before, "turns_left_out").value_or(0), 0, kMostTurns);
  std::string plan = JsonString(before, "plan").value_or("");
  std::vector<std::string> notes = Texts(before, "notes");
  const std::vector<std::string> known = Texts(before, "files");
  std::set<std::string> files(known.begin(), known.end());
  for (size_t i = kFirst; i < first_kept; ++i) {
    const Message& message = messages[i];
    if (message.role != Role::kAssistant) continue;
    ++turns;
    const std::string text(absl::StripAsciiWhitespace(message.text));
    if (!text.empty() && plan.empty()) {
      plan = ToUtf8(TruncateMiddle(text, kPlanBytes));
    } else if (!text.empty()) {
      notes.push_back(ToUtf8(TruncateMiddle(text, kNoteBytes)));
    }
    for (const ToolCall& call : message.tool_calls) {
      for (const char* key : {"path", "filePath"}) {
        const auto path = JsonString(call.arguments, key);
        if (path.has_value() && files.size() < kMaxPaths) {
          files.insert(ToUtf8(TruncateMiddle(*path, kLineBytes)));
        }
      }
    }
  }
  if (notes.size() > kMaxNotes) {
    notes.erase(notes.begin(), notes.end() - static_cast<ptrdiff_t>(kMaxNotes));
  }
  // None in this process: the one before it knew.
  Json validation = ValidationOf(last_report);
  if (validation.is_null() && before.is_object()) validation = before.value("validation", Json());
  return {{"turns_left_out", turns},
          {"plan", std::move(plan)},
          {"notes", std::move(notes)},
          {"files", files},
          {"changed", FirstOf(changed, kMaxPaths)},
          {"validation", std::move(validation)}};
}

bool IsWorthwhile(const std::vector<Message>& messages, size_t first_kept, const Json& record) {
  return DumpJson(record).size() * 2 < SizeOf(messages, FirstTurn(messages), first_kept);
}

bool LeaveOut(size_t first_kept, const Json& record, std::vector<Message>* messages) {
  if (first_kept <= kFirst || first_kept >= messages->size() ||
      (*messages)[first_kept].role != Role::kAssistant) {
    return false;
  }
  const auto begin = messages->begin() + static_cast<ptrdiff_t>(kFirst);
  messages->erase(begin, messages->begin() + static_cast<ptrdiff_t>(first_kept));
  Message note{
      Role::kUser,
      absl::StrCat("[Earlier turns of this run are left out here to save tokens. What is "
                   "known of them, as data; the validation is the last one there was:]\n",
                   DumpJson(record, 1), "\n[Files can be read again. Go on with the task.]")};
  messages->insert(messages->begin() + static_cast<ptrdiff_t>(kFirst), std::move(note));
  // Some models bind what they thought to the conversation in which they thought it.
  for (Message& message : *messages) {
    if (message.provider_data.is_object()) message.provider_data["shortened"] = true;
  }
  return true;
}

}  // namespace stile
