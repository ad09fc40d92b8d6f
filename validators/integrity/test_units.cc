#include "validators/integrity/test_units.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_calls.h"
#include "validators/integrity/test_functions.h"
#include "validators/integrity/test_language.h"
#include "validators/integrity/test_reach.h"
#include "validators/integrity/test_registry.h"

namespace stile {
namespace {

// A condition around the node that is read.
struct Condition {
  std::string text;
  CodeTokens tokens;
  bool denied = false;  // the node is reached where it does not hold
};

// One thing: the state of one pass over a file, one function per kind of node.
class UnitReader {
 public:
  UnitReader(const TestCode& code, absl::string_view path, bool is_test, const SkipNames& skips)
      : code_(code),
        names_(skips),
        is_test_(is_test),
        language_(code.language()),
        facts_(code.language().facts()),
        skip_nodes_(skips.Find(code, is_test)) {
    has_test_macros_ =
        facts_.has_test_macros && Finds(code.text(), R"((?m)^\s*[A-Z_]*TEST[A-Z_]*\s*\()");
    result_.units.emplace_back();
    result_.units[0].kind = TestUnit::Kind::kFile;
    result_.units[0].end = static_cast<uint32_t>(code.text().size());
    if (BaseName(path) == "conftest.py") result_.units[0].last_name = "conftest";
  }

  FileTests Read() {
    Walk(0);
    NoteReferences(code_, &result_);
    NoteShadowed(code_, &result_);
    return std::move(result_);
  }

 private:
  TestUnit& unit() { return result_.units[unit_]; }
  bool IsRecorded() const { return unit_ != 0 || is_test_; }

  void Walk(uint32_t i) {
    if (const auto skip = skip_nodes_.find(i); skip != skip_nodes_.end()) NoteSkip(i, skip->second);
    switch (code_.Role(i)) {
      case NodeRole::kComment:
        return;
      case NodeRole::kFunction:
        return ReadFunction(i, {});
      case NodeRole::kClass:
        return ReadClass(i, {});
      case NodeRole::kCall:
        return ReadCall(i);
      case NodeRole::kIf:
        return ReadIf(i);
      case NodeRole::kLoop:
        return ReadLoop(i);
      case NodeRole::kTry:
        return ReadTry(i);
      case NodeRole::kBlock:
        return ReadStatements(code_.Children(i));
      case NodeRole::kAssert:
        ReadAssertStatement(i);
        return WalkQuietly(i);
      case NodeRole::kThrow:
        if (IsFailingThrow(i)) AddFailure(i, "throw");
        return WalkChildren(i);
      case NodeRole::kString:
      case NodeRole::kLiteral:
        if (IsRecorded()) unit().literals.insert(std::string(code_.Text(i)));
        return;
      case NodeRole::kConditionalText:
        return ReadConditionalText(i);
      case NodeRole::kLambda:
        return ReadLambda(i);
      case NodeRole::kMarker:
        return ReadMarker(i);
      default:
        return ReadByType(i);
    }
  }

  // What has no role of its own.
  void ReadByType(uint32_t i) {
    const absl::string_view type = code_.Type(i);
    if (type == "decorated_definition") return ReadDecorated(i);
    if (type == "variable_declarator" && facts_.declares_lambdas) {  // const check = () => …
      const uint32_t value = code_.Child(i, "value");
      if (value != 0 && code_.Role(value) == NodeRole::kLambda) return ReadFunction(i, {});
    }
    if (type == "with_statement") return ReadWith(i);
    if (type == "expression_statement") {
      const auto children = code_.NamedChildren(i);
      if (!children.empty() && code_.Type(children[0]) == "member_expression") {
        ReadPropertyAssertion(children[0]);
      }
    }
    if (code_.End(i) == i + 1 && IsRecorded() && code_.IsNamed(i)) {
      unit().names.insert(std::string(code_.Text(i)));
    }
    NoteRows(i);
    WalkChildren(i);
  }

  void ReadLambda(uint32_t i) {
    const bool was_quiet = std::exchange(quiet_, false);
    WalkChildren(i);
    quiet_ = was_quiet;
  }

  void ReadMarker(uint32_t i) {
    ++in_marker_;
    NoteRows(i);
    WalkChildren(i);
    --in_marker_;
  }

