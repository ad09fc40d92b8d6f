// The journal of a run: reading, resuming, and going on after a crash.
#include "runtime/journal/journal.h"

#include "runtime/agent_loop/run_history.h"
#include "runtime/base/check.h"
#include "runtime/story/story_history.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/temp_dir.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const folder = new stile::TempDir;  // left to whoever named $TMPDIR
  static const auto* const store =
      new stile::RunStore(stile::DiskFileSystem(), folder->Path("state"));
  const std::string path = folder->Path("journal.jsonl");
  folder->Write("journal.jsonl", stile::FuzzInput(data, size).rest());
  stile::RunPaths run;
  run.id = "run";
  run.journal = path;

  stile::ReadJournalEnds(path).IgnoreError();
  stile::ReadStoryHistory(*store, run).IgnoreError();
  const auto before = stile::ReadJournal(path);
  if (before.ok()) stile::ReplayEvents(before->events).IgnoreError();

  // A writer cuts what is torn and loses nothing else.
  {
    const auto writer = stile::JournalWriter::Open(path);
    STILE_CHECK(writer.ok());
  }
  if (!before.ok()) return 0;
  const auto after = stile::ReadJournal(path);
  STILE_CHECK(after.ok() && !after->torn);
  STILE_CHECK(after->events.size() == before->events.size());
  for (size_t i = 0; i < after->events.size(); ++i) {
    STILE_CHECK(stile::ToJson(after->events[i]) == stile::ToJson(before->events[i]));
    const auto again = stile::EventFromJson(stile::ToJson(after->events[i]));
    STILE_CHECK(again.ok() && again->data == after->events[i].data);
  }
  return 0;
}
