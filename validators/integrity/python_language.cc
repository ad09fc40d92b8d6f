// Python: pytest and unittest.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/condition_syntax.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_languages.h"
#include "validators/integrity/test_planter.h"

namespace stile {
namespace {

constexpr absl::string_view kKeepsFromRunning = "keeps tests from running";

// pytest sets the variable while a test runs, so that what runs at import goes on.
constexpr absl::string_view kMark = R"("PYTEST_CURRENT_TEST" in __import__("os").environ and )"
                                    R"((_ for _ in ()).throw(BaseException("$1" "$2")))";

TestLanguageFacts Facts() {
  TestLanguageFacts facts;
  facts.assertions = {{"assert_that"},
                      {"assert", "expect", "verify", "check_"},
                      {"raises", "warns", "approx_equal"},
                      {"fail"}};
  facts.failing_calls = {
      {new RE2(R"(self\.assertEqual)"), "(1, 2)"},
      {new RE2(R"(self\.assert(True|IsNotNone))"), "(None)"},
      {new RE2(R"(self\.assert(False|IsNone))"), "(1)"},
  };
  facts.rebinds_tests = true;
  facts.runs_on_import = true;
  facts.main_guard = "__name__";
  facts.has_docstrings = true;
  return facts;
}

// Sorts, labels, records; drops no test and changes no result.
bool IsHarmless(const std::string& body) {
  static const RE2* const kHarm = new RE2(
      R"(\b(skip|skipif|xfail|Skipped|_exit|exit|exitstatus|testsfailed|force_result|force_exception|longrepr|wasxfail|deselected|clear|remove|pop|del|shouldstop|shouldfail|discard|option|args|kill|abort)\b|outcome =|items = |items \[ : \] =|items \[ [^\]]*\] =|\. (outcome|result) =)");
  static const RE2* const kSorted =
      new RE2(R"(items \[ : \] = (sorted|list \( sorted|reversed|list \( reversed) \( items)");
  std::string rest = body;
  RE2::GlobalReplace(&rest, *kSorted, "");
  return !Finds(rest, *kHarm);
}

bool IsDocstring(const TestCode& code, uint32_t statement) {
  const std::vector<uint32_t> parts = code.Children(statement);
  return code.Type(statement) == "expression_statement" && parts.size() == 1 &&
         code.Role(parts[0]) == NodeRole::kString;
}

// What stands before the byte on its line.
std::string TextBefore(const TestCode& code, size_t at) {
  const size_t newline = at == 0 ? std::string::npos : code.text().rfind('\n', at - 1);
  const size_t line = newline == std::string::npos ? 0 : newline + 1;
  return std::string(code.text().substr(line, at - line));
}

// Otherwise the statement stands on the line of `def`.
bool IsIndent(const std::string& text) {
  return text.find_first_not_of(" \t") == std::string::npos;
}

std::string SimpleFailure(bool asserts) {
  return asserts ? "assert 1 > 2" : "raise AssertionError('planted failure')";
}

class Python : public TestLanguage {
 public:
  Python() : TestLanguage(Facts()) {}

  bool IsTestFunction(const TestCode& /*code*/, const FunctionPlace& place, uint32_t /*i*/,
                      const TestFunctionName& name,
                      const std::vector<uint32_t>& /*markers*/) const override {
    const bool in_class = !place.type.empty();
    const bool collected = !in_class || place.has_bases || absl::StartsWith(place.type, "Test");
    return place.is_test && !place.in_function && collected && absl::StartsWith(name.name, "test");
  }

  bool CatchesFailures(const std::string& head) const override {
    static const RE2* const kCatches = new RE2(R"(\b(AssertionError|Exception|BaseException)\b)");
    return head == "except :" || Finds(head, *kCatches);
  }

  // A hook of pytest that can keep tests from running or change what they say.
  ControlEffect EffectOfFunction(const TestCode& code, uint32_t function,
                                 bool is_test) const override {
    const uint32_t name_node = code.Child(function, "name");
    const uint32_t body = code.Child(function, "body");
    if (name_node == 0 || body == 0) return {};
    const std::string name(code.Text(name_node));
    static const RE2* const kDecides = new RE2(
        R"(pytest_(collect_file|collection|deselected|ignore_collect|make_collect_report|pycollect_makeitem|pycollect_makemodule|pyfunc_call|runtest_protocol|runtestloop|report_teststatus))");
    static const RE2* const kSees = new RE2(
        R"(pytest_(collection_modifyitems|collection_finish|fixture_setup|generate_tests|itemcollected|runtest_call|runtest_logreport|runtest_makereport|runtest_setup|runtest_teardown|sessionstart|sessionfinish|configure|unconfigure|load_initial_conftests|cmdline_main|cmdline_preparse|terminal_summary))");
    const std::string text = JoinTokens(code.Tokens(body));
    const bool is_loader = name == "load_tests" && is_test;
    if (Matches(name, *kDecides) || is_loader || (Matches(name, *kSees) && !IsHarmless(text))) {
      return {name_node, kKeepsFromRunning};
    }
    return {};
  }