  void WalkChildren(uint32_t i) {
    for (uint32_t child = i + 1; child < code_.End(i); child = code_.End(child)) Walk(child);
  }

  // Of an assertion: what is in it is no further one, unless it is in a function of its own.
  void WalkQuietly(uint32_t i) {
    const bool was_quiet = std::exchange(quiet_, true);
    WalkChildren(i);
    quiet_ = was_quiet;
  }

  // ---- statements ------------------------------------------------------------------------------

  void ReadStatements(const std::vector<uint32_t>& statements) {
    const std::string dead = dead_;
    const size_t conditions = conditions_.size();
    std::vector<uint32_t> markers;  // attributes of Rust stand before what they are for
    for (size_t at = 0; at < statements.size(); ++at) {
      const uint32_t i = statements[at];
      if (code_.Type(i) == "attribute_item") {
        markers.push_back(i);
        continue;
      }
      if (code_.Type(i) == "labeled_statement") dead_ = dead;  // a goto leads there
      if (IsRecorded() && code_.IsNamed(i)) ++unit().statements;
      if (code_.Role(i) == NodeRole::kFunction) {
        ReadFunction(i, markers);
      } else if (code_.Role(i) == NodeRole::kClass) {
        ReadClass(i, markers);
      } else if (facts_.has_test_macros && at + 1 < statements.size() &&
                 IsTestMacro(i, statements[at + 1])) {
        ReadMacroTest(i, statements[++at]);
      } else {
        Walk(i);
      }
      markers.clear();
      if (!in_function_) continue;
      if (dead_.empty() && Leaves(code_, skip_nodes_, i)) {
        dead_ = absl::StrCat("stands behind '", Shown(i), "'");
      } else if (const std::string condition = LeavesIf(code_, skip_nodes_, i);
                 !condition.empty()) {
        conditions_.push_back({condition, {}, true});
      }
    }
    conditions_.resize(conditions);
    dead_ = dead;
  }

  std::string Shown(uint32_t i) const {
    const absl::string_view text = code_.Text(i);
    return std::string(text.substr(0, std::min<size_t>({text.find('\n'), text.size(), 60})));
  }

  void ReadIf(uint32_t i) {
    const uint32_t condition = code_.Child(i, "condition");
    const uint32_t then = code_.Child(i, "consequence");
    const CodeTokens tokens =
        condition == 0 ? CodeTokens() : WithoutBrackets(code_.Tokens(condition));
    const std::string text = JoinTokens(tokens);
    const std::string dead = dead_;
    for (uint32_t child = i + 1; child < code_.End(i); child = code_.End(child)) {
      if (child == condition || (condition != 0 && child < condition)) {
        Walk(child);
        continue;
      }
      const bool is_then = child == then;
      if (dead_.empty() && (is_then ? IsConstantFalse(tokens) : IsConstantTrue(tokens))) {
        dead_ = absl::StrCat("stands behind 'if ", text, "'");
      }
      const bool is_constant = IsConstantTrue(tokens) || IsConstantFalse(tokens);
      if (!is_constant) {
        conditions_.push_back({is_then ? text : absl::StrCat("not ", text), tokens, !is_then});
      }
      Walk(child);
      if (!is_constant) conditions_.pop_back();
      dead_ = dead;
    }
  }

  void ReadLoop(uint32_t i) {
    const std::string dead = dead_;
    const uint32_t condition = code_.Child(i, "condition");
    const uint32_t right = code_.Child(i, "right");
    if (dead_.empty() && ((condition != 0 && IsConstantFalse(code_.Tokens(condition))) ||
                          (right != 0 && IsEmptyList(JoinTokens(code_.Tokens(right)))))) {
      dead_ = "stands in a loop that never runs";
    }
    WalkChildren(i);
    dead_ = dead;
  }

  static bool IsEmptyList(absl::string_view text) {
    return text == "[ ]" || text == "( )" || text == "{ }" || text == "range ( 0 )";
  }

