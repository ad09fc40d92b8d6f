#include "tools/code/rename_operation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/code_text.h"
#include "tools/code/move_file_operation.h"
#include "tools/code/refactor_text.h"
#include "tools/code/text_lookup.h"
#include "tools/index/es_modules.h"
#include "tools/index/file_reading.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/capture_check.h"
#include "tools/refactor/go_modules.h"
#include "tools/refactor/marked_uses.h"
#include "tools/refactor/related_names.h"
#include "tools/refactor/rename.h"
#include "tools/refactor/resolved_symbol.h"
#include "tools/refactor/symbol_family.h"
#include "tools/refactor/twin_methods.h"
#include "tools/resolve/named_place.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 20;
constexpr size_t kMaxDocuments = 10;
constexpr size_t kMaxRelated = 20;
constexpr size_t kMaxTried = 60;  // of names made from the old one
constexpr absl::string_view kBySyntax = "syntax";
// A server that reads its project for the first time may need as long.
constexpr absl::Duration kPlaceTime = absl::Seconds(60);
constexpr absl::Duration kCaptureTime = absl::Seconds(15);

// Who told which places mean the symbol.
struct ResolvedBy {
  std::string name;        // kBySyntax, or a resolver
  std::string why_syntax;  // "": no resolver was wanted
};
std::string Text(const ResolvedBy& by) {
  return absl::StrCat("Resolved by: ", by.name,
                      by.why_syntax.empty() ? "" : absl::StrCat(" (", by.why_syntax, ")"), ".\n");
}

class RenameOperation {
 public:
  RenameOperation(const Json& arguments, const RefactorHost& host)
      : arguments_(arguments), host_(host) {}

  ToolResult Run(Resolution resolution) {
    const auto new_name = JsonString(arguments_, "newName");
    if (!new_name.has_value()) return ToolResult::Error("rename needs newName.");
    const std::string symbol = Describe(resolution.targets[0]);
    DropOtherVersions(&resolution, *host_.index);
    const Resolution declared = resolution;
    auto plan = RenamePlan::Make(std::move(resolution), *new_name, host_.index);
    if (!plan.ok()) return ToolResult::FromStatus(plan.status());
    plan->SetFollowsDocs(JsonBool(arguments_, "comments").value_or(true));
    const auto by_syntax = FindPlaces(declared, &*plan);
    if (!by_syntax.ok()) {
      const std::string said(by_syntax.status().message());
      return absl::IsFailedPrecondition(by_syntax.status())
                 ? ToolResult::Error(absl::StrCat("Nothing was changed: ", said))
                 : ToolResult::Fatal(by_syntax.status());
    }
    const std::set<DocExample> examples = plan->FindExamples(host_.index);
    const std::string doubt = DoubtOf(*plan);
    has_twin_ = MayReachTwin(plan->symbol(), host_.index);
    if (IsPreview(arguments_)) return Preview(symbol, *plan, *by_syntax);

    TentativeEdits edits = host_.NewEdits();
    const std::string resolved_by =
        plan->resolved() == nullptr ? std::string(kBySyntax) : plan->resolved()->resolver;
    std::optional<ResolvedSymbol> resolved;
    if (plan->resolved() != nullptr && !marked_.has_value()) resolved = *plan->resolved();
    CaptureCheck check(*new_name, host_.index, host_.resolvers);
    if (resolved.has_value()) {
      const absl::Status begun = check.Begin(declared.targets[0].file->path, kCaptureTime);
      if (!begun.ok()) return ToolResult::Fatal(begun);
    }
    auto outcome = ApplyRename(*std::move(plan), examples, host_.OracleFor(&edits));
    std::string refusal;
    std::string incomplete;
    if (outcome.ok() && outcome->applied) {
      auto checked =
          marked_.has_value() && outcome->judged
              ? CheckMarked(*outcome, *new_name, &edits)
              : CheckRenamed(*outcome, resolved, declared.targets[0].file->language, &check);
      if (!checked.ok()) return TakeBackFor(checked.status(), &edits);
      refusal = std::move(checked->capture);
      incomplete = absl::StrCat(doubt, doubt.empty() || checked->incomplete.empty() ? "" : "; ",
                                checked->incomplete);
    }
    if (auto failed =
            Settle(outcome.status(), outcome.ok() && outcome->applied && refusal.empty(), &edits)) {
      return *std::move(failed);
    }
    const bool is_done = outcome->applied && !outcome->plan.files().empty();
    if (!is_done) return Refused(symbol, declared.targets[0], *outcome);
    if (!refusal.empty()) return ToolResult::Error("Nothing was changed: " + refusal + ".");
    const auto documents = DocumentsOf(declared.targets[0]);
    if (!documents.ok()) return ToolResult::Fatal(documents.status());
    ToolResult result = Report(symbol, *new_name, *outcome, ResolvedBy{resolved_by, *by_syntax},
                               *documents, incomplete);
    if (JsonString(arguments_, "related") != "none") {
      AddRelated(declared, &result);
    }
    return result;
  }

