#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/write_method.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

// Words that are types or statements in at least one of the languages.
bool IsReserved(const std::string& name) {
  static const auto* const words = new std::set<std::string>{
      "abstract",  "base",      "bool",     "break",   "byte",     "case",     "catch",   "chan",
      "char",      "class",     "const",    "default", "def",      "delegate", "double",  "else",
      "enum",      "event",     "false",    "final",   "finally",  "fixed",    "float",   "for",
      "from",      "func",      "function", "go",      "goto",     "if",       "import",  "in",
      "int",       "interface", "internal", "is",      "lambda",   "lock",     "long",    "map",
      "namespace", "new",       "null",     "object",  "operator", "out",      "package", "params",
      "private",   "protected", "public",   "range",   "readonly", "ref",      "return",  "select",
      "short",     "static",    "string",   "struct",  "super",    "switch",   "this",    "throw",
      "true",      "try",       "type",     "typeof",  "uint",     "using",    "var",     "void",
      "while",     "with",      "yield"};
  return words->count(name) > 0;
}

std::string ParameterName(const LanguageFamily& family, const std::string& field) {
  absl::string_view bare = field;
  while (absl::ConsumePrefix(&bare, "_") || absl::ConsumePrefix(&bare, "#")) {
  }
  if (family.layout == HeaderLayout::kTypeFirst) absl::ConsumePrefix(&bare, "m_");
  if (bare.empty()) bare = field;
  if (family.layout == HeaderLayout::kPython) return std::string(bare);
  const std::string name = CamelCase(bare);
  return IsReserved(name) ? absl::StrCat(name, "Value") : name;
}

struct Pair {
  TypeField field;
  std::string parameter;
};

// What the object needs from outside; or, where parameters were given, the fields they are for.
std::vector<Pair> PairsOf(const LanguageFamily& family, const TypeBody& body,
                          const std::vector<Parameter>* given) {
  std::vector<Pair> pairs;
  for (const TypeField& field : body.fields) {
    const std::string name = ParameterName(family, field.name);
    if (given == nullptr) {
      if (field.is_static || field.has_value || field.is_optional) continue;
      pairs.push_back({field, name});
      continue;
    }
    for (const Parameter& parameter : *given) {
      const bool same = !field.is_static && SnakeCase(parameter.name) == SnakeCase(name);
      if (same) pairs.push_back({field, parameter.name});
    }
  }
  return pairs;
}

absl::Status CheckCanHaveOne(const TypeSite& type, const TypeBody& body) {
  const CodeSite& site = type.site;
  if (body.is_interface || type.type().kind == SymbolKind::kInterface) {
    return absl::InvalidArgumentError(
        absl::StrCat(type.name(), " is an interface: it has no constructor"));
  }
  const absl::string_view head =
      site.text().substr(type.type().begin, type.type().signature_end - type.type().begin);
  if (absl::StrContains(head, "@dataclass") || absl::StrContains(head, "@dataclasses.") ||
      absl::StrContains(head, "@attr") || absl::StrContains(head, "@define") ||
      absl::StrContains(head, "NamedTuple")) {
    return absl::FailedPreconditionError(absl::StrCat(
        type.name(), " gets its __init__ from its decorator: add fields with property"));
  }
  const absl::string_view behind = absl::StripLeadingAsciiWhitespace(site.text().substr(
      body.name_end, body.begin > body.name_end ? body.begin - body.name_end : 0));
  const bool has_primary = absl::StartsWith(behind, "(") && site.generation().primary_constructors;
  const bool is_record =
      site.generation().records_have_constructor && absl::StrContains(head, "record ");
  if (has_primary || is_record) {
    return absl::FailedPreconditionError(
        absl::StrCat(type.name(),
                     " has its constructor in its first line: change its parameters "
                     "with file.modify"));
  }
  return absl::OkStatus();
}

