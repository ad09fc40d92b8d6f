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

// Reads a report tag by tag. Not strict: it takes what runners write.
class JunitReader {
 public:
  explicit JunitReader(absl::string_view xml) : xml_(xml) {}

  absl::StatusOr<std::vector<JunitCase>> Read() {
    while (position_ < xml_.size()) {
      const size_t next = std::min(xml_.find('<', position_), xml_.size());
      if (text_ != nullptr) *text_ += Unescaped(xml_.substr(position_, next - position_));
      position_ = next;
      if (position_ >= xml_.size()) break;
      if (SkipCommentOrData()) continue;
      const std::optional<Tag> tag = ReadTag(xml_, &position_);
      if (!tag.has_value()) return absl::InvalidArgumentError("the test report ends within a tag");
      Take(*tag);
    }
    if (!any_suite_ || open_suites_ > 0) {
      return absl::InvalidArgumentError("the test report is not complete");
    }
    return std::move(cases_);
  }

 private:
  bool SkipCommentOrData() {
    const absl::string_view rest = xml_.substr(position_);
    if (absl::StartsWith(rest, "<![CDATA[")) {
      const size_t end = std::min(xml_.find("]]>", position_), xml_.size());
      if (text_ != nullptr) *text_ += ToUtf8(xml_.substr(position_ + 9, end - position_ - 9));
      position_ = std::min(end + 3, xml_.size());
      return true;
    }
    if (!absl::StartsWith(rest, "<!--")) return false;
    position_ = std::min(xml_.find("-->", position_), xml_.size() - 3) + 3;
    return true;
  }

  void Take(const Tag& tag) {
    if (tag.name == "testsuite") {
      any_suite_ = true;
      if (!tag.is_closed) ++open_suites_;
    } else if (tag.name == "/testsuite") {
      --open_suites_;
    } else if (tag.name == "testcase") {
      BeginCase(tag);
    } else if (tag.name == "/testcase") {
      in_case_ = false;
    } else if (tag.name == "/failure" || tag.name == "/error" || tag.name == "/system-out") {
      text_ = nullptr;
    } else if (in_case_) {
      TakeOutcome(tag);
    }
  }

  void BeginCase(const Tag& tag) {
    JunitCase& found = cases_.emplace_back();
    found.class_name = tag.Attribute("classname");
    found.name = tag.Attribute("name");
    found.file = tag.Attribute("file");
    if (!absl::SimpleAtoi(tag.Attribute("line"), &found.line)) found.line = 0;
    in_case_ = !tag.is_closed;
    text_ = nullptr;
  }

  // What stands in a case, of which the first failure counts.
  void TakeOutcome(const Tag& tag) {
    JunitCase& current = cases_.back();
    if (tag.name == "failure" || tag.name == "error") {
      if (current.outcome == JunitCase::Outcome::kFailed) return;
      current.outcome = JunitCase::Outcome::kFailed;
      current.message = tag.Attribute("message");
      if (!tag.is_closed) text_ = &current.details;
    } else if (tag.name == "system-out") {
      if (!tag.is_closed) text_ = &current.output;
    } else if (tag.name == "skipped" && current.outcome == JunitCase::Outcome::kPassed) {
      current.outcome = JunitCase::Outcome::kSkipped;
    }
  }

  const absl::string_view xml_;
  size_t position_ = 0;
  std::vector<JunitCase> cases_;
  int open_suites_ = 0;
  bool any_suite_ = false;
  bool in_case_ = false;
  std::string* text_ = nullptr;  // of the last case, to which what stands between tags belongs
};

}  // namespace

absl::StatusOr<std::vector<JunitCase>> ParseJunitReport(absl::string_view xml) {
  return JunitReader(xml).Read();
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
