// Rust.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/language/backends.h"

namespace stile {
namespace {

class RustTypes : public TypeRules {
 public:
  std::string NumberType(absl::string_view word) const override {
    for (const absl::string_view type : {"i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
                                         "u32", "u64", "u128", "usize", "f32", "f64"}) {
      if (absl::EndsWith(word, type)) return std::string(type);
    }
    return IsFloatLiteral(word) ? "f64" : "i32";
  }
};

class RustWriter : public CodeWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat("let ", name, " = ", value, ";");
  }

  std::string DeclareConstant(const std::string& name, const std::string& type,
                              absl::string_view value, bool) const override {
    if (type.empty()) return "";
    return absl::StrCat("const ", name, ": ", type, " = ", value, ";");
  }
};

}  // namespace

LanguageBackend RustBackend() {
  static const RustTypes types;
  static const MemberRules members;
  static const RustWriter writer;
  LanguageFacts facts;
  facts.condition_in_parentheses = false;
  facts.text_type = "&str";
  facts.number_types = {"i8",  "i16", "i32", "i64",  "i128",  "isize", "u8",
                        "u16", "u32", "u64", "u128", "usize", "f32",   "f64"};
  facts.conversion = "{value}{type}";
  GenerationFacts generation;
  generation.method_example = "pub fn add(&self, a: i32, b: i32) -> i32";
  generation.property_example = "{name}: number";
  generation.files_are_declared = true;
  generation.impl_blocks = true;
  NamingFacts naming;
  naming.wildcard_imports_module = true;
  naming.doc_tests = true;
  naming.deref_methods = true;
  naming.pattern_words = {"ref mut ", "ref ", "mut "};
  naming.fields_have_own_names = true;
  naming.separate_name_spaces = true;
  naming.deprecation_mark = "#[deprecated(note = \"stile asks for uses\")] ";
  naming.scope_operator = true;
  naming.wildcard_variants = true;
  naming.meaning_codes = {"unconditional_recursion"};
  naming.style_codes = {"non_camel_case_types", "non_snake_case", "non_upper_case_globals"};
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

}  // namespace stile
