#include "runtime/story/story.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/story/expectations.h"
#include "runtime/story/story_markdown.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxSlugBytes = 50;
constexpr size_t kMaxNameBytes = 100;
constexpr int64_t kMaxTurns = 100'000;
constexpr int64_t kMaxWave = 1'000'000;
constexpr int64_t kMaxRetries = 100;

// The readers below leave `out` alone when the key is absent.

absl::Status ReadText(const Yaml& map, absl::string_view key, std::string* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsString());
  if (absl::StripAsciiWhitespace(*out).empty()) {
    return value->Error(absl::StrCat("'", key, "' is empty"));
  }
  if (out->find('\0') != std::string::npos) {
    return value->Error(absl::StrCat("'", key, "' holds a NUL character"));
  }
  return absl::OkStatus();
}

absl::Status ReadInt(const Yaml& map, absl::string_view key, int64_t min, int64_t max, int* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const int64_t number, value->AsInt());
  if (number < min || number > max) {
    return value->Error(absl::StrCat("'", key, "' must lie between ", min, " and ", max));
  }
  *out = static_cast<int>(number);
  return absl::OkStatus();
}

absl::Status ReadBool(const Yaml& map, absl::string_view key, std::optional<bool>* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsBool());
  return absl::OkStatus();
}

absl::Status CheckPath(const Yaml& where, const std::string& path) {
  const std::string clean = CleanPath(path);
  if (path.empty() || path[0] == '/' || clean == ".." || absl::StartsWith(clean, "../") ||
      path.find('\0') != std::string::npos) {
    return where.Error(absl::StrCat("'", path, "' is no path inside the workspace"));
  }
  return absl::OkStatus();
}

absl::Status ReadMatches(const Yaml& expect, absl::string_view key,
                         std::vector<Expectations::Match>* out) {
  const Yaml* value = expect.Find(key);
  if (value == nullptr) return absl::OkStatus();
  // One match may stand without the list around it.
  const bool list = value->kind == Yaml::Kind::kList;
  for (const Yaml& item : list ? value->items : std::vector<Yaml>{*value}) {
    STILE_RETURN_IF_ERROR(CheckKeys(item, {"path", "regex"}));
    const Yaml* path = item.Find("path");
    const Yaml* regex = item.Find("regex");
    if (path == nullptr || regex == nullptr) {
      return item.Error(absl::StrCat("'", key, "' needs path and regex"));
    }
    Expectations::Match match;
    STILE_ASSIGN_OR_RETURN(match.path, path->AsString());
    STILE_RETURN_IF_ERROR(CheckPath(*path, match.path));
    STILE_ASSIGN_OR_RETURN(match.regex, regex->AsString());
    if (const auto compiled = CompileExpectedRegex(match.regex); !compiled.ok()) {
      return regex->Error(compiled.status().message());
    }
    out->push_back(std::move(match));
  }
  return absl::OkStatus();
}

absl::Status ReadExpectations(const Yaml& step, Expectations* out) {
  const Yaml* expect = step.Find("expect");
  if (expect == nullptr) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckKeys(*expect, {"compiles", "tests_pass", "files_exist",
                                            "file_contains", "file_not_contains", "tools_used"}));
  STILE_RETURN_IF_ERROR(ReadBool(*expect, "compiles", &out->compiles));
  const Yaml* const tests = expect->Find("tests_pass");
  if (tests != nullptr && tests->kind == Yaml::Kind::kList) {
    STILE_ASSIGN_OR_RETURN(out->passing_tests, tests->AsStringList());
    const auto& names = out->passing_tests;
    if (names.empty() || std::count(names.begin(), names.end(), "") > 0) {
      return tests->Error("'tests_pass' needs true, false or a list with names of tests");
    }
  } else {
    STILE_RETURN_IF_ERROR(ReadBool(*expect, "tests_pass", &out->tests_pass));
  }
  STILE_RETURN_IF_ERROR(ReadMatches(*expect, "file_contains", &out->file_contains));
  STILE_RETURN_IF_ERROR(ReadMatches(*expect, "file_not_contains", &out->file_not_contains));
  if (const Yaml* files = expect->Find("files_exist"); files != nullptr) {
    STILE_ASSIGN_OR_RETURN(out->files_exist, files->AsStringList());
    for (const std::string& path : out->files_exist) {
      STILE_RETURN_IF_ERROR(CheckPath(*files, path));
    }
  }
  if (const Yaml* tools = expect->Find("tools_used"); tools != nullptr) {
    STILE_ASSIGN_OR_RETURN(out->tools_used, tools->AsStringList());
  }
  return absl::OkStatus();
}