  // What an assertion throws and the handler keeps to itself.
  void ReadTry(uint32_t i) {
    bool swallows = false;
    for (const uint32_t child : code_.NamedChildren(i)) {
      if (code_.Role(child) == NodeRole::kCatch && SwallowsAssertions(code_, child)) {
        swallows = true;
      }
    }
    const uint32_t body = code_.Child(i, "body");
    const std::string dead = dead_;
    for (uint32_t child = i + 1; child < code_.End(i); child = code_.End(child)) {
      if (child == body && swallows && dead_.empty()) dead_ = "cannot fail: its failure is caught";
      Walk(child);
      dead_ = dead;
    }
  }

  // with suppress(AssertionError):
  void ReadWith(uint32_t i) {
    const uint32_t body = code_.Child(i, "body");
    const std::string head = JoinTokens(code_.TokensIn(i + 1, body == 0 ? code_.End(i) : body));
    static const RE2* const kSuppress =
        new RE2(R"(\b(suppress|raises) \( (AssertionError|Exception|BaseException)\b)");
    const std::string dead = dead_;
    if (dead_.empty() && Finds(head, *kSuppress)) {
      dead_ = "cannot fail: its failure is caught";
    }
    if (absl::StrContains(head, "raises (") || absl::StrContains(head, "Raises") ||
        absl::StrContains(head, "warns (")) {
      dead_ = dead;  // an assertion itself, and what it asserts is to be reached
    }
    static const RE2* const kRaises = new RE2(R"(\braises \( (AssertionError)\b)");
    if (Finds(head, *kRaises)) dead_ = dead;
    WalkChildren(i);
    dead_ = dead;
  }

  void ReadConditionalText(uint32_t i) {
    const auto children = code_.NamedChildren(i);
    const uint32_t condition = code_.Child(i, "condition");
    const std::string dead = dead_;
    const bool is_off = condition != 0 && (IsConstantFalse(code_.Tokens(condition)) ||
                                           code_.Text(condition) == "FALSE");
    std::vector<uint32_t> statements;
    std::vector<uint32_t> others;
    for (const uint32_t child : children) {
      const bool is_other = absl::StartsWith(code_.Type(child), "preproc_el");
      (is_other ? others : statements).push_back(child);
    }
    if (is_off && dead_.empty()) dead_ = "stands behind '#if 0'";
    const bool has_condition = condition != 0 || code_.Type(i) == "preproc_ifdef";
    if (has_condition) conditions_.push_back({absl::StrCat("#if ", Shown(i)), {}, false});
    ReadStatements(statements);
    if (has_condition) conditions_.pop_back();
    dead_ = dead;
    for (const uint32_t other : others) WalkChildren(other);
  }

  // ---- functions and types ---------------------------------------------------------------------

  void ReadDecorated(uint32_t i) {
    std::vector<uint32_t> markers;
    for (const uint32_t child : code_.NamedChildren(i)) {
      if (code_.Role(child) == NodeRole::kFunction) return ReadFunction(child, markers);
      if (code_.Role(child) == NodeRole::kClass) return ReadClass(child, markers);
      markers.push_back(child);
    }
  }

  void ReadClass(uint32_t i, const std::vector<uint32_t>& markers) {
    const uint32_t name = code_.Child(i, "name");
    const uint32_t type = code_.Child(i, "type");  // impl blocks
    const uint32_t shown = name != 0 ? name : type;
    const uint32_t begin = markers.empty() ? i : markers[0];
    scopes_.push_back({code_.BeginByte(begin), code_.EndByte(i)});
    path_.push_back(shown == 0 ? "" : std::string(code_.Text(shown)));
    bases_.push_back(code_.Child(i, "superclasses") != 0 || code_.Child(i, "superclass") != 0 ||
                     code_.Child(i, "bases") != 0);
    const int was_in_function = std::exchange(in_function_, 0);
    const bool was_test = is_test_;
    for (const uint32_t marker : markers) {
      if (Finds(code_.Text(marker), R"(^#\[\s*cfg\s*\(.*\btest\b)")) is_test_ = true;
      Walk(marker);
    }
    if (code_.Type(i) == "mod_item" && (path_.back() == "tests" || path_.back() == "test")) {
      is_test_ = true;
    }
    WalkChildren(i);
    is_test_ = was_test;
    in_function_ = was_in_function;
    bases_.pop_back();
    path_.pop_back();
    scopes_.pop_back();
  }

