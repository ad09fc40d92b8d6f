// How a rule is matched. A call of a tool with a "command" is cut into its parts (shell_command.h);
// each part is decided by itself and the strictest decision holds. An allow rule must match the
// part as it is written; a deny or ask rule also matches the forms in which its program could be
// disguised. So a reading mistake of ours ends in a question, not in a permission.
#include "runtime/tool/permissions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_identity.h"
#include "runtime/tool/shell_command.h"
#include "runtime/tool/shell_reading.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

struct Rule {
  std::string tool;  // glob over names
  bool has_pattern = false;
  std::string pattern;
};

absl::StatusOr<Rule> ParseRule(absl::string_view text) {
  const auto error = [&](absl::string_view reason) {
    return absl::InvalidArgumentError(
        absl::StrCat("permission rule '", text, "': ", reason,
                     "; write tool, tool.*, or tool(pattern), as in shell.execute(npm *)"));
  };
  Rule rule;
  absl::string_view name = text;
  if (const size_t open = text.find('('); open != absl::string_view::npos) {
    if (text.back() != ')') return error("the parenthesis is not closed at the end");
    name = text.substr(0, open);
    rule.has_pattern = true;
    rule.pattern =
        std::string(absl::StripAsciiWhitespace(text.substr(open + 1, text.size() - open - 2)));
    if (rule.pattern.empty()) return error("nothing between the parentheses");
  }
  if (name.empty()) return error("no tool name");
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_' && c != '-' && c != '*') {
      return error("unexpected character in the tool name");
    }
  }
  rule.tool = std::string(name);
  return rule;
}

// '*' stands for any text, newlines too. Linear in the product of the lengths.
bool WildcardMatch(absl::string_view pattern, absl::string_view text) {
  size_t p = 0, t = 0, star = absl::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// "npm *" is also "npm" alone.
bool CommandPatternMatch(absl::string_view pattern, absl::string_view command) {
  if (WildcardMatch(pattern, command)) return true;
  return absl::EndsWith(pattern, " *") &&
         WildcardMatch(pattern.substr(0, pattern.size() - 2), command);
}

// `mcp.*` is the tools of all MCP servers, as in profiles.
bool IsForServers(const Rule& rule, const ToolSpec& spec) {
  return !spec.server.empty() && rule.tool == "mcp.*";
}

bool NameMatches(const Rule& rule, const std::string& name) {
  const auto dotted = [](std::string text) {
    std::replace(text.begin(), text.end(), '_', '.');
    return text;
  };
  return WildcardMatch(dotted(rule.tool), dotted(name));
}

// An absolute path, or one that climbs, may mean a path below any of its folders, so a restricting
// rule is tried on each of its tails.
bool RestrictsAsWritten(absl::string_view pattern, absl::string_view path) {
  const std::string clean = CleanPath(path);
  if (GlobMatch(pattern, clean)) return true;
  if (!absl::StartsWith(clean, "/") && !absl::StartsWith(clean, "../")) return false;
  for (size_t slash = clean.find('/'); slash != std::string::npos;
       slash = clean.find('/', slash + 1)) {
    if (GlobMatch(pattern, clean.substr(slash + 1))) return true;
  }
  return false;
}

// Some file systems do not tell upper case from lower case.
bool RestrictsPath(absl::string_view pattern, absl::string_view path) {
  return RestrictsAsWritten(pattern, path) ||
         RestrictsAsWritten(absl::AsciiStrToLower(pattern), absl::AsciiStrToLower(path));
}

bool AllowsCommandPart(absl::string_view pattern, const std::string& part) {
  if (pattern == "*") return true;
  if (HasOutputRedirection(part) && !absl::StrContains(pattern, ">")) return false;
  return CommandPatternMatch(pattern, part);
}

bool RestrictsCommandPart(absl::string_view pattern, const std::string& part) {
  const std::vector<std::string> forms = CommandForms(part);
  return std::any_of(forms.begin(), forms.end(),
                     [&](const std::string& form) { return CommandPatternMatch(pattern, form); });
}

// One thing to be decided: a call, or one part of a chained command.
struct Subject {
  const ToolSpec* spec;
  bool has_argument = false;
  bool is_command = false;
  bool opaque = false;  // no allow rule with a pattern may match
  std::string argument;
  std::vector<std::string> also;  // other paths of the same file, for restricting rules
};

bool Allows(const Rule& rule, const Subject& subject) {
  if (!NameMatches(rule, subject.spec->name) && !IsForServers(rule, *subject.spec)) return false;
  if (!rule.has_pattern || rule.pattern == "*") return true;
  if (!subject.has_argument || subject.opaque) return false;
  if (subject.is_command) return AllowsCommandPart(rule.pattern, subject.argument);
  return GlobMatch(rule.pattern, CleanPath(subject.argument));
}

bool Restricts(const Rule& rule, const Subject& subject) {
  if (!NameMatches(rule, subject.spec->name) && !IsForServers(rule, *subject.spec)) return false;
  if (!rule.has_pattern || rule.pattern == "*") return true;
  // Which argument of a server's tool a pattern is about is not known.
  if (!subject.has_argument) return !subject.spec->server.empty();
  if (subject.is_command) return RestrictsCommandPart(rule.pattern, subject.argument);
  return RestrictsPath(rule.pattern, subject.argument) ||
         std::any_of(subject.also.begin(), subject.also.end(),
                     [&](const std::string& path) { return RestrictsPath(rule.pattern, path); });
}

// A rule that cannot be read restricts everything and allows nothing; CheckPermissionRules reports
// it.
bool AnyRestricts(const std::vector<std::string>& rules, const Subject& subject) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& text) {
    const auto rule = ParseRule(text);
    return !rule.ok() || Restricts(*rule, subject);
  });
}

