// Quirks of tsc that this file answers to:
// - Errors end 5.x with status 2 or, when build info made it skip the emit, 1; version 7 with 1.
// - `-p` on a solution (files: [], references) checks nothing, and `-b` writes beside the sources
//   whatever it is told. So each configuration runs with `-p`.
// - Under `-p`, a config with references wants the outputs of the projects it refers to (TS6305),
//   which a fresh checkout does not have and nobody may write. Such a config is run through another
//   one in the state folder that extends it: references are not inherited, so the sources of the
//   other projects are read instead of their outputs. It lies in a copy of the folders above the
//   project in which every node_modules is a link, so that type packages are found as from the
//   original place.
// - `include` has a default only where neither files nor include is given, and it counts from the
//   config that is run; the state folder's config says it in full.
// - Build info keeps content hashes, not mtimes, and belongs to one compiler version.
// - Exit status 0 and silence is how it says yes, which a broken program can say as well;
//   --listFiles makes it name what it read, at least its own library. That is the coverage, too.
// - Version 7 rejects old settings (target ES5, baseUrl, moduleResolution node): where the project
//   has no compiler of its own, an older one on the PATH judges instead.
#include "validators/compiler/typescript.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/cold_retry.h"
#include "validators/compiler/node_check.h"
#include "validators/compiler/tool_validator.h"
#include "validators/compiler/typescript_compiler.h"
#include "validators/compiler/typescript_config.h"
#include "validators/compiler/typescript_graph.h"
#include "validators/diagnostics/source_place.h"
#include "validators/diagnostics/tsc_diagnostics.h"

