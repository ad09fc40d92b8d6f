#include "agents/cli/init_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/catalog.h"
#include "agents/api/user_folders.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/output.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/ignore_rules.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxFilesSeen = 200'000;

constexpr char kSettings[] =
    "\n"
    "# Which model works here: openai:…, anthropic:… or ollama:…. Keys come from the environment.\n"
    "# model: anthropic:claude-sonnet-5\n"
    "\n"
    "# Profile of the agent: coding-agent, lead-agent, build-fixer or code-review.\n"
    "# agent: coding-agent\n"
    "\n"
    "# Agents read AGENTS.md, CLAUDE.md and skills of this repository, unless this is off.\n"
    "# instructions: off\n"
    "\n"
    "# Language servers (gopls, clangd, …) say what names mean, unless this is off.\n"
    "# resolvers: off\n"
    "\n"
    "# What one run may use; 0 means no limit.\n"
    "limits:\n"
    "  max_turns: 50\n"
    "  # tokens: 2000000\n"
    "  # cost_usd: 5\n"
    "  # wall_time_s: 3600\n"
    "\n"
    "# When a run counts as done.\n"
    "gate:\n"
    "  level: build            # build, or test: the tests must pass, too\n"
    "  on_finish: reject       # reject, or validate: run what is missing at finish\n"
    "  max_failures: 5         # failed validations in a row that end the run\n"
    "  # no_validator: report  # do not insist where a compiler is missing\n"
    "  # weakening: report     # let tasks skip tests and loosen checkers\n"
    "  # uncovered: report     # accept changed code that is no part of the build\n"
    "  # untrusted: reject     # no run while validators below are not trusted\n"
    "  # watch: [\"*.proto\"]    # further files that must be validated\n"
    "\n"
    "# What the agent may do without being asked about it, beyond the defaults.\n"
    "permissions:\n"
    "  allow: []               # [\"shell.execute(make *)\"]\n"
    "  ask: []\n"
    "  deny: []                # [\"shell.execute(git push *)\"]\n"
    "\n"
    "# What a story leaves behind.\n"
    "# deliver:\n"
    "#   commit: true\n"
    "#   paths: [\"src/**\"]     # changes elsewhere fail the story\n";

struct InitFlags {
  AgentFlags agent;
  std::vector<std::string> languages;
  bool force = false;
  bool print = false;
};

// How many files of each language (by name) lie in the workspace, what is ignored left out.
absl::StatusOr<std::map<std::string, size_t>> CountFiles(const std::string& workspace,
                                                         const LanguageRegistry& languages) {
  STILE_ASSIGN_OR_RETURN(const IgnoreRules rules,
                         IgnoreRules::Load(workspace, DefaultIgnorePatterns(), {}));
  std::map<std::string, size_t> counts;
  size_t seen = 0;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (Walk walk(workspace, options, error); !error && walk != Walk(); walk.increment(error)) {
    if (++seen > kMaxFilesSeen) break;
    const std::string path = walk->path().string().substr(workspace.size() + 1);
    std::error_code status_error;
    if (walk->symlink_status(status_error).type() == std::filesystem::file_type::directory) {
      if (BaseName(path) == ".git" || rules.CanSkipFolder(path)) walk.disable_recursion_pending();
    } else if (const Language* language = languages.OfFile(path);
               language != nullptr && !rules.IsIgnoredFile(path)) {
      ++counts[language->name];
    }
  }
  return counts;
}

std::string SettingsFor(const std::map<std::string, size_t>& counts) {
  std::string text = "# Settings of Stile for this repository. Every key is optional.\n";
  if (counts.empty()) {
    text += "# No code of a known language was found here.\n";
  } else {
    text += "# Found here:";
    for (const auto& [name, count] : counts) {
      absl::StrAppend(&text, text.back() == ':' ? " " : ", ", name, " (", Count(count, "file"),
                      ")");
    }
    text += ". See stile doctor for what judges them.\n";
  }
  return text + kSettings;
}

