#include "validators/integrity/planted_file.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/syntax/grammar.h"
#include "validators/integrity/failing_statements.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_calls.h"
#include "validators/integrity/test_functions.h"
#include "validators/integrity/test_registry.h"
#include "validators/integrity/test_side.h"
#include "validators/integrity/test_units.h"

namespace stile {
namespace {

bool IsScript(const Grammar& grammar) {
  return grammar.name == "javascript" || grammar.name == "typescript" || grammar.name == "tsx";
}

bool IsC(const Grammar& grammar) { return grammar.name == "c" || grammar.name == "cpp"; }

class Planter {
 public:
  Planter(const TestCode& code, const FileTests& tests, bool is_test)
      : code_(code),
        grammar_(code.grammar().name),
        tests_(tests),
        is_test_(is_test),
        statements_(code) {}

  std::optional<PlantedFile> Plant() {
    for (const TestUnit& unit : tests_.units) {
      if (unit.kind != TestUnit::Kind::kTest) continue;
      const bool is_function_of_c = IsC(code_.grammar()) && unit.must_be_referenced;
      if (is_function_of_c || unit.last_name == "main") continue;  // `main` runs and judges these
      if (PlantInTest(unit)) file_.tests.insert(NameInReports(unit));
    }
    if (grammar_ == "go" && is_test_) PlantInSubtests();
    if (file_.tests.empty() && is_test_) file_.is_program = PlantInProgram();
    if (edits_.empty() || (file_.tests.empty() && !file_.is_program)) return std::nullopt;
    file_.text = WithEdits();
    return std::move(file_);
  }

 private:
  void Insert(size_t at, const std::string& text) { Replace(at, at, text); }
  // Of edits that overlap the first one stays, so that no text is torn.
  void Replace(size_t begin, size_t end, const std::string& text) {
    const auto next = edits_.upper_bound(begin);
    if (next != edits_.end() && next->first < end) return;
    if (next != edits_.begin() && std::prev(next)->second.first > begin) return;
    edits_.try_emplace(begin, end, text);
  }

  std::string WithEdits() const {
    std::string text;
    size_t at = 0;
    for (const auto& [begin, edit] : edits_) {
      absl::StrAppend(&text, code_.text().substr(at, begin - at), edit.second);
      at = edit.first;
    }
    return absl::StrCat(text, code_.text().substr(at));
  }

  // ---- where tests stand -----------------------------------------------------------------------

  // The function of a test; 0 if none is found.
  uint32_t FunctionOf(const TestUnit& unit) const {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.BeginByte(i) < unit.begin || code_.EndByte(i) > unit.end) continue;
      const NodeRole role = code_.Role(i);
      if (IsScript(code_.grammar())) {
        if (role == NodeRole::kCall) return LastFunctionOf(i);
        continue;
      }
      if (role == NodeRole::kFunction && code_.EndByte(i) == unit.end) return i;
    }
    return 0;
  }

  // The last argument of a call that is a function.
  uint32_t LastFunctionOf(uint32_t call) const {
    const uint32_t arguments = code_.Child(call, "arguments");
    uint32_t found = 0;
    if (arguments == 0) return 0;
    for (const uint32_t child : code_.NamedChildren(arguments)) {
      if (code_.Role(child) == NodeRole::kLambda) found = child;
    }
    return found;
  }

