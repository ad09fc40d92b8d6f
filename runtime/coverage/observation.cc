#include "runtime/coverage/observation.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/compiler_integrity.h"
#include "runtime/validation/validator.h"
#include "runtime/workspace/file_time.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

// Relative to the workspace; "" for what lies elsewhere.
std::string WorkspacePathOf(const std::string& path, const ObservedPlace& place) {
  for (const std::string& folder : {place.copy, place.workspace}) {
    if (!folder.empty() && absl::StartsWith(path, folder + "/")) {
      return path.substr(folder.size() + 1);
    }
  }
  return "";
}

bool IsLeftOut(absl::string_view path) {
  for (const char* folder : {".git/", "__pycache__/", ".hg/", ".svn/"}) {
    if (absl::StartsWith(path, folder) || absl::StrContains(path, absl::StrCat("/", folder))) {
      return true;
    }
  }
  return false;
}

// Tools ask whether a project has these, to publish them or to leave them out.
bool IsDocument(absl::string_view path) {
  const std::string name = BaseName(path);
  for (const char* start : {"README", "LICENSE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG",
                            ".gitignore", ".gitattributes"}) {
    if (absl::StartsWithIgnoreCase(name, start)) return true;
  }
  return absl::EndsWithIgnoreCase(name, ".md");
}

// Programs that run what they read.
bool IsShell(absl::string_view program) {
  static const auto* const kShells =
      new std::set<std::string>{"sh", "bash", "dash", "zsh", "ksh", "busybox", "make", "gmake"};
  return kShells->count(BaseName(program)) > 0;
}

// The module whose compiled form Python looks for when it imports it: "tools/table.py" for
// "tools/__pycache__/table.cpython-311.pyc"; "" for other paths.
std::string ImportedModule(absl::string_view path) {
  const std::string folder = DirName(path);
  const std::string name = BaseName(path);
  if (BaseName(folder) != "__pycache__" || !absl::EndsWith(name, ".pyc")) return "";
  return JoinPath(DirName(folder), absl::StrCat(name.substr(0, name.find('.')), ".py"));
}

bool IsModuleOfNode(absl::string_view path) {
  return absl::EndsWith(path, ".js") || absl::EndsWith(path, ".cjs") ||
         absl::EndsWith(path, ".mjs");
}

bool IsSharedLibrary(absl::string_view path) {
  return absl::EndsWith(path, ".so") || absl::StrContains(BaseName(path), ".so.");
}

bool Matches(const std::string& pattern, const std::string& program) {
  return GlobMatch(pattern, absl::StrContains(pattern, '/') ? program : BaseName(program));
}

bool IsThereSince(const std::string& path, absl::Time moment) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && !ChangedSince(path, moment);
}

// Programs that the run could have written are not trusted: those of the workspace, unless an
// installed package holds them.
bool IsPinned(const std::string& path, const ObservedPlace& place) {
  const std::string inside = WorkspacePathOf(path, place);
  return (inside.empty() || IsOfInstalledPackage(inside)) && IsThereSince(path, place.run_began);
}

bool IsCompiler(const FileUse& use, const ObservedPlace& place) {
  if (place.compilers == std::vector<std::string>{std::string(kAnyProgram)}) return true;
  const bool is_named =
      std::any_of(place.compilers.begin(), place.compilers.end(), [&](const std::string& pattern) {
        return Matches(pattern, use.program) ||
               (!use.script.empty() && Matches(pattern, use.script));
      });
  if (!is_named || !IsPinned(use.program, place)) return false;
  const bool runs_file = absl::StartsWith(use.script, "/");
  // `node --check FILE` runs the file that it checks.
  return !runs_file || use.script == use.path || IsPinned(use.script, place);
}

// Daemons compile for a build, and are killed after it (Gradle). go vet ends with an error for
// findings that are none.
bool HasMeaninglessStatus(absl::string_view program) {
  const std::string name = BaseName(program);
  return name == "java" || name == "vet";
}

