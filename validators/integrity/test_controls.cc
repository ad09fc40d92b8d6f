#include "validators/integrity/test_controls.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/call_signatures.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_calls.h"

namespace stile {
namespace {

constexpr size_t kMaxShown = 80;

class ControlFinder {
 public:
  ControlFinder(const TestCode& code, const std::string& path, bool is_test,
                std::vector<TestControl>* controls)
      : code_(code), path_(path), is_test_(is_test), controls_(controls) {
    const std::string& grammar = code.grammar().name;
    is_python_ = grammar == "python";
    is_go_ = grammar == "go";
    is_c_ = grammar == "c" || grammar == "cpp";
    is_script_ = grammar == "javascript" || grammar == "typescript" || grammar == "tsx";
  }

  void Walk(uint32_t i, bool in_function, bool is_main) {
    const NodeRole role = code_.Role(i);
    if (role == NodeRole::kComment || role == NodeRole::kString) return;
    if (role == NodeRole::kFunction) {
      if (is_python_) OfPythonFunction(i);
      if (is_go_) OfTestMain(i);
      in_function = true;
    }
    if (role == NodeRole::kLambda) in_function = true;
    // if __name__ == "__main__":
    if (role == NodeRole::kIf && is_python_ && !in_function) {
      const uint32_t condition = code_.Child(i, "condition");
      is_main |= condition != 0 && absl::StrContains(code_.Text(condition), "__name__");
    }
    const absl::string_view type = code_.Type(i);
    if (role == NodeRole::kCall) OfCall(i, in_function, is_main);
    if (type == "assignment" || type == "assignment_expression") OfAssignment(i, in_function);
    if (type == "attribute" && is_test_ && code_.Text(i) == "os._exit") Add(i, "ends the test run");
    if ((type == "preproc_undef" || type == "preproc_call" || type == "preproc_def" ||
         type == "preproc_function_def") &&
        is_c_) {
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
    if (!is_c_) return false;
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
    const bool at_import = !in_function && (is_python_ || is_script_);
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
    static const RE2* const kScript = new RE2(
        R"((global|globalThis|window) \. (it|test|describe|expect|assert)|(it|test|describe|expect) \. \w+|process \. (exit|exitCode)|assert( \. \w+)?)");
    static const RE2* const kPython = new RE2(
        R"((.* \. )?TestCase \. \w+|builtins \. (AssertionError|assert\w*)|.* \. (exitstatus|testsfailed|outcome|wasxfail)|sys \. exitfunc)");
    if (is_script_ && is_test_ && Matches(name, *kScript)) Add(i, "decides about tests");
    if (!is_python_) return;
    const bool ignores = name == "collect_ignore" || name == "collect_ignore_glob";
    if ((ignores && !in_function) || Matches(name, *kPython)) {
      if (!ignores || BaseName(path_) == "conftest.py") Add(i, "keeps tests from running");
    }
    if (name == "pytest_plugins" && !in_function && !absl::StrContains(path_, "/") &&
        Finds(code_.Text(i), R"(no:|skip|xfail)")) {
      Add(i, "keeps tests from running");
    }
  }

  // A hook of pytest that can keep tests from running or change what they say.
  void OfPythonFunction(uint32_t i) {
    const uint32_t name_node = code_.Child(i, "name");
    const uint32_t body = code_.Child(i, "body");
    if (name_node == 0 || body == 0) return;
    const std::string name(code_.Text(name_node));
    static const RE2* const kDecides = new RE2(
        R"(pytest_(collect_file|collection|deselected|ignore_collect|make_collect_report|pycollect_makeitem|pycollect_makemodule|pyfunc_call|runtest_protocol|runtestloop|report_teststatus))");
    static const RE2* const kSees = new RE2(
        R"(pytest_(collection_modifyitems|collection_finish|fixture_setup|generate_tests|itemcollected|runtest_call|runtest_logreport|runtest_makereport|runtest_setup|runtest_teardown|sessionstart|sessionfinish|configure|unconfigure|load_initial_conftests|cmdline_main|cmdline_preparse|terminal_summary))");
    const std::string text = JoinTokens(code_.Tokens(body));
    const bool is_loader = name == "load_tests" && is_test_;
    if (Matches(name, *kDecides) || is_loader || (Matches(name, *kSees) && !IsHarmless(text))) {
      Add(name_node, "keeps tests from running");
    }
  }

  // Sorts, labels, records; drops no test and changes no result.
  static bool IsHarmless(const std::string& body) {
    static const RE2* const kHarm = new RE2(
        R"(\b(skip|skipif|xfail|Skipped|_exit|exit|exitstatus|testsfailed|force_result|force_exception|longrepr|wasxfail|deselected|clear|remove|pop|del|shouldstop|shouldfail|discard|option|args|kill|abort)\b|outcome =|items = |items \[ : \] =|items \[ [^\]]*\] =|\. (outcome|result) =)");
    static const RE2* const kSorted =
        new RE2(R"(items \[ : \] = (sorted|list \( sorted|reversed|list \( reversed) \( items)");
    std::string rest = body;
    RE2::GlobalReplace(&rest, *kSorted, "");
    return !Finds(rest, *kHarm);
  }

  // A TestMain that runs nothing.
  void OfTestMain(uint32_t i) {
    const uint32_t name = code_.Child(i, "name");
    if (name == 0 || !is_test_ || code_.Text(name) != "TestMain") return;
    static const RE2* const kRuns = new RE2(
        R"(\. Run \( \)|(VerifyTestMain|RunTests|RunSpecs|\bMain|\bTestMain|\bSetup\w*|\bsetup\w*|\bRun\w*) \( \w)");
    const uint32_t body = code_.Child(i, "body");
    if (body == 0) return;
    const CodeTokens tokens = code_.Tokens(body);
    if (!Finds(JoinTokens(tokens), *kRuns) && !CallsWhatRuns(tokens)) Add(name, "runs no tests");
  }

  // func TestMain(m *testing.M) { os.Exit(testMain(m)) }
  bool CallsWhatRuns(const CodeTokens& tokens) const {
    std::set<std::string> called;
    for (const CallForm& form : CallFormsIn(tokens)) called.insert(form.name);
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.Role(i) != NodeRole::kFunction) continue;
      const uint32_t name = code_.Child(i, "name");
      if (name == 0 || called.count(std::string(code_.Text(name))) == 0) continue;
      static const RE2* const kRuns = new RE2(R"(\w+ \* testing \. M\b.*\. Run \( \))");
      if (Finds(JoinTokens(code_.Tokens(i)), *kRuns)) return true;
    }
    return false;
  }

  const TestCode& code_;
  const std::string& path_;
  const bool is_test_;
  std::vector<TestControl>* controls_;
  bool is_python_ = false;
  bool is_go_ = false;
  bool is_c_ = false;
  bool is_script_ = false;
};

}  // namespace

void FindTestControls(const TestCode& code, const std::string& path, bool is_test,
                      std::vector<TestControl>* controls) {
  ControlFinder(code, path, is_test, controls).Walk(0, false, false);
}

}  // namespace stile