absl::Status ReadRetry(const Yaml& step, StoryStep* out) {
  const Yaml* retry = step.Find("retry");
  if (retry == nullptr) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(CheckKeys(*retry, {"max", "on"}));
  STILE_RETURN_IF_ERROR(ReadInt(*retry, "max", 0, kMaxRetries, &out->retry_max));
  const Yaml* on = retry->Find("on");
  if (on == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::string reason, on->AsString());
  if (reason == "any") {
    out->retry_on = StoryStep::RetryOn::kAny;
  } else if (reason == "build") {
    out->retry_on = StoryStep::RetryOn::kBuild;
  } else if (reason == "test") {
    out->retry_on = StoryStep::RetryOn::kTest;
  } else {
    return on->Error(absl::StrCat("'on' is any, build or test, not '", reason, "'"));
  }
  return absl::OkStatus();
}

// Why a name cannot be part of file names; "" if it can.
std::string WrongName(absl::string_view name) {
  if (name.size() > kMaxNameBytes) return absl::StrCat("is longer than ", kMaxNameBytes, " bytes");
  if (name[0] == '.' || name[0] == '-') return "begins with '.' or '-'";
  if (absl::StripAsciiWhitespace(name).size() != name.size()) return "begins or ends with a blank";
  for (const char c : name) {
    if (c == '/' || c == '\\') return "holds a slash";
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) return "holds a control character";
  }
  return "";
}

absl::StatusOr<StoryStep> ReadStep(const Yaml& yaml, size_t number) {
  STILE_RETURN_IF_ERROR(CheckKeys(
      yaml, {"name", "description", "max_turns", "agent", "wave", "expect", "retry", "allow"}));
  StoryStep step;
  step.name = absl::StrCat("step-", number);
  STILE_RETURN_IF_ERROR(ReadText(yaml, "name", &step.name));
  if (const std::string wrong = WrongName(step.name); !wrong.empty()) {
    return yaml.Find("name")->Error(
        absl::StrCat("step name '", step.name, "' ", wrong, "; it becomes part of file names"));
  }
  STILE_RETURN_IF_ERROR(ReadText(yaml, "description", &step.description));
  if (step.description.empty()) {
    return yaml.Error(absl::StrCat("step '", step.name, "' has no description"));
  }
  STILE_RETURN_IF_ERROR(ReadInt(yaml, "max_turns", 1, kMaxTurns, &step.max_turns));
  STILE_RETURN_IF_ERROR(ReadText(yaml, "agent", &step.agent));
  STILE_RETURN_IF_ERROR(ReadInt(yaml, "wave", 0, kMaxWave, &step.wave));
  STILE_RETURN_IF_ERROR(ReadExpectations(yaml, &step.expect));
  if (const Yaml* const allow = yaml.Find("allow"); allow != nullptr) {
    STILE_ASSIGN_OR_RETURN(step.allow, ReadAllowances(*allow));
  }
  STILE_RETURN_IF_ERROR(ReadRetry(yaml, &step));
  return step;
}

absl::Status ReadSteps(const Yaml& yaml, Story* story) {
  const Yaml* steps = yaml.Find("steps");
  if (steps == nullptr || steps->kind == Yaml::Kind::kNull) {
    return (steps != nullptr ? *steps : yaml).Error("the story has no steps");
  }
  if (steps->kind != Yaml::Kind::kList) return steps->Error("'steps' must be a list");
  if (steps->items.empty()) return steps->Error("the story has no steps");
  std::set<std::string> names;
  for (const Yaml& item : steps->items) {
    if (item.kind != Yaml::Kind::kMap) return item.Error("a step must have name and description");
    STILE_ASSIGN_OR_RETURN(StoryStep step, ReadStep(item, story->steps.size() + 1));
    if (!names.insert(step.name).second) {
      const Yaml* name = item.Find("name");
      return (name != nullptr ? *name : item)
          .Error(absl::StrCat("step name '", step.name, "' is used twice"));
    }
    story->steps.push_back(std::move(step));
  }
  std::stable_sort(story->steps.begin(), story->steps.end(),
                   [](const StoryStep& a, const StoryStep& b) { return a.wave < b.wave; });
  return absl::OkStatus();
}

absl::Status ReadOnFailure(const Yaml& yaml, Story* story) {
  const Yaml* const value = yaml.Find("on_failure");
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(const std::string choice, value->AsString());
  if (choice == "finish") {
    story->on_failure = Story::OnFailure::kFinish;
  } else if (choice == "cancel") {
    story->on_failure = Story::OnFailure::kCancel;
  } else {
    return value->Error(absl::StrCat("'on_failure' is finish or cancel, not '", choice,
                                     "': the steps of a wave that run when another one fails"));
  }
  return absl::OkStatus();
}

// The keys that ReadHead reads, and `more`.
std::vector<std::string> HeadKeys(std::vector<std::string> more) {
  for (const char* key : {"story", "title", "workspace", "branch", "agent", "max_turns",
                          "max_parallelism", "on_failure", "mcp_servers"}) {
    more.emplace_back(key);
  }
  return more;
}

