#include "runtime/language/language.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr int kMaxGlobs = 1000;

const std::vector<std::string>& KnownKeys() {
  static const auto* const keys = new std::vector<std::string>{
      "id",      "name",       "extensions", "project_files", "root",  "build_files",
      "comment", "validators", "test_names", "install_hint",  "notes", "reads",
      "grammar", "grammar_of", "canary",     "sandbox",       "files"};
  return *keys;
}

bool IsId(absl::string_view text) {
  return !text.empty() && absl::ascii_islower(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '_';
         });
}

absl::Status ReadList(const Yaml& yaml, absl::string_view key, std::vector<std::string>* out) {
  const Yaml* value = yaml.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_RETURN_IF_ERROR(ReadKey(yaml, key, out));
  for (const std::string& entry : *out) {
    if (entry.empty()) return value->Error(absl::StrCat("'", key, "' holds an empty entry"));
  }
  if (out->size() >= kMaxGlobs)
    return value->Error(absl::StrCat("'", key, "' has too many entries"));
  return absl::OkStatus();
}

absl::Status ReadHomePaths(const Yaml& yaml, absl::string_view key, std::vector<std::string>* out) {
  STILE_RETURN_IF_ERROR(ReadList(yaml, key, out));
  for (const std::string& path : *out) {
    if ((path.size() > 2 && path.substr(0, 2) == "~/") || (path.size() > 1 && path[0] == '$')) {
      continue;
    }
    return yaml.Find(key)->Error(
        absl::StrCat("'", path, "' must begin with '~/' or with a '$VARIABLE'"));
  }
  return absl::OkStatus();
}

absl::Status CheckLanguage(const Yaml& yaml, const Language& language) {
  if (language.id.empty()) return yaml.Error("'id' is missing");
  if (!IsId(language.id)) {
    return yaml.Find("id")->Error(
        absl::StrCat("'", language.id, "' is no id: lower-case letters, digits, '-' and '_'"));
  }
  if (language.name.empty()) return yaml.Error("'name' is missing");
  if (language.extensions.empty() && language.files.empty()) {
    return yaml.Error("'extensions' is missing");
  }
  for (const std::string& extension : language.extensions) {
    if (extension.size() < 2 || extension[0] != '.' || extension.find('/') != std::string::npos ||
        extension != absl::AsciiStrToLower(extension)) {
      return yaml.Find("extensions")
          ->Error(absl::StrCat("'", extension, "' is no extension: write it as '.x', lower case"));
    }
  }
  return absl::OkStatus();
}

// With the dot, lower case; "" where there is none.
std::string ExtensionOf(absl::string_view path) {
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? "" : absl::AsciiStrToLower(name.substr(dot));
}

std::string Folder(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? "." : std::string(path.substr(0, slash));
}

// The folder above `folder`; "" above the workspace.
std::string Above(const std::string& folder) { return folder == "." ? "" : Folder(folder); }

}  // namespace

bool NeedsNetwork(const Language& language, absl::string_view validator_id) {
  const std::vector<std::string>& ids = language.sandbox.network;
  return std::find(ids.begin(), ids.end(), validator_id) != ids.end();
}

