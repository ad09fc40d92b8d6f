#include "agents/api/declared_validators.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "validators/fallback_validators.h"

namespace stile {
namespace {

absl::Status ErrorAt(const CommandValidatorSettings& validator, absl::string_view message) {
  const std::string place =
      validator.source.empty() ? absl::StrCat("validators.", validator.id) : validator.source;
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
}

bool Names(const Language& language, const std::string& id) {
  const auto holds = [&id](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  return holds(language.build_validators) || holds(language.test_validators);
}

// The candidates at the validator's level.
std::vector<std::string>* Candidates(const CommandValidatorSettings& validator,
                                     Language* language) {
  return validator.level == Level::kBuild ? &language->build_validators
                                          : &language->test_validators;
}

absl::Status AttachToLanguages(const CommandValidatorSettings& validator,
                               std::vector<Language>* languages) {
  for (const std::string& id : validator.languages) {
    const auto language = std::find_if(languages->begin(), languages->end(),
                                       [&id](const Language& known) { return known.id == id; });
    if (language == languages->end()) {
      std::vector<std::string> known;
      for (const Language& other : *languages) known.push_back(other.id);
      return ErrorAt(validator, absl::StrCat("there is no language '", id,
                                             "'; known: ", absl::StrJoin(known, ", "),
                                             "; for other files use files: [globs]"));
    }
    std::vector<std::string>* const candidates = Candidates(validator, &*language);
    candidates->erase(std::remove(candidates->begin(), candidates->end(), validator.id),
                      candidates->end());
    candidates->insert(candidates->begin(), validator.id);
    if (validator.network) language->sandbox.network.push_back(validator.id);
  }
  return absl::OkStatus();
}

Language LanguageOf(const CommandValidatorSettings& validator) {
  Language language;
  language.id = validator.id;
  language.name = validator.id;
  language.declared = true;
  language.files = validator.files;
  language.project_files = validator.project_files;
  language.build_files = validator.project_files;
  *Candidates(validator, &language) = {validator.id};
  if (validator.network) language.sandbox.network = {validator.id};
  // Shown where no project file is found.
  language.install_hint =
      absl::StrCat("the validator ", validator.id, " judges files below a folder with ",
                   absl::StrJoin(validator.project_files, ", "),
                   "; add that file, or take project_files out of its declaration in stile.yaml");
  return language;
}

}  // namespace

absl::StatusOr<LanguageRegistry> AttachValidators(
    const LanguageRegistry& known, const std::vector<CommandValidatorSettings>& validators) {
  std::vector<Language> languages = known.languages();
  std::vector<Language> declared;
  for (const CommandValidatorSettings& validator : validators) {
    if (!validator.languages.empty()) {
      STILE_RETURN_IF_ERROR(AttachToLanguages(validator, &languages));
      continue;
    }
    const bool is_named =
        std::any_of(languages.begin(), languages.end(),
                    [&](const auto& language) { return Names(language, validator.id); });
    if (validator.files.empty() && is_named) {
      if (!validator.network) continue;
      for (Language& language : languages) {
        if (Names(language, validator.id)) language.sandbox.network.push_back(validator.id);
      }
      continue;
    }
    if (validator.files.empty() && validator.project_files.empty()) {
      return ErrorAt(validator,
                     "it judges nothing: add files: [\"**/*.EXTENSION\"], or languages: [ID] of "
                     "languages that Stile knows, or name it in the validators of a language");
    }
    const bool takes_files =
        std::any_of(validator.command.begin(), validator.command.end(),
                    [](const std::string& word) { return absl::StrContains(word, "{files}"); });
    if (validator.files.empty() && takes_files) {
      return ErrorAt(validator, "'{files}' in its command needs files: [globs]");
    }
    if (is_named || known.Find(validator.id) != nullptr) {
      return ErrorAt(validator,
                     absl::StrCat("'", validator.id, "' is the id of a language or of one of its ",
                                  "validators; with files, a validator needs an id of its own"));
    }
    declared.push_back(LanguageOf(validator));
  }
  for (Language& language : languages) {
    if (language.build_validators.empty()) language.build_validators = FallbackValidatorIds();
  }
  std::move(declared.begin(), declared.end(), std::back_inserter(languages));
  return LanguageRegistry::Of(std::move(languages));
}

}  // namespace stile
