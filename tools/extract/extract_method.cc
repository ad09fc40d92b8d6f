#include "tools/extract/extract_method.h"

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
#include "tools/codegen/import_fixups.h"
#include "tools/codegen/insert_code.h"
#include "tools/extract/method_flow.h"
#include "tools/extract/variable_types.h"
#include "tools/language/brackets.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"

namespace stile {
namespace {

// One thing: the plan of one extraction; what is found out about the lines stays at hand.
class MethodExtraction {
 public:
  MethodExtraction(const SourceFile& file, const SyntaxTree& tree, const StatementRange& range,
                   std::string name, const ProbeEdits& probe)
      : file_(file),
        tree_(tree),
        range_(range),
        name_(std::move(name)),
        probe_(probe),
        language_(LanguageBackendOf(file.language.id)),
        facts_(language_.facts),
        style_(StyleOf(file.text, *language_.family)) {}

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

  // Whose method the function is, and the binding of its name for the object.
  void FindOwner() {
    owner_ = language_.members->OwnerOf(member_, file_.text);
    if (ts_node_is_null(owner_.receiver)) return;
    for (size_t i = 0; i < file_.scopes.bindings.size(); ++i) {
      if (file_.scopes.bindings[i].name_begin == BeginOf(owner_.receiver)) {
        receiver_ = static_cast<int>(i);
      }
    }
  }

  absl::Status CheckThis() const {
    if (!flow_.uses_this || facts_.this_is_parameter) return absl::OkStatus();
    const absl::string_view type = TypeOf(function_);
    if (type == "function_expression" || (type == "function_declaration" && owner_.in_type) ||
        !owner_.in_type) {
      return absl::FailedPreconditionError(
          "the lines use the `this` of a function that is no method; choose other lines");
    }
    return absl::OkStatus();
  }

