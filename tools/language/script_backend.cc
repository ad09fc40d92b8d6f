// TypeScript and JavaScript.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tools/language/backends.h"

namespace stile {
namespace {

class ScriptTypes : public TypeRules {
 public:
  std::string NumberType(absl::string_view word) const override {
    return absl::EndsWith(word, "n") ? "bigint" : "number";
  }

  std::string ProbeOf(absl::string_view probe, absl::string_view expression) const override {
    return absl::StrCat("const ", probe, ": { ", probe, ": never } = ", expression, ";\n");
  }

  std::string TypeInMessage(absl::string_view message) const override {
    std::string type = TextBetween(message, "Type '", "' is not assignable");
    if (type.empty()) type = TextBetween(message, "is missing in type '", "' but required");
    if (type.empty()) type = TextBetween(message, "no properties in common with type '", "'");
    return type;
  }

  std::string AsyncResult(const std::string& type) const override {
    return type.empty() ? "" : absl::StrCat("Promise<", type, ">");
  }
};

class ScriptMembers : public MemberRules {
 public:
  explicit ScriptMembers(bool has_access) : has_access_(has_access) {}

  FunctionOwner OwnerOf(TSNode member, absl::string_view text) const override {
    const bool in_type = IsNode(member, "method_definition") ||
                         IsNode(ts_node_parent(ts_node_parent(member)), "class_body") ||
                         IsNode(ts_node_parent(member), "public_field_definition") ||
                         IsNode(ts_node_parent(member), "field_definition");
    FunctionOwner owner = OwnerInClass(member, in_type, text);
    if (!in_type) return owner;
    // An arrow that is a field: the field is the member.
    while (!IsNode(ts_node_parent(owner.member), "class_body") &&
           !ts_node_is_null(ts_node_parent(owner.member))) {
      owner.member = ts_node_parent(owner.member);
    }
    return owner;
  }

  void CompleteHelper(const FunctionOwner& owner, bool, std::vector<std::string>*,
                      MethodSignature* header) const override {
    if (!owner.in_type) {
      header->name = absl::StrCat("function ", header->name);
      return;
    }
    if (has_access_) header->modifiers.emplace_back("private");
    if (owner.is_static) header->modifiers.emplace_back("static");
  }

  std::string CallPrefix(const FunctionOwner& owner, bool) const override {
    if (!owner.in_type) return "";
    return absl::StrCat(owner.is_static ? owner.type_name : "this", ".");
  }

  bool IsPublic(const MethodSignature& header) const override {
    return !header.HasModifier("private") && !header.HasModifier("protected") &&
           !absl::StartsWith(header.name, "#");
  }

  std::optional<std::string> AccessorOf(const MethodSignature& header) const override {
    if (header.HasModifier("set")) return "";
    if (!header.HasModifier("get")) return std::nullopt;
    return absl::StrCat("readonly ", header.name, header.returns.empty() ? "" : ": ",
                        header.returns, ";");
  }

  size_t NameToInfer(absl::string_view code) const override {
    const absl::string_view declared = Declared(code);
    if (declared.empty() || absl::StrContains(declared, ":")) return absl::string_view::npos;
    absl::string_view name = declared;
    for (const absl::string_view word : {"readonly ", "override "}) {
      absl::ConsumePrefix(&name, word);
    }
    return static_cast<size_t>(name.data() - code.data());
  }

  std::string PropertyOf(absl::string_view code, const std::string& inferred) const override {
    std::string text(Declared(code));
    if (text.empty()) return "";
    if (!absl::StrContains(text, ":")) {
      if (inferred.empty()) return "";
      absl::StrAppend(&text, ": ", inferred);
    }
    const size_t mark = text.find('!');
    if (mark != std::string::npos && mark < text.find(':')) text.erase(mark, 1);
    while (absl::EndsWith(text, ";")) text.pop_back();
    return text + ";";
  }

  std::string FieldFor(absl::string_view declared, bool, const std::string&) const override {
    const size_t colon = declared.find(':');
    if (!has_access_ || colon == absl::string_view::npos) return "";
    const absl::string_view name = declared.substr(0, colon);
    if (absl::StrContains(name, "?")) return "";
    std::string clean = absl::StrCat(name, "!", declared.substr(colon), ";");
    for (const std::string word : {"abstract ", "public "}) {
      const size_t at = clean.find(word);
      if (at != std::string::npos && at < name.size()) clean.erase(at, word.size());
    }
    return clean;
  }

  std::optional<BasePlace> PlaceOfBase(TSNode declaration, uint32_t head_end) const override {
    if (!has_access_) return std::nullopt;
    const TSNode heritage = ChildOf(declaration, "class_heritage");
    const TSNode list =
        ts_node_is_null(heritage) ? heritage : ChildOf(heritage, "implements_clause");
    if (!ts_node_is_null(list)) return BasePlace{EndOf(list), ", ", ""};
    return BasePlace{head_end, " implements ", ""};
  }

  // A default belongs to the implementation: `unit = "B"` becomes `unit?: string`.
  std::string InterfaceParameter(const Parameter& parameter,
                                 const std::string& inferred) const override {
    if (parameter.value.empty()) return parameter.text;
    const std::string& value = parameter.value;
    std::string type = parameter.type.empty() ? inferred : parameter.type;
    if (type.empty() && absl::StrContains("\"'`", value.substr(0, 1))) type = "string";
    if (type.empty() && absl::ascii_isdigit(value[0])) type = "number";
    if (type.empty() && (value == "true" || value == "false")) type = "boolean";
    return type.empty() ? "" : absl::StrCat(parameter.name, "?: ", type);
  }