 private:
  // Whether the symbol may override what was not found; "" where it does not.
  std::string DoubtOf(const RenamePlan& plan) {
    const auto bases = plan.UnknownBases(host_.index);
    if (bases.empty()) return "";
    return absl::StrCat("it is not known whether ", plan.old_name(), " overrides a member of ",
                        absl::StrJoin(bases, ", "), ", whose declaration was not found");
  }

  // Lines of documents that name the symbol. Only the file of a local can name it.
  absl::StatusOr<TextLookup> DocumentsOf(const Declaration& symbol) {
    if (symbol.symbol < 0) return TextLookup();
    const std::string owner =
        IsMember(symbol.AsSymbol().kind) ? LastComponent(symbol.AsSymbol().container) : "";
    const bool is_of_script =
        LanguageBackendOf(symbol.file->language.id).naming.literals_declare_members;
    return FindInDocuments(*host_.context, host_.index->languages(),
                           {symbol.name(), owner, is_of_script}, kMaxDocuments);
  }

  // Whether another symbol of the kind has the name.
  static bool HasNamesake(const Resolution& subject) {
    return std::any_of(subject.all.begin(), subject.all.end(), [&](const Declaration& other) {
      return !subject.IsTarget(*other.file, other.symbol) && AreAlike(subject.targets[0], other);
    });
  }

  // Names made from that of a renamed symbol: lists them, or renames each by itself.
  void AddRelated(const Resolution& subject, ToolResult* result) {
    if (!result->ok) return;
    const Declaration& symbol = subject.targets[0];
    const bool is_file_level = symbol.symbol >= 0 && !IsMember(symbol.AsSymbol().kind);
    std::vector<RelatedName> related = FindRelatedNames(
        {symbol.name(), *JsonString(arguments_, "newName"), is_file_level, HasNamesake(subject)},
        host_.index);
    if (JsonString(arguments_, "related").value_or("") != "apply") {
      NoteRelated(related, &result->text, &result->data);
      return;
    }
    // Each is looked up by its old name: members before their owners, symbols before their files.
    const auto depth = [](const RelatedName& name) {
      return name.symbol.empty() ? -1 : std::count(name.symbol.begin(), name.symbol.end(), '.');
    };
    std::stable_sort(
        related.begin(), related.end(),
        [&](const RelatedName& a, const RelatedName& b) { return depth(a) > depth(b); });
    std::vector<RelatedName> open;
    Json done = Json::array();
    size_t renamed_count = 0;
    for (RelatedName& name : related) {
      if (name.is_taken || renamed_count == kMaxRelated || done.size() == kMaxTried) {
        open.push_back(std::move(name));
        continue;
      }
      if (name.symbol.empty()) {
        const ToolResult moved = RunMoveFile(name.file, name.new_name, Json::object(), host_);
        if (!moved.fatal.ok()) {
          *result = moved;
          return;
        }
        NoteDone(name, moved, &result->text, &done);
        continue;
      }
      SymbolQuery query = ParseSymbolName(name.symbol);
      query.file = name.file;
      auto resolution = ResolvePlace(query, host_.index, host_.resolvers, kPlaceTime);
      if (absl::IsCancelled(resolution.status())) {
        *result = ToolResult::Fatal(resolution.status());
        return;
      }
      Json renaming = {{"newName", name.new_name}, {"related", "none"}};
      const ToolResult renamed = resolution.ok()
                                     ? RunRename(*std::move(resolution), renaming, host_)
                                     : ToolResult::FromStatus(resolution.status());
      if (!renamed.fatal.ok()) {
        *result = renamed;
        return;
      }
      renamed_count += renamed.ok ? 1 : 0;
      NoteDone(name, renamed, &result->text, &done);
    }
    NoteRelated(open, &result->text, &result->data);
    done.insert(done.end(), result->data["related"].begin(), result->data["related"].end());
    result->data["related"] = std::move(done);
  }