bool AnyAllows(const std::vector<std::string>& rules, const Subject& subject) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& text) {
    const auto rule = ParseRule(text);
    return rule.ok() && Allows(*rule, subject);
  });
}

Permission Default(const ToolSpec& spec, bool sandboxed) {
  switch (spec.permission) {
    case DefaultPermission::kAllow:
      return Permission::kAllow;
    case DefaultPermission::kAsk:
      return Permission::kAsk;
    case DefaultPermission::kAllowInSandbox:
      return sandboxed ? Permission::kAllow : Permission::kAsk;
  }
  return Permission::kAsk;
}

Permission Decide(const PermissionRules& rules, const Subject& subject, Permission otherwise) {
  if (AnyRestricts(rules.deny, subject)) return Permission::kDeny;
  if (AnyRestricts(rules.ask, subject)) return Permission::kAsk;
  if (AnyAllows(rules.allow, subject)) return Permission::kAllow;
  return otherwise;
}

// A rule that spells out the whole chained command, without a wildcard.
bool AllowsExactly(const PermissionRules& rules, const ToolSpec& spec, absl::string_view command) {
  return std::any_of(rules.allow.begin(), rules.allow.end(), [&](const std::string& text) {
    const auto rule = ParseRule(text);
    return rule.ok() && rule->has_pattern && NameMatches(*rule, spec.name) &&
           !absl::StrContains(rule->pattern, "*") &&
           rule->pattern == absl::StripAsciiWhitespace(command);
  });
}

// Whether a rule with a pattern would hold for what the command may turn out to be.
bool AnyMayRestrict(const std::vector<std::string>& rules, const ToolSpec& spec,
                    const ShellReading& reading) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& text) {
    const auto rule = ParseRule(text);
    if (!rule.ok() || !rule->has_pattern || !NameMatches(*rule, spec.name)) return false;
    const auto may = [&](const std::string& form) {
      return MayMatch(rule->pattern, form) ||
             (absl::EndsWith(rule->pattern, " *") &&
              MayMatch(absl::string_view(rule->pattern).substr(0, rule->pattern.size() - 2), form));
    };
    return std::any_of(reading.possible.begin(), reading.possible.end(), may);
  });
}

bool AnyRestrictsCertainly(const std::vector<std::string>& rules, const ToolSpec& spec,
                           const ShellReading& reading) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& text) {
    const auto rule = ParseRule(text);
    if (!rule.ok() || !rule->has_pattern || !NameMatches(*rule, spec.name)) return false;
    return std::any_of(
        reading.certain.begin(), reading.certain.end(),
        [&](const std::string& form) { return CommandPatternMatch(rule->pattern, form); });
  });
}

// Whether each command is allowed whatever its unknown parts are: only a '*' can stand for them.
bool AllowsWhateverItIs(const std::vector<std::string>& rules, const ToolSpec& spec,
                        const ShellReading& reading) {
  return std::all_of(reading.written.begin(), reading.written.end(),
                     [&](const std::string& written) {
                       if (!absl::StrContains(written, std::string(1, kUnknownText))) return true;
                       return std::any_of(rules.begin(), rules.end(), [&](const std::string& text) {
                         const auto rule = ParseRule(text);
                         return rule.ok() && NameMatches(*rule, spec.name) &&
                                (!rule->has_pattern || CommandPatternMatch(rule->pattern, written));
                       });
                     });
}

