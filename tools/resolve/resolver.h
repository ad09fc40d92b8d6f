// Programs that resolve names: language servers and compiler services. They know which declaration
// a name means; syntax trees (tools/index) only guess it.
#ifndef STILE_TOOLS_RESOLVE_RESOLVER_H_
#define STILE_TOOLS_RESOLVE_RESOLVER_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stile {

// A place in a file of the workspace, in bytes of the file's text as it is on disk.
struct CodePlace {
  std::string path;  // relative to the workspace; absolute for a file of a library
  uint32_t offset = 0;

  bool operator==(const CodePlace&) const = default;
  bool operator<(const CodePlace& other) const {
    return std::tie(path, offset) < std::tie(other.path, other.offset);
  }
};

struct CodeRange {
  std::string path;  // relative to the workspace
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const CodeRange&) const = default;
  bool operator<(const CodeRange& other) const {
    return std::tie(path, begin, end) < std::tie(other.path, other.begin, other.end);
  }
};

// A line outside of the workspace, such as in a library.
struct OutsidePlace {
  std::string path;  // absolute; a URI where it is no file
  int line = 0;      // 1-based

  bool operator==(const OutsidePlace&) const = default;
  bool operator<(const OutsidePlace& other) const {
    return std::tie(path, line) < std::tie(other.path, other.line);
  }
};

struct ResolvedPlaces {
  std::vector<CodeRange> ranges;      // in the workspace; sorted, each once
  std::vector<OutsidePlace> outside;  // sorted, each once
  // The reason for which places may be missing, such as an index that is not complete; "": none.
  std::string partial;
};

struct ResolvedEdit {
  CodeRange range;
  std::string text;  // stands there afterwards
};

struct ResolvedEdits {
  std::vector<ResolvedEdit> edits;  // sorted; they do not overlap
  std::string partial;              // as in ResolvedPlaces
};

// An error, a warning or a hint of the resolver's own check of a file.
struct ResolvedProblem {
  CodeRange range;
  bool is_error = false;
  bool is_unused = false;  // the code there can go: nothing uses what it declares or imports
  std::string code;        // "2304", "reportUndefinedVariable"; "": none
  std::string message;
};

// A change that a resolver offers. Its edits are all in the file that was asked about.
struct OfferedChange {
  std::string title;                // "Add import from \"./shape.js\""
  bool is_preferred = false;        // the resolver says that nothing else is meant
  std::vector<ResolvedEdit> edits;  // as in ResolvedEdits
};

struct OfferedChanges {
  std::vector<OfferedChange> changes;  // the best first
  // Titles of changes that were not asked for: they invent code, or move it about.
  std::vector<std::string> other_titles;
};

// Every call blocks until the answer is there or the time of the resolver is up. It sees the files
// as they were at the last Refresh (ResolverPool::For does that). Answers are checked: ranges lie
// within files of the workspace, edits do not overlap. Errors:
//
//   Unimplemented       the resolver does not offer this
//   FailedPrecondition  it refuses, with its reason
//   NotFound            the build leaves out the file that is asked about (build constraints)
//   DeadlineExceeded    no answer in time
//   Unavailable         it ended, or broke the protocol; it is of no further use
//   Internal            it failed at this question
//   DataLoss            its answer is wrong (outside of a file, overlapping edits)
//   Cancelled           the run was cancelled
//
// Not thread-safe.
class Resolver {
 public:
  virtual ~Resolver() = default;

  // "gopls 0.5.0"; only the name where the program does not tell its version.
  virtual const std::string& name() const = 0;
  // How long each call from now on waits at most. The first answer of csharp-ls may take three
  // times as long (LanguageServerSpec::first_answer_factor). A resolver that reads its project for
  // the first time goes on with that after a DeadlineExceeded, and a later call finds it ready.
  virtual void SetTimeLimit(absl::Duration limit) = 0;
  // Why it may miss places of the file that is asked about from now on; "": it does not.
  virtual void SetLimitation(std::string reason) = 0;
  // OK, or the reason for which it is of no further use.
  virtual absl::Status status() const = 0;
  // Shows it the files as they are on disk now. False where it has to be started anew for that, or
  // is of no further use.
  virtual bool Refresh() = 0;
  // Whether a rename that it refuses is impossible, and not only more than it can do.
  virtual bool RefusalIsFinal() const = 0;
  // Whether Rename covers what overrides or implements the symbol, and what it overrides.
  virtual bool RenamesOverrides() const = 0;
  // Whether Definition answers with a guess where the code is not compiled (inactive branches,
  // macros, templates).
  virtual bool GuessesDefinitions() const = 0;
  // Whether its answers are complete: a place that it does not name means something else, even if
  // scope binds the name there. If false, it may skip quoted names.
  virtual bool NamesEveryPlace() const = 0;

  // `users`: files that hold the name. Some resolvers look only at projects of which they were
  // shown a file.
  virtual absl::StatusOr<ResolvedPlaces> References(const CodePlace& place,
                                                    const std::vector<std::string>& users) = 0;
  virtual absl::StatusOr<ResolvedPlaces> Definition(const CodePlace& place) = 0;
  // Of a definition: what declares it elsewhere, such as a prototype in a header.
  virtual absl::StatusOr<ResolvedPlaces> Declarations(const CodePlace& place) = 0;
  // Of an interface or a method: what implements or overrides it.
  virtual absl::StatusOr<ResolvedPlaces> Implementations(const CodePlace& place) = 0;
  // Type, signature and documentation of the symbol at `place`, as Markdown. "" if it knows none.
  virtual absl::StatusOr<std::string> Hover(const CodePlace& place) = 0;
  virtual absl::StatusOr<ResolvedEdits> Rename(const CodePlace& place, const std::string& new_name,
                                               const std::vector<std::string>& users) = 0;

  // What it finds wrong in a file, in the order of the text.
  virtual absl::StatusOr<std::vector<ResolvedProblem>> Problems(const std::string& path) = 0;
  // The changes that mend its problems on the lines of the range. With a title: the changes that
  // bear it, whether they mend or do something else.
  virtual absl::StatusOr<OfferedChanges> Fixes(const CodeRange& range,
                                               const std::string& title) = 0;
  // Removes imports of which there is no use, and puts the rest in order. No edits: all is well.
  virtual absl::StatusOr<std::vector<ResolvedEdit>> OrganizeImports(const std::string& path) = 0;
  // The names that may stand at `place`, where an identifier begins, whatever stands there now.
  virtual absl::StatusOr<std::vector<std::string>> Completions(const CodePlace& place) = 0;
};

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_RESOLVER_H_
