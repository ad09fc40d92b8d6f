// A story as a file that people read and change.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/story/story.h"

namespace stile {
namespace {

bool IsPlain(absl::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text[0]))) return false;
  if (text.back() == ' ') return false;
  const std::string lower = absl::AsciiStrToLower(text);
  for (const char* word : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}) {
    if (lower == word) return false;
  }
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || absl::StrContains(" _./()-", static_cast<char>(c));
  });
}

// Whether every line can stand as it is in a block, and comes back as it was.
bool FitsBlock(absl::string_view text) {
  if (!absl::StrContains(text, '\n') || !IsUtf8(text)) return false;
  if (absl::ascii_isspace(static_cast<unsigned char>(text[0])) || absl::EndsWith(text, "\n\n")) {
    return false;
  }
  for (const absl::string_view line : SplitLines(text)) {
    if (!line.empty() && absl::StripAsciiWhitespace(line).empty()) return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
}

// `indent`: of the key whose value it is.
std::string Scalar(absl::string_view text, size_t indent) {
  if (IsPlain(text)) return std::string(text);
  if (!FitsBlock(text)) return YamlText(std::string(text));
  std::string block = absl::EndsWith(text, "\n") ? "|" : "|-";
  for (const absl::string_view line : SplitLines(text)) {
    absl::StrAppend(&block, "\n", line.empty() ? "" : std::string(indent + 2, ' '), line);
  }
  return block;
}

Json ToJson(const std::vector<Expectations::Match>& matches) {
  Json list = Json::array();
  for (const Expectations::Match& match : matches) {
    list.push_back({{"path", match.path}, {"regex", match.regex}});
  }
  return list;
}

// JSON is YAML, and expectations are short.
std::string ExpectText(const Expectations& expect) {
  Json json = Json::object();
  if (expect.compiles.has_value()) json["compiles"] = *expect.compiles;
  if (expect.tests_pass.has_value()) json["tests_pass"] = *expect.tests_pass;
  if (!expect.passing_tests.empty()) json["tests_pass"] = expect.passing_tests;
  if (!expect.files_exist.empty()) json["files_exist"] = expect.files_exist;
  if (!expect.file_contains.empty()) json["file_contains"] = ToJson(expect.file_contains);
  if (!expect.file_not_contains.empty()) {
    json["file_not_contains"] = ToJson(expect.file_not_contains);
  }
  if (!expect.tools_used.empty()) json["tools_used"] = expect.tools_used;
  std::string text;
  for (const auto& [key, value] : json.items()) {
    absl::StrAppend(&text, "      ", key, ": ", YamlText(value), "\n");
  }
  return text.empty() ? "" : absl::StrCat("    expect:\n", text);
}

absl::string_view RetryOnName(StoryStep::RetryOn on) {
  switch (on) {
    case StoryStep::RetryOn::kAny:
      return "any";
    case StoryStep::RetryOn::kBuild:
      return "build";
    case StoryStep::RetryOn::kTest:
      return "test";
  }
  return "any";
}

std::string StepText(const StoryStep& step) {
  std::string text = absl::StrCat("  - name: ", Scalar(step.name, 4), "\n");
  if (step.wave > 0) absl::StrAppend(&text, "    wave: ", step.wave, "\n");
  if (!step.agent.empty()) absl::StrAppend(&text, "    agent: ", Scalar(step.agent, 4), "\n");
  if (step.max_turns > 0) absl::StrAppend(&text, "    max_turns: ", step.max_turns, "\n");
  absl::StrAppend(&text, "    description: ", Scalar(step.description, 4), "\n");
  if (step.retry_max > 0 || step.retry_on != StoryStep::RetryOn::kAny) {
    absl::StrAppend(&text, "    retry: {max: ", step.retry_max,
                    ", on: ", DumpJson(std::string(RetryOnName(step.retry_on))), "}\n");
  }
  if (!step.allow.empty()) {
    Json allow = Json::array();
    for (const Allowance& allowance : step.allow) allow.push_back(AllowanceText(allowance));
    absl::StrAppend(&text, "    allow: ", YamlText(allow), "\n");
  }
  return absl::StrCat(text, ExpectText(step.expect));
}

}  // namespace

std::string StoryText(const Story& story) {
  std::string text = absl::StrCat("story: ", Scalar(story.title, 0), "\n");
  if (!story.workspace.empty()) {
    absl::StrAppend(&text, "workspace: ", Scalar(story.workspace, 0), "\n");
  }
  if (!story.branch.empty()) absl::StrAppend(&text, "branch: ", Scalar(story.branch, 0), "\n");
  if (!story.agent.empty()) absl::StrAppend(&text, "agent: ", Scalar(story.agent, 0), "\n");
  if (story.max_turns > 0) absl::StrAppend(&text, "max_turns: ", story.max_turns, "\n");
  if (story.max_parallelism > 0) {
    absl::StrAppend(&text, "max_parallelism: ", story.max_parallelism, "\n");
  }
  if (story.on_failure == Story::OnFailure::kCancel) absl::StrAppend(&text, "on_failure: cancel\n");
  // JSON is YAML.
  if (!story.mcp_servers.is_null()) {
    absl::StrAppend(&text, "mcp_servers: ", DumpJson(story.mcp_servers), "\n");
  }
  absl::StrAppend(&text, "steps:\n");
  for (const StoryStep& step : story.steps) absl::StrAppend(&text, StepText(step));
  return text;
}

}  // namespace stile
