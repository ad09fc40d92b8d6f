#include "tools/edit/edit_plan.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kContextLines = 3;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

int ModeOf(const std::string& path) {
  struct stat info {};
  constexpr int kNewFile = 0644;
  return stat(path.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 0777) : kNewFile;
}

void Sort(std::vector<TextEdit>* edits) {
  std::stable_sort(edits->begin(), edits->end(), [](const TextEdit& a, const TextEdit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
}

// Offsets at which lines begin; a text that ends with a newline has no line behind it.
std::vector<size_t> LineStarts(absl::string_view text) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size();) {
    starts.push_back(at);
    const size_t newline = text.find('\n', at);
    at = newline == absl::string_view::npos ? text.size() : newline + 1;
  }
  return starts;
}

void AppendLines(absl::string_view text, char mark, std::string* diff) {
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const absl::string_view line = text.substr(0, newline);
    absl::StrAppend(diff, std::string(1, mark), line, "\n");
    if (newline == absl::string_view::npos) {
      absl::StrAppend(diff, "\\ No newline at end of file\n");
      return;
    }
    text.remove_prefix(newline + 1);
  }
}

size_t CountLinesOf(absl::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) +
         (!text.empty() && text.back() != '\n' ? 1 : 0);
}

// Whole lines of the old text [begin, end) and what stands in their place.
struct LineChange {
  size_t begin = 0;  // bytes, at the begin of a line
  size_t end = 0;
  std::string after;
};

