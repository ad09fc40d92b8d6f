#include "tools/fix/fix.h"

#include <algorithm>
#include <array>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/coverage/baseline.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/import_fixups.h"
#include "tools/fix/compiler_fix.h"
#include "tools/fix/pure_virtuals.h"
#include "tools/index/symbol_query.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/language_family.h"

namespace stile {
namespace {

// A server that reads its project for the first time may need as long.
constexpr absl::Duration kResolverTime = absl::Seconds(60);
constexpr int kMaxTries = 24;
constexpr size_t kMaxNearNames = 3;
constexpr size_t kMaxNames = 4;  // of a line, that the message names
constexpr size_t kMaxRoots = 4;  // of an include

using Names = std::vector<CodeRange>;

CodeRange RangeOfLine(const SourceFile& file, int line) {
  const absl::string_view text = file.Line(line);
  const auto begin = static_cast<uint32_t>(text.empty() ? 0 : text.data() - file.text.data());
  return {file.path, begin, begin + static_cast<uint32_t>(text.size())};
}

// Names in the line of the error that its message has, too.
Names NamesOf(const Diagnostic& error, const SourceFile& file) {
  Names names;
  const absl::string_view text = file.text;
  // The quotes of gcc are letters of identifiers otherwise.
  const std::string message =
      absl::StrReplaceAll(error.message, {{"\u2018", "'"}, {"\u2019", "'"}});
  const CodeRange line = RangeOfLine(file, error.line);
  for (uint32_t begin = line.begin; begin < line.end && names.size() < kMaxNames;) {
    uint32_t end = begin;
    while (end < line.end && IsIdentifierByte(text[end])) ++end;
    if (end > begin && HoldsWord(message, text.substr(begin, end - begin))) {
      names.push_back({file.path, begin, end});
    }
    begin = std::max(end, begin + 1);
  }
  return names;
}

std::string TextOf(const CodeRange& range, const SourceFile& file) {
  return file.text.substr(range.begin, range.end - range.begin);
}

// Code of the server for TypeScript, which indents with four blanks whatever the file does.
// `begins_line`: nothing stands before it.
std::string Reindented(const std::string& code, bool begins_line, const std::string& indent) {
  constexpr size_t kColumns = 4;
  std::string result;
  for (const absl::string_view line : absl::StrSplit(code, '\n')) {
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const bool is_indented = begins_line || !result.empty();
    const size_t depth = is_indented ? blanks / kColumns : 0;
    for (size_t i = 0; i < depth; ++i) absl::StrAppend(&result, indent);
    absl::StrAppend(&result, line.substr(depth * kColumns), "\n");
  }
  result.pop_back();
  return result;
}

FixKind KindOf(absl::string_view title) {
  const std::string lower = absl::AsciiStrToLower(title);
  if (absl::StrContains(lower, "import") || absl::StartsWith(title, "using ") ||
      absl::StrContains(lower, "include")) {
    return FixKind::kImport;
  }
  if (absl::StartsWithIgnoreCase(title, "change ") || absl::StrContains(title, "similar name")) {
    return FixKind::kSpelling;
  }
  return FixKind::kOther;
}

class FixFinder {
 public:
  FixFinder(const Diagnostic& error, const SourceFile& file, const FixContext& context)
      : error_(error), file_(file), context_(context), names_(NamesOf(error, file)) {}

  absl::StatusOr<OfferedFixes> Find(const std::string& title) {
    AddFixesOfCompiler();
    const absl::Status asked = AskResolver(title);
    if (absl::IsCancelled(asked)) return asked;
    if (!absl::IsUnimplemented(asked)) found_.no_resolver = std::string(asked.message());
    if (facts().imports_packages) AddPackages();  // gopls offers only one of several
    if (!Has(FixKind::kImport)) AddImportsOfProject();
    if (const auto added = AddNearNames(); absl::IsCancelled(added)) return added;
    if (found_.fixes.empty()) AddMissingMembers();
    // What has the very name comes before another name.
    std::stable_partition(found_.fixes.begin(), found_.fixes.end(),
                          [](const Fix& fix) { return fix.kind != FixKind::kSpelling; });
    if (!title.empty()) {
      auto& fixes = found_.fixes;
      fixes.erase(std::remove_if(fixes.begin(), fixes.end(),
                                 [&](const Fix& fix) { return fix.title != title; }),
                  fixes.end());
    }
    return std::move(found_);
  }

