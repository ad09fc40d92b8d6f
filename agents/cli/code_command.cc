#include "agents/cli/code_command.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/cli/ask_tool.h"
#include "agents/cli/output.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

struct CodeFlags {
  AgentFlags agent;
  std::string operation;
  std::string symbol;
  std::string file;
  std::string files;
  int line = 0;
  int limit = 0;
  std::string new_name;
  int start_line = 0;
  int end_line = 0;
  bool preview = false;
  std::string fix;
  std::string related;
  bool no_comments = false;
  int depth = 0;
};

// PositiveNumber names its bound, which has 309 digits.
CLI::Range LineNumber() { return {1, std::numeric_limits<int>::max()}; }

int Ask(const CliContext& context, const CodeFlags& flags, const char* tool, Json arguments,
        const std::string& new_path = "") {
  return AskTool(context, flags.agent, tool, {{"filePath", flags.file}, {"newName", new_path}},
                 std::move(arguments));
}

int Navigate(const CliContext& context, const CodeFlags& flags) {
  Json arguments = {{"operation", flags.operation}, {"symbolName", flags.symbol}};
  if (flags.line > 0) arguments["line"] = flags.line;
  if (flags.depth > 0) arguments["depth"] = flags.depth;
  arguments["limit"] = flags.limit > 0 ? flags.limit : 1000;
  return Ask(context, flags, "code.navigate", std::move(arguments));
}

int Inspect(const CliContext& context, CodeFlags flags) {
  // What is a file is meant as one.
  Json arguments = Json::object();
  if (flags.file.empty() && FileExists(flags.symbol) && !DirectoryExists(flags.symbol)) {
    std::swap(flags.file, flags.symbol);
  } else if (flags.file.empty() && absl::StrContains(flags.symbol, '/')) {
    return UsageError(absl::StrCat("no such file: ", flags.symbol));
  }
  if (!flags.symbol.empty()) arguments["symbolName"] = flags.symbol;
  return Ask(context, flags, "code.inspect", std::move(arguments));
}

int Refactor(const CliContext& context, CodeFlags flags) {
  // What is extracted is named by its lines: the one name given is the new one.
  const bool has_one_name =
      flags.operation == "extract_method" || flags.operation == "extract_variable" ||
      flags.operation == "extract_constant" || flags.operation == "extract_parameter";
  if (has_one_name && flags.new_name.empty()) std::swap(flags.symbol, flags.new_name);
  const bool is_of_file = flags.operation == "apply_fix" || flags.operation == "organize_imports" ||
                          flags.operation == "move_file";
  if (is_of_file && flags.file.empty()) std::swap(flags.symbol, flags.file);
  if (is_of_file && flags.file.empty()) {
    return UsageError(
        absl::StrCat(flags.operation, " needs a file: stile refactor ", flags.operation, " FILE"));
  }
  const bool has_parameters = flags.operation == "change_signature";
  const bool moves_file = flags.operation == "move_file";
  const bool has_new_name =
      flags.operation == "rename" || has_parameters || moves_file || has_one_name;
  if (has_new_name && flags.new_name.empty()) {
    const char* const wanted = has_parameters ? "PARAMETERS" : moves_file ? "NEW-PATH" : "NEW-NAME";
    return UsageError(absl::StrCat(flags.operation, " needs ", wanted, ": stile refactor ",
                                   flags.operation,
                                   moves_file     ? " FILE "
                                   : has_one_name ? " "
                                                  : " SYMBOL ",
                                   wanted));
  }
  Json arguments = {{"operation", flags.operation}};
  if (!flags.symbol.empty()) arguments["symbolName"] = flags.symbol;
  if (!flags.new_name.empty()) {
    arguments[has_parameters ? "parameters" : "newName"] = flags.new_name;
  }
  if (flags.line > 0) arguments["line"] = flags.line;
  if (flags.start_line > 0) arguments["startLine"] = flags.start_line;
  if (flags.end_line > 0) arguments["endLine"] = flags.end_line;
  if (!flags.fix.empty()) arguments["fix"] = flags.fix;
  if (!flags.related.empty()) arguments["related"] = flags.related;
  if (flags.preview) arguments["preview"] = true;
  if (flags.no_comments) arguments["comments"] = false;
  const bool names_path =
      moves_file || flags.operation == "move_type" || flags.operation == "move_symbol";
  return Ask(context, flags, "code.refactor", std::move(arguments),
             names_path ? flags.new_name : "");
}

