#include "tools/language/language_family.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/embedded.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"

namespace stile {

const std::vector<EmbeddedFile>& LanguageFamilyFiles();  // made by the build

namespace {

struct TextKey {
  const char* name;
  std::string LanguageFamily::*field;
};

constexpr TextKey kTextKeys[] = {
    {"language", &LanguageFamily::language},
    {"indent", &LanguageFamily::indent},
    {"default_access", &LanguageFamily::default_access},
    {"no_result", &LanguageFamily::no_result},
    {"stub", &LanguageFamily::stub},
    {"stub_uses", &LanguageFamily::stub_uses},
    {"default_type", &LanguageFamily::default_type},
    {"type_end", &LanguageFamily::type_end},
    {"bases", &LanguageFamily::bases},
};

struct ListKey {
  const char* name;
  std::vector<std::string> LanguageFamily::*field;
};

constexpr ListKey kListKeys[] = {
    {"operations", &LanguageFamily::operations},
    {"keywords", &LanguageFamily::keywords},
    {"modifiers", &LanguageFamily::modifiers},
    {"access", &LanguageFamily::access},
    {"library_members", &LanguageFamily::library_members},
    {"library_modules", &LanguageFamily::library_modules},
    {"library_packages", &LanguageFamily::library_packages},
};

std::vector<std::string> KnownKeys() {
  std::vector<std::string> keys = {"layout", "blocks", "types", "type_uses", "tests"};
  for (const TextKey& key : kTextKeys) keys.emplace_back(key.name);
  for (const ListKey& key : kListKeys) keys.emplace_back(key.name);
  return keys;
}

absl::Status ReadMap(const Yaml& yaml, absl::string_view key,
                     std::map<std::string, std::string>* out) {
  const Yaml* value = yaml.Find(key);
  if (value == nullptr) return absl::OkStatus();
  for (const Yaml::Entry& entry : value->keys) {
    STILE_ASSIGN_OR_RETURN((*out)[entry.first], entry.second.AsString());
  }
  return absl::OkStatus();
}

template <typename Enum>
absl::Status ReadEnum(const Yaml& yaml, absl::string_view key,
                      const std::map<std::string, Enum>& values, Enum* out) {
  std::string word;
  STILE_RETURN_IF_ERROR(ReadKey(yaml, key, &word));
  const auto found = values.find(word);
  if (found == values.end()) return yaml.Error(absl::StrCat("unknown ", key, " '", word, "'"));
  *out = found->second;
  return absl::OkStatus();
}

absl::Status ReadTests(const Yaml& yaml, LanguageFamily* family) {
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, {"name", "default", "frameworks", "test_name"}));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "name", &family->test_file));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "default", &family->test_default));
  STILE_RETURN_IF_ERROR(ReadKey(yaml, "test_name", &family->test_name));
  const Yaml* frameworks = yaml.Find("frameworks");
  if (frameworks == nullptr) return yaml.Error("'frameworks' is missing");
  for (const Yaml::Entry& entry : frameworks->keys) {
    STILE_RETURN_IF_ERROR(CheckKeys(
        entry.second, {"marker", "uses", "group", "group_end", "test", "test_end", "stub"}));
    TestFramework framework;
    framework.name = entry.first;
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "marker", &framework.marker));
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "uses", &framework.uses));
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "group", &framework.group));
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "group_end", &framework.group_end));
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "test", &framework.test));
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "test_end", &framework.test_end));
    STILE_RETURN_IF_ERROR(ReadKey(entry.second, "stub", &framework.stub));
    family->frameworks.push_back(std::move(framework));
  }
  if (family->FindFramework(family->test_default) == nullptr) {
    return yaml.Error(absl::StrCat("no framework '", family->test_default, "'"));
  }
  return absl::OkStatus();
}

}  // namespace

bool LanguageFamily::Supports(absl::string_view operation) const {
  return std::find(operations.begin(), operations.end(), operation) != operations.end();
}

bool LanguageFamily::IsModifier(absl::string_view word) const {
  return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
}

const TestFramework* LanguageFamily::FindFramework(absl::string_view name) const {
  for (const TestFramework& framework : frameworks) {
    if (framework.name == name) return &framework;
  }
  return nullptr;
}

