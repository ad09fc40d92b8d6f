// Costs of what every tool call and every finish pays: a snapshot, an edit, a process.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/process/process_runner.h"
#include "runtime/sandbox/sandboxed_runner.h"
#include "runtime/workspace/edit_transaction.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/snapshot.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

// So far ahead that files written just now count as safely old.
class LaterClock : public Clock {
 public:
  absl::Time Now() override { return SystemClock()->Now() + absl::Hours(1); }
  absl::Duration Monotonic() override { return SystemClock()->Monotonic(); }
  bool Sleep(absl::Duration duration, const Cancellation* cancellation) override {
    return SystemClock()->Sleep(duration, cancellation);
  }
};

void Fill(const TempDir& dir, int64_t files, const std::string& content) {
  for (int64_t i = 0; i < files; ++i) {
    dir.Write(absl::StrCat("src/module", i / 300, "/part", i / 20 % 15, "/source_file_", i, ".cc"),
              content);
  }
}

void BM_SnapshotUnchanged(benchmark::State& state) {
  TempDir dir;
  Fill(dir, state.range(0), "int x;\n");
  dir.Write(".gitignore", "*.o\n*.log\nbuild/\nnode_modules/\n/out\n*.py[cod]\ntmp*\n");
  LaterClock clock;
  SnapshotTaker taker(dir.path(), *IgnoreRules::Load(dir.path(), {}, {}), &clock);
  Snapshot snapshot = *taker.Take(Snapshot());
  for (auto _ : state) snapshot = *taker.Take(snapshot);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SnapshotUnchanged)
    ->Arg(12'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_SnapshotOneFileChanged(benchmark::State& state) {
  TempDir dir;
  Fill(dir, state.range(0), "int x;\n");
  LaterClock clock;
  SnapshotTaker taker(dir.path(), IgnoreRules(), &clock);
  Snapshot snapshot = *taker.Take(Snapshot());
  int64_t edit = 0;
  for (auto _ : state) {
    state.PauseTiming();
    dir.Write("src/changed.cc", absl::StrCat(++edit));
    state.ResumeTiming();
    snapshot = *taker.Take(snapshot);
  }
}
BENCHMARK(BM_SnapshotOneFileChanged)->Arg(12'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_SnapshotFirst(benchmark::State& state) {
  TempDir dir;
  const int64_t size = state.range(1);
  Fill(dir, state.range(0), std::string(static_cast<size_t>(size), 'x'));
  LaterClock clock;
  SnapshotTaker taker(dir.path(), IgnoreRules(), &clock);
  for (auto _ : state) benchmark::DoNotOptimize(taker.Take(Snapshot()));
  state.SetBytesProcessed(state.iterations() * state.range(0) * size);
}
BENCHMARK(BM_SnapshotFirst)
    ->Args({12'000, 8'000})
    ->Args({200, 4'000'000})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_PlainWrites(benchmark::State& state) {
  TempDir dir;
  const std::string content(4'000, 'x');
  int64_t round = 0;
  for (auto _ : state) {
    ++round;
    for (int64_t i = 0; i < state.range(0); ++i) {
      DiskFileSystem()
          ->WriteFile(dir.Path(absl::StrCat("f", i)), absl::StrCat(round, content), 0644, true)
          .IgnoreError();
    }
  }
}
BENCHMARK(BM_PlainWrites)->Arg(500)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_EditTransaction(benchmark::State& state) {
  TempDir dir;
  TempDir journal;
  const std::string content(4'000, 'x');
  int64_t round = 0;
  for (auto _ : state) {
    ++round;
    EditTransaction edit(DiskFileSystem(), dir.path(), journal.path());
    for (int64_t i = 0; i < state.range(0); ++i) {
      edit.Write(absl::StrCat("f", i), absl::StrCat(round, content)).IgnoreError();
    }
    if (!edit.Commit().ok()) state.SkipWithError("the commit failed");
  }
}
BENCHMARK(BM_EditTransaction)->Arg(500)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_RunTrue(benchmark::State& state) {
  const auto runner = NewLocalProcessRunner();
  ProcessRequest request;
  request.argv = {"/bin/true"};
  // The supervisor is forked from us, so our own size counts.
  const std::vector<char> memory(static_cast<size_t>(state.range(0)) << 20, 1);
  benchmark::DoNotOptimize(memory.data());
  for (auto _ : state) {
    if (!runner->Run(request).ok()) state.SkipWithError("the run failed");
  }
}
BENCHMARK(BM_RunTrue)->Arg(0)->Arg(200)->Unit(benchmark::kMillisecond)->UseRealTime();

// The same inside a sandbox of its own, as each command of a run gets one.
void BM_RunTrueSandboxed(benchmark::State& state) {
  const auto local = NewLocalProcessRunner();
  const auto program = FindExecutable("bwrap", InheritedEnvironment());
  if (!program.ok()) return state.SkipWithError("bubblewrap is not installed");
  TempDir dir;
  for (const char* folder : {"workspace", "workspace/.git", "home", "tmp"}) dir.MakeDir(folder);
  SandboxPolicy policy;
  policy.hidden = {"/root", "/home", "/run"};
  policy.replaced = {{"/tmp", dir.Path("tmp")}};
  policy.writable = {dir.Path("workspace")};
  policy.read_only = {dir.Path("workspace/.git")};
  policy.max_rss_bytes = uint64_t{8} << 30;
  policy.max_processes = 2000;
  policy.max_disk_bytes = uint64_t{20} << 30;
  policy.disk_folders = {dir.Path("workspace")};
  SandboxedRunner runner(*program, policy, local.get());
  ProcessRequest request;
  request.argv = {"/bin/true"};
  for (auto _ : state) {
    if (!runner.Run(request).ok()) state.SkipWithError("the run failed");
  }
}
BENCHMARK(BM_RunTrueSandboxed)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace stile

BENCHMARK_MAIN();
