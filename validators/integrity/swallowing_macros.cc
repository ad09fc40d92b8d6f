#include "validators/integrity/swallowing_macros.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "validators/integrity/macro_syntax.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

struct Call {
  std::string macro;
  std::string words;  // what is dropped
  int line = 0;
};

// Of tokens [begin, end) that are dropped, if they hold a statement, a block or an assignment.
void AddCall(const MacroTokens& tokens, const std::string& macro, size_t begin, size_t end,
             std::vector<Call>* calls) {
  if (begin >= end || tokens[begin].code_before == tokens[end].code_before) return;
  Call call{macro, "", tokens[begin].line};
  for (size_t i = begin; i < end; ++i) absl::StrAppend(&call.words, tokens[i].text, " ");
  calls->push_back(std::move(call));
}

std::vector<Call> CallsOf(const MacroTokens& tokens, const SwallowedParameters& swallowed,
                          const MacroSyntax& syntax) {
  std::vector<Call> calls;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto macro = swallowed.find(tokens[i].text);
    if (macro == swallowed.end() || macro->second.empty() ||
        (i > 0 && TextAt(tokens, i - 1) == "define"))
      continue;
    if (!syntax.IsCall(tokens, i)) continue;
    const size_t open = syntax.OpenOfCall(i);
    const size_t close = CloseOf(tokens, open);
    const size_t found = calls.size();
    size_t number = 0;
    size_t begin = open + 1;
    for (size_t at = open + 1; at <= close && close < tokens.size(); ++at) {
      if (at < close && OpensBracket(TextAt(tokens, at))) at = CloseOf(tokens, at);
      const bool ends = at == close || (syntax.HasArguments() && TextAt(tokens, at) == ",");
      if (!ends) continue;
      const bool dropped =
          macro->second.count(number) > 0 || macro->second.count(kAllParameters) > 0;
      if (dropped) AddCall(tokens, macro->first, begin, at, &calls);
      begin = at + 1;
      ++number;
    }
    if (calls.size() > found) i = close;  // calls inside it are dropped, too
  }
  return calls;
}

// Names of calls, with brackets around code, that could be calls of macros.
std::set<std::string> CodeCallsOf(const MacroTokens& tokens, const MacroSyntax& syntax) {
  static const auto* const kKeywords =
      new std::set<std::string>{"if", "for", "while", "switch", "catch"};
  std::set<std::string> names;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!IsMacroName(tokens[i].text) || kKeywords->count(tokens[i].text) > 0 ||
        !syntax.IsCall(tokens, i)) {
      continue;
    }
    const size_t open = syntax.OpenOfCall(i);
    const size_t close = CloseOf(tokens, open);
    if (close < tokens.size() && tokens[open].code_before != tokens[close].code_before) {
      names.insert(tokens[i].text);
    }
  }
  return names;
}

// Null for files without macros. Files that others include may belong to no language.
const MacroSyntax* SyntaxOf(const LanguageRegistry& languages, const std::string& path) {
  const TestLanguage* const language = FindTestLanguage(languages.GrammarOf(path));
  if (language != nullptr && language->macros() != nullptr) return language->macros();
  return GlobMatch("*.{inc,inl,ipp,tcc,def}", path) ? PreprocessorMacros() : nullptr;
}

// The macros of all files with this syntax. Reads them all, and looks closely at those that name
// one of `calls`.
SwallowedParameters MacrosOf(const LanguageRegistry& languages, const WorkspaceFiles& files,
                             const MacroSyntax& syntax, const std::set<std::string>& calls) {
  SwallowedParameters swallowed;
  for (const std::string& path : files.Paths()) {
    if (SyntaxOf(languages, path) != &syntax) continue;
    const absl::StatusOr<std::string> text = files.Read(path);
    const bool defines = text.ok() && absl::StrContains(*text, syntax.DefinitionWord()) &&
                         std::any_of(calls.begin(), calls.end(), [&text](const std::string& name) {
                           return absl::StrContains(*text, name);
                         });
    if (defines) syntax.AddMacros(ReadMacroTokens(*text), &swallowed);
  }
  return swallowed;
}

void CompareCalls(const LanguageRegistry& languages, const std::vector<ContentPair>& changes,
                  const SwallowedParameters& now, const MacroSyntax& syntax,
                  std::vector<Weakening>* result) {
  std::map<std::string, int> known;
  // What a call held before its macro began to drop it was judged then.
  SwallowedParameters before = now;
  SwallowedParameters old;
  SwallowedParameters present;
  for (const ContentPair& change : changes) {
    if (SyntaxOf(languages, change.path) != &syntax) continue;
    syntax.AddMacros(ReadMacroTokens(change.before.value_or("")), &old);
    syntax.AddMacros(ReadMacroTokens(change.after.value_or("")), &present);
  }
  for (const auto& [name, parameters] : present) {
    const auto was = old.find(name);
    if (was == old.end() || was->second.empty()) before.erase(name);
  }
  for (const ContentPair& change : changes) {
    if (SyntaxOf(languages, change.path) != &syntax || !change.before.has_value()) continue;
    for (const Call& call : CallsOf(ReadMacroTokens(*change.before), before, syntax)) {
      ++known[call.words];
    }
  }
  for (const ContentPair& change : changes) {
    if (SyntaxOf(languages, change.path) != &syntax || !change.after.has_value()) continue;
    for (const Call& call : CallsOf(ReadMacroTokens(*change.after), now, syntax)) {
      if (known[call.words]-- > 0) continue;
      result->push_back({Weakening::Weight::kGrave, change.path, call.line,
                         absl::StrCat("the macro '", ToUtf8(call.macro), syntax.CallSign(),
                                      "' drops this code, so that no compiler judges it; write it "
                                      "outside the macro, or take it out"),
                         "code-swallowed"});
    }
  }
}

}  // namespace

std::vector<Weakening> CompareMacroCalls(const LanguageRegistry& languages,
                                         const std::vector<ContentPair>& changes,
                                         const WorkspaceFiles& files) {
  std::vector<Weakening> result;
  for (const MacroSyntax* const syntax : {RuleMacros(), PreprocessorMacros()}) {
    std::set<std::string> calls;
    for (const ContentPair& change : changes) {
      if (!change.after.has_value() || SyntaxOf(languages, change.path) != syntax) continue;
      calls.merge(CodeCallsOf(ReadMacroTokens(*change.after), *syntax));
    }
    if (calls.empty()) continue;
    const SwallowedParameters now = MacrosOf(languages, files, *syntax, calls);
    if (!now.empty()) CompareCalls(languages, changes, now, *syntax, &result);
  }
  return result;
}

}  // namespace stile
