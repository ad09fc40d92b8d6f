#include "tools/resolve/server_catalog.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/json_comments.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/file_reading.h"
#include "tools/resolve/typescript_server.h"

namespace stile {
namespace {

constexpr size_t kMaxPackageJsonBytes = size_t{1} << 20;
constexpr size_t kMaxScriptBytes = size_t{4} << 20;
constexpr int kFirstTypeScriptWithServer = 7;

// The version in the package.json of the npm package that a program belongs to; "" if there is
// none.
std::string PackageVersion(const std::string& program) {
  const auto real = RealPath(program);
  if (!real.ok()) return "";
  const std::string package = JoinPath(DirName(DirName(*real)), "package.json");
  const auto text = DiskFileSystem()->ReadFile(package, kMaxPackageJsonBytes);
  if (!text.ok()) return "";
  const auto json = ParseJson(*text);
  return json.ok() ? JsonString(*json, "version").value_or("") : "";
}

bool IsTypeScriptServer(const std::string& program, const Environment&) {
  return std::atoi(PackageVersion(program).c_str()) >= kFirstTypeScriptWithServer;
}

// The npm package of TypeScript 7 starts this program with node, which takes 0.2 s and stays beside
// it. "": it is not where npm puts it.
std::string NativeTypeScript(const std::string& program) {
#if defined(__x86_64__)
  constexpr absl::string_view kMachine = "x64";
#elif defined(__aarch64__)
  constexpr absl::string_view kMachine = "arm64";
#else
  constexpr absl::string_view kMachine = "";
#endif
  const auto real = RealPath(program);
  if (!real.ok()) return "";
  const std::string packages = DirName(DirName(DirName(*real)));
  const std::string native =
      absl::StrCat(packages, "/@typescript/typescript-linux-", kMachine, "/lib/tsc");
  return access(native.c_str(), X_OK) == 0 ? native : "";
}

// rustup puts a program of this name on the PATH that only starts a component, which may be
// missing.
bool IsRustAnalyzer(const std::string& program, const Environment& environment) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::equivalent(program, fs::path(DirName(program)) / "rustup", error)) return true;
  const auto variable = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  const std::string own = variable("RUSTUP_HOME");
  const fs::path home = own.empty() ? fs::path(variable("HOME")) / ".rustup" : fs::path(own);
  const fs::path toolchains = home / "toolchains";
  fs::directory_iterator toolchain(toolchains, error);
  for (; !error && toolchain != fs::directory_iterator(); toolchain.increment(error)) {
    if (FileExists((toolchain->path() / "bin" / "rust-analyzer").string())) return true;
  }
  return false;
}

bool IsOfJdk(const std::string& javac, const Environment&) {
  const auto real = RealPath(javac);
  return real.ok() && FileExists(JoinPath(DirName(*real), "java"));
}

bool IsTypeScriptWithNode(const std::string& tsserver, const Environment& environment) {
  return !TypeScriptLibrary(tsserver).empty() && FindExecutable("node", environment).ok();
}

// Reads a tsconfig.json; null if it cannot be read.
Json ReadConfig(const std::string& path) {
  std::string text;
  if (!ReadRegularFile(path, kMaxPackageJsonBytes, &text)) return nullptr;
  return ParseJson(StripJsonComments(text)).value_or(Json());
}

// The files of the workspace that a tsconfig.json names in `extends` and `references`. Packages are
// left out.
std::vector<std::string> ConfigsNamedBy(const Json& config, const std::string& path,
                                        const std::string& workspace) {
  std::vector<std::string> named;
  const auto add = [&](const std::optional<std::string>& name) {
    if (!name.has_value() || !absl::StartsWith(*name, ".")) return;
    const std::string at = CleanPath(JoinPath(DirName(path), *name));
    if (!IsWithin(at, workspace)) return;
    for (const std::string& file : {at, absl::StrCat(at, ".json"), JoinPath(at, "tsconfig.json")}) {
      if (FileExists(file)) return named.push_back(file);
    }
  };
  add(JsonString(config, "extends"));
  if (const Json* all = JsonMember(config, "extends"); all != nullptr && all->is_array()) {
    for (const Json& one : *all) {
      if (one.is_string()) add(one.get<std::string>());
    }
  }
  if (const Json* all = JsonMember(config, "references"); all != nullptr && all->is_array()) {
    for (const Json& one : *all) add(JsonString(one, "path"));
  }
  return named;
}