absl::Status CheckNew(const TypeSite& type, const TypeBody& body, size_t parameters) {
  const CodeSite& site = type.site;
  const bool overloads = site.generation().has_overloads;
  for (const TypeMember& member : body.members) {
    if (member.kind != MemberKind::kConstructor) continue;
    if (overloads) {
      const auto head = ParseMethodSignature(
          *site.family, site.text().substr(member.begin, member.end - member.begin));
      if (head.ok() && head->HasModifier("static")) continue;
      if (head.ok() && ParseParameters(*site.family, head->parameters).size() != parameters)
        continue;
    }
    return absl::AlreadyExistsError(
        absl::StrCat(type.name(), " has ", overloads ? "such a constructor" : "a constructor",
                     " already (", site.file->path, ":", site.file->PlaceOf(member.begin).line,
                     "); change it with file.modify"));
  }
  return absl::OkStatus();
}

bool HasBase(const TypeSite& type) {
  const absl::string_view head = type.site.text().substr(
      type.type().name_end, type.type().signature_end - type.type().name_end);
  if (type.site.family->layout == HeaderLayout::kNameFirst)
    return absl::StrContains(head, "extends ");
  if (type.site.family->layout != HeaderLayout::kPython) return false;
  for (const std::string& base : type.type().bases) {
    if (base != "object" && base != "ABC" && base != "Protocol" && base != "Generic") return true;
  }
  return false;
}

absl::StatusOr<Generated> PlanGo(const TypeSite& type, const TypeBody& body,
                                 const GenerateRequest& request) {
  const CodeSite& site = type.site;
  STILE_ASSIGN_OR_RETURN(
      MethodSignature header,
      ParseMethodSignature(*site.family, request.signature, request.method_name));
  std::vector<Parameter> given = ParseParameters(*site.family, header.parameters);
  const bool has_given = !request.signature.empty() && !given.empty();
  const std::vector<Pair> pairs = PairsOf(*site.family, body, has_given ? &given : nullptr);
  const std::string name = type.name();
  if (header.name.empty()) header.name = request.method_name;
  if (header.name.empty()) {
    const bool exported = absl::ascii_isupper(static_cast<unsigned char>(name[0]));
    header.name = absl::StrCat(exported ? "New" : "new", exported ? name : PascalCase(name));
  }
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.name != header.name || !symbol.container.empty()) continue;
    return absl::AlreadyExistsError(absl::StrCat(header.name, " exists already (", site.file->path,
                                                 ":", symbol.line,
                                                 "); change it with file.modify"));
  }
  if (!has_given) {
    std::vector<std::string> list;
    for (const Pair& pair : pairs)
      list.push_back(site.backend().writer->ParameterText(pair.parameter, pair.field.type));
    header.parameters = absl::StrJoin(list, ", ");
  }
  // `type Stack[T any]`: its arguments in both places.
  const absl::string_view behind = site.text().substr(body.name_end, body.begin - body.name_end);
  std::string arguments;
  if (absl::StartsWith(behind, "[")) {
    const size_t close = MatchingBracket(behind, 0);
    if (close != absl::string_view::npos) {
      header.generics = std::string(behind.substr(0, close + 1));
      for (const Parameter& parameter :
           ParseParameters(*site.family, behind.substr(1, close - 1))) {
        absl::StrAppend(&arguments, arguments.empty() ? "" : ", ", parameter.name);
      }
      arguments = absl::StrCat("[", arguments, "]");
    }
  }
  if (header.returns.empty()) header.returns = absl::StrCat("*", name, arguments);
  std::vector<std::string> values;
  for (const Pair& pair : pairs)
    values.push_back(absl::StrCat(pair.field.name, ": ", pair.parameter));
  const bool pointer = absl::StartsWith(header.returns, "*");
  std::string code_body = CleanBody(*site.family, request.body);
  if (code_body.empty() && header.body.has_value())
    code_body = CleanBody(*site.family, *header.body);
  if (code_body.empty()) {
    code_body = absl::StrCat("return ", pointer ? "&" : "", name, arguments, "{",
                             absl::StrJoin(values, ", "), "}");
  }
  STILE_ASSIGN_OR_RETURN(const std::string code,
                         WriteMethod(site, header, code_body, MethodPlace::kFunction));
  size_t end = type.type().end;
  // `type ( A struct{…} … )`: behind the whole list.
  for (const TSNode node : NamedChildren(site.tree.root())) {
    if (BeginOf(node) <= end && EndOf(node) > end) end = EndOf(node);
  }
  Generated result;
  result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, end,
                                            Indent(code, "", site.style, site.file->grammar), 1));
  result.what = absl::StrCat("function ", header.name);
  return result;
}

}  // namespace

