#include "tools/refactor/fix.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/baseline.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/borrowed_names.h"
#include "tools/refactor/code_site.h"
#include "tools/refactor/compiler_fix.h"
#include "tools/refactor/pure_virtuals.h"

namespace stile {
namespace {

// A server that reads its project for the first time may need as long.
constexpr absl::Duration kResolverTime = absl::Seconds(60);
constexpr int kMaxTries = 8;
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
    if (!Has(FixKind::kImport)) AddImportsOfProject();
    if (!Has(FixKind::kSpelling)) {
      if (const auto added = AddNearNames(); absl::IsCancelled(added)) return added;
    }
    if (found_.fixes.empty()) AddMissingMembers();
    if (!title.empty()) {
      auto& fixes = found_.fixes;
      fixes.erase(std::remove_if(fixes.begin(), fixes.end(),
                                 [&](const Fix& fix) { return fix.title != title; }),
                  fixes.end());
    }
    return std::move(found_);
  }

 private:
  bool Has(FixKind kind) const {
    return std::any_of(found_.fixes.begin(), found_.fixes.end(),
                       [&](const Fix& fix) { return fix.kind == kind; });
  }

  // Changes that leave the same text are one.
  void Add(Fix fix) {
    if (fix.plan.empty()) return;
    std::string after = fix.plan.Diff();
    if (!seen_.insert(std::move(after)).second) return;
    found_.fixes.push_back(std::move(fix));
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
      Add({std::move(title), "the compiler", kind, fix.is_certain, *std::move(plan)});
    }
  }

  absl::Status AskResolver(const std::string& title) {
    if (context_.resolvers == nullptr) return absl::OkStatus();
    STILE_ASSIGN_OR_RETURN(resolver_, context_.resolvers->For(file_.path, kResolverTime));
    STILE_ASSIGN_OR_RETURN(OfferedChanges offered,
                           resolver_->Fixes(RangeOfLine(file_, error_.line), title));
    for (OfferedChange& change : offered.changes) {
      Fix fix{ToUtf8(change.title), resolver_->name(), KindOf(change.title), change.is_preferred};
      for (ResolvedEdit& edit : change.edits) {
        fix.plan.EditText(file_.path, file_.text,
                          {edit.range.begin, edit.range.end, std::move(edit.text)});
      }
      Add(std::move(fix));
    }
    found_.other_titles = std::move(offered.other_titles);
    return absl::OkStatus();
  }

  void AddImport(const CodeSite& site, const std::string& line) {
    Fix fix{absl::StrCat("Add ", line), "the declarations of the project", FixKind::kImport};
    stile::AddImport(site, line, &fix.plan);
    Add(std::move(fix));
  }

  // The ways in which a header may be named: by its folders, from the innermost.
  void AddIncludes(const CodeSite& site, const std::string& header) {
    std::string written = BaseName(header);
    std::string folder = DirName(header);
    for (size_t i = 0; i < kMaxRoots; ++i) {
      AddImport(site, absl::StrCat("#include \"", written, "\""));
      if (folder.empty() || folder == "." || folder == "/") break;
      written = JoinPath(BaseName(folder), written);
      folder = DirName(folder);
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
        if (file_.language.id == "c" || file_.language.id == "cpp") {
          if (IsHeader(other->path)) AddIncludes(*site, other->path);
          continue;
        }
        const auto from = OpenSite(context_.code, other->path);
        if (!from.ok()) continue;
        AddImport(*site, ImportOf(context_.code, name, *from, file_.path, file_.text));
      }
      // A module of the library, such as `math` in `math.floor`.
      if (file_.language.id == "python" && file_.text.compare(range.end, 1, ".") == 0) {
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
           "the declarations of the project", FixKind::kOther, false, *std::move(plan)});
    }
  }

  absl::StatusOr<EditPlan> PlanMissingMembers(const std::string& type) const {
    if (file_.language.id == "cpp") return PlanPureVirtuals(context_.code, type, file_.path);
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

// The lines that the plan leaves in place of those that it changes, from 1.
bool IsInChangedLines(const Diagnostic& error, const EditPlan& plan) {
  const auto file = plan.files().find(error.file);
  if (file == plan.files().end() || !file->second.before.has_value()) return false;
  std::vector<TextEdit> edits = file->second.edits;
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  const absl::string_view before = *file->second.before;
  const auto lines = [](absl::string_view text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  };
  int moved = 0;
  for (const TextEdit& edit : edits) {
    const int first = 1 + lines(before.substr(0, edit.begin)) + moved;
    if (error.line >= first && error.line <= first + lines(edit.replacement)) return true;
    moved += lines(edit.replacement) - lines(before.substr(edit.begin, edit.end - edit.begin));
  }
  return false;
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
  for (const Fix& fix : fixes) {
    if (choice.tried == kMaxTries) break;
    // What else there is matters only where a name may mean several things.
    if (!choice.fixes.empty() && fix.kind != choice.fixes[0].kind) continue;
    ++choice.tried;
    const auto report = probe(fix.plan);
    if (absl::IsAborted(report.status())) return report.status();
    if (absl::IsPermissionDenied(report.status())) continue;
    STILE_RETURN_IF_ERROR(report.status());
    if (!report->judged || !Mends(error, before, report->errors)) continue;
    std::vector<Diagnostic> others = NewErrors(before, report->errors);
    if (!others.empty()) {
      const bool is_elsewhere =
          std::none_of(others.begin(), others.end(),
                       [&](const Diagnostic& other) { return IsInChangedLines(other, fix.plan); });
      if (!is_elsewhere) continue;
      revealing.push_back(fix);
      revealing.back().revealed = std::move(others);
      continue;
    }
    choice.fixes.push_back(fix);
    if (fix.is_preferred || fix.kind == FixKind::kOther) break;
  }
  if (!choice.fixes.empty() || revealing.empty()) return choice;
  const bool is_first_meant = revealing[0].is_preferred || revealing[0].kind == FixKind::kOther;
  for (const Fix& fix : revealing) {
    if (fix.kind == revealing[0].kind) choice.fixes.push_back(fix);
    if (is_first_meant) break;
  }
  return choice;
}

}  // namespace stile
