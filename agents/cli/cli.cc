#include "agents/cli/cli.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/cli/app_command.h"
#include "agents/cli/certificate_command.h"
#include "agents/cli/code_command.h"
#include "agents/cli/cycle_command.h"
#include "agents/cli/doctor_command.h"
#include "agents/cli/events_command.h"
#include "agents/cli/gate_command.h"
#include "agents/cli/generate_command.h"
#include "agents/cli/init_command.h"
#include "agents/cli/mcp_command.h"
#include "agents/cli/models_command.h"
#include "agents/cli/output.h"
#include "agents/cli/plan_command.h"
#include "agents/cli/run_command.h"
#include "agents/cli/run_console.h"
#include "agents/cli/runs_command.h"
#include "agents/cli/step_command.h"
#include "agents/cli/tools_command.h"
#include "agents/cli/trust_command.h"
#include "agents/cli/validate_command.h"
#include "agents/cli/verify_command.h"
#include "agents/cli/workflow_command.h"
#include "runtime/base/text.h"
#include "runtime/base/version.h"

namespace stile {
namespace {

constexpr char kFooter[] =
    "Examples:\n"
    "  stile run -t \"Fix the failing test\" --workspace . --model anthropic:claude-sonnet-5\n"
    "  stile run stories/rename.yaml --worktree\n"
    "  stile validate src --json\n"
    "  stile runs diff 20261121T1015\n"
    "  stile navigate references OrderService\n"
    "  stile doctor\n"
    "\n"
    "Exit codes:\n"
    "  0    succeeded or unchanged; validate: pass; certificate verify: matches\n"
    "  1    failed: gave up, expectations unmet, workflow or its tests failed,\n"
    "       verification did not converge;\n"
    "       validate: fail, timeout or no_validator;\n"
    "       certificate verify: does not match\n"
    "  2    usage or configuration error\n"
    "  3    gate_failed: the changed code does not build, or its tests fail\n"
    "  4    a limit: turns, tokens, cost, wall time, repetition, loop budget\n"
    "  5    model error: unreachable, refused, unparsable, cassette exhausted\n"
    "  6    infra_error or internal\n"
    "  130  cancelled (SIGINT, SIGTERM)\n"
    "\n"
    "Settings come from flags, STILE_* variables, stile.yaml, the user's configuration and "
    "defaults,\n"
    "in this order. NO_COLOR turns colours off.";

// For a first look: the footer of what stands without any argument.
constexpr char kFirstExamples[] =
    "Examples:\n"
    "  stile run -t \"Fix the failing test\" --model anthropic:claude-sonnet-5\n"
    "  stile validate            # judge the code in this folder; no model\n"
    "  stile doctor              # what this machine can validate, and what is missing\n"
    "\n"
    "stile --help tells more, stile VERB --help all of one verb.";

constexpr char kGateRun[] = "stile gate run";

// The command whose arguments were being read when parsing ended.
const CLI::App* Innermost(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return app;
}

std::string FullName(const CLI::App* app) {
  return app->get_parent() == nullptr
             ? app->get_name()
             : absl::StrCat(FullName(app->get_parent()), " ", app->get_name());
}

// Names that could have been meant in place of an unknown word.
std::vector<std::string> KnownWords(const CLI::App* app, bool options) {
  std::vector<std::string> words;
  if (!options) {
    for (const CLI::App* command : app->get_subcommands(nullptr))
      words.push_back(command->get_name());
    return words;
  }
  for (const CLI::App* owner = app; owner != nullptr; owner = owner->get_parent()) {
    for (const CLI::Option* option : owner->get_options()) {
      for (const std::string& name : option->get_lnames())
        words.push_back(absl::StrCat("--", name));
    }
  }
  return words;
}

// "stile runs undo" for "undo": the first verb of this name below others; "": none.
std::string VerbBelow(const CLI::App* app, const std::string& word) {
  for (const CLI::App* command : app->get_subcommands(nullptr)) {
    if (command->get_name() == word) return FullName(command);
    const std::string below = VerbBelow(command, word);
    if (!below.empty()) return below;
  }
  return "";
}

// "'stile runs' needs a verb behind it: list, show": for a command given without its verb.
std::string MissingVerb(const CLI::App* command) {
  std::vector<std::string> names = KnownWords(command, false);
  return absl::StrCat("'", FullName(command),
                      "' needs a verb behind it: ", absl::StrJoin(names, ", "));
}

// Of the parser's own messages those that can be said better.
std::string MessageOf(const CLI::App* command, const CLI::ParseError& error) {
  const std::string message = error.what();
  const bool lacks_value = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  if (lacks_value) return absl::StrCat(message.substr(0, message.find(':')), " needs a value");
  const bool lacks_verb = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                          !command->get_subcommands(nullptr).empty();
  return lacks_verb ? MissingVerb(command) : message;
}

// Verbs whose --json output is a stream of events, which run_finished ends in every case.
bool StreamsEvents(const CLI::App* command) {
  static const auto* const verbs =
      new std::set<std::string>{"stile run",         "stile step",
                                "stile plan",        "stile workflow author",
                                "stile app",         "stile workflow run",
                                "stile runs resume", "stile runs retry",
                                "stile cycle run",   kGateRun};
  return verbs->count(FullName(command)) > 0;
}

int ReportParseError(const CLI::App& app, const CLI::ParseError& error, bool json) {
  const CLI::App* command = Innermost(&app);
  std::string message = MessageOf(command, error);
  const std::vector<std::string> extras = app.remaining(true);
  if (!extras.empty()) {
    const std::string& word = extras.front();
    const bool option = absl::StartsWith(word, "-");
    const bool verb = !option && !command->get_subcommands(nullptr).empty();
    const std::string below = verb ? VerbBelow(&app, word) : "";
    const std::string nearest = below.empty() ? Nearest(word, KnownWords(command, option)) : below;
    message = absl::StrCat(option ? "unknown flag "
                           : verb ? "unknown verb "
                                  : "unexpected argument ",
                           "'", Printable(word), "'",
                           nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?"),
                           option || verb ? "" : "; put a text of several words in quotes");
    if (FullName(command) == kGateRun && !option) {
      message = absl::StrCat("put -- before the program: ", kGateRun, " -- ", Printable(word));
    }
  }
  absl::StrAppend(&message, "; see '", FullName(command), " --help'");
  if (json && StreamsEvents(command)) PrintRefusal(absl::InvalidArgumentError(message), "", 1, "");
  return UsageError(message);
}

void Declare(CLI::App* app, CliContext* context) {
  app->name("stile");
  app->set_version_flag("--version", absl::StrCat("stile ", kVersion));
  app->add_flag("--json", context->json, "Machine-readable output: JSON on stdout, nothing else");
  app->add_flag("-q,--quiet", context->quiet, "No progress");
  app->add_flag("-v,--verbose", context->verbose, "Also what the model says and tools print");
  app->add_option("--config", context->config_file, "Read this file in place of stile.yaml")
      ->type_name("FILE");
  app->require_subcommand(1);
  app->fallthrough();
  app->footer(kFooter);
  app->get_formatter()->column_width(28);
  for (const Verb& verb : Verbs()) {
    CLI::App* command = app->add_subcommand(verb.name, verb.help);
    command->group(verb.group);
    command->footer("");
    verb.declare(command, context);
  }
}

// Where the verb stands: the first word that is no global flag.
std::vector<const char*>::iterator FindVerb(std::vector<const char*>* words) {
  auto verb = words->begin() + 1;
  while (verb != words->end() && (*verb)[0] == '-') {
    const bool has_value = absl::string_view(*verb) == "--config";
    if (++verb != words->end() && has_value) ++verb;
  }
  return verb;
}

// Takes what belongs to another program out of the words.
void TakeProgram(std::vector<const char*>* words, CliContext* context) {
  const auto verb = FindVerb(words);
  if (verb == words->end() || absl::string_view(*verb) != "gate") return;
  const auto dashes = std::find(verb, words->end(), absl::string_view("--"));
  if (dashes == words->end()) return;
  context->program.assign(dashes + 1, words->end());
  words->erase(dashes, words->end());
}

// Verbs of earlier versions stay usable: they are replaced by the present ones, which standard
// error names.
void ReplaceOldVerb(std::vector<const char*>* words) {
  static const auto* const kNew = new std::map<absl::string_view, std::vector<const char*>>{
      {"build", {"workflow", "author"}}, {"loop", {"app"}}};
  auto verb = FindVerb(words);
  const auto found = verb == words->end() ? kNew->end() : kNew->find(*verb);
  if (found == kNew->end()) return;
  const std::string now = absl::StrJoin(found->second, " ");
  WriteAll(STDERR_FILENO,
           absl::StrCat("stile: 'stile ", *verb, "' is called 'stile ", now, "' now\n"));
  verb = words->erase(verb);
  words->insert(verb, found->second.begin(), found->second.end());
}

// Set by the callback of the command that was given; the parse itself must not run it, since
// exceptions of the parser are caught around it.
CommandFunction* chosen = nullptr;

}  // namespace

void OnCommand(CLI::App* app, CommandFunction function) {
  app->callback([app, function = std::move(function)] {
    // A verb may work by itself, and have verbs of its own.
    if (app->get_subcommands().empty()) *chosen = function;
  });
}

const std::vector<Verb>& Verbs() {
  static const auto* verbs = new std::vector<Verb>{
      {"run", "Work", "Run a story, or one task, until the changed code builds", DeclareRun},
      {"step", "Work", "Run one request (JSON on stdin); events and result as JSON lines",
       DeclareStep},
      {"gate", "Work", "Hold other programs, agents and people to the gate", DeclareGate},
      {"mcp", "Work", "Serve the gate and the code tools over MCP; call other MCP servers",
       DeclareMcp},
      {"validate", "Work", "Judge a workspace as it stands: build or test its projects",
       DeclareValidate},
      {"plan", "Work", "Divide a goal into the steps of a story", DeclarePlan},
      {"workflow", "Work", "Run, test, check, draw or write a workflow", DeclareWorkflow},
      {"app", "Work",
       "Write a source file, repair it, transpile it, smoke test and deliver the result",
       DeclareApp},
      {"cycle", "Work", "Agent, tests and auditors on a branch, until all of them agree",
       DeclareCycle},
      {"verify", "Work", "A verifier names defects in code, a critic judges them, in rounds",
       DeclareVerify},
      {"runs", "Look back", "List, show, compare, undo, resume, retry and prune earlier runs",
       DeclareRuns},
      {"certificate", "Look back", "Show or verify the proof of an accepted run; make keys",
       DeclareCertificate},
      {"navigate", "Look at code",
       "Find definition, references, callers, implementations of a symbol", DeclareNavigate},
      {"inspect", "Look at code", "Outline a file, or show what is known of a symbol",
       DeclareInspect},
      {"refactor", "Change code",
       "Change code by meaning, everywhere at once, with the compiler as judge", DeclareRefactor},
      {"generate", "Change code",
       "Write a type, a member, a constructor, tests; implement an interface", DeclareGenerate},
      {"search", "Look at code", "Find code by what it is about, best first", DeclareSearch},
      {"doctor", "Set up", "Say what this machine can validate, and what is missing",
       DeclareDoctor},
      {"init", "Set up", "Write a commented stile.yaml", DeclareInit},
      {"trust", "Set up", "Let a repository's stile.yaml name commands and loosen the gate",
       DeclareTrust},
      {"models", "Set up", "List providers and models: limits, prices, keys", DeclareModels},
      {"events", "Set up", "List the types of events, or print their JSON Schema", DeclareEvents},
      {"tools", "Set up", "List the tools that agents have", DeclareTools},
  };
  return *verbs;
}

int RunCli(int argc, const char* const* argv, CliContext* context) {
  CLI::App app(
      "Runs coding agents that cannot say \"done\" until the code they changed has been built.");
  CommandFunction function;
  chosen = &function;
  Declare(&app, context);
  if (argc <= 1) {
    app.footer(kFirstExamples);
    Print(app.help());
    return 2;  // nothing was asked for: a script that lost its arguments has to notice
  }
  // `stile help VERB` is `stile VERB --help`.
  std::vector<const char*> words(argv, argv + argc);
  if (absl::string_view(words[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  ReplaceOldVerb(&words);
  TakeProgram(&words, context);
  const bool json =
      std::find(words.begin(), words.end(), absl::string_view("--json")) != words.end();
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help, std::cout, std::cerr);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    return ReportParseError(app, error, json);
  }
  const int code = function();
  const absl::Status printed = StdoutStatus();
  return code == 0 && !printed.ok() ? ReportStatus(printed) : code;
}

}  // namespace stile