// The templates of these languages as one block `validators:`, each under its own comments. "" for
// none. A language with validators of Stile's own needs no template.
absl::StatusOr<std::string> ValidatorsFor(const std::vector<std::string>& names,
                                          const LanguageRegistry& languages) {
  const std::string head_line = "validators:\n";
  std::string text;
  std::set<std::string> done;
  for (const std::string& given : names) {
    const std::string name = absl::AsciiStrToLower(given);
    if (!done.insert(name).second) continue;
    if (languages.Find(name) != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--language ", name, ": Stile has validators for it, so it needs no template; there are ",
          absl::StrJoin(TemplateNames(), ", ")));
    }
    auto block = LoadTemplate(name);
    if (!block.ok()) return WithContext(block.status(), "--language");
    const size_t head = block->find(head_line);
    const std::string comments = block->substr(0, head);
    for (const absl::string_view line : SplitLines(comments)) {
      absl::StrAppend(&text, "  ", line, "\n");
    }
    absl::StrAppend(&text, block->substr(head + head_line.size()));
  }
  return text.empty() ? text : absl::StrCat(head_line, text);
}

int Init(const CliContext& context, const InitFlags& flags) {
  const std::string folder = flags.agent.workspace.empty() ? "." : flags.agent.workspace;
  const auto workspace = ResolveFolder(folder);
  if (!workspace.ok()) return ReportStatus(workspace.status());
  const std::string file = JoinPath(*workspace, "stile.yaml");
  const auto languages = LoadLanguages(Config());
  if (!languages.ok()) return ReportStatus(languages.status());
  const auto validators = ValidatorsFor(flags.languages, *languages);
  if (!validators.ok()) return ReportStatus(validators.status());
  if (flags.print) {
    if (validators->empty()) return UsageError("--print needs --language");
    Print(*validators);
    return 0;
  }
  if (!flags.force && FileExists(file)) {
    return UsageError(
        absl::StrCat(file, " exists already; --force overwrites it",
                     flags.languages.empty() ? "" : ", --print prints the block to add to it"));
  }
  const auto counts = CountFiles(*workspace, *languages);
  if (!counts.ok()) return ReportStatus(counts.status());

  const auto state = StateDir(context.environment);
  if (!state.ok()) return ReportStatus(state.status());
  EditTransaction edit(DiskFileSystem(), *workspace, JoinPath(*state, "edits"));
  if (!flags.force) edit.Expect("stile.yaml", std::nullopt);
  std::string settings = SettingsFor(*counts);
  if (!validators->empty()) {
    absl::StrAppend(&settings, "\n# Who judges files that Stile has no validator for.\n",
                    *validators);
  }
  absl::Status status = edit.Write("stile.yaml", settings);
  if (status.ok()) status = edit.Commit();
  if (!status.ok()) return ReportStatus(status);
  if (context.json) {
    PrintJson({{"file", file}, {"languages", *counts}});
  } else {
    Print(absl::StrCat("wrote ", OneLine(file),
                       validators->empty()
                           ? "; next: stile doctor\n"
                           : "; next: read it, then stile trust (validators count from then on), "
                             "then stile doctor\n"));
  }
  return 0;
}

}  // namespace

void DeclareInit(CLI::App* app, CliContext* context) {
  auto flags = std::make_shared<InitFlags>();
  DeclareWorkspaceFlag(app, &flags->agent);
  app->add_flag("--force", flags->force, "Overwrite an existing stile.yaml");
  app->add_option("--language", flags->languages,
                  absl::StrCat("Add validators for ", absl::StrJoin(TemplateNames(), ", "),
                               "; may be repeated"))
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_flag("--print", flags->print, "Print the validators, and write nothing");
  OnCommand(app, [flags, context] { return Init(*context, *flags); });
}

}  // namespace stile
