// code.refactor: plans a change, tries it out, lets the compilers decide what a syntax tree cannot
// know, and keeps either all of it or nothing.
#include "tools/code/refactor_tool.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/output_spill.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/tentative_edits.h"
#include "tools/code/code_text.h"
#include "tools/refactor/rename.h"

namespace stile {
namespace {

constexpr size_t kMaxDiffBytes = 6000;  // of what the model reads; the whole is in a file
constexpr size_t kMaxListed = 20;

Json PlaceJson(const RenameCandidate& candidate) {
  const TextPlace place = candidate.file->PlaceOf(candidate.occurrence.begin);
  Json json = {{"line", place.line},
               {"column", place.column},
               {"text", ShownLine(*candidate.file, place.line)}};
  SetPath(&json, "file", candidate.file->path);
  return json;
}

std::string PlaceText(const RenameCandidate& candidate) {
  const TextPlace place = candidate.file->PlaceOf(candidate.occurrence.begin);
  return absl::StrCat(DisplayPath(candidate.file->path), ":", place.line, ":", place.column, ": ",
                      ShownLine(*candidate.file, place.line), "\n");
}

Json ResultJson(bool applied, const EditPlan& plan, const std::vector<RenameCandidate>& uncertain) {
  Json files = Json::array();
  for (const auto& [path, file] : plan.files()) {
    Json entry = {{"edits", file.edits.size()}};
    SetPath(&entry, "path", file.NewPath());
    if (file.moved_to.has_value()) entry["movedFrom"] = ToUtf8(file.path);
    if (file.deleted) entry["deleted"] = true;
    files.push_back(std::move(entry));
  }
  Json open = Json::array();
  for (const RenameCandidate& candidate : uncertain) open.push_back(PlaceJson(candidate));
  return {{"applied", applied},
          {"files", std::move(files)},
          {"blastRadius",
           {{"references", plan.CountEdits()},
            {"files", plan.files().size()},
            {"uncertain", std::move(open)}}},
          {"diff", plan.Diff()}};
}

Json ResultSchema() {
  const Json file = ObjectSchema({Required("path", "string"), Optional("pathBase64", "string"),
                                  Required("edits", "integer"), Optional("movedFrom", "string"),
                                  Optional("deleted", "boolean")});
  const Json place = ObjectSchema({Required("file", "string"), Optional("fileBase64", "string"),
                                   Required("line", "integer"), Required("column", "integer"),
                                   Required("text", "string")});
  const Json radius =
      ObjectSchema({Required("references", "integer"),
                    Required("files", "integer"),
                    {"uncertain", ArraySchema(place, "may mean the symbol; left alone"), true}});
  const Json validation =
      ObjectSchema({Required("judged", "boolean"), Required("rounds", "integer"),
                    Optional("message", "string", "why it is not judged")});
  return ObjectSchema({Required("applied", "boolean"),
                       {"files", ArraySchema(file), true},
                       {"blastRadius", radius, true},
                       Required("diff", "string"),
                       {"validation", validation, false}});
}

class CodeRefactorTool : public Tool {
 public:
  CodeRefactorTool(ValidationService* service, CodeIndex* index)
      : service_(service), index_(index) {
    spec_.name = "code.refactor";
    spec_.description = "Change code by meaning, everywhere at once; the compiler is asked.";
    spec_.parameters = ObjectSchema({{"operation", EnumSchema({"rename"}), true},
                                     Optional("filePath", "string", "where it is declared or used"),
                                     Optional("symbolName", "string", "name or Owner.name"),
                                     Optional("newName", "string", ""),
                                     Optional("line", "integer", "in filePath"),
                                     Optional("preview", "boolean", "show, change nothing")});
    spec_.output = ResultSchema();
    spec_.permission_argument = "filePath";
    spec_.argument_aliases = QueryAliases();
    for (const char* name : {"to", "newSymbolName", "new"}) {
      spec_.argument_aliases.emplace_back(name, "newName");
    }
    spec_.argument_aliases.emplace_back("dryRun", "preview");
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    return Rename(arguments, context);
  }

 private:
  ToolResult Rename(const Json& arguments, const ToolContext& context) {
    const auto new_name = JsonString(arguments, "newName");
    if (!new_name.has_value()) return ToolResult::Error("rename needs newName.");
    const auto query = QueryFromArguments(arguments, context);
    if (!query.ok()) return ToolResult::FromStatus(query.status());
    auto resolution = Resolve(*query, index_);
    if (!resolution.ok()) return NothingResolved(resolution.status());
    const std::string symbol = Describe(resolution->targets[0]);
    auto plan = RenamePlan::Make(*std::move(resolution), *new_name, index_);
    if (!plan.ok()) return ToolResult::FromStatus(plan.status());
    const size_t mentions = plan->CountMentions();
    if (JsonBool(arguments, "preview").value_or(false)) return Preview(symbol, *plan, context);

    TentativeEdits edits(context.file_system, context.workspace, context.journal_dir);
    auto outcome = ApplyRename(*std::move(plan), {service_, &edits, context.workspace});
    if (!outcome.ok() && !absl::IsAborted(outcome.status())) {
      return ToolResult::Fatal(outcome.status());
    }
    if (!outcome.ok() || !outcome->applied) {
      const auto untouched = edits.TakeBack();
      if (!untouched.ok()) return ToolResult::Fatal(untouched.status());
      if (!outcome.ok()) return ToolResult::FromStatus(outcome.status(), "Nothing was changed");
      return Refused(symbol, *outcome);
    }
    const absl::Status kept = edits.Keep();
    if (!kept.ok()) return ToolResult::Fatal(kept);
    return Report(symbol, *new_name, *outcome, mentions, context);
  }