  // Adds the first line of a result to the answer.
  static void NoteDone(const RelatedName& name, const ToolResult& result, std::string* text,
                       Json* done) {
    const std::string said = result.text.substr(0, result.text.find('\n'));
    absl::StrAppend(text, said, "\n");
    Json entry = {{"newName", ToUtf8(name.new_name)}, {"result", said}};
    if (!name.symbol.empty()) entry["symbol"] = name.symbol;
    SetPath(&entry, "file", name.file);
    done->push_back(std::move(entry));
  }

  // What speaks against a rename that has been applied.
  absl::StatusOr<CaptureCheck::Result> CheckRenamed(const RenameOutcome& outcome,
                                                    const std::optional<ResolvedSymbol>& resolved,
                                                    const Language& language, CaptureCheck* check) {
    CaptureCheck::Result result;
    Json ignored;
    if (!outcome.judged && !NoteSyntax(host_.index->languages(), outcome.plan, &ignored).empty()) {
      result.capture = "it would break the syntax, and there is no compiler to ask";
    } else if (resolved.has_value()) {
      STILE_ASSIGN_OR_RETURN(result, check->End(outcome.plan, *resolved, kCaptureTime));
      if (!result.capture.empty()) absl::StrAppend(&result.capture, ". Choose another newName");
      // A compiler that sees types would miss a place.
      const bool is_open = !outcome.judged || IsGradual(language);
      if (is_open && !resolved->partial.empty()) {
        absl::StrAppend(&result.incomplete, result.incomplete.empty() ? "" : "; ",
                        resolved->partial);
      }
    }
    return result;
  }

  static ToolResult TakeBackFor(const absl::Status& status, TentativeEdits* edits) {
    const auto foreign = edits->TakeBack();
    return ToolResult::Fatal(foreign.ok() ? status : foreign.status());
  }

