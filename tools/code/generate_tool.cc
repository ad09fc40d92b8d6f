#include "tools/code/generate_tool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/tentative_edits.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/refactor_host.h"
#include "tools/code/refactor_text.h"
#include "tools/codegen/generate.h"
#include "tools/edit/trial.h"
#include "tools/report/edit_syntax.h"
#include "tools/report/numbered_lines.h"

namespace stile {
namespace {

constexpr size_t kMaxShownLines = 40;  // of one file
constexpr size_t kMaxShownLineBytes = 300;

struct LineRange {
  size_t first = 0;  // 1-based
  size_t last = 0;
};

// Where the new text of each edit stands afterwards.
std::vector<LineRange> NewLines(const EditPlan::File& file, const std::string& after) {
  std::vector<TextEdit> edits = file.edits;
  std::stable_sort(edits.begin(), edits.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  std::vector<LineRange> ranges;
  size_t shift = 0;  // may wrap around; so does what it is added to
  for (const TextEdit& edit : edits) {
    size_t begin = edit.begin + shift;
    const size_t end = begin + edit.replacement.size();
    shift += edit.replacement.size() - (edit.end - edit.begin);
    // Line ends and blanks at the edges are no lines to show.
    while (begin < end && absl::string_view("\r\n").find(after[begin]) != absl::string_view::npos) {
      ++begin;
    }
    size_t last = end;
    while (last > begin &&
           absl::string_view(" \t\r\n").find(after[last - 1]) != absl::string_view::npos) {
      --last;
    }
    const auto line_of = [&](size_t at) {
      return static_cast<size_t>(
                 std::count(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
             1;
    };
    ranges.push_back({line_of(begin), line_of(last)});
  }
  return ranges;
}

class CodeGenerateTool : public Tool {
 public:
  CodeGenerateTool(ValidationService* service, const LanguageRegistry* languages, CodeIndex* index)
      : service_(service), languages_(languages), index_(index) {
    spec_.name = "code.generate";
    spec_.description = "Write a type, member or tests.";
    SchemaMember operation{"operation",
                           EnumSchema({"create_type", "method", "property", "constructor", "tests",
                                       "implement_interface"},
                                      "What to write."),
                           true};
    spec_.parameters = ObjectSchema(
        {std::move(operation),
         Optional("targetFile", "string", "File to write into; default: that of className."),
         Optional("className", "string", "Type to create, extend or test."),
         Optional("methodName", "string", "Name of the method or property, or what to test."),
         Optional("signature", "string",
                  "Parameters and result as the language writes them, or the interface's name."),
         Optional("body", "string", "Code of the body; default: one that fails when called.")});
    const Json file = ObjectSchema({Required("path", "string"),
                                    Optional("pathBase64", "string"),
                                    Required("created", "boolean"),
                                    {"lines", ArraySchema({{"type", "integer"}}), true}});
    const Json validation = ObjectSchema({Required("judged", "boolean"),
                                          Required("builds", "boolean"),
                                          Optional("message", "string", "Why not judged."),
                                          {"errors", ArraySchema({{"type", "string"}}), true}});
    spec_.output = ObjectSchema({Required("generated", "string"),
                                 {"validation", validation, true},
                                 {"files", ArraySchema(file), true},
                                 {"notes", ArraySchema({{"type", "string"}}), true},
                                 {"syntaxErrors", EditSyntax::Schema(), true}});
    spec_.permission_argument = "targetFile";
    for (const char* name : {"file", "path", "filePath", "target", "filename"}) {
      spec_.argument_aliases.emplace_back(name, "targetFile");
    }
    for (const char* name : {"type", "typeName", "class", "symbolName", "owner"}) {
      spec_.argument_aliases.emplace_back(name, "className");
    }
    for (const char* name : {"method", "name", "memberName", "propertyName", "functionName"}) {
      spec_.argument_aliases.emplace_back(name, "methodName");
    }
    for (const char* name : {"header", "interfaceName", "interface", "parameters"}) {
      spec_.argument_aliases.emplace_back(name, "signature");
    }
    for (const char* name : {"code", "content", "implementation"}) {
      spec_.argument_aliases.emplace_back(name, "body");
    }
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    GenerateRequest request;
    request.operation = *JsonString(arguments, "operation");
    request.class_name = JsonString(arguments, "className").value_or("");
    request.method_name = JsonString(arguments, "methodName").value_or("");
    request.signature = JsonString(arguments, "signature").value_or("");
    request.body = JsonString(arguments, "body").value_or("");
    if (const auto file = JsonString(arguments, "targetFile"); file.has_value() && !file->empty()) {
      const auto path = ResolveInWorkspace(context.workspace, *file);
      if (!path.ok()) return ToolResult::FromStatus(path.status());
      request.file = path->relative;
    }
    auto generated = PlanGenerate({context.workspace, languages_, index_}, request);
    if (!generated.ok()) {
      if (absl::IsUnimplemented(generated.status())) {
        return ToolResult::Error(std::string(generated.status().message()));
      }
      return ToolResult::FromStatus(generated.status());
    }
    const RefactorHost host{service_, index_, nullptr, &context};
    TentativeEdits edits = host.NewEdits();
    const auto outcome = ApplyPlan(&generated->plan, {}, host.OracleFor(&edits));
    if (auto failed = Settle(outcome.status(), outcome.ok() && outcome->applied, &edits)) {
      return *std::move(failed);
    }
    if (!outcome->applied) {
      const absl::Status written = Write(generated->plan, context);
      if (!written.ok()) return ToolResult::FromStatus(written);
    }
    return Report(*generated, *outcome);
  }

 private:
  static absl::Status Write(const EditPlan& plan, const ToolContext& context) {
    TentativeEdits edits(context.file_system, context.workspace, context.journal_dir);
    TrialContext silent;
    silent.edits = &edits;
    silent.workspace = context.workspace;
    silent.may_change = context.may_change;
    STILE_RETURN_IF_ERROR(TryPlan(plan, silent));
    return edits.Keep();
  }

  static std::string JudgementOf(const PlanOutcome& outcome) {
    if (outcome.applied || outcome.errors.empty()) {
      return Judgement(outcome.judged, outcome.unjudged);
    }
    std::string text = "It does not build now:\n";
    AppendErrors(outcome.errors, &text);
    return text;
  }

  ToolResult Report(const Generated& generated, const PlanOutcome& outcome) {
    Json validation = {{"judged", outcome.judged},
                       {"builds", outcome.judged && outcome.errors.empty()},
                       {"errors", Json::array()}};
    if (!outcome.judged) validation["message"] = ToUtf8(outcome.unjudged);
    for (const Diagnostic& error : outcome.errors) {
      validation["errors"].push_back(ToUtf8(FormatDiagnostic(error)));
    }
    Json data = {{"generated", ToUtf8(generated.what)},
                 {"validation", std::move(validation)},
                 {"files", Json::array()},
                 {"notes", Json::array()},
                 {"syntaxErrors", Json::array()}};
    std::string text =
        absl::StrCat("Generated ", ToUtf8(generated.what), ". ", JudgementOf(outcome));
    std::string errors;
    for (const auto& [path, file] : generated.plan.files()) {
      const std::string after = file.After();
      const std::vector<absl::string_view> lines = SplitLines(after);
      Json entry = {{"created", !file.before.has_value()}, {"lines", Json::array()}};
      SetPath(&entry, "path", path);
      absl::StrAppend(&text, DisplayPath(path), file.before.has_value() ? ":\n" : " (new):\n");
      for (const LineRange& range : NewLines(file, after)) {
        entry["lines"].push_back(range.first);
        entry["lines"].push_back(range.last);
        const size_t last = std::min({range.last, lines.size(), range.first + kMaxShownLines - 1});
        if (range.first > last) continue;
        absl::StrAppend(&text,
                        NumberedLines({lines.begin() + static_cast<std::ptrdiff_t>(range.first - 1),
                                       lines.begin() + static_cast<std::ptrdiff_t>(last)},
                                      range.first, kMaxShownLineBytes));
        if (last < range.last) absl::StrAppend(&text, "[", range.last - last, " more]\n");
      }
      data["files"].push_back(std::move(entry));
      EditSyntax syntax = CheckEdit(*languages_, path, file.before.value_or(""), after);
      absl::StrAppend(&errors, syntax.text);
      for (Json& error : syntax.errors) data["syntaxErrors"].push_back(std::move(error));
    }
    for (const std::string& note : generated.notes) {
      data["notes"].push_back(ToUtf8(note));
      absl::StrAppend(&text, "Note: ", ToUtf8(note), ".\n");
    }
    absl::StrAppend(&text, errors);
    return ToolResult::Success(std::move(text), std::move(data));
  }

  ValidationService* const service_;
  const LanguageRegistry* const languages_;
  CodeIndex* const index_;
  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeGenerateTool(ValidationService* service,
                                          const LanguageRegistry* languages, CodeIndex* index) {
  return std::make_unique<CodeGenerateTool>(service, languages, index);
}

}  // namespace stile
