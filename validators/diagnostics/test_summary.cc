#include "validators/diagnostics/test_summary.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "validators/diagnostics/junit_report.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/test_lines.h"
#include "validators/diagnostics/test_numbers.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;
// How often each byte of a text may be looked at for values of JSON: openings that turn out to have
// no end, or to be none, are looked at up to there.
constexpr size_t kMaxLooks = 20;

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// What a program under test writes for itself, whatever went wrong there.
bool IsLogRecord(const Json& value) {
  const auto has_any = [&value](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(),
                       [&value](const char* key) { return JsonMember(value, key) != nullptr; });
  };
  return has_any({"level", "severity"}) &&
         has_any({"msg", "message", "time", "ts", "timestamp", "@timestamp"});
}

// Whether a line that begins like this may be the first of a value.
bool MayBeJson(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "{")) {
    if (!absl::ConsumePrefix(&line, "[")) return false;
    line = absl::StripLeadingAsciiWhitespace(line);
    return line.empty() || absl::StrContains("[{]\"-0123456789tfn", line.substr(0, 1));
  }
  line = absl::StripLeadingAsciiWhitespace(line);
  return line.empty() || line[0] == '"' || line[0] == '}';
}

// The end of the value of JSON at `begin`, as far as brackets and strings tell. npos if it has none
// before `budget`, which goes down by what was looked at.
size_t EndOfJson(absl::string_view text, size_t begin, size_t* budget) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = begin; i < text.size() && *budget > 0; ++i, --*budget) {
    const char c = text[i];
    if (in_string) {
      if (c == '\n') break;
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

// The end of the report at `begin`, and of those that follow it at once.
size_t EndOfJunit(absl::string_view text, size_t begin) {
  for (size_t at = begin;;) {
    const size_t close = text.find("</testsuite", at);
    // Suites without cases may be closed in their own tag; else the report is cut off.
    const size_t end = close == absl::string_view::npos ? text.rfind('>') : text.find('>', close);
    if (end == absl::string_view::npos || end < begin) return text.size();
    const size_t next = text.find_first_not_of(" \t\r\n", end + 1);
    if (close == absl::string_view::npos || next == absl::string_view::npos || text[next] != '<') {
      return end + 1;
    }
    at = end;
  }
}

TestSummary FromJunit(absl::string_view xml) {
  // Reporters may write cases outside of any suite.
  const bool is_framed = absl::StrContains(xml, "</testsuites>");
  const auto cases = ParseJunitReport(is_framed ? absl::StrCat("<testsuite>", xml, "</testsuite>")
                                                : std::string(xml));
  TestSummary summary;
  summary.complete = summary.found = cases.ok();
  if (!cases.ok()) return summary;
  summary.counts = CountCases(*cases, [](const JunitCase&) {});
  // Suites may count failures that belong to no case.
  static const auto* const fault = new Pattern(R"(\s(?:failures|errors)=["']\s*[^0"'\s])");
  for (size_t at = xml.find("<testsuite"); at != absl::string_view::npos;) {
    const size_t next = xml.find('<', at + 1);
    const bool is_fault =
        fault->IsIn(xml.substr(at, next == absl::string_view::npos ? next : next - at));
    if (is_fault && summary.counts.failed == 0) summary.complete = false;
    at = xml.find("<testsuite", at + 1);
  }
  return summary;
}

}  // namespace

bool TestSummary::ready() const {
  return found && complete && counts.failed == 0 && errors == 0 && counts.passed > 0;
}

int TestSummary::failures() const { return found ? SaturatingSum(counts.failed, errors) : -1; }

void TestSummary::Add(const TestSummary& other) {
  found = found || other.found;
  complete = complete && other.complete;
  counts.passed = SaturatingSum(counts.passed, other.counts.passed);
  counts.failed = SaturatingSum(counts.failed, other.counts.failed);
  counts.skipped = SaturatingSum(counts.skipped, other.counts.skipped);
  errors = SaturatingSum(errors, other.errors);
}

TestSummary SummarizeTestText(absl::string_view raw, int depth) {
  static const auto* const escapes =
      new Pattern("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~])");
  TestSummary summary;
  if (depth > kMaxDepth) return summary;
  const std::string plain = escapes->Without(absl::StripPrefix(raw, "\xEF\xBB\xBF"));
  const absl::string_view text = plain;
  const size_t last_suite = text.rfind("<testsuite");
  size_t budget = text.size() * kMaxLooks;
  Json events = Json::array();  // of Go: they belong together
  TestLines lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    const absl::string_view line = text.substr(begin, end - begin);
    const absl::string_view content = absl::StripLeadingAsciiWhitespace(line);
    const size_t start = end - content.size();
    const bool is_xml =
        absl::StartsWith(content, "<?xml") || absl::StartsWith(content, "<testsuite");
    if (is_xml && last_suite != absl::string_view::npos && start <= last_suite) {
      const size_t xml_end = EndOfJunit(text, start);
      summary.Add(FromJunit(text.substr(start, xml_end - start)));
      begin = xml_end;
      continue;
    }
    if (MayBeJson(content)) {
      const size_t close = EndOfJson(text, start, &budget);
      const size_t after = close == absl::string_view::npos
                               ? close
                               : std::min(text.find_first_not_of(" \t", close), text.size());
      if (after == text.size() || (after < text.size() && IsLineEnd(text[after]))) {
        absl::StatusOr<Json> value = ParseJson(text.substr(start, close - start));
        if (value.ok()) {
          const std::string action = JsonString(*value, "Action").value_or("");
          if (action.empty() && !IsLogRecord(*value)) {
            summary.Add(SummarizeTestJson(*value, depth + 1));
          } else if (!action.empty() && action != "output" && action != "build-output") {
            events.push_back(*std::move(value));
          }
          begin = after;
          continue;
        }
      }
    }
    lines.Read(line);
    begin = end + 1;
  }
  // Nobody knows what the rest says.
  if (budget == 0 && !text.empty()) summary.complete = false;
  summary.Add(SummarizeTestJson(events, depth));
  summary.Add(lines.Result());
  return summary;
}

TestSummary SummarizeTests(const Json& output) { return SummarizeTestJson(output); }

}  // namespace stile