absl::StatusOr<Language> ParseLanguage(absl::string_view text, absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, KnownKeys()));
  Language language;
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "id", &language.id));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "name", &language.name));
  STILE_RETURN_IF_ERROR(ReadList(yaml, "extensions", &language.extensions));
  STILE_RETURN_IF_ERROR(ReadList(yaml, "files", &language.files));
  STILE_RETURN_IF_ERROR(ReadList(yaml, "project_files", &language.project_files));
  STILE_RETURN_IF_ERROR(ReadList(yaml, "build_files", &language.build_files));
  if (const Yaml* validators = yaml.Find("validators")) {
    STILE_RETURN_IF_ERROR(CheckKeys(*validators, {"build", "test"}));
    STILE_RETURN_IF_ERROR(ReadList(*validators, "build", &language.build_validators));
    STILE_RETURN_IF_ERROR(ReadList(*validators, "test", &language.test_validators));
  }
  STILE_RETURN_IF_ERROR(ReadList(yaml, "test_names", &language.test_names));
  STILE_RETURN_IF_ERROR(ReadList(yaml, "reads", &language.reads));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "comment", &language.line_comment));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "grammar", &language.grammar));
  if (const Yaml* grammars = yaml.Find("grammar_of")) {
    STILE_RETURN_IF_ERROR(CheckKeys(*grammars, language.extensions));
    for (const auto& [extension, grammar] : grammars->keys) {
      STILE_ASSIGN_OR_RETURN(language.grammar_of[extension], grammar.AsString());
    }
  }
  if (const Yaml* canary = yaml.Find("canary")) {
    STILE_RETURN_IF_ERROR(CheckKeys(*canary, {"meaning", "syntax"}));
    STILE_RETURN_IF_ERROR(ReadList(*canary, "meaning", &language.canary_meaning));
    STILE_RETURN_IF_ERROR(ReadKey(*canary, "syntax", &language.canary_syntax));
  }
  if (const Yaml* sandbox = yaml.Find("sandbox")) {
    STILE_RETURN_IF_ERROR(CheckKeys(*sandbox, {"read", "caches", "settings", "network"}));
    STILE_RETURN_IF_ERROR(ReadHomePaths(*sandbox, "read", &language.sandbox.read));
    STILE_RETURN_IF_ERROR(ReadHomePaths(*sandbox, "caches", &language.sandbox.caches));
    STILE_RETURN_IF_ERROR(ReadHomePaths(*sandbox, "settings", &language.sandbox.settings));
    STILE_RETURN_IF_ERROR(ReadList(*sandbox, "network", &language.sandbox.network));
  }
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "install_hint", &language.install_hint));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "notes", &language.notes));
  std::string root = "nearest";
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "root", &root));
  if (root != "nearest" && root != "outermost") {
    return yaml.Find("root")->Error(
        absl::StrCat("'", root, "' is no rule for roots: use 'nearest' or 'outermost'"));
  }
  language.outermost_root = root == "outermost";
  STILE_RETURN_IF_ERROR(CheckLanguage(yaml, language));
  for (const std::string& glob : language.project_files) {
    if (std::find(language.build_files.begin(), language.build_files.end(), glob) ==
        language.build_files.end()) {
      language.build_files.push_back(glob);
    }
  }
  return language;
}

absl::StatusOr<LanguageRegistry> LanguageRegistry::Load(const std::vector<Source>& sources) {
  std::map<std::string, Language> by_id;
  for (const Source& source : sources) {
    STILE_ASSIGN_OR_RETURN(Language language, ParseLanguage(source.text, source.file));
    by_id[language.id] = std::move(language);
  }
  std::vector<Language> languages;
  for (auto& [id, language] : by_id) languages.push_back(std::move(language));
  return Of(std::move(languages));
}

LanguageRegistry LanguageRegistry::Of(std::vector<Language> languages) {
  std::sort(languages.begin(), languages.end(),
            [](const Language& a, const Language& b) { return a.id < b.id; });
  LanguageRegistry registry;
  for (Language& language : languages) {
    const size_t index = registry.languages_.size();
    // An extension of two languages (.h) goes to the first by id.
    for (const std::string& extension : language.extensions) {
      registry.by_extension_.emplace(extension, index);
    }
    const int tag = static_cast<int>(index) * kMaxGlobs;
    for (size_t i = 0; i < language.project_files.size(); ++i) {
      registry.project_files_.Add(language.project_files[i], tag + static_cast<int>(i));
    }
    for (const std::string& glob : language.build_files) registry.build_files_.Add(glob, tag);
    for (const std::string& glob : language.files) registry.files_.Add(glob, tag);
    registry.languages_.push_back(std::move(language));
  }
  return registry;
}

