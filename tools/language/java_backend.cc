// Java.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/backends.h"

namespace stile {
namespace {

class JavaTypes : public TypeRules {
 public:
  std::string NumberType(absl::string_view word) const override {
    return SuffixedNumberType(SuffixedNumbers(), word);
  }

  std::string ProbeOf(absl::string_view probe, absl::string_view expression) const override {
    return absl::StrCat("class StileProbe {} StileProbe ", probe, " = ", expression, ";\n");
  }

  std::string TypeInMessage(absl::string_view message) const override {
    return TextBetween(message, "incompatible types: ", " cannot be converted");
  }
};

class JavaMembers : public ClassMembers {
 public:
  bool IsPublicHead(absl::string_view head, absl::string_view) const override {
    return absl::StrContains(head, "public ") ||
           (!absl::StrContains(head, "private ") && !absl::StrContains(head, "protected "));
  }

  void CompleteOverride(bool, MethodSignature* header) const override {
    header->attributes = {"@Override"};
    header->modifiers = {header->HasModifier("protected") ? "protected" : "public"};
  }

  std::optional<BasePlace> PlaceOfBase(TSNode declaration, uint32_t head_end) const override {
    const TSNode list = FieldOf(declaration, "interfaces");
    if (!ts_node_is_null(list)) return BasePlace{EndOf(list), ", ", ""};
    return BasePlace{head_end, " implements ", ""};
  }

  std::string InterfaceHead(absl::string_view, const std::string& name,
                            const std::string& generics) const override {
    return absl::StrCat("public interface ", name, generics);
  }
};

class JavaWriter : public TypeFirstWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat("var ", name, " = ", value, ";");
  }

  std::string DeclareConstant(const std::string& name, const std::string& type,
                              absl::string_view value, bool in_interface) const override {
    if (type.empty()) return "";
    return absl::StrCat(in_interface ? "" : "private static final ", type, " ", name, " = ", value,
                        ";");
  }

  // A method has one result.
  std::string TakeResults(const ResultTaking& taking) const override {
    const TakenResult& result = taking.results[0];
    return absl::StrCat(result.is_fresh ? result.type + " " : "", result.name, " = ", taking.call,
                        ";");
  }
};

}  // namespace

LanguageBackend JavaBackend() {
  static const JavaTypes types;
  static const JavaMembers members;
  static const JavaWriter writer;
  LanguageFacts facts;
  facts.truth_type = "boolean";
  facts.comparison_type = "boolean";
  facts.text_type = "String";
  facts.number_types = {"byte", "short", "int", "long", "float", "double"};
  facts.conversion = "({type}) {value}";
  facts.requires_result_type = true;
  facts.constants_convert = true;
  facts.compares_identity = true;
  facts.single_result = true;
  facts.functions_only_in_types = true;
  facts.constants_in_types = true;
  facts.interface_extension = ".java";
  GenerationFacts generation;
  generation.method_example = "public int Add(int a, int b)";
  generation.property_example = "private int {name}";
  generation.imports_types = true;
  generation.package_line_end = ";\n";
  generation.public_type_names_file = true;
  generation.has_overloads = true;
  generation.package_private = true;
  generation.records_have_constructor = true;
  generation.properties_are_methods = true;
  generation.static_interface_methods_have_body = true;
  generation.tests = TestLocation::kParallelTree;
  generation.tests_share_space = true;
  generation.test_classes = true;
  generation.test_group_is_file = true;
  generation.static_test_imports = true;
  generation.generics_lead = true;
  NamingFacts naming;
  naming.default_names = {"Boolean",      "Byte",          "Character", "Double", "Float",
                          "Integer",      "Long",          "Math",      "Object", "Short",
                          "String",       "StringBuilder", "System",    "Thread", "Override",
                          "StringBuffer", "Enum",          "Iterable"};
  naming.implicit_this = true;
  naming.anonymous_classes = true;
  naming.base_fields_first = true;
  naming.types_name_files = true;
  naming.object_members = {"clone",  "equals",    "finalize", "getClass", "hashCode",
                           "notify", "notifyAll", "toString", "wait"};
  naming.compiler_checks_names = true;
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

}  // namespace stile
