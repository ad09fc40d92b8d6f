// Source code of every language: what it declares, imports and means by its names. The first line
// names the grammar.
#include "runtime/syntax/symbols.h"
#include "runtime/base/check.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/scopes.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const stile::Grammar* grammar = stile::FindGrammar(input.TakeLine());
  if (grammar == nullptr) return 0;
  const absl::string_view text = input.rest();
  const auto tree = stile::SyntaxTree::Parse(*grammar, text);
  if (!tree.ok()) return 0;
  uint32_t last = 0;
  for (const stile::Symbol& symbol : stile::FindSymbols(*grammar, *tree, text)) {
    STILE_CHECK(last <= symbol.begin && symbol.begin <= symbol.name_begin);
    STILE_CHECK(symbol.name_begin < symbol.name_end && symbol.name_end <= symbol.signature_end);
    STILE_CHECK(symbol.signature_end <= symbol.end && symbol.end <= text.size());
    STILE_CHECK(symbol.line >= 1 && symbol.column >= 1);
    STILE_CHECK(symbol.doc_begin <= symbol.doc_end && symbol.doc_end <= text.size());
    last = symbol.begin;
  }
  const stile::FileScopes scopes = stile::AnalyzeScopes(*grammar, *tree, text);
  constexpr size_t kMaxNames = 20;
  for (size_t i = 0; i < scopes.bindings.size() && i < kMaxNames; ++i) {
    const std::string& name = scopes.bindings[i].name;
    bool is_found = false;
    for (const auto& found : stile::FindOccurrences(*grammar, scopes, text, name)) {
      STILE_CHECK(text.substr(found.begin, found.end - found.begin) == name);
      STILE_CHECK(found.binding < 0 || scopes.bindings[found.binding].name == name);
      is_found = is_found || found.begin == scopes.bindings[i].name_begin;
    }
    STILE_CHECK(is_found);
  }
  for (const stile::Import& import : stile::FindImports(*grammar, *tree, text)) {
    STILE_CHECK(import.begin <= import.end && import.end <= text.size());
  }
  return 0;
}