const Language* LanguageRegistry::Find(absl::string_view id) const {
  for (const Language& language : languages_) {
    if (language.id == id) return &language;
  }
  return nullptr;
}

const Language* LanguageRegistry::OfFile(absl::string_view path) const {
  const auto found = by_extension_.find(ExtensionOf(path));
  if (found != by_extension_.end()) return &languages_[found->second];
  for (const int tag : files_.Match(path)) {
    const Language& language = languages_[static_cast<size_t>(tag / kMaxGlobs)];
    if (!language.declared) return &language;
  }
  return nullptr;
}

std::vector<const Language*> LanguageRegistry::AllOfFile(absl::string_view path) const {
  std::vector<const Language*> all;
  if (const Language* language = OfFile(path)) all.push_back(language);
  for (const int tag : files_.Match(path)) {
    const Language* language = &languages_[static_cast<size_t>(tag / kMaxGlobs)];
    if (std::find(all.begin(), all.end(), language) == all.end()) all.push_back(language);
  }
  return all;
}

std::string LanguageRegistry::GrammarOf(absl::string_view path) const {
  const Language* language = OfFile(path);
  if (language == nullptr) return "";
  const auto special = language->grammar_of.find(ExtensionOf(path));
  return special == language->grammar_of.end() ? language->grammar : special->second;
}

std::vector<const Language*> LanguageRegistry::OfBuildFile(absl::string_view path) const {
  std::vector<const Language*> found;
  for (const int tag : build_files_.Match(path)) {
    found.push_back(&languages_[static_cast<size_t>(tag / kMaxGlobs)]);
  }
  return found;
}

std::vector<std::pair<const Language*, size_t>> LanguageRegistry::ProjectMarksOf(
    absl::string_view path) const {
  std::vector<std::pair<const Language*, size_t>> marks;
  for (const int tag : project_files_.Match(path)) {
    marks.emplace_back(&languages_[static_cast<size_t>(tag / kMaxGlobs)],
                       static_cast<size_t>(tag % kMaxGlobs));
  }
  return marks;
}

bool LanguageRegistry::IsProjectFile(const Language& language, absl::string_view path) const {
  for (const auto& [owner, glob] : ProjectMarksOf(path)) {
    if (owner->id == language.id) return true;
  }
  return false;
}

ProjectFinder::ProjectFinder(const LanguageRegistry& registry,
                             const std::vector<std::string>& sorted_paths) {
  // Language → folder → the globs that mark it.
  std::map<const Language*, std::map<std::string, std::vector<size_t>>> marked;
  for (const std::string& path : sorted_paths) {
    for (const auto& [language, glob] : registry.ProjectMarksOf(path)) {
      marked[language][Folder(path)].push_back(glob);
    }
  }
  for (const auto& [language, folders] : marked) {
    std::vector<std::string>& roots = roots_[language->id];
    for (const auto& [folder, globs] : folders) {
      bool is_part = false;
      const size_t preferred = *std::min_element(globs.begin(), globs.end());
      if (language->outermost_root) {
        for (std::string above = Above(folder); !above.empty() && !is_part; above = Above(above)) {
          const auto found = folders.find(above);
          is_part = found != folders.end() && std::find(found->second.begin(), found->second.end(),
                                                        preferred) != found->second.end();
        }
      }
      if (!is_part) roots.push_back(folder);
    }
  }
}

std::string ProjectFinder::RootOf(const Language& language, absl::string_view path) const {
  const auto found = roots_.find(language.id);
  if (found == roots_.end()) return "";
  const std::vector<std::string>& roots = found->second;
  for (std::string folder = Folder(path); !folder.empty(); folder = Above(folder)) {
    if (std::binary_search(roots.begin(), roots.end(), folder)) return folder;
  }
  return "";
}

std::vector<std::string> ProjectFinder::Roots(const Language& language) const {
  const auto found = roots_.find(language.id);
  return found == roots_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace stile
