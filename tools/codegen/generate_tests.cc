#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/import_fixups.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/new_file.h"
#include "tools/codegen/test_place.h"
#include "tools/index/type_relations.h"

namespace stile {
namespace {

constexpr size_t kMaxTests = 40;

struct Subject {
  std::string group;                  // "Order", or the stem of a file of functions
  std::string type;                   // "" for functions
  std::vector<std::string> methods;   // what gets a test each
  std::vector<std::string> imported;  // names that the test file needs
};

bool IsPublic(const CodeSite& site, const Symbol& symbol) {
  const absl::string_view head =
      site.text().substr(symbol.begin, symbol.signature_end - symbol.begin);
  return site.backend().members->IsPublicHead(head, symbol.name);
}

absl::StatusOr<Subject> ReadSubject(const CodeSite& site, int type, const std::string& method) {
  const SourceFile& file = *site.file;
  Subject subject;
  const std::string stem = BaseName(file.path).substr(0, BaseName(file.path).rfind('.'));
  subject.type = type >= 0 ? file.symbols[static_cast<size_t>(type)].name : "";
  subject.group = type >= 0 ? subject.type : PascalCase(stem);
  const std::string container = type >= 0 ? file.QualifiedName(type) : "";
  for (size_t i = 0; i < file.symbols.size(); ++i) {
    const Symbol& symbol = file.symbols[i];
    const bool callable =
        symbol.kind == SymbolKind::kMethod || symbol.kind == SymbolKind::kFunction;
    const bool belongs = type >= 0
                             ? symbol.container == container || symbol.container == subject.type
                             : symbol.container.empty() || symbol.parent < 0;
    if (!callable || !belongs || (type < 0 && !symbol.container.empty())) continue;
    if (method.empty() ? !IsPublic(site, symbol) : symbol.name != method) continue;
    if (symbol.name == "main" || subject.methods.size() == kMaxTests) continue;
    if (std::find(subject.methods.begin(), subject.methods.end(), symbol.name) ==
        subject.methods.end()) {
      subject.methods.push_back(symbol.name);
    }
  }
  if (!method.empty() && subject.methods.empty()) {
    return absl::NotFoundError(
        absl::StrCat(subject.group, " has no method ", method, " in ", file.path));
  }
  if (subject.methods.empty())
    subject.methods.emplace_back(subject.type.empty() ? "works" : "create");
  subject.imported = type >= 0 ? std::vector<std::string>{subject.type} : subject.methods;
  return subject;
}

std::string TestName(const CodeSite& site, const Subject& subject, const std::string& method) {
  const std::string& convention = site.family->test_name;
  if (convention == "prefixed") {
    return subject.type.empty() ? absl::StrCat("Test", PascalCase(method))
                                : absl::StrCat("Test", PascalCase(subject.type), "_", method);
  }
  if (convention == "pascal") return PascalCase(method);
  if (convention == "camel") return CamelCase(method);
  if (convention == "snake") return absl::StrCat("test_", SnakeCase(method));
  return method;
}

// The members of a group, in pieces.
struct TestCode {
  std::vector<std::string> names;
  std::vector<std::string> tests;
};

TestCode WriteTests(const CodeSite& site, const TestFramework& framework, const CodeStyle& style,
                    const Subject& subject, const std::string& body, absl::string_view existing) {
  TestCode code;
  for (const std::string& method : subject.methods) {
    const std::string name = TestName(site, subject, method);
    const std::string what =
        subject.type.empty() ? method : absl::StrCat(subject.type, ".", method);
    if (absl::StrContains(existing, absl::StrCat(" ", name, "(")) ||
        absl::StrContains(existing, absl::StrCat(style.quote, name, style.quote))) {
      continue;
    }
    const std::vector<std::pair<std::string, std::string>> holes = {
        {"test", name}, {"what", what}, {"quote", style.quote}};
    const std::string statements = body.empty() ? Fill(framework.stub, holes) : body;
    code.names.push_back(name);
    code.tests.push_back(Block(Fill(framework.test, holes), statements, style, site.file->grammar) +
                         framework.test_end);
  }
  return code;
}

std::string WriteGroup(const CodeSite& site, const TestFramework& framework, const CodeStyle& style,
                       const Subject& subject, const std::vector<std::string>& tests) {
  if (framework.group.empty()) {
    const auto gap = static_cast<size_t>(site.facts().top_level_gap);
    return absl::StrJoin(tests, std::string(gap + 1, '\n'));
  }
  std::string group = absl::StrCat(subject.group, site.generation().test_group_suffix);
  if (site.generation().test_group_is_file) {
    group = Fill(site.family->test_file, {{"name", group}});
  }
  return Block(Fill(framework.group, {{"group", group}, {"quote", style.quote}}),
               absl::StrJoin(tests, "\n\n"), style, site.file->grammar) +
         framework.group_end;
}

// The lines at the top of the test file.
std::vector<std::string> Uses(const GenerateContext& context, const CodeSite& site,
                              const TestFramework& framework, const CodeStyle& style,
                              const Subject& subject, const std::string& test_path,
                              const std::string& test_space, bool needs_framework,
                              const std::string& body) {
  std::vector<std::string> uses;
  if (needs_framework) {
    for (const std::string& use : framework.uses) {
      // What only a stub calls.
      const bool unused =
          !body.empty() &&
          ((absl::StrContains(use, ".fail;") && !absl::StrContains(body, "fail(")) ||
           (use == "import pytest" && !absl::StrContains(body, "pytest.")));
      if (!unused) uses.push_back(Fill(use, {{"quote", style.quote}}));
    }
  }
  const GenerationFacts& facts = site.generation();
  if (facts.tests_share_package) return uses;
  if (facts.imports_types || site.facts().imports_name_spaces) {
    const std::string line = ImportOf(context, subject.type, site, test_path, "");
    std::string space = line.substr(line.find(' ') + 1);
    const bool visible =
        line.empty() || space == test_space + ";" ||
        (facts.imports_types && space == absl::StrCat(test_space, ".", subject.type, ";")) ||
        absl::StartsWith(test_space + ".", space.substr(0, space.size() - 1) + ".");
    if (!visible) uses.push_back(line);
    return uses;
  }
  const std::string line =
      ImportOf(context, absl::StrJoin(subject.imported, ", "), site, test_path, site.text());
  std::string import = line;
  if (facts.may_be_commonjs && !absl::StrContains(site.text(), "export ")) {
    for (std::string& use : uses) {
      // `import { a } from 'm';` → `const { a } = require('m');`
      const size_t from = use.find(" from ");
      if (from == std::string::npos) continue;
      use = absl::StrCat("const ", use.substr(7, from - 7), " = require(",
                         use.substr(from + 6, use.size() - from - 7), ");");
    }
    import =
        absl::StrCat("const { ", absl::StrJoin(subject.imported, ", "), " } = require(",
                     style.quote, RelativeModule(test_path, site.file->path), style.quote, ");");
  }
  if (!import.empty()) uses.push_back(import);
  return uses;
}

absl::Status AddToFile(const GenerateContext& context, const CodeSite& site,
                       const TestFilePlace& place, const Subject& subject, const std::string& body,
                       Generated* result) {
  STILE_ASSIGN_OR_RETURN(const CodeSite tests, OpenSite(context, place.path));
  const TestCode code =
      WriteTests(site, *place.framework, tests.style, subject, body, tests.text());
  if (code.tests.empty()) {
    return absl::AlreadyExistsError(
        absl::StrCat(place.path, " has a test for all of ", subject.group,
                     " already; write further ones with operation method"));
  }
  const bool into_class = site.generation().test_classes && !place.framework->group.empty();
  std::string written;
  if (into_class) {
    for (size_t i = 0; i < tests.file->symbols.size(); ++i) {
      const Symbol& symbol = tests.file->symbols[i];
      if (symbol.kind != SymbolKind::kClass || !symbol.is_definition) continue;
      if (!absl::StrContains(symbol.name, subject.group) && tests.file->symbols.size() > 40)
        continue;
      STILE_ASSIGN_OR_RETURN(const TypeBody members, FindTypeBody(*tests.family, tests.tree,
                                                                  tests.text(), symbol.name_begin));
      result->plan.Edit(*tests.file,
                        InsertMember(*tests.file, *tests.family, members, tests.style,
                                     MemberKind::kMethod, absl::StrJoin(code.tests, "\n\n")));
      written = symbol.name;
      break;
    }
  }
  if (written.empty()) {
    const std::string group = WriteGroup(site, *place.framework, tests.style, subject, code.tests);
    size_t end = tests.text().size();
    if (!site.generation().tests_are_calls) end = TopLevelEnd(tests);
    result->plan.Edit(*tests.file, InsertBehind(*tests.file, tests.style, end,
                                                Indent(group, "", tests.style, tests.file->grammar),
                                                tests.facts().top_level_gap));
  }
  std::string space;
  for (const Symbol& symbol : tests.file->symbols) {
    if (symbol.kind == SymbolKind::kNamespace && space.empty()) space = symbol.name;
  }
  std::string lines;
  for (const std::string& use :
       Uses(context, site, *place.framework, tests.style, subject, place.path, space,
            site.generation().static_test_imports ||
                !absl::StrContains(tests.text(), place.framework->marker),
            body)) {
    const bool known = HasLine(tests.text(), use) ||
                       (!subject.imported.empty() && absl::StrContains(use, subject.imported[0]) &&
                        absl::StrContains(tests.text(), subject.imported[0]));
    if (!known) absl::StrAppend(&lines, lines.empty() ? "" : "\n", use);
  }
  if (!lines.empty()) {
    result->plan.Edit(*tests.file, InsertImport(*tests.file, tests.tree, tests.style, lines));
  }
  return absl::OkStatus();
}

// The file of tests does not exist.
absl::Status CreateFile(const GenerateContext& context, const CodeSite& site,
                        const TestFilePlace& place, const Subject& subject, const std::string& body,
                        Generated* result) {
  STILE_ASSIGN_OR_RETURN(NewFile file, PlanNewFile(context, place.path));
  if (file.space.empty() && site.generation().tests_share_space) {
    for (const Symbol& package : site.file->symbols) {
      if (package.kind == SymbolKind::kNamespace) file.space = package.name;
    }
  }
  file.style = site.style;
  const TestCode code = WriteTests(site, *place.framework, file.style, subject, body, "");
  const std::string group = WriteGroup(site, *place.framework, file.style, subject, code.tests);
  const std::vector<std::string> uses = Uses(context, site, *place.framework, file.style, subject,
                                             place.path, file.space, true, body);
  result->plan.Create(place.path, file.Render(uses, group));
  if (body.empty()) {
    result->notes.push_back(
        absl::StrCat(Count(code.tests.size(), "test"), " to be filled in: until then each fails"));
  }
  return absl::OkStatus();
}

bool NamesTestFile(const GenerateContext& context, const std::string& file) {
  const Language* language = context.languages->OfFile(file);
  return language != nullptr && IsTestFile(*language, file);
}

// The file with the type to test, where the request names a file of tests.
absl::StatusOr<std::string> FileOfTestedType(const GenerateContext& context,
                                             const std::string& class_name) {
  if (class_name.empty()) {
    return absl::InvalidArgumentError(
        "targetFile is a file of tests: give the type to test in className, or the file that "
        "declares it as targetFile");
  }
  STILE_ASSIGN_OR_RETURN(const TypeSite type, FindTypeNamed(context, class_name, ""));
  return type.site.file->path;
}

bool DeclaresFunction(const SourceFile& file, const std::string& name) {
  return std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
    return symbol.name == name && symbol.container.empty() && symbol.kind == SymbolKind::kFunction;
  });
}

