// A program that looks at runs without a model: prints what the newest run changed, verifies its
// certificate, takes the run back, and removes it.
//   embedding_runs WORKSPACE
#include <cstdio>
#include <string>

#include "agents/api/certificate_check.h"
#include "agents/api/runs.h"
#include "runtime/journal/run_prune.h"
#include "runtime/process/process_runner.h"

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto runs = stile::Runs::Open(stile::InheritedEnvironment());
  const auto list = runs->List(/*with_steps=*/false);
  if (!list.ok()) return Fail(list.status());
  if (list->empty()) return Fail(absl::NotFoundError("no runs"));
  const std::string id = list->front().id;

  const auto record = runs->Show(id);
  if (!record.ok()) return Fail(record.status());
  std::printf("%s, %zu changes\n", record->summary.outcome.c_str(),
              record->changes.has_value() ? record->changes->size() : 0);
  const auto diff = runs->Diff(id);
  if (!diff.ok()) return Fail(diff.status());
  std::printf("%s", diff->c_str());

  stile::VerifyRequest request;
  request.source.name = id;
  request.workspace = argv[1];
  const auto before = runs->Verify(request);
  if (!before.ok()) return Fail(before.status());
  const auto undone = runs->Undo(id, /*alone=*/true);
  if (!undone.ok()) return Fail(undone.status());
  const auto after = runs->Verify(request);
  if (!after.ok()) return Fail(after.status());
  std::printf("matches: %d, undone: %zu, matches: %d\n", before->findings.empty(),
              undone->report.restored.size(), after->findings.empty());
  const auto pruned = runs->Prune({});
  if (!pruned.ok()) return Fail(pruned.status());
  std::printf("removed: %zu\n", pruned->removed.size());
  return 0;
}