// Everything but the steps.
absl::Status ReadHead(const Yaml& yaml, Story* story) {
  const Yaml* title = yaml.Find("title");
  if (title != nullptr && yaml.Find("story") != nullptr) {
    return title->Error("'story' and 'title' mean the same; give one");
  }
  STILE_RETURN_IF_ERROR(ReadText(yaml, title != nullptr ? "title" : "story", &story->title));
  STILE_RETURN_IF_ERROR(ReadText(yaml, "workspace", &story->workspace));
  STILE_RETURN_IF_ERROR(ReadText(yaml, "branch", &story->branch));
  STILE_RETURN_IF_ERROR(ReadText(yaml, "agent", &story->agent));
  STILE_RETURN_IF_ERROR(ReadInt(yaml, "max_turns", 1, kMaxTurns, &story->max_turns));
  STILE_RETURN_IF_ERROR(
      ReadInt(yaml, "max_parallelism", 1, kMaxParallelism, &story->max_parallelism));
  if (const Yaml* servers = yaml.Find("mcp_servers")) story->mcp_servers = servers->AsJson();
  return ReadOnFailure(yaml, story);
}

bool IsMarkdown(absl::string_view file) {
  return absl::EndsWithIgnoreCase(file, ".md") || absl::EndsWithIgnoreCase(file, ".markdown");
}

absl::StatusOr<Story> ParseMarkdownStory(absl::string_view text, absl::string_view file) {
  const auto error = [&](int line, absl::string_view message) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", message));
  };
  if (text.size() > kMaxStoryBytes) return error(1, "larger than 1 MiB");
  if (!IsUtf8(text)) return error(1, "not UTF-8 text");
  STILE_ASSIGN_OR_RETURN(const FrontMatter parts, ParseFrontMatter(text, file));
  Story story;
  STILE_RETURN_IF_ERROR(CheckKeys(parts.front_matter, HeadKeys({})));
  STILE_RETURN_IF_ERROR(ReadHead(parts.front_matter, &story));
  STILE_ASSIGN_OR_RETURN(MarkdownSteps body, ReadMarkdownSteps(parts.body, file, parts.body_line));
  if (story.title.empty()) story.title = body.title;
  if (story.title.empty()) return error(1, "the story has no title: 'story:' or a '# Heading'");
  if (body.steps.empty()) {
    return error(parts.body_line, "the story has no steps: a numbered list or '## Step' headings");
  }
  std::set<std::string> names;
  for (MarkdownStep& written : body.steps) {
    StoryStep step;
    step.description = written.description.empty() ? written.name : std::move(written.description);
    if (step.description.empty()) return error(written.line, "the step has no text");
    const absl::string_view first_line = SplitLines(step.description)[0];
    const std::string base = Slug(written.name.empty() ? first_line : written.name);
    step.name = base == "story" ? absl::StrCat("step-", names.size() + 1) : base;
    for (int n = 2; !names.insert(step.name).second; ++n) step.name = absl::StrCat(base, "-", n);
    story.steps.push_back(std::move(step));
  }
  return story;
}

}  // namespace

bool RunsBesideOthers(const std::vector<StoryStep>& steps, size_t step) {
  const int wave = steps[step].wave;
  return wave > 0 && std::count_if(steps.begin(), steps.end(), [wave](const StoryStep& other) {
                       return other.wave == wave;
                     }) > 1;
}

absl::StatusOr<Yaml> ReadStoryHead(absl::string_view text, absl::string_view file) {
  if (!IsMarkdown(file)) return ParseYaml(text, file);
  STILE_ASSIGN_OR_RETURN(FrontMatter parts, ParseFrontMatter(text, file));
  return std::move(parts.front_matter);
}

absl::StatusOr<Story> ParseStory(absl::string_view text, absl::string_view file) {
  if (IsMarkdown(file)) return ParseMarkdownStory(text, file);
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  if (yaml.kind != Yaml::Kind::kMap) return yaml.Error("a story has 'story:' and 'steps:'");
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, HeadKeys({"steps"})));
  Story story;
  STILE_RETURN_IF_ERROR(ReadHead(yaml, &story));
  if (story.title.empty()) return yaml.Error("the story has no title: 'story:'");
  STILE_RETURN_IF_ERROR(ReadSteps(yaml, &story));
  return story;
}

std::string Slug(absl::string_view title) {
  std::string slug;
  for (const char c : title) {
    if (slug.size() >= kMaxSlugBytes) break;
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte)) {
      slug.push_back(absl::ascii_tolower(byte));
    } else if (byte == '\'' || byte == '"') {
      continue;
    } else if (!slug.empty() && slug.back() != '-') {
      slug.push_back('-');
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "story" : slug;
}

}  // namespace stile
