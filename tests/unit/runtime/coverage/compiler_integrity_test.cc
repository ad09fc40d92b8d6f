#include "runtime/coverage/compiler_integrity.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

// A moment after everything that was written before the call, by the clock of the file system.
absl::Time After(const TempDir& dir) {
  dir.Write("stamp", "");
  struct stat info {};
  stat(dir.Path("stamp").c_str(), &info);
  const absl::Time now = absl::TimeFromTimespec(info.st_ctim);
  do {  // until the clock has moved on
    dir.Write("stamp", "x");
    stat(dir.Path("stamp").c_str(), &info);
  } while (absl::TimeFromTimespec(info.st_ctim) <= now);
  return now;
}

TEST(CompilerIntegrity, TheProgramAndItsPackageCount) {
  TempDir dir;
  const std::string tsc = dir.Path("node_modules/typescript/bin/tsc");
  dir.Write("node_modules/typescript/bin/tsc", "");
  dir.Write("node_modules/typescript/lib/tsc.js", "");
  dir.Write("node_modules/other/index.js", "");
  dir.Write(".venv/pyvenv.cfg", "");
  dir.Write(".venv/bin/mypy", "");
  dir.Write(".venv/lib/python3.11/site-packages/mypy/main.py", "");
  const absl::Time start = After(dir);
  EXPECT_EQ(CompilerFileChangedSince(tsc, start), std::nullopt);
  dir.Write("node_modules/other/index.js", "x");
  dir.Write(".venv/lib/python3.11/site-packages/mypy/__pycache__/main.pyc", "x");
  EXPECT_EQ(CompilerFileChangedSince(tsc, start), std::nullopt) << "not the compiler's";
  dir.Write("node_modules/typescript/lib/tsc.js", "process.exit(0)");
  const timespec old[] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, dir.Path("node_modules/typescript/lib/tsc.js").c_str(), old, 0);
  EXPECT_EQ(CompilerFileChangedSince(tsc, start), dir.Path("node_modules/typescript/lib/tsc.js"));
  const std::string mypy = dir.Path(".venv/bin/mypy");
  dir.Write(".venv/lib/python3.11/site-packages/mypy/main.py", "x");
  EXPECT_EQ(CompilerFileChangedSince(mypy, start),
            dir.Path(".venv/lib/python3.11/site-packages/mypy/main.py"));
  dir.Write("bin/gcc", "");
  EXPECT_EQ(CompilerFileChangedSince(dir.Path("bin/gcc"), start), dir.Path("bin/gcc"));
  EXPECT_EQ(CompilerFileChangedSince("", start), std::nullopt);
  EXPECT_EQ(CompilerFileChangedSince("/nonexistent/gcc", start), std::nullopt);
}

}  // namespace
}  // namespace stile
