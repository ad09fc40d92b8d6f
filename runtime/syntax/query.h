// Queries over syntax trees, as data: runtime/syntax/queries/<grammar>/<name>.scm, in tree-sitter's
// query language (https://tree-sitter.github.io/tree-sitter/using-parsers/queries). The predicates
// eq?, not-eq?, any-of?, match? and not-match? compare the text of a capture; match? takes RE2
// syntax.
// A file that begins with "; inherits: <grammar>" holds that grammar's query too, after
// its own.
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

  // The names of captures by TSQueryCapture::index; they live as long as the query.
  std::vector<absl::string_view> CaptureNames() const;

  // The matches whose predicates hold, one at a time and without an allocation for each: for
  // passes over whole files. Nodes deeper than kMaxDepth begin no match, and a text that takes far
  // more processor time than texts of its size do ends early; see exhausted(). `query`, `tree` and
  // what `text` views must outlive it.
  class Matches {
   public:
    static constexpr uint32_t kMaxDepth = 2000;

    Matches(const SyntaxQuery& query, const SyntaxTree& tree, absl::string_view text);
    Matches(const Matches&) = delete;
    Matches& operator=(const Matches&) = delete;

    // Null at the end; valid until the next call.
    const TSQueryMatch* Next();
    bool exhausted() const { return budget_.used_up; }

   private:
    struct Budget {
      int64_t deadline_ns = 0;
      uint32_t calls = 0;
      bool used_up = false;
    };
    struct CursorDeleter {
      void operator()(TSQueryCursor* cursor) const { ts_query_cursor_delete(cursor); }
    };
    const SyntaxQuery& query_;
    absl::string_view text_;
    Budget budget_;
    TSQueryCursorOptions options_{};
    std::unique_ptr<TSQueryCursor, CursorDeleter> cursor_;
    TSQueryMatch match_{};
  };

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
