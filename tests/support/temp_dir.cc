#include "tests/support/temp_dir.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

[[noreturn]] void Die(const std::string& what, const std::string& path) {
  std::fprintf(stderr, "TempDir: cannot %s %s: %s\n", what.c_str(), path.c_str(),
               std::strerror(errno));
  std::abort();
}

// Gives every folder back its permissions, so that it can be emptied.
void MakeRemovable(const std::filesystem::path& root) {
  std::error_code error;
  std::filesystem::permissions(root, std::filesystem::perms::owner_all,
                               std::filesystem::perm_options::add, error);
  for (std::filesystem::directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) MakeRemovable(it->path());
  }
}

}  // namespace

TempDir::TempDir() {
  const char* base = std::getenv("TMPDIR");
  std::string wanted = base != nullptr && *base != '\0' ? base : "/tmp";
  char* real = realpath(wanted.c_str(), nullptr);
  if (real == nullptr) Die("resolve", wanted);
  path_ = absl::StrCat(real, "/stile-test-XXXXXX");
  std::free(real);
  if (mkdtemp(path_.data()) == nullptr) Die("make", path_);
}

TempDir::~TempDir() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (!error) return;
  MakeRemovable(path_);
  std::filesystem::remove_all(path_, error);
}

std::string TempDir::Path(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

void TempDir::Write(absl::string_view name, absl::string_view text) const {
  const std::string target = Path(name);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(target).parent_path(), error);
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) Die("write", target);
}

void TempDir::MakeDir(absl::string_view name) const {
  std::error_code error;
  std::filesystem::create_directories(Path(name), error);
  if (error) Die("make folder", Path(name));
}

std::string TempDir::Read(absl::string_view name) const {
  std::ifstream file(Path(name), std::ios::binary);
  if (!file) Die("read", Path(name));
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

bool TempDir::Exists(absl::string_view name) const {
  std::error_code error;
  return std::filesystem::symlink_status(Path(name), error).type() !=
         std::filesystem::file_type::not_found;
}

}  // namespace stile