int Search(const CliContext& context, const CodeFlags& flags) {
  Json arguments = {{"query", flags.symbol}};
  if (!flags.files.empty()) arguments["filePattern"] = flags.files;
  if (flags.limit > 0) arguments["limit"] = flags.limit;
  return Ask(context, flags, "code.search", std::move(arguments));
}

}  // namespace

void DeclareRefactor(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<CodeFlags>();
  const std::vector<std::string> operations = {"rename",
                                               "safe_delete",
                                               "move_type",
                                               "move_symbol",
                                               "move_file",
                                               "extract_method",
                                               "extract_variable",
                                               "extract_constant",
                                               "extract_parameter",
                                               "extract_interface",
                                               "inline_variable",
                                               "inline_constant",
                                               "inline_function",
                                               "pull_up",
                                               "push_down",
                                               "change_signature",
                                               "apply_fix",
                                               "organize_imports"};
  app->add_option("operation", flags->operation, absl::StrJoin(operations, ", "))
      ->required()
      ->check(CLI::IsMember(operations));
  app->add_option(
      "symbol", flags->symbol,
      "A name, or Owner.name; of extract_variable, extract_constant and extract_parameter "
      "the expression; of move_file, apply_fix and organize_imports the file");
  app->add_option("new-name", flags->new_name,
                  "The name that it gets; of move_type, move_symbol and move_file the new path, of "
                  "change_signature the new parameters, of pull_up the base class");
  app->add_option("--start-line", flags->start_line, "Of what is extracted")->check(LineNumber());
  app->add_option("--end-line", flags->end_line, "Of what is extracted")->check(LineNumber());
  app->add_option("--file", flags->file, "Where it is declared or used");
  app->add_option("--line", flags->line, "In that file")->check(LineNumber());
  app->add_option("--fix", flags->fix, "apply_fix: the title of the change that is wanted");
  app->add_option("--related", flags->related,
                  "rename: what is done with names made from the old one: list, apply or none")
      ->check(CLI::IsMember({"list", "apply", "none"}));
  app->add_flag("--preview", flags->preview, "Show what would change, and change nothing");
  app->add_flag("--no-comments", flags->no_comments,
                "rename: leave the symbol's documentation unchanged");
  DeclareWorkspaceFlag(app, &flags->agent);
  app->footer(
      "The compilers of the project decide what a syntax tree cannot know. Either all of the "
      "change "
      "stays, or nothing.\nExit codes: 0 done, 2 refused or usage, 6 no answer.");
  OnCommand(app, [context, flags] { return Refactor(*context, *flags); });
}

void DeclareNavigate(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<CodeFlags>();
  app->add_option("operation", flags->operation,
                  "definition, references, usages (references without declarations), callers, "
                  "callees, implementations, derived_types, base_types or hover (type and "
                  "documentation)")
      ->required()
      ->check(CLI::IsMember({"definition", "references", "usages", "callers", "callees",
                             "implementations", "derived_types", "base_types", "hover"}));
  app->add_option("symbol", flags->symbol, "A name, or Owner.name")->required();
  app->add_option("--file", flags->file, "Where it is declared or used");
  app->add_option("--line", flags->line, "In that file")->check(LineNumber());
  app->add_option("--depth", flags->depth,
                  "Of callers, callees and base_types: how many steps to follow (default 1)")
      ->check(CLI::Range(1, 5));
  app->add_option("--limit", flags->limit, "At most this many (default 1000)")
      ->check(CLI::Range(1, 1000));
  DeclareWorkspaceFlag(app, &flags->agent);
  OnCommand(app, [context, flags] { return Navigate(*context, *flags); });
}

void DeclareInspect(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<CodeFlags>();
  app->add_option("what", flags->symbol, "A file of code, or a symbol: name or Owner.name")
      ->required();
  app->add_option("--file", flags->file, "Where the symbol is declared or used");
  DeclareWorkspaceFlag(app, &flags->agent);
  OnCommand(app, [context, flags] { return Inspect(*context, *flags); });
}

void DeclareSearch(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<CodeFlags>();
  app->add_option("query", flags->symbol, "Words for what the code does, or names in it")
      ->required();
  app->add_option("--files", flags->files, "Only files that match, such as 'src/**/*.ts'")
      ->type_name("GLOB");
  app->add_option("--limit", flags->limit, "At most this many (default 10)")
      ->check(CLI::Range(1, 200));
  DeclareWorkspaceFlag(app, &flags->agent);
  OnCommand(app, [context, flags] { return Search(*context, *flags); });
}

}  // namespace stile
