#include "validators/integrity/test_calls.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_expression.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

bool IsArguments(const TestCode& code, uint32_t i) {
  const absl::string_view type = code.Type(i);
  return type == "argument_list" || type == "arguments" || type == "token_tree" ||
         type == "type_arguments" || type == "type_argument_list";
}

// The names in [begin, end) that stand in no arguments and no function.
std::vector<std::string> NamesIn(const TestCode& code, uint32_t begin, uint32_t end) {
  std::vector<std::string> names;
  for (uint32_t i = begin; i < end; ++i) {
    const NodeRole role = code.Role(i);
    if (IsArguments(code, i) || role == NodeRole::kLambda || role == NodeRole::kComment ||
        role == NodeRole::kString || code.Type(i) == "template_argument_list" ||
        code.Type(i) == "block") {
      i = code.End(i) - 1;
      continue;
    }
    if (code.End(i) != i + 1) continue;
    const absl::string_view text = code.Text(i);
    const bool is_name = !text.empty() && (absl::ascii_isalpha(text[0]) || text[0] == '_' ||
                                           static_cast<unsigned char>(text[0]) >= 0x80);
    if (is_name && text != "await" && text != "new") names.emplace_back(text);
  }
  return names;
}

CallNames Named(std::vector<std::string> all) {
  CallNames names;
  names.all = std::move(all);
  if (!names.all.empty()) {
    names.head = names.all.front();
    names.last = names.all.back();
  }
  return names;
}

bool IsTruthWord(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  return lower == "true" || lower == "false" || lower == "none" || lower == "null" ||
         lower == "nil" || lower == "undefined" || lower == "nullptr";
}

// assertTrue(cond), assert.True(t, cond), EXPECT_FALSE(cond), assertThat(x, is(6))
Strength StrengthOfArguments(const CallNames& names, std::vector<CodeTokens> arguments) {
  if (arguments.empty()) return Strength::kWeak;
  if (arguments.size() > 1 && arguments[0].size() == 1 && arguments[0][0].is_name &&
      (names.head == "assert" || names.head == "require") && arguments[0][0].text.size() <= 2) {
    arguments.erase(arguments.begin());  // the *testing.T
  }
  const bool says_that =
      absl::EndsWithIgnoreCase(names.last, "that") || absl::EndsWith(names.last, "THAT");
  if (says_that && arguments.size() > 1) {
    std::vector<std::string> words;
    for (const CodeToken& token : arguments[1]) {
      if (token.text == "(" && !words.empty()) break;
      if (token.is_name) words.push_back(token.text);
    }
    if (words.empty()) return Strength::kPartial;
    const Strength strength = StrengthOfMatcher(words.back());
    return strength == Strength::kVacuous ? Strength::kWeak : strength;
  }
  // assertTrue("message", cond) of JUnit 4
  const bool has_message = arguments.size() > 1 && arguments[0].size() == 1 &&
                           arguments[0][0].is_literal && !IsTruthWord(arguments[0][0].text) &&
                           absl::StartsWith(arguments[0][0].text, "\"");
  const CodeTokens& condition = arguments[has_message ? 1 : 0];
  const std::string plain = absl::AsciiStrToLower(names.last);
  return absl::StrContains(plain, "false") ? StrengthOfDenial(condition)
                                           : StrengthOfCondition(condition);
}

}  // namespace

bool ComparesWithNothing(const CallNames& names) {
  static const RE2* const kNothing = new RE2(
      R"((?i)(assert|expect|check|require|to_?be|be|is|should_?be)?_?(nil|null|none|undefined)!?)");
  if (Matches(names.last, *kNothing)) {
    return std::none_of(names.all.begin(), names.all.end(),
                        [](const std::string& name) { return name == "not" || name == "Not"; });
  }
  if (StrengthOfMatcher(names.last) != Strength::kExact) return false;
  for (const CodeTokens& argument : SplitAtCommas(names.arguments)) {
    if (argument.size() == 1 && IsTruthWord(argument[0].text)) return true;
  }
  return false;
}

CallNames NamesOfCall(const TestCode& code, uint32_t call) {
  uint32_t arguments = 0;
  for (uint32_t child = call + 1; child < code.End(call); child = code.End(child)) {
    if (IsArguments(code, child) && !absl::StrContains(code.Type(child), "type")) arguments = child;
  }
  CallNames names = Named(NamesIn(code, call, arguments == 0 ? code.End(call) : arguments));
  if (arguments == 0) return names;
  CodeTokens tokens = code.Tokens(arguments);
  if (tokens.size() >= 2) {
    names.arguments = CodeTokens(tokens.begin() + 1, tokens.end() - 1);
  }
  for (uint32_t i = call + 1; i < arguments; ++i) {  // of expect(…)
    if (!IsArguments(code, i)) continue;
    const CodeTokens inner = code.Tokens(i);
    if (inner.size() >= 2) names.subject = CodeTokens(inner.begin() + 1, inner.end() - 1);
    i = code.End(i) - 1;
  }
  for (uint32_t child = arguments + 1; child < code.End(arguments); child = code.End(child)) {
    names.has_function |= code.Role(child) == NodeRole::kLambda;
  }
  return names;
}