absl::StatusOr<LanguageFamily> ParseLanguageFamily(absl::string_view text, absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(const Yaml yaml, ParseYaml(text, file));
  LanguageFamily family;
  STILE_RETURN_IF_ERROR(CheckKeys(yaml, KnownKeys()));
  for (const TextKey& key : kTextKeys)
    STILE_RETURN_IF_ERROR(ReadKey(yaml, key.name, &(family.*key.field)));
  for (const ListKey& key : kListKeys)
    STILE_RETURN_IF_ERROR(ReadKey(yaml, key.name, &(family.*key.field)));
  STILE_RETURN_IF_ERROR(ReadEnum<HeaderLayout>(yaml, "layout",
                                               {{"type_first", HeaderLayout::kTypeFirst},
                                                {"name_first", HeaderLayout::kNameFirst},
                                                {"python", HeaderLayout::kPython},
                                                {"go", HeaderLayout::kGo},
                                                {"rust", HeaderLayout::kRust}},
                                               &family.layout));
  STILE_RETURN_IF_ERROR(ReadEnum<BlockStyle>(yaml, "blocks",
                                             {{"same_line", BlockStyle::kSameLine},
                                              {"own_line", BlockStyle::kOwnLine},
                                              {"colon", BlockStyle::kColon}},
                                             &family.blocks));
  STILE_RETURN_IF_ERROR(ReadMap(yaml, "types", &family.types));
  STILE_RETURN_IF_ERROR(ReadMap(yaml, "type_uses", &family.type_uses));
  if (const Yaml* tests = yaml.Find("tests"); tests != nullptr) {
    STILE_RETURN_IF_ERROR(ReadTests(*tests, &family));
  }
  if (family.language.empty() || family.indent.empty() || family.stub.empty()) {
    return yaml.Error("'language', 'indent' or 'stub' is missing");
  }
  if (family.types.find(family.default_type) == family.types.end()) {
    return yaml.Error("'default_type' is not among 'types'");
  }
  return family;
}

bool LanguageFamily::IsLibraryModule(absl::string_view module) const {
  const absl::string_view top = module.substr(0, module.find('.'));
  return std::find(library_modules.begin(), library_modules.end(), top) != library_modules.end();
}

const LanguageFamily* FindLanguageFamily(absl::string_view language) {
  static const auto* const families = [] {
    auto* all = new std::vector<LanguageFamily>;
    for (const EmbeddedFile& file : LanguageFamilyFiles()) {
      // Ours, and a test reads them all: what does not parse never gets here.
      auto family = ParseLanguageFamily(file.text, file.path);
      if (family.ok()) all->push_back(*std::move(family));
    }
    return all;
  }();
  for (const LanguageFamily& family : *families) {
    if (family.language == language) return &family;
  }
  return nullptr;
}

std::string Fill(absl::string_view text,
                 const std::vector<std::pair<std::string, std::string>>& holes) {
  std::vector<std::pair<std::string, std::string>> replacements;
  replacements.reserve(holes.size());
  for (const auto& [hole, value] : holes) {
    replacements.emplace_back(absl::StrCat("{", hole, "}"), value);
  }
  return absl::StrReplaceAll(text, replacements);
}

std::vector<std::string> WordsOf(absl::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(absl::AsciiStrToLower(word));
    word.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (!absl::ascii_isalnum(c) && c < 0x80) {
      end_word();
      continue;
    }
    if (absl::ascii_isupper(c) && i > 0) {
      const auto before = static_cast<unsigned char>(name[i - 1]);
      const bool next_is_lower =
          i + 1 < name.size() && absl::ascii_islower(static_cast<unsigned char>(name[i + 1]));
      if (!absl::ascii_isupper(before) || next_is_lower) end_word();
    }
    word.push_back(static_cast<char>(c));
  }
  end_word();
  return words;
}

std::string PascalCase(absl::string_view name) {
  std::string result;
  for (std::string& word : WordsOf(name)) {
    word[0] = absl::ascii_toupper(static_cast<unsigned char>(word[0]));
    absl::StrAppend(&result, word);
  }
  return result;
}

std::string CamelCase(absl::string_view name) {
  std::string result = PascalCase(name);
  if (!result.empty()) result[0] = absl::ascii_tolower(static_cast<unsigned char>(result[0]));
  return result;
}

std::string SnakeCase(absl::string_view name) { return absl::StrJoin(WordsOf(name), "_"); }

}  // namespace stile
