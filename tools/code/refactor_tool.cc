// code.refactor: plans a change, tries it out, lets the compilers decide what a syntax tree cannot
// know, and keeps either all of it or nothing.
#include "tools/code/refactor_tool.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/output_spill.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/tentative_edits.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/code_text.h"
#include "tools/code/refactor_text.h"
#include "tools/refactor/capture_check.h"
#include "tools/refactor/change_signature.h"
#include "tools/refactor/compiler_fix.h"
#include "tools/refactor/extract_interface.h"
#include "tools/refactor/extract_method.h"
#include "tools/refactor/extract_variable.h"
#include "tools/refactor/move_type.h"
#include "tools/refactor/oracle.h"
#include "tools/refactor/rename.h"
#include "tools/refactor/resolved_symbol.h"
#include "tools/refactor/resolved_uses.h"
#include "tools/refactor/safe_delete.h"
#include "tools/resolve/named_place.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 20;
constexpr absl::string_view kBySyntax = "syntax";
// A server that reads its project for the first time may need as long.
constexpr absl::Duration kPlaceTime = absl::Seconds(60);
constexpr absl::Duration kCaptureTime = absl::Seconds(15);

class CodeRefactorTool : public Tool {
 public:
  CodeRefactorTool(ValidationService* service, CodeIndex* index, ResolverPool* resolvers)
      : service_(service), index_(index), resolvers_(resolvers) {
    spec_.name = "code.refactor";
    spec_.description = "Change code by meaning in all files at once; the compiler has a say.";
    spec_.parameters = ObjectSchema(
        {{"operation",
          EnumSchema({"rename", "extract_method", "extract_variable", "extract_interface",
                      "move_type", "safe_delete", "change_signature", "apply_fix"},
                     "What to do. apply_fix applies the compiler's own fix of an error."),
          true},
         Optional("filePath", "string",
                  "File of the symbol, the lines or the error; needed by extract_method, "
                  "extract_variable and apply_fix."),
         Optional("symbolName", "string",
                  "Symbol to change: name or Owner.name. extract_variable: the expression."),
         Optional("newName", "string",
                  "The new name. move_type: the new file. change_signature: the new parameters, "
                  "such as (a: int, b: int = 0)."),
         Optional("startLine", "integer", "First line to extract."),
         Optional("endLine", "integer", "Last line to extract, inclusive; default: startLine."),
         Optional("line", "integer", "Line of the symbol or error in filePath."),
         Optional("comments", "boolean", "rename: also in the symbol's documentation.", true),
         Optional("preview", "boolean", "Show the changes, make none.", false)});
    spec_.output = ResultSchema();
    spec_.permission_argument = "filePath";
    spec_.argument_aliases = QueryAliases();
    for (const char* name :
         {"to", "newSymbolName", "new", "signature", "parameters", "destination"}) {
      spec_.argument_aliases.emplace_back(name, "newName");
    }
    spec_.argument_aliases.emplace_back("dryRun", "preview");
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string operation = *JsonString(arguments, "operation");
    if (operation == "apply_fix") return ApplyFix(arguments, context);
    if (absl::StartsWith(operation, "extract_")) return Extract(operation, arguments, context);
    const auto query = QueryFromArguments(arguments, context);
    if (!query.ok()) return ToolResult::FromStatus(query.status());
    auto resolution = ResolvePlace(*query, index_, resolvers_, kPlaceTime);
    if (absl::IsCancelled(resolution.status())) return ToolResult::Fatal(resolution.status());
    if (!resolution.ok()) return NothingResolved(resolution.status(), *query, *index_);
    if (const std::string why = NotOnLine(*query, *resolution); !why.empty()) {
      return ToolResult::Error(absl::StrCat("Nothing was changed: ", why));
    }
    if (operation == "safe_delete") return SafeDelete(*std::move(resolution), arguments, context);
    if (operation == "move_type") return MoveType(*resolution, arguments, context);
    if (operation == "change_signature") {
      return ChangeSignature(*std::move(resolution), arguments, context);
    }
    return Rename(*std::move(resolution), arguments, context);
  }

 private:
  // Who told which places mean the symbol.
  struct ResolvedBy {
    std::string name;        // kBySyntax, or a resolver
    std::string why_syntax;  // "": no resolver was wanted
  };
  static std::string Text(const ResolvedBy& by) {
    return absl::StrCat("Resolved by: ", by.name,
                        by.why_syntax.empty() ? "" : absl::StrCat(" (", by.why_syntax, ")"), ".\n");
  }