  static std::string Size(const EditPlan& plan) {
    return absl::StrCat(Count(plan.CountEdits(), "place"), " in ",
                        Count(plan.files().size(), "file"));
  }

  static std::string ShownDiff(const EditPlan& plan, const ToolContext& context) {
    return ShortenWithFile(context.file_system, context.output_dir, "refactor", plan.Diff(),
                           kMaxDiffBytes);
  }

  static void AppendUncertain(const std::vector<RenameCandidate>& uncertain, std::string* text) {
    if (uncertain.empty()) return;
    absl::StrAppend(text, Count(uncertain.size(), "place"),
                    " may mean it too and could not be decided; look at ",
                    uncertain.size() == 1 ? "it" : "them", " and change what does:\n");
    for (size_t i = 0; i < uncertain.size() && i < kMaxListed; ++i) {
      absl::StrAppend(text, PlaceText(uncertain[i]));
    }
    if (uncertain.size() > kMaxListed) {
      absl::StrAppend(text, "[", uncertain.size() - kMaxListed, " more]\n");
    }
  }

  static ToolResult Preview(const std::string& symbol, const RenamePlan& plan,
                            const ToolContext& context) {
    std::vector<RenameCandidate> uncertain;
    for (const RenameCandidate& candidate : plan.candidates()) {
      if (!candidate.is_renamed && !candidate.is_stranger) uncertain.push_back(candidate);
    }
    const EditPlan edits = plan.Edits();
    std::string text = absl::StrCat("Would rename ", symbol, " to ", plan.new_name(), ": ",
                                    Size(edits), " for certain. Nothing was changed.\n");
    if (!uncertain.empty()) {
      absl::StrAppend(&text, "About ", Count(uncertain.size(), "place"),
                      " more the compiler would be asked:\n");
      for (size_t i = 0; i < uncertain.size() && i < kMaxListed; ++i) {
        absl::StrAppend(&text, PlaceText(uncertain[i]));
      }
    }
    absl::StrAppend(&text, ShownDiff(edits, context));
    return ToolResult::Success(std::move(text), ResultJson(false, edits, uncertain));
  }

  static ToolResult Report(const std::string& symbol, const std::string& new_name,
                           const RenameOutcome& outcome, size_t mentions,
                           const ToolContext& context) {
    std::string text = absl::StrCat(
        "Renamed ", symbol, " to ", new_name, ": ", Size(outcome.plan), ". ",
        outcome.judged ? "It builds as before.\n"
                       : absl::StrCat("No compiler was asked: ", outcome.unjudged, ".\n"));
    AppendUncertain(outcome.uncertain, &text);
    if (mentions > 0) {
      absl::StrAppend(&text, Count(mentions, "mention"),
                      " in comments and strings of these files stayed as ",
                      mentions == 1 ? "it is" : "they are", ".\n");
    }
    absl::StrAppend(&text, ShownDiff(outcome.plan, context));
    Json data = ResultJson(true, outcome.plan, outcome.uncertain);
    data["validation"] = {{"judged", outcome.judged}, {"rounds", outcome.rounds}};
    if (!outcome.judged) data["validation"]["message"] = outcome.unjudged;
    return ToolResult::Success(std::move(text), std::move(data));
  }

  static ToolResult Refused(const std::string& symbol, const RenameOutcome& outcome) {
    if (!outcome.unjudged.empty()) {
      return ToolResult::Error(
          absl::StrCat("Nothing was changed: the compiler gave no answer. ", outcome.unjudged));
    }
    std::string text = absl::StrCat(
        "Nothing was changed: the compiler does not accept ", symbol,
        " under the new name, whatever is renamed with it. It may be known to a library, to ",
        "generated code or by its text. What it said last:\n");
    for (size_t i = 0; i < outcome.errors.size() && i < kMaxListed; ++i) {
      absl::StrAppend(&text, ToUtf8(FormatDiagnostic(outcome.errors[i])), "\n");
    }
    absl::StrAppend(&text, "Use file.modify where you know better.");
    return ToolResult::Error(std::move(text));
  }

  ToolSpec spec_;
  ValidationService* const service_;
  CodeIndex* const index_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeRefactorTool(ValidationService* service, CodeIndex* index) {
  return std::make_unique<CodeRefactorTool>(service, index);
}

}  // namespace stile
