#include "validators/integrity/test_language.h"

#include "absl/strings/str_cat.h"
#include "validators/integrity/test_languages.h"

namespace stile {
namespace {

// A grammar, and the id of the language file whose usual grammar it is.
struct LanguageRow {
  absl::string_view grammar;
  absl::string_view id;  // "": that of another row
  const TestLanguage* language;
};

const std::vector<LanguageRow>& LanguageRows() {
  static const auto* const rows = new std::vector<LanguageRow>{
      {"c", "c", CLanguage()},
      {"c_sharp", "csharp", CSharpLanguage()},
      {"cpp", "cpp", CppLanguage()},
      {"go", "go", GoLanguage()},
      {"java", "java", JavaLanguage()},
      {"javascript", "javascript", JavaScriptLanguage()},
      {"python", "python", PythonLanguage()},
      {"rust", "rust", RustLanguage()},
      {"tsx", "", TypeScriptLanguage()},
      {"typescript", "typescript", TypeScriptLanguage()},
  };
  return *rows;
}

}  // namespace

const TestLanguage* FindTestLanguage(absl::string_view grammar) {
  for (const LanguageRow& row : LanguageRows()) {
    if (row.grammar == grammar) return row.language;
  }
  return nullptr;
}

const TestLanguage* FindTestLanguageById(absl::string_view id) {
  for (const LanguageRow& row : LanguageRows()) {
    if (!id.empty() && row.id == id) return row.language;
  }
  return nullptr;
}

TestCall TestLanguage::KindOfCall(absl::string_view /*head*/, absl::string_view /*last*/) const {
  return TestCall::kNone;
}

bool TestLanguage::IsLeftOut(absl::string_view /*path*/) const { return false; }

std::optional<std::string> TestLanguage::BuildConstraint(absl::string_view /*text*/) const {
  return std::nullopt;
}

bool TestLanguage::CanFailTest(absl::string_view /*head*/, absl::string_view /*last*/) const {
  return true;
}

bool TestLanguage::CatchesFailures(const std::string& /*head*/) const { return true; }

ControlEffect TestLanguage::EffectOfFunction(const TestCode& /*code*/, uint32_t /*function*/,
                                             bool /*is_test*/) const {
  return {};
}

absl::string_view TestLanguage::EffectOfAssignment(const ControlPlace& /*place*/,
                                                   const std::string& /*name*/) const {
  return "";
}

bool TestLanguage::IsSkipName(const std::string& /*name*/) const { return false; }

bool TestLanguage::IsSkipMarker(absl::string_view /*text*/, const std::string& name) const {
  return IsSkipName(name);
}

bool TestLanguage::IsSkipDottedName(const SkipName& name) const {
  return IsSkipName(name.resolved);
}

// A name that is no alias is too common a word.
bool TestLanguage::IsSkipIdentifier(const SkipName& name) const {
  return name.resolved != name.own && IsSkipName(name.resolved);
}

bool TestLanguage::IsSkipOption(const TestCode& /*code*/, uint32_t /*node*/,
                                bool /*is_test*/) const {
  return false;
}

std::set<std::string> TestLanguage::TesterNames(const TestCode& /*code*/) const { return {}; }

void TestLanguage::ReadImport(const CodeTokens& /*tokens*/, NameAliases* /*aliases*/) const {}

std::string TestLanguage::FailingForm(const CallNames& /*names*/, const std::string& callee) const {
  for (const FailingCall& one : facts_.failing_calls) {
    if (Matches(callee, *one.callee)) return absl::StrCat(callee, one.arguments);
  }
  return "";
}

// No failure can be caught: one of the calls stands for all.
std::string TestLanguage::FailingStatement(const FailureSite& site) const {
  if (site.calls.empty()) return std::string(facts_.failing_statement);
  return absl::StrCat(" ", site.calls[site.begin % site.calls.size()], ";");
}

void TestLanguage::PlantInSubtests(TestPlanter* /*planter*/) const {}

bool TestLanguage::PlantInProgram(TestPlanter* /*planter*/) const { return false; }

const ConditionSyntax* TestLanguage::conditions() const { return nullptr; }

const MacroSyntax* TestLanguage::macros() const { return nullptr; }

}  // namespace stile
