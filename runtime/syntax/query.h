// Queries over syntax trees, as data: runtime/syntax/queries/<grammar>/<name>.scm, in tree-sitter's
// query language as far as tree_pattern.h has it. The predicates eq?, not-eq?, any-of?, match? and
// not-match? compare the text of a capture; match? takes RE2 syntax. They are matched here and not
// by tree-sitter, whose cursor takes three times as long and which needs up to a tenth of a second
// to prepare a query. A file that begins with "; inherits: <grammar>" holds that grammar's query
// too, after its own.
#ifndef STILE_RUNTIME_SYNTAX_QUERY_H_
#define STILE_RUNTIME_SYNTAX_QUERY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/syntax/flat_tree.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/syntax/tree_pattern.h"

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

  // The names of captures by TSQueryCapture::index; they live as long as the query.
  std::vector<absl::string_view> CaptureNames() const;
  size_t pattern_count() const { return query_.patterns.size(); }

  // The matches whose predicates hold, one at a time, by the place of the node that the pattern
  // begins with and then by pattern: for passes over whole files. A part of a pattern without
  // captures is looked for once, not in every place. Nodes deeper than SyntaxTree::kMaxFlatDepth
  // match nothing, and a text that takes far more processor time than texts of its size do ends
  // early; see exhausted(). `query`, `tree` and what `text` views must outlive it.
  // One thing: one search through a tree; each match goes on where the last one ended.
  class Matches {
   public:
    Matches(const SyntaxQuery& query, const SyntaxTree& tree, absl::string_view text);
    Matches(const Matches&) = delete;
    Matches& operator=(const Matches&) = delete;

    // Null at the end; valid until the next call.
    const TSQueryMatch* Next();
    bool exhausted() const { return exhausted_; }

   private:
    struct Frame;
    struct Found {
      uint16_t pattern;
      size_t begin;  // in found_captures_
      size_t end;
    };
    bool Fits(uint32_t node, const TreePattern& pattern) const;
    bool HasLaterNamed(uint32_t node, uint32_t end) const;
    bool Step(const Frame& frame);
    bool TakePart(const Frame& frame, const TreePattern::Part& part, uint32_t node);
    void LookAt(uint32_t node);
    bool IsTimeUp();

    const SyntaxQuery& query_;
    const std::vector<FlatNode>& nodes_;
    const absl::string_view text_;
    const int64_t deadline_ns_;
    uint32_t steps_ = 0;
    bool exhausted_ = false;
    uint32_t at_ = 0;                       // the next node to look at
    uint16_t pattern_ = 0;                  // that is tried now
    std::vector<TSQueryCapture> captured_;  // by what of it has matched
    std::vector<TSQueryCapture> found_captures_;
    std::vector<Found> found_;
    size_t next_ = 0;  // of found_
    TSQueryMatch match_{};
  };

  // Calls `use` with the captures of each match whose predicates hold, in the order of the text.
  // `text` is what `tree` was parsed from.
  void Run(const SyntaxTree& tree, absl::string_view text,
           const std::function<void(const std::vector<Capture>&)>& use) const;

 private:
  friend const SyntaxQuery* FindQuery(const Grammar& grammar, absl::string_view name);
  struct Predicate;
  struct Root {
    uint16_t pattern;
    const TreePattern* alternative;
  };
  SyntaxQuery();
  absl::Status ReadPredicates();
  void FindRoots(const Grammar& grammar);
  const std::vector<Root>& RootsFor(const FlatNode& node) const;
  bool Holds(uint16_t pattern, const std::vector<TSQueryCapture>& captures,
             absl::string_view text) const;

  QueryPatterns query_;
  std::vector<std::vector<Predicate>> predicates_;  // by pattern
  std::vector<std::vector<Root>> roots_;            // patterns that may begin with a symbol
  std::vector<Root> roots_of_errors_;               // with a node of the symbol ERROR
};

// The text of the query `name` of a grammar with what it inherits; "" if there is none.
std::string QuerySource(const Grammar& grammar, absl::string_view name);

// The query `name` of a grammar, compiled on first use and kept. Null when the grammar has none. A
// query of ours that does not compile is a defect and ends the process.
const SyntaxQuery* FindQuery(const Grammar& grammar, absl::string_view name);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_QUERY_H_