// Interprets the uses of one validation.
class UseReader {
 public:
  explicit UseReader(const ObservedPlace& place)
      : place_(place),
        names_{place.workspace, place.copy.empty() ? "" : DirName(place.copy)},
        is_declared_(place.compilers == std::vector<std::string>{std::string(kAnyProgram)}) {}

  Observation Read(const std::vector<FileUse>& uses) {
    for (const FileUse& use : uses) {
      NotePlugin(use);
      NoteModuleFolder(use);
    }
    for (const FileUse& use : uses) {
      const std::string path = WorkspacePathOf(use.path, place_);
      NoteAnyUse(use, path);
      if (path.empty() || IsLeftOut(path) || use.kind != FileUse::Kind::kRead) continue;
      observation_.read.insert(path);
      if (IsRun(use, path)) observation_.ran.insert(path);
      if (Compiles(use)) {
        NoteCompiled(use, path);
      } else if (!place_.compilers.empty()) {
        observation_.read_by_tools.insert(path);
      }
    }
    // A file that a program looked for first and read later exists.
    for (const std::string& path : observation_.read) observation_.missing.erase(path);
    return std::move(observation_);
  }

 private:
  // A program may run code of the workspace: by LD_PRELOAD, or as a plugin.
  void NotePlugin(const FileUse& use) {
    if (use.kind == FileUse::Kind::kRead && use.script.empty() &&
        !WorkspacePathOf(use.path, place_).empty() && IsSharedLibrary(use.path)) {
      compilers_[{use.program, use.script}] = false;
    }
  }

  // Node.js asks each module's folder for a package.json.
  void NoteModuleFolder(const FileUse& use) {
    const std::string script = WorkspacePathOf(use.script, place_);
    if (!script.empty() && !IsOfInstalledPackage(script) && BaseName(use.program) == "node" &&
        BaseName(use.path) == "package.json") {
      module_folders_.insert({use.script, DirName(use.path)});
    }
  }

  void NoteAnyUse(const FileUse& use, const std::string& path) {
    if (use.kind == FileUse::Kind::kListed &&
        (use.path == place_.workspace || use.path == place_.copy)) {
      observation_.listed.insert(".");
    }
    if (const std::string module = ImportedModule(path); !module.empty()) {
      observation_.ran.insert(module);
      if (use.kind == FileUse::Kind::kRead) observation_.ran.insert(path);
    }
    if (path.empty() || IsLeftOut(path)) return;
    if (use.kind == FileUse::Kind::kListed) observation_.listed.insert(path);
    if (use.kind == FileUse::Kind::kWritten) observation_.written.insert(path);
    if (use.kind == FileUse::Kind::kMissing ||
        (use.kind == FileUse::Kind::kSought && !IsDocument(path))) {
      observation_.missing.insert(path);
    }
  }

  // Whether the file that is read is code that runs in this program.
  bool IsRun(const FileUse& use, const std::string& path) const {
    const bool is_module =
        IsSharedLibrary(path) || absl::EndsWith(path, ".pyc") ||
        (IsModuleOfNode(path) && module_folders_.count({use.script, DirName(use.path)}) > 0);
    return use.program == use.path || IsShell(use.program) || use.script == use.path || is_module;
  }

  bool Compiles(const FileUse& use) {
    const auto [known, is_new] = compilers_.try_emplace({use.program, use.script});
    if (is_new) known->second = IsCompiler(use, place_);
    const bool judges_itself = use.script == use.path && IsCompiler(use, place_);
    return known->second || judges_itself;
  }

  void NoteCompiled(const FileUse& use, const std::string& path) {
    const auto [known, is_first] = observation_.compiled.try_emplace(path);
    CompiledFile& file = known->second;
    if (is_first) {
      file.path = use.path;
      file.identity = use.identity;
    }
    file.is_stable &= use.is_stable && file.identity == use.identity;
    const bool status_counts = !is_declared_ && !HasMeaninglessStatus(use.program);
    for (const auto& run : use.runs) {
      std::shared_ptr<const CompilerWay>& way = ways_[run.get()];
      if (way == nullptr) {
        way = std::make_shared<CompilerWay>(WayOf(use.program, run->arguments, names_));
      }
      file.calls.push_back(
          {run, way, !status_counts || run->status == 0, !status_counts || run->status != 0});
    }
  }