std::vector<LineChange> LineChanges(absl::string_view before, std::vector<TextEdit> edits) {
  Sort(&edits);
  const auto line_begin = [&](size_t at) {
    const size_t newline = at == 0 ? absl::string_view::npos : before.rfind('\n', at - 1);
    return newline == absl::string_view::npos ? 0 : newline + 1;
  };
  const auto line_end = [&](size_t at) {
    const size_t newline = before.find('\n', at);
    return newline == absl::string_view::npos ? before.size() : newline + 1;
  };
  std::vector<LineChange> changes;
  for (size_t i = 0; i < edits.size();) {
    LineChange change;
    change.begin = line_begin(edits[i].begin);
    size_t at = change.begin;
    do {
      absl::StrAppend(&change.after, before.substr(at, edits[i].begin - at), edits[i].replacement);
      at = edits[i].end;
      const bool whole = at == line_begin(at) &&
                         (change.after.empty() ? at > change.begin : change.after.back() == '\n');
      change.end = whole ? at : line_end(at);
      ++i;
    } while (i < edits.size() && edits[i].begin < change.end);
    absl::StrAppend(&change.after, before.substr(at, change.end - at));
    if (before.substr(change.begin, change.end - change.begin) != change.after) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

}  // namespace

std::string ApplyEdits(absl::string_view text, std::vector<TextEdit> edits) {
  Sort(&edits);
  std::string result;
  size_t at = 0;
  for (const TextEdit& edit : edits) {
    absl::StrAppend(&result, text.substr(at, edit.begin - at), edit.replacement);
    at = edit.end;
  }
  absl::StrAppend(&result, text.substr(at));
  return result;
}

std::string UnifiedDiff(absl::string_view old_path, absl::string_view new_path,
                        absl::string_view before, std::vector<TextEdit> edits) {
  const std::vector<LineChange> changes = LineChanges(before, std::move(edits));
  std::string diff;
  const std::vector<size_t> starts = LineStarts(before);
  const auto line_of = [&](size_t offset) {
    return static_cast<size_t>(std::lower_bound(starts.begin(), starts.end(), offset) -
                               starts.begin());
  };
  const auto offset_of = [&](size_t line) {
    return line < starts.size() ? starts[line] : before.size();
  };
  size_t shift_up = 0;
  size_t shift_down = 0;
  for (size_t i = 0; i < changes.size();) {
    // Changes whose surroundings meet share a hunk.
    size_t last = i;
    while (last + 1 < changes.size() &&
           line_of(changes[last + 1].begin) <= line_of(changes[last].end) + 2 * kContextLines) {
      ++last;
    }
    const size_t first_line = line_of(changes[i].begin);
    const size_t from = first_line > kContextLines ? first_line - kContextLines : 0;
    const size_t to = std::min(line_of(changes[last].end) + kContextLines, starts.size());
    std::string body;
    size_t at = offset_of(from);
    size_t added = 0;
    size_t removed = 0;
    for (; i <= last; ++i) {
      const LineChange& change = changes[i];
      const absl::string_view old = before.substr(change.begin, change.end - change.begin);
      AppendLines(before.substr(at, change.begin - at), ' ', &body);
      AppendLines(old, '-', &body);
      AppendLines(change.after, '+', &body);
      removed += CountLinesOf(old);
      added += CountLinesOf(change.after);
      at = change.end;
    }
    AppendLines(before.substr(at, offset_of(to) - at), ' ', &body);
    const size_t old_lines = to - from;
    const size_t new_lines = old_lines + added - removed;
    const auto begin = [](size_t line, size_t count) { return count == 0 ? line : line + 1; };
    absl::StrAppend(&diff, "@@ -", begin(from, old_lines), ",", old_lines, " +",
                    begin(from + shift_up - shift_down, new_lines), ",", new_lines, " @@\n", body);
    shift_up += added;
    shift_down += removed;
  }
  if (diff.empty() && old_path == new_path) return "";
  return absl::StrCat("--- ", old_path, "\n+++ ", new_path, "\n", diff);
}

std::string EditPlan::File::After() const {
  return deleted ? "" : ApplyEdits(before.value_or(""), edits);
}

EditPlan::File& EditPlan::Of(const std::string& path, absl::string_view before) {
  File& file = files_[path];
  if (file.path.empty()) {
    file.path = path;
    file.before = std::string(before);
  }
  return file;
}

void EditPlan::Edit(const SourceFile& file, TextEdit edit) {
  EditText(file.path, file.text, std::move(edit));
}

void EditPlan::EditText(const std::string& path, absl::string_view before, TextEdit edit) {
  const size_t line_end = before.find('\n');
  const bool is_crlf =
      line_end != absl::string_view::npos && line_end > 0 && before[line_end - 1] == '\r';
  if (is_crlf) {
    edit.replacement = absl::StrReplaceAll(absl::StrReplaceAll(edit.replacement, {{"\r\n", "\n"}}),
                                           {{"\n", "\r\n"}});
  }
  // Code begins behind a byte order mark.
  if (absl::StartsWith(before, kByteOrderMark)) {
    edit.begin = std::max<uint32_t>(edit.begin, kByteOrderMark.size());
    edit.end = std::max<uint32_t>(edit.end, kByteOrderMark.size());
  }
  Of(path, before).edits.push_back(std::move(edit));
}

void EditPlan::Create(const std::string& path, std::string content) {
  File& file = files_[path];
  file.path = path;
  file.edits = {{0, 0, std::move(content)}};
}

bool EditPlan::DropLine(const std::string& path, absl::string_view line) {
  const auto file = files_.find(path);
  if (file == files_.end()) return false;
  for (TextEdit& edit : file->second.edits) {
    std::string kept;
    bool dropped = false;
    for (const absl::string_view part : absl::StrSplit(edit.replacement, '\n')) {
      const absl::string_view text = absl::StripAsciiWhitespace(part);
      const bool is_it =
          !dropped &&
          (text == line || (absl::StartsWith(text, "pub(") && absl::EndsWith(text, line)));
      dropped |= is_it;
      if (!is_it) absl::StrAppend(&kept, part, "\n");
    }
    if (!dropped) continue;
    kept.pop_back();
    const bool is_new = !file->second.before.has_value();
    edit.replacement = is_new ? std::string(absl::StripLeadingAsciiWhitespace(kept)) : kept;
    return true;
  }
  return false;
}

void EditPlan::Move(const SourceFile& file, std::string to) {
  Of(file.path, file.text).moved_to = std::move(to);
}

void EditPlan::Delete(const SourceFile& file) { Of(file.path, file.text).deleted = true; }

bool EditPlan::HasOverlap() const {
  for (const auto& [path, file] : files_) {
    std::vector<TextEdit> edits = file.edits;
    Sort(&edits);
    uint32_t at = 0;
    for (const TextEdit& edit : edits) {
      if (edit.begin < at || edit.end < edit.begin) return true;
      at = edit.end;
    }
    if (at > file.before.value_or("").size()) return true;
  }
  return false;
}

size_t EditPlan::CountEdits() const {
  size_t count = 0;
  for (const auto& [path, file] : files_) count += file.edits.size();
  return count;
}

std::vector<std::string> EditPlan::OldPaths() const {
  std::vector<std::string> paths;
  for (const auto& [path, file] : files_) paths.push_back(path);
  return paths;
}

std::vector<std::string> EditPlan::NewPaths() const {
  std::vector<std::string> paths;
  for (const auto& [path, file] : files_) {
    if (!file.deleted) paths.push_back(file.NewPath());
  }
  return paths;
}

std::map<std::string, TentativeEdits::Content> EditPlan::Contents(const std::string& root) const {
  std::map<std::string, TentativeEdits::Content> contents;
  for (const auto& [path, file] : files_) {
    if (file.deleted || file.moved_to.has_value()) contents[path].text = std::nullopt;
    if (file.deleted) continue;
    contents[file.NewPath()] = {file.After(), ModeOf(JoinPath(root, path))};
  }
  return contents;
}

std::string EditPlan::Diff() const {
  std::string diff;
  for (const auto& [path, file] : files_) {
    const std::string before = file.before.value_or("");
    std::vector<TextEdit> edits = file.edits;
    if (file.deleted) edits = {{0, static_cast<uint32_t>(before.size()), ""}};
    if (file.moved_to.has_value()) {
      absl::StrAppend(&diff, "diff --git a/", path, " b/", *file.moved_to, "\nrename from ", path,
                      "\nrename to ", *file.moved_to, "\n");
    }
    absl::StrAppend(
        &diff, UnifiedDiff(file.before.has_value() ? absl::StrCat("a/", path) : "/dev/null",
                           file.deleted ? "/dev/null" : absl::StrCat("b/", file.NewPath()), before,
                           std::move(edits)));
  }
  return ToUtf8(diff);
}

}  // namespace stile
