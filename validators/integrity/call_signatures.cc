#include "validators/integrity/call_signatures.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "validators/integrity/test_code.h"
#include "validators/integrity/test_side.h"

namespace stile {
namespace {

struct Arity {
  int least = 0;
  int most = 0;
};

constexpr int kAnyNumber = 1000;

Arity ArityOf(const TestCode& code, uint32_t parameters) {
  Arity arity;
  for (const uint32_t parameter : code.NamedChildren(parameters)) {
    const absl::string_view text = code.Text(parameter);
    if (text == "self" || text == "cls" || text == "&self" || text == "&mut self" ||
        text == "void" || text == "/") {
      continue;
    }
    if (absl::StartsWith(text, "*") || absl::StrContains(text, "...")) {
      arity.most += kAnyNumber;
      continue;
    }
    ++arity.most;
    const bool may_be_left_out = absl::StrContains(code.Type(parameter), "default") ||
                                 absl::StrContains(text, "=") ||
                                 absl::StrContains(code.Type(parameter), "optional");
    if (!may_be_left_out) ++arity.least;
  }
  return arity;
}

// The name that a function without one gets: `exports.price = (count) => …`.
std::string GivenName(const TestCode& code, uint32_t parent) {
  for (const char* field : {"name", "left", "key"}) {
    const uint32_t target = code.Child(parent, field);
    if (target == 0) continue;
    const CodeTokens tokens = code.Tokens(target);
    if (!tokens.empty() && tokens.back().is_name) return tokens.back().text;
  }
  return "";
}

std::map<std::string, std::vector<Arity>> Functions(const TestCode& code) {
  std::map<std::string, std::vector<Arity>> functions;
  for (uint32_t i = 0; i < code.size(); ++i) {
    uint32_t function = i;
    std::string name;
    if (code.Role(i) == NodeRole::kFunction) {
      const uint32_t own = code.Child(i, "name");
      if (own != 0) name = std::string(code.Text(own));
    } else {
      for (const char* field : {"value", "right"}) {
        const uint32_t value = code.Child(i, field);
        if (value == 0 || code.Role(value) != NodeRole::kLambda) continue;
        function = value;
        name = GivenName(code, i);
      }
    }
    if (name.empty()) continue;
    const uint32_t parameters = code.Child(function, "parameters");
    if (parameters != 0) {
      functions[name].push_back(ArityOf(code, parameters));
    } else if (code.Child(function, "parameter") != 0) {
      functions[name].push_back({1, 1});
    }
  }
  return functions;
}

}  // namespace

std::set<std::string> OtherwiseCalled(const LanguageRegistry& languages,
                                      const std::vector<ContentPair>& changes) {
  std::set<std::string> names;
  for (const ContentPair& change : changes) {
    const Grammar* const grammar = FindGrammar(languages.GrammarOf(change.path));
    if (grammar == nullptr || IsNamedAsTest(languages, change.path) || !change.before.has_value() ||
        !change.after.has_value()) {
      continue;
    }
    const std::optional<TestCode> before = TestCode::Parse(*grammar, *change.before);
    const std::optional<TestCode> after = TestCode::Parse(*grammar, *change.after);
    if (!before.has_value() || !after.has_value()) continue;
    const auto now = Functions(*after);
    for (const auto& [name, old] : Functions(*before)) {
      const auto found = now.find(name);
      if (found == now.end()) continue;
      for (const Arity& was : old) {
        const bool fits = std::any_of(
            found->second.begin(), found->second.end(),
            [&was](const Arity& is) { return is.least <= was.least && is.most >= was.most; });
        if (!fits) names.insert(name);
      }
    }
  }
  return names;
}

}  // namespace stile
