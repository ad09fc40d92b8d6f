#include "validators/diagnostics/junit_report.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

std::string Unescaped(absl::string_view text) {
  return absl::StrReplaceAll(ToUtf8(text), {{"&lt;", "<"},
                                            {"&gt;", ">"},
                                            {"&quot;", "\""},
                                            {"&apos;", "'"},
                                            {"&#10;", "\n"},
                                            {"&#9;", "\t"},
                                            {"&#13;", "\r"},
                                            {"&amp;", "&"}});
}

struct Tag {
  std::string name;  // "/testcase" for an end tag
  std::map<std::string, std::string> attributes;
  bool is_closed = false;  // "<a/>"

  std::string Attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

// The tag whose '<' is at `xml[*position]`; moves past its '>'. nullopt at a tag that does not end.
std::optional<Tag> ReadTag(absl::string_view xml, size_t* position) {
  Tag tag;
  size_t i = *position + 1;
  const size_t name_end = std::min(xml.find_first_of(" \t\r\n>", i), xml.size());
  absl::string_view name = xml.substr(i, name_end - i);
  if (absl::ConsumeSuffix(&name, "/")) tag.is_closed = true;
  tag.name = std::string(name);
  i = name_end;
  while (i < xml.size() && xml[i] != '>') {
    const size_t key_begin = xml.find_first_not_of(" \t\r\n", i);
    if (key_begin == absl::string_view::npos) return std::nullopt;
    if (xml[key_begin] == '>' || xml[key_begin] == '/' || xml[key_begin] == '?') {
      tag.is_closed = tag.is_closed || xml[key_begin] == '/';
      i = xml[key_begin] == '>' ? key_begin : key_begin + 1;
      continue;
    }
    const size_t equals = xml.find_first_of("=>", key_begin);
    if (equals == absl::string_view::npos) return std::nullopt;
    if (xml[equals] == '>') {
      i = equals;
      break;
    }
    const size_t open = xml.find_first_not_of(" \t\r\n", equals + 1);
    if (open == absl::string_view::npos || (xml[open] != '"' && xml[open] != '\'')) {
      return std::nullopt;
    }
    const size_t close = xml.find(xml[open], open + 1);
    if (close == absl::string_view::npos) return std::nullopt;
    tag.attributes[std::string(absl::StripAsciiWhitespace(xml.substr(
        key_begin, equals - key_begin)))] = Unescaped(xml.substr(open + 1, close - open - 1));
    i = close + 1;
  }
  if (i >= xml.size()) return std::nullopt;
  *position = i + 1;
  return tag;
}

}  // namespace

absl::StatusOr<std::vector<JunitCase>> ParseJunitReport(absl::string_view xml) {
  std::vector<JunitCase> cases;
  int open_suites = 0;
  bool any_suite = false;
  bool in_case = false;
  std::string* text = nullptr;  // of the last case, to which what stands between tags belongs
  size_t position = 0;
  while (position < xml.size()) {
    const size_t next = std::min(xml.find('<', position), xml.size());
    if (text != nullptr) *text += Unescaped(xml.substr(position, next - position));
    position = next;
    if (position >= xml.size()) break;
    const absl::string_view rest = xml.substr(position);
    if (absl::StartsWith(rest, "<![CDATA[")) {
      const size_t end = std::min(xml.find("]]>", position), xml.size());
      if (text != nullptr) *text += ToUtf8(xml.substr(position + 9, end - position - 9));
      position = std::min(end + 3, xml.size());
      continue;
    }
    if (absl::StartsWith(rest, "<!--")) {
      position = std::min(xml.find("-->", position), xml.size() - 3) + 3;
      continue;
    }
    const std::optional<Tag> tag = ReadTag(xml, &position);
    if (!tag.has_value()) return absl::InvalidArgumentError("the test report ends within a tag");
    if (tag->name == "testsuite") {
      any_suite = true;
      if (!tag->is_closed) ++open_suites;
    } else if (tag->name == "/testsuite") {
      --open_suites;
    } else if (tag->name == "testcase") {
      JunitCase found;
      found.class_name = tag->Attribute("classname");
      found.name = tag->Attribute("name");
      found.file = tag->Attribute("file");
      if (!absl::SimpleAtoi(tag->Attribute("line"), &found.line)) found.line = 0;
      cases.push_back(std::move(found));
      in_case = !tag->is_closed;
      text = nullptr;
    } else if (tag->name == "/testcase") {
      in_case = false;
    } else if (in_case && (tag->name == "failure" || tag->name == "error")) {
      JunitCase& current = cases.back();
      if (current.outcome != JunitCase::Outcome::kFailed) {
        current.outcome = JunitCase::Outcome::kFailed;
        current.message = tag->Attribute("message");
        if (!tag->is_closed) text = &current.details;
      }
    } else if (in_case && tag->name == "system-out") {
      if (!tag->is_closed) text = &cases.back().output;
    } else if (in_case && tag->name == "skipped") {
      if (cases.back().outcome == JunitCase::Outcome::kPassed) {
        cases.back().outcome = JunitCase::Outcome::kSkipped;
      }
    } else if (tag->name == "/failure" || tag->name == "/error" || tag->name == "/system-out") {
      text = nullptr;
    }
  }
  if (!any_suite || open_suites > 0) {
    return absl::InvalidArgumentError("the test report is not complete");
  }
  return cases;
}

void AddNamedTests(const std::vector<JunitCase>& cases, NamedTests* tests) {
  for (const JunitCase& test : cases) {
    TestOutcome outcome = TestOutcome::kPassed;
    if (test.outcome == JunitCase::Outcome::kFailed) outcome = TestOutcome::kFailed;
    if (test.outcome == JunitCase::Outcome::kSkipped) outcome = TestOutcome::kSkipped;
    const bool has_class = !test.class_name.empty() && test.class_name != test.name;
    AddNamedTest(has_class ? absl::StrCat(test.class_name, ".", test.name) : test.name, outcome,
                 tests, FunctionOfTest(test.name),
                 absl::StrCat(test.message, "\n", test.details, "\n", test.output));
  }
}

TestCounts CountCases(const std::vector<JunitCase>& cases,
                      const std::function<void(const JunitCase&)>& failed) {
  TestCounts counts;
  for (const JunitCase& test : cases) {
    switch (test.outcome) {
      case JunitCase::Outcome::kPassed:
        ++counts.passed;
        break;
      case JunitCase::Outcome::kSkipped:
        ++counts.skipped;
        break;
      case JunitCase::Outcome::kFailed:
        ++counts.failed;
        failed(test);
        break;
    }
  }
  return counts;
}

}  // namespace stile
