#include "validators/integrity/tree_syntax_checker.h"

#include <utility>

#include "runtime/syntax/grammar.h"
#include "runtime/syntax/syntax_errors.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {
namespace {

class TreeSyntaxChecker : public SyntaxChecker {
 public:
  explicit TreeSyntaxChecker(const LanguageRegistry* languages) : languages_(languages) {}

  std::optional<std::vector<Diagnostic>> NewSyntaxErrors(const std::string& path,
                                                         absl::string_view before,
                                                         absl::string_view after) const override {
    const Grammar* const grammar = FindGrammar(languages_->GrammarOf(path));
    if (grammar == nullptr || !SyntaxTree::Parse(*grammar, after).ok()) return std::nullopt;
    std::vector<Diagnostic> found;
    for (SyntaxError& error : IntroducedErrors(*grammar, before, after)) {
      Diagnostic diagnostic;
      diagnostic.file = path;
      diagnostic.line = error.line;
      diagnostic.column = error.column;
      diagnostic.code = "syntax";
      diagnostic.message = std::move(error.message);
      found.push_back(std::move(diagnostic));
    }
    return found;
  }

 private:
  const LanguageRegistry* const languages_;
};

}  // namespace

std::unique_ptr<SyntaxChecker> NewSyntaxChecker(const LanguageRegistry* languages) {
  return std::make_unique<TreeSyntaxChecker>(languages);
}

}  // namespace stile
