// Code by templates, for languages that are not parsed.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/generate.h"
#include "tools/language/brackets.h"
#include "tools/language/code_style.h"
#include "tools/language/language_family.h"
#include "tools/language/method_signature.h"

namespace stile {
namespace {

constexpr size_t kMaxFileBytes = size_t{16} << 20;

// Whole lines, one level deep.
std::string IndentedLines(absl::string_view code, absl::string_view indent) {
  std::string lines;
  if (code.empty()) return lines;
  for (const absl::string_view line : absl::StrSplit(code, '\n')) {
    absl::StrAppend(&lines, line.empty() ? "" : indent, line, "\n");
  }
  return lines;
}

std::string KindsOf(const CodeTemplate& code) {
  std::vector<std::string> kinds;
  for (const auto& [kind, text] : code.types) kinds.push_back(kind);
  return absl::StrJoin(kinds, ", ");
}

absl::StatusOr<std::string> WriteType(const CodeTemplate& code, const GenerateRequest& request,
                                      std::string* what) {
  std::string name(absl::StripAsciiWhitespace(request.class_name));
  std::string kind = code.default_type;
  absl::string_view head = absl::StripAsciiWhitespace(request.signature);
  if (!head.empty()) {
    kind = std::string(head.substr(0, head.find(' ')));
    head = absl::StripLeadingAsciiWhitespace(head.substr(kind.size()));
    if (code.types.count(kind) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("signature of a type of ", code.language, " is its kind (", KindsOf(code),
                       "), with its name or without; write anything else with file.write"));
    }
    if (name.empty()) name = std::string(head);
    if (!head.empty() && head != name) {
      return absl::InvalidArgumentError(
          absl::StrCat("className and signature name different types; leave one of them out"));
    }
  }
  if (!IsIdentifier(name) || !absl::ascii_isupper(static_cast<unsigned char>(name[0]))) {
    return absl::InvalidArgumentError(absl::StrCat("'", ToUtf8(name), "' is not a type of ",
                                                   code.language,
                                                   "; give className as one name with a capital"));
  }
  const std::string& text = code.types.at(kind);
  const std::string body = Dedent(request.body);
  *what = absl::StrCat("type ", name);
  std::string written = Fill(text, {{"name", name}, {"body", IndentedLines(body, code.indent)}});
  const bool is_left_over = !body.empty() && !absl::StrContains(text, "{body}");
  return is_left_over ? absl::StrCat(written, "\n", body, "\n") : written;
}

struct Head {
  std::string name;
  std::string parameters;
};

// "add(a, b)", "(a, b)" or "a, b".
absl::StatusOr<Head> ReadHead(const GenerateRequest& request) {
  Head head{std::string(absl::StripAsciiWhitespace(request.method_name)), ""};
  absl::string_view signature = absl::StripAsciiWhitespace(request.signature);
  const size_t open = signature.find('(');
  if (open != absl::string_view::npos) {
    const size_t close = MatchingBracket(signature, open);
    if (close != signature.size() - 1) {
      return absl::InvalidArgumentError(
          "signature is a name and parameters in parentheses, or parameters alone");
    }
    const std::string named(absl::StripAsciiWhitespace(signature.substr(0, open)));
    if (!named.empty() && !head.name.empty() && named != head.name) {
      return absl::InvalidArgumentError(
          "methodName and signature name different functions; leave one of them out");
    }
    if (!named.empty()) head.name = named;
    signature = signature.substr(open + 1, close - open - 1);
  }
  head.parameters = std::string(absl::StripAsciiWhitespace(signature));
  if (absl::StrContains(head.parameters, '\n')) {
    return absl::InvalidArgumentError("give the parameters on one line");
  }
  return head;
}

absl::StatusOr<std::string> WriteFunction(const CodeTemplate& code, const GenerateRequest& request,
                                          std::string* what) {
  if (!request.class_name.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("code.generate method does not write into types of ", code.language,
                     "; leave className out for a function, or use file.modify"));
  }
  STILE_ASSIGN_OR_RETURN(const Head head, ReadHead(request));
  if (!IsIdentifier(head.name)) {
    return absl::InvalidArgumentError(absl::StrCat("'", ToUtf8(head.name),
                                                   "' is not a function of ", code.language,
                                                   "; give methodName as one name"));
  }
  const bool takes_parameters =
      absl::StrContains(code.method, "{parameters}") || !code.receive.empty();
  if (!head.parameters.empty() && !takes_parameters) {
    return absl::InvalidArgumentError(absl::StrCat("functions of ", code.language,
                                                   " declare no parameters; leave them out, and ",
                                                   "read the arguments in the body"));
  }
  std::string body = Dedent(request.body);
  if (body.empty()) body = Fill(code.stub, {{"name", head.name}});
  if (!head.parameters.empty() && !code.receive.empty()) {
    body = absl::StrCat(Fill(code.receive, {{"parameters", head.parameters}}), "\n", body);
  }
  *what = absl::StrCat("function ", head.name);
  return Fill(code.method, {{"name", head.name},
                            {"parameters", head.parameters},
                            {"body", IndentedLines(body, code.indent)}});
}

bool HasLine(absl::string_view text, absl::string_view line) {
  const std::vector<absl::string_view> lines = SplitLines(text);
  return std::any_of(lines.begin(), lines.end(), [&](absl::string_view other) {
    return absl::StripTrailingAsciiWhitespace(other) == line;
  });
}

// At the end of a file that is there.
absl::Status Append(const GenerateContext& context, const std::string& path,
                    const std::string& written, EditPlan* plan) {
  STILE_ASSIGN_OR_RETURN(
      const std::string before,
      DiskFileSystem()->ReadFile(JoinPath(context.workspace, path), kMaxFileBytes));
  const absl::string_view first = absl::string_view(written).substr(0, written.find('\n'));
  if (HasLine(before, first)) {
    return absl::AlreadyExistsError(absl::StrCat(ToUtf8(path), " has the line `", ToUtf8(first),
                                                 "` already; change it with file.modify"));
  }
  if (absl::EndsWith(absl::StripTrailingAsciiWhitespace(before), "?>")) {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(path), " ends outside of code, with `?>`; use file.modify"));
  }
  std::string text = absl::StrCat(before.empty() || absl::EndsWith(before, "\n") ? "" : "\n",
                                  before.empty() ? "" : "\n", written);
  if (absl::StrContains(before, "\r\n")) text = absl::StrReplaceAll(text, {{"\n", "\r\n"}});
  const auto end = static_cast<uint32_t>(before.size());
  plan->EditText(path, before, {end, end, std::move(text)});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Generated> PlanFromTemplate(const GenerateContext& context, const CodeTemplate& code,
                                           const GenerateRequest& request) {
  Generated result;
  std::string written;
  if (request.operation == "create_type" && !code.types.empty()) {
    STILE_ASSIGN_OR_RETURN(written, WriteType(code, request, &result.what));
  } else if (request.operation == "method") {
    STILE_ASSIGN_OR_RETURN(written, WriteFunction(code, request, &result.what));
  } else {
    return NotAvailable(request.operation, code.language);
  }
  if (FileExists(JoinPath(context.workspace, request.file))) {
    STILE_RETURN_IF_ERROR(Append(context, request.file, written, &result.plan));
  } else {
    const std::string gap = code.file_head.empty() ? "" : "\n";
    result.plan.Create(request.file, absl::StrCat(code.file_head, gap, written));
  }
  result.notes.push_back(absl::StrCat("it comes from a template: Stile does not parse ",
                                      code.language, ", so run what checks it"));
  return result;
}

}  // namespace stile