CallNames NamesOfChain(const TestCode& code, uint32_t node) {
  return Named(NamesIn(code, node, code.End(node)));
}

bool IsExitCall(const TestCode& code, uint32_t call) {
  static const RE2* const kExit = new RE2(
      R"(os\._exit|sys\.exit|exit|quit|_exit|_Exit|quick_exit|pytest\.exit|process\.(exit|reallyExit|abort)|Deno\.exit|os\.Exit|syscall\.Exit|std\.exit|std\.quick_exit|std\._Exit|process\.exit|std\.process\.exit|System\.exit|Runtime\.getRuntime\.(halt|exit)|Environment\.(Exit|FailFast)|runtime\.Goexit)");
  std::string name;
  for (const std::string& part : NamesOfCall(code, call).all) {
    if (!name.empty()) name += ".";
    name += part;
  }
  return Matches(name, *kExit);
}

bool SwallowsAssertions(const TestCode& code, uint32_t handler) {
  uint32_t body = code.Child(handler, "body");
  for (uint32_t child = handler + 1; child < code.End(handler); child = code.End(child)) {
    if (body == 0 && code.Role(child) == NodeRole::kBlock) body = child;
  }
  const std::string head =
      JoinTokens(code.TokensIn(handler + 1, body == 0 ? code.End(handler) : body));
  const bool catches = code.language().CatchesFailures(head);
  if (!catches || body == 0) return catches;
  for (uint32_t i = body; i < code.End(body); ++i) {
    const NodeRole role = code.Role(i);
    if (role == NodeRole::kThrow || role == NodeRole::kAssert) return false;
    if (role != NodeRole::kCall) continue;
    // Asserts something about what was caught, or hands it on: done(error).
    const CallNames names = NamesOfCall(code, i);
    if (IsFailureCall(code.language(), names.head, names.last) ||
        IsAssertionCall(code.language(), names.head, names.last) || names.last == "done" ||
        names.last == "reject" || names.last == "cb" || names.last == "next" ||
        names.last == "callback") {
      return false;
    }
  }
  return true;
}

Strength StrengthOfAssertion(const CallNames& names) {
  std::vector<CodeTokens> arguments = SplitAtCommas(names.arguments);
  if (names.last == "expect" || names.head == names.last) {
    if (names.last == "expect" || names.last == "assertThat") {
      if (arguments.size() < 2) return Strength::kVacuous;  // compares nothing
    }
  }
  Strength strength = StrengthOfMatcher(names.last);
  if (strength == Strength::kVacuous) {
    // assertThat(list.contains(x)).isTrue(), (x == 6).Should().BeTrue()
    const bool is_chained = names.all.size() > 1 && arguments.empty() && !names.subject.empty();
    if (is_chained) arguments = SplitAtCommas(names.subject);
    return StrengthOfArguments(names, std::move(arguments));
  }
  // rejects(load(path), {code: 'ENOENT'}) compares what was thrown.
  const bool names_failure = names.last == "throws" || names.last == "rejects";
  if (names_failure && arguments.size() >= 2 && !arguments[1].empty() &&
      arguments[1][0].text == "{") {
    return Strength::kExact;
  }
  const bool denied = std::any_of(names.all.begin(), names.all.end(), [](const std::string& name) {
    return name == "not" || name == "Not" || name == "never" || name == "doesNotThrow";
  });
  if (denied && strength == Strength::kExact) strength = Strength::kWeak;
  if (strength != Strength::kExact) return strength;
  // assertEqual(1, 1), assertEqual(x, x), expect(1).toBe(1)
  static const RE2* const kEquality = new RE2(
      R"((?i)(assert|expect|check|require|to|be|is)?_?(deep|strict)?_?(eq|equals?|same|be|equal_?to|are_?equal)!?)");
  if (Matches(names.last, *kEquality) && arguments.size() == 1 && IsConstant(arguments[0]) &&
      names.head == "expect" && names.subject.size() == 1 && IsConstant(names.subject)) {
    return Strength::kVacuous;
  }
  if (arguments.size() >= 2 && Matches(names.last, *kEquality)) {
    if (IsConstant(arguments[0]) && IsConstant(arguments[1])) return Strength::kVacuous;
    const bool has_call = std::any_of(arguments[0].begin(), arguments[0].end(),
                                      [](const CodeToken& token) { return token.text == "("; });
    if (!has_call && JoinTokens(arguments[0]) == JoinTokens(arguments[1])) {
      return Strength::kVacuous;
    }
  }
  for (const CodeTokens& argument : arguments) {
    if (argument.size() != 1 || !IsTruthWord(argument[0].text)) continue;
    const std::string lower = absl::AsciiStrToLower(argument[0].text);
    if (names.subject.empty() || (lower != "true" && lower != "false")) return Strength::kWeak;
    return lower == "true" ? StrengthOfCondition(names.subject) : StrengthOfDenial(names.subject);
  }
  return strength;
}

}  // namespace stile