  static bool IsPreview(const Json& arguments) {
    return JsonBool(arguments, "preview").value_or(false);
  }

  Oracle OracleFor(TentativeEdits* edits, const ToolContext& context) const {
    return {service_, edits, &index_->languages(), context.workspace, context.may_change};
  }

  // Tries a complete plan, keeps it if the compiler has nothing new to say, and reports. Where none
  // can judge it, syntax decides, unless some places (`likely`) may be uses.
  ToolResult Carry(EditPlan plan, const std::string& done, const std::string& would,
                   const Json& arguments, const ToolContext& context,
                   const std::vector<Reference>& likely = {}) {
    if (IsPreview(arguments)) {
      return ToolResult::Success(absl::StrCat(would, ": ", Size(plan), ". Nothing was changed.\n",
                                              ShownDiff(plan, context)),
                                 ResultJson(false, plan, {}));
    }
    TentativeEdits edits(context.file_system, context.workspace, context.journal_dir);
    const bool needs_compiler = !likely.empty();
    std::map<std::string, std::string> witnesses;
    for (const Reference& use : likely) witnesses.emplace(use.file->path, use.file->text);
    auto outcome = ApplyPlan(&plan, witnesses, OracleFor(&edits, context));
    if (outcome.ok() && outcome->applied && !outcome->judged) {
      Json ignored;
      if (needs_compiler) {
        outcome->applied = false;
        outcome->unjudged = absl::StrCat("No compiler could judge it: ", outcome->unjudged, ".");
      } else if (!NoteSyntax(index_->languages(), plan, &ignored).empty()) {
        outcome->applied = false;
        outcome->unjudged = "It would break the syntax, and there is no compiler to ask.";
      }
    }
    if (auto failed = Settle(outcome.status(), outcome.ok() && outcome->applied, &edits)) {
      return *std::move(failed);
    }
    if (!outcome->applied) {
      if (outcome->is_stuck) {
        return ToolResult::Error(
            absl::StrCat("Nothing was changed: the compiler gave no answer. ", outcome->unjudged));
      }
      if (!outcome->judged) {
        return ToolResult::Error(absl::StrCat("Nothing was changed. ", outcome->unjudged));
      }
      std::string text = "Nothing was changed: it does not build afterwards.\n";
      AppendErrors(outcome->errors, &text);
      return ToolResult::Error(absl::StrCat(text, "Mend these places first, or use file.modify."));
    }
    Json data = ResultJson(true, plan, {});
    data["validation"] = {{"judged", outcome->judged}, {"rounds", outcome->rounds}};
    if (!outcome->judged) data["validation"]["message"] = outcome->unjudged;
    const std::string syntax = NoteSyntax(index_->languages(), plan, &data);
    return ToolResult::Success(
        absl::StrCat(done, ": ", Size(plan), ". ", Judgement(outcome->judged, outcome->unjudged),
                     syntax, ShownDiff(plan, context)),
        std::move(data));
  }

  ToolResult SafeDelete(Resolution resolution, const Json& arguments, const ToolContext& context) {
    const std::string symbol = Describe(resolution.targets[0]);
    auto plan = PlanSafeDelete(resolution, index_);
    if (!plan.ok()) return ToolResult::FromStatus(plan.status());
    std::string by(kBySyntax);
    if (resolvers_ != nullptr) {
      const auto confirmed = ConfirmUses(resolution, index_, resolvers_, &*plan);
      if (absl::IsCancelled(confirmed.status())) return ToolResult::Fatal(confirmed.status());
      if (confirmed.ok()) by = *confirmed;
    }
    if (!plan->uses.empty()) {
      return ToolResult::Error(absl::StrCat(
          "Nothing was changed: ", symbol, " is used in ", Count(plan->uses.size(), "place"), ":\n",
          Uses(plan->uses), "Resolved by: ", by, ". Change these first."));
    }
    if (!plan->likely.empty()) {
      // Only a compiler can tell whether these are uses.
      const auto probe = service_->Probe(plan->edits.OldPaths());
      if (!probe.ok()) return ToolResult::Fatal(probe.status());
      const bool is_gradual = !probe->judged || IsGradual(plan->likely[0].file->language);
      if (is_gradual) {
        return ToolResult::Error(absl::StrCat(
            "Nothing was changed: ", symbol, " may be used in ",
            Count(plan->likely.size(), "place"), ", and no compiler here can tell:\n",
            Uses(plan->likely), "Look at them; if none means it, delete it with file.modify."));
      }
    }
    return Carry(plan->edits, absl::StrCat("Deleted ", symbol),
                 absl::StrCat("Would delete ", symbol), arguments, context, plan->likely);
  }

