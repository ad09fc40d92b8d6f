// Python.
#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/language/backends.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

class PythonTypes : public TypeRules {
 public:
  std::string NumberType(absl::string_view word) const override {
    return IsFloatLiteral(word) ? "float" : "int";
  }

  // Made of names that need no import.
  bool IsKnownEverywhere(const std::string& type) const override {
    if (type.empty()) return false;
    const std::set<std::string> names = IdentifiersOf(type);
    return std::all_of(names.begin(), names.end(), [](const std::string& name) {
      return IsOneOf(name, {"int", "str", "float", "bool", "bytes", "None", "list", "dict", "set",
                            "tuple", "frozenset", "object"});
    });
  }
};

class PythonMembers : public MemberRules {
 public:
  FunctionOwner OwnerOf(TSNode member, absl::string_view text) const override {
    TSNode method = member;
    if (IsNode(method, "decorated_definition")) method = FieldOf(method, "definition");
    FunctionOwner owner;
    owner.member = member;
    const TSNode body = FieldOf(method, "body");
    const uint32_t begin = BeginOf(member);
    const absl::string_view head =
        ts_node_is_null(body) ? "" : text.substr(begin, BeginOf(body) - begin);
    const TSNode block = ts_node_parent(member);
    owner.in_type = IsNode(block, "block") && IsNode(ts_node_parent(block), "class_definition");
    owner.is_static = absl::StrContains(head, "@staticmethod");
    owner.is_class_method = absl::StrContains(head, "@classmethod");
    if (!owner.in_type) return owner;
    owner.type_name = std::string(TextOf(FieldOf(ts_node_parent(block), "name"), text));
    if (owner.is_static) return owner;
    owner.receiver = ts_node_named_child(FieldOf(method, "parameters"), 0);
    if (ts_node_is_null(owner.receiver)) return owner;
    const absl::string_view name = TextOf(owner.receiver, text);
    owner.receiver_name = std::string(name.substr(0, name.find_first_of(":= ")));
    return owner;
  }

  void CompleteHelper(const FunctionOwner& owner, bool, std::vector<std::string>* parameters,
                      MethodSignature* header) const override {
    if (!owner.in_type) return;
    if (owner.is_static) header->attributes.emplace_back("@staticmethod");
    if (owner.is_class_method) header->attributes.emplace_back("@classmethod");
    if (!owner.is_static) parameters->insert(parameters->begin(), Self(owner));
  }

  std::string CallPrefix(const FunctionOwner& owner, bool) const override {
    if (!owner.in_type) return "";
    return absl::StrCat(owner.is_static ? owner.type_name : Self(owner), ".");
  }

  bool IsPublicHead(absl::string_view, absl::string_view name) const override {
    return !absl::StartsWith(name, "_");
  }

  void CompleteOverride(bool, MethodSignature* header) const override {
    const bool is_async = header->HasModifier("async");
    header->modifiers.clear();
    if (is_async) header->modifiers.emplace_back("async");
    // What is left of `@property @abstractmethod`.
    header->attributes.erase(std::remove_if(header->attributes.begin(), header->attributes.end(),
                                            [](const std::string& attribute) {
                                              return absl::StrContains(attribute, "abstract");
                                            }),
                             header->attributes.end());
  }

  std::string FieldFor(absl::string_view declared, bool, const std::string&) const override {
    return std::string(declared);
  }

  std::optional<BasePlace> PlaceOfBase(TSNode declaration, uint32_t head_end) const override {
    const TSNode list = FieldOf(declaration, "superclasses");
    if (ts_node_is_null(list)) return BasePlace{head_end, "(", ")"};
    // Before `metaclass=…`.
    BasePlace place{BeginOf(list) + 1, "", ""};
    for (const TSNode base : NamedChildren(list)) {
      if (IsNode(base, "keyword_argument") || IsComment(base)) continue;
      place = {EndOf(base), ", ", ""};
    }
    if (place.before.empty() && ts_node_named_child_count(list) > 0) place.after = ", ";
    return place;
  }

