#include "tools/code/fix_operation.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/tentative_edits.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/fix/fix.h"
#include "tools/fix/unused_imports.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// A server that reads its project for the first time may need as long.
constexpr absl::Duration kResolverTime = absl::Seconds(60);
constexpr size_t kMaxErrors = 5;  // for which a fix is looked for
constexpr size_t kMaxListed = 10;

absl::Status Nothing(absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("Nothing was changed: ", why));
}

// What a resolver finds wrong in one file, as the answer of a compiler.
absl::StatusOr<ProbeReport> ProblemsOf(const SourceFile& file, ResolverPool* resolvers) {
  ProbeReport report;
  report.judged = true;
  STILE_ASSIGN_OR_RETURN(Resolver * resolver, resolvers->For(file.path, kResolverTime));
  STILE_ASSIGN_OR_RETURN(const auto problems, resolver->Problems(file.path));
  for (const ResolvedProblem& problem : problems) {
    Diagnostic diagnostic;
    diagnostic.severity = problem.is_error ? Severity::kError : Severity::kWarning;
    diagnostic.file = file.path;
    const TextPlace place = file.PlaceOf(problem.range.begin);
    diagnostic.line = place.line;
    diagnostic.column = place.column;
    diagnostic.code = problem.code;
    diagnostic.message = problem.message;
    (problem.is_error ? report.errors : report.warnings).push_back(std::move(diagnostic));
  }
  return report;
}

// The errors of a file, and who is asked whether they are gone.
struct Judge {
  std::vector<Diagnostic> errors;      // of all files that were judged
  std::vector<Diagnostic> candidates;  // those that are to be mended
  ProbeEdits probe;
};

class ErrorFix {
 public:
  ErrorFix(std::string path, int line, const std::string& title, const RefactorHost& host)
      : path_(std::move(path)), line_(line), title_(title), host_(host) {}

  absl::StatusOr<PlannedFix> Plan() {
    STILE_ASSIGN_OR_RETURN(const Judge judge, FindErrors());
    std::string none;
    for (size_t i = 0; i < judge.candidates.size() && i < kMaxErrors; ++i) {
      const Diagnostic& error = judge.candidates[i];
      STILE_ASSIGN_OR_RETURN(const OfferedFixes offered, OfferFixes(error, title_, Context()));
      STILE_ASSIGN_OR_RETURN(const FixChoice choice,
                             ChooseFix(error, judge.errors, offered.fixes, judge.probe));
      if (choice.fixes.size() > 1 || (!choice.fixes.empty() && !choice.untried.empty())) {
        return Nothing(Ambiguous(error, choice));
      }
      if (choice.fixes.size() == 1) {
        const Fix& fix = choice.fixes[0];
        return PlannedFix{fix.plan, fix.title, fix.by, judged_by_, fix.revealed};
      }
      if (none.empty()) none = NoneMends(error, offered, choice.tried);
    }
    return Nothing(none);
  }

 private:
  FixContext Context() const {
    return {{host_.context->workspace, &host_.index->languages(), host_.index},
            host_.resolvers,
            host_.context->file_system};
  }

  bool IsWanted(const Diagnostic& error) const {
    return error.file == path_ && (line_ == 0 || error.line == line_);
  }

  std::vector<Diagnostic> Wanted(const std::vector<Diagnostic>& errors) const {
    std::vector<Diagnostic> wanted;
    std::copy_if(errors.begin(), errors.end(), std::back_inserter(wanted),
                 [&](const Diagnostic& error) { return IsWanted(error); });
    return wanted;
  }

