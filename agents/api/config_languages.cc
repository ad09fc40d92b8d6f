#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/catalog.h"
#include "agents/api/config.h"
#include "agents/api/declared_validators.h"
#include "runtime/base/status.h"
#include "runtime/language/language.h"
#include "runtime/syntax/grammar.h"

namespace stile {
namespace {

absl::Status CheckGrammar(const Language& language, const std::string& name) {
  if (name.empty() || FindGrammar(name) != nullptr) return absl::OkStatus();
  std::vector<std::string> known;
  for (const Grammar& grammar : Grammars()) known.push_back(grammar.name);
  return absl::InvalidArgumentError(absl::StrCat("language ", language.id,
                                                 ": there is no grammar '", name,
                                                 "'; known: ", absl::StrJoin(known, ", ")));
}

}  // namespace

absl::StatusOr<LanguageRegistry> LoadLanguages(const Config& config) {
  STILE_RETURN_IF_ERROR(BundledLanguages().status());
  std::map<std::string, Language> by_id;
  for (const Language& language : *BundledLanguages()) by_id[language.id] = language;
  for (const LanguageDeclaration& source : config.languages) {
    STILE_ASSIGN_OR_RETURN(Language language, ParseLanguage(source.text, source.file));
    by_id[language.id] = std::move(language);
  }
  std::vector<Language> languages;
  for (auto& [id, language] : by_id) languages.push_back(std::move(language));
  const LanguageRegistry registry = LanguageRegistry::Of(std::move(languages));
  for (const Language& language : registry.languages()) {
    STILE_RETURN_IF_ERROR(CheckGrammar(language, language.grammar));
    for (const auto& [extension, grammar] : language.grammar_of) {
      STILE_RETURN_IF_ERROR(CheckGrammar(language, grammar));
    }
  }
  return AttachValidators(registry, config.validators);
}

}  // namespace stile