// By a pattern that holds `path` back from a tool that edits by hand.
bool AnyHoldsBack(const std::vector<std::string>& rules, const std::string& path) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& text) {
    const auto rule = ParseRule(text);
    if (!rule.ok() || !rule->has_pattern) return false;
    const bool edits = NameMatches(*rule, "file.write") || NameMatches(*rule, "file.modify") ||
                       NameMatches(*rule, "file.delete");
    return edits && (rule->pattern == "*" || RestrictsPath(rule->pattern, path));
  });
}

bool HasPathRules(const PermissionRules& rules) {
  const auto has_pattern = [](const std::string& text) { return absl::StrContains(text, "("); };
  return std::any_of(rules.deny.begin(), rules.deny.end(), has_pattern) ||
         std::any_of(rules.ask.begin(), rules.ask.end(), has_pattern);
}

}  // namespace

absl::Status CheckPermissionRules(const PermissionRules& rules) {
  for (const auto* list : {&rules.allow, &rules.ask, &rules.deny}) {
    for (const std::string& text : *list) {
      if (auto rule = ParseRule(text); !rule.ok()) return rule.status();
    }
  }
  return absl::OkStatus();
}

Permission DecidePermission(const PermissionRules& rules, const ToolSpec& spec,
                            const Json& arguments, bool sandboxed, const std::string& workspace) {
  const Permission otherwise = Default(spec, sandboxed);
  Subject subject{&spec};
  if (!spec.permission_argument.empty()) {
    subject.is_command = spec.permission_argument == "command";
    const auto argument = JsonString(arguments, spec.permission_argument);
    // A tool that works on paths works on the workspace when none is given.
    subject.has_argument = argument.has_value() || spec.permission_argument == "path";
    subject.argument = argument.value_or(".");
  }
  if (!subject.is_command && subject.has_argument && HasPathRules(rules)) {
    subject.also = OtherPaths(workspace, subject.argument);
  }
  if (!subject.is_command || !subject.has_argument) return Decide(rules, subject, otherwise);

  const std::string command = subject.argument;
  ShellCommand split = SplitShellCommand(command);
  subject.opaque = split.opaque || split.parts.empty();
  const bool chained = split.parts.size() != 1 || subject.opaque;
  Subject whole = subject;
  whole.opaque = chained;  // patterns may match its parts only
  // Where quoting may hide something, restricting rules also see every piece between operators.
  std::vector<std::string> pieces = split.parts;
  if (subject.opaque) {
    const std::vector<std::string> crude =
        absl::StrSplit(command, absl::ByAnyChar(";&|()`\n"), absl::SkipWhitespace());
    for (const std::string& piece : crude) {
      pieces.emplace_back(absl::StripAsciiWhitespace(piece));
    }
  }
  bool deny = AnyRestricts(rules.deny, whole);
  bool ask = AnyRestricts(rules.ask, whole);
  bool all_allowed = !pieces.empty();
  for (const std::string& piece : pieces) {
    subject.argument = piece;
    const Permission decision = Decide(rules, subject, otherwise);
    deny = deny || decision == Permission::kDeny;
    ask = ask || AnyRestricts(rules.ask, subject);
    all_allowed = all_allowed && decision == Permission::kAllow;
  }
  const ShellReading reading = ReadShellCommand(command);
  if (deny || AnyRestrictsCertainly(rules.deny, spec, reading)) return Permission::kDeny;
  if (ask || AnyRestrictsCertainly(rules.ask, spec, reading)) return Permission::kAsk;
  // One that the person has seen as a whole.
  if (AllowsExactly(rules, spec, command)) return Permission::kAllow;
  if (AnyMayRestrict(rules.deny, spec, reading) || AnyMayRestrict(rules.ask, spec, reading)) {
    return Permission::kAsk;
  }
  if (otherwise == Permission::kAllow) return otherwise;
  return all_allowed && AllowsWhateverItIs(rules.allow, spec, reading) ? Permission::kAllow
                                                                       : otherwise;
}

Permission DecideChange(const PermissionRules& rules, const ToolSpec& spec, const std::string& path,
                        const std::string& workspace) {
  Subject subject{&spec};
  subject.has_argument = true;
  subject.argument = path;
  if (HasPathRules(rules)) subject.also = OtherPaths(workspace, path);
  std::vector<std::string> paths = subject.also;
  paths.push_back(path);
  const auto holds_back = [&](const std::vector<std::string>& list) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& one) { return AnyHoldsBack(list, one); });
  };
  if (holds_back(rules.deny)) return Permission::kDeny;
  const Permission decision = Decide(rules, subject, Default(spec, /*sandboxed=*/false));
  if (decision != Permission::kDeny && holds_back(rules.ask)) return Permission::kAsk;
  return decision;
}

}  // namespace stile