  std::string InterfaceHead(absl::string_view, const std::string& name,
                            const std::string&) const override {
    return absl::StrCat("class ", name, "(Protocol)");
  }

 private:
  static std::string Self(const FunctionOwner& owner) {
    return owner.receiver_name.empty() ? "self" : owner.receiver_name;
  }
};

class PythonWriter : public CodeWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat(name, " = ", value);
  }

  std::string DeclareUnset(const std::string&, const std::string&) const override { return ""; }

  std::string DeclareConstant(const std::string& name, const std::string&, absl::string_view value,
                              bool) const override {
    return absl::StrCat(name, " = ", value);
  }

  std::string KeepInField(const std::string& field, const std::string& parameter) const override {
    return absl::StrCat("self.", field, " = ", parameter);
  }

  std::string TypeOfResults(const std::vector<TakenResult>& results) const override {
    std::vector<std::string> types;
    for (const TakenResult& result : results) types.push_back(result.type);
    return absl::StrCat("tuple[", absl::StrJoin(types, ", "), "]");
  }

  std::string TakeResults(const ResultTaking& taking) const override {
    std::vector<std::string> names;
    for (const TakenResult& result : taking.results) names.push_back(result.name);
    return absl::StrCat(absl::StrJoin(names, ", "), " = ", taking.call);
  }
};

NamingFacts PythonNaming() {
  NamingFacts naming;
  naming.gradual_types = true;
  naming.accessors_are_fields = true;
  naming.keys_are_members = false;
  naming.wildcard_imports_module = true;
  naming.names_in_strings = true;
  naming.union_names = true;
  naming.fixtures = true;
  naming.slots = true;
  naming.attribute_texts = true;
  naming.double_underscores_are_special = true;
  naming.functions_move = true;
  naming.snake_file_names = true;
  naming.global_statement = true;
  naming.private_by_underscore = true;
  naming.frame_words = {"eval", "exec", "vars", "super", "__class__"};
  naming.module_words = {"__file__", "__name__", "globals", "locals"};
  naming.has_private_word = false;
  naming.bases_can_compete = true;
  naming.has_default_arguments = true;
  naming.has_named_arguments = true;
  naming.argument_mark = "=";
  return naming;
}

}  // namespace

LanguageBackend PythonBackend() {
  static const PythonTypes types;
  static const PythonMembers members;
  static const PythonWriter writer;
  LanguageFacts facts;
  facts.statement_end = "";
  facts.line_comment = "#";
  facts.condition_in_parentheses = false;
  facts.top_level_gap = 2;
  facts.text_type = "str";
  facts.constants_by_convention = true;
  facts.docstrings = true;
  facts.lines_end_statements = true;
  facts.result_mark = " -> ";
  facts.no_result = "None";
  facts.requires_types = false;
  facts.default_mark = "=";
  facts.optional_annotations = true;
  facts.declared_types_convert = false;
  facts.division_gives_float = true;
  facts.erases_type_parameters = true;
  facts.has_getters = true;
  facts.targets_last = true;
  facts.condition_first = true;
  facts.arguments_reordered = true;
  facts.this_is_parameter = true;
  facts.async_is_contract = true;
  facts.interface_import = "from typing import Protocol";
  facts.interface_member_gap = 1;
  GenerationFacts generation;
  generation.method_example = "def add(self, a: int, b: int) -> int";
  generation.property_example = "{name}: number";
  generation.imports_dotted_modules = true;
  generation.constructor_name = "__init__";
  generation.constructor_result = "None";
  generation.super_call = "super().__init__()";
  generation.empty_body = "pass";
  generation.properties_by_decorator = true;
  generation.abstract_bodies = true;
  generation.tests = TestLocation::kTestsFolder;
  generation.test_extension = ".py";
  generation.test_classes = true;
  generation.test_group_suffix = "Test";
  return {nullptr, facts, generation, PythonNaming(), &types, &members, &writer};
}

}  // namespace stile
