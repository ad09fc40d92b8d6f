// C and C++: #include, and the lists of sources of build files.
#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/import_fixups.h"
#include "tools/index/file_reading.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/file_move.h"

namespace stile {
namespace {

constexpr size_t kMaxBuildFileBytes = size_t{1} << 20;

bool IsBuildFile(const std::string& path) {
  const std::string base = BaseName(path);
  return base == "CMakeLists.txt" || base == "Makefile" || base == "GNUmakefile" ||
         base == "makefile" || base == "meson.build" || absl::EndsWith(base, ".cmake") ||
         absl::EndsWith(base, ".mk");
}

class IncludeMove {
 public:
  explicit IncludeMove(const FileMove& move) : move_(move) {}

  absl::Status Plan() {
    move_.ForEachUser({"c", "cpp"}, BaseName(move_.from()),
                      [&](const SourceFile& user, const SyntaxTree& tree) {
                        ForEachInclude(user, tree, [&](TSNode path, const std::string& written) {
                          Follow(user, path, written);
                        });
                      });
    STILE_RETURN_IF_ERROR(failed_);
    for (const std::string& path : move_.paths) {
      if (IsBuildFile(path)) FollowInBuildFile(path);
    }
    if (!move_.ChangesFolder()) return absl::OkStatus();
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                           SyntaxTree::Parse(move_.file->grammar, move_.file->text));
    ForEachInclude(*move_.file, tree, [&](TSNode path, const std::string& written) {
      const std::string target = CleanPath(JoinPath(DirName(move_.from()), written));
      const std::string hidden = CleanPath(JoinPath(DirName(move_.to), written));
      if (!IsQuoted(*move_.file, path)) return;
      if (move_.paths.count(target) == 0) {
        if (move_.paths.count(hidden) > 0 && failed_.ok()) {
          failed_ = absl::FailedPreconditionError(absl::StrCat(
              "it includes ", ToUtf8(written), ", which would mean ", ToUtf8(hidden), " there"));
        }
        return;
      }
      Write(*move_.file, path, RelativePath(DirName(move_.to), target));
    });
    return failed_;
  }

 private:
  template <typename Use>
  static void ForEachInclude(const SourceFile& file, const SyntaxTree& tree, const Use& use) {
    WalkTree(tree.root(), [&](TSNode node) {
      if (!IsNode(node, "preproc_include")) return true;
      const TSNode path = FieldOf(node, "path");
      const bool is_path = IsNode(path, "string_literal") || IsNode(path, "system_lib_string");
      if (is_path && EndOf(path) - BeginOf(path) > 2) {
        use(path, file.text.substr(BeginOf(path) + 1, EndOf(path) - BeginOf(path) - 2));
      }
      return false;
    });
  }

  static bool IsQuoted(const SourceFile& file, TSNode path) {
    return file.text[BeginOf(path)] == '"';
  }

  void Write(const SourceFile& file, TSNode path, const std::string& written) const {
    const bool is_quoted = IsQuoted(file, path);
    move_.Edit(file, path, absl::StrCat(is_quoted ? "\"" : "<", written, is_quoted ? "\"" : ">"));
  }

  // A header that the compiler or the system has, such as <time.h>.
  static bool IsOfSystem(const std::string& header) {
    constexpr std::array<absl::string_view, 8> kOfCompiler = {
        "float.h",   "limits.h", "stdarg.h", "stdatomic.h",
        "stdbool.h", "stddef.h", "stdint.h", "stdalign.h"};
    return std::find(kOfCompiler.begin(), kOfCompiler.end(), header) != kOfCompiler.end() ||
           FileExists(JoinPath("/usr/include", header));
  }

  void Follow(const SourceFile& user, TSNode path, const std::string& written) {
    const std::string near = CleanPath(JoinPath(DirName(user.path), written));
    if (IsQuoted(user, path) && move_.paths.count(near) > 0) {
      if (near == move_.from()) Write(user, path, RelativePath(DirName(user.path), move_.to));
      return;
    }
    // Below a folder that the compiler looks in.
    const std::string clean = CleanPath(written);
    if (clean != move_.from() && !absl::EndsWith(move_.from(), "/" + clean)) return;
    if (!IsQuoted(user, path) && IsOfSystem(clean)) return;
    const auto others = std::count_if(
        move_.paths.begin(), move_.paths.end(),
        [&](const auto& other) { return other == clean || absl::EndsWith(other, "/" + clean); });
    if (others > 1) {
      if (failed_.ok()) {
        failed_ = absl::FailedPreconditionError(
            absl::StrCat(ToUtf8(user.path), " includes ", ToUtf8(written), ", which may be any of ",
                         others, " files"));
      }
      return;
    }
    const std::string root = move_.from().substr(0, move_.from().size() - clean.size());
    if (absl::StartsWith(move_.to, root)) {
      Write(user, path, move_.to.substr(root.size()));
    } else if (failed_.ok()) {
      failed_ = absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(user.path), " includes it as ", ToUtf8(written), ", from ",
                       root.empty() ? "the root" : ToUtf8(root), "; ", ToUtf8(move_.to),
                       " lies outside of that folder"));
    }
  }

  // Paths from the folder of the build file, as whole words.
  void FollowInBuildFile(const std::string& build_file) {
    std::string text;
    if (!ReadRegularFile(JoinPath(move_.context.workspace, build_file), kMaxBuildFileBytes,
                         &text)) {
      return;
    }
    const std::string old_path = RelativePath(DirName(build_file), move_.from());
    const std::string new_path = RelativePath(DirName(build_file), move_.to);
    const auto is_path_byte = [](char c) {
      return IsIdentifierByte(c) || c == '/' || c == '.' || c == '-' || c == '}';
    };
    for (size_t at = text.find(old_path); at != std::string::npos;
         at = text.find(old_path, at + old_path.size())) {
      const size_t end = at + old_path.size();
      const bool is_whole = (at == 0 || !is_path_byte(text[at - 1])) &&
                            (end == text.size() || !is_path_byte(text[end]));
      if (!is_whole) continue;
      move_.result->plan.EditText(
          build_file, text, {static_cast<uint32_t>(at), static_cast<uint32_t>(end), new_path});
    }
  }

  const FileMove& move_;
  absl::Status failed_;
};

}  // namespace

absl::Status MoveIncluded(const FileMove& move) { return IncludeMove(move).Plan(); }

}  // namespace stile
