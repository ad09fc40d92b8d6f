#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/gate_hook.h"
#include "agents/cli/host_settings.h"
#include "agents/cli/line_reader.h"
#include "agents/cli/output.h"
#include "agents/cli/signals.h"
#include "agents/hooks/hook_settings.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct InstallFlags {
  std::string host;
  AgentFlags agent;
  bool project = false;
  bool remove = false;
  bool yes = false;
};

std::vector<std::string> LinesOf(const std::string& text) {
  return absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
}

// The lines in which the two differ, between those that are the same at the top and the bottom.
std::string Difference(const std::string& before, const std::string& after,
                       const Terminal& terminal) {
  const std::vector<std::string> old_lines =
      before.empty() ? std::vector<std::string>() : LinesOf(before);
  const std::vector<std::string> new_lines =
      after.empty() ? std::vector<std::string>() : LinesOf(after);
  const size_t common = std::min(old_lines.size(), new_lines.size());
  size_t top = 0;
  while (top < common && old_lines[top] == new_lines[top]) ++top;
  size_t bottom = 0;
  while (bottom < common - top &&
         old_lines[old_lines.size() - 1 - bottom] == new_lines[new_lines.size() - 1 - bottom]) {
    ++bottom;
  }
  std::string text;
  for (size_t i = top; i + bottom < old_lines.size(); ++i) {
    absl::StrAppend(&text, Styled(terminal, Style::kRed, absl::StrCat("-", OneLine(old_lines[i]))),
                    "\n");
  }
  for (size_t i = top; i + bottom < new_lines.size(); ++i) {
    absl::StrAppend(
        &text, Styled(terminal, Style::kGreen, absl::StrCat("+", OneLine(new_lines[i]))), "\n");
  }
  return text;
}

// InvalidArgument: there is no terminal at which a person could answer.
absl::StatusOr<bool> Confirm(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) {
    return absl::InvalidArgumentError(
        "nothing was changed, because no person can be asked; pass --yes to change the file");
  }
  WriteAll(STDERR_FILENO, absl::StrCat(question, " [y/N] "));
  std::string line;
  if (!LineReader(STDIN_FILENO).Next(CancelOnSignals(), &line)) return false;
  const std::string reply = absl::AsciiStrToLower(absl::StripAsciiWhitespace(line));
  return reply == "y" || reply == "yes";
}

// "": the file goes. Settings are often links into a folder of a person's own: what the link points
// to is changed, and stays.
absl::Status Store(const std::string& file, const std::string& text) {
  struct stat info {};
  const bool is_link = lstat(file.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
  const auto target = RealPath(file);
  if (is_link && !target.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is a link to nothing"));
  }
  if (text.empty() && !is_link) return DiskFileSystem()->RemoveFile(file);
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(DirName(file)));
  const bool is_there = stat(file.c_str(), &info) == 0;
  return WriteFileAtomically(DiskFileSystem(), is_there ? *target : file, text,
                             is_there ? static_cast<int>(info.st_mode & 07777) : 0644);
}

// The file that some hosts want beside the hook; one that holds something else is left alone.
absl::Status StoreCompanion(const AgentHost& host, const std::string& file, bool is_installed) {
  if (host.companion.empty()) return absl::OkStatus();
  const std::string beside = JoinPath(DirName(file), host.companion);
  STILE_ASSIGN_OR_RETURN(const std::string text, ReadHostFile(beside));
  if (is_installed) return text.empty() ? Store(beside, host.companion_text) : absl::OkStatus();
  return text == host.companion_text ? Store(beside, "") : absl::OkStatus();
}

int Install(const CliContext& context, const InstallFlags& flags) {
  const auto host = FindAgentHost(flags.host);
  if (!host.ok()) return UsageError(host.status().message());
  const auto file = HostFile(context, **host, flags.project, flags.agent.workspace);
  if (!file.ok()) return ReportStatus(file.status());
  const auto before = ReadHostFile(*file);
  if (!before.ok()) return ReportStatus(before.status());
  const auto program = RealPath("/proc/self/exe");
  if (!program.ok()) return ReportStatus(program.status());
  if (!IsUtf8(*program)) {
    return UsageError("the path of this program is not UTF-8, so no settings can name it; move it");
  }
  const auto after = flags.remove ? WithoutHook(**host, *before)
                                  : WithHook(**host, *before, HookCommand(**host, *program));
  if (!after.ok()) {
    return ReportStatus(
        absl::InvalidArgumentError(absl::StrCat(*file, ": ", after.status().message(),
                                                "; change it by hand: see `stile gate "
                                                "install --help`")));
  }
  const std::string shown = OneLine(*file);
  if (*after == *before) {
    Print(
        absl::StrCat(flags.remove ? "There is no hook of Stile in " : "The hook stands already in ",
                     shown, "\n"));
    return 0;
  }
  const Terminal terminal = DescribeTerminal(STDERR_FILENO, context.environment);
  WriteAll(STDERR_FILENO,
           absl::StrCat(shown, ":\n", Difference(*before, *after, terminal),
                        after->empty() ? "Nothing is left in it: the file is removed.\n" : ""));
  if (!flags.yes) {
    const auto confirmed = Confirm("Change this file?");
    if (!confirmed.ok()) return ReportStatus(confirmed.status());
    if (!*confirmed) {
      Print("Nothing was changed.\n");
      return 1;
    }
  }
  absl::Status status = Store(*file, *after);
  if (status.ok()) status = StoreCompanion(**host, *file, !after->empty());
  if (!status.ok()) return ReportStatus(status);
  if (flags.remove) {
    Print(absl::StrCat("Removed from ", shown, "\n"));
    return 0;
  }
  Print(absl::StrCat("Installed in ", shown, "\n", (*host)->trust.empty() ? "" : (*host)->trust,
                     (*host)->trust.empty() ? "" : "\n", "Try it: stile gate doctor ", (*host)->id,
                     "\nTake it back: stile gate install ", (*host)->id,
                     flags.project ? " --project" : "", " --remove\n"));
  return 0;
}

}  // namespace

void DeclareGateInstall(CLI::App* app, CliContext* context) {
  const auto flags = std::make_shared<InstallFlags>();
  app->add_option("host", flags->host, "claude, codex, gemini, …")->required();
  app->add_flag("--project", flags->project,
                "In the settings of the project in this folder; else in those of the user");
  app->add_flag("--remove", flags->remove, "Take the hook out again");
  app->add_flag("-y,--yes", flags->yes, "Do not ask");
  DeclareWorkspaceFlag(app, &flags->agent);
  std::string hosts;
  for (const AgentHost& host : AgentHosts()) {
    absl::StrAppend(&hosts, "\n  ", host.id, ": ", host.name, ", ~/", host.user_file);
  }
  app->footer(absl::StrCat(
      "Shows what it will change, and asks. The host then calls `stile gate hook` at the beginning "
      "and\n"
      "at the end of each turn, and goes on working while the changed code does not build. A hook\n"
      "cannot force that: the host decides. `stile gate run` does not depend on the host.\n"
      "\nHosts:",
      hosts,
      "\n\nExamples:\n  stile gate install claude\n  stile gate install codex --project --yes"));
  OnCommand(app, [flags, context] { return Install(*context, *flags); });
}

}  // namespace stile
