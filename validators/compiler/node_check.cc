// `node --check` is not enough: node 20 passes a broken .js file that has an `import` or `export`
// and no "type" in its package.json, and one process per file costs 40 ms each. So one node
// compiles all files in memory, each as what node would run it as: by extension, by "type", and
// where neither tells, as a script first and as a module if only a module can be meant. The place
// of a module's fault is told by `node --check` on a copy, since the API does not give it. The last
// line says how many files were compiled; without it nothing was judged.
//
// Node cannot read JSX. Files with it are left to tsc (which for JavaScript checks syntax alone)
// where there is one; else they have no validator.
#include "validators/compiler/node_check.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/tool_validator.h"
#include "validators/compiler/typescript.h"
#include "validators/compiler/typescript_compiler.h"
#include "validators/diagnostics/node_diagnostics.h"

namespace stile {
namespace {

// Arguments: the workspace and a file that may be overwritten. Standard input: NUL-separated paths.
constexpr char kScript[] = R"js(
const fs = require("fs"), path = require("path"), vm = require("vm");
const {spawnSync} = require("child_process");
const [workspace, copy] = process.argv.slice(1);
const types = new Map();
function typeOf(folder) {
  if (types.has(folder)) return types.get(folder);
  let type = "";
  let text = null;
  try { text = fs.readFileSync(path.join(folder, "package.json"), "utf8"); } catch {}
  if (text !== null) {
    try { type = JSON.parse(text).type || ""; } catch {}
  } else if (folder !== workspace && path.dirname(folder) !== folder) {
    type = typeOf(path.dirname(folder));
  }
  types.set(folder, type);
  return type;
}
function asScript(source, file) {
  try {
    vm.compileFunction(source.replace(/^#!/, "//"),
                       ["exports", "require", "module", "__filename", "__dirname"],
                       {filename: file});
    return null;
  } catch (error) {
    return String(error.stack).split("\n    at ")[0];
  }
}
function asModule(source, file) {
  try {
    new vm.SourceTextModule(source.replace(/^#!/, "//"), {identifier: file});
    return null;
  } catch (error) {
    fs.writeFileSync(copy, source);
    const {stderr} = spawnSync(process.execPath, ["--check", copy], {encoding: "utf8"});
    const place = (stderr || "").split("\n    at ")[0].replace("file://" + copy, copy);
    return place.startsWith(copy + ":") ? file + place.slice(copy.length)
                                        : file + ":1\n" + error;
  }
}
const moduleOnly = new RegExp("outside a module|Unexpected token 'export'|await is only valid");
let count = 0, failed = 0;
for (const file of fs.readFileSync(0, "utf8").split("\0")) {
  if (file === "") continue;
  let source;
  try {
    source = fs.readFileSync(file, "utf8");
  } catch (error) {
    console.log(file + ":1\nSyntaxError: " + error.message);
    failed = 1;
    count++;
    continue;
  }
  if (source.charCodeAt(0) === 0xFEFF) source = source.slice(1);
  const type = file.endsWith(".mjs") ? "module" : file.endsWith(".cjs") ? "commonjs"
                                                                        : typeOf(path.dirname(file));
  let fault;
  if (type === "module") {
    fault = asModule(source, file);
  } else {
    fault = asScript(source, file);
    if (fault !== null && type === "" && moduleOnly.test(fault)) fault = asModule(source, file);
  }
  if (fault !== null) {
    console.log(fault);
    failed = 1;
  }
  count++;
}
console.log("checked " + count);
process.exitCode = failed;
)js";

bool MeansJsx(const Diagnostic& diagnostic) { return diagnostic.message == "Unexpected token '<'"; }

class NodeCheckValidator : public ToolValidator {
 public:
  NodeCheckValidator() : ToolValidator("node-check", Level::kBuild) {}
  std::vector<std::string> compilers() const override { return {"node", "nodejs"}; }
  CanaryKind canary() const override { return CanaryKind::kSyntax; }
  bool judges_single_files() const override { return true; }
  bool Applies(const Project&) const override { return true; }

  Toolchain Probe(const Project&, const Environment& environment,
                  ProcessRunner* runner) const override {
    return FindNode(environment, runner);
  }

  // Syntax depends on nothing else.
  std::optional<std::vector<std::string>> Dependencies(const Project&) const override {
    return std::vector<std::string>();
  }

 private:
  absl::StatusOr<ValidationResult> Judge(const ValidationRequest& request,
                                         ValidationRun* run) const override {
    const Project& project = *request.project;
    std::vector<std::string> files = FilesWithExtension(project, {".js", ".mjs", ".cjs"});
    STILE_ASSIGN_OR_RETURN(std::optional<NodeFindings> found,
                           CheckWithNode(request, run->toolchain().program, files, run));
    if (!found.has_value()) return run->result();

    // What node could not read because of JSX goes to tsc, in whose hands it is checked anew.
    std::vector<std::string> jsx = FilesWithExtension(project, {".jsx"});
    std::vector<Diagnostic> rest;
    for (Diagnostic& diagnostic : found->diagnostics) {
      if (MeansJsx(diagnostic)) {
        jsx.push_back(diagnostic.file);
      } else {
        rest.push_back(std::move(diagnostic));
      }
    }
    if (!jsx.empty()) {
      if (found->exit_code != 0 && rest.empty()) found->exit_code = 0;
      STILE_ASSIGN_OR_RETURN(auto checked, CheckFilesWithTypeScript(request, jsx, run));
      if (!checked.has_value()) return run->result();
      if (checked->exit_code != 0) found->exit_code = checked->exit_code;
      rest.insert(rest.end(), checked->diagnostics.begin(), checked->diagnostics.end());
      absl::StrAppend(&found->output, checked->output);
      files.insert(files.end(), jsx.begin(), jsx.end());
      std::sort(files.begin(), files.end());
      files.erase(std::unique(files.begin(), files.end()), files.end());
    }
    run->result().files_read = std::move(files);
    return run->Conclude(found->exit_code, std::move(rest), found->output);
  }
};

}  // namespace

absl::StatusOr<std::optional<NodeFindings>> CheckWithNode(const ValidationRequest& request,
                                                          const std::string& node,
                                                          const std::vector<std::string>& files,
                                                          ValidationRun* run) {
  const Project& project = *request.project;
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(JoinPath(project.workspace, file));
  Command command;
  command.argv = {node,
                  "--experimental-vm-modules",
                  "--no-warnings",
                  "-e",
                  kScript,
                  project.workspace,
                  JoinPath(request.state_dir, "module.mjs")};
  command.cwd = request.state_dir;
  command.stdin_text = absl::StrJoin(paths, absl::string_view("\0", 1));
  command.set = {{"NO_COLOR", "1"}};
  command.unset = {"NODE_OPTIONS", "FORCE_COLOR"};
  command.display = absl::StrCat("node --check (", Count(files.size(), "file"), ")");
  STILE_ASSIGN_OR_RETURN(const auto process, run->Execute(command));
  if (!process.has_value()) return std::optional<NodeFindings>();
  const std::string last = absl::StrCat("checked ", files.size(), "\n");
  if (!absl::EndsWith(process->out, last)) {
    run->InfraError("node did not get through all files", AllOutput(*process));
    return std::optional<NodeFindings>();
  }
  NodeFindings findings;
  findings.diagnostics = ParseNode(process->out, project.workspace, project.workspace);
  findings.exit_code = process->exit_code;
  findings.output = AllOutput(*process);
  return std::optional<NodeFindings>(std::move(findings));
}

std::unique_ptr<Validator> NewNodeCheckValidator() {
  return std::make_unique<NodeCheckValidator>();
}

}  // namespace stile
