#include "agents/cli/certificate_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

// The statement fits its schema: members are there and have their types.
std::string Text(const Json& object, const char* key) {
  return OneLine(JsonString(object, key).value_or("none"));
}

int64_t Number(const Json& object, const char* key) { return JsonInt(object, key).value_or(0); }

std::string Row(absl::string_view name, absl::string_view value) {
  return absl::StrFormat("%-11s%s\n", name, value);
}

std::string ChangedText(const Json& changed) {
  std::string text = changed.empty() ? "\nNothing was changed.\n" : "\nChanged:\n";
  for (const Json& file : changed) {
    const char* kind = file["before"].is_null()  ? "added"
                       : file["after"].is_null() ? "deleted"
                                                 : "modified";
    absl::StrAppend(&text, absl::StrFormat("  %-9s", kind), Text(file, "path"), "\n");
  }
  return text;
}

std::string InputsText(const Json& target) {
  return JsonString(target, "inputs") == "observed"
             ? "      inputs: every file that it opened\n"
             : "      inputs: by project files and what the validator lists\n";
}

std::string CoverageText(const Json& coverage) {
  if (coverage.is_null()) return "";
  const std::string by = Text(coverage, "by");
  std::vector<std::string> parts;
  if (const auto read = JsonInt(coverage, "files_read")) {
    parts.push_back(absl::StrCat(Count(static_cast<size_t>(*read), "file"), " read"));
  }
  if (by == "canary") {
    parts.push_back(
        absl::StrCat("planted errors reported in ", Count(coverage["reported"].size(), "file")));
  }
  if (const Json* const compiled = JsonMember(coverage, "compiled");
      compiled != nullptr && !compiled->empty()) {
    parts.push_back(
        absl::StrCat(Count(compiled->size(), "changed file"), " opened by the compiler"));
  }
  if (by == "none") parts.emplace_back("it does not say what it read");
  if (!coverage["alone"].empty()) {
    parts.push_back(absl::StrCat(Count(coverage["alone"].size(), "file"), " judged alone"));
  }
  if (const Json* const switched = JsonMember(coverage, "switched"); switched != nullptr) {
    for (const Json& one : *switched) {
      if (one.is_string()) parts.push_back(absl::StrCat("compiled ", one.get<std::string>()));
    }
  }
  return absl::StrCat("      coverage: ", absl::StrJoin(parts, ", "), "\n");
}

std::string TargetText(const Json& target, const Terminal& terminal) {
  std::string text = absl::StrCat(
      "  ", Styled(terminal, Style::kGreen, Text(target, "verdict")), "  ", Text(target, "root"),
      " (", Text(target, "validator"), ", ", Text(target, "level"), ") in ",
      FormatElapsed(absl::Milliseconds(Number(target, "duration_ms"))), "\n      ",
      Text(target, "command"), "\n      ", Text(target, "version"), ", ", Text(target, "program"),
      "\n", InputsText(target), CoverageText(target["coverage"]));
  if (Text(target, "rule") == "no_new_errors") {
    text += "      errors that were there before the run were left out\n";
  }
  if (const Json& tests = target["tests"]; !tests.is_null()) {
    absl::StrAppend(&text, "      tests: ", Number(tests, "passed"), " passed, ",
                    Number(tests, "failed"), " failed, ", Number(tests, "skipped"), " skipped\n");
  }
  const Json& warnings = target["warnings"];
  if (Number(warnings, "count") > 0) {
    absl::StrAppend(&text, "      ",
                    Count(static_cast<size_t>(Number(warnings, "count")), "warning"), "\n");
    for (const Json& warning : warnings["first"]) {
      absl::StrAppend(&text, "        ", Text(warning, "file"), ":", Number(warning, "line"), ": ",
                      Text(warning, "message"), "\n");
    }
  }
  return text;
}

// "" where nothing was allowed.
std::string AllowedText(const Json& predicate) {
  const Json* const allowed = JsonMember(predicate, "allowed");
  if (allowed == nullptr) return "";
  std::vector<std::string> texts;
  for (const Json& item : *allowed) texts.push_back(OneLine(item.get<std::string>()));
  return Row("allowed", absl::StrJoin(texts, ", "));
}

}  // namespace

std::string SignatureText(const OpenedCertificate& envelope) {
  if (envelope.signatures.empty()) return "not signed";
  std::vector<std::string> keys;
  for (const auto& signature : envelope.signatures) {
    keys.push_back(signature.key_id.empty() ? "an unnamed key" : OneLine(signature.key_id));
  }
  return absl::StrCat("signed, it says by ", absl::StrJoin(keys, ", "), " (not checked)");
}

std::string CertificateText(const Certificate& certificate, const Terminal& terminal) {
  const Json& predicate = certificate.statement["predicate"];
  const Json& usage = predicate["usage"];
  const Json& gate = predicate["gate"];
  std::string text = absl::StrCat(
      Styled(terminal, Style::kBold, OneLine(certificate.run_id)), "\n",
      Row("outcome", absl::StrCat(OneLine(certificate.outcome), " at ", certificate.time)),
      Row("workspace", Text(predicate, "workspace")), Row("base", Text(predicate, "base_commit")),
      Row("tree", Text(predicate, "tree")), Row("content", certificate.accepted_root),
      Row("signature", SignatureText(certificate.envelope)),
      Row("model",
          absl::StrCat(Text(predicate, "provider"), ":", Text(predicate, "model"), ", ",
                       Count(static_cast<size_t>(Number(predicate, "turns")), "turn"), ", ",
                       FormatCount(Number(usage, "input_tokens") + Number(usage, "output_tokens")),
                       " tokens, ",
                       Count(static_cast<size_t>(Number(predicate, "failed_validations")),
                             "failed validation"))),
      Row("gate",
          absl::StrCat("level ", Text(gate, "level"), ", baseline ", Text(gate, "baseline"),
                       ", weakening ", Text(gate, "weakening"), ", uncovered ",
                       Text(gate, "uncovered"), ", no_validator ", Text(gate, "no_validator"))),
      AllowedText(predicate), Row("sandbox", Text(predicate, "sandbox")),
      ChangedText(predicate["changed"]));
  text += predicate["targets"].empty() ? "\nNo target was validated.\n" : "\nTargets:\n";
  for (const Json& target : predicate["targets"]) {
    absl::StrAppend(&text, TargetText(target, terminal));
  }
  if (!predicate["uncovered"].empty()) text += "\nChanged, and covered by no validator:\n";
  for (const Json& file : predicate["uncovered"]) {
    absl::StrAppend(&text, "  ", Text(file, "path"), "\n");
  }
  if (!predicate["weakenings"].empty()) text += "\nLets validators overlook something:\n";
  for (const Json& entry : predicate["weakenings"]) {
    absl::StrAppend(&text, "  ", Text(entry, "path"), ":", Number(entry, "line"), ": ",
                    Text(entry, "what"), "\n");
  }
  return text;
}

}  // namespace stile
