#include "tools/codegen/write_method.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/codegen/insert_code.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// Whether the grammar reads the head, with an empty body, where it will stand.
bool IsHead(const CodeSite& site, const std::string& head, MethodPlace place) {
  std::string sample;
  const bool in_type = place != MethodPlace::kFunction;
  switch (site.family->layout) {
    case HeaderLayout::kTypeFirst:
      sample = site.facts().functions_only_in_types || (in_type && site.generation().has_methods)
                   ? absl::StrCat("class Sample { ", head, " { } }", site.family->type_end)
                   : absl::StrCat(head, " { }\n");
      break;
    case HeaderLayout::kNameFirst:
      sample = in_type ? absl::StrCat(absl::StrContains(head, "abstract ") ? "abstract " : "",
                                      "class Sample { ", head,
                                      absl::StrContains(head, "abstract ") ? "; }" : " { } }")
                       : absl::StrCat(head, " { }");
      break;
    case HeaderLayout::kPython:
      sample = absl::StrCat(head, ":\n    pass\n");
      break;
    case HeaderLayout::kGo:
      sample = absl::StrCat("package sample\n", head, " {\n}\n");
      break;
    case HeaderLayout::kRust:
      sample = absl::StrCat("impl Sample { ", head, " { } }");
      break;
  }
  const auto tree = SyntaxTree::Parse(site.file->grammar, sample);
  return !tree.ok() || !tree->has_error();
}

void AddFirstParameter(const std::string& parameter, MethodSignature* header) {
  header->parameters =
      header->parameters.empty() ? parameter : absl::StrCat(parameter, ", ", header->parameters);
}

bool HasAttribute(const MethodSignature& header, absl::string_view name) {
  return std::any_of(
      header.attributes.begin(), header.attributes.end(),
      [&](const std::string& attribute) { return absl::StrContains(attribute, name); });
}

void Remove(absl::string_view word, MethodSignature* header) {
  header->modifiers.erase(std::remove(header->modifiers.begin(), header->modifiers.end(), word),
                          header->modifiers.end());
}

void CompleteTypeFirst(const CodeSite& site, MethodPlace place, MethodSignature* header) {
  const LanguageFamily& family = *site.family;
  const bool has_access = header->HasAnyOf(family.access);
  const bool keeps_package =
      site.generation().package_private && !header->only_parameters && !header->modifiers.empty();
  const bool is_explicit = absl::StrContains(header->name, ".");
  const bool wants_access = place == MethodPlace::kMember || place == MethodPlace::kConstructor;
  const bool is_special = header->HasModifier("partial") || is_explicit;
  if (wants_access && !has_access && !keeps_package && !is_special &&
      !family.default_access.empty()) {
    header->modifiers.insert(header->modifiers.begin(), family.default_access);
  }
  if (place == MethodPlace::kInterface) Remove("public", header);
  const bool is_destructor = absl::StartsWith(header->name, "~");
  if (!header->returns.empty() || place == MethodPlace::kConstructor || is_destructor) return;
  const size_t scope = header->name.rfind("::");
  if (scope != std::string::npos &&
      header->name.substr(0, scope) == header->name.substr(scope + 2)) {
    return;
  }
  header->returns = family.no_result;
  if (header->HasModifier("async")) {
    header->returns = HasLine(site.text(), "using System.Threading.Tasks;")
                          ? "Task"
                          : "System.Threading.Tasks.Task";
  }
}

void CompleteNameFirst(const CodeSite& site, MethodPlace place, MethodSignature* header) {
  if (place == MethodPlace::kFunction) {
    for (const char* word : {"public", "private", "protected", "static"}) Remove(word, header);
    const bool exports = absl::StrContains(site.text(), "\nexport ") ||
                         absl::StartsWith(site.text(), "export ") ||
                         absl::StripAsciiWhitespace(site.text()).empty();
    if (header->only_parameters && exports) {
      header->modifiers.insert(header->modifiers.begin(), "export");
    }
    header->name = absl::StrCat("function ", header->name);
    return;
  }
  for (const char* word : {"export", "default", "declare"}) Remove(word, header);
  if (place == MethodPlace::kInterface) {
    for (const char* word : {"public", "async", "abstract"}) Remove(word, header);
  }
}

void CompletePython(MethodPlace place, MethodSignature* header) {
  if (place == MethodPlace::kFunction || HasAttribute(*header, "staticmethod")) return;
  const absl::string_view first = absl::StripAsciiWhitespace(
      absl::string_view(header->parameters).substr(0, header->parameters.find(',')));
  if (first == "self" || first == "cls" || absl::StartsWith(first, "self:")) return;
  AddFirstParameter(HasAttribute(*header, "classmethod") ? "cls" : "self", header);
}

