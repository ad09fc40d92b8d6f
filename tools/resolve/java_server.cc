#include "tools/resolve/java_server.h"

#include <unistd.h>

#include <atomic>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "runtime/base/embedded.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/resolve/server_setup.h"

namespace stile {

const std::vector<EmbeddedFile>& JavaServerFiles();

namespace {

constexpr size_t kMaxReleaseBytes = size_t{1} << 20;
// Most is the trees of the project: 250 MB for 60,000 lines.
constexpr const char* kMemory = "-Xmx2g";

// Names the source of the server and the JDK.
std::string ClassesKey(const std::string& javac) {
  std::string described = javac;
  const std::string release = JoinPath(DirName(DirName(javac)), "release");
  absl::StrAppend(&described, "\n",
                  DiskFileSystem()->ReadFile(release, kMaxReleaseBytes).value_or(""));
  for (const EmbeddedFile& file : JavaServerFiles()) {
    absl::StrAppend(&described, "\n", file.path, "\n", file.text);
  }
  return Sha256Hex(described).substr(0, 16);
}

absl::Status Compile(const std::string& javac, const std::string& classes,
                     const LanguageServerHost& host) {
  // Another process or thread may do the same: the first to rename its folder wins.
  static std::atomic<int> count = 0;
  const std::string own = absl::StrCat(classes, ".", getpid(), ".", ++count, ".new");
  STILE_RETURN_IF_ERROR(RemoveTree(own));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(own));
  std::vector<std::string> argv = {javac,
                                   "-J-XX:+UseSerialGC",
                                   "-J-XX:TieredStopAtLevel=1",
                                   "-J-Xshare:auto",
                                   "-proc:none",
                                   "-nowarn",
                                   "-encoding",
                                   "UTF-8",
                                   "-d",
                                   own};
  for (const EmbeddedFile& file : JavaServerFiles()) {
    const std::string path = JoinPath(own, BaseName(file.path));
    STILE_RETURN_IF_ERROR(DiskFileSystem()->WriteFile(path, file.text, 0600, false));
    argv.push_back(path);
  }
  const auto result = RunSetUp(std::move(argv), own, host);
  if (!result.ok() || !result->ok()) {
    RemoveTree(own).IgnoreError();
    if (!result.ok()) return result.status();
    return absl::UnavailableError(
        absl::StrCat("javac could not compile the server for Java (", result->Description(), ")"));
  }
  const absl::Status renamed = DiskFileSystem()->Rename(own, classes);
  if (renamed.ok() || !DirectoryExists(classes)) return renamed;
  return RemoveTree(own);
}

}  // namespace

absl::Status PrepareJavaServer(const std::string& folder, LanguageServerSpec* spec,
                               LanguageServerHost* host) {
  STILE_ASSIGN_OR_RETURN(const std::string javac, RealPath(spec->argv[0]));
  // They would add options of the user's programs.
  for (const char* name : {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
                           "JDK_JAVAC_OPTIONS", "CLASSPATH"}) {
    host->environment.erase(name);
  }
  host->environment["LC_ALL"] = "C.UTF-8";  // Java reads the names of files by it
  const std::string classes = JoinPath(folder, ClassesKey(javac));
  if (!DirectoryExists(classes)) {
    STILE_RETURN_IF_ERROR(Compile(javac, classes, *host));
  }
  host->writable.push_back(classes);  // what is not named there may be hidden
  spec->argv = {JoinPath(DirName(javac), "java"),
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                kMemory,
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                classes,
                "JavaServer"};
  return absl::OkStatus();
}

}  // namespace stile