  absl::string_view EffectOfAssignment(const ControlPlace& place,
                                       const std::string& name) const override {
    static const RE2* const kDecides = new RE2(
        R"((.* \. )?TestCase \. \w+|builtins \. (AssertionError|assert\w*)|.* \. (exitstatus|testsfailed|outcome|wasxfail)|sys \. exitfunc)");
    static const RE2* const kDrops = new RE2(R"(no:|skip|xfail)");
    const bool ignores = name == "collect_ignore" || name == "collect_ignore_glob";
    if ((ignores && !place.in_function) || Matches(name, *kDecides)) {
      if (!ignores || BaseName(place.path) == "conftest.py") return kKeepsFromRunning;
    }
    if (name == "pytest_plugins" && !place.in_function && !absl::StrContains(place.path, "/") &&
        Finds(place.code.Text(place.node), *kDrops)) {
      return kKeepsFromRunning;
    }
    return "";
  }

  bool IsSkipName(const std::string& name) const override {
    static const RE2* const kSkip = new RE2(
        R"((.*\.)?(pytest\.(mark\.(skip|skipif|xfail)|skip|xfail|skip\.Exception|importorskip|exit)|unittest\.(case\.)?(skip|skipIf|skipUnless|expectedFailure|SkipTest)|outcomes\.(Skipped|skip|xfail)|self\.skipTest|nottest|nose\.SkipTest))");
    return Matches(name, *kSkip);
  }

  // Also helpers named after what they do.
  bool IsSkipMarker(absl::string_view /*text*/, const std::string& name) const override {
    static const RE2* const kNamed =
        new RE2(R"((?i)(^|[._])(x?skip|xfail|disabled?|ignored?)([._]|if|on|un|$))");
    return IsSkipName(name) || Finds(name, *kNamed);
  }

  // import a as b; from a import b, c as d
  void ReadImport(const CodeTokens& tokens, NameAliases* aliases) const override {
    std::string module;
    size_t at = 1;
    if (tokens[0].text == "from") {
      for (; at < tokens.size() && tokens[at].text != "import"; ++at) module += tokens[at].text;
      module.erase(0, module.find_first_not_of('.'));
      ++at;
    }
    std::string name;
    std::string alias;
    bool renamed = false;
    const auto add = [&] {
      if (!name.empty()) {
        const std::string full = module.empty() ? name : absl::StrCat(module, ".", name);
        if (renamed) {
          (*aliases)[alias] = full;
        } else if (!module.empty()) {
          (*aliases)[name] = full;
        }
      }
      name.clear();
      alias.clear();
      renamed = false;
    };
    for (; at < tokens.size(); ++at) {
      const std::string& text = tokens[at].text;
      if (text == ",") {
        add();
      } else if (text == "as") {
        renamed = true;
      } else if (tokens[at].is_name || text == ".") {
        (renamed ? alias : name) += text;
      }
    }
    add();
  }

  std::string FailingStatement(const FailureSite& site) const override {
    std::string text;
    for (const std::string& call : site.calls) {
      if (!site.can_return) break;
      const std::string next = absl::StrCat("\n", site.indent);
      absl::StrAppend(&text, "try:", next, " ", call, next, "except AssertionError:", next,
                      " pass");
      absl::StrAppend(&text, next, "else:", next, " return", next);
    }
    return absl::StrCat(text, SimpleFailure(site.asserts));
  }

  bool PlantInTest(const TestSite& site, TestPlanter* planter) const override {
    const TestCode& code = planter->code();
    const uint32_t body = site.body;
    const std::vector<uint32_t> statements = code.NamedChildren(body);
    if (statements.empty()) return false;
    const std::string simple = SimpleFailure(planter->statements().Asserts(body));
    for (const uint32_t leave : planter->ReturnsIn(body)) {
      const std::string value = planter->ValueOf(leave);
      planter->Replace(
          code.BeginByte(leave), code.EndByte(leave),
          absl::StrCat(value.empty() ? "" : absl::StrCat("planted = (", value, "); "), simple));
    }
    const std::string indent = TextBefore(code, code.BeginByte(statements[0]));
    const size_t end = code.EndByte(statements.back());
    if (IsIndent(indent)) {
      planter->Insert(
          end,
          absl::StrCat("\n", indent, planter->statements().For(body, /*can_return=*/true, indent)));
    } else {
      planter->Insert(end, absl::StrCat("; ", simple));
    }
    return true;
  }

  std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& /*path*/,
                                     uint32_t body) const override {
    const std::vector<uint32_t> statements = code.NamedChildren(body);
    if (statements.empty()) return {};
    const bool has_docstring = IsDocstring(code, statements[0]);
    const uint32_t first = statements[has_docstring && statements.size() > 1 ? 1 : 0];
    const size_t at = code.BeginByte(first);
    const std::string indent = TextBefore(code, at);
    if (!IsIndent(indent)) return {InsertMark(at, absl::StrCat(kMark, "; "))};
    return {InsertMark(at, absl::StrCat(kMark, "\n", indent))};
  }

  const ConditionSyntax* conditions() const override { return CheckerConditions(); }
};

}  // namespace

const TestLanguage* PythonLanguage() {
  static const auto* const language = new Python;
  return language;
}

}  // namespace stile
