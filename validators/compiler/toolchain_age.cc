// A failure under an older toolchain than the project asks for says little about the code. Where
// the tool refuses to build at all, it says so in words of its own, or in errors that look like
// others
// ("invalid target release: 21", NETSDK1045, "undefined: slices").
#include "validators/compiler/toolchain_age.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/compiler/command_run.h"
#include "validators/compiler/go_module.h"
#include "validators/compiler/python_project.h"
#include "validators/compiler/rust_toolchain.h"
#include "validators/compiler/typescript_compiler.h"
#include "validators/compiler/wrapped_validator.h"
#include "validators/diagnostics/pattern.h"

namespace stile {
namespace {

constexpr size_t kMaxOutputBytes = size_t{64} << 10;
constexpr size_t kMaxWantedBytes = 100;

using Numbers = std::array<int, 3>;

// The numbers of the first version in `text`; all -1 if there is none.
Numbers NumbersOf(absl::string_view text) {
  Numbers numbers = {-1, -1, -1};
  size_t i = 0;
  while (i < text.size() && !absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) ++i;
  for (size_t part = 0; part < numbers.size(); ++part) {
    const size_t begin = i;
    while (i < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) ++i;
    if (i == begin || !absl::SimpleAtoi(text.substr(begin, i - begin), &numbers[part])) break;
    if (i >= text.size() || text[i] != '.') break;
    ++i;
  }
  if (numbers[0] >= 0) std::replace(numbers.begin(), numbers.end(), -1, 0);
  return numbers;
}

// The least version of one alternative, all of whose parts have to hold; "" if it has none.
std::string LeastOf(absl::string_view alternative) {
  std::string least;
  // "18 - 20": from the first to the second.
  alternative = alternative.substr(0, alternative.find(" - "));
  std::string operation;
  for (absl::string_view word :
       absl::StrSplit(alternative, absl::ByAnyChar(", \t"), absl::SkipEmpty())) {
    size_t end = 0;
    while (end < word.size() && absl::StrContains("<>=!~^v", word.substr(end, 1))) ++end;
    operation += std::string(word.substr(0, end));
    if (end == word.size()) continue;  // ">= 22"
    const bool is_upper = absl::StartsWith(operation, "<") || absl::StartsWith(operation, "!");
    operation.clear();
    if (is_upper || NumbersOf(word)[0] < 0) continue;
    if (least.empty() || IsOlder(least, word)) least = std::string(word.substr(end));
  }
  return least;
}

// What a project asks for, where that is more than there is.
struct Demand {
  std::string file;    // "go.mod"
  std::string wanted;  // "1.21"
};

// A file of the project's own folder, or of the nearest one above it that has one.
std::optional<std::string> ReadUpward(const Project& project, const std::string& name) {
  for (const std::string& folder : FoldersUpward(project)) {
    const auto text = DiskFileSystem()->ReadFile(
        JoinPath(JoinPath(project.workspace, folder), name), kMaxFileBytes);
    if (text.ok()) return *text;
  }
  return std::nullopt;
}

// The value of `key` in a section of a TOML or INI file, without quotes; "" if there is none.
std::string ValueIn(absl::string_view text, absl::string_view section, absl::string_view key) {
  static const Pattern* const kSection = new Pattern(R"(\s*\[\s*([^\[\]]+?)\s*\]\s*(#.*)?)");
  static const Pattern* const kValue =
      new Pattern(R"re(\s*([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^#"']*?))\s*(?:[#;].*)?)re");
  std::string here;
  for (const absl::string_view line : SplitLines(text)) {
    if (kSection->Matches(line, &here, static_cast<std::string*>(nullptr))) continue;
    std::string name, quoted, single, plain;
    if (here != section || !kValue->Matches(line, &name, &quoted, &single, &plain)) continue;
    if (name == key) return absl::StrCat(quoted, single, plain);
  }
  return "";
}

std::optional<Demand> GoDemand(const Project& project, absl::string_view have) {
  const std::string wanted = ParseGoMod(ReadProjectFile(project, "go.mod").value_or("")).go_version;
  if (!IsOlder(have, wanted)) return std::nullopt;
  return Demand{"go.mod", wanted};
}

std::optional<Demand> RustDemand(const Project& project, absl::string_view have) {
  const std::string own = ReadProjectFile(project, "Cargo.toml").value_or("");
  std::string wanted = ValueIn(own, "package", "rust-version");
  if (NumbersOf(wanted)[0] < 0) {
    const auto whole = DiskFileSystem()->ReadFile(
        JoinPath(CargoWorkspaceRoot(project), "Cargo.toml"), kMaxFileBytes);
    wanted = ValueIn(whole.value_or(""), "workspace.package", "rust-version");
  }
  if (!IsOlder(have, wanted)) return std::nullopt;
  return Demand{"Cargo.toml (rust-version)", wanted};
}

std::optional<Demand> PythonDemand(const Project& project, absl::string_view have) {
  const auto too_new = [&](const std::string& file, absl::string_view requirement) {
    return TooNew(requirement, have).empty()
               ? std::nullopt
               : std::optional<Demand>(Demand{file, std::string(requirement)});
  };
  if (const auto text = ReadUpward(project, "pyproject.toml"); text.has_value()) {
    const std::string required = ValueIn(*text, "project", "requires-python");
    if (!required.empty()) return too_new("pyproject.toml (requires-python)", required);
    const std::string poetry = ValueIn(*text, "tool.poetry.dependencies", "python");
    if (!poetry.empty()) return too_new("pyproject.toml (python)", poetry);
  }
  const auto text = ReadUpward(project, "setup.cfg");
  return too_new("setup.cfg (python_requires)",
                 ValueIn(text.value_or(""), "options", "python_requires"));
}

std::optional<Demand> NodeDemand(const Project& project, absl::string_view have) {
  const auto package = ParseJson(ReadUpward(project, "package.json").value_or(""));
  const Json* const engines = package.ok() ? JsonMember(*package, "engines") : nullptr;
  if (engines == nullptr) return std::nullopt;
  const std::string wanted = JsonString(*engines, "node").value_or("");
  if (TooNew(wanted, have).empty()) return std::nullopt;
  return Demand{"package.json (engines.node)", wanted};
}

// Every framework that a project file of the project names, and the properties of folders above.
std::optional<Demand> DotnetDemand(const Project& project, absl::string_view have) {
  static const Pattern* const kFrameworks =
      new Pattern(R"(<TargetFrameworks?>([^<$]*)</TargetFrameworks?>)");
  static const Pattern* const kFramework =
      new Pattern(R"(\s*net(?:coreapp)?(\d+\.\d+)(?:-.*)?\s*)");
  const auto find = [&](const std::string& file, const std::string& text) -> std::optional<Demand> {
    std::string list;
    if (!kFrameworks->IsIn(text, &list)) return std::nullopt;
    for (const absl::string_view framework : absl::StrSplit(list, ';')) {
      std::string version;
      if (kFramework->Matches(framework, &version) && IsOlder(have, version)) {
        return Demand{absl::StrCat(file, " (", absl::StripAsciiWhitespace(framework), ")"),
                      version};
      }
    }
    return std::nullopt;
  };
  for (const std::string& file : project.files) {
    if (!HasExtension(file, {".csproj", ".fsproj", ".vbproj"})) continue;
    const auto text = DiskFileSystem()->ReadFile(JoinPath(project.workspace, file), kMaxFileBytes);
    if (auto demand = find(file, text.value_or(""))) return demand;
  }
  return find("Directory.Build.props", ReadUpward(project, "Directory.Build.props").value_or(""));
}

std::optional<Demand> JavaDemand(const Project& project, absl::string_view version_text) {
  // "javac 1.8.0" is Java 8.
  const std::string have = absl::StrCat(absl::StripPrefix(
      version_text.substr(std::min(version_text.size(), version_text.find(' ') + 1)), "1."));
  static const auto* const kPlaces = new std::vector<std::pair<std::string, const Pattern*>>{
      {"pom.xml",
       new Pattern(R"(<(?:maven\.compiler\.(?:release|target|source)|release|java\.version)>)"
                   R"(\s*(?:1\.)?(\d+)\s*</)")},
      {"build.gradle", new Pattern(R"(JavaLanguageVersion\.of\(\s*['"]?(\d+))")},
      {"build.gradle.kts", new Pattern(R"(JavaLanguageVersion\.of\(\s*"?(\d+))")},
      {"build.gradle", new Pattern(R"((?:source|target)Compatibility\s*=?\s*\(?['"]?)"
                                   R"((?:JavaVersion\.VERSION_)?(?:1[._])?(\d+))")},
      {"build.gradle.kts", new Pattern(R"((?:source|target)Compatibility\s*=\s*)"
                                       R"(JavaVersion\.VERSION_(?:1_)?(\d+))")},
      {"build.gradle", new Pattern(R"(options\.release\s*=?\s*\.?(?:set\()?\s*(\d+))")},
      {"build.gradle.kts", new Pattern(R"(options\.release\s*(?:=|\.set\()\s*(\d+))")}};
  for (const auto& [file, pattern] : *kPlaces) {
    for (const std::string& folder : FoldersUpward(project)) {
      const auto text = DiskFileSystem()->ReadFile(
          JoinPath(JoinPath(project.workspace, folder), file), kMaxFileBytes);
      std::string version;
      if (text.ok() && pattern->IsIn(*text, &version) && IsOlder(have, version)) {
        return Demand{file, version};
      }
    }
  }
  return std::nullopt;
}

// "javac 17.0.15" or "openjdk version \"17.0.15\" …" of the JDK that Maven and Gradle take.
Toolchain FindJava(const Environment& environment, ProcessRunner* runner) {
  ProgramQuery query;
  const auto home = environment.find("JAVA_HOME");
  if (home != environment.end()) query.names.push_back(JoinPath(home->second, "bin/javac"));
  query.names.push_back("javac");
  return FindToolchain(query, environment, runner);
}

// When a failure is no longer one of the code.
enum class Refuses {
  kAlways,            // what fails under it may pass under a newer one
  kWithoutOwnErrors,  // unless the compiler found errors in the code
  kNever,             // the interpreter reads what it understands
};

struct Rule {
  std::vector<const char*> validators;
  const char* name;  // of the language's toolchain, for people
  const char* remedy;
  Refuses refuses;
  std::optional<Demand> (*demand)(const Project& project, absl::string_view have);
  Toolchain (*find)(const Project&, const Environment&, ProcessRunner*);  // null: the validator's
};

const std::vector<Rule>& Rules() {
  static const auto* const kRules =
      new std::vector<Rule>{{{"go-build", "go-test"},
                             "Go",
                             "install a newer Go from https://go.dev/dl",
                             Refuses::kAlways,
                             &GoDemand,
                             nullptr},
                            {{"cargo-check", "cargo-test"},
                             "Rust",
                             "run `rustup update`, or lower rust-version",
                             Refuses::kWithoutOwnErrors,
                             &RustDemand,
                             nullptr},
                            {{"py-compile", "mypy", "pyright", "pytest"},
                             "Python",
                             "install it, or make a virtual environment .venv with it",
                             Refuses::kNever,
                             &PythonDemand,
                             &FindPython},
                            {{"node-check", "npm-test"},
                             "Node.js",
                             "install it from https://nodejs.org",
                             Refuses::kNever,
                             &NodeDemand,
                             [](const Project&, const Environment& environment,
                                ProcessRunner* runner) { return FindNode(environment, runner); }},
                            {{"dotnet-build", "dotnet-test"},
                             "the .NET SDK",
                             "install it from https://dotnet.microsoft.com/download",
                             Refuses::kWithoutOwnErrors,
                             &DotnetDemand,
                             nullptr},
                            {{"maven", "maven-test", "gradle", "gradle-test"},
                             "Java",
                             "install that JDK and let JAVA_HOME name it",
                             Refuses::kWithoutOwnErrors,
                             &JavaDemand,
                             [](const Project&, const Environment& environment,
                                ProcessRunner* runner) { return FindJava(environment, runner); }}};
  return *kRules;
}

// Whether the compiler found an error in a code file of the project.
bool HasOwnErrors(const Project& project, const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& diagnostic) {
    if (diagnostic.severity != Severity::kError || diagnostic.line == 0) return false;
    const auto& extensions = project.language->extensions;
    return std::any_of(extensions.begin(), extensions.end(), [&](const std::string& extension) {
      return absl::EndsWith(diagnostic.file, extension);
    });
  });
}