namespace stile {
namespace {

constexpr char kInstallHint[] =
    "TypeScript is not installed: npm install --save-dev typescript in the project, or npm install "
    "-g typescript";

// The files of the workspace that --listFiles names. `any` tells whether it named any file at all.
std::vector<std::string> ListedFiles(absl::string_view output, const Project& project, bool* any) {
  static const auto* const extensions = new std::vector<std::string>{
      ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"};
  std::set<std::string> files;
  for (absl::string_view line : SplitLines(output)) {
    if (!absl::StartsWith(line, "/")) continue;
    const bool is_file = std::any_of(extensions->begin(), extensions->end(),
                                     [&](const auto& end) { return absl::EndsWith(line, end); });
    if (!is_file) continue;
    *any = true;
    std::string file = WorkspaceFile(line, project.workspace, project.workspace);
    if (!absl::StartsWith(file, "/")) files.insert(std::move(file));
  }
  return std::vector<std::string>(files.begin(), files.end());
}

// Settings that a newer compiler no longer knows, or will not accept without further words.
bool RejectsSettings(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
    return d.code == "TS5101" || d.code == "TS5102" || d.code == "TS5107" || d.code == "TS5108";
  });
}

// Makes the folder of the state folder that stands for `folder` of the workspace, with links to
// every node_modules on the way.
absl::StatusOr<std::string> MirrorFolder(const ValidationRequest& request,
                                         const std::string& folder) {
  const std::string mirror = JoinPath(request.state_dir, "config");
  const std::string target = CleanPath(JoinPath(mirror, folder));
  STILE_RETURN_IF_ERROR(DiskFileSystem()->MakeDirs(target));
  for (std::string level = folder;; level = DirName(level)) {
    const std::string original =
        CleanPath(JoinPath(JoinPath(request.project->workspace, level), "node_modules"));
    const std::string link = CleanPath(JoinPath(JoinPath(mirror, level), "node_modules"));
    unlink(link.c_str());
    if (DirectoryExists(original) && symlink(original.c_str(), link.c_str()) != 0) {
      return ErrnoStatus(errno, "link", link);
    }
    if (level == ".") break;
  }
  return target;
}

absl::StatusOr<std::string> WriteConfig(const ValidationRequest& request, const std::string& folder,
                                        const std::string& name, const Json& config) {
  STILE_ASSIGN_OR_RETURN(const std::string mirror, MirrorFolder(request, folder));
  const std::string path = JoinPath(mirror, name);
  STILE_RETURN_IF_ERROR(
      DiskFileSystem()->WriteFile(path, DumpJson(config, 2), 0600, /*sync=*/false));
  return path;
}

// The config in the state folder that stands for one with references.
Json WithoutReferences(const Project& project, const TypeScriptConfig& config) {
  const std::string folder = CleanPath(JoinPath(project.workspace, DirName(config.file)));
  Json json = {{"extends", JoinPath(project.workspace, config.file)},
               {"compilerOptions",
                {{"composite", false},
                 {"declaration", false},
                 {"declarationMap", false},
                 {"emitDeclarationOnly", false},
                 {"rootDir", project.workspace}}}};
  if (!config.has_include && !config.lists_files) json["include"] = {JoinPath(folder, "**/*")};
  if (!config.has_exclude && !config.out_dir.empty() && config.out_dir != folder) {
    json["exclude"] = {config.out_dir};
  }
  return json;
}

// Settings for files without a tsconfig.json: modern, forgiving where nothing was asked for.
Json LooseConfig(const Project& project, const std::vector<std::string>& files) {
  Json json = {{"compilerOptions",
                {{"target", "esnext"},
                 {"module", "esnext"},
                 {"moduleResolution", "bundler"},
                 {"moduleDetection", "force"},
                 {"allowImportingTsExtensions", true},
                 {"jsx", "preserve"},
                 {"skipLibCheck", true},
                 {"noEmit", true}}},
               {"files", Json::array()}};
  for (const std::string& file : files) json["files"].push_back(JoinPath(project.workspace, file));
  return json;
}

// Settings for one file that no configuration takes in: those of the nearest one.
absl::StatusOr<std::string> WriteConfigForOne(const ValidationRequest& request,
                                              const std::string& file) {
  const Project& project = *request.project;
  for (std::string folder = DirName(file);; folder = DirName(folder)) {
    const std::string name = CleanPath(JoinPath(folder, "tsconfig.json"));
    auto config = LoadTypeScriptConfig(project.workspace, name);
    if (config.ok() && config->is_solution) {
      config = LoadTypeScriptConfig(project.workspace, config->references.front());
    }
    if (config.ok()) {
      Json json = WithoutReferences(project, *config);
      json["include"] = Json::array();
      json["files"] = {JoinPath(project.workspace, file)};
      return WriteConfig(request, DirName(config->file), "alone.json", json);
    }
    if (folder == ".") break;
  }
  return WriteConfig(request, project.root, "loose.json", LooseConfig(project, {file}));
}

// Runs one configuration and adds what it says to `findings`. False: already decided.
// `is_solution`: it has no files, and the compiler nothing to list.
absl::StatusOr<bool> RunConfig(const ValidationRequest& request, const TypeScriptCompiler& compiler,
                               const std::string& config_path, const std::string& shown,
                               bool is_solution, ValidationRun* run, TypeScriptFindings* findings) {
  const Project& project = *request.project;
  const std::string info = JoinPath(
      request.state_dir,
      absl::StrCat(Sha256Hex(absl::StrCat(shown, "\n", compiler.toolchain.version)).substr(0, 16),
                   ".tsbuildinfo"));
  Command command;
  command.argv = compiler.command;
  for (const std::string& argument :
       {std::string("-p"), config_path, std::string("--noEmit"), std::string("--incremental"),
        std::string("--tsBuildInfoFile"), info, std::string("--pretty"), std::string("false"),
        std::string("--listFiles")}) {
    command.argv.push_back(argument);
  }
  command.display = absl::StrCat("tsc -p ", ShellText({"", shown}).substr(3),
                                 " --noEmit --incremental --pretty false");
  command.set = {{"NO_COLOR", "1"},
                 {"NODE_COMPILE_CACHE", JoinPath(request.state_dir, "node_cache")}};
  command.unset = {"NODE_OPTIONS", "FORCE_COLOR"};

  for (const bool again : {false, true}) {
    const bool had_info = FileExists(info);
    STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
    bool any = false;
    std::vector<Diagnostic> diagnostics;
    if (process.has_value()) {
      diagnostics = ParseTsc(process->out, project.absolute_root(), project.workspace);
      std::vector<std::string> files = ListedFiles(process->out, project, &any);
      any |= is_solution;
      const bool readable = process->exit_code == 0 ? any : CountErrors(diagnostics) > 0;
      if (readable || again || !had_info) {
        if (process->exit_code == 0 && !any) {
          run->InfraError("tsc named no file that it read", AllOutput(*process));
          return false;
        }
        if ((process->exit_code == 0) != (CountErrors(diagnostics) == 0)) {
          run->Conclude(process->exit_code, std::move(diagnostics), AllOutput(*process));
          return false;
        }
        ColumnsToBytes(project.workspace, ColumnUnit::kUtf16, &diagnostics);
        findings->diagnostics.insert(findings->diagnostics.end(), diagnostics.begin(),
                                     diagnostics.end());
        findings->files_read.insert(findings->files_read.end(), files.begin(), files.end());
        absl::StrAppend(&findings->output, AllOutput(*process));
        if (process->exit_code != 0) findings->exit_code = process->exit_code;
        return true;
      }
    } else if (again || !had_info || run->result().verdict == Verdict::kTimeout) {
      return false;
    }
    // A crash or silence with build info at hand may be the build info's fault: once more without.
    STILE_RETURN_IF_ERROR(DiskFileSystem()->RemoveFile(info));
  }
  return false;
}

class TypeScriptValidator : public ToolValidator {
 public:
  TypeScriptValidator() : ToolValidator("tsc", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"tsc", "tsc.js", "_tsc.js"}; }