  void ReadFunction(uint32_t i, const std::vector<uint32_t>& markers) {
    const TestFunctionName name = NameOfFunction(code_, i);
    const FunctionPlace place = {is_test_, in_function_ > 0, path_.empty() ? "" : path_.back(),
                                 !bases_.empty() && bases_.back(), has_test_macros_};
    const bool is_test = IsTestFunction(code_, place, i, name, markers);
    if (!is_test && !is_test_) return;  // code of the product
    std::vector<std::string> path = path_;
    path.push_back(name.name);
    const uint32_t first = markers.empty() ? i : markers[0];
    const size_t outer =
        Enter(is_test ? TestUnit::Kind::kTest : TestUnit::Kind::kHelper, absl::StrJoin(path, "."),
              code_.Line(i), code_.BeginByte(first), code_.EndByte(i));
    unit().last_name = name.name;
    unit().must_be_referenced =
        facts_.tests_need_callers && is_test && !name.is_macro && name.name != "main";
    static const RE2* const kSetUp = new RE2(
        R"((?i)(^|_)(set_?up|tear_?down|initiali[sz]e|cleanup|before\w*|after\w*)(_?(all|each|class|module|method|function|suite|test))?)");
    if (Finds(name.name, *kSetUp) && !name.is_macro) unit().is_setup = true;
    const std::string dead = std::exchange(dead_, in_function_ > 0 ? dead_ : "");
    std::vector<Condition> conditions;
    conditions.swap(conditions_);
    const bool was_quiet = std::exchange(quiet_, false);
    ++in_function_;
    for (const uint32_t marker : markers) Walk(marker);
    WalkChildren(i);
    --in_function_;
    quiet_ = was_quiet;
    conditions.swap(conditions_);
    dead_ = dead;
    unit_ = outer;
  }

  size_t Enter(TestUnit::Kind kind, const std::string& name, int line, uint32_t begin,
               uint32_t end) {
    const size_t outer = unit_;
    unit_ = result_.units.size();
    TestUnit unit;
    unit.kind = kind;
    const int same = known_names_[name]++;
    unit.name = same == 0 ? name : absl::StrCat(name, " #", same + 1);
    unit.line = line;
    unit.begin = begin;
    unit.end = end;
    result_.units.push_back(std::move(unit));
    return outer;
  }

  // TEST_CASE("…") { … }: a call and a block to the grammar.
  bool IsTestMacro(uint32_t i, uint32_t next) const {
    if (code_.Role(next) != NodeRole::kBlock) return false;
    uint32_t call = i;
    if (code_.Type(i) == "expression_statement") {
      const auto children = code_.NamedChildren(i);
      if (children.empty()) return false;
      call = children[0];
    }
    return code_.Role(call) == NodeRole::kCall && IsTestMacroName(NamesOfCall(code_, call).last);
  }

  void ReadMacroTest(uint32_t i, uint32_t body) {
    const uint32_t call = code_.Role(i) == NodeRole::kCall ? i : code_.NamedChildren(i)[0];
    const CallNames names = NamesOfCall(code_, call);
    const auto parts = SplitAtCommas(names.arguments);
    const std::string name = parts.empty() ? names.last : JoinTokens(parts[0]);
    const size_t outer =
        Enter(TestUnit::Kind::kTest, name, code_.Line(i), code_.BeginByte(i), code_.EndByte(body));
    unit().last_name = name;
    if (Finds(code_.Text(call), R"(\[(\.|!hide|!mayfail|!shouldfail)|\bskip\(|disabled\()")) {
      NoteSkip(call, Shown(call));
    }
    ++in_function_;
    Walk(body);
    --in_function_;
    unit_ = outer;
  }

  // ---- calls -----------------------------------------------------------------------------------

