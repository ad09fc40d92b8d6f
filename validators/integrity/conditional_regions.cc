#include "validators/integrity/conditional_regions.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "runtime/syntax/grammar.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "validators/integrity/condition_syntax.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

class Finder : public ConditionFinder {
 public:
  explicit Finder(const LanguageRegistry* languages) : languages_(languages) {}

  std::vector<ConditionalRegion> Find(const std::string& path,
                                      absl::string_view text) const override {
    const ConditionSyntax* const syntax = SyntaxOf(path);
    if (syntax == nullptr) return {};
    return syntax->Find({path, text, FindGrammar(languages_->GrammarOf(path))});
  }

  Declarations Declared(const std::string& path, absl::string_view text) const override {
    Declarations declared;
    const ConditionSyntax* const syntax = SyntaxOf(path);
    const Grammar* grammar = FindGrammar(languages_->GrammarOf(path));
    if (syntax == nullptr || !syntax->TellsConditions() || grammar == nullptr) return declared;
    const auto tree = SyntaxTree::Parse(*grammar, text);
    if (!tree.ok()) return declared;
    for (const Symbol& symbol : FindSymbols(*grammar, *tree, text)) {
      const uint32_t end = symbol.kind == SymbolKind::kMacro ? symbol.end : symbol.signature_end;
      std::string head(text.substr(symbol.begin, end - symbol.begin));
      absl::RemoveExtraAsciiWhitespace(&head);
      declared.emplace(symbol.name, std::move(head));
    }
    return declared;
  }

  std::vector<BuildSwitches> Ways(const std::string& path, absl::string_view text,
                                  const ConditionalRegion& region) const override {
    const ConditionSyntax* const syntax = SyntaxOf(path);
    return syntax == nullptr ? std::vector<BuildSwitches>() : syntax->Ways(text, region);
  }

  std::vector<BuildSwitches> WaysIntoFile(const std::string& path,
                                          absl::string_view text) const override {
    const ConditionSyntax* const syntax = SyntaxOf(path);
    return syntax == nullptr ? std::vector<BuildSwitches>() : syntax->WaysIntoFile(text);
  }

  std::string Set(const std::string& path, absl::string_view text,
                  const BuildSwitches& switches) const override {
    const ConditionSyntax* const syntax = SyntaxOf(path);
    return syntax == nullptr ? std::string(text) : syntax->Set(path, text, switches);
  }

 private:
  // By language, not by grammar: a header of C is parsed as one of C++.
  const ConditionSyntax* SyntaxOf(const std::string& path) const {
    const Language* const language = languages_->OfFile(path);
    if (language == nullptr) return nullptr;
    const TestLanguage* const known = FindTestLanguageById(language->id);
    return known == nullptr ? nullptr : known->conditions();
  }

  const LanguageRegistry* const languages_;
};

}  // namespace

std::unique_ptr<ConditionFinder> NewConditionFinder(const LanguageRegistry* languages) {
  return std::make_unique<Finder>(languages);
}

}  // namespace stile
