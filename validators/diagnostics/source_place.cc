#include "validators/diagnostics/source_place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxSourceBytes = size_t{16} << 20;

// The code point at the start of `text` and its length in bytes; an invalid byte stands for itself.
std::pair<uint32_t, size_t> NextCodePoint(absl::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size() || !IsUtf8(text.substr(0, length))) return {byte, 1};
  uint32_t code_point = byte & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return {code_point, length};
}

// Columns of a terminal: combining marks take none, East Asian wide characters and emoji two.
int DisplayWidth(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  constexpr Range kNone[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                             {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                             {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                             {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  const auto within = [c](const Range& range) { return c >= range.first && c <= range.last; };
  if (std::any_of(std::begin(kNone), std::end(kNone), within)) return 0;
  return std::any_of(std::begin(kWide), std::end(kWide), within) ? 2 : 1;
}

}  // namespace

std::string WorkspaceFile(absl::string_view file, absl::string_view base_dir,
                          absl::string_view workspace) {
  if (file.empty()) return "";
  const std::string absolute = CleanPath(
      absl::StartsWith(file, "/") ? std::string(file) : absl::StrCat(base_dir, "/", file));
  if (!absl::StartsWith(absolute, absl::StrCat(workspace, "/"))) return std::string(file);
  return absolute.substr(workspace.size() + 1);
}

int ByteColumn(absl::string_view line, int column, ColumnUnit unit) {
  int at = 1;  // column of the character at `offset`
  size_t offset = 0;
  while (offset < line.size() && at < column) {
    const auto [code_point, length] = NextCodePoint(line.substr(offset));
    int width = 1;
    switch (unit) {
      case ColumnUnit::kUtf16:
      case ColumnUnit::kUtf16Tab8:
        width = code_point > 0xFFFF ? 2 : 1;
        break;
      case ColumnUnit::kDisplay:
        width = DisplayWidth(code_point);
        break;
      case ColumnUnit::kCodePoint:
        break;
    }
    const bool tab_stops = unit == ColumnUnit::kDisplay || unit == ColumnUnit::kUtf16Tab8;
    if (tab_stops && code_point == '\t') width = 8 - (at - 1) % 8;
    if (at + width > column) break;  // in the middle of a wide character
    at += width;
    offset += length;
  }
  if (offset < line.size() || at >= column) return column <= 0 ? 0 : static_cast<int>(offset) + 1;
  return static_cast<int>(offset) + 1 + (column - at);
}

void ColumnsToBytes(absl::string_view workspace, ColumnUnit unit,
                    std::vector<Diagnostic>* diagnostics) {
  std::map<std::string, std::optional<std::string>> texts;
  std::map<std::string, std::vector<absl::string_view>> lines;
  for (Diagnostic& diagnostic : *diagnostics) {
    const std::string& file = diagnostic.file;
    if (diagnostic.column <= 1 || diagnostic.line <= 0 || file.empty()) continue;
    if (absl::StartsWith(file, "/") || absl::StartsWith(file, "..")) continue;
    const auto [entry, is_new] = texts.try_emplace(file);
    if (is_new) {
      auto text = DiskFileSystem()->ReadFile(JoinPath(workspace, file), kMaxSourceBytes);
      if (text.ok()) entry->second = *std::move(text);
      if (entry->second.has_value()) lines[file] = SplitLines(*entry->second);
    }
    const std::vector<absl::string_view>& source = lines[file];
    const auto index = static_cast<size_t>(diagnostic.line - 1);
    if (index >= source.size()) continue;
    absl::string_view line = absl::StripSuffix(source[index], "\r");
    if (index == 0) line = absl::StripPrefix(line, "\xEF\xBB\xBF");
    const int bom = index == 0 && line.data() != source[0].data() ? 3 : 0;
    diagnostic.column = ByteColumn(line, diagnostic.column, unit) + bom;
  }
}

int PositiveNumber(absl::string_view digits) {
  int number = 0;
  if (digits.empty() || digits.size() > 9 ||
      !std::all_of(digits.begin(), digits.end(),
                   [](unsigned char c) { return absl::ascii_isdigit(c); })) {
    return 0;
  }
  return absl::SimpleAtoi(digits, &number) ? number : 0;
}

bool HasPlace(const SuggestedFix& fix) {
  return fix.start_line > 0 && fix.start_column > 0 && fix.end_column > 0 &&
         std::tie(fix.start_line, fix.start_column) <= std::tie(fix.end_line, fix.end_column);
}

void DropDuplicates(std::vector<Diagnostic>* diagnostics) {
  std::set<std::string> seen;
  std::vector<Diagnostic> unique;
  for (Diagnostic& diagnostic : *diagnostics) {
    if (seen.insert(FormatDiagnostic(diagnostic)).second) unique.push_back(std::move(diagnostic));
  }
  *diagnostics = std::move(unique);
}

}  // namespace stile