  void ReadCall(uint32_t i) {
    const CallNames names = NamesOfCall(code_, i);
    if (is_test_ && !quiet_ && names.has_function) {
      const std::string full = names_.Resolve(names.head);
      const TestCall kind = language_.KindOfCall(full.substr(0, full.find('.')), names.last);
      if (kind == TestCall::kTest) return ReadCalledTest(i, names);
      if (kind == TestCall::kGroup) return ReadCalledGroup(i, names);
    }
    if (!quiet_ && IsRecorded() && IsAssertionCall(language_, names.head, names.last)) {
      AddAssertion(i, names);
      if (names.all.size() == 1) {  // it may be a function of these tests
        unit().calls.push_back({names.last, dead_, ConditionTexts(conditions_.size())});
      }
      return WalkQuietly(i);
    }
    if (!quiet_ && IsFailureCall(language_, names.head, names.last)) {
      AddFailure(i, names.last);
    } else if (IsRecorded() && !names.last.empty()) {
      unit().calls.push_back({names.last, dead_, ConditionTexts(conditions_.size())});
    }
    WalkChildren(i);
  }

  void ReadCalledTest(uint32_t i, const CallNames& names) {
    const auto parts = SplitAtCommas(names.arguments);
    std::vector<std::string> path = path_;
    path.push_back(parts.empty() ? "" : JoinTokens(parts[0]));
    const size_t outer = Enter(TestUnit::Kind::kTest, absl::StrJoin(path, " "), code_.Line(i),
                               code_.BeginByte(i), code_.EndByte(i));
    unit().last_name = path.back();
    const std::string dead = dead_;
    ++in_function_;
    WalkChildren(i);
    --in_function_;
    dead_ = dead;
    unit_ = outer;
  }

  void ReadCalledGroup(uint32_t i, const CallNames& names) {
    const auto parts = SplitAtCommas(names.arguments);
    scopes_.push_back({code_.BeginByte(i), code_.EndByte(i)});
    path_.push_back(parts.empty() ? "" : JoinTokens(parts[0]));
    WalkChildren(i);
    path_.pop_back();
    scopes_.pop_back();
  }

  void ReadPropertyAssertion(uint32_t i) {
    if (quiet_ || !IsRecorded()) return;
    const CallNames names = NamesOfChain(code_, i);
    if (names.head != "expect" && names.head != "should" &&
        !Finds(code_.Text(i), R"(\.should\b)")) {
      return;
    }
    AddAssertion(i, names);
    quiet_ = true;
    WalkChildren(i);
    quiet_ = false;
  }

  std::vector<std::string> ConditionTexts(size_t count) const {
    std::vector<std::string> texts;
    for (size_t at = 0; at < count; ++at) texts.push_back(conditions_[at].text);
    return texts;
  }

  void Add(TestAssertion assertion) {
    if (assertion.dead.empty()) assertion.dead = dead_;
    if (assertion.dead.empty() && assertion.strength == Strength::kVacuous) {
      assertion.dead = "holds whatever the code does";
    }
    unit().assertions.push_back(std::move(assertion));
  }

  void AddAssertion(uint32_t i, const CallNames& names) {
    TestAssertion assertion;
    assertion.matcher = names.last;
    assertion.tokens = code_.Tokens(i);
    assertion.strength = StrengthOfAssertion(names);
    assertion.is_nothing = ComparesWithNothing(names);
    assertion.line = code_.Line(i);
    assertion.conditions = ConditionTexts(conditions_.size());
    Add(std::move(assertion));
  }

  void ReadAssertStatement(uint32_t i) {
    if (!IsRecorded()) return;
    const auto children = code_.NamedChildren(i);
    if (children.empty()) return;
    TestAssertion assertion;
    assertion.matcher = "assert";
    assertion.tokens = code_.Tokens(children[0]);
    assertion.strength = StrengthOfCondition(assertion.tokens);
    if (code_.Type(children[0]) == "tuple") assertion.strength = Strength::kVacuous;
    assertion.line = code_.Line(i);
    assertion.conditions = ConditionTexts(conditions_.size());
    Add(std::move(assertion));
  }

  bool IsFailingThrow(uint32_t i) const {
    static const RE2* const kFailure =
        new RE2(R"(\b(AssertionError|AssertionException|XunitException|TestFailure|new Error)\b)");
    return !conditions_.empty() && Finds(code_.Text(i), *kFailure);
  }