  // TEST_CASE("…") { … }: a call and a block to the grammar.
  uint32_t BlockOf(const TestUnit& unit) const {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.BeginByte(i) > unit.begin && code_.EndByte(i) == unit.end &&
          code_.Role(i) == NodeRole::kBlock) {
        return i;
      }
    }
    return 0;
  }

  bool PlantInTest(const TestUnit& unit) {
    const uint32_t function = FunctionOf(unit);
    uint32_t body = function == 0 ? 0 : code_.Child(function, "body");
    if (body == 0 && IsC(code_.grammar())) body = BlockOf(unit);
    if (body == 0) return false;
    if (Yields(body)) return false;
    const size_t head_begin = std::min<size_t>(unit.begin, code_.BeginByte(body));
    const absl::string_view head =
        code_.text().substr(head_begin, code_.BeginByte(body) - head_begin);
    if (grammar_ == "python") return PlantInPython(body);
    if (grammar_ == "go") return PlantInGo(function, body);
    if (grammar_ == "rust") return PlantInRust(head, body);
    if (grammar_ == "java" || grammar_ == "c_sharp") return PlantInMethod(head, body);
    if (IsScript(code_.grammar())) return PlantInScriptFunction(body);
    return PlantInBlock(body, statements_.For(body, /*can_return=*/true));
  }

  bool Yields(uint32_t body) const {
    const std::vector<uint32_t> own = OwnNodes(body);
    return std::any_of(own.begin(), own.end(),
                       [this](uint32_t i) { return absl::StartsWith(code_.Type(i), "yield"); });
  }

  // The nodes of a body, those of functions and types in it left out.
  std::vector<uint32_t> OwnNodes(uint32_t body) const {
    std::vector<uint32_t> nodes;
    for (uint32_t i = body; i < code_.End(body); ++i) {
      const NodeRole role = code_.Role(i);
      const bool is_other = role == NodeRole::kLambda || role == NodeRole::kFunction ||
                            role == NodeRole::kClass || code_.Type(i) == "generator_function" ||
                            code_.Type(i) == "async_block";
      if (i != body && is_other) {
        i = code_.End(i) - 1;
        continue;
      }
      nodes.push_back(i);
    }
    return nodes;
  }

  std::vector<uint32_t> ReturnsIn(uint32_t body) const {
    std::vector<uint32_t> returns;
    for (const uint32_t i : OwnNodes(body)) {
      const absl::string_view type = code_.Type(i);
      if (type == "return_statement" || type == "return_expression") returns.push_back(i);
    }
    return returns;
  }

  // Of a `return`; "" if it has none.
  std::string ValueOf(uint32_t leave) const {
    const std::vector<uint32_t> children = code_.NamedChildren(leave);
    return children.empty() ? "" : std::string(code_.Text(children[0]));
  }

  // ---- one test --------------------------------------------------------------------------------

  bool PlantInPython(uint32_t body) {
    const std::vector<uint32_t> statements = code_.NamedChildren(body);
    if (statements.empty()) return false;
    for (const uint32_t leave : ReturnsIn(body)) {
      const std::string value = ValueOf(leave);
      Replace(code_.BeginByte(leave), code_.EndByte(leave),
              absl::StrCat(value.empty() ? "" : absl::StrCat("planted = (", value, "); "),
                           statements_.SimpleFor(body)));
    }
    const size_t first = code_.BeginByte(statements[0]);
    const size_t newline = first == 0 ? std::string::npos : code_.text().rfind('\n', first - 1);
    const size_t line = newline == std::string::npos ? 0 : newline + 1;
    const std::string indent(code_.text().substr(line, first - line));
    const size_t end = code_.EndByte(statements.back());
    if (indent.find_first_not_of(" \t") != std::string::npos) {  // all on the line of `def`
      Insert(end, absl::StrCat("; ", statements_.SimpleFor(body)));
    } else {
      Insert(end, absl::StrCat("\n", indent, statements_.For(body, /*can_return=*/true, indent)));
    }
    return true;
  }

  // A block in braces: behind its last statement, and before each return.
  bool PlantInBlock(uint32_t body, const std::string& failing) {
    if (!absl::StartsWith(code_.Text(body), "{")) return false;
    for (const uint32_t leave : ReturnsIn(body)) {
      Replace(code_.BeginByte(leave), code_.EndByte(leave),
              absl::StrCat("{ ", failing, " ", code_.Text(leave), " }"));
    }
    if (!EndsByLeaving(body)) Insert(code_.EndByte(body) - 1, absl::StrCat(failing, " "));
    return true;
  }

  bool EndsByLeaving(uint32_t body) const {
    const std::vector<uint32_t> statements = code_.NamedChildren(body);
    if (statements.empty()) return false;
    const NodeRole role = code_.Role(statements.back());
    return role == NodeRole::kLeave || role == NodeRole::kThrow;
  }

  bool PlantInGo(uint32_t function, uint32_t body) {
    const uint32_t parameters = code_.Child(function, "parameters");
    if (parameters == 0) return false;
    const std::vector<uint32_t> list = code_.NamedChildren(parameters);
    if (list.size() != 1) return false;
    const uint32_t type = code_.Child(list[0], "type");
    static const RE2* const kOfTests = new RE2(R"(\*\w+\.[TF])");
    if (type == 0 || !Matches(code_.Text(type), *kOfTests)) return false;
    const uint32_t name = code_.Child(list[0], "name");
    std::string variable = name == 0 ? "" : std::string(code_.Text(name));
    if (variable.empty() || variable == "_") {
      variable = "planted";
      if (name == 0) {
        Insert(code_.BeginByte(type), "planted ");
      } else {
        Replace(code_.BeginByte(name), code_.EndByte(name), "planted");
      }
    }
    return PlantInBlock(body, absl::StrCat(";", variable, ".Error(\"planted failure\");"));
  }

  // t.Run(name, func(t *testing.T) { … })
  void PlantInSubtests() {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.Type(i) != "call_expression") continue;
      const CallNames names = NamesOfCall(code_, i);
      const uint32_t function = names.last == "Run" ? LastFunctionOf(i) : 0;
      if (function != 0) PlantInGo(function, code_.Child(function, "body"));
    }
  }

  bool PlantInRust(absl::string_view head, uint32_t body) {
    if (absl::StrContains(head, "should_panic")) {
      Insert(code_.BeginByte(body) + 1, " if std::hint::black_box(true) { return; }");
      return true;
    }
    const std::string failing = statements_.For(body, /*can_return=*/false);
    const std::vector<uint32_t> statements = code_.NamedChildren(body);
    const uint32_t last = statements.empty() ? 0 : statements.back();
    for (const uint32_t leave : ReturnsIn(body)) {
      if (leave == last) continue;
      const std::string value = ValueOf(leave);
      Replace(code_.BeginByte(leave), code_.EndByte(leave),
              absl::StrCat("{ let planted = ", value.empty() ? "()" : value, ";", failing,
                           " return planted; }"));
    }
    const bool is_value = last != 0 && !absl::EndsWith(code_.Text(last), ";") &&
                          !absl::EndsWith(code_.Type(last), "_item") &&
                          code_.Type(last) != "let_declaration";
    if (!is_value) {
      Insert(code_.EndByte(body) - 1, absl::StrCat(failing, " "));
      return true;
    }
    Insert(code_.BeginByte(last), "let planted = ");
    Insert(code_.EndByte(last), absl::StrCat(";", failing, " planted"));
    return true;
  }

  bool PlantInMethod(absl::string_view head, uint32_t body) {
    static const RE2* const kExpects =
        new RE2(R"(\(\s*(timeout\s*=[^,]*,\s*)?expected\s*=|\bExpectedException\s*\()");
    static const RE2* const kVoid = new RE2(R"(\bvoid\s+\w+)");
    static const RE2* const kAsync = new RE2(R"(\basync\s+(\w+\.)*Task\s+\w+)");
    const bool is_async = Finds(head, *kAsync);
    const bool can_return = Finds(head, *kVoid) || is_async;
    if (!can_return && grammar_ == "java") return false;  // it makes tests, or is none
    const bool is_expression = code_.Type(body) == "arrow_expression_clause";
    if (Finds(head, *kExpects)) {
      if (is_expression || !can_return) return false;
      Insert(code_.BeginByte(body) + 1,
             grammar_ == "java" ? " if (Thread.currentThread() != null) return;"
                                : " if (global::System.Environment.NewLine != null) return;");
      return true;
    }
    const std::string failing = statements_.For(body, can_return);
    if (!is_expression) return PlantInBlock(body, failing);
    const std::vector<uint32_t> value = code_.NamedChildren(body);
    if (value.empty()) return false;
    size_t end = code_.EndByte(body);
    if (end < code_.text().size() && code_.text()[end] == ';') ++end;
    const absl::string_view text = code_.Text(value[0]);
    Replace(code_.BeginByte(body), end,
            can_return ? absl::StrCat("{ ", text, ";", failing, " }")
                       : absl::StrCat("{", failing, " return ", text, "; }"));
    return true;
  }

  // What a test of JavaScript gives back may be a promise: it fails when that is kept.
  std::string FailingAfter(absl::string_view value, const std::string& failing) const {
    const char* const type = grammar_ == "javascript" ? "" : ": any";
    return absl::StrCat("{ const kept", type, " = (", value, "); const fail", type, " = () => { ",
                        failing, " }; return kept && typeof kept.then === 'function' ? ",
                        "kept.then(fail) : fail(); }");
  }

  bool PlantInScriptFunction(uint32_t body) {
    const std::string failing = statements_.For(body, /*can_return=*/true);
    if (!absl::StartsWith(code_.Text(body), "{")) {
      Replace(code_.BeginByte(body), code_.EndByte(body), FailingAfter(code_.Text(body), failing));
      return true;
    }
    for (const uint32_t leave : ReturnsIn(body)) {
      const std::string value = ValueOf(leave);
      Replace(
          code_.BeginByte(leave), code_.EndByte(leave),
          value.empty() ? absl::StrCat("{ ", failing, " return; }") : FailingAfter(value, failing));
    }
    if (!EndsByLeaving(body)) Insert(code_.EndByte(body) - 1, absl::StrCat(";", failing, " "));
    return true;
  }

  // ---- a file that is one test -----------------------------------------------------------------

  bool PlantInProgram() {
    if (IsC(code_.grammar())) return PlantInMain();
    return IsScript(code_.grammar()) && PlantInScriptFile();
  }

  bool PlantInMain() {
    const std::string assertion = statements_.AssertOfC();
    bool any = false;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.Role(i) == NodeRole::kCall && IsExitCall(code_, i)) PlantInExit(i, assertion);
      if (code_.Role(i) != NodeRole::kFunction || NameOfFunction(code_, i).name != "main") continue;
      const uint32_t body = code_.Child(i, "body");
      if (body == 0 || !absl::StartsWith(code_.Text(body), "{")) continue;
      any = true;
      for (const uint32_t leave : ReturnsIn(body)) {
        const std::string value = ValueOf(leave);
        Replace(code_.BeginByte(leave), code_.EndByte(leave),
                assertion.empty()
                    ? absl::StrCat("return ((void)(", value.empty() ? "0" : value, "), 1);")
                    : absl::StrCat("{ ", assertion, "; ", code_.Text(leave), " }"));
      }
      if (!EndsByLeaving(body)) {
        Insert(code_.EndByte(body) - 1,
               assertion.empty() ? " return 1; " : absl::StrCat(" ", assertion, "; "));
      }
    }
    if (!any) edits_.clear();
    return any;
  }

  // exit(status), also of scripts.
  void PlantInExit(uint32_t call, const std::string& assertion) {
    const uint32_t arguments = code_.Child(call, "arguments");
    if (arguments == 0) return;
    const std::vector<uint32_t> values = code_.NamedChildren(arguments);
    if (values.size() > 1) return;
    const std::string value = values.empty() ? "0" : std::string(code_.Text(values[0]));
    const char* const cast = IsC(code_.grammar()) ? "(void)" : "";
    Replace(code_.BeginByte(arguments), code_.EndByte(arguments),
            assertion.empty() ? absl::StrCat("((", cast, "(", value, "), 1))")
                              : absl::StrCat("((", assertion, ", (", value, ")))"));
  }

  // A script that asserts as it runs, and is no part of another one.
  bool PlantInScriptFile() {
    static const RE2* const kExports = new RE2(R"((?m)^\s*export\b|\bexports\b)");
    const TestUnit& whole = tests_.units[0];
    if (Finds(code_.text(), *kExports)) return false;
    bool asserts = !whole.assertions.empty();
    for (const TestUnit& unit : tests_.units) {
      if (unit.kind != TestUnit::Kind::kHelper) continue;
      asserts |= std::any_of(whole.calls.begin(), whole.calls.end(),
                             [&unit](const auto& call) { return call.name == unit.last_name; });
    }
    if (!asserts) return false;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_.Role(i) == NodeRole::kCall && IsExitCall(code_, i)) PlantInExit(i, "");
    }
    Insert(code_.text().size(),
           absl::StrCat("\n;", statements_.For(0, /*can_return=*/false), "\n"));
    return true;
  }

  const TestCode& code_;
  const std::string& grammar_;
  const FileTests& tests_;
  const bool is_test_;
  const FailingStatements statements_;
  PlantedFile file_;
  std::map<size_t, std::pair<size_t, std::string>> edits_;  // begin, end, text
};

}  // namespace

bool CanHoldTests(const LanguageRegistry& languages, const std::string& path) {
  const std::string grammar = languages.GrammarOf(path);
  if (FindGrammar(grammar) == nullptr) return false;
  const bool are_marked = grammar == "rust" || grammar == "java" || grammar == "c_sharp";
  return are_marked || IsNamedAsTest(languages, path);
}

std::optional<PlantedFile> PlantFailuresIn(const LanguageRegistry& languages,
                                           const std::string& path, const std::string& text) {
  const Grammar* const grammar = FindGrammar(languages.GrammarOf(path));
  if (grammar == nullptr) return std::nullopt;
  const bool is_test = IsNamedAsTest(languages, path);
  static const RE2* const kMarker = new RE2(R"((?i)test|fact|theory)");
  if (!is_test && !Finds(text, *kMarker)) return std::nullopt;
  const std::optional<TestCode> code = TestCode::Parse(*grammar, text);
  if (!code.has_value()) return std::nullopt;
  const std::map<std::string, NameAliases> modules;
  const FileTests tests = ReadTests(*code, path, is_test, SkipNames(ReadAliases(*code), &modules));
  return Planter(*code, tests, is_test).Plant();
}

}  // namespace stile
