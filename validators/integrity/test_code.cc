#include "validators/integrity/test_code.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

// Long lists are of no interest: finding the fields of their children takes a while.
SymbolSet WithFields(const Grammar& grammar) {
  const std::vector<NodeRole>& roles = NodeRoles(grammar);
  SymbolSet set(roles.size(), true);
  for (uint32_t symbol = 0; symbol < roles.size(); ++symbol) {
    const absl::string_view name =
        ts_language_symbol_name(grammar.language, static_cast<TSSymbol>(symbol));
    if (roles[symbol] == NodeRole::kBlock || absl::StrContains(name, "list") || name == "array" ||
        name == "literal_value" || name == "token_tree" || name == "object") {
      set[symbol] = false;
    }
  }
  return set;
}

bool IsOpening(absl::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool IsClosing(absl::string_view text) { return text == ")" || text == "]" || text == "}"; }

}  // namespace

std::string JoinTokens(const CodeTokens& tokens, bool with_literals) {
  std::string joined;
  for (const CodeToken& token : tokens) {
    absl::StrAppend(&joined, joined.empty() ? "" : " ",
                    token.is_literal && !with_literals ? "#" : token.text);
  }
  return joined;
}

std::vector<CodeTokens> SplitAtCommas(const CodeTokens& tokens) {
  std::vector<CodeTokens> parts;
  int depth = 0;
  CodeTokens part;
  for (const CodeToken& token : tokens) {
    if (IsOpening(token.text)) ++depth;
    if (IsClosing(token.text)) --depth;
    if (depth == 0 && token.text == "," && !token.is_literal) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part.push_back(token);
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

CodeTokens WithoutBrackets(CodeTokens tokens) {
  while (tokens.size() >= 2 && IsOpening(tokens.front().text) && tokens.front().text == "(" &&
         tokens.back().text == ")") {
    int depth = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (IsOpening(tokens[i].text)) ++depth;
      if (IsClosing(tokens[i].text)) --depth;
      if (depth == 0) return tokens;  // (a) + (b)
    }
    tokens.erase(tokens.begin());
    tokens.pop_back();
  }
  return tokens;
}

std::set<std::string> WordsOf(const CodeTokens& tokens, bool literals) {
  std::set<std::string> words;
  for (const CodeToken& token : tokens) {
    if (token.is_name || (literals && token.is_literal)) words.insert(token.text);
  }
  return words;
}

std::multiset<std::string> LiteralsOf(const CodeTokens& tokens) {
  std::multiset<std::string> literals;
  for (const CodeToken& token : tokens) {
    if (token.is_literal) literals.insert(token.text);
  }
  return literals;
}

double Overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() || b.empty()) return 0;
  const auto common = std::count_if(a.begin(), a.end(),
                                    [&b](const std::string& word) { return b.count(word) > 0; });
  return static_cast<double>(common) / static_cast<double>(std::min(a.size(), b.size()));
}

std::multiset<std::string> Less(const std::multiset<std::string>& a,
                                const std::multiset<std::string>& b) {
  std::multiset<std::string> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

TestCode::TestCode(const Grammar& grammar, const TestLanguage& language, SyntaxTree tree,
                   absl::string_view text)
    : grammar_(&grammar),
      language_(&language),
      roles_(&NodeRoles(grammar)),
      tree_(std::move(tree)),
      text_(text),
      nodes_(tree_.Flat(WithFields(grammar))) {}

std::optional<TestCode> TestCode::Parse(const Grammar& grammar, absl::string_view text) {
  const TestLanguage* const language = FindTestLanguage(grammar.name);
  absl::StatusOr<SyntaxTree> tree = SyntaxTree::Parse(grammar, text);
  if (language == nullptr || !tree.ok()) return std::nullopt;
  return TestCode(grammar, *language, *std::move(tree), text);
}

NodeRole TestCode::Role(uint32_t i) const {
  const FlatNode& node = nodes_[i];
  return node.symbol < roles_->size() ? (*roles_)[node.symbol] : NodeRole::kNone;
}

std::vector<uint32_t> TestCode::Children(uint32_t i) const {
  std::vector<uint32_t> children;
  for (uint32_t child = i + 1; child < End(i); child = End(child)) {
    if (Role(child) != NodeRole::kComment) children.push_back(child);
  }
  return children;
}

std::vector<uint32_t> TestCode::NamedChildren(uint32_t i) const {
  std::vector<uint32_t> children;
  for (uint32_t child = i + 1; child < End(i); child = End(child)) {
    if (Role(child) != NodeRole::kComment && IsNamed(child)) children.push_back(child);
  }
  return children;
}

uint32_t TestCode::Child(uint32_t i, absl::string_view field) const {
  const TSFieldId id = ts_language_field_id_for_name(grammar_->language, field.data(),
                                                     static_cast<uint32_t>(field.size()));
  if (id == 0) return 0;
  for (uint32_t child = i + 1; child < End(i); child = End(child)) {
    if (nodes_[child].field == id) return child;
  }
  return 0;
}

CodeTokens TestCode::TokensIn(uint32_t begin, uint32_t end) const {
  CodeTokens tokens;
  for (uint32_t i = begin; i < end; ++i) {
    const NodeRole role = Role(i);
    if (role == NodeRole::kComment) {
      i = End(i) - 1;
      continue;
    }
    const bool is_whole = role == NodeRole::kString || role == NodeRole::kLiteral;
    if (!is_whole && End(i) != i + 1) continue;
    const absl::string_view text = Text(i);
    if (!text.empty()) {
      const bool is_name = !is_whole && (absl::ascii_isalpha(text[0]) || text[0] == '_');
      tokens.push_back({std::string(text), is_whole, is_name});
    }
    i = End(i) - 1;
  }
  return tokens;
}

}  // namespace stile
