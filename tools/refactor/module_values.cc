#include "tools/refactor/module_values.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/es_modules.h"
#include "tools/index/module_map.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// A call that loads a module.
struct Load {
  size_t begin = 0;  // of its first word
  size_t end = 0;    // behind its `)`, where the path is written
  bool is_require = false;
  std::optional<std::string> path;  // nullopt: another expression
};

// Whether a comment begins on the line, before the offset.
bool IsBehindComment(absl::string_view text, size_t offset) {
  absl::string_view line = text.substr(0, offset);
  constexpr size_t kMaxLine = 1000;
  line = line.substr(line.size() - std::min(line.size(), kMaxLine));
  line = absl::StripLeadingAsciiWhitespace(line.substr(line.rfind('\n') + 1));  // npos + 1 is 0
  const size_t slashes = line.find("//");
  return absl::StartsWith(line, "*") || absl::StartsWith(line, "/*") ||
         (slashes != absl::string_view::npos && (slashes == 0 || line[slashes - 1] != ':'));
}

std::vector<Load> LoadsOf(absl::string_view text) {
  std::vector<Load> loads;
  for (const absl::string_view word : {"require", "import"}) {
    for (size_t at = 0; (at = FindWord(text, word, at)) != absl::string_view::npos;) {
      Load load{at, 0, word == "require", std::nullopt};
      const bool is_comment = IsBehindComment(text, at);
      at += word.size();
      if (is_comment) continue;
      absl::string_view rest = absl::StripLeadingAsciiWhitespace(text.substr(at));
      if (!absl::ConsumePrefix(&rest, "(")) continue;
      rest = absl::StripLeadingAsciiWhitespace(rest);
      // `import(/* webpackChunkName: "shapes" */ "./shapes.js")`
      if (const size_t close = rest.find("*/");
          absl::StartsWith(rest, "/*") && close != absl::string_view::npos) {
        rest = absl::StripLeadingAsciiWhitespace(rest.substr(close + 2));
      }
      if (rest.empty() || rest[0] == ')') continue;
      const size_t quote = absl::StrContains("\"'`", rest[0]) ? rest.find(rest[0], 1) : 0;
      if (quote == absl::string_view::npos) continue;
      const absl::string_view path = quote == 0 ? "" : rest.substr(1, quote - 1);
      // `require("./" + name)` is another expression.
      const absl::string_view behind =
          quote == 0 ? "" : absl::StripLeadingAsciiWhitespace(rest.substr(quote + 1));
      if (absl::StartsWith(behind, ")") && !absl::StrContains(path, "${")) {
        load.path = std::string(path);
        load.end = static_cast<size_t>(behind.data() - text.data()) + 1;
      }
      loads.push_back(std::move(load));
    }
  }
  return loads;
}

bool IsMemberRead(absl::string_view after) {
  after = absl::StripLeadingAsciiWhitespace(after);
  return absl::StartsWith(after, "?.") ||
         (absl::StartsWith(after, ".") && !absl::StartsWith(after, "..."));
}

// Whether the file uses the module behind `alias` for more than `alias.NAME`.
bool IsUsedAsValue(const SourceFile& file, const std::string& alias) {
  const std::vector<Occurrence> uses = FindOccurrences(file.grammar, file.scopes, file.text, alias);
  return std::any_of(uses.begin(), uses.end(), [&](const Occurrence& use) {
    const bool is_use = use.role == OccurrenceRole::kReference ||
                        use.role == OccurrenceRole::kShorthand || use.role == OccurrenceRole::kRaw;
    return is_use && !IsMemberRead(absl::string_view(file.text).substr(use.end));
  });
}

// "create" of "lib/node/auto-create.js", "index" and "node" of "lib/node/index.js": an import of
// the file holds one of the words.
std::set<std::string> WordsOfPath(const std::string& path) {
  std::set<std::string> words;
  const std::string stem = BaseName(path).substr(0, BaseName(path).find('.'));
  for (const std::string& name : {stem, stem == "index" ? BaseName(DirName(path)) : stem}) {
    size_t end = name.size();
    while (end > 0 && !IsIdentifierByte(name[end - 1])) --end;
    size_t begin = end;
    while (begin > 0 && IsIdentifierByte(name[begin - 1])) --begin;
    if (begin < end) words.insert(name.substr(begin, end - begin));
  }
  return words;
}

class ModuleUses {
 public:
  ModuleUses(const Resolution& symbol, CodeIndex* index)
      : symbol_(symbol),
        name_(symbol.targets[0].name()),
        index_(index),
        paths_(index->workspace()) {}

  bool IsTaken() {
    for (const Declaration& target : symbol_.targets) Enqueue(target.file->path);
    while (!queue_.empty()) {
      const std::string module = queue_.front();
      queue_.pop_front();
      std::map<std::string, std::shared_ptr<const SourceFile>> files;
      std::set<std::string> words = WordsOfPath(module);
      words.merge(WordsOfPath(paths_.PackageNameOf(module)));
      for (const std::string& alias : paths_.AliasesOf(module)) words.merge(WordsOfPath(alias));
      for (const std::string& word : words) {
        for (const auto& file : index_->FilesWith(word)) files.emplace(file->path, file);
      }
      for (const auto& file : symbol_.files) files.emplace(file->path, file);
      for (const auto& [path, file] : files) {
        if (!LanguageBackendOf(file->language.id).generation.imports_files) continue;
        if (++looked_at_ > kMaxLooks) return false;
        if (Takes(*file, module)) return true;
      }
    }
    return false;
  }

