// shell.execute: bash (or sh) in the workspace. A command that fails is a result, not an error: the
// model reads the exit status. The process runner kills whatever the command leaves behind.
#include "tools/shell/execute_tool.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "runtime/base/text.h"
#include "runtime/tool/output_spill.h"
#include "runtime/tool/schema_builder.h"

namespace stile {
namespace {

constexpr int64_t kDefaultTimeoutSeconds = 120;
constexpr int64_t kMaxTimeoutSeconds = 3600;
constexpr size_t kMaxTextBytes = size_t{24} << 10;
constexpr size_t kMaxLiveBytes = size_t{1} << 20;
constexpr size_t kMaxCommandBytes = size_t{100} << 10;  // Linux takes 128 KiB in one argument

const char* EndName(ProcessResult::End end) {
  switch (end) {
    case ProcessResult::End::kExited:
      return "exited";
    case ProcessResult::End::kSignalled:
      return "signalled";
    case ProcessResult::End::kTimedOut:
      return "timed_out";
    case ProcessResult::End::kCancelled:
      return "cancelled";
    case ProcessResult::End::kMemoryLimit:
      return "memory_limit";
    case ProcessResult::End::kProcessLimit:
      return "process_limit";
    case ProcessResult::End::kDiskLimit:
      return "disk_limit";
  }
  return "";
}

// Whether the words of a failed command are those of one that met the walls of a sandbox.
bool MetSandbox(absl::string_view output) {
  for (const absl::string_view words :
       {"Read-only file system", "EROFS", "Could not resolve host", "Network is unreachable",
        "Temporary failure in name resolution", "EAI_AGAIN", "getaddrinfo"}) {
    if (absl::StrContains(output, words)) return true;
  }
  return false;
}

class ShellExecuteTool : public Tool {
 public:
  ShellExecuteTool() {
    spec_.name = "shell.execute";
    spec_.description = "Run bash in the workspace; nothing keeps running after it returns.";
    spec_.parameters = ObjectSchema(
        {Required("command", "string", "Command line for bash."),
         Optional("timeoutSeconds", "integer", "When to end it.", kDefaultTimeoutSeconds)});
    spec_.output = ObjectSchema({{"end",
                                  EnumSchema({"exited", "signalled", "timed_out", "memory_limit",
                                              "process_limit", "disk_limit"}),
                                  true},
                                 Required("exitCode", "integer"),
                                 Required("signal", "integer"),
                                 Required("output", "string"),
                                 Required("outputBytes", "integer"),
                                 Required("truncated", "boolean"),
                                 Optional("outputFile", "string"),
                                 Required("leftovers", "integer"),
                                 Required("durationMs", "integer")});
    spec_.permission = DefaultPermission::kAllowInSandbox;
    spec_.permission_argument = "command";
    spec_.argument_aliases = {{"cmd", "command"},
                              {"script", "command"},
                              {"bash", "command"},
                              {"shell", "command"},
                              {"code", "command"},
                              {"timeout", "timeoutSeconds"},
                              {"timeoutSecs", "timeoutSeconds"}};
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string command = *JsonString(arguments, "command");
    if (command.size() > kMaxCommandBytes) {
      return ToolResult::Error(absl::StrCat("the command is longer than ", kMaxCommandBytes,
                                            " bytes; write a script with file.write and run it."));
    }
    const int64_t timeout = JsonInt(arguments, "timeoutSeconds").value_or(kDefaultTimeoutSeconds);
    if (timeout < 1 || timeout > kMaxTimeoutSeconds) {
      return ToolResult::Error(
          absl::StrCat("timeoutSeconds must be from 1 to ", kMaxTimeoutSeconds, "."));
    }

    OutputSpill spill(context.file_system, context.output_dir, "shell", kMaxTextBytes);
    size_t live_bytes = 0;
    ProcessRequest request;
    const bool bash = FindExecutable("bash", context.environment).ok();
    request.argv = {bash ? "bash" : "sh", "-c", command};
    request.cwd = context.workspace;
    request.env = context.environment;
    request.timeout = absl::Seconds(timeout);
    request.merge_stderr = true;
    request.max_output_bytes = 2 * kMaxTextBytes;
    request.cancellation = context.cancellation;
    request.on_output = [&](OutputStream, absl::string_view piece) {
      spill.Append(piece);
      if (!context.on_output || live_bytes >= kMaxLiveBytes) return;
      context.on_output(piece.substr(0, kMaxLiveBytes - live_bytes));
      live_bytes += piece.size();
      if (live_bytes >= kMaxLiveBytes) context.on_output("\n[more output is not shown live]\n");
    };
    ProcessRunner* const runner =
        context.command_runner == nullptr ? context.runner : context.command_runner;
    auto result = runner->Run(request);
    if (!result.ok()) return ToolResult::FromStatus(result.status());
    if (result->end == ProcessResult::End::kCancelled) {
      return ToolResult::Fatal(absl::CancelledError("cancelled while a command was running"));
    }
    return Result(*result, spill, timeout, context.sandboxed && context.sandboxed());
  }

