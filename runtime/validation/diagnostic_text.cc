#include "runtime/validation/diagnostic_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;
constexpr size_t kMaxExcerptBytes = 160;
constexpr size_t kMaxMessageBytes = 2000;
constexpr size_t kMaxReplacementBytes = 300;
constexpr size_t kMaxFixes = 3;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// "  3 | code" and a caret below byte `column` (1-based; 0: no caret).
std::string Excerpt(int number, absl::string_view line, int column) {
  size_t at = std::min(static_cast<size_t>(std::max(column - 1, 0)), line.size());
  size_t from = 0;
  if (line.size() > kMaxExcerptBytes && at > kMaxExcerptBytes / 2) {
    from = std::min(at - kMaxExcerptBytes / 2, line.size() - kMaxExcerptBytes);
    while (from < line.size() && IsContinuation(line[from])) ++from;
  }
  size_t to = std::min(line.size(), from + kMaxExcerptBytes);
  while (to > from && to < line.size() && IsContinuation(line[to])) --to;
  const std::string label = absl::StrCat("  ", number, " | ", from > 0 ? "…" : "");
  std::string text =
      absl::StrCat(label, ToUtf8(line.substr(from, to - from)), to < line.size() ? "…" : "", "\n");
  if (column < 1) return text;
  absl::StrAppend(&text, std::string(absl::StrCat("  ", number, " ").size(), ' '), "| ",
                  from > 0 ? " " : "");
  for (const char c : line.substr(from, at > from ? at - from : 0)) {
    if (!IsContinuation(c)) text += c == '\t' ? '\t' : ' ';
  }
  return text += "^\n";
}

std::string Quoted(absl::string_view replacement) {
  return absl::StrCat("`", ToUtf8(TruncateMiddle(replacement, kMaxReplacementBytes)), "`");
}

std::string RangeText(const SuggestedFix& fix) {
  if (fix.start_line == fix.end_line) {
    const int last = std::max(fix.start_column, fix.end_column - 1);
    return last == fix.start_column
               ? absl::StrCat("line ", fix.start_line, " column ", last)
               : absl::StrCat("line ", fix.start_line, " columns ", fix.start_column, "-", last);
  }
  return absl::StrCat("line ", fix.start_line, " column ", fix.start_column, " up to line ",
                      fix.end_line, " column ", fix.end_column, " (exclusive)");
}

}  // namespace

SourceLines::SourceLines(FileSystem* fs, std::string workspace)
    : fs_(fs), workspace_(std::move(workspace)) {}

std::optional<std::string> SourceLines::Line(const std::string& file, int line) {
  if (file.empty() || line < 1) return std::nullopt;
  auto found = files_.find(file);
  if (found == files_.end()) {
    std::string content;
    if (const auto path = ResolveInWorkspace(workspace_, file); path.ok()) {
      content = fs_->ReadFile(path->absolute, kMaxSourceBytes).value_or("");
    }
    found = files_.emplace(file, std::move(content)).first;
  }
  absl::string_view rest = found->second;
  for (int i = 1; i < line; ++i) {
    const size_t newline = rest.find('\n');
    if (newline == absl::string_view::npos) return std::nullopt;
    rest.remove_prefix(newline + 1);
  }
  if (rest.empty()) return std::nullopt;
  return std::string(absl::StripSuffix(rest.substr(0, rest.find('\n')), "\r"));
}

std::string FixText(const SuggestedFix& fix, const std::string& diagnostic_file) {
  std::string text = fix.is_certain ? "suggested fix" : "possible fix";
  if (!fix.title.empty()) absl::StrAppend(&text, " (", ToUtf8(fix.title), ")");
  absl::StrAppend(&text, ": ");
  if (!fix.file.empty() && fix.file != diagnostic_file) {
    absl::StrAppend(&text, "in ", ToUtf8(fix.file), " ");
  }
  if (fix.start_line == fix.end_line && fix.start_column == fix.end_column) {
    return absl::StrCat(text, "insert ", Quoted(fix.replacement), " at line ", fix.start_line,
                        " column ", fix.start_column);
  }
  if (fix.replacement.empty()) return absl::StrCat(text, "delete ", RangeText(fix));
  return absl::StrCat(text, "replace ", RangeText(fix), " with ", Quoted(fix.replacement));
}

std::string DiagnosticText(const Diagnostic& diagnostic, SourceLines* lines) {
  std::string text = TruncateMiddle(ToUtf8(FormatDiagnostic(diagnostic)), kMaxMessageBytes);
  if (text.empty() || text.back() != '\n') text += '\n';
  if (const auto line = lines->Line(diagnostic.file, diagnostic.line); line.has_value()) {
    absl::StrAppend(&text, Excerpt(diagnostic.line, *line, diagnostic.column));
  }
  for (size_t i = 0; i < diagnostic.fixes.size() && i < kMaxFixes; ++i) {
    absl::StrAppend(&text, "  ", FixText(diagnostic.fixes[i], diagnostic.file), "\n");
  }
  return text;
}

}  // namespace stile
