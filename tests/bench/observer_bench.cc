// What observation (runtime/process/file_observer.h) costs a command: runs it in turn without and
// with it. Usage: observer_bench opens|looks REPETITIONS FOLDER PROGRAM [ARGUMENT…]; FOLDER is
// where it runs, and what is observed; `looks`: stat and its kin, too.

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/process/process_runner.h"
#include "tests/bench/bench_support.h"

namespace stile {
namespace {

int Main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: observer_bench opens|looks REPETITIONS FOLDER PROGRAM [ARGUMENT...]\n";
    return 2;
  }
  const std::string folder = argv[3];
  const int repetitions = std::max(atoi(argv[2]), 1);
  const std::unique_ptr<ProcessRunner> runner = NewLocalProcessRunner();
  ProcessRequest request;
  request.argv.assign(argv + 4, argv + argc);
  request.cwd = folder;
  request.observes_looks = std::string(argv[1]) == "looks";
  request.env = InheritedEnvironment();
  std::vector<double> without;
  std::vector<double> with;
  std::vector<double> ratios;
  size_t uses = 0;
  for (int i = 0; i < 2 * repetitions + 2; ++i) {
    const bool observe = i % 2 == 1;
    request.observed.clear();
    if (observe) request.observed = {folder};
    double milliseconds = 0;
    absl::StatusOr<ProcessResult> result = absl::UnknownError("");
    milliseconds = Milliseconds([&] { result = runner->Run(request); });
    if (!result.ok() || !result->ok() || (observe && !result->file_uses.has_value())) {
      std::cerr << (result.ok() ? result->Description() + "\n" + result->out + result->err
                                : std::string(result.status().message()))
                << (observe ? "\nwith observation\n" : "\n");
      return 1;
    }
    if (i < 2) continue;  // to warm up
    (observe ? with : without).push_back(milliseconds);
    if (observe) {
      uses = result->file_uses->size();
      ratios.push_back(milliseconds / without.back());
    }
  }
  std::cout << "without " << Median(without) << " ms, with " << Median(with) << " ms, ratio "
            << Median(ratios) << ", " << uses << " uses of files\n";
  return 0;
}

}  // namespace
}  // namespace stile

int main(int argc, char** argv) { return stile::Main(argc, argv); }
