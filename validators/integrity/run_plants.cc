// Where tests of one process catch what each of them throws, functions throw the mark. In Go, C and
// C++ that would end the process with all later tests, so they print it, a limited number of times.
// No condition is a constant: some compilers reject code behind one that always leaves.
#include "validators/integrity/run_plants.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace stile {
namespace {

MarkEdit Insert(size_t at, std::string text) { return {at, at, std::move(text)}; }

// pytest sets the variable while a test runs, so that what runs at import goes on.
constexpr absl::string_view kPython = R"("PYTEST_CURRENT_TEST" in __import__("os").environ and )"
                                      R"((_ for _ in ()).throw(BaseException("$1" "$2")))";
// What a module calls while it is loaded goes on, or none of its tests would run.
constexpr absl::string_view kScript =
    R"( { const ran = new Error("$1" + "$2"); if (!/internal.modules/.test(String(ran.stack)) || )"
    R"(/test_runner/.test(String(ran.stack))) throw ran; })";
constexpr absl::string_view kRust = R"( if true { panic!(concat!("$1", "$2")); })";
// Not what `catch (Exception e)` takes.
constexpr absl::string_view kJava =
    R"( if (Thread.currentThread() != null) throw new Error("$1" + "$2");)";
constexpr absl::string_view kSharp =
    R"( if (global::System.Environment.NewLine != null) throw new global::System.Exception("$1" + "$2");)";
constexpr absl::string_view kSharpValue = R"(=> throw new global::System.Exception("$1" + "$2"))";
// Without a header: what is included first can change what later headers declare.
constexpr absl::string_view kC =
    R"( { extern int dprintf(int, const char *, ...); static int ran; if (ran++ < 2000) dprintf(2, "%s", "$1" "$2\n"); })";
// Of both languages.
constexpr absl::string_view kHeader =
    R"( { static int ran; if (ran++ < 2000) fputs("$1" "$2\n", stderr); })";
constexpr absl::string_view kHeaderBegin = "#include <stdio.h>\n#line 1\n";
constexpr absl::string_view kCpp =
    R"( if (!__builtin_is_constant_evaluated()) [] { static int ran; if (ran++ < 2000) std::fputs("$1" "$2\n", stderr); }();)";
constexpr absl::string_view kCppBegin = "#include <cstdio>\n#line 1\n";

bool IsDocstring(const TestCode& code, uint32_t statement) {
  const std::vector<uint32_t> parts = code.Children(statement);
  return code.Type(statement) == "expression_statement" && parts.size() == 1 &&
         code.Role(parts[0]) == NodeRole::kString;
}

std::vector<MarkEdit> PlantInPython(const TestCode& code, uint32_t body) {
  const std::vector<uint32_t> statements = code.NamedChildren(body);
  if (statements.empty()) return {};
  const bool has_docstring = IsDocstring(code, statements[0]);
  const uint32_t first = statements[has_docstring && statements.size() > 1 ? 1 : 0];
  const size_t at = code.BeginByte(first);
  const size_t newline = at == 0 ? std::string::npos : code.text().rfind('\n', at - 1);
  const size_t line = newline == std::string::npos ? 0 : newline + 1;
  const std::string indent(code.text().substr(line, at - line));
  if (indent.find_first_not_of(" \t") != std::string::npos) {
    return {Insert(at, absl::StrCat(kPython, "; "))};
  }
  return {Insert(at, absl::StrCat(kPython, "\n", indent))};
}

// Behind the opening brace, and behind what must come first.
size_t BeginOfBlock(const TestCode& code, uint32_t body) {
  size_t at = code.BeginByte(body) + 1;
  for (const uint32_t child : code.NamedChildren(body)) {
    const absl::string_view type = code.Type(child);
    if (type != "inner_attribute_item" && type != "explicit_constructor_invocation") break;
    at = code.EndByte(child);
  }
  return at;
}

uint32_t HashOf(absl::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Go has no static locals, and the variables of a package share one scope.
std::vector<MarkEdit> PlantInGo(const TestCode& code, const std::string& path, uint32_t body) {
  const std::string counter = absl::StrCat("timesRan", absl::Hex(HashOf(path)));
  return {Insert(BeginOfBlock(code, body), absl::StrCat(" if ", counter, " < 5000 { ", counter,
                                                        R"(++; println("$1" + "$2") };)")),
          Insert(code.text().size(), absl::StrCat("\nvar ", counter, " int\n"))};
}

std::vector<MarkEdit> PlantInC(const TestCode& code, const std::string& path, uint32_t body) {
  const size_t at = BeginOfBlock(code, body);
  if (absl::EndsWith(path, ".h")) {
    return {Insert(0, std::string(kHeaderBegin)), Insert(at, std::string(kHeader))};
  }
  if (code.grammar().name == "c") return {Insert(at, std::string(kC))};
  return {Insert(0, std::string(kCppBegin)), Insert(at, std::string(kCpp))};
}

std::optional<absl::string_view> PlantInBlock(const Grammar& grammar) {
  if (grammar.name == "rust") return kRust;
  if (grammar.name == "java") return kJava;
  if (grammar.name == "c_sharp") return kSharp;
  if (grammar.name == "javascript" || grammar.name == "typescript" || grammar.name == "tsx") {
    return kScript;
  }
  return std::nullopt;
}

}  // namespace

std::vector<MarkEdit> PlantRunMark(const TestCode& code, const std::string& path, uint32_t body) {
  const std::string& grammar = code.grammar().name;
  const size_t begin = code.BeginByte(body);
  const size_t end = code.EndByte(body);
  if (grammar == "python") return PlantInPython(code, body);
  if (code.Type(body) == "arrow_expression_clause") {
    return {{begin, end, std::string(kSharpValue)}};
  }
  const std::optional<absl::string_view> statement = PlantInBlock(code.grammar());
  if (!absl::StartsWith(code.Text(body), "{")) {
    if (statement != kScript) return {};
    return {Insert(begin, absl::StrCat("{", kScript, " return (")), Insert(end, "); }")};
  }
  if (grammar == "go") return PlantInGo(code, path, body);
  if (grammar == "c" || grammar == "cpp") return PlantInC(code, path, body);
  if (!statement.has_value()) return {};
  return {Insert(BeginOfBlock(code, body), std::string(*statement))};
}

}  // namespace stile