 private:
  const GenerationFacts& facts() const { return LanguageBackendOf(file_.language.id).generation; }

  bool Has(FixKind kind) const {
    return std::any_of(found_.fixes.begin(), found_.fixes.end(),
                       [&](const Fix& fix) { return fix.kind == kind; });
  }

  // Changes that leave the same text are one.
  void Add(Fix fix) {
    if (fix.plan.empty() || fix.plan.HasOverlap()) return;
    std::string after = fix.plan.Diff();
    if (!seen_.insert(std::move(after)).second) return;
    if (fix.kind == FixKind::kImport && fix.meaning.empty()) fix.meaning = ImportsOf(fix.plan);
    if (fix.kind == FixKind::kOther && IsOtherName(fix.plan)) fix.kind = FixKind::kSpelling;
    if (fix.kind == FixKind::kSpelling) fix.distance = DistanceOf(fix.plan);
    found_.fixes.push_back(std::move(fix));
  }

  // What the file imports after the plan and did not before; "" where that is not seen.
  std::string ImportsOf(const EditPlan& plan) const {
    const auto edited = plan.files().find(file_.path);
    if (edited == plan.files().end()) return "";
    const auto list = [&](const std::string& text) {
      std::set<std::string> imports;
      const auto tree = SyntaxTree::Parse(file_.grammar, text);
      if (!tree.ok()) return imports;
      for (const Import& import : FindImports(file_.grammar, *tree, text)) {
        imports.insert(absl::StrCat(import.module, "\n", import.name, "\n", import.alias));
      }
      return imports;
    };
    std::string added;
    const std::set<std::string> before = list(file_.text);
    for (const std::string& import : list(edited->second.After())) {
      if (before.count(import) == 0) absl::StrAppend(&added, import, "\n");
    }
    return added;
  }

  // Whether all that the plan does is to write another identifier.
  bool IsOtherName(const EditPlan& plan) const {
    const auto edited = plan.files().find(file_.path);
    if (plan.CountEdits() != 1 || edited == plan.files().end()) return false;
    const TextEdit& edit = edited->second.edits[0];
    const absl::string_view text = file_.text;
    return IsIdentifier(text.substr(edit.begin, edit.end - edit.begin)) &&
           IsIdentifier(edit.replacement);
  }

  int DistanceOf(const EditPlan& plan) const {
    const auto edited = plan.files().find(file_.path);
    if (edited == plan.files().end() || edited->second.edits.empty()) return 0;
    const TextEdit& edit = edited->second.edits[0];
    const absl::string_view text = file_.text;
    return EditDistance(text.substr(edit.begin, edit.end - edit.begin), edit.replacement);
  }

  void AddFixesOfCompiler() {
    // Those that are certain belong together, each other one is a way of its own.
    std::vector<Diagnostic> ways(1, error_);
    ways[0].fixes.clear();
    for (const SuggestedFix& fix : error_.fixes) {
      // Of rustc: one for each member that a trait asks for.
      if (fix.is_certain || absl::StartsWith(fix.title, "implement the missing item")) {
        ways[0].fixes.push_back(fix);
      } else {
        ways.push_back(error_);
        ways.back().fixes = {fix};
      }
    }
    for (const Diagnostic& way : ways) {
      if (way.fixes.empty()) continue;
      auto plan = PlanFix(way, context_.files, context_.code.workspace);
      if (!plan.ok()) continue;
      const SuggestedFix& fix = way.fixes[0];
      std::string title = ToUtf8(fix.title.empty() ? error_.message : fix.title);
      const FixKind kind = KindOf(title);
      // Alternatives have one title.
      if (!fix.is_certain && ways.size() > 2) {
        absl::StrAppend(&title, ": ", absl::StripAsciiWhitespace(ToUtf8(fix.replacement)));
      }
      Add({std::move(title), "the compiler", kind, *std::move(plan)});
    }
  }

