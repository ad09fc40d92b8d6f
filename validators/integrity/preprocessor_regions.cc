#include "validators/integrity/preprocessor_regions.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/ids.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxConditionBytes = 120;
constexpr size_t kMaxDepth = 1000;

struct Directive {
  std::string name;      // "if", "else", …
  std::string argument;  // blanks folded
  int line = 0;
  int next_line = 0;  // behind its continuations
};

// Removes comments of one line; `in_comment` tells of a block comment that goes on.
std::string WithoutComments(absl::string_view line, bool* in_comment) {
  std::string kept;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const absl::string_view rest = line.substr(i);
    if (*in_comment) {
      if (!absl::StartsWith(rest, "*/")) continue;
      *in_comment = false;
      ++i;
    } else if (quote != 0) {
      kept.push_back(line[i]);
      if (line[i] == '\\' && i + 1 < line.size()) {
        kept.push_back(line[++i]);
      } else if (line[i] == quote) {
        quote = 0;
      }
    } else if (absl::StartsWith(rest, "//")) {
      break;
    } else if (absl::StartsWith(rest, "/*")) {
      *in_comment = true;
      ++i;
      kept.push_back(' ');
    } else {
      // An apostrophe between digits separates them.
      const bool separates =
          line[i] == '\'' && i > 0 && absl::ascii_isalnum(static_cast<unsigned char>(line[i - 1]));
      if ((line[i] == '"' || line[i] == '\'') && !separates) quote = line[i];
      kept.push_back(line[i]);
    }
  }
  return kept;
}

// Every directive, and whether anything else stands before the first or behind the last one.
struct Scan {
  std::vector<Directive> directives;
  bool code_before = false;
  bool code_after = false;
  int lines = 0;
};

Scan ScanDirectives(absl::string_view text) {
  Scan scan;
  bool in_comment = false;
  const std::vector<absl::string_view> lines = SplitLines(text);
  scan.lines = static_cast<int>(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t first = i;
    std::string line = WithoutComments(lines[i], &in_comment);
    while (absl::EndsWith(absl::StripTrailingAsciiWhitespace(lines[i]), "\\") &&
           i + 1 < lines.size()) {
      line = std::string(absl::StripTrailingAsciiWhitespace(line));
      if (absl::EndsWith(line, "\\")) line.pop_back();
      absl::StrAppend(&line, WithoutComments(lines[++i], &in_comment));
    }
    absl::string_view words = absl::StripAsciiWhitespace(line);
    if (words.empty()) continue;
    if (absl::StartsWith(words, "%:")) words.remove_prefix(1);  // the same, spelt otherwise
    if (words[0] != '#' && words[0] != ':') {
      scan.code_before = scan.code_before || scan.directives.empty();
      scan.code_after = true;
      continue;
    }
    words = absl::StripLeadingAsciiWhitespace(words.substr(1));
    size_t end = 0;
    while (end < words.size() && absl::ascii_isalpha(static_cast<unsigned char>(words[end]))) ++end;
    Directive directive;
    directive.name = std::string(words.substr(0, end));
    directive.argument = std::string(absl::StripAsciiWhitespace(words.substr(end)));
    absl::RemoveExtraAsciiWhitespace(&directive.argument);
    directive.line = static_cast<int>(first) + 1;
    directive.next_line = static_cast<int>(i) + 2;
    scan.directives.push_back(std::move(directive));
    scan.code_after = false;
  }
  return scan;
}

// The guard around a whole header: "#ifndef X", "#define X" … "#endif" and nothing around it.
bool IsIncludeGuard(const Scan& scan) {
  const auto& all = scan.directives;
  if (all.size() < 3 || scan.code_before || scan.code_after || all.back().name != "endif") {
    return false;
  }
  std::string name = all[0].argument;
  if (all[0].name == "if" && absl::StartsWith(name, "!defined")) {
    name = name.substr(8);
    name.erase(std::remove_if(name.begin(), name.end(),
                              [](char c) { return c == '(' || c == ')' || c == ' '; }),
               name.end());
  } else if (all[0].name != "ifndef") {
    return false;
  }
  return all[1].name == "define" &&
         (all[1].argument == name || absl::StartsWith(all[1].argument, absl::StrCat(name, " ")));
}

bool Opens(const std::string& name) { return name == "if" || name == "ifdef" || name == "ifndef"; }

bool Continues(const std::string& name) {
  return name == "elif" || name == "elifdef" || name == "elifndef" || name == "else";
}

struct Frame {
  std::string opening;  // "#ifdef FAST"
  std::string condition;
  int condition_line = 0;
  int first_line = 0;
  bool skipped = false;
};

std::string Cut(std::string condition) {
  if (condition.size() > kMaxConditionBytes) condition = condition.substr(0, kMaxConditionBytes);
  return ToUtf8(condition);
}

// "#ifdef __cplusplus" and its like.
bool AsksForCpp(const Directive& directive) {
  return (directive.name == "ifdef" && directive.argument == "__cplusplus") ||
         (directive.name == "if" && (directive.argument == "defined(__cplusplus)" ||
                                     directive.argument == "defined __cplusplus" ||
                                     directive.argument == "defined (__cplusplus)"));
}

}  // namespace

std::vector<ConditionalRegion> PreprocessorRegions(absl::string_view text, bool is_header) {
  const Scan scan = ScanDirectives(text);
  const bool guarded = IsIncludeGuard(scan);
  std::vector<ConditionalRegion> regions;
  std::vector<Frame> open;
  const auto close = [&](int last_line) {
    const Frame& frame = open.back();
    if (frame.skipped || last_line < frame.first_line) return;
    ConditionalRegion region;
    region.condition = Cut(frame.condition);
    region.condition_line = frame.condition_line;
    region.first_line = frame.first_line;
    region.last_line = last_line;
    region.planted = absl::StrCat("#error ", RandomHex(6));
    region.plant_before = frame.first_line;
    regions.push_back(std::move(region));
  };
  for (const Directive& directive : scan.directives) {
    const std::string condition = absl::StrCat(
        "#", directive.name, directive.argument.empty() ? "" : " ", directive.argument);
    if (Opens(directive.name) && open.size() < kMaxDepth) {
      const bool skipped = is_header && ((open.empty() && guarded) || AsksForCpp(directive));
      open.push_back({condition, condition, directive.line, directive.next_line, skipped});
    } else if (Continues(directive.name) && !open.empty()) {
      close(directive.line - 1);
      Frame& frame = open.back();
      frame.condition = absl::StrCat(condition, " of ", frame.opening);
      frame.condition_line = directive.line;
      frame.first_line = directive.next_line;
      frame.skipped = false;
    } else if (directive.name == "endif" && !open.empty()) {
      close(directive.line - 1);
      open.pop_back();
    }
  }
  while (!open.empty()) {  // unbalanced: the compiler will say so
    close(scan.lines);
    open.pop_back();
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const ConditionalRegion& a, const ConditionalRegion& b) {
                     return a.condition_line < b.condition_line;
                   });
  return regions;
}

}  // namespace stile
