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
#include "tools/code/carry_plan.h"
#include "tools/code/code_text.h"
#include "tools/code/fix_operation.h"
#include "tools/code/move_file_operation.h"
#include "tools/code/refactor_host.h"
#include "tools/code/refactor_text.h"
#include "tools/code/rename_operation.h"
#include "tools/refactor/change_signature.h"
#include "tools/refactor/extract_constant.h"
#include "tools/refactor/extract_interface.h"
#include "tools/refactor/extract_method.h"
#include "tools/refactor/extract_parameter.h"
#include "tools/refactor/extract_variable.h"
#include "tools/refactor/hover_type.h"
#include "tools/refactor/inline_variable.h"
#include "tools/refactor/move_member.h"
#include "tools/refactor/move_type.h"
#include "tools/refactor/resolved_uses.h"
#include "tools/refactor/safe_delete.h"
#include "tools/refactor/trial.h"
#include "tools/resolve/named_place.h"

namespace stile {
namespace {

constexpr absl::string_view kBySyntax = "syntax";
// A server that reads its project for the first time may need as long.
constexpr absl::Duration kPlaceTime = absl::Seconds(60);

class CodeRefactorTool : public Tool {
 public:
  CodeRefactorTool(ValidationService* service, CodeIndex* index, ResolverPool* resolvers)
      : service_(service), index_(index), resolvers_(resolvers) {
    spec_.name = "code.refactor";
    spec_.description = "Change code by meaning in all files at once; the compiler has a say.";
    spec_.parameters = ObjectSchema(
        {{"operation",
          EnumSchema({"rename", "extract_method", "extract_variable", "extract_constant",
                      "extract_parameter", "extract_interface", "inline_variable", "pull_up",
                      "push_down", "move_type", "move_symbol", "move_file", "safe_delete",
                      "change_signature", "apply_fix", "organize_imports"},
                     "What to do. apply_fix mends one error (import, misspelt name, missing "
                     "members) as far as the compiler agrees."),
          true},
         Optional("filePath", "string",
                  "File of the symbol, the lines or the error; needed by extract_method, "
                  "extract_variable, extract_constant, extract_parameter, inline_variable, "
                  "move_file, apply_fix and "
                  "organize_imports."),
         Optional(
             "symbolName", "string",
             "Symbol to change: name or Owner.name. extract_variable, _constant, _parameter: the "
             "expression."),
         Optional("newName", "string",
                  "The new name. move_type, move_symbol, move_file: the new file. pull_up: the "
                  "base class, if there are several."),
         Optional("parameters", "string",
                  "change_signature: the new parameters, such as (a: int, b: int = 0)."),
         Optional("startLine", "integer", "First line to extract."),
         Optional("endLine", "integer", "Last line to extract, inclusive; default: startLine."),
         Optional("line", "integer", "Line of the symbol or error in filePath."),
         Optional("fix", "string", "apply_fix: the title of the change that is wanted."),
         {"related",
          EnumSchema({"list", "apply", "none"},
                     "rename: names made from the old one (NewOrder, OrderTest) are listed "
                     "(default), or renamed, too."),
          false},
         Optional("comments", "boolean", "rename: also in the symbol's documentation.", true),
         Optional("preview", "boolean", "Show the changes, make none.", false)});
    spec_.output = ResultSchema();
    spec_.permission_argument = "filePath";
    spec_.argument_aliases = QueryAliases();
    for (const char* name : {"to", "newSymbolName", "new", "destination"}) {
      spec_.argument_aliases.emplace_back(name, "newName");
    }
    spec_.argument_aliases.emplace_back("signature", "parameters");
    spec_.argument_aliases.emplace_back("dryRun", "preview");
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string operation = *JsonString(arguments, "operation");
    if (operation == "apply_fix" || operation == "organize_imports") {
      return MendFile(operation, arguments, context);
    }
    if (operation == "move_file") return MoveFile(arguments, context);
    if (absl::StartsWith(operation, "extract_")) return Extract(operation, arguments, context);
    if (operation == "inline_variable") return InlineVariable(arguments, context);
    const auto query = QueryFromArguments(arguments, context);
    if (!query.ok()) return ToolResult::FromStatus(query.status());
    auto resolution = ResolvePlace(*query, index_, resolvers_, kPlaceTime);
    if (absl::IsCancelled(resolution.status())) return ToolResult::Fatal(resolution.status());
    if (!resolution.ok()) return NothingResolved(resolution.status(), *query, *index_);
    if (const std::string why = NotOnLine(*query, *resolution); !why.empty()) {
      return ToolResult::Error(absl::StrCat("Nothing was changed: ", why));
    }
    if (operation == "safe_delete") return SafeDelete(*std::move(resolution), arguments, context);
    if (operation == "move_type" || operation == "move_symbol") {
      return MoveType(*resolution, arguments, context);
    }
    if (operation == "pull_up" || operation == "push_down") {
      return MoveMember(operation, *resolution, arguments, context);
    }
    if (operation == "change_signature") {
      return ChangeSignature(*std::move(resolution), arguments, context);
    }
    return RunRename(*std::move(resolution), arguments, HostFor(context));
  }