  absl::Status AskResolver(const std::string& title) {
    if (context_.resolvers == nullptr) return absl::OkStatus();
    STILE_ASSIGN_OR_RETURN(resolver_, context_.resolvers->For(file_.path, kResolverTime));
    STILE_ASSIGN_OR_RETURN(OfferedChanges offered,
                           resolver_->Fixes(RangeOfLine(file_, error_.line), title));
    const LanguageFamily* const family = FindLanguageFamily(file_.language.id);
    const std::string indent = family == nullptr ? "" : StyleOf(file_.text, *family).indent;
    for (OfferedChange& change : offered.changes) {
      Fix fix{ToUtf8(change.title), resolver_->name(), KindOf(change.title)};
      for (ResolvedEdit& edit : change.edits) {
        const uint32_t at = edit.range.begin;
        const bool begins_line = at == 0 || file_.text[at - 1] == '\n';
        if (facts().imports_files) edit.text = Reindented(edit.text, begins_line, indent);
        fix.plan.EditText(file_.path, file_.text,
                          {edit.range.begin, edit.range.end, std::move(edit.text)});
      }
      Add(std::move(fix));
    }
    found_.other_titles = std::move(offered.other_titles);
    return absl::OkStatus();
  }

  void AddImport(const CodeSite& site, const std::string& line, const std::string& meaning = "") {
    Fix fix{absl::StrCat("Add ", line), "the declarations of the project", FixKind::kImport};
    fix.meaning = meaning;
    stile::AddImport(site, line, &fix.plan);
    Add(std::move(fix));
  }

  // The ways in which a header may be named: by its folders, from the innermost.
  void AddIncludes(const CodeSite& site, const std::string& header) {
    std::string written = BaseName(header);
    std::string folder = DirName(header);
    for (size_t i = 0; i < kMaxRoots; ++i) {
      AddImport(site, absl::StrCat("#include \"", written, "\""), header);
      if (folder.empty() || folder == "." || folder == "/") break;
      written = JoinPath(BaseName(folder), written);
      folder = DirName(folder);
    }
  }

  // Go: packages of the library and of the project that have the name.
  void AddPackages() {
    const auto site = OpenSite(context_.code, file_.path);
    if (!site.ok()) return;
    for (const CodeRange& range : names_) {
      if (file_.text.compare(range.end, 1, ".") != 0) continue;
      const std::string name = TextOf(range, file_);
      std::set<std::string> packages;
      for (const std::string& path : FindLanguageFamily("go")->library_packages) {
        if (BaseName(absl::StripSuffix(path, "/v2")) == name) packages.insert(path);
      }
      context_.code.index->ListFiles([&](const std::string& path) {
        const std::string folder = DirName(path);
        const bool is_of_package = absl::EndsWith(path, ".go") && BaseName(folder) == name &&
                                   !absl::EndsWith(path, "_test.go") &&
                                   folder != DirName(file_.path);
        if (is_of_package) packages.insert(GoImportPath(context_.code.workspace, path));
      });
      for (const std::string& package : packages) {
        if (!package.empty()) AddImport(*site, absl::StrCat("import \"", package, "\""));
      }
    }
  }

  void AddImportsOfProject() {
    const auto site = OpenSite(context_.code, file_.path);
    if (!site.ok()) return;
    for (const CodeRange& range : names_) {
      const std::string name = TextOf(range, file_);
      for (const auto& other : context_.code.index->FilesWith(name)) {
        const bool declares =
            other->path != file_.path && SeeEachOther(other->language, file_.language) &&
            std::any_of(other->symbols.begin(), other->symbols.end(), [&](const Symbol& symbol) {
              return symbol.name == name &&
                     (symbol.parent < 0 ||
                      other->symbols[static_cast<size_t>(symbol.parent)].kind ==
                          SymbolKind::kNamespace);
            });
        if (!declares) continue;
        if (facts().has_includes) {
          if (IsHeader(other->path)) AddIncludes(*site, other->path);
          continue;
        }
        const auto from = OpenSite(context_.code, other->path);
        if (!from.ok()) continue;
        AddImport(*site, ImportOf(context_.code, name, *from, file_.path, file_.text));
      }
      // A module of the library, such as `math` in `math.floor`.
      if (facts().imports_dotted_modules && file_.text.compare(range.end, 1, ".") == 0) {
        Fix fix{absl::StrCat("Add import ", name), "the name of the module", FixKind::kImport};
        stile::AddImport(*site, absl::StrCat("import ", name), &fix.plan);
        Add(std::move(fix));
      }
    }
  }

