#include "tools/refactor/inlined_function.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/evaluation_order.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"
#include "tools/refactor/call_arguments.h"

namespace stile {
namespace {

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::FailedPreconditionError(absl::StrCat(parts...));
}

// Words in a head that make a call more than the evaluation of its body.
constexpr absl::string_view kBindingWords[] = {
    "async",     "virtual",  "override",  "abstract", "sealed", "synchronized",
    "native",    "extern",   "default",   "unsafe",   "get",    "set",
    "generator", "strictfp", "_Noreturn", "noreturn"};

// The function whose name the node is, or the function that the name is given to.
TSNode FunctionAt(TSNode name) {
  TSNode node = ts_node_parent(name);
  for (int level = 0; level < 4 && !ts_node_is_null(node); ++level, node = ts_node_parent(node)) {
    if (!ts_node_is_null(FieldOf(node, "body"))) return IsFunctionNode(node) ? node : TSNode{};
    const TSNode value = FieldOf(node, "value");
    if (IsFunctionNode(value) && !ts_node_is_null(FieldOf(value, "body"))) return value;
    if (IsNode(ChildOf(node, "arrow_expression_clause"), "arrow_expression_clause")) return node;
    if (IsStatementContainer(node)) break;
  }
  return TSNode{};
}

bool IsDocstring(TSNode statement) {
  return IsNode(statement, "expression_statement") &&
         IsOneOf(TypeOf(ts_node_named_child(statement, 0)), {"string", "concatenated_string"});
}

class BodyReader {
 public:
  explicit BodyReader(InlinedFunction* function) : function_(*function), text_(file().text) {}

  absl::Status Read() {
    const Symbol& symbol = function_.declaration.AsSymbol();
    const TSNode name = NodeAt(function_.tree, symbol.name_begin, symbol.name_end);
    const TSNode node = FunctionAt(name);
    if (ts_node_is_null(node)) return Refuse("its declaration is no function with a body");
    STILE_RETURN_IF_ERROR(ReadHead(symbol, node));
    if (HoldsComment(node)) return Refuse("it holds a comment, which would be lost");
    STILE_RETURN_IF_ERROR(FindValue(node));
    if (function_.head.returns == "void") function_.gives_value = false;
    STILE_RETURN_IF_ERROR(CheckValue());
    STILE_RETURN_IF_ERROR(ReadParameters(symbol));
    return FindNames(node);
  }

 private:
  const SourceFile& file() const { return function_.file(); }
  const LanguageFacts& facts() const { return function_.language().facts; }

  absl::Status ReadHead(const Symbol& symbol, TSNode node) {
    const uint32_t end = std::max(symbol.signature_end, symbol.name_end);
    const absl::string_view head = text_.substr(symbol.begin, end - symbol.begin);
    if (absl::StartsWith(head, "@") || absl::StartsWith(head, "[") ||
        absl::StrContains(head, "__attribute__")) {
      return Refuse("its declaration has an annotation");
    }
    const absl::string_view words = text_.substr(symbol.begin, symbol.name_begin - symbol.begin);
    for (const absl::string_view word : kBindingWords) {
      if (HoldsWord(words, word)) return Refuse("it is declared with `", word, "`");
    }
    const bool is_later = absl::StartsWith(TextOf(node, text_), "async") ||
                          absl::StrContains(TypeOf(node), "generator") ||
                          HasChildText(node, "*", text_);
    if (is_later) return Refuse("its body does not run when it is called");
    if (!ts_node_is_null(FieldOf(node, "type_parameters"))) {
      return Refuse("it has type parameters");
    }
    // An arrow function has no head: `const twice = (x) => 2 * x`.
    if (symbol.kind == SymbolKind::kConstant || symbol.kind == SymbolKind::kVariable) {
      return absl::OkStatus();
    }
    STILE_ASSIGN_OR_RETURN(function_.head, ParseMethodSignature(*function_.language().family,
                                                                SignatureText(head), symbol.name));
    return function_.head.receiver.empty()
               ? absl::OkStatus()
               : Refuse("it is a method, and an interface may ask for it");
  }

  // The expression: of `return`, or the only statement.
  absl::Status FindValue(TSNode node) {
    TSNode body = FieldOf(node, "body");
    if (ts_node_is_null(body)) body = ChildOf(node, "arrow_expression_clause");
    if (IsNode(body, "arrow_expression_clause")) body = ts_node_named_child(body, 0);
    if (!IsStatementContainer(body)) {
      function_.value = body;
      function_.gives_value = true;
      return absl::OkStatus();
    }
    if (const TSNode list = ChildOf(body, "statement_list"); !ts_node_is_null(list)) body = list;
    std::vector<TSNode> statements = NamedChildren(body);
    if (!statements.empty() && facts().docstrings && IsDocstring(statements[0])) {
      statements.erase(statements.begin());
    }
    if (statements.size() != 1) return Refuse("its body is not one expression");
    TSNode statement = statements[0];
    function_.gives_value = IsNode(statement, "return_statement");
    if (!function_.gives_value && !IsNode(statement, "expression_statement")) {
      return Refuse("its body is not one expression");
    }
    if (HasChildText(ts_node_named_child(statement, 0), ",", text_) &&
        IsNode(ts_node_named_child(statement, 0), "expression_list")) {
      return Refuse("its result is a list of values");
    }
    for (int level = 0; level < 2; ++level) {
      if (ts_node_named_child_count(statement) != 1) {
        return Refuse("its body is not one expression");
      }
      statement = ts_node_named_child(statement, 0);
      if (!IsNode(statement, "expression_list")) break;
    }
    function_.value = statement;
    return absl::OkStatus();
  }