  // The compiler's errors; where it has none there, those of the resolver, and for a line its
  // warnings, too.
  absl::StatusOr<Judge> FindErrors() {
    Judge judge;
    const auto compiled = host_.service->Probe({path_});
    if (!compiled.ok()) return absl::InternalError(compiled.status().message());
    if (compiled->judged) {
      judge.errors = compiled->errors;
      judge.candidates = Wanted(judge.errors);
      judge.probe = host_.Probe();
      if (!judge.candidates.empty()) return judge;
    }
    std::string why = compiled->judged ? "" : compiled->unjudged;
    if (host_.resolvers != nullptr) {
      STILE_ASSIGN_OR_RETURN(const auto file, host_.index->Open(path_));
      auto problems = ProblemsOf(*file, host_.resolvers);
      if (absl::IsCancelled(problems.status())) return problems.status();
      if (problems.ok()) {
        judge.errors = problems->errors;
        judge.candidates = Wanted(judge.errors);
        has_warnings_ = line_ > 0 && judge.candidates.empty();
        if (has_warnings_) {
          judge.candidates = Wanted(problems->warnings);
          judge.errors.insert(judge.errors.end(), problems->warnings.begin(),
                              problems->warnings.end());
        }
        judge.probe = [this](const EditPlan& plan) { return ProbeResolver(plan); };
        const auto resolver = host_.resolvers->For(path_, kResolverTime);
        if (resolver.ok()) judged_by_ = (*resolver)->name();
        if (!judge.candidates.empty()) return judge;
        why.clear();
      } else if (!compiled->judged) {
        absl::StrAppend(&why, "; ", problems.status().message());
      }
    }
    if (!why.empty()) return Nothing(absl::StrCat("no compiler gave an answer: ", why, "."));
    return Nothing(NoError(judge.errors, compiled->errors));
  }

  absl::StatusOr<ProbeReport> ProbeResolver(const EditPlan& plan) {
    TentativeEdits edits = host_.NewEdits();
    STILE_RETURN_IF_ERROR(TryPlan(plan, host_.OracleFor(&edits)));
    auto report = [&]() -> absl::StatusOr<ProbeReport> {
      STILE_ASSIGN_OR_RETURN(const auto file, host_.index->Open(path_));
      return ProblemsOf(*file, host_.resolvers);
    }();
    STILE_RETURN_IF_ERROR(edits.TakeBack().status());
    if (absl::IsCancelled(report.status())) return report;
    if (!report.ok()) {
      ProbeReport unjudged;
      unjudged.unjudged = std::string(report.status().message());
      return unjudged;
    }
    if (has_warnings_) {
      report->errors.insert(report->errors.end(), report->warnings.begin(), report->warnings.end());
    }
    return report;
  }

  std::string NoError(const std::vector<Diagnostic>& resolved,
                      const std::vector<Diagnostic>& compiled) const {
    std::set<int> lines;
    for (const auto* errors : {&compiled, &resolved}) {
      for (const Diagnostic& error : *errors) {
        if (error.file == path_) lines.insert(error.line);
      }
      if (!lines.empty()) break;
    }
    while (lines.size() > kMaxListed) lines.erase(std::prev(lines.end()));
    const std::string where =
        line_ == 0 ? DisplayPath(path_) : absl::StrCat(DisplayPath(path_), ":", line_);
    if (!lines.empty()) {
      return absl::StrCat("there is no error at ", where, "; there are errors in line ",
                          absl::StrJoin(lines, ", "), ".");
    }
    return absl::StrCat("there is no error at ", where, ".",
                        compiled.empty() ? "" : " Other files have errors.");
  }

  static std::string Ambiguous(const Diagnostic& error, const FixChoice& choice) {
    std::string text = choice.fixes.size() > 1
                           ? absl::StrCat(choice.fixes.size(),
                                          " changes mend this error, each with another ", "meaning")
                           : "a change mends this error, and others may do so with another meaning";
    absl::StrAppend(&text, ". Pass the right one as fix.\n", ToUtf8(FormatDiagnostic(error)), "\n");
    for (const Fix& fix : choice.fixes) absl::StrAppend(&text, "- ", fix.title, "\n");
    for (size_t i = 0; i < choice.untried.size() && i < kMaxListed; ++i) {
      absl::StrAppend(&text, "- ", choice.untried[i], " (not tried)\n");
    }
    return text;
  }