  static bool IsHeader(const std::string& path) {
    return absl::EndsWith(path, ".h") || absl::EndsWith(path, ".hpp") ||
           absl::EndsWith(path, ".hh") || absl::EndsWith(path, ".hxx");
  }

  void AddSpelling(const CodeRange& range, const std::string& name, const std::string& by) {
    Fix fix{absl::StrCat("Change ", TextOf(range, file_), " to ", name), by, FixKind::kSpelling};
    fix.plan.EditText(file_.path, file_.text, {range.begin, range.end, name});
    Add(std::move(fix));
  }

  absl::Status AddNearNames() {
    for (const CodeRange& range : names_) {
      const std::string name = TextOf(range, file_);
      if (resolver_ == nullptr) continue;
      STILE_ASSIGN_OR_RETURN(std::vector<std::string> known,
                             resolver_->Completions({file_.path, range.begin}));
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      for (size_t i = 0; i < kMaxNearNames; ++i) {
        const std::string near = Nearest(name, known);
        if (near.empty()) break;
        known.erase(std::find(known.begin(), known.end(), near));
        AddSpelling(range, near, resolver_->name());
      }
    }
    return absl::OkStatus();
  }

  // Of a type that the error names, what its interfaces and base classes ask for.
  void AddMissingMembers() {
    for (const CodeRange& range : names_) {
      const std::string name = TextOf(range, file_);
      auto plan = PlanMissingMembers(name);
      if (!plan.ok()) continue;
      Add({absl::StrCat("Implement what the bases of ", name, " ask for"),
           "the declarations of the project", FixKind::kOther, *std::move(plan)});
    }
  }

  absl::StatusOr<EditPlan> PlanMissingMembers(const std::string& type) const {
    if (facts().out_of_line_members) return PlanPureVirtuals(context_.code, type, file_.path);
    GenerateRequest request;
    request.operation = "implement_interface";
    request.class_name = type;
    request.file = file_.path;
    STILE_ASSIGN_OR_RETURN(Generated generated, PlanImplementInterface(context_.code, request));
    return std::move(generated.plan);
  }