// The nearest tsconfig.json or jsconfig.json at or above the file; "": none.
std::string ConfigOf(const ServerSearch& search) {
  for (std::string folder = DirName(search.file);; folder = DirName(folder)) {
    for (const char* name : {"tsconfig.json", "jsconfig.json"}) {
      std::string path = JoinPath(folder, name);
      if (FileExists(path)) return path;
    }
    if (folder.size() <= search.workspace.size()) return "";
  }
}

// TypeScript 7 ignores `baseUrl` and reports nothing: imports that need it stay unresolved.
// https://www.typescriptlang.org/docs/handbook/release-notes/typescript-6-0.html#deprecated-baseurl
std::string FindUnsupportedOption(const ServerSearch& search) {
  constexpr size_t kMaxConfigs = 20;
  std::vector<std::string> open = {ConfigOf(search)};
  for (size_t next = 0; next < open.size() && next < kMaxConfigs; ++next) {
    const std::string path = open[next];
    const Json config = path.empty() ? Json() : ReadConfig(path);
    const Json* const options = JsonMember(config, "compilerOptions");
    if (options != nullptr && JsonMember(*options, "baseUrl") != nullptr) {
      return absl::StrCat("TypeScript 7 does not know \"baseUrl\" in ",
                          absl::StripPrefix(path, absl::StrCat(search.workspace, "/")),
                          "; install typescript@6 in the project");
    }
    for (std::string& named : ConfigsNamedBy(config, path, search.workspace))
      open.push_back(std::move(named));
  }
  return "";
}

// Whether a line of the file begins an `import` or `export` declaration.
bool IsEcmaScriptModule(absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "import ") || absl::StartsWith(line, "import{") ||
        absl::StartsWith(line, "export ") || absl::StartsWith(line, "export{")) {
      return true;
    }
  }
  return false;
}

// TypeScript 7 does not know some members that JavaScript adds by assignment; earlier versions do.
// Examples: `self.x` where `self` is `this`, `F.prototype = {…}`, `require("./a").x`, and
// `module.exports.x` beside `module.exports = f`. ECMAScript modules use classes instead.
// https://github.com/microsoft/typescript-go/blob/main/CHANGES.md
bool MayAddMembersByAssignment(const ServerSearch& search) {
  if (!absl::EndsWith(search.file, ".js") && !absl::EndsWith(search.file, ".cjs")) return false;
  std::string text;
  if (!ReadRegularFile(search.file, kMaxScriptBytes, &text)) return false;
  return absl::StrContains(text, ".prototype") || !IsEcmaScriptModule(text);
}

struct Server {
  const char* name;
  std::initializer_list<const char*> languages;
  std::initializer_list<const char*> programs;  // in order of preference
  std::initializer_list<const char*> arguments;
  // null: the name of the program is enough
  bool (*is_it)(const std::string& program, const Environment& environment);
  const char* install_hint;
  bool for_whole_workspace;
  // Returns why the server may miss places of the file, or "". Null: it misses none.
  std::string (*find_limitation)(const ServerSearch& search);
  // Whether the language's next server knows more about the file. Null: it never does.
  bool (*prefers_next)(const ServerSearch& search);
  // What LanguageServerSpec has beside that.
  void (*complete)(LanguageServerSpec* spec);
};

void CompleteTypeScript(LanguageServerSpec* spec) {
  spec->language_id = "typescript";
  spec->fix_titles = {"add import from", "update import from", "import ",   "implement ",
                      "change spelling", "add 'await'",        "add async", "remove ",
                      "delete "};
  spec->language_id_of = {{".tsx", "typescriptreact"},
                          {".jsx", "javascriptreact"},
                          {".js", "javascript"},
                          {".mjs", "javascript"},
                          {".cjs", "javascript"}};
  spec->opens_users = true;
  spec->renames_overrides = true;
  spec->refusal_is_final = true;
}

