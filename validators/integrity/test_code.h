// A code file as nodes with roles and as tokens, for reading its tests.
#ifndef STILE_VALIDATORS_INTEGRITY_TEST_CODE_H_
#define STILE_VALIDATORS_INTEGRITY_TEST_CODE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"
#include "validators/integrity/test_roles.h"

namespace stile {

class TestLanguage;

struct CodeToken {
  std::string text;
  bool is_literal = false;  // a number, a string, true, null
  bool is_name = false;     // an identifier
};
using CodeTokens = std::vector<CodeToken>;

// The tokens with blanks between them. With `with_literals` false each literal is "#".
std::string JoinTokens(const CodeTokens& tokens, bool with_literals = true);

// Tokens between commas that stand in no bracket.
std::vector<CodeTokens> SplitAtCommas(const CodeTokens& tokens);

// Without the brackets that enclose all of it.
CodeTokens WithoutBrackets(CodeTokens tokens);

// The names in it, and the literals too if they are asked for.
std::set<std::string> WordsOf(const CodeTokens& tokens, bool literals);
std::multiset<std::string> LiteralsOf(const CodeTokens& tokens);

// How much of the smaller set the other holds: 0 to 1.
double Overlap(const std::set<std::string>& a, const std::set<std::string>& b);
// What `a` holds more of than `b`.
std::multiset<std::string> Less(const std::multiset<std::string>& a,
                                const std::multiset<std::string>& b);

// One parsed file. Movable; views the text it was made of. Not thread-safe.
class TestCode {
 public:
  // nullopt if the text cannot be parsed, or if FindTestLanguage does not know the grammar.
  static std::optional<TestCode> Parse(const Grammar& grammar, absl::string_view text);

  const Grammar& grammar() const { return *grammar_; }
  const TestLanguage& language() const { return *language_; }
  const SyntaxTree& tree() const { return tree_; }
  absl::string_view text() const { return text_; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t End(uint32_t i) const { return nodes_[i].end; }
  TSNode Node(uint32_t i) const { return nodes_[i].node; }
  NodeRole Role(uint32_t i) const;
  bool IsNamed(uint32_t i) const { return nodes_[i].is_named; }
  absl::string_view Type(uint32_t i) const { return ts_node_type(nodes_[i].node); }
  absl::string_view Text(uint32_t i) const { return TextOf(nodes_[i].node, text_); }
  uint32_t BeginByte(uint32_t i) const { return ts_node_start_byte(nodes_[i].node); }
  uint32_t EndByte(uint32_t i) const { return ts_node_end_byte(nodes_[i].node); }
  int Line(uint32_t i) const {
    return static_cast<int>(ts_node_start_point(nodes_[i].node).row) + 1;
  }
  // The children that are no comments, named or not.
  std::vector<uint32_t> Children(uint32_t i) const;
  std::vector<uint32_t> NamedChildren(uint32_t i) const;
  // The child of that field; 0 if there is none.
  uint32_t Child(uint32_t i, absl::string_view field) const;
  // The tokens of nodes [i, end): without comments, strings in one piece.
  CodeTokens Tokens(uint32_t i) const { return TokensIn(i, End(i)); }
  CodeTokens TokensIn(uint32_t begin, uint32_t end) const;

 private:
  TestCode(const Grammar& grammar, const TestLanguage& language, SyntaxTree tree,
           absl::string_view text);
  const Grammar* grammar_;
  const TestLanguage* language_;
  const std::vector<NodeRole>* roles_;
  SyntaxTree tree_;
  absl::string_view text_;
  std::vector<FlatNode> nodes_;  // own ones: others flatten the tree with other fields
};

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_TEST_CODE_H_