  // Only the documentation before the function and its docstring may go.
  bool HoldsComment(TSNode node) const {
    bool found = false;
    WalkTree(node, [&](TSNode inner) {
      found = found || IsComment(inner);
      return !found;
    });
    return found;
  }

  absl::Status CheckValue() const {
    const absl::string_view code = TextOf(function_.value, text_);
    std::string reason;
    WalkTree(function_.value, [&](TSNode node) {
      const absl::string_view type = TypeOf(node);
      if (IsFunctionNode(node) || absl::StrContains(type, "lambda") ||
          absl::EndsWith(type, "_comprehension") ||
          IsOneOf(type, {"generator_expression", "class", "object_creation_body", "class_body"})) {
        reason = "its body holds a function or a comprehension of its own";
      }
      if (IsOneOf(type, {"await", "await_expression", "yield", "yield_expression", "super",
                         "meta_property", "macro_invocation", "import"})) {
        reason = absl::StrCat("its body uses `", ShortCode(node, text_), "`");
      }
      // A function gets it from its call.
      if (type == "this" && !function_.IsOfObject()) reason = "its body uses `this`";
      return reason.empty();
    });
    if (!reason.empty()) return Refuse(reason);
    std::vector<std::string> words = function_.language().naming.module_words;
    const std::vector<std::string>& of_class = function_.language().naming.class_words;
    words.insert(words.end(), of_class.begin(), of_class.end());
    const std::vector<std::string>& of_frame = function_.language().naming.frame_words;
    words.insert(words.end(), of_frame.begin(), of_frame.end());
    if (facts().has_arguments_object) words.emplace_back("arguments");
    for (const std::string& word : words) {
      if (HoldsWord(code, word)) return Refuse("its body uses `", ToUtf8(word), "`");
    }
    if (ChangesVariable(function_.value, text_)) return Refuse("its body changes a variable");
    return absl::OkStatus();
  }

  absl::Status ReadParameters(const Symbol& symbol) {
    const TSNode list = ParametersAt(function_.tree, symbol.name_begin, symbol.name_end);
    const absl::string_view text = TextOf(list, text_);
    if (!absl::StartsWith(text, "(")) return Refuse("it has no list of parameters in brackets");
    for (Parameter& parameter :
         ParseParameters(*function_.language().family, text.substr(1, text.size() - 2))) {
      if (parameter.text == "void") continue;  // C: none
      if (!IsIdentifier(parameter.name) || absl::StrContains(parameter.text, "...") ||
          absl::StartsWith(parameter.text, "*") || parameter.text == "/") {
        return Refuse("its parameter `", ToUtf8(parameter.text), "` is not one value");
      }
      for (const absl::string_view word : {"ref", "out", "in", "params", "this", "volatile"}) {
        if (HoldsWord(parameter.text.substr(0, parameter.text.find(parameter.name)), word)) {
          return Refuse("its parameter ", parameter.name, " is declared with `", word, "`");
        }
      }
      if (absl::StrContains(parameter.text, "@")) {
        return Refuse("its parameter ", parameter.name, " has an annotation");
      }
      InlinedFunction::Input input{std::move(parameter), {}};
      const bool is_first = !function_.self.has_value() && function_.inputs.empty();
      if (facts().this_is_parameter && IsMethod() && is_first) {
        function_.self = std::move(input);
      } else {
        function_.inputs.push_back(std::move(input));
      }
    }
    parameters_ = {BeginOf(list), EndOf(list)};
    return absl::OkStatus();
  }

  bool IsMethod() const { return function_.declaration.AsSymbol().kind == SymbolKind::kMethod; }

  // Every name in the bytes, with what it means.
  std::vector<std::pair<std::string, Occurrence>> NamesIn(ByteSpan span) const {
    std::set<std::string> names;
    for (const FileScopes::Identifier& identifier : file().scopes.identifiers) {
      const Occurrence& at = identifier.occurrence;
      if (span.Holds(at.begin)) names.insert(file().text.substr(at.begin, at.end - at.begin));
    }
    std::vector<std::pair<std::string, Occurrence>> found;
    for (const std::string& name : names) {
      for (const Occurrence& use : FindOccurrences(file().grammar, file().scopes, text_, name)) {
        if (span.Holds(use.begin)) found.emplace_back(name, use);
      }
    }
    return found;
  }

