#include "validators/integrity/call_signatures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_language.h"
#include "validators/integrity/test_side.h"

namespace stile {
namespace {

constexpr int kAnyNumber = 1000;

// `count: int = 3`, `int count`, `a, b int`.
std::vector<std::string> NamesOfParameter(const TestCode& code, uint32_t parameter) {
  std::vector<std::string> names;
  const TestLanguageFacts& facts = code.language().facts();
  for (const CodeToken& token : code.Tokens(parameter)) {
    if (token.text == "=" || token.text == ":") break;
    if (!token.is_name || token.text == "mut") continue;
    if (facts.names_parameters_last) names.clear();
    names.push_back(token.text);
  }
  // The last word is the type.
  if (facts.parameters_share_types && names.size() > 1) {
    names.resize(std::max<size_t>(1, code.NamedChildren(parameter).size() - 1));
  } else if (names.size() > 1) {
    names.resize(1);
  }
  return names;
}

Signature SignatureOf(const TestCode& code, uint32_t parameters) {
  Signature signature;
  for (const uint32_t parameter : code.NamedChildren(parameters)) {
    const absl::string_view text = code.Text(parameter);
    if (text == "self" || text == "cls" || text == "&self" || text == "&mut self" ||
        text == "void" || text == "/" || text == "*") {
      continue;
    }
    const std::vector<std::string> names = NamesOfParameter(code, parameter);
    signature.parameters.insert(signature.parameters.end(), names.begin(), names.end());
    if (absl::StartsWith(text, "*") || absl::StrContains(text, "...")) {
      signature.most += kAnyNumber;
      continue;
    }
    const int count = std::max(1, static_cast<int>(names.size()));
    signature.most += count;
    const bool may_be_left_out = absl::StrContains(code.Type(parameter), "default") ||
                                 absl::StrContains(text, "=") ||
                                 absl::StrContains(code.Type(parameter), "optional");
    if (!may_be_left_out) signature.least += count;
  }
  return signature;
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

bool IsAsync(const TestCode& code, uint32_t function) {
  const uint32_t body = code.Child(function, "body");
  for (const CodeToken& token : code.TokensIn(function, body == 0 ? code.End(function) : body)) {
    if (token.text == "async") return true;
    if (token.text == "(") break;
  }
  return false;
}

// "Result < u32 , Error >", "( int , error )"; "" for nothing.
std::string ResultOf(const TestCode& code, uint32_t function) {
  for (const char* field : {"return_type", "result", "type", "returns"}) {
    const uint32_t type = code.Child(function, field);
    if (type == 0) continue;
    CodeTokens tokens = code.Tokens(type);
    while (!tokens.empty() && (tokens.front().text == "->" || tokens.front().text == ":")) {
      tokens.erase(tokens.begin());
    }
    const std::string text = JoinTokens(tokens);
    return text == "void" || text == "None" || text == "( )" ? "" : text;
  }
  return "";
}

// Whether `outer` is a type of `inner`: Result<u32, Error>, (u32, error), Promise<u32>.
bool Wraps(const std::string& outer, const std::string& inner) {
  static const RE2* const kOfNothing =
      new RE2(R"((?:\w+ :: )*(?:Result|Promise|Task|ValueTask|Future|error)\b.*)");
  if (inner.empty()) return Matches(outer, *kOfNothing);
  const size_t at = outer.find(inner);
  return outer != inner && at != std::string::npos &&
         Finds(absl::string_view(outer).substr(0, at), R"([<(\[] ?$)");
}

bool IsCalledAlike(const Signature& was, const Signature& is) {
  return is.least <= was.least && is.most >= was.most && is.is_async == was.is_async &&
         !Wraps(is.result, was.result) && !Wraps(was.result, is.result);
}

// Whether `is` has the parameters of `was`, or some of them.
bool IsLessOf(const Signature& is, const Signature& was) {
  size_t at = 0;
  for (const std::string& parameter : was.parameters) {
    if (at < is.parameters.size() && is.parameters[at] == parameter) ++at;
  }
  return at == is.parameters.size();
}

bool IsSame(const Signature& a, const Signature& b) {
  return a.least == b.least && a.most == b.most && a.parameters == b.parameters;
}

bool AnyTakes(const std::vector<Signature>& signatures, int arguments) {
  return std::any_of(signatures.begin(), signatures.end(),
                     [arguments](const Signature& one) { return one.Takes(arguments); });
}

}  // namespace

Signatures ReadSignatures(const TestCode& code) {
  Signatures functions;
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
    if (parameters == 0 && code.Child(function, "parameter") == 0) continue;
    Signature signature;
    if (parameters != 0) {
      signature = SignatureOf(code, parameters);
    } else {
      signature.least = signature.most = 1;
    }
    signature.is_async = IsAsync(code, function);
    signature.result = ResultOf(code, function);
    functions[name].push_back(std::move(signature));
  }
  return functions;
}

CallForms CallFormsIn(const CodeTokens& tokens) {
  CallForms forms;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is_name || tokens[i + 1].text != "(") continue;
    CodeTokens arguments;
    int depth = 0;
    for (size_t at = i + 1; at < tokens.size(); ++at) {
      const std::string& text = tokens[at].text;
      if (text == "(" || text == "[" || text == "{") ++depth;
      if (text == ")" || text == "]" || text == "}") --depth;
      if (depth == 0) break;
      if (at > i + 1) arguments.push_back(tokens[at]);
    }
    CallForm form;
    form.name = tokens[i].text;
    for (const CodeTokens& argument : SplitAtCommas(arguments)) {
      ++form.arguments;
      const bool is_keyword = argument.size() > 2 && argument[0].is_name &&
                              (argument[1].text == "=" || argument[1].text == ":");
      if (is_keyword) form.keywords.insert(argument[0].text);
    }
    forms.insert(std::move(form));
  }
  return forms;
}

