// C and C++.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/backends.h"

namespace stile {
namespace {

class CTypes : public TypeRules {
 public:
  explicit CTypes(bool tells_types) : tells_types_(tells_types) {}

  std::string NumberType(absl::string_view word) const override {
    SuffixedNumbers numbers;
    numbers.unsigned_type = "unsigned";
    numbers.unsigned_long_type = "unsigned long";
    numbers.has_long_long = true;
    return SuffixedNumberType(numbers, word);
  }

  std::string ProbeOf(absl::string_view probe, absl::string_view expression) const override {
    if (!tells_types_) return "";
    return absl::StrCat("struct ", probe, " { int ", probe, "; } ", probe, "; ", probe, " = ",
                        expression, ";\n");
  }

  std::string TypeInMessage(absl::string_view message) const override {
    if (!tells_types_) return "";
    std::string type = TextBetween(message, "from type '", "'");
    if (type.empty()) type = TextBetween(message, "from type \xE2\x80\x98", "\xE2\x80\x99");
    if (type.empty()) type = TextBetween(message, "incompatible type '", "'");
    return type;
  }

 private:
  const bool tells_types_;
};

class CWriter : public TypeFirstWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string& type,
                           absl::string_view value) const override {
    if (type.empty()) return "";
    return absl::StrCat(type, absl::EndsWith(type, "*") ? "" : " ", name, " = ", value, ";");
  }

  std::string DeclareConstant(const std::string& name, const std::string& type,
                              absl::string_view value, bool) const override {
    if (type.empty()) return "";
    // The pointer itself is constant, too.
    return absl::StrCat("static ", absl::EndsWith(type, "*") ? type + "const" : "const " + type,
                        " ", name, " = ", value, ";");
  }
};

class CppWriter : public CWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat("const auto ", name, " = ", value, ";");
  }

  std::string DeclareConstant(const std::string& name, const std::string&, absl::string_view value,
                              bool) const override {
    // An array of characters stays one by reference.
    return absl::StrCat("constexpr auto", absl::StrContains(value, "\"") ? "& " : " ", name, " = ",
                        value, ";");
  }
};

LanguageFacts CFacts() {
  LanguageFacts facts;
  facts.text_type = "const char *";
  facts.number_types = {"char",           "signed char",   "unsigned char", "short",
                        "unsigned short", "int",           "unsigned",      "unsigned int",
                        "long",           "unsigned long", "long long",     "unsigned long long",
                        "float",          "double",        "size_t",        "int8_t",
                        "int16_t",        "int32_t",       "int64_t",       "uint8_t",
                        "uint16_t",       "uint32_t",      "uint64_t"};
  facts.conversion = "({type}){value}";
  facts.unordered_operands = true;
  facts.takes_addresses = true;
  return facts;
}

}  // namespace

LanguageBackend CBackend() {
  static const CTypes types(true);
  static const MemberRules members;
  static const CWriter writer;
  LanguageFacts facts = CFacts();
  facts.character_type = "int";
  facts.comparison_type = "int";
  facts.truth_is_number = true;
  facts.qualifiers_surround_type = true;
  facts.copies_structs = true;
  facts.has_macros = true;
  GenerationFacts generation;
  generation.method_example = "int add(int a, int b)";
  generation.property_example = "private int {name}";
  generation.has_includes = true;
  generation.header_language = "cpp";
  generation.headers_hold_prototypes = true;
  generation.has_methods = false;
  NamingFacts naming;
  naming.open_enumerations = true;
  naming.frame_words = {"__func__", "__FUNCTION__", "__LINE__", "__FILE__"};
  naming.has_prototypes = true;
  naming.scope_operator = true;
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

LanguageBackend CppBackend() {
  static const CTypes types(false);
  static const MemberRules members;
  static const CppWriter writer;
  LanguageFacts facts = CFacts();
  facts.conversion = "static_cast<{type}>({value})";
  for (const char* type : {"size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
                           "uint16_t", "uint32_t", "uint64_t"}) {
    facts.number_types.push_back(absl::StrCat("std::", type));
  }
  facts.has_value_categories = true;
  facts.members_hide_globals = true;
  GenerationFacts generation;
  generation.method_example = "int add(int a, int b)";
  generation.property_example = "private int {name}";
  generation.has_includes = true;
  generation.space_blocks = true;
  generation.out_of_line_members = true;
  generation.has_overloads = true;
  generation.functions_overload = true;
  generation.access_labels = true;
  NamingFacts naming;
  naming.implicit_this = true;
  naming.has_prototypes = true;
  naming.globals_are_constructed = true;
  naming.has_default_arguments = true;
  naming.defaults_once = true;
  naming.scope_operator = true;
  naming.lookup_by_arguments = true;
  naming.shares_names_with = "c";
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

}  // namespace stile
