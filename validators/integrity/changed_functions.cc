#include "validators/integrity/changed_functions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/language/name_matcher.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/run_plants.h"
#include "validators/integrity/test_code.h"
#include "validators/integrity/test_functions.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

struct Function {
  std::string name;
  std::string tokens;           // its own, not those of functions in it
  std::set<std::string> names;  // that it mentions
  uint32_t body = 0;
  int line = 0;
  int last_line = 0;
};

struct FileFunctions {
  std::vector<Function> functions;
  std::map<std::string, std::string> values;  // tokens of constants and variables, by name
};

bool IsValue(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kConstant:
    case SymbolKind::kVariable:
    case SymbolKind::kField:
    case SymbolKind::kEnumMember:
    case SymbolKind::kMacro:
      return true;
    default:
      return false;
  }
}

// Items of Rust that only a build of the tests has.
bool IsTestItem(TSNode item, absl::string_view text) {
  static const RE2* const kTest = new RE2(R"(\btest\b)");
  for (TSNode before = ts_node_prev_named_sibling(item); !ts_node_is_null(before);
       before = ts_node_prev_named_sibling(before)) {
    const absl::string_view type = ts_node_type(before);
    if (type == "line_comment" || type == "block_comment") continue;
    if (type != "attribute_item") return false;
    if (Finds(TextOf(before, text), *kTest)) return true;
  }
  return false;
}

class FunctionReader {
 public:
  explicit FunctionReader(const TestCode& code)
      : code_(code), symbols_(FindSymbols(code.grammar(), code.tree(), code.text())) {}

  FileFunctions Read() {
    for (uint32_t i = 0; i < code_.size();) i = Visit(i);
    for (const Symbol& symbol : symbols_) {
      if (IsValue(symbol.kind)) ReadValue(symbol);
    }
    return std::move(result_);
  }

 private:
  struct Open {
    uint32_t end;  // node
    size_t function;
  };

  // The body of a function that begins at the node; 0 if there is none.
  uint32_t BodyAt(uint32_t i) const {
    const absl::string_view type = code_.Type(i);
    if (type == "decorated_definition") {
      const uint32_t inner = code_.Child(i, "definition");
      return inner != 0 && code_.Role(inner) == NodeRole::kFunction ? code_.Child(inner, "body")
                                                                    : 0;
    }
    const NodeRole role = code_.Role(i);
    const bool is_lambda = role == NodeRole::kLambda || type == "generator_function";
    if (is_lambda && (!open_.empty() || type == "lambda")) return 0;
    if (type == "property_declaration" || type == "indexer_declaration") {
      const uint32_t value = code_.Child(i, "value");
      return value != 0 && code_.Type(value) == "arrow_expression_clause" ? value : 0;
    }
    const bool is_function =
        role == NodeRole::kFunction || type == "accessor_declaration" ||
        type == "operator_declaration" || type == "conversion_operator_declaration" ||
        type == "destructor_declaration" || type == "compact_constructor_declaration";
    return is_function || is_lambda ? code_.Child(i, "body") : 0;
  }

  std::string NameAt(uint32_t byte) const {
    std::string name;
    for (const Symbol& symbol : symbols_) {  // outer ones come first
      if (symbol.begin > byte) break;
      if (byte >= symbol.end || symbol.name_end > byte) continue;
      name =
          symbol.container.empty() ? symbol.name : absl::StrCat(symbol.container, ".", symbol.name);
    }
    return name;
  }

  // Returns the next node.
  uint32_t Visit(uint32_t i) {
    while (!open_.empty() && open_.back().end <= i) open_.pop_back();
    const NodeRole role = code_.Role(i);
    const absl::string_view type = code_.Type(i);
    if (role == NodeRole::kComment) return code_.End(i);
    if ((type == "function_item" || type == "mod_item") &&
        IsTestItem(code_.Node(i), code_.text())) {
      return code_.End(i);
    }
    if (bodies_.count(i) > 0 && IsDocumented(i)) return code_.End(code_.NamedChildren(i)[0]);
    if (const uint32_t body = BodyAt(i); body != 0 && bodies_.insert(body).second) {
      Function function;
      function.body = body;
      function.name = NameAt(code_.BeginByte(body));
      function.line = code_.Line(i);
      function.last_line = static_cast<int>(ts_node_end_point(code_.Node(body)).row) + 1;
      open_.push_back({code_.End(i), result_.functions.size()});
      result_.functions.push_back(std::move(function));
    }
    const bool is_whole = role == NodeRole::kString || role == NodeRole::kLiteral;
    if (!is_whole && code_.End(i) != i + 1) return i + 1;
    AddToken(i, is_whole);
    return code_.End(i);
  }

