#include "tools/refactor/extract_method.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/backend/code_style.h"
#include "tools/backend/method_signature.h"
#include "tools/refactor/import_fixups.h"
#include "tools/refactor/insert_code.h"
#include "tools/refactor/method_flow.h"
#include "tools/refactor/variable_types.h"

namespace stile {
namespace {

class MethodExtraction {
 public:
  MethodExtraction(const SourceFile& file, const LanguageFamily& family, const SyntaxTree& tree,
                   const StatementRange& range, std::string name, const ProbeEdits& probe)
      : file_(file),
        family_(family),
        tree_(tree),
        range_(range),
        name_(std::move(name)),
        probe_(probe),
        language_(file.language.id),
        style_(StyleOf(file.text, family)) {}

  absl::StatusOr<EditPlan> Plan() {
    function_ = FunctionAround(range_.statements[0]);
    member_ = MemberAround(range_.statements[0]);
    if (ts_node_is_null(function_) || ts_node_is_null(member_)) {
      return absl::InvalidArgumentError("the lines are in no function");
    }
    STILE_RETURN_IF_ERROR(CheckName());
    FindOwner();
    STILE_ASSIGN_OR_RETURN(flow_, AnalyzeFlow(file_, tree_, range_, function_, receiver_));
    STILE_RETURN_IF_ERROR(CheckThis());
    STILE_RETURN_IF_ERROR(FindTypes());
    STILE_RETURN_IF_ERROR(CheckCopies());
    STILE_ASSIGN_OR_RETURN(const MethodSignature header, Header());
    EditPlan plan;
    const uint32_t begin = range_.span.begin;
    plan.Edit(file_, {begin, range_.span.end, WithNewlines(CallText(), style_)});
    plan.Edit(file_, Insertion(header));
    return plan;
  }

 private:
  bool typed() const { return language_ != "python" && language_ != "javascript"; }

  absl::Status CheckName() const {
    STILE_RETURN_IF_ERROR(CheckFreeName(file_, name_, {BeginOf(member_), EndOf(member_)}));
    const int around = file_.SymbolAround(BeginOf(function_));
    const std::string owner =
        around >= 0 ? file_.symbols[static_cast<size_t>(around)].container : "";
    for (const Symbol& symbol : file_.symbols) {
      if (symbol.name == name_ && (symbol.container == owner || symbol.container.empty())) {
        return absl::InvalidArgumentError(absl::StrCat(name_, " exists already (line ", symbol.line,
                                                       "); choose another newName"));
      }
    }
    return absl::OkStatus();
  }

