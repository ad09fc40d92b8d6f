#include "validators/integrity/test_controls.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_calls.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 80;

class ControlFinder {
 public:
  ControlFinder(const TestCode& code, const std::string& path, bool is_test,
                std::vector<TestControl>* controls)
      : code_(code),
        language_(code.language()),
        facts_(code.language().facts()),
        path_(path),
        is_test_(is_test),
        controls_(controls) {}

  void Walk(uint32_t i, bool in_function, bool is_main) {
    const NodeRole role = code_.Role(i);
    if (role == NodeRole::kComment || role == NodeRole::kString) return;
    if (role == NodeRole::kFunction) {
      const ControlEffect found = language_.EffectOfFunction(code_, i, is_test_);
      if (found.node != 0) Add(found.node, found.effect);
      in_function = true;
    }
    if (role == NodeRole::kLambda) in_function = true;
    // if __name__ == "__main__":
    if (role == NodeRole::kIf && !facts_.main_guard.empty() && !in_function) {
      const uint32_t condition = code_.Child(i, "condition");
      is_main |= condition != 0 && absl::StrContains(code_.Text(condition), facts_.main_guard);
    }
    const absl::string_view type = code_.Type(i);
    if (role == NodeRole::kCall) OfCall(i, in_function, is_main);
    if (type == "assignment" || type == "assignment_expression") OfAssignment(i, in_function);
    if (type == "attribute" && is_test_ && code_.Text(i) == "os._exit") Add(i, "ends the test run");
    if ((type == "preproc_undef" || type == "preproc_call" || type == "preproc_def" ||
         type == "preproc_function_def") &&
        facts_.defines_macros) {
      OfMacro(i);
    }
    for (uint32_t child = i + 1; child < code_.End(i); child = code_.End(child)) {
      Walk(child, in_function, is_main);
    }
  }

 private:
  void Add(uint32_t i, absl::string_view effect) {
    const absl::string_view text = code_.Text(i);
    const std::string shown(
        text.substr(0, std::min<size_t>({text.find('\n'), text.size(), kMaxShown})));
    controls_->push_back({path_, absl::StrCat("'", ToUtf8(shown), "' ", effect), code_.Line(i)});
  }

  // A macro of the tests' own that can fail may be written anew; what it was is known by its name.
  void OfMacro(uint32_t i) {
    static const RE2* const kNoAssert = new RE2(
        R"(^#\s*(undef\s+assert\b|define\s+(NDEBUG|assert|EXPECT_\w+|ASSERT_\w+|REQUIRE|CHECK)\b))");
    static const RE2* const kOwn = new RE2(R"(^#\s*define\s+(CHECK|REQUIRE)\((\w+)\)((?s:.*)))");
    static const RE2* const kFails = new RE2(
        R"(\b(exit|abort|return|throw|longjmp)\b|\+\+\s*\w+|\w+\s*\+\+|\w+ = (1|true|false)\b)");
    const absl::string_view text = code_.Text(i);
    if (!Finds(text, *kNoAssert)) return;
    std::string name, parameter, body;
    if (!Finds(text, *kOwn, &name, &parameter, &body) || !HoldsWord(body, parameter) ||
        !Finds(body, *kFails)) {
      return Add(i, "takes assertions out");
    }
    controls_->push_back(
        {path_, absl::StrCat("'#define ", name, "' takes assertions out"), code_.Line(i)});
  }

  // The value that the process ends with is known to be success.
  static bool IsSuccess(const CodeTokens& arguments) {
    if (arguments.empty()) return true;
    if (arguments.size() != 1) return false;
    const std::string& text = arguments[0].text;
    return text == "0" || text == "EXIT_SUCCESS" || text == "None" || text == "false";
  }

  // child = fork(); if (child == 0) { body(); _exit(0); }
  bool IsInChild(uint32_t i) const {
    if (!facts_.forks_processes) return false;
    static const RE2* const kChild = new RE2(R"((?:(\w+) == 0|0 == (\w+)|! (\w+)))");
    for (uint32_t outer = 0; outer < i; ++outer) {
      if (code_.Role(outer) != NodeRole::kFunction || code_.End(outer) <= i) continue;
      const std::string function = JoinTokens(code_.Tokens(outer));
      for (uint32_t at = outer; at < i; ++at) {
        const uint32_t then = code_.Child(at, "consequence");
        if (code_.Role(at) != NodeRole::kIf || then == 0 || i < then || code_.End(then) <= i) {
          continue;
        }
        const std::string condition =
            JoinTokens(WithoutBrackets(code_.Tokens(code_.Child(at, "condition"))));
        std::string left, right, denied;
        if (!Matches(condition, *kChild, &left, &right, &denied)) continue;
        if (absl::StrContains(function, absl::StrCat(" ", left, right, denied, " = fork ( ) ;"))) {
          return true;
        }
      }
    }
    return false;
  }

  void OfCall(uint32_t i, bool in_function, bool is_main) {
    if (is_main || !IsExitCall(code_, i)) return;
    const CallNames names = NamesOfCall(code_, i);
    const bool at_import = !in_function && facts_.runs_on_import;
    // A test that exits with a failure fails. In product code functions may exit.
    if ((is_test_ || at_import) && IsSuccess(names.arguments) && !IsInChild(i)) {
      Add(i, "ends the test run");
      controls_->back().of_product = !is_test_;
    }
  }

  // global.it = …, TestCase.assertEqual = …, collect_ignore = […]
  void OfAssignment(uint32_t i, bool in_function) {
    const uint32_t left = code_.Child(i, "left");
    if (left == 0) return;
    const std::string name = JoinTokens(code_.Tokens(left));
    const absl::string_view effect =
        language_.EffectOfAssignment({code_, i, path_, is_test_, in_function}, name);
    if (!effect.empty()) Add(i, effect);
  }

  const TestCode& code_;
  const TestLanguage& language_;
  const TestLanguageFacts& facts_;
  const std::string& path_;
  const bool is_test_;
  std::vector<TestControl>* controls_;
};

}  // namespace

void FindTestControls(const TestCode& code, const std::string& path, bool is_test,
                      std::vector<TestControl>* controls) {
  ControlFinder(code, path, is_test, controls).Walk(0, false, false);
}

}  // namespace stile
