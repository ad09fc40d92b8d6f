// Permission rules and the commands they decide on: two rules and a command, a line each.
#include "runtime/tool/permissions.h"

#include "runtime/base/check.h"
#include "runtime/tool/shell_command.h"
#include "runtime/tool/shell_reading.h"
#include "tests/fuzz/fuzz_input.h"

namespace stile {
namespace {

Permission Decide(const PermissionRules& rules, const Json& arguments) {
  ToolSpec spec;
  spec.name = "shell.execute";
  spec.permission = DefaultPermission::kAsk;
  spec.permission_argument = "command";
  return DecidePermission(rules, spec, arguments, /*sandboxed=*/false);
}

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using stile::Permission;
  stile::FuzzInput input(data, size);
  const std::string first(input.TakeLine());
  const std::string second(input.TakeLine());
  const std::string command(input.rest());
  const stile::Json arguments = {{"command", command}};

  const stile::ShellCommand split = stile::SplitShellCommand(command);
  for (const std::string& part : split.parts) {
    STILE_CHECK(!part.empty());
    stile::HasOutputRedirection(part);
    STILE_CHECK(!stile::CommandForms(part).empty());
  }
  const stile::ShellReading reading = stile::ReadShellCommand(command);
  for (const std::string& form : reading.possible) stile::MayMatch(first, form);
  for (const std::string& written : reading.written) STILE_CHECK(!written.empty());
  stile::PermissionRules rules;
  rules.allow = {first, second};
  if (!stile::CheckPermissionRules(rules).ok()) return 0;
  const Permission allowed = stile::Decide(rules, arguments);
  STILE_CHECK(allowed != Permission::kDeny);
  // A rule that denies or asks is never outdone by one that allows.
  rules.deny = {second};
  const Permission denied = stile::Decide(rules, arguments);
  STILE_CHECK(denied == Permission::kDeny || denied == Permission::kAsk || denied == allowed);
  rules.deny = {"shell.execute"};
  STILE_CHECK(stile::Decide(rules, arguments) == Permission::kDeny);
  return 0;
}
