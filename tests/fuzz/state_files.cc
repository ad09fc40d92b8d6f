// What Stile itself keeps and reads again, possibly damaged: records of edits, snapshots, changes
// of a run, the memory of a workspace. The first byte chooses.
#include "runtime/base/check.h"
#include "runtime/gate/workspace_memory.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/edit_record.h"
#include "runtime/workspace/snapshot.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

void ReadEdits(absl::string_view text) {
  const auto record = ParseEditRecord(text);
  if (!record.ok()) return;
  const std::string written = SerializeEditRecord(*record);
  const auto again = ParseEditRecord(written);
  STILE_CHECK(again.ok());
  STILE_CHECK(SerializeEditRecord(*again) == written);
}

void ReadSnapshot(absl::string_view text) {
  const auto snapshot = ParseSnapshot(text);
  if (!snapshot.ok()) return;
  const auto again = ParseSnapshot(SerializeSnapshot(*snapshot));
  STILE_CHECK(again.ok());
  STILE_CHECK(again->RootHash() == snapshot->RootHash());
  STILE_CHECK(DiffSnapshots(*snapshot, *again).empty());
}

void ReadFiles(absl::string_view text, bool changes) {
  static const auto* const folder = new TempDir;  // left to whoever named $TMPDIR
  folder->Write("file", text);
  RunPaths run;
  run.changes = folder->Path("file");
  if (changes) {
    const auto recorded = ReadChanges(run);
    if (!recorded.ok()) return;
    STILE_CHECK(WriteChanges(DiskFileSystem(), run, *recorded).ok());
    STILE_CHECK(ReadChanges(run).value().size() == recorded->size());
  } else {
    const WorkspaceMemory memory = LoadWorkspaceMemory(DiskFileSystem(), run.changes);
    STILE_CHECK(SaveWorkspaceMemory(DiskFileSystem(), run.changes, memory).ok());
    STILE_CHECK(LoadWorkspaceMemory(DiskFileSystem(), run.changes).pending == memory.pending);
  }
}

}  // namespace
}  // namespace stile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stile::FuzzInput input(data, size);
  const size_t choice = input.TakeChoice(4);
  if (choice == 0) stile::ReadEdits(input.rest());
  if (choice == 1) stile::ReadSnapshot(input.rest());
  if (choice >= 2) stile::ReadFiles(input.rest(), choice == 2);
  return 0;
}
