#include "validators/diagnostics/cargo_json_diagnostics.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/json.h"
#include "runtime/base/text.h"
#include "validators/diagnostics/pattern.h"
#include "validators/diagnostics/source_place.h"

namespace stile {
namespace {

struct Place {
  absl::string_view base_dir;
  absl::string_view workspace;
};

const Json* Members(const Json& value, absl::string_view key) {
  const Json* list = JsonMember(value, key);
  return list != nullptr && list->is_array() ? list : nullptr;
}

int Number(const Json& span, absl::string_view key) {
  const int64_t number = JsonInt(span, key).value_or(0);
  return number > 0 && number < 1'000'000'000 ? static_cast<int>(number) : 0;
}

// rustc counts code points; the span carries its source lines, `last` asks for the last of them.
int Column(const Json& span, absl::string_view key, bool last) {
  const int column = Number(span, key);
  const Json* text = Members(span, "text");
  if (text == nullptr || text->empty()) return column;
  const std::string line = JsonString(last ? text->back() : text->front(), "text").value_or("");
  return ByteColumn(line, column, ColumnUnit::kCodePoint);
}

std::string SpanFile(const Json& span, const Place& place) {
  return WorkspaceFile(JsonString(span, "file_name").value_or(""), place.base_dir, place.workspace);
}

// The span that a person would point at: out of macros of other crates, to where they are used.
const Json* PrimarySpan(const Json& message, const Place& place) {
  const Json* spans = Members(message, "spans");
  if (spans == nullptr) return nullptr;
  const auto primary = std::find_if(spans->begin(), spans->end(), [](const Json& span) {
    return JsonBool(span, "is_primary").value_or(false);
  });
  if (primary == spans->end()) return nullptr;
  const Json* best = &*primary;
  for (const Json* span = best; span != nullptr;) {
    const std::string file = SpanFile(*span, place);
    if (!file.empty() && !absl::StartsWith(file, "/") && !absl::StartsWith(file, "<")) return span;
    const Json* expansion = JsonMember(*span, "expansion");
    span = expansion != nullptr ? JsonMember(*expansion, "span") : nullptr;
  }
  return best;
}

void AddFix(const Json& help, const Json& span, bool is_only, const Place& place,
            std::vector<SuggestedFix>* fixes) {
  const auto replacement = JsonString(span, "suggested_replacement");
  if (!replacement.has_value()) return;
  SuggestedFix fix;
  fix.is_certain = is_only && JsonString(span, "suggestion_applicability") == "MachineApplicable";
  fix.title = JsonString(help, "message").value_or("");
  fix.file = SpanFile(span, place);
  fix.start_line = Number(span, "line_start");
  fix.start_column = Column(span, "column_start", false);
  fix.end_line = Number(span, "line_end");
  fix.end_column = Column(span, "column_end", true);
  fix.replacement = *replacement;
  if (HasPlace(fix)) fixes->push_back(std::move(fix));
}

// The replacements of one help message: one, or several for the same place. One that has several
// places is left out.
void AddFixes(const Json& help, const Place& place, std::vector<SuggestedFix>* fixes) {
  const Json* spans = Members(help, "spans");
  if (spans == nullptr || spans->empty()) return;
  const auto place_of = [](const Json& span) {
    return std::make_tuple(JsonString(span, "file_name"), JsonInt(span, "byte_start"),
                           JsonInt(span, "byte_end"));
  };
  const bool is_one_place = std::all_of(spans->begin(), spans->end(), [&](const Json& span) {
    return place_of(span) == place_of(spans->front());
  });
  if (!is_one_place) return;
  for (const Json& span : *spans) AddFix(help, span, spans->size() == 1, place, fixes);
}

void AddMessage(const Json& message, const Place& place, std::vector<Diagnostic>* diagnostics) {
  const std::string level = JsonString(message, "level").value_or("");
  Diagnostic diagnostic;
  if (level == "error") {
    diagnostic.severity = Severity::kError;
  } else if (level == "warning") {
    diagnostic.severity = Severity::kWarning;
  } else {
    return;  // "note", "failure-note", "error: internal compiler error"
  }
  diagnostic.message = JsonString(message, "message").value_or("");
  const Json* span = PrimarySpan(message, place);
  if (span == nullptr && (absl::StartsWith(diagnostic.message, "aborting due to ") ||
                          absl::EndsWith(diagnostic.message, " emitted"))) {
    return;  // the summary
  }
  if (span != nullptr) {
    diagnostic.file = SpanFile(*span, place);
    diagnostic.line = Number(*span, "line_start");
    diagnostic.column = Column(*span, "column_start", false);
    const std::string label = JsonString(*span, "label").value_or("");
    if (!label.empty() && !absl::StrContains(diagnostic.message, label)) {
      absl::StrAppend(&diagnostic.message, ": ", label);
    }
  }
  const Json* code = JsonMember(message, "code");
  if (code != nullptr) diagnostic.code = JsonString(*code, "code").value_or("");
  const Json* children = Members(message, "children");
  if (children != nullptr) {
    for (const Json& child : *children) AddFixes(child, place, &diagnostic.fixes);
  }
  diagnostics->push_back(std::move(diagnostic));
}

// Words of cargo that blame the network or its absence, not the manifest.
bool IsNetworkTrouble(absl::string_view text) {
  for (absl::string_view sign :
       {"offline", "network failure", "download", "Could not resolve host",
        "Unable to update registry", "failed to fetch", "failed to clone", "spurious", "timed out",
        "Connection refused", "Blocking waiting"}) {
    if (absl::StrContains(text, sign)) return true;
  }
  return false;
}

// "error: unclosed table" + " --> Cargo.toml:1:9", and "error: failed to parse manifest at `…`"
// with causes.
void AddManifestError(const std::vector<absl::string_view>& lines, size_t first, const Place& place,
                      std::vector<Diagnostic>* diagnostics) {
  static const Pattern* const kArrow = new Pattern(R"(\s*--> (.+):(\d+):(\d+))");
  static const Pattern* const kManifest = new Pattern(R"(`([^`]*Cargo\.toml)`|\((/[^()]*)\))");
  Diagnostic diagnostic;
  diagnostic.message = std::string(absl::StripPrefix(lines[first], "error: "));
  std::string manifest, folder;
  bool after_cause = false;
  std::string block = std::string(lines[first]);
  for (size_t i = first; i < lines.size(); ++i) {
    const absl::string_view line = lines[i];
    if (i > first && (absl::StartsWith(line, "error") || absl::StartsWith(line, "{"))) break;
    absl::StrAppend(&block, "\n", line);
    std::string file, line_number, column;
    if (diagnostic.line == 0 && kArrow->Matches(line, &file, &line_number, &column)) {
      diagnostic.file = WorkspaceFile(file, place.base_dir, place.workspace);
      diagnostic.line = PositiveNumber(line_number);
      diagnostic.column = PositiveNumber(column);
    }
    if (manifest.empty()) kManifest->IsIn(line, &manifest, &folder);
    if (after_cause) absl::StrAppend(&diagnostic.message, ": ", absl::StripPrefix(line, "  "));
    after_cause = line == "Caused by:";
  }
  if (IsNetworkTrouble(block)) return;
  if (diagnostic.file.empty()) {
    if (manifest.empty() && !folder.empty()) manifest = absl::StrCat(folder, "/Cargo.toml");
    if (manifest.empty()) return;  // not about a manifest: cargo itself is in trouble
    diagnostic.file = WorkspaceFile(manifest, place.base_dir, place.workspace);
  }
  diagnostic.message = ToUtf8(diagnostic.message);
  diagnostics->push_back(std::move(diagnostic));
}

}  // namespace

std::string ReadableCargoMessage(absl::string_view line) {
  const absl::StatusOr<Json> object = ParseJson(line);
  if (!object.ok() || !JsonString(*object, "reason").has_value()) return std::string(line);
  const Json* const message = JsonMember(*object, "message");
  return message == nullptr ? "" : JsonString(*message, "rendered").value_or("");
}

bool CargoSaysFinished(absl::string_view output) {
  for (absl::string_view line : SplitLines(output)) {
    if (!absl::StrContains(line, "build-finished")) continue;
    const absl::StatusOr<Json> object = ParseJson(line);
    if (object.ok() && JsonString(*object, "reason").value_or("") == "build-finished") {
      return JsonBool(*object, "success").value_or(false);
    }
  }
  return false;
}

std::vector<Diagnostic> ParseCargoJson(absl::string_view output, absl::string_view base_dir,
                                       absl::string_view workspace) {
  const Place place{base_dir, workspace};
  std::vector<Diagnostic> diagnostics;
  const std::vector<absl::string_view> lines = SplitLines(output);
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line = lines[i];
    if (absl::StartsWith(line, "{")) {
      const absl::StatusOr<Json> object = ParseJson(line);
      if (!object.ok()) continue;
      const Json* message = JsonMember(*object, "message");
      if (message != nullptr && message->is_object()) {
        AddMessage(*message, place, &diagnostics);  // cargo
      } else {
        AddMessage(*object, place, &diagnostics);  // rustc
      }
    } else if (absl::StartsWith(line, "error: ") &&
               !absl::StartsWith(line, "error: could not compile")) {
      AddManifestError(lines, i, place, &diagnostics);
    }
  }
  DropDuplicates(&diagnostics);
  return diagnostics;
}

}  // namespace stile
