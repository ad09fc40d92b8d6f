// The driver of fuzz targets in builds without libFuzzer: runs each file of the folders named on
// the command line once. Exit status 1 when there is none, so that a lost corpus is no success.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/fuzz/fuzz_input.h"

int main(int argc, char** argv) {
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(argv[i], error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string path = entry->path().string();
      std::ifstream file(path, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
      if (!file.good() && !file.eof()) {
        std::fprintf(stderr, "cannot read %s\n", path.c_str());
        return 1;
      }
      std::fprintf(stderr, "%s\n", path.c_str());  // the last one named is the one that failed
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      ++runs;
    }
    if (error) {
      std::fprintf(stderr, "cannot list %s: %s\n", argv[i], error.message().c_str());
      return 1;
    }
  }
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