  const Diagnostic& error_;
  const SourceFile& file_;
  const FixContext& context_;
  const Names names_;
  Resolver* resolver_ = nullptr;
  OfferedFixes found_;
  std::set<std::string> seen_;  // diffs
};

bool IsLike(const Diagnostic& a, const Diagnostic& b) {
  return a.file == b.file && a.code == b.code && a.message == b.message;
}

// Whether `error` is among the errors that are gone.
bool Mends(const Diagnostic& error, const std::vector<Diagnostic>& before,
           const std::vector<Diagnostic>& after) {
  const std::vector<Diagnostic> gone = NewErrors(after, before);
  return std::any_of(gone.begin(), gone.end(),
                     [&](const Diagnostic& other) { return IsLike(other, error); });
}

int LinesIn(absl::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Lines that a plan leaves in place of those that it changes, from 1.
struct ChangedLines {
  int first = 0;
  int last = 0;
  int moved = 0;  // by how much lines behind them lie deeper
};

std::vector<ChangedLines> ChangesIn(const std::string& path, const EditPlan& plan) {
  std::vector<ChangedLines> changes;
  const auto file = plan.files().find(path);
  if (file == plan.files().end() || !file->second.before.has_value()) return changes;
  std::vector<TextEdit> edits = file->second.edits;
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  const absl::string_view before = *file->second.before;
  int moved = 0;
  for (const TextEdit& edit : edits) {
    ChangedLines change;
    change.first = 1 + LinesIn(before.substr(0, edit.begin)) + moved;
    change.last = change.first + LinesIn(edit.replacement);
    moved += LinesIn(edit.replacement) - LinesIn(before.substr(edit.begin, edit.end - edit.begin));
    change.moved = moved;
    changes.push_back(change);
  }
  return changes;
}

// Whether an error that a fix brings comes of the fix: it lies in the lines that the fix changes,
// or says of the line that was to be mended that it holds a name that is not known.
bool IsOfFix(const Diagnostic& brought, const Diagnostic& mended, const Fix& fix) {
  int line = mended.line;
  for (const ChangedLines& change : ChangesIn(brought.file, fix.plan)) {
    if (brought.line >= change.first && brought.line <= change.last) return true;
    if (brought.file == mended.file && change.last - change.moved <= mended.line) {
      line = mended.line + change.moved;
    }
  }
  if (fix.kind != FixKind::kImport || brought.file != mended.file || brought.line != line) {
    return false;
  }
  constexpr std::array<absl::string_view, 9> kUnknown = {
      "attribute",   "does not exist", "undefined", "no member",
      "cannot find", "not found",      "has no",    "does not contain a definition",
      "unresolved"};
  const std::string message = absl::AsciiStrToLower(brought.message);
  return std::any_of(kUnknown.begin(), kUnknown.end(),
                     [&](absl::string_view words) { return absl::StrContains(message, words); });
}

// Whether a fix of the kind of `found`, which mend the error, may be meant as well.
bool MayBeMeant(const Fix& fix, const std::vector<Fix>& found) {
  if (found.empty()) return true;
  if (fix.kind != found[0].kind || fix.kind == FixKind::kOther) return false;
  return std::none_of(found.begin(), found.end(), [&](const Fix& other) {
    return fix.distance > other.distance || (!fix.meaning.empty() && fix.meaning == other.meaning);
  });
}

// Adds a fix that mends the error, and drops those that are farther from what is there.
void AddMeant(const Fix& fix, std::vector<Fix>* found) {
  found->erase(std::remove_if(found->begin(), found->end(),
                              [&](const Fix& other) { return other.distance > fix.distance; }),
               found->end());
  found->push_back(fix);
}

}  // namespace

absl::StatusOr<OfferedFixes> OfferFixes(const Diagnostic& error, const std::string& title,
                                        const FixContext& context) {
  STILE_ASSIGN_OR_RETURN(const auto file, context.code.index->Open(error.file));
  return FixFinder(error, *file, context).Find(title);
}

absl::StatusOr<FixChoice> ChooseFix(const Diagnostic& error, const std::vector<Diagnostic>& before,
                                    const std::vector<Fix>& fixes, const ProbeEdits& probe) {
  FixChoice choice;
  std::vector<Fix> revealing;
  std::vector<const Fix*> untried;
  for (const Fix& fix : fixes) {
    if (!MayBeMeant(fix, choice.fixes)) continue;
    if (choice.tried == kMaxTries) {
      untried.push_back(&fix);
      continue;
    }
    ++choice.tried;
    const auto report = probe(fix.plan);
    if (absl::IsAborted(report.status())) return report.status();
    if (absl::IsPermissionDenied(report.status())) continue;
    STILE_RETURN_IF_ERROR(report.status());
    if (!report->judged || !Mends(error, before, report->errors)) continue;
    std::vector<Diagnostic> others = NewErrors(before, report->errors);
    if (others.empty()) {
      AddMeant(fix, &choice.fixes);
      continue;
    }
    const bool is_bad = std::any_of(others.begin(), others.end(), [&](const Diagnostic& other) {
      return IsOfFix(other, error, fix);
    });
    if (is_bad || !MayBeMeant(fix, revealing)) continue;
    AddMeant(fix, &revealing);
    revealing.back().revealed = std::move(others);
  }
  if (choice.fixes.empty()) choice.fixes = std::move(revealing);
  for (const Fix* const fix : untried) {
    if (MayBeMeant(*fix, choice.fixes)) choice.untried.push_back(fix->title);
  }
  return choice;
}

}  // namespace stile
