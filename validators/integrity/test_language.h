// What a language means to the judgement of tests and of changed code: one class a language. The
// algorithms of this room ask an object of this interface about behaviour and properties; the table
// in test_language.cc is the only place with names of languages and grammars.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_LANGUAGE_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_LANGUAGE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/validation/changed_functions.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_calls.h"
#include "validators/integrity/test_code.h"
#include "validators/integrity/test_functions.h"
#include "validators/integrity/test_roles.h"
#include "validators/integrity/test_skips.h"

namespace stile {

class ConditionSyntax;
class MacroSyntax;
class TestPlanter;

// The names of assertions, and of calls that fail a test by being reached.
struct AssertionNames {
  std::vector<absl::string_view> heads;     // a chain begins with: expect(…).toBe(…)
  std::vector<absl::string_view> prefixes;  // of the last name
  std::vector<absl::string_view> exact;     // the last name
  std::vector<absl::string_view> failures;
};

// An assertion, and arguments with which it fails. No condition is a literal: analysers report it.
struct FailingCall {
  const RE2* callee;  // lives as long as the process
  absl::string_view arguments;
};

// What differs between languages without any algorithm.
struct TestLanguageFacts {
  // Node types with a role that they have in no other grammar, or in all others.
  std::vector<std::pair<absl::string_view, NodeRole>> roles;
  AssertionNames assertions;
  std::vector<FailingCall> failing_calls;
  absl::string_view failing_statement;  // fails where no assertion is known

  bool tests_are_marked = false;    // by an attribute or annotation, in files of any name
  bool tests_are_calls = false;     // it("adds", () => …)
  bool has_test_macros = false;     // TEST(Suite, Name) { … }
  bool tests_need_callers = false;  // no runner finds a function by its name
  bool rebinds_tests = false;       // a later definition or assignment takes the place of a test

  bool runs_on_import = false;   // code outside of functions
  bool forks_processes = false;  // a test may end a child process with success
  bool defines_macros = false;   // a macro may replace an assertion
  absl::string_view main_guard;  // its `if` runs in programs alone; "": there is none

  bool looks_into_markers = true;           // names within an attribute may skip
  bool arguments_follow_skips = true;       // brackets behind a skip may hold its condition
  bool declarators_define_aliases = false;  // const later = it.skip

  bool declares_lambdas = false;        // const check = () => …
  bool names_parameters_last = false;   // int count
  bool parameters_share_types = false;  // a, b int
  bool has_docstrings = false;
};

// A dotted name that may skip a test.
struct SkipName {
  std::string own;                                 // as it stands there
  std::string resolved;                            // behind all aliases
  bool is_test = false;                            // stands in a file of tests
  const std::set<std::string>* testers = nullptr;  // see TesterNames; never null
};

// What code does to a whole test run.
struct ControlEffect {
  uint32_t node = 0;         // 0: nothing
  absl::string_view effect;  // "keeps tests from running"
};

// An assignment.
struct ControlPlace {
  const TestCode& code;
  uint32_t node;
  const std::string& path;
  bool is_test;
  bool in_function;
};

// Where a statement has to fail.
struct FailureSite {
  std::vector<std::string> calls;  // assertions that fail, of the function or the file
  uint32_t begin = 0;              // byte of the body
  bool can_return = false;         // a `return` without a value may stand there
  bool asserts = false;            // the function has assertions of the language itself
  std::string indent;
};

// One test: nodes, and the text before its body.
struct TestSite {
  uint32_t function = 0;
  uint32_t body = 0;
  absl::string_view head;
};

// What a call with a function among its arguments is.
enum class TestCall : uint8_t { kNone, kTest, kGroup };

// Each algorithm of the room asks one or two of these questions. Conditional code and macros have
// interfaces of their own. Immutable; thread-safe; lives as long as the process.
// One thing: what one language says about tests, in one class per language.
class TestLanguage {
 public:
  virtual ~TestLanguage() = default;
  TestLanguage(const TestLanguage&) = delete;
  TestLanguage& operator=(const TestLanguage&) = delete;

