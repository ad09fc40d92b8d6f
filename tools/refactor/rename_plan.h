// What a rename would touch, before any compiler is asked.
#ifndef STILE_TOOLS_REFACTOR_RENAME_PLAN_H_
#define STILE_TOOLS_REFACTOR_RENAME_PLAN_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/validation/doc_example.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/references.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/doc_places.h"
#include "tools/refactor/rename_candidate.h"
#include "tools/refactor/resolved_symbol.h"

namespace stile {

// The old name in a comment or a string, or a part of it in a macro that makes names of parts.
struct TextMention {
  std::shared_ptr<const SourceFile> file;
  uint32_t begin = 0;
  // A program may look it up: it ends a text in quotes, alone or behind a dot; or a macro makes it.
  bool is_quoted = false;
  bool is_example = false;  // in documentation that may be compiled and run as a test
};

// Thread-compatible; holds no references into the index.
class RenamePlan {
 public:
  // FailedPrecondition with the candidates when the resolution is ambiguous, or with the reason
  // when the name cannot be given; InvalidArgument when it is no identifier.
  static absl::StatusOr<RenamePlan> Make(Resolution resolution, std::string new_name,
                                         CodeIndex* index);

  // Takes over what a resolver knows. Candidates that it did not see stay as they are, but are no
  // longer guessed: IsResolved.
  absl::Status Adopt(ResolvedSymbol resolved, CodeIndex* index);
  // Null where no resolver answered.
  const ResolvedSymbol* resolved() const { return resolved_.has_value() ? &*resolved_ : nullptr; }

  const std::string& old_name() const { return old_name_; }
  const std::string& new_name() const { return new_name_; }
  const Resolution& symbol() const { return symbol_; }
  std::vector<RenameCandidate>& candidates() { return candidates_; }
  const std::vector<RenameCandidate>& candidates() const { return candidates_; }
  // Candidates that no syntax tree takes for the symbol, each with the text that stands there if it
  // is renamed.
  std::map<CodeRange, std::string> UnboundPlaces() const;

  // Sets a candidate and its group; a stranger that is renamed becomes part of the symbol, and what
  // means it is classified anew.
  void Set(size_t candidate, bool renamed);
  // A place that a compiler names and that is no candidate yet: the old name on `line` (1-based),
  // nearest to `column` (in bytes; 0: unknown) of the file as it was. It is renamed. False where
  // the line has no such place. `in_example`: the place has to be in an example of documentation.
  bool AddPlace(const std::string& path, int line, int column, bool in_example = false);
  // The old name at `begin` of a file that is not code, such as README.md, and whose content is
  // `text`. It is renamed.
  void AddDocumentPlace(const std::string& path, const std::string& text, uint32_t begin);
  // Every candidate that is likely only, with `renamed`; texts and strangers stay as they are.
  void SetLikely(const std::function<bool(const RenameCandidate&)>& renamed);

  // Whether the symbol's documentation is changed with it (see doc_mentions.h). Default: true.
  void SetFollowsDocs(bool follows) { follows_docs_ = follows; }

  // The edits for what is renamed. With `instead`, candidates for which `asked` holds get that name
  // (for questions to a compiler).
  EditPlan Edits() const { return Edits("", nullptr); }
  EditPlan Edits(const std::string& instead,
                 const std::function<bool(const RenameCandidate&)>& asked) const;

  // Of a method, where no compiler would object: types above its own that are not in the workspace,
  // and of which nothing is known. It may override one of theirs.
  std::set<std::string> UnknownBases(CodeIndex* index) const;

  // Examples in documentation that may name the symbol; none where documentation stays.
  std::set<DocExample> FindExamples(CodeIndex* index) const;

  // What stands at a candidate that is renamed to `name`.
  std::string ReplacementOf(const RenameCandidate& candidate, const std::string& name) const;

  // The old name in comments and strings that stay, and macros that may make it.
  std::vector<TextMention> Mentions() const;

 private:
  void Classify(const std::set<std::pair<std::string, uint32_t>>& decided_in,
                const std::set<std::pair<std::string, uint32_t>>& decided_out);
  void ApplyResolved();
  void AddTexts();
  void AddDocExamples();
  // Places in the symbol's documentation that are not among the candidates.
  std::set<DocPlace> DocPlaces() const;

  Resolution symbol_;
  std::string old_name_;
  std::string new_name_;
  std::string crate_;  // see DocExamples
  bool follows_docs_ = true;
  std::vector<RenameCandidate> candidates_;
  std::vector<RenameCandidate> added_;  // by AddPlace
  // Of which no scope tells whether they mean the symbol: MembersOfModules, PassedByName,
  // QuotedKeys.
  std::vector<RenameCandidate> unbound_;
  struct Document {
    std::string text;
    std::set<uint32_t> places;
  };
  std::map<std::string, Document> documents_;  // by path
  std::optional<ResolvedSymbol> resolved_;
  std::map<std::string, std::shared_ptr<const SourceFile>> resolved_files_;  // by path
};

// Why the symbol cannot have the name `new_name`: something else is, or would be, meant by it.
// "" when nothing speaks against it.
std::string NameConflict(const Resolution& symbol, const std::vector<RenameCandidate>& candidates,
                         const std::string& new_name, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RENAME_PLAN_H_