  bool judges_single_files() const override { return true; }
  bool Applies(const Project& project) const override {
    if (project.language->id != "javascript") return true;
    if (project.loose) return false;
    const std::string file = ConfigFile(project);
    const auto config = LoadTypeScriptConfig(project.workspace, file);
    // A file that cannot be read is for the compiler to complain about, if it could be meant for
    // it.
    if (!config.ok())
      return BaseName(file) == "jsconfig.json" && !absl::IsNotFound(config.status());
    return config->allow_js;
  }

  Toolchain Probe(const Project& project, const Environment& environment,
                  ProcessRunner* runner) const override {
    const auto compilers = FindTypeScriptCompilers(project, environment, runner);
    Toolchain toolchain = compilers.empty() ? Toolchain() : compilers.front().toolchain;
    if (!toolchain.available && toolchain.install_hint.empty())
      toolchain.install_hint = kInstallHint;
    return toolchain;
  }

  std::optional<std::vector<std::string>> Dependencies(const Project& project) const override {
    return TypeScriptDependencies(project, ConfigFile(project));
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    const auto compilers = FindTypeScriptCompilers(project, request.environment, request.runner);
    std::vector<Toolchain> tools;
    for (const TypeScriptCompiler& compiler : compilers) tools.push_back(compiler.toolchain);
    STILE_RETURN_IF_ERROR(ClaimState(request.state_dir, tools).status());

    TypeScriptFindings findings;
    for (size_t i = 0; i < compilers.size(); ++i) {
      if (!compilers[i].toolchain.available) continue;
      run->result().toolchain = compilers[i].toolchain;
      run->result().command.clear();
      findings = TypeScriptFindings();
      STILE_ASSIGN_OR_RETURN(const bool judged, RunProject(request, compilers[i], run, &findings));
      if (!judged) return run->result();
      if (compilers[i].of_project || !RejectsSettings(findings.diagnostics)) break;
      if (i + 1 == compilers.size() || !compilers[i + 1].toolchain.available) {
        return run->InfraError(
            absl::StrCat(
                ConfigFile(project), " has settings that TypeScript ",
                absl::StripPrefix(compilers[i].toolchain.version, "Version "),
                " no longer accepts, and the project has no compiler of its own: npm install "
                "--save-dev typescript@5.9"),
            findings.output);
      }
    }
    std::sort(findings.files_read.begin(), findings.files_read.end());
    findings.files_read.erase(std::unique(findings.files_read.begin(), findings.files_read.end()),
                              findings.files_read.end());
    if (project.language->id == "javascript" && findings.exit_code == 0) {
      STILE_ASSIGN_OR_RETURN(const bool judged, CheckRest(request, run, &findings));
      if (!judged) return run->result();
    }
    run->result().files_read = std::move(findings.files_read);
    return run->Conclude(findings.exit_code, std::move(findings.diagnostics), findings.output);
  }

  static std::string ConfigFile(const Project& project) {
    const std::string name = !project.Has("tsconfig.json") && project.Has("jsconfig.json")
                                 ? "jsconfig.json"
                                 : "tsconfig.json";
    return CleanPath(JoinPath(project.root, name));
  }