  // As AskResolver. FailedPrecondition also where no resolver answers and calls cannot be told
  // apart, or a documentation test would call the renamed member in place of another.
  absl::StatusOr<std::string> FindPlaces(const Resolution& declared, RenamePlan* plan) {
    const std::string captured = CapturedExample(plan->symbol(), plan->new_name(), host_.index);
    if (!captured.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("a documentation test calls ", plan->new_name(), " at ", captured,
                       ", and would get the renamed member. Choose another newName"));
    }
    STILE_ASSIGN_OR_RETURN(std::string by_syntax, AskResolver(declared, plan));
    if (plan->resolved() != nullptr) return by_syntax;
    if (declared.targets[0].symbol >= 0 && IsExportAlias(declared.targets[0])) {
      return absl::FailedPreconditionError(absl::StrCat(
          "only a language server knows which places mean a name that an export gives (", by_syntax,
          ")"));
    }
    STILE_ASSIGN_OR_RETURN(const bool is_marked, AskCompiler(plan));
    if (is_marked) return "";
    const std::string undecided = UndecidedCalls(plan->symbol(), plan->candidates());
    if (!undecided.empty()) return absl::FailedPreconditionError(undecided);
    return by_syntax;
  }

  // Asks the compiler for uses by its warnings, and gives them to the plan. False if it gave none.
  // A preview asks nothing, because asking changes files for a moment.
  absl::StatusOr<bool> AskCompiler(RenamePlan* plan) {
    if (IsPreview(arguments_)) return false;
    // The index reads the files when the answer is there: they have to be as they were.
    const auto probe = [this](const EditPlan& marks) -> absl::StatusOr<ProbeReport> {
      TentativeEdits edits = host_.NewEdits();
      auto report = ProbeUnder(&edits)(marks);
      const bool is_changed = !StillHolds(marks);
      STILE_ASSIGN_OR_RETURN(const std::vector<std::string> foreign, edits.TakeBack());
      for (const std::string& path : foreign) STILE_RETURN_IF_ERROR(TakeMarksOut(path));
      if (is_changed) return absl::UnavailableError("files changed while the compiler was asked");
      return report;
    };
    auto resolved = ResolveByMarks(*plan, probe, host_.index);
    // What keeps the files from being marked keeps them from being renamed, too, and is said then.
    const bool is_silent =
        absl::IsUnimplemented(resolved.status()) || absl::IsUnavailable(resolved.status()) ||
        absl::IsAborted(resolved.status()) || absl::IsPermissionDenied(resolved.status());
    if (is_silent) return false;
    STILE_RETURN_IF_ERROR(resolved.status());
    marked_ = *std::move(resolved);
    STILE_RETURN_IF_ERROR(plan->Adopt(marked_->symbol, host_.index));
    return true;
  }

  bool StillHolds(const EditPlan& plan) const {
    return std::all_of(plan.files().begin(), plan.files().end(), [&](const auto& entry) {
      const auto text = host_.context->file_system->ReadFile(
          JoinPath(host_.context->workspace, entry.first), kMaxCodeBytes);
      return text.ok() && *text == entry.second.After();
    });
  }

  // Of a file that somebody else changed while it was marked: the rest is theirs.
  absl::Status TakeMarksOut(const std::string& path) const {
    const Language* const language = host_.index->languages().OfFile(path);
    if (language == nullptr) return absl::OkStatus();
    const std::string& mark = LanguageBackendOf(language->id).naming.deprecation_mark;
    const std::string absolute = JoinPath(host_.context->workspace, path);
    STILE_ASSIGN_OR_RETURN(const std::string text,
                           host_.context->file_system->ReadFile(absolute, kMaxCodeBytes));
    if (mark.empty() || !absl::StrContains(text, mark)) return absl::OkStatus();
    return WriteFileAtomically(host_.context->file_system, absolute,
                               absl::StrReplaceAll(text, {{mark, ""}}));
  }

  // A question to the compiler for which the edits of a plan are in the files.
  DeprecatedProbe ProbeUnder(TentativeEdits* edits) const {
    return [this, edits](const EditPlan& marks) -> absl::StatusOr<ProbeReport> {
      STILE_RETURN_IF_ERROR(TryPlan(marks, host_.OracleFor(edits)));
      return host_.service->ProbeDeprecated(marks.NewPaths());
    };
  }

  // Whether uses mean something else after a rename by a compiler's warnings.
  absl::StatusOr<CaptureCheck::Result> CheckMarked(const RenameOutcome& outcome,
                                                   const std::string& new_name,
                                                   TentativeEdits* edits) {
    CaptureCheck::Result result;
    const auto changed = CheckByMarks(*marked_, outcome.plan, new_name, ProbeUnder(edits));
    if (absl::IsUnavailable(changed.status())) {
      result.incomplete = absl::StrCat("what uses mean now: ", changed.status().message());
    } else {
      STILE_RETURN_IF_ERROR(changed.status());
      if (!changed->empty()) result.capture = *changed + ". Choose another newName";
    }
    STILE_RETURN_IF_ERROR(TryPlan(outcome.plan, host_.OracleFor(edits)));
    return result;
  }

  // Gives the plan what a resolver knows. Returns the reason for which the resolver of the language
  // did not answer; "" if it did, or if there is none. FailedPrecondition: the symbol cannot be
  // renamed.
  absl::StatusOr<std::string> AskResolver(const Resolution& declared, RenamePlan* plan) {
    if (host_.resolvers == nullptr) return "";
    auto resolved = ResolveSymbol(declared, plan->new_name(), plan->UnboundPlaces(), host_.index,
                                  host_.resolvers);
    if (absl::IsCancelled(resolved.status()) || absl::IsFailedPrecondition(resolved.status())) {
      return resolved.status();
    }
    if (resolved.ok()) {
      const absl::Status adopted = plan->Adopt(*std::move(resolved), host_.index);
      if (adopted.ok()) return "";
      resolved = adopted;
    }
    // A language without a resolver is no news.
    if (absl::IsUnimplemented(resolved.status())) return "";
    const std::string why(resolved.status().message());
    if (host_.context->on_fallback) {
      host_.context->on_fallback(absl::StrCat("Names were resolved by syntax: ", why, "."));
    }
    return why;
  }

  ToolResult Preview(const std::string& symbol, const RenamePlan& plan,
                     const std::string& why_syntax) {
    const ResolvedSymbol* const resolved = plan.resolved();
    const std::string partial = resolved == nullptr ? "" : resolved->partial;
    std::vector<RenameCandidate> uncertain;
    for (const RenameCandidate& candidate : plan.candidates()) {
      // What an incomplete answer lacks may be a declaration of the symbol.
      const bool is_open = !candidate.is_renamed && !candidate.is_resolved &&
                           (!candidate.is_other_declaration || !partial.empty());
      if (is_open || candidate.is_left_unseen()) uncertain.push_back(candidate);
    }
    const ResolvedBy by{resolved == nullptr ? std::string(kBySyntax) : resolved->resolver,
                        why_syntax};
    const EditPlan edits = plan.Edits();
    std::string text = absl::StrCat("Would rename ", symbol, " to ", plan.new_name(), ": ",
                                    Size(edits), " for certain. Nothing was changed.\n", Text(by));
    if (!partial.empty()) {
      absl::StrAppend(&text, "Places may be missing: ", partial, ".\n");
    }
    if (!uncertain.empty()) {
      absl::StrAppend(&text, "About ", Count(uncertain.size(), "place"),
                      " more the compiler would be asked:\n");
      for (size_t i = 0; i < uncertain.size() && i < kMaxListed; ++i) {
        absl::StrAppend(&text, PlaceText(uncertain[i]));
      }
    }
    Json data = ResultJson(false, edits, uncertain);
    if (!partial.empty()) data["partial"] = partial;
    const auto documents = DocumentsOf(plan.symbol().targets[0]);
    if (!documents.ok()) return ToolResult::Fatal(documents.status());
    NoteDocuments(*documents, &text, &data);
    absl::StrAppend(&text, ShownDiff(edits, *host_.context));
    data["resolvedBy"] = by.name;
    return ToolResult::Success(std::move(text), std::move(data));
  }

  ToolResult Report(const std::string& symbol, const std::string& new_name,
                    const RenameOutcome& outcome, const ResolvedBy& by, const TextLookup& documents,
                    const std::string& incomplete) {
    std::string text =
        absl::StrCat("Renamed ", symbol, " to ", new_name, ": ", Size(outcome.plan), ". ",
                     Judgement(outcome.judged, outcome.unjudged, outcome.plan, outcome.unread,
                               host_.index->languages()),
                     Text(by));
    if (!incomplete.empty()) absl::StrAppend(&text, "Not checked: ", incomplete, ".\n");
    Json data = ResultJson(true, outcome.plan, outcome.uncertain);
    data["validation"] = {{"judged", outcome.judged}, {"rounds", outcome.rounds}};
    NoteUnanswered(outcome.unanswered, &text, &data);
    NoteUnread(outcome.unread, &text, &data);
    AppendUncertain(outcome.uncertain, &text);
    NoteOtherUses(outcome.other_uses, &text, &data);
    data["resolvedBy"] = by.name;
    NoteExamples(outcome.examples, &text, &data);
    const bool examples_compile = outcome.examples.judged && outcome.examples.errors.empty() &&
                                  outcome.examples.known_errors == 0 && !has_twin_;
    NoteMentions(outcome.mentions, examples_compile, &text, &data);
    NoteDocuments(documents, &text, &data);
    // A tree may be wrong about code that a compiler accepts.
    const std::string syntax = NoteSyntax(host_.index->languages(), outcome.plan, &data);
    absl::StrAppend(&text, outcome.judged ? "" : syntax, ShownDiff(outcome.plan, *host_.context));
    if (!outcome.judged) data["validation"]["message"] = outcome.unjudged;
    if (!incomplete.empty()) data["validation"]["unchecked"] = incomplete;
    return ToolResult::Success(std::move(text), std::move(data));
  }

  // The first file of the workspace that is of no known language and has an error about the name,
  // such as an included `.inc`; "": none.
  std::string UnreadFileOf(const std::vector<Diagnostic>& errors, const std::string& name) const {
    for (const Diagnostic& error : errors) {
      if (error.file.empty() || absl::StartsWith(error.file, "/")) continue;
      if (HoldsWord(error.message, name) &&
          host_.index->languages().OfFile(error.file) == nullptr) {
        return error.file;
      }
    }
    return "";
  }

  ToolResult Refused(const std::string& symbol, const Declaration& declared,
                     const RenameOutcome& outcome) {
    if (outcome.applied) {
      const bool has_macros = LanguageBackendOf(declared.file->language.id).generation.has_includes;
      return ToolResult::Error(absl::StrCat(
          "Nothing was changed: ",
          has_macros
              ? absl::StrCat("no place of ", symbol, " can be edited; a macro may build the name. ")
              : absl::StrCat("the language server names no place of ", symbol,
                             " that can be edited. "),
          "Use file.modify"));
    }
    if (!outcome.unjudged.empty()) {
      return ToolResult::Error(
          absl::StrCat("Nothing was changed: the compiler gave no answer. ", outcome.unjudged));
    }
    const bool may_be_generated = !outcome.breaks_style && declared.symbol >= 0;
    const auto templates = may_be_generated
                               ? FindInTemplates(*host_.context, host_.index->languages(),
                                                 declared.name(), kMaxDocuments)
                               : TextLookup();
    if (!templates.ok()) return ToolResult::Fatal(templates.status());
    const std::string unread = UnreadFileOf(outcome.errors, declared.name());
    std::string text = absl::StrCat("Nothing was changed: ");
    absl::StrAppend(
        &text,
        outcome.breaks_style
            ? absl::StrCat("a rule of the project for the style of names refuses the new name of ",
                           symbol, ". Choose another newName.")
        : outcome.is_external && unread.empty()
            ? absl::StrCat(symbol, " has its name from outside of the project (it overrides or ",
                           "implements what a library declares, or the language looks it up",
                           templates->total > 0 ? ", or generated code names it" : "",
                           "), so it cannot have another.")
        : !unread.empty()
            ? absl::StrCat("the compiler finds the old name in ", DisplayPath(unread),
                           ", which is no file of a known language, so ", symbol,
                           " cannot be renamed there.")
            : absl::StrCat(
                  "the compiler does not accept ", symbol, " under the new name, ",
                  "whatever is renamed with it. Generated code, or its text, may name it."),
        " What the compiler said last:\n");
    AppendErrors(outcome.errors, &text);
    Json ignored;
    NoteDocuments(*templates, &text, &ignored);
    if (!outcome.breaks_style) absl::StrAppend(&text, "Use file.modify if this is wrong.");
    return ToolResult::Error(std::move(text));
  }

  const Json& arguments_;
  const RefactorHost& host_;
  bool has_twin_ = false;             // see MayReachTwin
  std::optional<MarkedUses> marked_;  // what a compiler told of the places, by its warnings
};

}  // namespace

ToolResult RunRename(Resolution resolution, const Json& arguments, const RefactorHost& host) {
  return RenameOperation(arguments, host).Run(std::move(resolution));
}

}  // namespace stile