  // Whose method the function is, and what it calls itself there.
  void FindOwner() {
    TSNode method = member_;
    if (IsNode(method, "decorated_definition")) method = FieldOf(method, "definition");
    const absl::string_view text = file_.text;
    const absl::string_view head =
        text.substr(BeginOf(member_), BeginOf(FieldOf(method, "body")) > BeginOf(member_)
                                          ? BeginOf(FieldOf(method, "body")) - BeginOf(member_)
                                          : 0);
    const std::vector<std::string> words = WordList(head);
    const auto has = [&](const char* word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    is_static_ = has("static");
    if (language_ == "python") {
      const TSNode body = ts_node_parent(member_);
      const bool in_class =
          IsNode(body, "block") && IsNode(ts_node_parent(body), "class_definition");
      in_type_ = in_class;
      is_static_ = absl::StrContains(head, "@staticmethod");
      is_class_method_ = absl::StrContains(head, "@classmethod");
      if (in_class && !is_static_) {
        const TSNode first = ts_node_named_child(FieldOf(method, "parameters"), 0);
        if (!ts_node_is_null(first)) FindReceiver(first);
      }
      if (in_class) owner_ = std::string(TextOf(FieldOf(ts_node_parent(body), "name"), text));
      return;
    }
    if (language_ == "go") {
      const TSNode receiver = FieldOf(method, "receiver");
      if (!ts_node_is_null(receiver)) {
        const absl::string_view list = TextOf(receiver, text);
        receiver_text_ = std::string(list.substr(1, list.size() - 2));
        const TSNode declaration = ts_node_named_child(receiver, 0);
        const TSNode name = FieldOf(declaration, "name");
        if (!ts_node_is_null(name)) FindReceiver(name);
      }
      return;
    }
    in_type_ = language_ == "csharp" || language_ == "java" ||
               IsNode(method, "method_definition") ||
               IsNode(ts_node_parent(ts_node_parent(member_)), "class_body") ||
               IsNode(ts_node_parent(member_), "public_field_definition") ||
               IsNode(ts_node_parent(member_), "field_definition");
    if (!in_type_) return;
    // An arrow that is a field: the field is the member.
    while (!IsNode(ts_node_parent(member_), "class_body") && language_ != "csharp" &&
           language_ != "java" && !ts_node_is_null(ts_node_parent(member_))) {
      member_ = ts_node_parent(member_);
    }
    for (TSNode node = member_; !ts_node_is_null(node); node = ts_node_parent(node)) {
      if (!absl::StrContains(TypeOf(node), "class") && !absl::StrContains(TypeOf(node), "struct") &&
          !absl::StrContains(TypeOf(node), "record")) {
        continue;
      }
      const TSNode name = FieldOf(node, "name");
      if (ts_node_is_null(name)) continue;
      owner_ = std::string(TextOf(name, text));
      break;
    }
  }

  void FindReceiver(TSNode name) {
    receiver_name_ = std::string(TextOf(name, file_.text));
    receiver_name_ = receiver_name_.substr(0, receiver_name_.find_first_of(":= "));
    for (size_t i = 0; i < file_.scopes.bindings.size(); ++i) {
      if (file_.scopes.bindings[i].name_begin == BeginOf(name)) receiver_ = static_cast<int>(i);
    }
  }

  static std::vector<std::string> WordList(absl::string_view text) {
    std::vector<std::string> words;
    ReplaceIdentifiers(text.substr(0, text.find('(')), [&](const std::string& word, char) {
      words.push_back(word);
      return word;
    });
    return words;
  }

  absl::Status CheckThis() const {
    if (!flow_.uses_this || language_ == "python" || language_ == "go") return absl::OkStatus();
    const absl::string_view type = TypeOf(function_);
    if (type == "function_expression" || (type == "function_declaration" && in_type_) ||
        (!in_type_ && language_ != "csharp" && language_ != "java")) {
      return absl::FailedPreconditionError(
          "the lines use the `this` of a function that is no method; choose other lines");
    }
    return absl::OkStatus();
  }

  absl::Status FindTypes() {
    for (const FlowVariable& variable : flow_.variables) {
      std::string type = DeclaredType(file_, tree_, variable.binding);
      const bool needed = typed() && (variable.is_input || variable.needs_local ||
                                      (variable.is_output && language_ != "typescript"));
      if (type.empty() && needed) {
        const uint32_t at = variable.declared_inside
                                ? static_cast<uint32_t>(LineEnd(file_.text, range_.span.end))
                                : range_.span.begin;
        STILE_ASSIGN_OR_RETURN(type, TypeOfExpression(file_, variable.name, at, probe_));
      }
      types_[variable.binding] = type;
    }
    return absl::OkStatus();
  }

  // FailedPrecondition where the new one would change a copy of what the lines change.
  absl::Status CheckCopies() const {
    if (language_ != "go" && language_ != "csharp") return absl::OkStatus();
    for (const FlowVariable& variable : flow_.variables) {
      if (variable.declared_inside) continue;
      const std::vector<Occurrence> uses = UsesOf(file_, variable.binding);
      const bool has_address =
          language_ == "go" && std::any_of(uses.begin(), uses.end(), [&](const Occurrence& use) {
            const TSNode parent = ts_node_parent(NodeAt(tree_, use.begin, use.end));
            return IsNode(parent, "unary_expression") &&
                   absl::StartsWith(TextOf(parent, file_.text), "&");
          });
      const std::string& type = types_.at(variable.binding);
      const bool is_copied = language_ == "go" ? !absl::StartsWith(type, "*") &&
                                                     !absl::StartsWith(type, "map[") &&
                                                     !absl::StartsWith(type, "[]")
                                               : IsStructHere(type);
      const bool is_lost = is_copied && !variable.is_output && !flow_.returns_value;
      for (const Occurrence& use : uses) {
        if (!range_.span.Holds(use.begin)) continue;
        const bool part = ChangesPart(use, type);
        if ((part && (is_lost || has_address)) ||
            (has_address && IsWrite(tree_, use, file_.text))) {
          return absl::FailedPreconditionError(absl::StrCat(
              "line ", file_.PlaceOf(use.begin).line, " changes ", ToUtf8(variable.name),
              ", of which a method would get a copy; choose other lines"));
        }
      }
    }
    return absl::OkStatus();
  }

  bool IsStructHere(absl::string_view type) const {
    const absl::string_view name = type.substr(0, type.find_first_of("<?"));
    bool found = false;
    WalkTree(tree_.root(), [&](TSNode node) {
      if (found || !absl::StrContains(TypeOf(node), "_declaration")) return !found;
      const bool is_struct =
          absl::StrContains(TypeOf(node), "struct") ||
          (absl::StrContains(TypeOf(node), "record") && HasChildText(node, "struct", file_.text));
      found = is_struct && TextOf(FieldOf(node, "name"), file_.text) == name;
      return !found;
    });
    return found;
  }

  // `t.n = …`, `t[i]++`, and calls of methods that may do the same.
  bool ChangesPart(const Occurrence& use, const std::string& type) const {
    TSNode node = NodeAt(tree_, use.begin, use.end);
    const TSNode name = node;
    for (TSNode parent = ts_node_parent(node);
         !ts_node_is_null(parent) && BeginOf(parent) == BeginOf(name);
         parent = ts_node_parent(parent)) {
      const absl::string_view kind = TypeOf(parent);
      if (kind != "selector_expression" && kind != "index_expression" &&
          kind != "member_access_expression" && kind != "element_access_expression") {
        break;
      }
      node = parent;
    }
    if (SameNode(node, name)) return false;
    Occurrence whole = use;
    whole.begin = BeginOf(node);
    whole.end = EndOf(node);
    if (IsWrite(tree_, whole, file_.text)) return true;
    const TSNode call = ts_node_parent(node);
    if (!SameNode(FieldOf(call, "function"), node)) return false;
    if (language_ == "csharp") return true;
    const absl::string_view path = TextOf(node, file_.text);
    const absl::string_view method = path.substr(path.rfind('.') + 1);
    return absl::StrContains(file_.text, absl::StrCat("*", type, ") ", method, "("));
  }

  std::string ResultType() const {
    if (flow_.returns_value) return FunctionResult();
    const std::vector<FlowVariable> outputs = flow_.Outputs();
    if (outputs.empty()) {
      if (language_ == "python") return "None";
      return language_ == "typescript" ? "void" : family_.no_result;
    }
    std::vector<std::string> list;
    for (const FlowVariable& output : outputs) {
      const std::string type = types_.at(output.binding);
      if (type.empty()) return "";
      const bool names = language_ == "csharp" || language_ == "typescript";
      list.push_back(!names || outputs.size() == 1 ? type
                     : language_ == "csharp"       ? absl::StrCat(type, " ", output.name)
                                                   : absl::StrCat(output.name, ": ", type));
    }
    if (outputs.size() == 1) return list[0];
    const std::string joined = absl::StrJoin(list, ", ");
    if (language_ == "python") return absl::StrCat("tuple[", joined, "]");
    if (language_ == "typescript") return absl::StrCat("{ ", absl::StrJoin(list, "; "), " }");
    return absl::StrCat("(", joined, ")");
  }

  // What the function around says it returns.
  std::string FunctionResult() const {
    for (const char* field : {"returns", "return_type", "result", "type"}) {
      const TSNode node = FieldOf(function_, field);
      if (ts_node_is_null(node)) continue;
      absl::string_view type = TextOf(node, file_.text);
      absl::ConsumePrefix(&type, ":");
      type = absl::StripAsciiWhitespace(type);
      // What an async function hands out, where the new one is none.
      if (!flow_.awaits && HasChildText(function_, "async", file_.text)) {
        for (const absl::string_view wrapper : {"Task<", "ValueTask<", "Promise<"}) {
          absl::string_view inner = type;
          if (absl::ConsumePrefix(&inner, wrapper) && absl::ConsumeSuffix(&inner, ">")) {
            return std::string(inner);
          }
        }
      }
      return std::string(type);
    }
    return "";
  }

  bool IsAsync() const { return flow_.awaits; }

  absl::StatusOr<MethodSignature> Header() const {
    MethodSignature header;
    header.name = name_;
    std::vector<std::string> parameters;
    for (const FlowVariable& input : flow_.Inputs()) {
      const std::string& type = types_.at(input.binding);
      const bool type_first = family_.layout == HeaderLayout::kTypeFirst;
      parameters.push_back(type.empty() || language_ == "javascript" ? input.name
                           : type_first        ? absl::StrCat(type, " ", input.name)
                           : language_ == "go" ? absl::StrCat(input.name, " ", type)
                                               : absl::StrCat(input.name, ": ", type));
    }
    header.returns = language_ == "javascript" ? "" : ResultType();
    if (typed() && language_ != "typescript" && language_ != "go" && header.returns.empty()) {
      return absl::FailedPreconditionError(
          "the type of the result is not visible; declare it first, or use file.modify");
    }
    if (language_ == "java" && flow_.Outputs().size() > 1) {
      std::vector<std::string> names;
      for (const FlowVariable& output : flow_.Outputs()) names.push_back(output.name);
      return absl::FailedPreconditionError(absl::StrCat(
          "the lines set more than one variable that is used later (", absl::StrJoin(names, ", "),
          "), and a method of Java has one result; choose fewer lines"));
    }
    if (language_ == "csharp" || language_ == "java" || (in_type_ && language_ == "typescript")) {
      header.modifiers.emplace_back("private");
      if (is_static_) header.modifiers.emplace_back("static");
    } else if (in_type_ && language_ == "javascript" && is_static_) {
      header.modifiers.emplace_back("static");
    }
    if (IsAsync()) MakeAsync(&header);
    if (language_ == "python" && in_type_) {
      if (is_static_) header.attributes.emplace_back("@staticmethod");
      if (is_class_method_) header.attributes.emplace_back("@classmethod");
      if (!is_static_)
        parameters.insert(parameters.begin(), receiver_name_.empty() ? "self" : receiver_name_);
    }
    if (language_ == "go" && flow_.uses_this) header.receiver = receiver_text_;
    header.parameters = absl::StrJoin(parameters, ", ");
    if (!in_type_ && (language_ == "typescript" || language_ == "javascript")) {
      header.name = absl::StrCat("function ", name_);
    }
    AddGenerics(&header);
    if (language_ == "java") AddThrows(&header);
    return header;
  }

  void MakeAsync(MethodSignature* header) const {
    header->modifiers.emplace_back("async");
    if (flow_.returns_value) return;  // the function around says a task already
    if (language_ == "csharp") {
      header->returns =
          header->returns == "void" ? "Task" : absl::StrCat("Task<", header->returns, ">");
    } else if (language_ == "typescript" && !header->returns.empty()) {
      header->returns = absl::StrCat("Promise<", header->returns, ">");
    }
  }

  // Type parameters of the function that the types of the new one name.
  void AddGenerics(MethodSignature* header) const {
    TSNode list = FieldOf(function_, "type_parameters");
    if (ts_node_is_null(list)) list = ChildOf(function_, "type_parameter_list");
    if (ts_node_is_null(list)) return;
    const std::string text(TextOf(list, file_.text));
    const std::set<std::string> used = IdentifiersOf(
        absl::StrCat(header->parameters, " ", header->returns, " ",
                     absl::string_view(file_.text)
                         .substr(range_.span.begin, range_.span.end - range_.span.begin)));
    for (const std::string& part :
         SplitAtCommas(absl::string_view(text).substr(1, text.size() - 2))) {
      if (used.count(part.substr(0, part.find_first_of(" :,"))) > 0) {
        header->generics = text;
        const TSNode where = ChildOf(function_, "type_parameter_constraints_clause");
        if (!ts_node_is_null(where)) header->suffix = std::string(TextOf(where, file_.text));
        return;
      }
    }
  }

  void AddThrows(MethodSignature* header) const {
    const TSNode throws = ChildOf(function_, "throws");
    if (!ts_node_is_null(throws)) header->suffix = std::string(TextOf(throws, file_.text));
  }

  std::string CallText() const {
    std::vector<std::string> arguments;
    for (const FlowVariable& input : flow_.Inputs()) arguments.push_back(input.name);
    const std::string end = family_.blocks == BlockStyle::kColon || language_ == "go" ? "" : ";";
    std::string owner;
    if (language_ == "python" && in_type_) {
      owner = absl::StrCat(is_static_               ? owner_
                           : receiver_name_.empty() ? "self"
                                                    : receiver_name_,
                           ".");
    } else if (language_ == "go" && flow_.uses_this) {
      owner = absl::StrCat(receiver_name_, ".");
    } else if (in_type_ && (language_ == "typescript" || language_ == "javascript")) {
      owner = absl::StrCat(is_static_ ? owner_ : "this", ".");
    }
    const std::string call = absl::StrCat(IsAsync() ? "await " : "", owner, name_, "(",
                                          absl::StrJoin(arguments, ", "), ")");
    if (flow_.returns_value) return absl::StrCat("return ", call, end);
    const std::vector<FlowVariable> outputs = flow_.Outputs();
    if (outputs.empty()) {
      const bool returns =
          flow_.returns_nothing && IsNode(range_.statements.back(), "return_statement");
      return absl::StrCat(call, end,
                          returns ? absl::StrCat("\n", Indentation(), "return", end) : "");
    }
    return Assignment(outputs, call, end);
  }

  std::string Indentation() const {
    return std::string(IndentationAt(file_.text, range_.span.begin));
  }

  std::string Assignment(const std::vector<FlowVariable>& outputs, const std::string& call,
                         const std::string& end) const {
    std::vector<std::string> names;
    std::vector<FlowVariable> fresh;
    for (const FlowVariable& output : outputs) {
      names.push_back(output.name);
      if (output.declared_inside) fresh.push_back(output);
    }
    const std::string list = absl::StrJoin(names, ", ");
    const bool all_fresh = fresh.size() == outputs.size();
    if (language_ == "python") return absl::StrCat(list, " = ", call);
    if (language_ == "go") {
      std::string before;
      if (!all_fresh) {
        for (const FlowVariable& variable : fresh) {
          absl::StrAppend(&before, "var ", variable.name, " ", types_.at(variable.binding), "\n",
                          Indentation());
        }
      }
      return absl::StrCat(before, list, all_fresh ? " := " : " = ", call);
    }
    if (language_ == "typescript" || language_ == "javascript") {
      const char* word = WrittenAfter(fresh) ? "let " : "const ";
      if (outputs.size() == 1) return absl::StrCat(all_fresh ? word : "", list, " = ", call, end);
      std::string before;
      if (!all_fresh) {
        for (const FlowVariable& variable : fresh) {
          absl::StrAppend(&before, "let ", variable.name, end, "\n", Indentation());
        }
        return absl::StrCat(before, "({ ", list, " } = ", call, ")", end);
      }
      return absl::StrCat(word, "{ ", list, " } = ", call, end);
    }
    if (outputs.size() == 1) {
      const std::string type = language_ == "csharp" ? "var" : types_.at(outputs[0].binding);
      return absl::StrCat(all_fresh ? type + " " : "", list, " = ", call, end);
    }
    if (all_fresh) return absl::StrCat("var (", list, ") = ", call, end);
    std::vector<std::string> parts;
    for (const FlowVariable& output : outputs) {
      parts.push_back(absl::StrCat(output.declared_inside ? "var " : "", output.name));
    }
    return absl::StrCat("(", absl::StrJoin(parts, ", "), ") = ", call, end);
  }

  bool WrittenAfter(const std::vector<FlowVariable>& variables) const {
    for (const FlowVariable& variable : variables) {
      for (const Occurrence& use : UsesOf(file_, variable.binding)) {
        if (use.begin >= range_.span.end && IsWrite(tree_, use, file_.text)) return true;
      }
    }
    return false;
  }

  std::string Body() const {
    const std::string end = family_.blocks == BlockStyle::kColon || language_ == "go" ? "" : ";";
    const size_t begin = LineBegin(file_.text, range_.span.begin);
    const bool own_line =
        absl::StripAsciiWhitespace(
            absl::string_view(file_.text).substr(begin, range_.span.begin - begin))
            .empty();
    const size_t from = own_line ? begin : range_.span.begin;
    std::string body;
    for (const FlowVariable& variable : flow_.variables) {
      if (!variable.needs_local || language_ == "python") continue;
      const std::string& type = types_.at(variable.binding);
      const std::string declaration =
          language_ == "go" ? absl::StrCat("var ", variable.name, " ", type)
          : language_ == "typescript"
              ? absl::StrCat("let ", variable.name, type.empty() ? "" : ": ", type)
          : language_ == "javascript" ? absl::StrCat("let ", variable.name)
                                      : absl::StrCat(type, " ", variable.name);
      absl::StrAppend(&body, declaration, end, "\n");
    }
    std::set<size_t> rows;
    for (const TSNode statement : range_.statements) AddLinesInStrings(statement, &rows);
    const auto first_row = static_cast<size_t>(file_.PlaceOf(range_.span.begin).line) - 1;
    std::set<size_t> in_strings;
    for (const size_t row : rows) in_strings.insert(row - first_row);
    absl::StrAppend(
        &body,
        Dedent(absl::string_view(file_.text).substr(from, range_.span.end - from), in_strings));
    const std::vector<FlowVariable> outputs = flow_.Outputs();
    if (outputs.empty()) return body;
    std::vector<std::string> names;
    for (const FlowVariable& output : outputs) names.push_back(output.name);
    std::string list = absl::StrJoin(names, ", ");
    if (outputs.size() > 1 && language_ == "csharp") list = absl::StrCat("(", list, ")");
    if (outputs.size() > 1 && (language_ == "typescript" || language_ == "javascript")) {
      list = absl::StrCat("{ ", list, " }");
    }
    return absl::StrCat(body, "\nreturn ", list, end);
  }

  TextEdit Insertion(const MethodSignature& header) const {
    const std::string code = Block(WriteSignature(family_, header), Body(), style_, file_.grammar);
    TSNode after = member_;
    // `export const f = () => …;` ends with its statement.
    while (!in_type_ && !ts_node_is_null(ts_node_parent(after)) &&
           !IsStatementContainer(ts_node_parent(after)) &&
           !IsNode(ts_node_parent(after), "declaration_list")) {
      after = ts_node_parent(after);
    }
    const std::string indent(IndentationAt(file_.text, BeginOf(after)));
    const int gap = language_ == "python" && !in_type_ ? 2 : 1;
    return InsertBehind(file_, style_, EndOf(after), Indent(code, indent, style_, file_.grammar),
                        gap);
  }

  const SourceFile& file_;
  const LanguageFamily& family_;
  const SyntaxTree& tree_;
  const StatementRange& range_;
  const std::string name_;
  const ProbeEdits& probe_;
  const std::string& language_;
  const CodeStyle style_;
  TSNode function_{};  // the innermost: what returns leave
  TSNode member_{};    // the outermost: behind it the new one goes
  StatementFlow flow_;
  std::map<int, std::string> types_;
  std::string owner_;
  std::string receiver_name_;
  std::string receiver_text_;
  int receiver_ = -1;
  bool in_type_ = false;
  bool is_static_ = false;
  bool is_class_method_ = false;
};

}  // namespace

absl::StatusOr<EditPlan> PlanExtractMethod(const SourceFile& file, int start_line, int end_line,
                                           const std::string& new_name, const ProbeEdits& probe) {
  const LanguageFamily* family = FindLanguageFamily(file.language.id);
  const std::string& language = file.language.id;
  const bool known = language == "csharp" || language == "java" || language == "go" ||
                     language == "python" || language == "typescript" || language == "javascript";
  if (family == nullptr || !known) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_method is not available for ", file.language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  STILE_ASSIGN_OR_RETURN(const StatementRange range,
                         StatementsIn(file, tree, start_line, end_line));
  MethodExtraction extraction(file, *family, tree, range, new_name, probe);
  return extraction.Plan();
}

}  // namespace stile