void CompleteNativeTypeScript(LanguageServerSpec* spec) {
  const std::string native = NativeTypeScript(spec->argv[0]);
  if (!native.empty()) spec->argv[0] = native;
  // It would run npm to look for types of packages that have none.
  const Json preferences = {{"disableAutomaticTypeAcquisition", true}};
  spec->configuration = {
      {"js/ts", preferences}, {"typescript", preferences}, {"javascript", preferences}};
  CompleteTypeScript(spec);
}

void CompleteTypeScriptWithNode(LanguageServerSpec* spec) {
  spec->set_up = LanguageServerSpec::SetUp::kTypeScriptServer;
  spec->names_refusals = true;
  CompleteTypeScript(spec);
}

void CompletePyright(LanguageServerSpec* spec) {
  spec->language_id = "python";
  spec->organizes_imports = false;      // it only sorts them
  spec->ready_message = "source file";  // "Found 12 source files", "No source files found"
  spec->refusal_is_final = true;
}

void CompleteGopls(LanguageServerSpec* spec) {
  spec->language_id = "go";
  spec->left_out_error = "no package metadata for file";
  spec->fix_titles = {"add import", "delete import", "implement ", "remove "};
}

void CompleteClangd(LanguageServerSpec* spec) {
  spec->set_up = LanguageServerSpec::SetUp::kCompileCommands;
  spec->language_id = "cpp";
  spec->fix_titles = {"insert ",      "change ",         "replace ",    "remove ", "include ",
                      "add #include", "populate switch", "add missing", "use "};
  spec->language_id_of = {{".c", "c"}};
  spec->ready_progress = "backgroundIndexProgress";
  spec->reads_files_once = true;
  spec->guesses_definitions = true;
}

void CompleteCSharpLs(LanguageServerSpec* spec) {
  spec->set_up = LanguageServerSpec::SetUp::kPackages;
  spec->language_id = "csharp";
  spec->fix_titles = {"using ",      "implement ", "change '",    "make method async",
                      "add 'await'", "add await",  "add missing", "remove unnecessary"};
  spec->unused_import_code = "CS8019";
  spec->unused_import_title = "Remove unnecessary usings";
  spec->accessors = {"get", "set", "init", "add", "remove"};
  spec->first_answer_factor = 3;  // MSBuild evaluates each project
  spec->renames_overrides = true;
}

void CompleteJava(LanguageServerSpec* spec) {
  spec->set_up = LanguageServerSpec::SetUp::kJavaClasses;
  spec->language_id = "java";
  spec->fix_titles = {""};
  spec->tells_diagnostics = false;
  spec->names_files = ".java";
  spec->names_every_place = true;
  spec->renames_overrides = true;
  spec->refusal_is_final = true;
}

void CompleteRustAnalyzer(LanguageServerSpec* spec) {
  spec->language_id = "rust";
  spec->fix_titles = {"import ", "fill match arms", "implement ", "change the "};
  spec->ready_progress = "rustAnalyzer/cachePriming";
}

