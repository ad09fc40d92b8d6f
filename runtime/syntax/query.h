// Queries over syntax trees, as data: runtime/syntax/queries/<grammar>/<name>.scm, in tree-sitter's
// query language (https://tree-sitter.github.io/tree-sitter/using-parsers/queries). The predicates
// eq?, not-eq?, any-of?, match? and not-match? compare the text of a capture; match? takes RE2
// syntax.
// A file that begins with "; inherits: <grammar>" holds that grammar's query too.
#ifndef STILE_RUNTIME_SYNTAX_QUERY_H_
#define STILE_RUNTIME_SYNTAX_QUERY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/syntax_tree.h"

namespace stile {

// A compiled query of one grammar. Immutable, thread-safe.
class SyntaxQuery {
 public:
  struct Capture {
    absl::string_view name;  // lives as long as the query
    TSNode node;
  };

  // InvalidArgument with the place for a mistake in the query, an unknown node or predicate.
  static absl::StatusOr<std::unique_ptr<SyntaxQuery>> Compile(const Grammar& grammar,
                                                              absl::string_view source);
  ~SyntaxQuery();

  // Calls `use` with the captures of each match whose predicates hold, in the order of the text.
  // `text` is what `tree` was parsed from.
  void Run(const SyntaxTree& tree, absl::string_view text,
           const std::function<void(const std::vector<Capture>&)>& use) const;

 private:
  struct Predicate;
  SyntaxQuery();
  absl::Status ReadPredicates();
  bool Holds(const TSQueryMatch& match, absl::string_view text) const;

  struct Deleter {
    void operator()(TSQuery* query) const { ts_query_delete(query); }
  };
  std::unique_ptr<TSQuery, Deleter> query_;
  std::vector<std::vector<Predicate>> predicates_;  // by pattern
};

// The query `name` of a grammar, compiled on first use and kept. Null when the grammar has none. A
// query of ours that does not compile is a defect and ends the process.
const SyntaxQuery* FindQuery(const Grammar& grammar, absl::string_view name);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_QUERY_H_