  const TestLanguageFacts& facts() const { return facts_; }

  // ---- which code is a test ----

  // `markers`: attributes that stand before the function `i`.
  virtual bool IsTestFunction(const TestCode& code, const FunctionPlace& place, uint32_t i,
                              const TestFunctionName& name,
                              const std::vector<uint32_t>& markers) const = 0;
  // Of `head.….last(…, function)`; `head`: its full name.
  virtual TestCall KindOfCall(absl::string_view head, absl::string_view last) const;
  // Whether the build on this system leaves the file out because of its name.
  virtual bool IsLeftOut(absl::string_view path) const;
  // The condition under which a test file is built; nullopt if files of the language have none.
  virtual std::optional<std::string> BuildConstraint(absl::string_view text) const;

  // ---- what makes a test fail, or not ----

  // Whether `head.….last(…)`, whose last name is that of a failure, can be one.
  virtual bool CanFailTest(absl::string_view head, absl::string_view last) const;
  // Whether a handler with this head catches failed assertions: "except ValueError :".
  virtual bool CatchesFailures(const std::string& head) const;
  // What the declaration of a function means to the whole run: a hook of the runner.
  virtual ControlEffect EffectOfFunction(const TestCode& code, uint32_t function,
                                         bool is_test) const;
  // What an assignment to `name` means to the whole run; "": nothing.
  virtual absl::string_view EffectOfAssignment(const ControlPlace& place,
                                               const std::string& name) const;

  // ---- skips ----

  // Whether the full name skips: "pytest.mark.skip".
  virtual bool IsSkipName(const std::string& name) const;
  // Whether an attribute, decorator or annotation skips; `name`: its full name.
  virtual bool IsSkipMarker(absl::string_view text, const std::string& name) const;
  virtual bool IsSkipDottedName(const SkipName& name) const;
  virtual bool IsSkipIdentifier(const SkipName& name) const;
  // Whether an assignment or a pair skips: {skip: true}.
  virtual bool IsSkipOption(const TestCode& code, uint32_t node, bool is_test) const;
  // Names through which the file skips tests: `t` of t.Skip().
  virtual std::set<std::string> TesterNames(const TestCode& code) const;
  // Adds the names that an import statement gives.
  virtual void ReadImport(const CodeTokens& tokens, NameAliases* aliases) const;

  // ---- statements that are planted ----

  // The call with arguments that fail; "" if none are known. `callee`: its text before "(".
  virtual std::string FailingForm(const CallNames& names, const std::string& callee) const;
  // Statements that fail the test in which they stand.
  virtual std::string FailingStatement(const FailureSite& site) const;
  // False if there is no place in the test. Edits go to the planter.
  virtual bool PlantInTest(const TestSite& site, TestPlanter* planter) const = 0;
  // The same in tests that a test starts with functions as arguments.
  virtual void PlantInSubtests(TestPlanter* planter) const;
  // The same in a file that is one test. False if it is none.
  virtual bool PlantInProgram(TestPlanter* planter) const;
  // See PlantRunMark in run_plants.h.
  virtual std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path,
                                             uint32_t body) const = 0;

  // ---- interfaces of their own ----

  // Null if no construct of the language turns code off.
  virtual const ConditionSyntax* conditions() const;
  // Null if the language has no macros that drop their arguments.
  virtual const MacroSyntax* macros() const;

 protected:
  explicit TestLanguage(TestLanguageFacts facts) : facts_(std::move(facts)) {}

 private:
  const TestLanguageFacts facts_;
};

// Null if this room knows nothing about the grammar. All grammars of runtime/syntax are known.
const TestLanguage* FindTestLanguage(absl::string_view grammar);

// By the id of a language file; null if this room knows nothing about the language.
const TestLanguage* FindTestLanguageById(absl::string_view id);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_LANGUAGE_H_
