#include "runtime/git/named_programs.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxSettingsBytes = size_t{4} << 20;

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) absl::StrAppend(&text, ShellQuoted(word), " ");
  return text;
}

// `command` is for a shell, in which git has put a quoted path in place of each %f and a % in place
// of each %%: those stay for git, outside of what is quoted here.
std::string Wrapped(absl::string_view command, const std::vector<std::string>& wrapper,
                    bool has_path) {
  std::string inner;
  for (size_t i = 0; i < command.size(); ++i) {
    const char next = i + 1 < command.size() ? command[i + 1] : '\0';
    if (has_path && command[i] == '%' && next == 'f') {
      inner.append("\"$1\"");
      ++i;
    } else {
      inner.push_back(command[i]);
      if (has_path && command[i] == '%' && next == '%') inner.push_back(command[++i]);
    }
  }
  std::string text = Joined(wrapper);
  if (has_path) {
    // A % of the wrapper's own words is none that git should read.
    std::string doubled;
    for (const char c : text) doubled.append(c == '%' ? 2 : 1, c);
    text = std::move(doubled);
  }
  return absl::StrCat(text, "/bin/sh -c ", ShellQuoted(inner), has_path ? " sh %f" : "");
}

}  // namespace

bool MayNamePrograms(const std::string& git_dir, const std::string& common_dir) {
  for (const std::string& file :
       {JoinPath(common_dir, "config"), JoinPath(git_dir, "config.worktree")}) {
    const auto text = DiskFileSystem()->ReadFile(file, kMaxSettingsBytes);
    if (absl::IsNotFound(text.status())) continue;
    if (!text.ok()) return true;  // git may be able to
    const std::string lower = absl::AsciiStrToLower(*text);
    for (const absl::string_view word : {"filter", "gpg", "include"}) {
      if (absl::StrContains(lower, word)) return true;
    }
  }
  return false;
}

Environment WrapSettings(absl::string_view answer, const std::vector<std::string>& wrapper) {
  // Scope NUL name LF value NUL; without the value where a setting has none.
  const std::vector<absl::string_view> fields = absl::StrSplit(answer, '\0');
  Environment variables;
  int count = 0;
  for (size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i] != "local" && fields[i] != "worktree") continue;
    const std::pair<absl::string_view, absl::string_view> setting =
        absl::StrSplit(fields[i + 1], absl::MaxSplits('\n', 1));
    if (setting.second.empty()) continue;
    const bool has_path =
        absl::EndsWith(setting.first, ".clean") || absl::EndsWith(setting.first, ".smudge");
    variables[absl::StrCat("GIT_CONFIG_KEY_", count)] = std::string(setting.first);
    variables[absl::StrCat("GIT_CONFIG_VALUE_", count)] =
        Wrapped(setting.second, wrapper, has_path);
    ++count;
  }
  if (count > 0) variables["GIT_CONFIG_COUNT"] = absl::StrCat(count);
  return variables;
}

absl::StatusOr<std::vector<std::string>> RunnableHooks(const std::string& hooks) {
  std::vector<std::string> runnable;
  if (!DirectoryExists(hooks)) return runnable;
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(hooks));
  for (const std::string& name : names) {
    const std::string hook = JoinPath(hooks, name);
    if (absl::EndsWith(name, ".sample") || DirectoryExists(hook) ||
        access(hook.c_str(), X_OK) != 0) {
      continue;
    }
    runnable.push_back(name);
  }
  return runnable;
}

absl::Status WrapHooks(const std::string& hooks, const std::vector<std::string>& names,
                       const std::vector<std::string>& wrapper, const std::string& folder) {
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(folder));
  for (const std::string& name : names) {
    const std::string script = absl::StrCat("#!/bin/sh\nexec ", Joined(wrapper),
                                            ShellQuoted(JoinPath(hooks, name)), " \"$@\"\n");
    STILE_RETURN_IF_ERROR(
        DiskFileSystem()->WriteFile(JoinPath(folder, name), script, 0700, /*sync=*/false));
  }
  return absl::OkStatus();
}

}  // namespace stile
