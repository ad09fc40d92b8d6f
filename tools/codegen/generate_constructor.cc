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

std::string ParameterList(const CodeSite& site, const std::vector<Pair>& pairs) {
  std::vector<std::string> list;
  for (const Pair& pair : pairs)
    list.push_back(site.backend().writer->ParameterText(pair.parameter, pair.field.type));
  return absl::StrJoin(list, ", ");
}

// The body that the request gives, by itself or behind the head; "": none.
std::string GivenBody(const LanguageFamily& family, const GenerateRequest& request,
                      const MethodSignature& header) {
  std::string body = CleanBody(family, request.body);
  if (body.empty() && header.body.has_value()) body = CleanBody(family, *header.body);
  return body;
}

// The function that makes a `Stack` is called NewStack; one for a type of the package, newStack.
std::string GoFunctionName(const std::string& type) {
  const bool exported = absl::ascii_isupper(static_cast<unsigned char>(type[0]));
  return absl::StrCat(exported ? "New" : "new", exported ? type : PascalCase(type));
}

absl::Status CheckNewFunction(const CodeSite& site, const std::string& name) {
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.name != name || !symbol.container.empty()) continue;
    return absl::AlreadyExistsError(absl::StrCat(name, " exists already (", site.file->path, ":",
                                                 symbol.line, "); change it with file.modify"));
  }
  return absl::OkStatus();
}

struct GoTypeParameters {
  std::string declared;   // "[T any]"; "": none
  std::string arguments;  // "[T]"
};

GoTypeParameters GoTypeParametersOf(const CodeSite& site, const TypeBody& body) {
  GoTypeParameters result;
  const absl::string_view behind = site.text().substr(body.name_end, body.begin - body.name_end);
  if (!absl::StartsWith(behind, "[")) return result;
  const size_t close = MatchingBracket(behind, 0);
  if (close == absl::string_view::npos) return result;
  std::vector<std::string> names;
  for (const Parameter& parameter : ParseParameters(*site.family, behind.substr(1, close - 1)))
    names.push_back(parameter.name);
  result.declared = std::string(behind.substr(0, close + 1));
  result.arguments = absl::StrCat("[", absl::StrJoin(names, ", "), "]");
  return result;
}

// `return &Stack[T]{items: items}`
std::string GoLiteral(const std::string& type, const std::vector<Pair>& pairs, bool pointer) {
  std::vector<std::string> values;
  for (const Pair& pair : pairs)
    values.push_back(absl::StrCat(pair.field.name, ": ", pair.parameter));
  return absl::StrCat("return ", pointer ? "&" : "", type, "{", absl::StrJoin(values, ", "), "}");
}

absl::StatusOr<Generated> PlanGo(const TypeSite& type, const TypeBody& body,
                                 const GenerateRequest& request) {
  const CodeSite& site = type.site;
  STILE_ASSIGN_OR_RETURN(
      MethodSignature header,
      ParseMethodSignature(*site.family, request.signature, request.method_name));
  const std::vector<Parameter> given = ParseParameters(*site.family, header.parameters);
  const bool has_given = !request.signature.empty() && !given.empty();
  const std::vector<Pair> pairs = PairsOf(*site.family, body, has_given ? &given : nullptr);
  if (header.name.empty()) header.name = request.method_name;
  if (header.name.empty()) header.name = GoFunctionName(type.name());
  STILE_RETURN_IF_ERROR(CheckNewFunction(site, header.name));
  if (!has_given) header.parameters = ParameterList(site, pairs);
  const GoTypeParameters parameters = GoTypeParametersOf(site, body);
  if (!parameters.declared.empty()) header.generics = parameters.declared;
  const std::string made = absl::StrCat(type.name(), parameters.arguments);
  if (header.returns.empty()) header.returns = absl::StrCat("*", made);
  std::string code_body = GivenBody(*site.family, request, header);
  if (code_body.empty()) code_body = GoLiteral(made, pairs, absl::StartsWith(header.returns, "*"));
  STILE_ASSIGN_OR_RETURN(const std::string code,
                         WriteMethod(site, header, code_body, MethodPlace::kFunction));
  const size_t end = DeclarationListEnd(site, type.type().end);
  Generated result;
  result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, end,
                                            Indent(code, "", site.style, site.file->grammar), 1));
  result.what = absl::StrCat("function ", header.name);
  return result;
}

// The head that the request gives, with the name of a constructor and without a result.
absl::StatusOr<MethodSignature> ReadHead(const TypeSite& type, const GenerateRequest& request) {
  const std::string& own_name = type.site.generation().constructor_name;
  const std::string name = own_name.empty() ? type.name() : own_name;
  STILE_ASSIGN_OR_RETURN(MethodSignature header,
                         ParseMethodSignature(*type.site.family, request.signature, name));
  if (!header.name.empty() && header.name != name && header.name != type.name()) {
    return absl::InvalidArgumentError(absl::StrCat("the constructor of ", type.name(),
                                                   " is called ", name, ", not ", header.name));
  }
  header.name = name;
  header.returns = "";
  return header;
}

std::vector<Parameter> GivenParameters(const LanguageFamily& family,
                                       const MethodSignature& header) {
  std::vector<Parameter> given = ParseParameters(family, header.parameters);
  given.erase(
      std::remove_if(given.begin(), given.end(), [](const Parameter& p) { return p.is_self; }),
      given.end());
  return given;
}

// The statements that keep each parameter in its field.
std::string KeepInFields(const TypeSite& type, const std::vector<Pair>& pairs) {
  std::vector<std::string> statements;
  if (HasBase(type)) statements.push_back(type.site.generation().super_call);
  for (const Pair& pair : pairs) {
    statements.push_back(type.site.backend().writer->KeepInField(pair.field.name, pair.parameter));
  }
  return absl::StrJoin(statements, "\n");
}

// An empty body is meant: it does not become a stub.
absl::StatusOr<std::string> WriteConstructor(const CodeSite& site, const MethodSignature& header,
                                             const std::string& body) {
  if (!body.empty()) return WriteMethod(site, header, body, MethodPlace::kConstructor);
  STILE_ASSIGN_OR_RETURN(std::string code,
                         WriteMethod(site, header, ";", MethodPlace::kConstructor));
  const size_t statement = code.rfind("\t;\n");
  if (statement != std::string::npos) code.erase(statement, 3);
  return code;
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
  STILE_ASSIGN_OR_RETURN(MethodSignature header, ReadHead(type, request));
  const std::vector<Parameter> given = GivenParameters(family, header);
  const bool has_given = absl::StrContains(request.signature, "(") || !given.empty();
  const std::vector<Pair> pairs = PairsOf(family, body, has_given ? &given : nullptr);
  STILE_RETURN_IF_ERROR(CheckNew(type, body, has_given ? given.size() : pairs.size()));
  if (!has_given) {
    header.parameters = ParameterList(site, pairs);
    header.only_parameters = true;
  }
  header.returns = site.generation().constructor_result;
  std::string code_body = GivenBody(family, request, header);
  if (code_body.empty()) code_body = KeepInFields(type, pairs);
  if (code_body.empty()) code_body = site.generation().empty_body;
  STILE_ASSIGN_OR_RETURN(const std::string code, WriteConstructor(site, header, code_body));
  Generated result;
  if (HasBase(type)) {
    result.notes.push_back(
        absl::StrCat(type.name(), " has a base type: give its constructor what it needs"));
  }
  result.plan.Edit(*site.file, InsertMember(*site.file, family, body, site.style,
                                            MemberKind::kConstructor, code));
  result.what = absl::StrCat("constructor of ", type.name());
  return result;
}

}  // namespace stile