void CompleteRust(MethodPlace place, MethodSignature* header) {
  if (!header->only_parameters && header->modifiers.empty() && !header->parameters.empty()) return;
  if (place == MethodPlace::kInterface) {
    Remove("pub", header);
  } else if (header->modifiers.empty() && header->only_parameters) {
    header->modifiers.emplace_back("pub");
  }
  const bool has_self = absl::StrContains(header->parameters, "self");
  if (header->only_parameters && place != MethodPlace::kFunction && !has_self &&
      header->name != "new") {
    AddFirstParameter("&self", header);
  }
}

}  // namespace

absl::StatusOr<WantedMethod> ReadMethod(const LanguageFamily& family,
                                        const GenerateRequest& request) {
  WantedMethod wanted;
  STILE_ASSIGN_OR_RETURN(wanted.header,
                         ParseMethodSignature(family, request.signature, request.method_name));
  std::string body = CleanBody(family, request.body);
  // A whole method where only its body was asked for.
  if (!body.empty()) {
    const auto whole = ParseMethodSignature(family, body);
    const std::string& name =
        request.method_name.empty() ? wanted.header.name : request.method_name;
    const bool is_whole = whole.ok() && whole->body.has_value() && IsIdentifier(whole->name) &&
                          (whole->name == name || name.empty()) &&
                          (!whole->modifiers.empty() || !whole->returns.empty() ||
                           absl::StartsWith(body, "def ") || absl::StartsWith(body, "func ") ||
                           absl::StartsWith(body, "fn ") || absl::StartsWith(body, name + "("));
    const bool is_statement =
        whole.ok() &&
        (whole->name == "if" || whole->name == "for" || whole->name == "while" ||
         whole->name == "switch" || whole->returns == "else" || whole->returns == "return");
    if (is_whole && !is_statement) {
      wanted.header = *whole;
      body = CleanBody(family, *whole->body);
    }
  }
  if (body.empty() && wanted.header.body.has_value()) {
    body = wanted.header.body_is_expression ? *wanted.header.body
                                            : CleanBody(family, *wanted.header.body);
  } else {
    wanted.header.body_is_expression = false;
  }
  if (wanted.header.name.empty()) {
    wanted.header.name = request.method_name;
  } else if (!request.method_name.empty() && wanted.header.name != request.method_name) {
    return absl::InvalidArgumentError(absl::StrCat("signature names ", wanted.header.name,
                                                   " and methodName ", request.method_name,
                                                   "; give the same name, or only one of the two"));
  }
  if (wanted.header.name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("give methodName, or signature with a name: ",
                     LanguageBackendOf(family.language).generation.method_example));
  }
  wanted.body = std::move(body);
  return wanted;
}

absl::StatusOr<std::string> WriteMethod(const CodeSite& site, MethodSignature header,
                                        const std::string& body, MethodPlace place) {
  const LanguageFamily& family = *site.family;
  const std::string name = header.name;
  switch (family.layout) {
    case HeaderLayout::kTypeFirst:
      CompleteTypeFirst(site, place, &header);
      break;
    case HeaderLayout::kNameFirst:
      CompleteNameFirst(site, place, &header);
      break;
    case HeaderLayout::kPython:
      CompletePython(place, &header);
      break;
    case HeaderLayout::kGo:
      break;
    case HeaderLayout::kRust:
      CompleteRust(place, &header);
      break;
  }
  std::string head = WriteSignature(family, header);
  if (!IsHead(site, head, place)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "signature gives `", ToUtf8(TruncateMiddle(head, 300)), "`, which is no head of a ",
        place == MethodPlace::kFunction ? "function" : "method", " in ", site.file->language.name,
        "; write it like ", LanguageBackendOf(family.language).generation.method_example));
  }
  const bool is_abstract = header.HasModifier("abstract") || header.HasModifier("extern") ||
                           header.HasModifier("native");
  const bool is_header_file =
      site.generation().headers_hold_prototypes && absl::EndsWith(site.file->path, ".h");
  const bool promises =
      body.empty() && (place == MethodPlace::kInterface || is_abstract || is_header_file);
  if (promises || place == MethodPlace::kPrototype) {
    if (family.layout == HeaderLayout::kPython) return absl::StrCat(head, ":\n\t...");
    if (family.layout == HeaderLayout::kGo)
      return head.substr(absl::StartsWith(head, "func ") ? 5 : 0);
    return absl::StrCat(head, ";");
  }
  if (header.body_is_expression && !body.empty()) {
    const std::string one = absl::StrCat(head, " => ", body, ";");
    return one;
  }
  const std::string statements = body.empty() ? StubBody(site, name) : body;
  return Block(head, statements, site.style, site.file->grammar);
}

}  // namespace stile
