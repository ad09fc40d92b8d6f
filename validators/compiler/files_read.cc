#include "validators/compiler/files_read.h"

#include <sys/stat.h>

#include <cstdint>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

constexpr size_t kMaxDepfileBytes = size_t{64} << 20;

// "…/deps/libshop-0a1b.rmeta" → "…/deps/shop-0a1b.d"; a build script's program has its depfile
// beside it, named like the link that has the hash.
std::string DepfileOf(const std::string& artifact) {
  const std::string folder = DirName(artifact);
  std::string name = BaseName(artifact);
  for (const char* extension : {".rmeta", ".rlib", ".so"}) {
    absl::string_view stem = name;
    if (!absl::ConsumeSuffix(&stem, extension)) continue;
    absl::ConsumePrefix(&stem, "lib");
    return JoinPath(folder, absl::StrCat(stem, ".d"));
  }
  if (name != "build-script-build") return JoinPath(folder, name + ".d");
  const auto names = ListDirectory(folder);
  if (!names.ok()) return "";
  for (const std::string& candidate : *names) {
    if (absl::StartsWith(candidate, "build_script_") && absl::EndsWith(candidate, ".d")) {
      return JoinPath(folder, candidate);
    }
  }
  return "";
}

int64_t MtimeNs(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return -1;
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

// The part below the workspace; "" for a file elsewhere.
std::string Inside(absl::string_view path, const std::string& base, const std::string& workspace) {
  std::string file = WorkspaceFile(path, base, workspace);
  return absl::StartsWith(file, "/") ? "" : file;
}

}  // namespace

std::vector<std::string> ParseDepfile(absl::string_view text) {
  std::vector<std::string> files;
  const size_t colon = text.find(": ");
  if (colon == absl::string_view::npos) return files;
  std::string file;
  const auto end_file = [&] {
    if (!file.empty()) files.push_back(std::move(file));
    file.clear();
  };
  for (size_t i = colon + 2; i < text.size(); ++i) {
    const char c = text[i];
    const char following = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\' && (following == '\n' || following == '\r')) {
      end_file();
      i = text.find('\n', i);
      if (i == absl::string_view::npos) break;
    } else if ((c == '\\' && (following == ' ' || following == '#' || following == '\\')) ||
               (c == '$' && following == '$')) {
      file += text[++i];
    } else if (c == '\n') {
      end_file();
      break;  // rules without prerequisites may follow (-MP)
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_file();
    } else {
      file += c;
    }
  }
  end_file();
  return files;
}

std::optional<std::vector<std::string>> FilesReadByCargo(absl::string_view output,
                                                         const std::string& root,
                                                         const std::string& workspace) {
  std::set<std::string> files;
  for (absl::string_view line : SplitLines(output)) {
    if (!absl::StrContains(line, "compiler-artifact")) continue;
    const absl::StatusOr<Json> message = ParseJson(line);
    if (!message.ok() || JsonString(*message, "reason") != "compiler-artifact") continue;
    const std::string manifest = JsonString(*message, "manifest_path").value_or("");
    if (!absl::StartsWith(manifest, workspace + "/")) continue;  // a dependency from elsewhere
    const Json* artifacts = JsonMember(*message, "filenames");
    if (artifacts == nullptr || !artifacts->is_array()) return std::nullopt;
    for (const Json& artifact : *artifacts) {
      if (!artifact.is_string()) return std::nullopt;
      const auto depfile =
          DiskFileSystem()->ReadFile(DepfileOf(artifact.get<std::string>()), kMaxDepfileBytes);
      if (!depfile.ok()) return std::nullopt;
      for (const std::string& input : ParseDepfile(*depfile)) {
        if (std::string file = Inside(input, root, workspace); !file.empty()) {
          files.insert(std::move(file));
        }
      }
    }
  }
  return std::vector<std::string>(files.begin(), files.end());
}

std::vector<std::string> FilesReadByNinja(absl::string_view output, const std::string& build,
                                          const std::string& workspace) {
  // "CMakeFiles/shop.dir/a.cc.o: #deps 12, deps mtime 1700000000000000000 (VALID)", then a file a
  // line, indented.
  static const Pattern* const kHead =
      new Pattern(R"(\S.*: #deps \d+, deps mtime (\d+) \((?:VALID|STALE)\))");
  std::set<std::string> files;
  int64_t built_ns = -1;
  for (absl::string_view line : SplitLines(output)) {
    std::string mtime;
    if (kHead->Matches(line, &mtime)) {
      if (!absl::SimpleAtoi(mtime, &built_ns)) built_ns = -1;
    } else if (absl::ConsumePrefix(&line, "    ")) {
      std::string file = Inside(line, build, workspace);
      const int64_t changed_ns = file.empty() ? -1 : MtimeNs(JoinPath(workspace, file));
      if (changed_ns >= 0 && changed_ns <= built_ns) {
        files.insert(std::move(file));
      }
    }
  }
  return std::vector<std::string>(files.begin(), files.end());
}

}  // namespace stile
