#include "agents/api/ungated_tools.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/api/catalog.h"
#include "runtime/base/status.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/tool/file_walk.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/builtin_tools.h"

namespace stile {
namespace {

class NoValidation : public ValidationService {
  absl::StatusOr<ValidationReport> Validate(const ValidateArguments&) override {
    return absl::FailedPreconditionError("no run is under way");
  }
  absl::StatusOr<ProbeReport> Probe(const std::vector<std::string>&) override {
    return absl::FailedPreconditionError("no run is under way");
  }
};

}  // namespace

ToolContext NewToolContext(const SessionContext& context, const std::string& workspace) {
  ToolContext result;
  result.workspace = workspace;
  result.journal_dir = context.store->edits_dir();
  result.file_system = context.file_system;
  result.runner = context.runner;
  result.clock = context.clock;
  result.cancellation = context.cancellation;
  return result;
}

std::string IndexFolder(const SessionContext& context, const std::string& workspace) {
  const absl::StatusOr<std::string> folder = context.store->WorkspaceDir(workspace);
  return folder.ok() ? JoinPath(*folder, "index") : "";
}

void AddNote(const std::string& note, ToolResult* result) {
  if (note.empty()) return;
  result->text = absl::StrCat("[", note, "]\n", result->text);
  if (result->data.is_object()) result->data["note"] = note;
}

UngatedTools::UngatedTools(const SessionContext* context, std::string workspace)
    : context_(*context),
      workspace_(std::move(workspace)),
      folders_(context_.clock),
      tracked_(context_.runner, context_.clock, workspace_),
      index_(workspace_, context_.languages, [this](const auto& use) { ListFiles(use); },
             {IndexFolder(context_, workspace_), context_.clock}),
      resolvers_(ResolversOf(
          context_, workspace_, [this] { return OpenRunner(); },
          [this](const auto& use) { ListFiles(use); },
          [this] { return call_ == nullptr ? nullptr : call_->cancellation; })),
      validation_(std::make_unique<NoValidation>()),
      registry_(std::make_unique<ToolRegistry>(NewBuiltinTools(
          validation_.get(), context_.languages, &index_,
          context_.options->config.resolvers ? &resolvers_ : nullptr, &BundledPatterns()))) {}

void UngatedTools::ListFiles(const std::function<void(const ListedFile&)>& use) {
  if (!files_.has_value()) {
    files_.emplace();
    const auto add = [&](const WalkEntry& entry) {
      if (entry.kind == WalkEntry::Kind::kFile) files_->push_back({entry.path, entry.stamp});
      return true;
    };
    // Git is asked at most once a walk.
    const std::vector<std::string>* known = nullptr;
    WalkSources sources;
    sources.folders = &folders_;
    sources.tracked = [&]() -> const std::vector<std::string>& {
      if (known == nullptr) known = &tracked_.Get();
      return *known;
    };
    walked_ = WalkFiles(call_ == nullptr ? NewToolContext(context_, workspace_) : *call_,
                        {".", workspace_}, /*recursive=*/true, add, sources)
                  .status();
  }
  for (const ListedFile& file : *files_) use(file);
}

absl::StatusOr<ProcessRunner*> UngatedTools::OpenRunner() {
  if (sandbox_ == nullptr) {
    STILE_ASSIGN_OR_RETURN(sandbox_, OpenSandbox(context_, workspace_, std::nullopt, ""));
  }
  // Servers run what a repository configures, and the caller only wants to look at it.
  const bool is_chosen = context_.options->config.sandbox.mode == SandboxSettings::Mode::kOff;
  if (!is_chosen && !sandbox_->active()) {
    return absl::UnavailableError(absl::StrCat(
        "language servers run in a sandbox only, and there is ", sandbox_->description()));
  }
  return sandbox_->resolvers();
}

absl::StatusOr<ToolResult> UngatedTools::Run(const PreparedCall& call, const ToolContext& context) {
  const auto restored = RecoverTransactions(context.file_system, context.clock, context.journal_dir,
                                            context.workspace);
  // While another process tries a change out, looking at the code is possible all the same.
  const bool is_busy = absl::IsUnavailable(restored.status());
  if (!restored.ok() && !is_busy) return restored.status();
  files_.reset();
  walked_ = absl::OkStatus();
  call_ = &context;
  ToolResult result = call.tool->Run(call.arguments, context);
  call_ = nullptr;
  STILE_RETURN_IF_ERROR(walked_);
  STILE_RETURN_IF_ERROR(result.fatal);
  AddNote(is_busy ? "Another process is changing this code just now: what it tries out was read."
                  : RestoredText(*restored),
          &result);
  return result;
}

}  // namespace stile
