#include "agents/api/catalog.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxProfileBytes = 256 << 10;

const EmbeddedFile* FindEmbedded(const std::string& path) {
  for (const EmbeddedFile& file : EmbeddedData()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace

// Parsed once: a process loads its configuration, and with it the languages, more than once.
const absl::StatusOr<std::vector<Language>>& BundledLanguages() {
  static const auto* const kLanguages = new absl::StatusOr<std::vector<Language>>([] {
    std::vector<Language> languages;
    for (const EmbeddedFile& file : EmbeddedData()) {
      if (!absl::StartsWith(file.path, "agents/languages/")) continue;
      absl::StatusOr<Language> language = ParseLanguage(file.text, file.path);
      if (!language.ok()) return absl::StatusOr<std::vector<Language>>(language.status());
      languages.push_back(*std::move(language));
    }
    return absl::StatusOr<std::vector<Language>>(std::move(languages));
  }());
  return *kLanguages;
}

absl::StatusOr<AgentProfile> LoadProfile(const std::string& name) {
  if (absl::StrContains(name, "/") || absl::EndsWith(name, ".md")) {
    STILE_ASSIGN_OR_RETURN(const std::string text,
                           DiskFileSystem()->ReadFile(name, kMaxProfileBytes));
    return ParseProfile(text, name);
  }
  const std::string path = absl::StrCat("agents/profiles/", name, ".md");
  if (const EmbeddedFile* file = FindEmbedded(path)) return ParseProfile(file->text, path);
  std::vector<std::string> known;
  for (const EmbeddedFile& file : EmbeddedData()) {
    absl::string_view rest = file.path;
    if (absl::ConsumePrefix(&rest, "agents/profiles/") && absl::ConsumeSuffix(&rest, ".md")) {
      known.emplace_back(rest);
    }
  }
  return absl::NotFoundError(absl::StrCat("there is no agent '", name, "'; choose one of ",
                                          absl::StrJoin(known, ", "),
                                          ", or give the path of a profile file"));
}

const std::vector<CodingPattern>& BundledPatterns() {
  static const auto* const kPatterns = [] {
    auto* patterns = new std::vector<CodingPattern>;
    for (const EmbeddedFile& file : EmbeddedData()) {
      if (!absl::StartsWith(file.path, "agents/patterns/")) continue;
      auto pattern = ParseCodingPattern(file.text, file.path);
      STILE_CHECK(pattern.ok());
      patterns->push_back(*std::move(pattern));
    }
    return patterns;
  }();
  return *kPatterns;
}

absl::StatusOr<std::string> LoadBuiltinWorkflow(const std::string& name) {
  if (const EmbeddedFile* file = FindEmbedded(absl::StrCat("agents/workflows/", name, ".yaml"))) {
    return std::string(file->text);
  }
  std::vector<std::string> known;
  for (const EmbeddedFile& file : EmbeddedData()) {
    absl::string_view rest = file.path;
    if (absl::ConsumePrefix(&rest, "agents/workflows/") && absl::ConsumeSuffix(&rest, ".yaml")) {
      known.push_back(absl::StrCat(kBuiltinPrefix, rest));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no workflow ", kBuiltinPrefix, name,
                                                 "; there are ", absl::StrJoin(known, ", ")));
}

std::vector<std::string> TemplateNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedData()) {
    absl::string_view rest = file.path;
    if (absl::ConsumePrefix(&rest, "agents/templates/") && absl::ConsumeSuffix(&rest, ".yaml")) {
      names.emplace_back(rest);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> LoadTemplate(const std::string& name) {
  if (const EmbeddedFile* file = FindEmbedded(absl::StrCat("agents/templates/", name, ".yaml"))) {
    return std::string(file->text);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no template for '", name, "'; there are ", absl::StrJoin(TemplateNames(), ", ")));
}

absl::StatusOr<PromptTemplate> LoadPrompt(const std::string& name) {
  const std::string path = absl::StrCat("prompts/", name, ".prompt");
  const EmbeddedFile* file = FindEmbedded(path);
  if (file == nullptr) return absl::NotFoundError(absl::StrCat("there is no prompt ", path));
  return PromptTemplate::Parse(file->text, path);
}

}  // namespace stile
