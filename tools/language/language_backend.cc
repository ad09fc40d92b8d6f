#include "tools/language/language_backend.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/language/backends.h"
#include "tools/language/brackets.h"

namespace stile {

std::string TypeRules::NumberType(absl::string_view) const { return ""; }

std::string TypeRules::ValueType(TSNode, absl::string_view) const { return ""; }

std::optional<TypeSource> TypeRules::DeclaredBeside(TSNode, absl::string_view) const {
  return std::nullopt;
}

std::string TypeRules::ProbeOf(absl::string_view, absl::string_view) const { return ""; }

std::string TypeRules::TypeInMessage(absl::string_view) const { return ""; }

bool TypeRules::CopiesArgument(const std::string&, TSNode, absl::string_view) const {
  return false;
}

bool TypeRules::MayChangeReceiver(const std::string&, absl::string_view, absl::string_view) const {
  return false;
}

bool TypeRules::IsKnownEverywhere(const std::string&) const { return true; }

FunctionOwner MemberRules::OwnerOf(TSNode member, absl::string_view) const {
  FunctionOwner owner;
  owner.member = member;
  return owner;
}

void MemberRules::CompleteHelper(const FunctionOwner&, bool, std::vector<std::string>*,
                                 MethodSignature*) const {}

std::string MemberRules::CallPrefix(const FunctionOwner&, bool) const { return ""; }

bool MemberRules::IsPublic(const MethodSignature& header) const {
  return !absl::StartsWith(header.name, "_");
}

bool MemberRules::IsPublicHead(absl::string_view head, absl::string_view name) const {
  return !absl::StartsWith(name, "#") && !absl::StrContains(head, "private ") &&
         !absl::StrContains(head, "protected ");
}

void MemberRules::CompleteOverride(bool, MethodSignature* header) const {
  header->attributes.clear();
  header->modifiers.clear();
}

std::string MemberRules::FieldFor(absl::string_view, bool, const std::string&) const { return ""; }

std::optional<BasePlace> MemberRules::PlaceOfBase(TSNode, uint32_t) const { return std::nullopt; }

std::optional<std::string> MemberRules::AccessorOf(const MethodSignature&) const {
  return std::nullopt;
}

std::string MemberRules::PropertyOf(absl::string_view, const std::string&) const { return ""; }

size_t MemberRules::NameToInfer(absl::string_view) const { return absl::string_view::npos; }

std::string MemberRules::InterfaceParameter(const Parameter& parameter, const std::string&) const {
  return parameter.text;
}

std::string MemberRules::InterfaceHead(absl::string_view, const std::string& name,
                                       const std::string& generics) const {
  return absl::StrCat("interface ", name, generics);
}

std::string CodeWriter::DeclareLocal(const std::string&, const std::string&,
                                     absl::string_view) const {
  return "";
}

std::string CodeWriter::DeclareConstant(const std::string&, const std::string&, absl::string_view,
                                        bool) const {
  return "";
}

std::string CodeWriter::DeclareUnset(const std::string& name, const std::string& type) const {
  return absl::StrCat(type, " ", name, ";");
}

std::string CodeWriter::ParameterText(const std::string& name, const std::string& type) const {
  return type.empty() ? name : absl::StrCat(name, ": ", type);
}

std::string CodeWriter::TypeOfResults(const std::vector<TakenResult>& results) const {
  return absl::StrCat(
      "(",
      absl::StrJoin(results, ", ",
                    [](std::string* out, const TakenResult& result) { out->append(result.type); }),
      ")");
}

std::string CodeWriter::ResultList(const std::vector<std::string>& names) const {
  return absl::StrJoin(names, ", ");
}

std::string CodeWriter::KeepInField(const std::string& field, const std::string& parameter) const {
  return absl::StrCat("this.", field, " = ", parameter, ";");
}

std::string CodeWriter::TakeResults(const ResultTaking& taking) const {
  std::vector<std::string> names;
  for (const TakenResult& result : taking.results) names.push_back(result.name);
  return absl::StrCat(absl::StrJoin(names, ", "), " = ", taking.call, ";");
}

std::string TextBetween(absl::string_view message, absl::string_view before,
                        absl::string_view after) {
  const size_t begin = message.find(before);
  if (begin == absl::string_view::npos) return "";
  const size_t from = begin + before.size();
  const size_t end = message.find(after, from);
  return end == absl::string_view::npos ? "" : std::string(message.substr(from, end - from));
}

bool IsFloatLiteral(absl::string_view word) {
  const std::string lower = absl::AsciiStrToLower(word);
  if (absl::StartsWith(lower, "0x")) return absl::StrContains(lower, "p");
  return absl::StrContains(lower, ".") || absl::StrContains(lower, "e");
}

std::string SuffixedNumberType(const SuffixedNumbers& numbers, absl::string_view word) {
  const std::string lower = absl::AsciiStrToLower(word);
  const bool is_hex = absl::StartsWith(lower, "0x");
  const bool has_point = IsFloatLiteral(word);
  const auto ends = [&](absl::string_view suffix) {
    return !is_hex && absl::EndsWith(lower, suffix);
  };
  const bool is_unsigned = !numbers.unsigned_type.empty() && absl::StrContains(lower, "u");
  if (absl::EndsWith(lower, "l") || absl::EndsWith(lower, "lu") || absl::EndsWith(lower, "ul")) {
    if (has_point || (numbers.has_long_long && absl::EndsWith(lower, "ll"))) return "";
    return is_unsigned ? numbers.unsigned_long_type : numbers.long_type;
  }
  if (!numbers.decimal_type.empty() && ends("m")) return numbers.decimal_type;
  if (ends("f")) return "float";
  if (has_point || ends("d")) return "double";
  if (is_unsigned) return numbers.unsigned_type;
  // A number of more digits may be of a wider type, which a declaration would cut.
  return word.size() < 10 ? "int" : "";
}

FunctionOwner OwnerInClass(TSNode member, bool in_type, absl::string_view text) {
  FunctionOwner owner;
  owner.member = member;
  owner.in_type = in_type;
  const TSNode body = FieldOf(member, "body");
  const uint32_t begin = BeginOf(member);
  const absl::string_view head =
      ts_node_is_null(body) ? "" : text.substr(begin, BeginOf(body) - begin);
  owner.is_static = IdentifiersOf(head.substr(0, head.find('('))).count("static") > 0;
  if (!in_type) return owner;
  for (TSNode node = member; !ts_node_is_null(node); node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (!absl::StrContains(type, "class") && !absl::StrContains(type, "struct") &&
        !absl::StrContains(type, "record")) {
      continue;
    }
    const TSNode name = FieldOf(node, "name");
    if (ts_node_is_null(name)) continue;
    owner.type_name = std::string(TextOf(name, text));
    break;
  }
  return owner;
}

FunctionOwner ClassMembers::OwnerOf(TSNode member, absl::string_view text) const {
  return OwnerInClass(member, true, text);
}

void ClassMembers::CompleteHelper(const FunctionOwner& owner, bool, std::vector<std::string>*,
                                  MethodSignature* header) const {
  header->modifiers.emplace_back("private");
  if (owner.is_static) header->modifiers.emplace_back("static");
}

bool ClassMembers::IsPublic(const MethodSignature& header) const {
  return header.HasModifier("public");
}

std::string TypeFirstWriter::ParameterText(const std::string& name, const std::string& type) const {
  if (type.empty()) return name;
  return absl::StrCat(type, absl::EndsWith(type, "*") ? "" : " ", name);
}

const LanguageBackend& LanguageBackendOf(absl::string_view language) {
  static const auto* const kBackends = [] {
    auto* const backends = new std::map<std::string, LanguageBackend, std::less<>>{
        {"c", CBackend()},           {"cpp", CppBackend()},   {"csharp", CSharpBackend()},
        {"go", GoBackend()},         {"java", JavaBackend()}, {"javascript", JavaScriptBackend()},
        {"python", PythonBackend()}, {"rust", RustBackend()}, {"typescript", TypeScriptBackend()}};
    for (auto& [id, backend] : *backends) {
      backend.family = FindLanguageFamily(id);
      if (backend.family == nullptr || !backend.facts.no_result.empty()) continue;
      backend.facts.no_result = backend.family->no_result;
    }
    return backends;
  }();
  static const TypeRules types;
  static const MemberRules members;
  static const CodeWriter writer;
  static const LanguageBackend other{
      nullptr, LanguageFacts(), GenerationFacts(), NamingFacts(), &types, &members, &writer};
  const auto found = kBackends->find(language);
  return found == kBackends->end() ? other : found->second;
}

const LanguageBackend& LanguageBackendOfGrammar(absl::string_view grammar) {
  static const auto* const kOtherNames = new std::map<std::string, std::string, std::less<>>{
      {"c_sharp", "csharp"}, {"tsx", "typescript"}};
  const auto other = kOtherNames->find(grammar);
  return LanguageBackendOf(other == kOtherNames->end() ? grammar : other->second);
}

}  // namespace stile
