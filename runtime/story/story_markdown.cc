#include "runtime/story/story_markdown.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

size_t Indent(absl::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool IsBlank(absl::string_view line) { return absl::StripAsciiWhitespace(line).empty(); }

// Follows ``` and ~~~ fences line by line.
class Fence {
 public:
  // Whether `line` is part of fenced code (its fences included).
  bool Covers(absl::string_view line) {
    const absl::string_view text = absl::StripLeadingAsciiWhitespace(line);
    const size_t run = std::min(text.find_first_not_of(text.empty() ? ' ' : text[0]), text.size());
    const bool fence = run >= 3 && (text[0] == '`' || text[0] == '~');
    if (length_ == 0) {
      if (!fence) return false;
      mark_ = text[0];
      length_ = run;
    } else if (fence && text[0] == mark_ && run >= length_ && IsBlank(text.substr(run))) {
      length_ = 0;
    }
    return true;
  }

 private:
  char mark_ = 0;
  size_t length_ = 0;
};

struct Heading {
  int level;
  absl::string_view text;
};
std::optional<Heading> ReadHeading(absl::string_view line) {
  if (Indent(line) > 3) return std::nullopt;
  line = absl::StripAsciiWhitespace(line);
  const size_t level = std::min(line.find_first_not_of('#'), line.size());
  if (level == 0 || level > 6 || (level < line.size() && line[level] != ' ')) return std::nullopt;
  return Heading{static_cast<int>(level), absl::StripAsciiWhitespace(line.substr(level))};
}

// "Step", "Step 2", "Step 2: Rename", "Step: rename": the name behind it.
std::optional<absl::string_view> StepName(const Heading& heading) {
  absl::string_view text = heading.text;
  if (heading.level != 2 || !absl::StartsWithIgnoreCase(text, "step")) return std::nullopt;
  text.remove_prefix(4);
  if (!text.empty() && !absl::StrContains(" :.-", text[0])) return std::nullopt;
  text = absl::StripLeadingAsciiWhitespace(text);
  while (!text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) {
    text.remove_prefix(1);
  }
  text = absl::StripLeadingAsciiWhitespace(text);
  for (const absl::string_view separator : {":", ".", ")", "-", "–", "—"}) {
    if (absl::ConsumePrefix(&text, separator)) break;
  }
  return absl::StripAsciiWhitespace(text);
}

struct Item {
  size_t content;  // column of the text
  absl::string_view text;
};
// "1. text", "12) text", indented by less than `limit`.
std::optional<Item> ReadItem(absl::string_view line, size_t limit) {
  const size_t indent = Indent(line);
  if (indent >= limit) return std::nullopt;
  size_t at = indent;
  while (at < line.size() && absl::ascii_isdigit(static_cast<unsigned char>(line[at]))) ++at;
  if (at == indent || at - indent > 9 || at >= line.size()) return std::nullopt;
  if (line[at] != '.' && line[at] != ')') return std::nullopt;
  ++at;
  if (at < line.size() && line[at] != ' ' && line[at] != '\t') return std::nullopt;
  const absl::string_view text = absl::StripAsciiWhitespace(line.substr(at));
  return Item{at + 1, text};
}

// "**name**: text" gives the name and leaves the text.
std::string TakeBoldName(absl::string_view* text) {
  absl::string_view rest = *text;
  if (!absl::ConsumePrefix(&rest, "**")) return "";
  const size_t end = rest.find("**");
  if (end == absl::string_view::npos) return "";
  const absl::string_view name = absl::StripSuffix(rest.substr(0, end), ":");
  rest = absl::StripLeadingAsciiWhitespace(rest.substr(end + 2));
  for (const absl::string_view separator : {":", "-", "–", "—"}) {
    if (absl::ConsumePrefix(&rest, separator)) break;
  }
  *text = absl::StripLeadingAsciiWhitespace(rest);
  return std::string(name);
}

struct Line {
  absl::string_view text;
  int number;
  bool code;  // in a fence
};

void AddLine(absl::string_view text, std::string* description) {
  absl::StrAppend(description, text, "\n");
}

std::vector<MarkdownStep> StepsFromHeadings(const std::vector<Line>& lines) {
  std::vector<MarkdownStep> steps;
  bool inside = false;
  for (const Line& line : lines) {
    const auto heading = line.code ? std::nullopt : ReadHeading(line.text);
    if (heading.has_value() && heading->level <= 2) {
      const auto name = StepName(*heading);
      inside = name.has_value();
      if (inside) steps.push_back({std::string(*name), "", line.number});
    } else if (inside) {
      AddLine(line.text, &steps.back().description);
    }
  }
  return steps;
}

absl::StatusOr<std::vector<MarkdownStep>> StepsFromList(const std::vector<Line>& lines,
                                                        absl::string_view file) {
  std::vector<MarkdownStep> steps;
  size_t content = 0;  // column of the present item's text; 0: outside of an item
  bool over = false;   // a heading followed the list
  bool blank = false;  // the line before was blank
  for (const Line& line : lines) {
    const bool after_blank = std::exchange(blank, IsBlank(line.text));
    if (!line.code && ReadHeading(line.text).has_value()) {
      over = over || !steps.empty();
      content = 0;
      continue;
    }
    const auto item = line.code
                          ? std::nullopt
                          : ReadItem(line.text, content > 0 ? std::min<size_t>(content, 4) : 4);
    if (item.has_value()) {
      if (over) {
        return absl::InvalidArgumentError(absl::StrCat(
            file, ":", line.number, ": a second numbered list after a heading; write the ",
            "steps as '## Step' headings, or the other list with bullets"));
      }
      absl::string_view text = item->text;
      MarkdownStep step{TakeBoldName(&text), "", line.number};
      AddLine(text, &step.description);
      steps.push_back(std::move(step));
      content = item->content;
    } else if (content > 0) {
      const size_t indent = Indent(line.text);
      if (after_blank && !blank && indent == 0) {
        content = 0;  // a paragraph of its own
      } else {
        AddLine(line.text.substr(std::min(indent, content)), &steps.back().description);
      }
    }
  }
  return steps;
}

}  // namespace

absl::StatusOr<MarkdownSteps> ReadMarkdownSteps(absl::string_view body, absl::string_view file,
                                                int first_line) {
  std::vector<Line> lines;
  Fence fence;
  for (const absl::string_view line : SplitLines(body)) {
    const absl::string_view text = absl::StripSuffix(line, "\r");
    lines.push_back({text, first_line + static_cast<int>(lines.size()), fence.Covers(text)});
  }
  MarkdownSteps result;
  for (const Line& line : lines) {
    const auto heading = line.code ? std::nullopt : ReadHeading(line.text);
    if (heading.has_value() && heading->level == 1 && result.title.empty()) {
      result.title = std::string(heading->text);
    }
  }
  result.steps = StepsFromHeadings(lines);
  if (result.steps.empty()) {
    STILE_ASSIGN_OR_RETURN(result.steps, StepsFromList(lines, file));
  }
  for (MarkdownStep& step : result.steps) absl::StripAsciiWhitespace(&step.description);
  return result;
}

}  // namespace stile