GoneCalls::GoneCalls(const Signatures& before, const Signatures& after) {
  for (const auto& [name, was] : before) {
    const auto is = after.find(name);
    if (is == after.end()) continue;
    const bool adds_nothing =
        std::all_of(is->second.begin(), is->second.end(), [&was = was](const Signature& one) {
          return std::any_of(was.begin(), was.end(), [&one](const Signature& other) {
            return IsSame(one, other) ||
                   (one.parameters.size() < other.parameters.size() && IsLessOf(one, other));
          });
        });
    if (!adds_nothing) continue;
    Change change = {was, is->second, {}};
    for (const Signature& one : was) {
      change.parameters.insert(one.parameters.begin(), one.parameters.end());
    }
    for (const Signature& one : is->second) {
      for (const std::string& parameter : one.parameters) change.parameters.erase(parameter);
    }
    changes_[name] = std::move(change);
  }
}

bool GoneCalls::HasAny(const CallForms& forms) const {
  return std::any_of(forms.begin(), forms.end(), [this](const CallForm& form) {
    const auto change = changes_.find(form.name);
    if (change == changes_.end()) return false;
    const bool named = std::any_of(
        form.keywords.begin(), form.keywords.end(),
        [&](const std::string& word) { return change->second.parameters.count(word) > 0; });
    return named || (AnyTakes(change->second.before, form.arguments) &&
                     !AnyTakes(change->second.after, form.arguments));
  });
}

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
    const Signatures now = ReadSignatures(*after);
    for (const auto& [name, old] : ReadSignatures(*before)) {
      const auto found = now.find(name);
      if (found == now.end()) continue;
      for (const Signature& was : old) {
        const bool fits =
            std::any_of(found->second.begin(), found->second.end(),
                        [&was](const Signature& is) { return IsCalledAlike(was, is); });
        if (!fits) names.insert(name);
      }
    }
  }
  return names;
}

}  // namespace stile