 private:
  RefactorHost HostFor(const ToolContext& context) const {
    return {service_, index_, resolvers_, &context};
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
    CarriedPlan carried{plan->edits, absl::StrCat("Deleted ", symbol),
                        absl::StrCat("Would delete ", symbol), plan->likely};
    return CarryPlan(std::move(carried), arguments, HostFor(context));
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
    const std::string what = absl::StrCat(symbol, " to ", DisplayPath(destination));
    return CarryPlan({*plan, absl::StrCat("Moved ", what), absl::StrCat("Would move ", what)},
                     arguments, HostFor(context));
  }

  ToolResult MoveMember(const std::string& operation, const Resolution& resolution,
                        const Json& arguments, const ToolContext& context) {
    const bool is_up = operation == "pull_up";
    const auto plan =
        is_up ? PlanPullUp(resolution, JsonString(arguments, "newName").value_or(""), index_)
              : PlanPushDown(resolution, index_);
    if (!plan.ok()) return NoPlan(plan.status());
    const std::string what = absl::StrCat(Describe(resolution.targets[0]),
                                          is_up ? " to its base class" : " to the derived classes");
    CarriedPlan carried{*plan, absl::StrCat("Moved ", what), absl::StrCat("Would move ", what)};
    // Only a compiler knows that nothing calls it on the base.
    carried.needs_compiler = !is_up;
    return CarryPlan(std::move(carried), arguments, HostFor(context));
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
                                  new_name, TypesByHover());
    }
    const auto start =
        JsonInt(arguments, "startLine").value_or(JsonInt(arguments, "line").value_or(0));
    const auto end = JsonInt(arguments, "endLine").value_or(start);
    if (path.empty() || start < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(operation, " needs filePath, startLine and endLine"));
    }
    if (operation == "extract_parameter") {
      return PlanExtractParameter(path, index_, static_cast<int>(start), static_cast<int>(end),
                                  symbol, new_name);
    }
    STILE_ASSIGN_OR_RETURN(const auto file, index_->Open(path));
    if (operation == "extract_method") {
      return PlanExtractMethod(*file, static_cast<int>(start), static_cast<int>(end), new_name,
                               HostFor(context).Probe());
    }
    if (operation == "extract_constant") {
      return PlanExtractConstant(*file, index_, static_cast<int>(start), static_cast<int>(end),
                                 symbol, new_name);
    }
    return PlanExtractVariable(*file, static_cast<int>(start), static_cast<int>(end),
                               /*start_column=*/0, symbol, new_name, HostFor(context).Probe());
  }

  // Types as a language server shows them.
  InferredType TypesByHover() const {
    if (resolvers_ == nullptr) return nullptr;
    return [this](const std::string& path, uint32_t name_begin) -> std::string {
      const auto resolver = resolvers_->For(path, kPlaceTime);
      const Language* const language = index_->languages().OfFile(path);
      if (!resolver.ok() || language == nullptr) return "";
      const auto hover = (*resolver)->Hover({path, name_begin});
      return hover.ok() ? TypeInHover(language->id, *hover) : "";
    };
  }

  ToolResult Extract(const std::string& operation, const Json& arguments,
                     const ToolContext& context) {
    const auto plan = PlanExtract(operation, arguments, context);
    if (!plan.ok()) return NoPlan(plan.status());
    const std::string what = absl::StrCat(operation.substr(operation.find('_') + 1), " ",
                                          ToUtf8(JsonString(arguments, "newName").value_or("")));
    return CarryPlan(
        {*plan, absl::StrCat("Extracted ", what), absl::StrCat("Would extract ", what)}, arguments,
        HostFor(context));
  }

  ToolResult InlineVariable(const Json& arguments, const ToolContext& context) {
    const auto path = FileOf(arguments, context);
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const std::string name = JsonString(arguments, "symbolName").value_or("");
    if (name.empty()) return ToolResult::Error("inline_variable needs symbolName: the variable.");
    const auto file = index_->Open(*path);
    if (!file.ok()) return ToolResult::FromStatus(file.status());
    const auto line = JsonInt(arguments, "line").value_or(0);
    const auto plan =
        PlanInlineVariable(**file, static_cast<int>(line), name, HostFor(context).Probe());
    if (!plan.ok()) return NoPlan(plan.status());
    const std::string what = absl::StrCat("the variable ", ToUtf8(name));
    return CarryPlan({*plan, absl::StrCat("Inlined ", what), absl::StrCat("Would inline ", what)},
                     arguments, HostFor(context));
  }

  ToolResult ChangeSignature(Resolution resolution, const Json& arguments,
                             const ToolContext& context) {
    const auto signature = JsonString(arguments, "parameters");
    if (!signature.has_value() || signature->empty()) {
      return ToolResult::Error(
          "change_signature needs parameters, such as `(a: int, b: int = 0)`; a new one with the "
          "value that calls get.");
    }
    const std::string symbol = Describe(resolution.targets[0]);
    const auto plan = PlanChangeSignature(std::move(resolution), index_, *signature);
    if (!plan.ok()) return NoPlan(plan.status());
    return CarryPlan({*plan, absl::StrCat("Changed the signature of ", symbol),
                      absl::StrCat("Would change the signature of ", symbol)},
                     arguments, HostFor(context));
  }

  // What is not to be had for a language is no defect of ours.
  static ToolResult NoPlan(const absl::Status& status) {
    if (absl::IsUnimplemented(status)) return ToolResult::Error(std::string(status.message()));
    return ToolResult::FromStatus(status);
  }

  // The path of the one file that an operation is about.
  static absl::StatusOr<std::string> FileOf(const Json& arguments, const ToolContext& context) {
    const auto path = JsonString(arguments, "filePath");
    if (!path.has_value() || path->empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(*JsonString(arguments, "operation"), " needs filePath."));
    }
    STILE_ASSIGN_OR_RETURN(const WorkspacePath place, ResolveInWorkspace(context.workspace, *path));
    return place.relative;
  }

  ToolResult MoveFile(const Json& arguments, const ToolContext& context) {
    const auto path = FileOf(arguments, context);
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const auto to = JsonString(arguments, "newName");
    if (!to.has_value() || to->empty()) {
      return ToolResult::Error("move_file needs newName: the new path.");
    }
    const std::string given = *JsonString(arguments, "filePath");
    const std::string absolute =
        absl::StartsWith(given, "/") ? given : JoinPath(context.workspace, given);
    if (ReadLink(CleanPath(absolute)).ok()) {
      return ToolResult::Error(absl::StrCat("Nothing was changed: ", DisplayPath(given),
                                            " is a symbolic link to ", DisplayPath(*path), "."));
    }
    return RunMoveFile(*path, *to, arguments, HostFor(context));
  }

  // apply_fix and organize_imports.
  ToolResult MendFile(const std::string& operation, const Json& arguments,
                      const ToolContext& context) {
    const auto path = FileOf(arguments, context);
    if (!path.ok()) return ToolResult::FromStatus(path.status());
    const RefactorHost host = HostFor(context);
    const auto planned =
        operation == "apply_fix"
            ? PlanErrorFix(*path, static_cast<int>(JsonInt(arguments, "line").value_or(0)),
                           JsonString(arguments, "fix").value_or(""), host)
            : PlanOrganizeImports(*path, host);
    if (absl::IsFailedPrecondition(planned.status())) {
      return ToolResult::Error(std::string(planned.status().message()));
    }
    if (absl::IsCancelled(planned.status()) || absl::IsInternal(planned.status())) {
      return ToolResult::Fatal(planned.status());
    }
    if (!planned.ok()) return ToolResult::FromStatus(planned.status());
    std::string kept;
    if (!planned->kept.empty()) {
      kept = absl::StrCat("Unused names that stay:\n", absl::StrJoin(planned->kept, "\n"), "\n");
    }
    if (planned->plan.empty()) {
      return ToolResult::Success(absl::StrCat("Nothing to do: the imports of ", DisplayPath(*path),
                                              " are in order, says ", planned->by, ".\n", kept),
                                 ResultJson(false, planned->plan, {}));
    }
    const std::string what = absl::StrCat("a change of ", planned->by, " (", planned->title, ")");
    CarriedPlan carried{planned->plan, absl::StrCat("Applied ", what),
                        absl::StrCat("Would apply ", what)};
    carried.revealed = planned->revealed;
    carried.judged_by = planned->judged_by;
    ToolResult result = CarryPlan(std::move(carried), arguments, host);
    if (!result.ok) return result;
    absl::StrAppend(&result.text, kept);
    if (!planned->kept.empty()) result.data["kept"] = planned->kept;
    if (!planned->revealed.empty()) {
      absl::StrAppend(&result.text, "Errors that the compiler did not come to before:\n");
      AppendErrors(planned->revealed, &result.text);
    }
    return result;
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
