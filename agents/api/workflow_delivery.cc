#include "agents/api/workflow_delivery.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agents/api/tool_session.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/certificate/certificate.h"
#include "runtime/certificate/certificate_reader.h"
#include "runtime/delivery/delivery.h"
#include "runtime/delivery/work_place.h"
#include "runtime/journal/journal.h"
#include "runtime/session/gated_workspace.h"
#include "runtime/session/workspace_state.h"
#include "runtime/tool/path_text.h"

namespace stile {
namespace {

constexpr char kBranch[] = "deliver.branch";
constexpr char kCommit[] = "deliver.commit";
constexpr size_t kMaxNamed = 20;

StepReply Refused(std::string why) {
  StepReply reply;
  reply.ok = false;
  reply.message = std::move(why);
  return reply;
}

absl::StatusOr<std::string> TextOf(const Json& arguments, const char* name) {
  const auto text = JsonString(arguments, name);
  if (text.has_value() && !text->empty()) return *text;
  return absl::InvalidArgumentError(absl::StrCat("the argument ", name, " wants a text"));
}

// What git sees as changed in the workspace, relative to the repository.
absl::StatusOr<std::vector<std::string>> ChangedPaths(const Repository& repository,
                                                      const std::string& workspace) {
  const std::string prefix = PrefixOf(workspace, repository);
  STILE_ASSIGN_OR_RETURN(const GitStatus status, repository.Status());
  std::vector<std::string> paths;
  for (const GitStatusEntry& entry : status.entries) {
    if (absl::StartsWith(entry.path, prefix)) paths.push_back(entry.path);
  }
  return paths;
}

absl::StatusOr<std::string> Resolve(const Repository& repository, const std::string& revision) {
  STILE_ASSIGN_OR_RETURN(const std::string line,
                         repository.Run({"rev-parse", "--quiet", "--verify", revision}));
  return std::string(absl::StripSuffix(line, "\n"));
}

}  // namespace

absl::Status CheckCleanTree(const SessionContext& context, const std::string& workspace) {
  std::unique_ptr<RunSandbox> sandbox;
  const ProgramWrapper wrapper =
      [&](const Repository& opened) -> absl::StatusOr<std::vector<std::string>> {
    if (sandbox == nullptr) {
      STILE_ASSIGN_OR_RETURN(sandbox, OpenSandbox(context, workspace, opened, ""));
    }
    return sandbox->ProgramWrapper(opened.git_dir(), opened.common_dir());
  };
  STILE_ASSIGN_OR_RETURN(const Repository repository,
                         Repository::Open(context.runner, workspace, wrapper));
  STILE_ASSIGN_OR_RETURN(const std::vector<std::string> paths, ChangedPaths(repository, workspace));
  if (!paths.empty()) {
    const size_t prefix = PrefixOf(workspace, repository).size();
    std::string names;
    for (size_t i = 0; i < std::min(paths.size(), kMaxNamed); ++i) {
      absl::StrAppend(&names, i > 0 ? ", " : "", DisplayPath(paths[i].substr(prefix)));
    }
    if (paths.size() > kMaxNamed)
      absl::StrAppend(&names, " and ", paths.size() - kMaxNamed, " more");
    return absl::FailedPreconditionError(
        absl::StrCat("Uncommitted changes: ", names, "; commit or stash them"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  if (!head.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the repository has no commit yet, so there is nothing to start a branch from; make a first "
      "commit");
}

bool WorkflowDelivery::IsTool(absl::string_view name) { return name == kBranch || name == kCommit; }

absl::StatusOr<StepReply> WorkflowDelivery::Use(absl::string_view tool, const Json& arguments) {
  return tool == kBranch ? Branch(arguments) : Commit(arguments);
}

absl::StatusOr<StepReply> WorkflowDelivery::Branch(const Json& arguments) {
  STILE_ASSIGN_OR_RETURN(const std::string name, TextOf(arguments, "name"));
  STILE_RETURN_IF_ERROR(
      ToolSession(&context_, workspace_).CheckAllowed("git.branch", {{"name", name}}));
  STILE_ASSIGN_OR_RETURN(const Repository repository,
                         Repository::Open(context_.runner, workspace_, wrapper_));
  STILE_ASSIGN_OR_RETURN(const bool exists, repository.BranchExists(name));
  STILE_ASSIGN_OR_RETURN(const std::string current, repository.CurrentBranch());
  if (!exists) {
    STILE_RETURN_IF_ERROR(repository.CreateBranch(name));
  } else if (current != name) {
    STILE_RETURN_IF_ERROR(repository.Switch(name));
  }
  StepReply reply;
  STILE_ASSIGN_OR_RETURN(const std::string branch, repository.CurrentBranch());
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  STILE_ASSIGN_OR_RETURN(const std::string hooks, FingerprintHooks(repository));
  reply.output = {
      {"branch", ToUtf8(branch)}, {"head", head}, {"created", !exists}, {"hooks", hooks}};
  if (head.empty()) return Refused("the repository has no commit yet; make a first one");
  return reply;
}

absl::StatusOr<StepReply> WorkflowDelivery::Commit(const Json& arguments) {
  for (const char* name : {"message", "tree", "branch", "head", "hooks"}) {
    STILE_RETURN_IF_ERROR(TextOf(arguments, name).status());
  }
  const Json message = {{"message", arguments["message"]}};
  STILE_RETURN_IF_ERROR(ToolSession(&context_, workspace_).CheckAllowed("git.commit", message));
  STILE_ASSIGN_OR_RETURN(const Repository repository,
                         Repository::Open(context_.runner, workspace_, wrapper_));
  STILE_ASSIGN_OR_RETURN(const std::string branch, repository.CurrentBranch());
  if (ToUtf8(branch) != arguments["branch"]) {
    return Refused(
        absl::StrCat("the work began on branch ", *TextOf(arguments, "branch"), ", and now ",
                     branch.empty() ? "no branch" : ToUtf8(branch),
                     " is checked out, so nothing was committed; switch back and resume the run"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string head, repository.Head());
  return head == arguments["head"] ? MakeCommit(repository, arguments)
                                   : FindCommit(repository, head, arguments);
}

absl::StatusOr<StepReply> WorkflowDelivery::MakeCommit(const Repository& repository,
                                                       const Json& arguments) {
  const std::string head = *TextOf(arguments, "head");
  STILE_ASSIGN_OR_RETURN(std::vector<std::string> paths, ChangedPaths(repository, workspace_));
  if (paths.empty()) return Refused("nothing differs from HEAD, so there is nothing to commit");
  STILE_ASSIGN_OR_RETURN(const std::string tree, repository.WriteTree(head, paths));
  if (tree != arguments["tree"]) {
    return Refused(
        "the files are not those that were judged any more, so nothing was committed; something "
        "changes them meanwhile, or git is told to overlook changes in them");
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<RunResult::CertificateRef> certificates,
                         CertificatesFor(tree));
  std::string message = *TextOf(arguments, "message");
  if (context_.secrets != nullptr) message = context_.secrets->Mask(message);
  absl::StrAppend(&message, "\n\n", CommitTrailers(run_id_, certificates));
  const Delivery delivery =
      Deliver(repository, {std::move(paths), tree, message, *TextOf(arguments, "hooks")});
  if (delivery.commit.empty()) return Refused(delivery.problem);
  StepReply reply = Note(repository, delivery.commit, delivery.files, certificates);
  if (!delivery.warning.empty()) reply.output["warning"] = delivery.warning;
  return reply;
}

absl::StatusOr<StepReply> WorkflowDelivery::FindCommit(const Repository& repository,
                                                       const std::string& head,
                                                       const Json& arguments) {
  STILE_ASSIGN_OR_RETURN(const std::string own, OwnCommit(repository, head, run_id_));
  if (own.empty()) {
    return Refused(absl::StrCat("HEAD is ", head.substr(0, 12), ", and was ",
                                TextOf(arguments, "head")->substr(0, 12),
                                " when the work began: someone else committed or went to another "
                                "commit, so nothing was committed here"));
  }
  STILE_ASSIGN_OR_RETURN(const std::string tree, Resolve(repository, own + "^{tree}"));
  const auto parent = Resolve(repository, own + "^1");
  if (tree != arguments["tree"] || !parent.ok() || *parent != arguments["head"]) {
    return Refused(absl::StrCat(own.substr(0, 12), " on ", *TextOf(arguments, "branch"),
                                " is not what was judged: look at it, or take it back"));
  }
  STILE_RETURN_IF_ERROR(FollowCommit(repository, own));
  STILE_ASSIGN_OR_RETURN(const std::vector<RunResult::CertificateRef> certificates,
                         CertificatesFor(tree));
  STILE_ASSIGN_OR_RETURN(const auto changes, repository.CompareTrees(*parent, own));
  return Note(repository, own, changes.size(), certificates);
}

StepReply WorkflowDelivery::Note(const Repository& repository, const std::string& commit,
                                 size_t files,
                                 const std::vector<RunResult::CertificateRef>& certificates) {
  StepReply reply;
  reply.output = {{"commit", commit},
                  {"files", files},
                  {"certificates", certificates.size()},
                  {"warning", nullptr}};
  const absl::Status noted = AttachCertificates(repository, commit, certificates);
  if (!noted.ok()) {
    reply.output["warning"] =
        absl::StrCat("the commit has no note with its certificates: ", noted.message());
  } else if (certificates.empty()) {
    reply.output["warning"] =
        "the commit has no certificate: no run of an agent was accepted on it";
  }
  return reply;
}

absl::StatusOr<std::vector<WorkflowDelivery::Certified>> WorkflowDelivery::CertificatesOfRuns() {
  STILE_ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, context_.store->StepsOf(run_id_));
  std::vector<Certified> found;
  for (const RunSummary& summary : runs) {
    if (summary.kind != "run" || summary.undone) continue;
    STILE_ASSIGN_OR_RETURN(const RunPaths run, context_.store->Find(summary.id));
    const absl::StatusOr<JournalEnds> ends = ReadJournalEnds(run.journal);
    if (!ends.ok() || ends->last.type != EventType::kRunFinished) continue;
    const absl::StatusOr<RunResult> result = RunResultFromJson(ends->last.data);
    if (!result.ok() || !result->ok() || !result->certificate.has_value()) continue;
    const std::string& path = result->certificate->path;
    STILE_ASSIGN_OR_RETURN(const std::string text,
                           context_.file_system->ReadFile(path, kMaxCertificateBytes));
    STILE_ASSIGN_OR_RETURN(const Certificate content, ReadCertificate(text, path));
    STILE_ASSIGN_OR_RETURN(std::vector<RecordedChange> changes, ReadChanges(run));
    found.push_back({*result->certificate, content.tree, std::move(changes)});
  }
  return found;
}

absl::StatusOr<std::vector<RunResult::CertificateRef>> WorkflowDelivery::CertificatesFor(
    const std::string& tree) {
  STILE_ASSIGN_OR_RETURN(std::vector<Certified> certified, CertificatesOfRuns());
  // The last one speaks of the whole tree.
  while (!certified.empty() && certified.back().tree != tree) certified.pop_back();
  std::vector<RunResult::CertificateRef> references;
  std::set<std::string> spoken_of;
  for (auto one = certified.rbegin(); one != certified.rend(); ++one) {
    std::vector<RecordedChange> last_words;
    for (const RecordedChange& change : one->changes) {
      if (spoken_of.count(change.path) == 0) last_words.push_back(change);
    }
    // A step without a certificate changed what this one accepted.
    if (!NoLongerHeld(workspace_, last_words).empty()) continue;
    for (const RecordedChange& change : last_words) spoken_of.insert(change.path);
    references.push_back(one->reference);
  }
  std::reverse(references.begin(), references.end());
  return references;
}

}  // namespace stile