  const ObservedPlace& place_;
  const ArgumentPlaces names_;
  const bool is_declared_;
  Observation observation_;
  std::map<std::pair<std::string, std::string>, bool> compilers_;  // by program and script
  std::set<std::pair<std::string, std::string>> module_folders_;   // by script and folder
  std::map<const ProgramRun*, std::shared_ptr<const CompilerWay>> ways_;
};

}  // namespace

ObservingRunner::ObservingRunner(ProcessRunner* base, std::vector<std::string> folders, bool looks)
    : base_(base), folders_(std::move(folders)), looks_(looks) {}

absl::StatusOr<ProcessResult> ObservingRunner::Run(const ProcessRequest& request) {
  if (request.needs_no_observation) return base_->Run(request);
  ProcessRequest observed = request;
  observed.observed = folders_;
  observed.observes_looks = looks_;
  STILE_ASSIGN_OR_RETURN(ProcessResult result, base_->Run(observed));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (result.file_uses.has_value()) {
    for (FileUse& use : *result.file_uses) {
      auto known = uses_.extract(use);
      if (!known.empty()) {
        use.is_stable &= known.value().is_stable && known.value().identity == use.identity;
        use.runs.insert(use.runs.begin(), known.value().runs.begin(), known.value().runs.end());
      }
      uses_.insert(std::move(use));
    }
  } else if (result.end != ProcessResult::End::kCancelled) {
    complete_ = false;
  }
  return result;
}

std::optional<std::vector<FileUse>> ObservingRunner::uses() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!complete_) return std::nullopt;
  return std::vector<FileUse>(uses_.begin(), uses_.end());
}

Observation InterpretUses(const std::vector<FileUse>& uses, const ObservedPlace& place) {
  return UseReader(place).Read(uses);
}

CompilerWays PassedWays(const CompiledFile& file) {
  CompilerWays ways;
  for (const CompilerCall& call : file.calls) {
    if (call.has_passed) ways.push_back(call.way);
  }
  return ways;
}

CompilerWays FailedWays(const CompiledFile& file) {
  CompilerWays ways;
  for (const CompilerCall& call : file.calls) {
    if (call.has_failed) ways.push_back(call.way);
  }
  return ways;
}

void ExcuseErrors(const std::vector<Diagnostic>& errors, Observation* observation) {
  std::set<const ProgramRun*> runs;
  bool is_elsewhere = false;  // in a file that no compiler was seen to open
  for (const Diagnostic& error : errors) {
    if (error.severity != Severity::kError) continue;
    const auto file = observation->compiled.find(error.file);
    is_elsewhere |= file == observation->compiled.end();
    if (file == observation->compiled.end()) continue;
    for (const CompilerCall& call : file->second.calls) runs.insert(call.run.get());
  }
  for (auto& [path, file] : observation->compiled) {
    for (CompilerCall& call : file.calls) {
      call.has_passed |= is_elsewhere || runs.count(call.run.get()) > 0;
    }
  }
}

bool IsStillCompiled(const CompiledFile& file) {
  struct stat info {};
  if (!file.is_stable || stat(file.path.c_str(), &info) != 0) return false;
  return FileIdentity{info.st_ino, info.st_size, Nanoseconds(info.st_ctim)} == file.identity;
}

absl::Status CheckObservation(ProcessRunner* runner, const Environment& environment) {
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", ":"};
  request.cwd = "/";
  request.env = environment;
  request.observed = {"/nowhere"};
  request.timeout = absl::Seconds(30);
  const absl::StatusOr<ProcessResult> result = runner->Run(request);
  if (!result.ok()) return absl::FailedPreconditionError(result.status().message());
  if (result->file_uses.has_value()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the kernel refuses seccomp notifications: it is older than 5.5, or another supervisor (of a "
      "container, or Stile itself) holds them");
}

}  // namespace stile