  ToolResult MoveType(const Resolution& resolution, const Json& arguments,
                      const ToolContext& context) {
    std::string destination;
    if (const auto name = JsonString(arguments, "newName"); name.has_value() && !name->empty()) {
      const auto path = ResolveInWorkspace(context.workspace, *name);
      if (!path.ok()) return ToolResult::FromStatus(path.status());
      destination = path->relative;
    }
    const std::string symbol = Describe(resolution.targets[0]);
    const auto plan = PlanMoveType(resolution, destination, index_);
    if (!plan.ok()) return NoPlan(plan.status());
    for (const auto& [path, file] : plan->files()) {
      if (!file.before.has_value()) destination = path;
    }
    return Carry(*plan, absl::StrCat("Moved ", symbol, " to ", DisplayPath(destination)),
                 absl::StrCat("Would move ", symbol, " to ", DisplayPath(destination)), arguments,
                 context);
  }

  // Asks the compiler about edits that go again at once.
  ProbeEdits ProbeWith(const ToolContext& context) {
    return [this, &context](const EditPlan& plan) -> absl::StatusOr<ProbeReport> {
      TentativeEdits edits(context.file_system, context.workspace, context.journal_dir);
      STILE_RETURN_IF_ERROR(TryPlan(plan, OracleFor(&edits, context)));
      auto report = service_->Probe(plan.NewPaths());
      STILE_RETURN_IF_ERROR(edits.TakeBack().status());
      return report;
    };
  }