struct TestedCode {
  CodeSite site;
  int type = -1;  // its symbol; -1: the functions of the file
};

absl::StatusOr<TestedCode> FindTestedCode(const GenerateContext& context,
                                          const GenerateRequest& request) {
  absl::StatusOr<TypeSite> found = FindTypeSite(context, request);
  if (found.ok()) {
    const bool is_function = request.class_name.empty() && !request.method_name.empty() &&
                             DeclaresFunction(*found->site.file, request.method_name);
    return TestedCode{std::move(found->site), is_function ? -1 : found->symbol};
  }
  if (!request.class_name.empty() || request.file.empty()) return found.status();
  STILE_ASSIGN_OR_RETURN(CodeSite site, OpenSite(context, request.file));
  if (absl::IsInvalidArgument(found.status())) return found.status();
  return TestedCode{std::move(site)};
}

}  // namespace

absl::StatusOr<Generated> PlanTests(const GenerateContext& context,
                                    const GenerateRequest& request) {
  GenerateRequest source = request;
  const bool given_test = NamesTestFile(context, request.file);
  if (given_test) {
    STILE_ASSIGN_OR_RETURN(source.file, FileOfTestedType(context, request.class_name));
  }
  STILE_ASSIGN_OR_RETURN(const TestedCode tested, FindTestedCode(context, source));
  const CodeSite& site = tested.site;
  STILE_ASSIGN_OR_RETURN(const Subject subject,
                         ReadSubject(site, tested.type, request.method_name));
  TestFilePlace place;
  if (given_test) {
    place = {request.file, FindFramework(context, site, request.file)};
  } else {
    STILE_ASSIGN_OR_RETURN(place, FindTestPlace(context, site, subject.group));
  }
  const std::string body = CleanBody(*site.family, request.body);
  Generated result;
  result.what = absl::StrCat("tests of ", subject.group, " (", place.framework->name, ")");
  const bool exists = FileExists(JoinPath(context.workspace, place.path));
  STILE_RETURN_IF_ERROR(exists ? AddToFile(context, site, place, subject, body, &result)
                               : CreateFile(context, site, place, subject, body, &result));
  return result;
}

}  // namespace stile
