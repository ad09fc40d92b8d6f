#include "validators/integrity/failing_statements.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "validators/integrity/test_calls.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

constexpr size_t kMaxCalls = 6;

// The call with arguments that fail; "" if none are known.
std::string FailingFormOf(const TestCode& code, uint32_t call) {
  const absl::string_view text = code.Text(call);
  return code.language().FailingForm(NamesOfCall(code, call),
                                     std::string(text.substr(0, text.find('('))));
}

}  // namespace

FailingStatements::FailingStatements(const TestCode& code)
    : code_(code), calls_of_file_(CallsIn(0, code.size())) {}

std::vector<std::string> FailingStatements::CallsIn(uint32_t begin, uint32_t end) const {
  std::vector<std::string> calls;
  for (uint32_t i = begin; i < end && calls.size() < kMaxCalls; ++i) {
    if (code_.Role(i) != NodeRole::kCall) continue;
    const std::string form = FailingFormOf(code_, i);
    if (!form.empty() && std::find(calls.begin(), calls.end(), form) == calls.end()) {
      calls.push_back(form);
    }
  }
  return calls;
}

// What is named only in the function may not be known elsewhere: `self`, `t`.
std::vector<std::string> FailingStatements::CallsFor(uint32_t body) const {
  std::vector<std::string> calls = CallsIn(body, code_.End(body));
  if (!calls.empty()) return calls;
  for (const std::string& call : calls_of_file_) {
    if (!absl::StartsWith(call, "self.") && !absl::StartsWith(call, "t.")) calls.push_back(call);
  }
  return calls;
}

bool FailingStatements::Asserts(uint32_t body) const {
  for (uint32_t i = body; i < code_.End(body); ++i) {
    if (code_.Role(i) == NodeRole::kAssert) return true;
  }
  return false;
}

bool FailingStatements::HasForm(const std::string& form) const {
  return std::find(calls_of_file_.begin(), calls_of_file_.end(), form) != calls_of_file_.end();
}

std::string FailingStatements::For(uint32_t body, bool can_return,
                                   const std::string& indent) const {
  FailureSite site;
  site.calls = CallsFor(body);
  site.begin = code_.BeginByte(body);
  site.can_return = can_return;
  site.asserts = Asserts(body);
  site.indent = indent;
  return code_.language().FailingStatement(site);
}

}  // namespace stile