  // The uses of parameters, and all other names, by what declares them.
  absl::Status FindNames(TSNode node) {
    for (const auto& [name, use] : NamesIn({BeginOf(function_.value), EndOf(function_.value)})) {
      STILE_RETURN_IF_ERROR(Note(name, use, node));
    }
    if (facts().untyped_constants) FindTypes(node);
    const auto by_place = [](TSNode a, TSNode b) { return BeginOf(a) < BeginOf(b); };
    for (InlinedFunction::Input& input : function_.inputs) {
      std::sort(input.uses.begin(), input.uses.end(), by_place);
    }
    return absl::OkStatus();
  }

  // Go: types of the head are written at the call, as conversions.
  void FindTypes(TSNode node) {
    for (const auto& [name, use] : NamesIn({parameters_.begin, BeginOf(FieldOf(node, "body"))})) {
      const bool is_member = use.role == OccurrenceRole::kMember && use.receiver_end > 0;
      const bool is_own =
          use.binding >= 0 &&
          parameters_.Holds(file().scopes.bindings[static_cast<size_t>(use.binding)].name_begin);
      if (!is_member && !is_own) function_.free_names.push_back({name, use.binding, true});
    }
  }

  absl::Status Note(const std::string& name, const Occurrence& use, TSNode node) {
    const bool is_behind_dot = use.role == OccurrenceRole::kMember && use.receiver_end > 0;
    const absl::string_view receiver =
        text_.substr(use.receiver_begin, use.receiver_end - use.receiver_begin);
    const bool is_self = receiver == "this" ||
                         (function_.self.has_value() && receiver == function_.self->declared.name);
    if (name == function_.declaration.name() && (!is_behind_dot || is_self)) {
      return Refuse("its body calls it");
    }
    const TSNode place = NodeAt(function_.tree, use.begin, use.end);
    if (use.binding >= 0) {
      const Binding& binding = file().scopes.bindings[static_cast<size_t>(use.binding)];
      if (parameters_.Holds(binding.name_begin)) {
        InlinedFunction::Input* const input = InputNamed(name);
        if (input == nullptr || use.role == OccurrenceRole::kRaw ||
            IsWrite(function_.tree, use, text_) ||
            absl::StartsWith(TextOf(ts_node_parent(place), text_), "&")) {
          return Refuse("its body changes its parameter ", ToUtf8(name), ", or takes its address");
        }
        for (TSNode around = place; !SameNode(around, function_.value);
             around = ts_node_parent(around)) {
          if (IsNode(around, "interpolation")) {
            return Refuse("its body uses its parameter ", ToUtf8(name), " within a string");
          }
        }
        input->uses.push_back(place);
        return absl::OkStatus();
      }
      if (binding.name_begin >= BeginOf(node) && binding.name_begin < EndOf(node)) {
        return Refuse("its body declares ", ToUtf8(name));
      }
    }
    if (is_behind_dot) function_.member_names.insert(name);
    if (function_.language().naming.double_underscores_are_special && is_behind_dot &&
        absl::StartsWith(name, "__") && !function_.IsOfObject()) {
      return Refuse("its body uses ", ToUtf8(name));
    }
    if (is_behind_dot || use.role == OccurrenceRole::kKey) return absl::OkStatus();
    if (use.role == OccurrenceRole::kRaw || use.role == OccurrenceRole::kLabel) {
      return Refuse("its body uses ", ToUtf8(name), " in a way that is not known");
    }
    // Within a class, Python changes such a name.
    if (function_.language().naming.double_underscores_are_special &&
        absl::StartsWith(name, "__")) {
      return Refuse("its body uses ", ToUtf8(name));
    }
    const bool has_capital = absl::ascii_isupper(static_cast<unsigned char>(name.front())) != 0;
    function_.free_names.push_back(
        {name, use.binding, use.role == OccurrenceRole::kType || has_capital});
    return absl::OkStatus();
  }

  InlinedFunction::Input* InputNamed(const std::string& name) {
    if (function_.self.has_value() && function_.self->declared.name == name) {
      return &*function_.self;
    }
    for (InlinedFunction::Input& input : function_.inputs) {
      if (input.declared.name == name) return &input;
    }
    return nullptr;
  }

  InlinedFunction& function_;
  const absl::string_view text_;
  ByteSpan parameters_;
};

}  // namespace

bool InlinedFunction::IsOfObject() const {
  return declaration.AsSymbol().kind == SymbolKind::kMethod && !head.HasModifier("static");
}

absl::StatusOr<InlinedFunction> ReadInlinedFunction(const Declaration& declaration) {
  const SourceFile& file = *declaration.file;
  STILE_ASSIGN_OR_RETURN(SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  InlinedFunction function{declaration, std::move(tree)};
  STILE_RETURN_IF_ERROR(BodyReader(&function).Read());
  return function;
}

}  // namespace stile