  std::string InterfaceHead(absl::string_view type_head, const std::string& name,
                            const std::string& generics) const override {
    return absl::StrCat(absl::StrContains(type_head, "export ") ? "export " : "", "interface ",
                        name, generics);
  }

 private:
  // A public field of objects, without its value; "" for others.
  static absl::string_view Declared(absl::string_view code) {
    for (const absl::string_view word : {"private ", "protected ", "static ", "#", "declare "}) {
      if (absl::StartsWith(code, word)) return "";
    }
    absl::ConsumePrefix(&code, "public ");
    return absl::StripAsciiWhitespace(code.substr(0, code.find('=')));
  }

  const bool has_access_;
};

class ScriptWriter : public CodeWriter {
 public:
  explicit ScriptWriter(bool has_types) : has_types_(has_types) {}

  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat("const ", name, " = ", value, ";");
  }

  std::string DeclareUnset(const std::string& name, const std::string& type) const override {
    const bool shows_type = has_types_ && !type.empty();
    return absl::StrCat("let ", name, shows_type ? ": " : "", shows_type ? type : "", ";");
  }

  std::string DeclareConstant(const std::string& name, const std::string&, absl::string_view value,
                              bool) const override {
    return absl::StrCat("const ", name, " = ", value, ";");
  }

  std::string ParameterText(const std::string& name, const std::string& type) const override {
    return has_types_ ? CodeWriter::ParameterText(name, type) : name;
  }

  std::string TypeOfResults(const std::vector<TakenResult>& results) const override {
    std::vector<std::string> types;
    for (const TakenResult& result : results) {
      types.push_back(absl::StrCat(result.name, ": ", result.type));
    }
    return absl::StrCat("{ ", absl::StrJoin(types, "; "), " }");
  }

  std::string ResultList(const std::vector<std::string>& names) const override {
    return absl::StrCat("{ ", absl::StrJoin(names, ", "), " }");
  }

  std::string TakeResults(const ResultTaking& taking) const override {
    bool all_fresh = true;
    std::vector<std::string> names;
    for (const TakenResult& result : taking.results) {
      all_fresh = all_fresh && result.is_fresh;
      names.push_back(result.name);
    }
    const std::string list = names.size() == 1 ? names[0] : ResultList(names);
    const std::string word = taking.is_written_later ? "let " : "const ";
    const std::string value = absl::StrCat(" = ", taking.call);
    if (all_fresh) return absl::StrCat(word, list, value, ";");
    if (names.size() == 1) return absl::StrCat(list, value, ";");
    std::string before;
    for (const TakenResult& result : taking.results) {
      if (!result.is_fresh) continue;
      absl::StrAppend(&before, DeclareUnset(result.name, ""), "\n", taking.indentation);
    }
    return absl::StrCat(before, "(", list, value, ");");
  }

 private:
  const bool has_types_;
};

LanguageFacts ScriptFacts() {
  LanguageFacts facts;
  facts.lines_join = true;
  facts.truth_type = "boolean";
  facts.comparison_type = "boolean";
  facts.number_type = "number";
  facts.declared_types_convert = false;
  facts.logic_gives_operand = true;
  facts.has_getters = true;
  facts.functions_take_names = true;
  facts.call_binds_this = true;
  facts.has_arguments_object = true;
  facts.defaults_replace_undefined = true;
  facts.implicit_methods = {"toString", "valueOf", "toJSON", "then", "next"};
  facts.modules_run_at_import = true;
  return facts;
}

GenerationFacts ScriptGeneration() {
  GenerationFacts generation;
  generation.imports_files = true;
  generation.constructor_name = "constructor";
  generation.tests = TestLocation::kByConvention;
  generation.tests_are_calls = true;
  return generation;
}

NamingFacts ScriptNaming() {
  NamingFacts naming;
  naming.gradual_types = true;
  naming.names_in_strings = true;
  naming.base_fields_first = true;
  naming.fields_are_keys = true;
  naming.literals_declare_members = true;
  naming.fields_override = true;
  naming.object_members = {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
                           "toJSON",      "toLocaleString", "toString",      "valueOf"};
  naming.functions_move = true;
  naming.frame_words = {"eval", "super", "require"};
  naming.has_default_arguments = true;
  return naming;
}

}  // namespace

LanguageBackend JavaScriptBackend() {
  static const ScriptTypes types;
  static const ScriptMembers members(false);
  static const ScriptWriter writer(false);
  LanguageFacts facts = ScriptFacts();
  facts.has_annotations = false;
  facts.requires_types = false;
  GenerationFacts generation = ScriptGeneration();
  generation.method_example = "add(a, b)";
  generation.property_example = "{name} = 0";
  generation.may_be_commonjs = true;
  NamingFacts naming = ScriptNaming();
  naming.has_private_word = false;
  naming.shares_names_with = "typescript";
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

LanguageBackend TypeScriptBackend() {
  static const ScriptTypes types;
  static const ScriptMembers members(true);
  static const ScriptWriter writer(true);
  LanguageFacts facts = ScriptFacts();
  facts.no_result = "void";
  facts.infers_results = true;
  facts.optional_annotations = true;
  facts.fields_in_interfaces = true;
  facts.has_rest_parameters = true;
  facts.interface_needs_result = true;
  GenerationFacts generation = ScriptGeneration();
  generation.method_example = "add(a: number, b: number): number";
  generation.property_example = "{name}: number";
  generation.functions_overload = true;
  generation.optional_members = true;
  NamingFacts naming = ScriptNaming();
  naming.has_declaration_files = true;
  naming.accessors_are_fields = true;
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

}  // namespace stile