class ToolchainAgeValidator : public WrappedValidator {
 public:
  ToolchainAgeValidator(std::unique_ptr<Validator> validator, const Rule* rule)
      : WrappedValidator(std::move(validator)), rule_(*rule) {}

  absl::StatusOr<ValidationResult> Validate(const ValidationRequest& request) const override {
    STILE_ASSIGN_OR_RETURN(ValidationResult result, inner().Validate(request));
    if (result.verdict == Verdict::kFail || result.verdict == Verdict::kInfraError) {
      Explain(request, &result);
    }
    return result;
  }

 private:
  void Explain(const ValidationRequest& request, ValidationResult* result) const {
    const Project& project = *request.project;
    const Toolchain found = rule_.find == nullptr
                                ? result->toolchain
                                : rule_.find(project, request.environment, request.runner);
    const std::optional<Demand> demand = rule_.demand(project, found.version);
    if (!demand.has_value()) return;
    const std::string text =
        absl::StrCat(demand->file, " asks for ", rule_.name, " ",
                     ToUtf8(TruncateMiddle(demand->wanted, kMaxWantedBytes)),
                     ", but the installed one is '", found.version, "': ", rule_.remedy);
    const bool has_red_tests = result->tests.has_value() && result->tests->failed > 0;
    const bool refuses = result->verdict == Verdict::kInfraError ||
                         (!has_red_tests && (rule_.refuses == Refuses::kAlways ||
                                             (rule_.refuses == Refuses::kWithoutOwnErrors &&
                                              !HasOwnErrors(project, result->diagnostics))));
    if (!refuses) {
      result->message = result->message.empty()
                            ? text
                            : absl::StrCat(text, ". What failed under it: ", result->message);
      return;
    }
    std::string words;
    if (!result->message.empty()) absl::StrAppend(&words, result->message, "\n");
    absl::StrAppend(&words, result->output);
    for (const Diagnostic& diagnostic : result->diagnostics) {
      absl::StrAppend(&words, FormatDiagnostic(diagnostic), "\n");
    }
    result->verdict = Verdict::kInfraError;
    result->diagnostics.clear();
    result->message = text;
    result->output = TruncateMiddle(ToUtf8(words), kMaxOutputBytes);
  }

  const Rule& rule_;
};

}  // namespace

bool IsOlder(absl::string_view have, absl::string_view wanted) {
  const Numbers present = NumbersOf(have);
  return present[0] >= 0 && present < NumbersOf(wanted);
}

std::string TooNew(absl::string_view requirement, absl::string_view have) {
  std::string least;
  for (const absl::string_view alternative : absl::StrSplit(requirement, "||")) {
    std::string wanted = LeastOf(alternative);
    if (!IsOlder(have, wanted)) return "";
    if (least.empty() || IsOlder(wanted, least)) least = std::move(wanted);
  }
  return least;
}

std::unique_ptr<Validator> NewToolchainAgeValidator(std::unique_ptr<Validator> validator) {
  for (const Rule& rule : Rules()) {
    for (const absl::string_view id : rule.validators) {
      if (validator->id() == id) {
        return std::make_unique<ToolchainAgeValidator>(std::move(validator), &rule);
      }
    }
  }
  return validator;
}

}  // namespace stile