absl::StatusOr<Generated> PlanConstructor(const GenerateContext& context,
                                          const GenerateRequest& request) {
  STILE_ASSIGN_OR_RETURN(const TypeSite type, FindTypeSite(context, request));
  const CodeSite& site = type.site;
  const LanguageFamily& family = *site.family;
  STILE_ASSIGN_OR_RETURN(const TypeBody body, type.Body());
  STILE_RETURN_IF_ERROR(CheckCanHaveOne(type, body));
  if (site.generation().constructors_are_functions) return PlanGo(type, body, request);
  const std::string& own_name = site.generation().constructor_name;
  const std::string wanted_name = own_name.empty() ? type.name() : own_name;
  STILE_ASSIGN_OR_RETURN(MethodSignature header,
                         ParseMethodSignature(family, request.signature, wanted_name));
  if (!header.name.empty() && header.name != wanted_name && header.name != type.name()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the constructor of ", type.name(), " is called ", wanted_name, ", not ", header.name));
  }
  const bool only_named = header.parameters.empty() && !header.returns.empty();
  if (only_named) {  // `Point` alone, or a list of one type: nothing that can be a parameter
    header.returns.clear();
  }
  header.name = wanted_name;
  header.returns = "";
  std::vector<Parameter> given = ParseParameters(family, header.parameters);
  given.erase(
      std::remove_if(given.begin(), given.end(), [](const Parameter& p) { return p.is_self; }),
      given.end());
  const bool has_given = absl::StrContains(request.signature, "(") || !given.empty();
  const std::vector<Pair> pairs = PairsOf(family, body, has_given ? &given : nullptr);
  if (!has_given) {
    std::vector<std::string> list;
    for (const Pair& pair : pairs)
      list.push_back(site.backend().writer->ParameterText(pair.parameter, pair.field.type));
    header.parameters = absl::StrJoin(list, ", ");
    header.only_parameters = true;
  }
  STILE_RETURN_IF_ERROR(CheckNew(type, body, has_given ? given.size() : pairs.size()));
  std::vector<std::string> statements;
  Generated result;
  if (HasBase(type)) {
    statements.push_back(site.generation().super_call);
    result.notes.push_back(
        absl::StrCat(type.name(), " has a base type: give its constructor what it needs"));
  }
  for (const Pair& pair : pairs)
    statements.push_back(site.backend().writer->KeepInField(pair.field.name, pair.parameter));
  std::string code_body = CleanBody(family, request.body);
  if (code_body.empty() && header.body.has_value()) code_body = CleanBody(family, *header.body);
  if (code_body.empty()) code_body = absl::StrJoin(statements, "\n");
  if (header.returns.empty()) header.returns = site.generation().constructor_result;
  if (code_body.empty()) code_body = site.generation().empty_body;
  // An empty body is meant: it must not become a stub.
  const bool is_empty = code_body.empty();
  STILE_ASSIGN_OR_RETURN(std::string code, WriteMethod(site, header, is_empty ? ";" : code_body,
                                                       MethodPlace::kConstructor));
  const size_t statement = is_empty ? code.rfind("\t;\n") : std::string::npos;
  if (statement != std::string::npos) code.erase(statement, 3);
  result.plan.Edit(*site.file, InsertMember(*site.file, family, body, site.style,
                                            MemberKind::kConstructor, code));
  result.what = absl::StrCat("constructor of ", type.name());
  return result;
}

}  // namespace stile