 private:
  static constexpr size_t kMaxModules = 100;
  static constexpr size_t kMaxLooks = 5000;  // of a file, for one module

  void Enqueue(const std::string& module) {
    if (seen_.size() < kMaxModules && seen_.insert(module).second) queue_.push_back(module);
  }

  // `export { parse }` of a name that the file has, perhaps by an import.
  bool ExportsOwn(const ModuleStatements& statements) const {
    return std::any_of(statements.names.begin(), statements.names.end(), [&](const auto& entry) {
      return entry.is_export && entry.module.empty() && entry.name == name_ && entry.alias == name_;
    });
  }

  // Whether the default import of the module is all that it exports.
  bool IsCommonJs(const std::string& module) {
    const auto file = index_->Open(module);
    if (!file.ok()) return false;
    const ModuleStatements& statements = (*file)->ImportsAndExports();
    return statements.exported.empty() && absl::StrContains((*file)->text, "exports");
  }

  bool Takes(const SourceFile& file, const std::string& module) {
    const ModuleStatements& statements = file.ImportsAndExports();
    for (const ModuleStatements::Name& entry : statements.names) {
      if (entry.module.empty() || !Means(file, entry.module, module)) continue;
      const bool is_whole = entry.name == "*" || (entry.name == "default" && IsCommonJs(module));
      if (is_whole && (entry.is_export || IsUsedAsValue(file, entry.alias))) return true;
      const bool hands_on = entry.name == name_ && entry.alias == name_ &&
                            (entry.is_export || ExportsOwn(statements));
      if (hands_on) Enqueue(file.path);
    }
    for (const std::string& all : statements.all_of) {
      if (Means(file, all, module)) Enqueue(file.path);
    }
    const auto [loads, is_new] = loads_.try_emplace(file.path);
    if (is_new) loads->second = LoadsOf(file.text);
    for (const Load& load : loads->second) {
      if (!load.path.has_value() || !Means(file, *load.path, module)) continue;
      if (load.is_require ? TakesRequired(file, load) : TakesImported(file, load)) return true;
    }
    return false;
  }

  // `import("./shapes.js").Shape` is a type, `import("./shapes.js").then(…)` a value.
  static bool TakesImported(const SourceFile& file, const Load& load) {
    const absl::string_view behind =
        absl::StripLeadingAsciiWhitespace(absl::string_view(file.text).substr(load.end));
    return !IsMemberRead(behind) || absl::StartsWith(behind, ".then(") ||
           absl::StartsWith(behind, ".catch(") || absl::StartsWith(behind, ".finally(");
  }

  bool TakesRequired(const SourceFile& file, const Load& load) {
    const absl::string_view text = file.text;
    if (IsMemberRead(text.substr(load.end))) return false;
    absl::string_view before = absl::StripTrailingAsciiWhitespace(text.substr(0, load.begin));
    if (!absl::ConsumeSuffix(&before, "=")) {
      // A statement of its own, for what the module does.
      return !before.empty() && !absl::StrContains(";{}'\"", before.back());
    }
    before = absl::StripTrailingAsciiWhitespace(before);
    if (absl::EndsWith(before, "}")) {  // `const { area, ...rest } = require("./shapes")`
      const size_t open = before.rfind('{');
      return open != absl::string_view::npos && absl::StrContains(before.substr(open), "...");
    }
    size_t begin = before.size();
    while (begin > 0 && IsIdentifierByte(before[begin - 1])) --begin;
    const std::string left(before.substr(begin));
    if (left == "exports" && absl::EndsWith(before, "module.exports")) {
      Enqueue(file.path);
      return false;
    }
    const bool is_member = begin > 0 && before[begin - 1] == '.';
    return is_member || left.empty() || IsUsedAsValue(file, left);
  }

  bool Means(const SourceFile& file, const std::string& written, const std::string& module) {
    return paths_.Means(file, written, module) != ModuleMap::Answer::kNo;
  }

  const Resolution& symbol_;
  const std::string name_;
  CodeIndex* const index_;
  ModuleMap paths_;
  size_t looked_at_ = 0;
  std::map<std::string, std::vector<Load>> loads_;  // by path of a file
  std::set<std::string> seen_;
  std::deque<std::string> queue_;
};

}  // namespace

bool IsInModuleValue(const Resolution& symbol, CodeIndex* index) {
  return ModuleUses(symbol, index).IsTaken();
}

bool LoadsUnknownModules(const SourceFile& file) {
  const std::vector<Load> loads = LoadsOf(file.text);
  return std::any_of(loads.begin(), loads.end(),
                     [](const Load& load) { return !load.path.has_value(); });
}

}  // namespace stile
