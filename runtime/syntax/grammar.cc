#include "runtime/syntax/grammar.h"

extern "C" {
const TSLanguage* tree_sitter_c();
const TSLanguage* tree_sitter_c_sharp();
const TSLanguage* tree_sitter_cpp();
const TSLanguage* tree_sitter_go();
const TSLanguage* tree_sitter_java();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_rust();
const TSLanguage* tree_sitter_tsx();
const TSLanguage* tree_sitter_typescript();
}

namespace stile {

const std::vector<Grammar>& Grammars() {
  static const auto* const grammars = new std::vector<Grammar>{
      {"c", tree_sitter_c()},           {"c_sharp", tree_sitter_c_sharp()},
      {"cpp", tree_sitter_cpp()},       {"go", tree_sitter_go()},
      {"java", tree_sitter_java()},     {"javascript", tree_sitter_javascript()},
      {"python", tree_sitter_python()}, {"rust", tree_sitter_rust()},
      {"tsx", tree_sitter_tsx()},       {"typescript", tree_sitter_typescript()},
  };
  return *grammars;
}

const Grammar* FindGrammar(absl::string_view name) {
  for (const Grammar& grammar : Grammars()) {
    if (grammar.name == name) return &grammar;
  }
  return nullptr;
}

}  // namespace stile
