// What the measurements of the code tools share.
#ifndef STILE_TESTS_BENCH_BENCH_SUPPORT_H_
#define STILE_TESTS_BENCH_BENCH_SUPPORT_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "runtime/base/clock.h"
#include "runtime/workspace/snapshot.h"

namespace stile {

// The files of a folder that are not ignored, as a run sees them.
inline std::vector<std::string> FilesOf(const std::string& folder) {
  SnapshotTaker taker(folder, *IgnoreRules::Load(folder, {}, {}), SystemClock());
  const auto snapshot = taker.Take(Snapshot());
  std::vector<std::string> paths;
  if (!snapshot.ok()) return paths;
  for (const FileRecord& file : snapshot->files()) {
    if (file.kind == FileRecord::Kind::kRegular) paths.push_back(file.path);
  }
  return paths;
}

template <typename Work>
double Milliseconds(const Work& work) {
  const absl::Duration begin = SystemClock()->Monotonic();
  work();
  return absl::ToDoubleMilliseconds(SystemClock()->Monotonic() - begin);
}

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace stile

#endif  // STILE_TESTS_BENCH_BENCH_SUPPORT_H_