  absl::Status FindTypes() {
    for (const FlowVariable& variable : flow_.variables) {
      std::string type = DeclaredType(file_, tree_, variable.binding);
      const bool needed = facts_.requires_types && (variable.is_input || variable.needs_local ||
                                                    (variable.is_output && !facts_.infers_results));
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

  // FailedPrecondition if the new method would change a copy of a variable.
  absl::Status CheckCopies() const {
    if (!facts_.copies_structs) return absl::OkStatus();
    for (const FlowVariable& variable : flow_.variables) {
      if (variable.declared_inside) continue;
      const std::vector<Occurrence> uses = UsesOf(file_, variable.binding);
      const bool has_address = facts_.takes_addresses &&
                               std::any_of(uses.begin(), uses.end(), [&](const Occurrence& use) {
                                 const TSNode parent =
                                     ts_node_parent(NodeAt(tree_, use.begin, use.end));
                                 return IsNode(parent, "unary_expression") &&
                                        absl::StartsWith(TextOf(parent, file_.text), "&");
                               });
      const std::string& type = types_.at(variable.binding);
      const bool is_copied = language_.types->CopiesArgument(type, tree_.root(), file_.text);
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
    const absl::string_view path = TextOf(node, file_.text);
    return language_.types->MayChangeReceiver(type, path.substr(path.rfind('.') + 1), file_.text);
  }

  std::string ResultType() const {
    if (flow_.returns_value) return FunctionResult();
    const std::vector<TakenResult> results = Results();
    if (results.empty()) return facts_.no_result;
    if (std::any_of(results.begin(), results.end(),
                    [](const TakenResult& result) { return result.type.empty(); })) {
      return "";
    }
    return results.size() == 1 ? results[0].type : language_.writer->TypeOfResults(results);
  }

  std::vector<TakenResult> Results() const {
    std::vector<TakenResult> results;
    for (const FlowVariable& output : flow_.Outputs()) {
      results.push_back({output.name, types_.at(output.binding), output.declared_inside});
    }
    return results;
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
      parameters.push_back(language_.writer->ParameterText(input.name, types_.at(input.binding)));
    }
    header.returns = facts_.has_annotations ? ResultType() : "";
    if (facts_.requires_result_type && header.returns.empty()) {
      return absl::FailedPreconditionError(
          "the type of the result is not visible; declare it first, or use file.modify");
    }
    if (facts_.single_result && flow_.Outputs().size() > 1) {
      std::vector<std::string> names;
      for (const FlowVariable& output : flow_.Outputs()) names.push_back(output.name);
      return absl::FailedPreconditionError(absl::StrCat(
          "the lines set more than one variable that is used later (", absl::StrJoin(names, ", "),
          "), and a method of ", file_.language.name, " has one result; choose fewer lines"));
    }
    language_.members->CompleteHelper(owner_, flow_.uses_this, &parameters, &header);
    if (IsAsync()) MakeAsync(&header);
    header.parameters = absl::StrJoin(parameters, ", ");
    AddGenerics(&header);
    AddThrows(&header);
    return header;
  }

  void MakeAsync(MethodSignature* header) const {
    header->modifiers.emplace_back("async");
    // Else the result of the function around is one already.
    if (!flow_.returns_value) header->returns = language_.types->AsyncResult(header->returns);
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
    const std::string& end = facts_.statement_end;
    const std::string call = absl::StrCat(IsAsync() ? "await " : "",
                                          language_.members->CallPrefix(owner_, flow_.uses_this),
                                          name_, "(", absl::StrJoin(arguments, ", "), ")");
    if (flow_.returns_value) return absl::StrCat("return ", call, end);
    ResultTaking taking{Results(), call, Indentation(), WrittenAfter()};
    if (taking.results.empty()) {
      const bool returns =
          flow_.returns_nothing && IsNode(range_.statements.back(), "return_statement");
      return absl::StrCat(call, end,
                          returns ? absl::StrCat("\n", Indentation(), "return", end) : "");
    }
    return language_.writer->TakeResults(taking);
  }

  std::string Indentation() const {
    return std::string(IndentationAt(file_.text, range_.span.begin));
  }

  // Whether a variable that the lines declare gets another value behind them.
  bool WrittenAfter() const {
    for (const FlowVariable& variable : flow_.Outputs()) {
      if (!variable.declared_inside) continue;
      for (const Occurrence& use : UsesOf(file_, variable.binding)) {
        if (use.begin >= range_.span.end && IsWrite(tree_, use, file_.text)) return true;
      }
    }
    return false;
  }

  std::string Body() const {
    const size_t begin = LineBegin(file_.text, range_.span.begin);
    const bool own_line =
        absl::StripAsciiWhitespace(
            absl::string_view(file_.text).substr(begin, range_.span.begin - begin))
            .empty();
    const size_t from = own_line ? begin : range_.span.begin;
    std::string body;
    for (const FlowVariable& variable : flow_.variables) {
      if (!variable.needs_local) continue;
      const std::string declaration =
          language_.writer->DeclareUnset(variable.name, types_.at(variable.binding));
      if (!declaration.empty()) absl::StrAppend(&body, declaration, "\n");
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
    const std::string list = names.size() == 1 ? names[0] : language_.writer->ResultList(names);
    return absl::StrCat(body, "\nreturn ", list, facts_.statement_end);
  }

  TextEdit Insertion(const MethodSignature& header) const {
    const std::string code =
        Block(WriteSignature(*language_.family, header), Body(), style_, file_.grammar);
    TSNode after = owner_.member;
    // `export const f = () => …;` ends with its statement.
    while (!owner_.in_type && !ts_node_is_null(ts_node_parent(after)) &&
           !IsStatementContainer(ts_node_parent(after)) &&
           !IsNode(ts_node_parent(after), "declaration_list")) {
      after = ts_node_parent(after);
    }
    const std::string indent(IndentationAt(file_.text, BeginOf(after)));
    const int gap = owner_.in_type ? 1 : facts_.top_level_gap;
    return InsertBehind(file_, style_, EndOf(after), Indent(code, indent, style_, file_.grammar),
                        gap);
  }

  const SourceFile& file_;
  const SyntaxTree& tree_;
  const StatementRange& range_;
  const std::string name_;
  const ProbeEdits& probe_;
  const LanguageBackend& language_;
  const LanguageFacts& facts_;
  const CodeStyle style_;
  TSNode function_{};  // the innermost: what returns leave
  TSNode member_{};    // the outermost
  StatementFlow flow_;
  std::map<int, std::string> types_;
  FunctionOwner owner_;
  int receiver_ = -1;
};

}  // namespace

absl::StatusOr<EditPlan> PlanExtractMethod(const SourceFile& file, int start_line, int end_line,
                                           const std::string& new_name, const ProbeEdits& probe) {
  const LanguageFamily* const family = LanguageBackendOf(file.language.id).family;
  if (family == nullptr || !family->Supports("extract_method")) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_method is not available for ", file.language.name,
                     "; use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  STILE_RETURN_IF_ERROR(CheckDepth(tree));
  STILE_ASSIGN_OR_RETURN(const StatementRange range,
                         StatementsIn(file, tree, start_line, end_line));
  MethodExtraction extraction(file, tree, range, new_name, probe);
  return extraction.Plan();
}

}  // namespace stile