  // if got != want { t.Fatal(…) } asserts that they are equal.
  void AddFailure(uint32_t i, const std::string& name) {
    if (!IsRecorded() || quiet_) return;
    TestAssertion assertion;
    assertion.matcher = name;
    assertion.line = code_.Line(i);
    size_t count = conditions_.size();
    if (count > 0 && !conditions_.back().tokens.empty()) {
      const Condition& condition = conditions_.back();
      assertion.tokens.push_back({condition.denied ? "unless" : "if", false, false});
      assertion.tokens.insert(assertion.tokens.end(), condition.tokens.begin(),
                              condition.tokens.end());
      assertion.strength = condition.denied ? StrengthOfCondition(condition.tokens)
                                            : StrengthOfDenial(condition.tokens);
      --count;
    } else {
      assertion.tokens.push_back({name, false, true});
    }
    assertion.conditions = ConditionTexts(count);
    Add(std::move(assertion));
  }

  void NoteRows(uint32_t i) {
    if (!IsRecorded()) return;
    for (std::string& row : RowsAt(code_, i, in_marker_ > 0)) unit().rows.insert(std::move(row));
  }

  void NoteSkip(uint32_t i, const std::string& text) {
    TestSkip skip;
    skip.text = text;
    if (unit_ != 0) skip.unit = unit().name;
    skip.line = code_.Line(i);
    // A marker of a function is read within its unit, one of a class within its scope.
    const std::pair<uint32_t, uint32_t> whole = {0, static_cast<uint32_t>(code_.text().size())};
    const auto scope = unit_ != 0         ? std::make_pair(unit().begin, unit().end)
                       : !scopes_.empty() ? scopes_.back()
                                          : whole;
    skip.begin = scope.first;
    skip.end = scope.second;
    skip.of_others = absl::EndsWith(text, "only") || absl::StrContains(text, ".only") ||
                     text == "fit" || text == "fdescribe";
    std::string around = text;
    if (code_.Role(i) == NodeRole::kMarker) around = std::string(code_.Text(i));
    const uint32_t statement_end = code_.EndByte(i);
    if (facts_.arguments_follow_skips) {  // skipIf(sys.platform == "win32", …)
      const absl::string_view rest = code_.text().substr(statement_end, 160);
      if (absl::StartsWith(rest, "(")) absl::StrAppend(&around, rest.substr(0, rest.find('\n')));
    }
    static const RE2* const kConditional = new RE2(
        R"((?i)skip_?(if|unless|on)|(enabled|disabled)(if|on)|assum|cfg|runif|importorskip|only_?if)");
    skip.is_conditional = !conditions_.empty() || Finds(around, *kConditional);
    skip.in_helper = unit_ != 0 && unit().kind == TestUnit::Kind::kHelper;
    skip.is_foreign = IsForeignPlatform(around);
    // #[cfg(unix)] says where it runs.
    static const RE2* const kEnables = new RE2(R"(^#!?\[\s*cfg\s*\()");
    if (Finds(around, *kEnables)) skip.is_foreign = IsThisPlatform(around);
    for (const Condition& condition : conditions_) {
      skip.is_foreign |= IsForeignPlatform(condition.text);
    }
    result_.skips.push_back(std::move(skip));
  }

  const TestCode& code_;
  const SkipNames& names_;
  bool is_test_;
  const TestLanguage& language_;
  const TestLanguageFacts& facts_;
  bool has_test_macros_ = false;
  const SkipNodes skip_nodes_;
  FileTests result_;
  size_t unit_ = 0;
  std::string dead_;  // why the place is not reached
  std::vector<Condition> conditions_;
  std::vector<std::string> path_;  // types, groups
  std::vector<bool> bases_;        // of those in path_ that are types
  std::vector<std::pair<uint32_t, uint32_t>> scopes_;
  std::map<std::string, int> known_names_;
  int in_function_ = 0;
  int in_marker_ = 0;
  bool quiet_ = false;  // within an assertion
};

}  // namespace

FileTests ReadTests(const TestCode& code, absl::string_view path, bool is_test,
                    const SkipNames& skips) {
  FileTests tests = UnitReader(code, path, is_test, skips).Read();
  if (code.language().IsLeftOut(path)) {
    for (TestUnit& unit : tests.units) unit.dead = "stands in a file that is not built here";
  }
  return tests;
}

}  // namespace stile