  static absl::StatusOr<bool> RunProject(const ValidationRequest& request,
                                         const TypeScriptCompiler& compiler, ValidationRun* run,
                                         TypeScriptFindings* findings) {
    const Project& project = *request.project;
    const std::string file = ConfigFile(project);
    if (project.loose || !FileExists(JoinPath(project.workspace, file))) {
      const auto files = FilesWithExtension(project, {".ts", ".tsx", ".mts", ".cts"});
      if (files.empty()) return true;
      STILE_ASSIGN_OR_RETURN(const std::string path,
                             files.size() == 1 ? WriteConfigForOne(request, files[0])
                                               : WriteConfig(request, project.root, "loose.json",
                                                             LooseConfig(project, files)));
      return RunConfig(request, compiler, path, "(files)", /*is_solution=*/false, run, findings);
    }
    for (const std::string& name : ConfigsOfProject(project.workspace, file)) {
      const auto config = LoadTypeScriptConfig(project.workspace, name);
      std::string path = JoinPath(project.workspace, name);
      if (config.ok() && !config->references.empty() && !config->is_solution) {
        STILE_ASSIGN_OR_RETURN(path, WriteConfig(request, DirName(name), BaseName(name),
                                                 WithoutReferences(project, *config)));
      }
      STILE_ASSIGN_OR_RETURN(
          const bool judged,
          RunConfig(request, compiler, path,
                    project.root == "." ? name : name.substr(project.root.size() + 1),
                    config.ok() && config->is_solution, run, findings));
      if (!judged) return false;
    }
    return true;
  }

  // JavaScript that the configuration leaves out (settings of tools, scripts) is held to its
  // syntax.
  static absl::StatusOr<bool> CheckRest(const ValidationRequest& request, ValidationRun* run,
                                        TypeScriptFindings* findings) {
    std::vector<std::string> rest;
    for (const std::string& file : FilesWithExtension(*request.project, {".js", ".mjs", ".cjs"})) {
      if (!std::binary_search(findings->files_read.begin(), findings->files_read.end(), file)) {
        rest.push_back(file);
      }
    }
    if (rest.empty()) return true;
    const Toolchain node = FindNode(request.environment, request.runner);
    // Without it files_read does not name them: the gate notes that, but judges no coverage.
    if (!node.available) return true;
    STILE_ASSIGN_OR_RETURN(const auto found, CheckWithNode(request, node.program, rest, run));
    if (!found.has_value()) return false;
    findings->exit_code = found->exit_code;
    findings->diagnostics.insert(findings->diagnostics.end(), found->diagnostics.begin(),
                                 found->diagnostics.end());
    absl::StrAppend(&findings->output, found->output);
    findings->files_read.insert(findings->files_read.end(), rest.begin(), rest.end());
    std::sort(findings->files_read.begin(), findings->files_read.end());
    return true;
  }
};

}  // namespace

absl::StatusOr<std::optional<TypeScriptFindings>> CheckFilesWithTypeScript(
    const ValidationRequest& request, const std::vector<std::string>& files, ValidationRun* run) {
  const auto compilers =
      FindTypeScriptCompilers(*request.project, request.environment, request.runner);
  if (compilers.empty() || !compilers.front().toolchain.available) {
    run->result().verdict = Verdict::kNoValidator;
    run->result().message =
        absl::StrCat(files.front(), " holds JSX, which Node.js cannot check. ", kInstallHint);
    return std::optional<TypeScriptFindings>();
  }
  Json json = LooseConfig(*request.project, files);
  json["compilerOptions"]["allowJs"] = true;
  json["compilerOptions"]["checkJs"] = false;
  json["compilerOptions"]["noResolve"] = true;
  json["compilerOptions"]["types"] = Json::array();
  STILE_ASSIGN_OR_RETURN(const std::string path, WriteConfig(request, ".", "jsx.json", json));
  TypeScriptFindings findings;
  STILE_ASSIGN_OR_RETURN(const bool judged, RunConfig(request, compilers.front(), path, "(files)",
                                                      /*is_solution=*/false, run, &findings));
  if (!judged) return std::optional<TypeScriptFindings>();
  return std::optional<TypeScriptFindings>(std::move(findings));
}

std::unique_ptr<Validator> NewTypeScriptValidator() {
  return std::make_unique<TypeScriptValidator>();
}

}  // namespace stile