 private:
  static ToolResult Result(const ProcessResult& result, OutputSpill& spill, int64_t timeout,
                           bool sandboxed) {
    const absl::Status spilled = spill.Finish();
    // What the runner kept ends where the middle was dropped; only its two ends are shown then.
    const bool truncated = result.out_bytes > kMaxTextBytes;
    const std::string output =
        truncated ? absl::StrCat(ToUtf8(HeadOf(result.out)), "\n[… of ", result.out_bytes,
                                 " bytes the middle is left out …]\n", ToUtf8(TailOf(result.out)))
                  : ToUtf8(result.out);

    std::string text = absl::StrFormat("%s (%.1f s)\n", result.Description(),
                                       absl::ToDoubleSeconds(result.duration));
    absl::StrAppend(&text, output);
    if (!absl::EndsWith(text, "\n")) absl::StrAppend(&text, "\n");
    if (result.out.empty()) absl::StrAppend(&text, "(no output)\n");
    if (!spill.path().empty()) {
      absl::StrAppend(&text, "[whole output", spill.cut() ? " (its beginning)" : "", ": ",
                      spill.path(), "]\n");
    } else if (!spilled.ok()) {
      absl::StrAppend(&text, "[the whole output could not be kept: ", spilled.message(), "]\n");
    }
    if (result.leftovers > 0) {
      absl::StrAppend(&text, "[", result.leftovers, " background process",
                      result.leftovers == 1 ? " was" : "es were",
                      " still running and got killed: nothing keeps running after a command]\n");
    }
    if (result.end == ProcessResult::End::kTimedOut) {
      absl::StrAppend(&text, "[killed after ", timeout, " s; raise timeoutSeconds (at most ",
                      kMaxTimeoutSeconds, ") or do less at once]\n");
    }
    if (sandboxed && !result.ok() && MetSandbox(output)) {
      absl::StrAppend(&text, "[commands run in a sandbox: only the workspace and /tmp can be ",
                      "written, .git cannot, and there is no network unless sandbox.network is ",
                      "set]\n");
    }
    Json data = {{"end", EndName(result.end)},
                 {"exitCode", result.exit_code},
                 {"signal", result.signal},
                 {"output", output},
                 {"outputBytes", result.out_bytes},
                 {"truncated", truncated},
                 {"leftovers", result.leftovers},
                 {"durationMs", absl::ToInt64Milliseconds(result.duration)}};
    if (!spill.path().empty()) data["outputFile"] = spill.path();
    return ToolResult::Success(std::move(text), std::move(data));
  }

  // The parts of the kept output that are shown, on line boundaries where there are any near.
  static absl::string_view HeadOf(absl::string_view out) {
    absl::string_view head = out.substr(0, kMaxTextBytes * 2 / 5);
    const size_t newline = head.rfind('\n');
    return newline != absl::string_view::npos && newline > head.size() / 2 ? head.substr(0, newline)
                                                                           : head;
  }
  static absl::string_view TailOf(absl::string_view out) {
    const size_t size = kMaxTextBytes - kMaxTextBytes * 2 / 5;
    absl::string_view tail = out.substr(out.size() - std::min(size, out.size()));
    const size_t newline = tail.find('\n');
    return newline != absl::string_view::npos && newline < tail.size() / 2
               ? tail.substr(newline + 1)
               : tail;
  }

  ToolSpec spec_;
};

}  // namespace

std::unique_ptr<Tool> NewShellExecuteTool() { return std::make_unique<ShellExecuteTool>(); }

}  // namespace stile