  absl::StatusOr<EditPlan> PlanExtract(const std::string& operation, const Json& arguments,
                                       const ToolContext& context) {
    const std::string new_name = JsonString(arguments, "newName").value_or("");
    if (new_name.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(operation, " needs newName"));
    }
    const std::string symbol = JsonString(arguments, "symbolName").value_or("");
    std::string path = JsonString(arguments, "filePath").value_or("");
    if (!path.empty()) {
      STILE_ASSIGN_OR_RETURN(const WorkspacePath place,
                             ResolveInWorkspace(context.workspace, path));
      path = place.relative;
    }
    if (operation == "extract_interface") {
      return PlanExtractInterface({context.workspace, &index_->languages(), index_}, path, symbol,
                                  new_name);
    }
    const auto start =
        JsonInt(arguments, "startLine").value_or(JsonInt(arguments, "line").value_or(0));
    const auto end = JsonInt(arguments, "endLine").value_or(start);
    if (path.empty() || start < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(operation, " needs filePath, startLine and endLine"));
    }
    STILE_ASSIGN_OR_RETURN(const auto file, index_->Open(path));
    if (operation == "extract_method") {
      return PlanExtractMethod(*file, static_cast<int>(start), static_cast<int>(end), new_name,
                               ProbeWith(context));
    }
    return PlanExtractVariable(*file, static_cast<int>(start), static_cast<int>(end),
                               /*start_column=*/0, symbol, new_name, ProbeWith(context));
  }

  ToolResult Extract(const std::string& operation, const Json& arguments,
                     const ToolContext& context) {
    const auto plan = PlanExtract(operation, arguments, context);
    if (!plan.ok()) return NoPlan(plan.status());
    const std::string what = absl::StrCat(operation.substr(operation.find('_') + 1), " ",
                                          ToUtf8(JsonString(arguments, "newName").value_or("")));
    return Carry(*plan, absl::StrCat("Extracted ", what), absl::StrCat("Would extract ", what),
                 arguments, context);
  }

  ToolResult ChangeSignature(Resolution resolution, const Json& arguments,
                             const ToolContext& context) {
    const auto signature = JsonString(arguments, "newName");
    if (!signature.has_value() || signature->empty()) {
      return ToolResult::Error(
          "change_signature needs newName: the new parameters, `(a: int, b: int = 0)`; a new one "
          "with the value that calls get.");
    }
    const std::string symbol = Describe(resolution.targets[0]);
    const auto plan = PlanChangeSignature(std::move(resolution), index_, *signature);
    if (!plan.ok()) return NoPlan(plan.status());
    return Carry(*plan, absl::StrCat("Changed the signature of ", symbol),
                 absl::StrCat("Would change the signature of ", symbol), arguments, context);
  }

  // Keeps what was applied and takes back what was not. What fails in that, or has failed before
  // with `status`, is the answer.
  static std::optional<ToolResult> Settle(const absl::Status& status, bool applied,
                                          TentativeEdits* edits) {
    if (!status.ok() && !absl::IsAborted(status) && !absl::IsPermissionDenied(status)) {
      return ToolResult::Fatal(status);
    }
    if (status.ok() && applied) {
      const absl::Status kept = edits->Keep();
      if (!kept.ok()) return ToolResult::Fatal(kept);
      return std::nullopt;
    }
    const auto foreign = edits->TakeBack();
    if (!foreign.ok()) return ToolResult::Fatal(foreign.status());
    if (!status.ok()) return TakenBack(status, *foreign);
    return std::nullopt;
  }

  // Files that somebody else wrote meanwhile keep what they have: part of it may be ours.
  static ToolResult TakenBack(const absl::Status& status, const std::vector<std::string>& foreign) {
    if (foreign.empty()) {
      return ToolResult::Error(
          absl::StrCat(absl::StripSuffix(status.message(), "."), ". Nothing was changed."));
    }
    std::vector<std::string> shown;
    for (const std::string& path : foreign) shown.push_back(DisplayPath(path));
    return ToolResult::Error(absl::StrCat(
        status.message(), ". Everything was put back but ", absl::StrJoin(shown, ", "),
        ", which somebody else changed at the same time: parts of the attempt are in there still, "
        "look at the diff."));
  }

  // What is not to be had for a language is no defect of ours.
  static ToolResult NoPlan(const absl::Status& status) {
    if (absl::IsUnimplemented(status)) return ToolResult::Error(std::string(status.message()));
    return ToolResult::FromStatus(status);
  }

  // What the compiler itself declares safe to apply, of the errors at one place.
  ToolResult ApplyFix(const Json& arguments, const ToolContext& context) {
    const auto path = JsonString(arguments, "filePath");
    if (!path.has_value() || path->empty()) {
      return ToolResult::Error(
          "apply_fix needs filePath, and line where there are several errors.");
    }
    const auto place = ResolveInWorkspace(context.workspace, *path);
    if (!place.ok()) return ToolResult::FromStatus(place.status());
    const auto probe = service_->Probe({place->relative});
    if (!probe.ok()) return ToolResult::Fatal(probe.status());
    if (!probe->judged) {
      return ToolResult::Error(absl::StrCat("No compiler gave an answer: ", probe->unjudged, "."));
    }
    const int line = static_cast<int>(JsonInt(arguments, "line").value_or(0));
    for (const Diagnostic& error : probe->errors) {
      if (error.file != place->relative || (line > 0 && error.line != line)) continue;
      if (error.fixes.empty()) continue;
      const auto plan = PlanFix(error, context.file_system, context.workspace);
      if (!plan.ok()) return ToolResult::FromStatus(plan.status());
      const std::string what =
          ToUtf8(error.fixes[0].title.empty() ? error.message : error.fixes[0].title);
      return Carry(*plan, absl::StrCat("Applied the compiler's fix (", what, ")"),
                   absl::StrCat("Would apply the compiler's fix (", what, ")"), arguments, context);
    }
    return ToolResult::Error(
        absl::StrCat("The compiler offers no fix for ", DisplayPath(place->relative),
                     line > 0 ? absl::StrCat(":", line) : "", " (",
                     Count(probe->errors.size(), "error"), " in all). Use file.modify."));
  }

  ToolResult Rename(Resolution resolution, const Json& arguments, const ToolContext& context) {
    const auto new_name = JsonString(arguments, "newName");
    if (!new_name.has_value()) return ToolResult::Error("rename needs newName.");
    const std::string symbol = Describe(resolution.targets[0]);
    const Resolution declared = resolution;
    auto plan = RenamePlan::Make(std::move(resolution), *new_name, index_);
    if (!plan.ok()) return ToolResult::FromStatus(plan.status());
    plan->SetFollowsDocs(JsonBool(arguments, "comments").value_or(true));
    const auto by_syntax = AskResolver(declared, &*plan, context);
    if (!by_syntax.ok()) {
      if (!absl::IsFailedPrecondition(by_syntax.status())) {
        return ToolResult::Fatal(by_syntax.status());
      }
      return ToolResult::Error(absl::StrCat("Nothing was changed: ", by_syntax.status().message()));
    }
    const std::vector<TextMention> mentions = plan->Mentions();
    std::string doubt;
    if (const auto bases = plan->UnknownBases(index_); !bases.empty()) {
      doubt = absl::StrCat("it is not known whether ", plan->old_name(), " overrides a member of ",
                           absl::StrJoin(bases, ", "), ", whose declaration was not found");
    }
    if (IsPreview(arguments)) return Preview(symbol, *plan, *by_syntax, context);

    TentativeEdits edits(context.file_system, context.workspace, context.journal_dir);
    const std::string resolved_by =
        plan->resolved() == nullptr ? std::string(kBySyntax) : plan->resolved()->resolver;
    std::optional<ResolvedSymbol> resolved;
    if (plan->resolved() != nullptr) resolved = *plan->resolved();
    CaptureCheck check(*new_name, index_, resolvers_);
    if (resolved.has_value()) {
      const absl::Status begun = check.Begin(declared.targets[0].file->path, kCaptureTime);
      if (!begun.ok()) return ToolResult::Fatal(begun);
    }
    auto outcome = ApplyRename(*std::move(plan), OracleFor(&edits, context));
    std::string refusal;
    std::string incomplete;
    if (outcome.ok() && outcome->applied) {
      auto checked = CheckRenamed(*outcome, resolved, &check);
      if (!checked.ok()) return TakeBackFor(checked.status(), &edits);
      refusal = std::move(checked->capture);
      incomplete = absl::StrCat(doubt, doubt.empty() || checked->incomplete.empty() ? "" : "; ",
                                checked->incomplete);
    }
    if (auto failed =
            Settle(outcome.status(), outcome.ok() && outcome->applied && refusal.empty(), &edits)) {
      return *std::move(failed);
    }
    if (!outcome->applied) return Refused(symbol, *outcome);
    if (!refusal.empty()) {
      return ToolResult::Error(absl::StrCat("Nothing was changed: ", refusal, "."));
    }
    return Report(symbol, *new_name, *outcome, ResolvedBy{resolved_by, *by_syntax}, mentions,
                  incomplete, context);
  }

  // What speaks against a rename that has been applied.
  absl::StatusOr<CaptureCheck::Result> CheckRenamed(const RenameOutcome& outcome,
                                                    const std::optional<ResolvedSymbol>& resolved,
                                                    CaptureCheck* check) {
    CaptureCheck::Result result;
    Json ignored;
    if (!outcome.judged && !NoteSyntax(index_->languages(), outcome.plan, &ignored).empty()) {
      result.capture = "it would break the syntax, and there is no compiler to ask";
    } else if (resolved.has_value()) {
      STILE_ASSIGN_OR_RETURN(result, check->End(outcome.plan, *resolved, kCaptureTime));
      if (!result.capture.empty()) absl::StrAppend(&result.capture, ". Choose another newName");
    }
    return result;
  }

  static ToolResult TakeBackFor(const absl::Status& status, TentativeEdits* edits) {
    const auto foreign = edits->TakeBack();
    return ToolResult::Fatal(foreign.ok() ? status : foreign.status());
  }

  // Gives the plan what a resolver knows. Returns the reason for which the resolver of the language
  // did not answer; "" if it did, or if there is none. FailedPrecondition: the symbol cannot be
  // renamed.
  absl::StatusOr<std::string> AskResolver(const Resolution& declared, RenamePlan* plan,
                                          const ToolContext& context) {
    if (resolvers_ == nullptr) return "";
    auto resolved = ResolveSymbol(declared, plan->new_name(), index_, resolvers_);
    if (absl::IsCancelled(resolved.status()) || absl::IsFailedPrecondition(resolved.status())) {
      return resolved.status();
    }
    if (resolved.ok()) {
      const absl::Status adopted = plan->Adopt(*std::move(resolved), index_);
      if (adopted.ok()) return "";
      resolved = adopted;
    }
    // A language without a resolver is no news.
    if (absl::IsUnimplemented(resolved.status())) return "";
    const std::string why(resolved.status().message());
    if (context.on_fallback) {
      context.on_fallback(absl::StrCat("Names were resolved by syntax: ", why, "."));
    }
    return why;
  }

  static ToolResult Preview(const std::string& symbol, const RenamePlan& plan,
                            const std::string& why_syntax, const ToolContext& context) {
    std::vector<RenameCandidate> uncertain;
    for (const RenameCandidate& candidate : plan.candidates()) {
      const bool is_open =
          !candidate.is_renamed && !candidate.is_stranger && !candidate.is_resolved;
      if (is_open) uncertain.push_back(candidate);
    }
    const ResolvedSymbol* const resolved = plan.resolved();
    const ResolvedBy by{resolved == nullptr ? std::string(kBySyntax) : resolved->resolver,
                        why_syntax};
    const EditPlan edits = plan.Edits();
    std::string text = absl::StrCat("Would rename ", symbol, " to ", plan.new_name(), ": ",
                                    Size(edits), " for certain. Nothing was changed.\n", Text(by));
    if (!uncertain.empty()) {
      absl::StrAppend(&text, "About ", Count(uncertain.size(), "place"),
                      " more the compiler would be asked:\n");
      for (size_t i = 0; i < uncertain.size() && i < kMaxListed; ++i) {
        absl::StrAppend(&text, PlaceText(uncertain[i]));
      }
    }
    absl::StrAppend(&text, ShownDiff(edits, context));
    Json data = ResultJson(false, edits, uncertain);
    data["resolvedBy"] = by.name;
    return ToolResult::Success(std::move(text), std::move(data));
  }

  ToolResult Report(const std::string& symbol, const std::string& new_name,
                    const RenameOutcome& outcome, const ResolvedBy& by,
                    const std::vector<TextMention>& mentions, const std::string& incomplete,
                    const ToolContext& context) {
    std::string text = absl::StrCat("Renamed ", symbol, " to ", new_name, ": ", Size(outcome.plan),
                                    ". ", Judgement(outcome.judged, outcome.unjudged), Text(by));
    if (!incomplete.empty()) absl::StrAppend(&text, "Not checked: ", incomplete, ".\n");
    AppendUncertain(outcome.uncertain, &text);
    Json data = ResultJson(true, outcome.plan, outcome.uncertain);
    data["resolvedBy"] = by.name;
    NoteMentions(mentions, &text, &data);
    // A tree may be wrong about code that a compiler accepts.
    const std::string syntax = NoteSyntax(index_->languages(), outcome.plan, &data);
    absl::StrAppend(&text, outcome.judged ? "" : syntax, ShownDiff(outcome.plan, context));
    data["validation"] = {{"judged", outcome.judged}, {"rounds", outcome.rounds}};
    if (!outcome.judged) data["validation"]["message"] = outcome.unjudged;
    if (!incomplete.empty()) data["validation"]["unchecked"] = incomplete;
    return ToolResult::Success(std::move(text), std::move(data));
  }

  static ToolResult Refused(const std::string& symbol, const RenameOutcome& outcome) {
    if (!outcome.unjudged.empty()) {
      return ToolResult::Error(
          absl::StrCat("Nothing was changed: the compiler gave no answer. ", outcome.unjudged));
    }
    std::string text = absl::StrCat("Nothing was changed: ");
    absl::StrAppend(
        &text,
        outcome.is_external
            ? absl::StrCat(symbol, " has its name from outside of the project (it overrides or ",
                           "implements what a library declares), so it cannot have another.")
            : absl::StrCat(
                  "the compiler does not accept ", symbol, " under the new name, ",
                  "whatever is renamed with it. Generated code, or its text, may name it."),
        " What the compiler said last:\n");
    AppendErrors(outcome.errors, &text);
    absl::StrAppend(&text, "Use file.modify where you know better.");
    return ToolResult::Error(std::move(text));
  }

  ToolSpec spec_;
  ValidationService* const service_;
  CodeIndex* const index_;
  ResolverPool* const resolvers_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeRefactorTool(ValidationService* service, CodeIndex* index,
                                          ResolverPool* resolvers) {
  return std::make_unique<CodeRefactorTool>(service, index, resolvers);
}

}  // namespace stile