  std::string NoneMends(const Diagnostic& error, const OfferedFixes& offered, int tried) const {
    std::string text = absl::StrCat(
        tried == 0 && !title_.empty() ? absl::StrCat("nothing offers the fix ", title_)
        : tried == 0                  ? "neither the compiler nor a resolver offers a fix"
                     : absl::StrCat("no change takes this error away without a new one (",
                                    Count(static_cast<size_t>(tried), "change"), " tried)"),
        ".\n", ToUtf8(FormatDiagnostic(error)), "\n");
    if (!offered.no_resolver.empty()) {
      absl::StrAppend(&text, "No resolver was asked: ", ToUtf8(offered.no_resolver), ".\n");
    }
    if (!offered.other_titles.empty()) {
      absl::StrAppend(&text, title_.empty()
                                 ? "These changes write new code or move it; pass one as fix:\n"
                                 : "These are offered:\n");
      for (size_t i = 0; i < offered.other_titles.size() && i < kMaxListed; ++i) {
        absl::StrAppend(&text, "- ", ToUtf8(offered.other_titles[i]), "\n");
      }
    }
    return absl::StrCat(text, "Use file.modify to mend it.");
  }

  const std::string path_;
  const int line_;
  const std::string& title_;
  const RefactorHost& host_;
  bool has_warnings_ = false;
  std::string judged_by_;  // see PlannedFix
};

}  // namespace

absl::StatusOr<PlannedFix> PlanErrorFix(const std::string& path, int line, const std::string& title,
                                        const RefactorHost& host) {
  return ErrorFix(path, line, title, host).Plan();
}

absl::StatusOr<PlannedFix> PlanOrganizeImports(const std::string& path, const RefactorHost& host) {
  if (host.resolvers == nullptr) return Nothing("no resolver may be started here.");
  const auto file = host.index->Open(path);
  if (!file.ok()) return Nothing(file.status().message());
  const auto resolver = host.resolvers->For(path, kResolverTime);
  if (absl::IsCancelled(resolver.status())) return resolver.status();
  if (!resolver.ok()) {
    return Nothing(
        absl::StrCat("imports are organized by a resolver: ", resolver.status().message(), "."));
  }
  PlannedFix planned;
  planned.title = "Organize imports";
  planned.by = (*resolver)->name();
  const SourceFile& text = **file;
  const auto add = [&](TextEdit edit) { planned.plan.Edit(text, std::move(edit)); };
  auto edits = (*resolver)->OrganizeImports(path);
  if (absl::IsUnimplemented(edits.status()) &&
      LanguageBackendOf(text.language.id).generation.imports_dotted_modules) {
    const std::string base = BaseName(path);
    if (base == "__init__.py" || base == "conftest.py") {
      return Nothing(absl::StrCat("imports in ", base, " may be there for other files."));
    }
    const auto problems = (*resolver)->Problems(path);
    if (absl::IsCancelled(problems.status())) return problems.status();
    if (!problems.ok()) return Nothing(absl::StrCat(problems.status().message(), "."));
    std::vector<CodeRange> unused;
    for (const ResolvedProblem& problem : *problems) {
      if (problem.is_unused) unused.push_back(problem.range);
    }
    auto removal = RemoveUnusedImports(text, unused, host.index);
    if (!removal.ok()) return Nothing(absl::StrCat(removal.status().message(), "."));
    for (TextEdit& edit : removal->edits) add(std::move(edit));
    planned.kept = std::move(removal->kept);
    return planned;
  }
  if (absl::IsCancelled(edits.status())) return edits.status();
  if (!edits.ok()) return Nothing(absl::StrCat(edits.status().message(), "."));
  for (ResolvedEdit& edit : *edits) add({edit.range.begin, edit.range.end, std::move(edit.text)});
  const auto& files = planned.plan.files();
  const bool changes = std::any_of(files.begin(), files.end(), [](const auto& entry) {
    return entry.second.After() != entry.second.before;
  });
  if (!changes) planned.plan = EditPlan();
  return planned;
}

}  // namespace stile
