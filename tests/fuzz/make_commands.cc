// What `make -n` prints in a hostile project: entries for files that exist in its folder, or
// nothing.
#include "tools/resolve/make_commands.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/temp_dir.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const root = [] {
    auto* const folder = new stile::TempDir();
    for (const char* name : {"a.c", "b.cc", "sub/c.cpp"}) folder->Write(name, "");
    return folder;
  }();
  stile::FuzzInput input(data, size);
  for (const stile::Json& entry : stile::CompileCommandsOfMake(input.rest(), root->path())) {
    const std::string file = entry.at("file").get<std::string>();
    STILE_CHECK(absl::StartsWith(file, absl::StrCat(root->path(), "/")));
    STILE_CHECK(absl::StartsWith(entry.at("directory").get<std::string>(), "/"));
    STILE_CHECK(entry.at("arguments").size() >= 2);
  }
  return 0;
}