  // Whether the body begins with a docstring.
  bool IsDocumented(uint32_t body) const {
    if (!code_.language().facts().has_docstrings) return false;
    const std::vector<uint32_t> statements = code_.NamedChildren(body);
    if (statements.empty() || code_.Type(statements[0]) != "expression_statement") return false;
    const std::vector<uint32_t> parts = code_.Children(statements[0]);
    return parts.size() == 1 && code_.Role(parts[0]) == NodeRole::kString;
  }

  void AddToken(uint32_t i, bool is_whole) {
    const absl::string_view text = code_.Text(i);
    if (text.empty()) return;
    if (open_.empty()) {
      loose_.push_back({code_.BeginByte(i), std::string(text)});
      return;
    }
    Function& function = result_.functions[open_.back().function];
    absl::StrAppend(&function.tokens, text, "\n");
    if (!is_whole) function.names.insert(std::string(text));
  }

  void ReadValue(const Symbol& symbol) {
    std::string tokens;
    auto token =
        std::lower_bound(loose_.begin(), loose_.end(), symbol.begin,
                         [](const auto& entry, uint32_t begin) { return entry.first < begin; });
    for (; token != loose_.end() && token->first < symbol.end; ++token) {
      absl::StrAppend(&tokens, token->second, "\n");
    }
    if (!tokens.empty()) absl::StrAppend(&result_.values[symbol.name], tokens, ";\n");
  }

  const TestCode& code_;
  const std::vector<Symbol> symbols_;
  FileFunctions result_;
  std::vector<Open> open_;
  std::set<uint32_t> bodies_;
  std::vector<std::pair<uint32_t, std::string>> loose_;  // outside of functions, by their begin
};

class Finder : public ChangedFunctionFinder {
 public:
  explicit Finder(const LanguageRegistry* languages) : languages_(languages) {}

  std::vector<ChangedFunction> Find(const std::vector<ContentPair>& changes) const override {
    std::set<std::pair<std::string, std::string>> known;  // name, tokens
    std::map<std::string, FileFunctions> before;
    for (const ContentPair& change : changes) {
      const auto code = change.before.has_value() ? Parse(change.path, *change.before)
                                                  : std::optional<TestCode>();
      if (!code.has_value()) continue;
      FileFunctions& old = before[change.path];
      old = FunctionReader(*code).Read();
      for (const Function& function : old.functions) known.insert({function.name, function.tokens});
    }
    std::vector<ChangedFunction> found;
    for (const ContentPair& change : changes) {
      if (!change.after.has_value() || change.before == change.after) continue;
      const auto code = Parse(change.path, *change.after);
      if (!code.has_value()) continue;
      const FileFunctions now = FunctionReader(*code).Read();
      const std::set<std::string> values = ChangedValues(before[change.path], now);
      for (const Function& function : now.functions) {
        const bool is_same = known.count({function.name, function.tokens}) > 0;
        if (is_same && !MentionsAny(function, values)) continue;
        ChangedFunction changed;
        changed.edits = PlantRunMark(*code, change.path, function.body);
        if (changed.edits.empty()) continue;
        changed.path = change.path;
        changed.name = function.name.empty() ? "a function" : function.name;
        changed.line = function.line;
        changed.last_line = function.last_line;
        found.push_back(std::move(changed));
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const ChangedFunction& a, const ChangedFunction& b) {
                       return std::tie(a.path, a.line) < std::tie(b.path, b.line);
                     });
    return found;
  }

 private:
  // nullopt for tests, scripts of builds, and what no grammar is known for.
  std::optional<TestCode> Parse(const std::string& path, absl::string_view text) const {
    const Language* const language = languages_->OfFile(path);
    const Grammar* const grammar = FindGrammar(languages_->GrammarOf(path));
    if (language == nullptr || grammar == nullptr) return std::nullopt;
    NameMatcher tests;
    for (const std::string& glob : language->test_names) tests.Add(glob, 0);
    if (!tests.Match(path).empty() || IsTestPath(path) || BaseName(path) == "build.rs") {
      return std::nullopt;
    }
    return TestCode::Parse(*grammar, text);
  }

  static std::set<std::string> ChangedValues(const FileFunctions& before,
                                             const FileFunctions& now) {
    std::set<std::string> changed;
    for (const auto& [name, tokens] : now.values) {
      const auto old = before.values.find(name);
      if (old != before.values.end() && old->second != tokens) changed.insert(name);
    }
    return changed;
  }

  static bool MentionsAny(const Function& function, const std::set<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&function](const std::string& name) {
      return function.names.count(name) > 0;
    });
  }

  const LanguageRegistry* const languages_;
};

}  // namespace

std::unique_ptr<ChangedFunctionFinder> NewChangedFunctionFinder(const LanguageRegistry* languages) {
  return std::make_unique<Finder>(languages);
}

}  // namespace stile