// Where a language has several, the preferred one comes first.
constexpr Server kServers[] = {
    {"TypeScript",
     {"typescript", "javascript"},
     {"tsc", "tsc7"},
     {"--lsp", "--stdio"},
     IsTypeScriptServer,
     "npm install --save-dev typescript@7",
     true,
     FindUnsupportedOption,
     MayAddMembersByAssignment,
     CompleteNativeTypeScript},
    {"tsserver",
     {"typescript", "javascript"},
     {"tsserver"},
     {},
     IsTypeScriptWithNode,
     "npm install --save-dev typescript@6",
     true,
     nullptr,
     nullptr,
     CompleteTypeScriptWithNode},
    {"Pyright",
     {"python"},
     {"pyright-langserver"},
     {"--stdio"},
     nullptr,
     "npm install --save-dev pyright",
     false,
     nullptr,
     nullptr,
     CompletePyright},
    {"gopls",
     {"go"},
     {"gopls"},
     {},
     nullptr,
     "apt-get install gopls, or go install golang.org/x/tools/gopls@latest",
     false,
     nullptr,
     nullptr,
     CompleteGopls},
    {"clangd",
     {"c", "cpp"},
     {"clangd", "clangd-19", "clangd-16", "clangd-14"},
     {"--background-index", "--log=error"},
     nullptr,
     "apt-get install clangd",
     false,
     nullptr,
     nullptr,
     CompleteClangd},
    {"csharp-ls",
     {"csharp"},
     {"csharp-ls"},
     {},
     nullptr,
     "dotnet tool install --global csharp-ls",
     true,
     nullptr,
     nullptr,
     CompleteCSharpLs},
    {"Java",
     {"java"},
     {"javac"},
     {},
     IsOfJdk,
     "apt-get install default-jdk-headless",
     false,
     nullptr,
     nullptr,
     CompleteJava},
    {"rust-analyzer",
     {"rust"},
     {"rust-analyzer"},
     {},
     IsRustAnalyzer,
     "rustup component add rust-analyzer",
     false,
     nullptr,
     nullptr,
     CompleteRustAnalyzer},
};

std::vector<const Server*> ServersOf(const std::string& language_id) {
  std::vector<const Server*> found;
  for (const Server& server : kServers) {
    if (std::find(server.languages.begin(), server.languages.end(), language_id) !=
        server.languages.end()) {
      found.push_back(&server);
    }
  }
  return found;
}

std::optional<std::string> FindProgram(const Server& server, const std::string& workspace,
                                       const std::string& root, const Environment& environment) {
  const auto is_it = [&](const std::string& program) {
    return server.is_it == nullptr || server.is_it(program, environment);
  };
  for (std::string folder = root;; folder = DirName(folder)) {
    for (const char* place : {"node_modules/.bin", ".venv/bin", "venv/bin"}) {
      for (const char* name : server.programs) {
        const auto program = FindExecutable(JoinPath(JoinPath(folder, place), name), environment);
        if (program.ok() && is_it(*program)) return *program;
      }
    }
    if (folder == workspace || folder.size() <= workspace.size()) break;
  }
  for (const char* name : server.programs) {
    const auto program = FindExecutable(name, environment);
    if (program.ok() && is_it(*program)) return *program;
  }
  return std::nullopt;
}

}  // namespace

std::vector<ServerStatus> ListServers(const std::string& workspace,
                                      const Environment& environment) {
  std::vector<ServerStatus> list;
  for (const Server& server : kServers) {
    list.push_back({server.name,
                    {server.languages.begin(), server.languages.end()},
                    FindProgram(server, workspace, workspace, environment).value_or(""),
                    server.install_hint});
  }
  return list;
}

absl::StatusOr<LanguageServerSpec> FindServer(const std::string& language_id,
                                              const ServerSearch& search) {
  const std::vector<const Server*> servers = ServersOf(language_id);
  if (servers.empty()) {
    return absl::UnimplementedError(absl::StrCat("no resolver is known for ", language_id));
  }
  std::optional<LanguageServerSpec> fallback;
  for (const Server* server : servers) {
    const auto program = FindProgram(*server, search.workspace, search.root, search.environment);
    if (!program.has_value()) continue;
    LanguageServerSpec spec;
    spec.name = server->name;
    spec.argv = {*program};
    spec.argv.insert(spec.argv.end(), server->arguments.begin(), server->arguments.end());
    server->complete(&spec);
    if (server->find_limitation != nullptr) spec.limitation = server->find_limitation(search);
    const bool next_is_better = server->prefers_next != nullptr && server->prefers_next(search);
    if (spec.limitation.empty() && !next_is_better) return spec;
    if (!fallback.has_value()) fallback = std::move(spec);
  }
  if (fallback.has_value()) return *std::move(fallback);
  return absl::NotFoundError(absl::StrCat(servers.front()->name, " is not installed (",
                                          servers.front()->install_hint, ")"));
}

bool IsForWholeWorkspace(const std::string& language_id) {
  const std::vector<const Server*> servers = ServersOf(language_id);
  return !servers.empty() && servers.front()->for_whole_workspace;
}

}  // namespace stile
