// What code.refactor says, as text for the model and as JSON.
#ifndef STILE_TOOLS_CODE_REFACTOR_TEXT_H_
#define STILE_TOOLS_CODE_REFACTOR_TEXT_H_

#include <string>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/language/language.h"
#include "runtime/tool/tool.h"
#include "runtime/validation/diagnostic.h"
#include "tools/code/text_lookup.h"
#include "tools/edit/edit_plan.h"
#include "tools/index/references.h"
#include "tools/refactor/example_trial.h"
#include "tools/refactor/related_names.h"
#include "tools/refactor/rename_plan.h"
#include "tools/refactor/value_uses.h"

namespace stile {

Json ResultJson(bool applied, const EditPlan& plan, const std::vector<RenameCandidate>& uncertain);
Json ResultSchema();  // of that, with the member `validation`

// One line with the line of code.
std::string PlaceText(const RenameCandidate& candidate);
// "12 places in 3 files".
std::string Size(const EditPlan& plan);
// What the compiler made of it, or why it was not asked.
std::string Judgement(bool judged, const std::string& why);
// … or that it read none of the code that changed: `unread` as UnreadFiles gives it.
std::string Judgement(bool judged, const std::string& why, const EditPlan& plan,
                      const std::vector<std::string>& unread, const LanguageRegistry& languages);
// The diff, cut in the middle, with the file that has the whole.
std::string ShownDiff(const EditPlan& plan, const ToolContext& context);
// Judges that gave no answer, as text and as `data["validation"]["unanswered"]`; see ProbeReport.
void NoteUnanswered(const std::vector<std::string>& unanswered, std::string* text, Json* data);
// Changed files that the compiler did not read, as text and as `data["validation"]["unread"]`.
void NoteUnread(const std::vector<std::string>& unread, std::string* text, Json* data);
// The syntax errors that the plan introduced, as text and as `data["syntaxErrors"]`.
std::string NoteSyntax(const LanguageRegistry& languages, const EditPlan& plan, Json* data);
// Places, one a line, with a bound.
std::string Uses(const std::vector<Reference>& references);
void AppendErrors(const std::vector<Diagnostic>& errors, std::string* text);
// Names made from the old one that stayed, as text and as `data["related"]`.
void NoteRelated(const std::vector<RelatedName>& related, std::string* text, Json* data);
// What became of examples in documentation, as text and as `data["validation"]["examples"]`.
void NoteExamples(const ExampleOutcome& examples, std::string* text, Json* data);
// Places that values with renamed keys go to, as text and as `data["otherUses"]`.
void NoteOtherUses(const std::vector<ValueUse>& uses, std::string* text, Json* data);

// Comments and strings with the old name, as text and as `data["mentions"]`; lines of those that a
// program may look up, and of those in examples unless all of them compile.
void NoteMentions(const std::vector<TextMention>& mentions, bool examples_compile,
                  std::string* text, Json* data);
// Lines of files that are not code and name the symbol, as text and as `data["documents"]`.
void NoteDocuments(const TextLookup& documents, std::string* text, Json* data);
void AppendUncertain(const std::vector<RenameCandidate>& uncertain, std::string* text);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_REFACTOR_TEXT_H_
