#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/insert_code.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

struct WantedProperty {
  std::vector<std::string> modifiers;
  std::string attributes;
  std::string name;
  std::string type;
  std::string value;
  std::string accessors;  // C#: with its braces, or "=> x"
  std::string body;
  std::string tag;  // Go
  bool optional = false;
};

// "=" that assigns.
size_t FindAssignment(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && (text[i + 1] == '>' || text[i + 1] == '=')) {
      ++i;
      continue;
    }
    return i;
  }
  return absl::string_view::npos;
}

absl::string_view TakeModifiers(absl::string_view text, const LanguageFamily& family,
                                std::vector<std::string>* modifiers) {
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    const size_t space = text.find(' ');
    const absl::string_view word = text.substr(0, space);
    const bool is_keyword =
        std::find(family.keywords.begin(), family.keywords.end(), word) != family.keywords.end();
    if (space == absl::string_view::npos || (!family.IsModifier(word) && !is_keyword)) return text;
    if (!is_keyword) modifiers->push_back(std::string(word));
    text.remove_prefix(space);
  }
}

// Name and type in the order of the language, or with a colon between in any.
void TakeNameAndType(absl::string_view text, const LanguageFamily& family, absl::string_view wanted,
                     WantedProperty* property) {
  text = absl::StripAsciiWhitespace(text);
  const size_t colon = text.find(':');
  const bool has_colon =
      colon != absl::string_view::npos && !absl::StartsWith(text.substr(colon), "::");
  if (has_colon) {
    absl::string_view name = absl::StripAsciiWhitespace(text.substr(0, colon));
    if (absl::ConsumeSuffix(&name, "?")) property->optional = true;
    property->name = std::string(name);
    property->type = std::string(absl::StripAsciiWhitespace(text.substr(colon + 1)));
    return;
  }
  if (family.layout == HeaderLayout::kGo) {
    const size_t space = text.find(' ');
    if (space == absl::string_view::npos) {
      (text == wanted || wanted.empty() ? property->name : property->type) = std::string(text);
      return;
    }
    const absl::string_view first = text.substr(0, space);
    if (!IsIdentifier(first) || first == "map" || first == "func" || first == "chan") {
      property->type = std::string(text);
      return;
    }
    property->name = std::string(first);
    property->type = std::string(absl::StripAsciiWhitespace(text.substr(space)));
    return;
  }
  if (family.layout == HeaderLayout::kTypeFirst) {
    size_t begin = text.size();
    while (begin > 0 && (absl::ascii_isalnum(static_cast<unsigned char>(text[begin - 1])) ||
                         text[begin - 1] == '_')) {
      --begin;
    }
    const absl::string_view type = absl::StripAsciiWhitespace(text.substr(0, begin));
    const absl::string_view name = text.substr(begin);
    // `List<int>` ends in no name; a lone word is the type where the name is known.
    const bool is_name = !name.empty() && begin > 0 && text[begin - 1] == ' ' && !type.empty();
    if (is_name) {
      property->name = std::string(name);
      property->type = std::string(type);
    } else if (text == wanted || (wanted.empty() && IsIdentifier(text))) {
      property->name = std::string(text);
    } else {
      property->type = std::string(text);
    }
    return;
  }
  absl::ConsumeSuffix(&text, "?");
  if (wanted.empty() || text == wanted) {
    property->name = std::string(text);
  } else {
    property->type = std::string(text);
  }
}

// `get total(): number { … }`, `def total(self) -> int`
bool IsGetter(const LanguageFamily& family, const MethodSignature& head, absl::string_view text) {
  const size_t open = text.find('(');
  return !head.name.empty() && !head.only_parameters && family.layout != HeaderLayout::kTypeFirst &&
         open != absl::string_view::npos && open < text.find('=') && open < text.find(':');
}

void TakeGetter(const LanguageFamily& family, const MethodSignature& head,
                WantedProperty* property) {
  property->name = head.name;
  property->type = head.returns;
  if (property->body.empty() && head.body.has_value())
    property->body = CleanBody(family, *head.body);
  if (property->body.empty())
    property->body = Fill(family.stub, {{"name", head.name}, {"quote", "'"}});
}

absl::string_view TakeAttributes(absl::string_view text, const MethodSignature& head,
                                 WantedProperty* property) {
  for (const std::string& attribute : head.attributes) {
    if (attribute != "@property") absl::StrAppend(&property->attributes, attribute, "\n");
    const size_t at = text.find(attribute);
    text = absl::StripLeadingAsciiWhitespace(text.substr(at + attribute.size()));
  }
  return text;
}

// `{ get; set; } = 1` and `=> x` of C#. Returns what stands before them.
absl::StatusOr<absl::string_view> TakeAccessors(absl::string_view text, WantedProperty* property) {
  const size_t arrow = text.find("=>");
  const size_t brace = text.find('{');
  if (brace < arrow) {
    const size_t close = MatchingBracket(text, brace);
    if (close == absl::string_view::npos)
      return absl::InvalidArgumentError("the braces of the signature do not close");
    property->accessors = std::string(text.substr(brace, close - brace + 1));
    absl::string_view rest = absl::StripAsciiWhitespace(text.substr(close + 1));
    if (absl::ConsumePrefix(&rest, "="))
      property->value = std::string(absl::StripAsciiWhitespace(rest));
    return text.substr(0, brace);
  }
  if (arrow != absl::string_view::npos) property->accessors = std::string(text.substr(arrow));
  return text.substr(0, arrow);
}

// `json:"total"` of Go, in its backquotes.
absl::string_view TakeTag(absl::string_view text, WantedProperty* property) {
  const size_t tag = text.find('`');
  if (tag != absl::string_view::npos) property->tag = std::string(text.substr(tag));
  return text.substr(0, tag);
}

absl::string_view TakeValue(absl::string_view text, WantedProperty* property) {
  const size_t assignment = FindAssignment(text);
  if (assignment != absl::string_view::npos)
    property->value = std::string(absl::StripAsciiWhitespace(text.substr(assignment + 1)));
  return text.substr(0, assignment);
}

absl::Status CheckNameAndType(const LanguageFamily& family, const WantedProperty& property,
                              const std::string& method_name) {
  const std::string& example = LanguageBackendOf(family.language).generation.property_example;
  if (!IsIdentifier(property.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("give the property's name in methodName, or a signature such as ",
                     Fill(example, {{"name", "count"}})));
  }
  if (!method_name.empty() && property.name != method_name) {
    return absl::InvalidArgumentError(
        absl::StrCat("signature names ", property.name, " and methodName ", method_name));
  }
  const bool needs_type =
      family.layout == HeaderLayout::kTypeFirst || family.layout == HeaderLayout::kGo;
  if (needs_type && property.type.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "give the type of ", property.name,
        " in signature, such as int, or all of it: ", Fill(example, {{"name", property.name}})));
  }
  return absl::OkStatus();
}

absl::StatusOr<WantedProperty> ReadProperty(const LanguageFamily& family,
                                            const GenerateRequest& request) {
  WantedProperty property;
  property.body = CleanBody(family, request.body);
  absl::string_view text = absl::StripAsciiWhitespace(request.signature);
  // Attributes are taken as the head of a method has them.
  STILE_ASSIGN_OR_RETURN(const MethodSignature head, ParseMethodSignature(family, text));
  const bool is_getter = IsGetter(family, head, text);
  text = TakeAttributes(text, head, &property);
  if (is_getter) {
    TakeGetter(family, head, &property);
    return property;
  }
  text = TakeModifiers(text, family, &property.modifiers);
  property.modifiers.erase(
      std::remove_if(property.modifiers.begin(), property.modifiers.end(),
                     [](const std::string& word) { return word == "get" || word == "set"; }),
      property.modifiers.end());
  absl::ConsumeSuffix(&text, ";");
  text = absl::StripAsciiWhitespace(text);
  if (LanguageBackendOf(family.language).generation.properties_have_accessors) {
    STILE_ASSIGN_OR_RETURN(text, TakeAccessors(text, &property));
  }
  if (family.layout == HeaderLayout::kGo) text = TakeTag(text, &property);
  text = TakeValue(text, &property);
  TakeNameAndType(text, family, request.method_name, &property);
  if (property.name.empty()) property.name = request.method_name;
  STILE_RETURN_IF_ERROR(CheckNameAndType(family, property, request.method_name));
  return property;
}

std::string Words(const std::vector<std::string>& words) {
  return words.empty() ? "" : absl::StrCat(absl::StrJoin(words, " "), " ");
}

// "total" → "return total;"; statements stay.
std::string AsStatements(const LanguageFamily& family, const std::string& body) {
  const bool is_expression = !absl::StrContains(body, "return") && !absl::StrContains(body, "\n") &&
                             !absl::StrContains(body, ";") && !absl::StartsWith(body, "raise ") &&
                             !absl::StartsWith(body, "throw ");
  if (!is_expression) return body;
  return absl::StrCat("return ", body, family.blocks == BlockStyle::kColon ? "" : ";");
}

std::string CSharpProperty(const CodeSite& site, const TypeBody& body, WantedProperty property) {
  const LanguageFamily& family = *site.family;
  const bool has_access = std::any_of(
      property.modifiers.begin(), property.modifiers.end(), [&](const std::string& word) {
        return std::find(family.access.begin(), family.access.end(), word) != family.access.end();
      });
  if (!has_access && !body.is_interface) {
    property.modifiers.insert(property.modifiers.begin(), "public");
  }
  const std::string head = absl::StrCat(property.attributes, Words(property.modifiers),
                                        property.type, " ", property.name);
  if (!property.body.empty()) {
    const std::string& text = property.body;
    if (absl::StartsWith(text, "=>")) {
      return absl::StrCat(head, " ", text, absl::EndsWith(text, ";") ? "" : ";");
    }
    for (const absl::string_view word : {"get", "set", "init", "private", "internal"}) {
      if (absl::StartsWith(text, word)) return Block(head, text, site.style, site.file->grammar);
    }
    if (!absl::StrContains(text, ";") && !absl::StrContains(text, "\n")) {
      return absl::StrCat(head, " => ", text, ";");
    }
    return Block(head, Block("get", text, site.style, site.file->grammar), site.style,
                 site.file->grammar);
  }
  if (absl::StartsWith(property.accessors, "=>"))
    return absl::StrCat(head, " ", property.accessors, ";");
  const std::string accessors = property.accessors.empty() ? "{ get; set; }" : property.accessors;
  return absl::StrCat(head, " ", accessors,
                      property.value.empty() ? "" : absl::StrCat(" = ", property.value, ";"));
}

std::string NameFirstProperty(const CodeSite& site, const TypeBody& body,
                              const WantedProperty& property, std::vector<std::string>* notes) {
  const LanguageFamily& family = *site.family;
  const bool typed = !property.type.empty() && site.facts().has_annotations;
  const std::string type = typed ? absl::StrCat(": ", property.type) : "";
  if (!property.body.empty() && !body.is_interface) {
    std::vector<std::string> modifiers = property.modifiers;
    modifiers.erase(std::remove(modifiers.begin(), modifiers.end(), "readonly"), modifiers.end());
    return Block(
        absl::StrCat(property.attributes, Words(modifiers), "get ", property.name, "()", type),
        AsStatements(family, property.body), site.style, site.file->grammar);
  }
  std::string mark = property.optional ? "?" : "";
  if (body.is_interface) {
    return absl::StrCat(Words(property.modifiers), property.name, mark, type, ";");
  }
  if (property.value.empty() && mark.empty() && !type.empty()) {
    mark = "!";
    notes->push_back(absl::StrCat(property.name,
                                  " has no value yet (`!` keeps it compiling): assign it in the "
                                  "constructor, or give the value in signature"));
  }
  return absl::StrCat(property.attributes, Words(property.modifiers), property.name, mark, type,
                      property.value.empty() ? "" : absl::StrCat(" = ", property.value), ";");
}

std::string PythonProperty(const CodeSite& site, const WantedProperty& property) {
  if (!property.body.empty()) {
    return Block(absl::StrCat("@property\n", property.attributes, "def ", property.name, "(self)",
                              property.type.empty() ? "" : " -> ", property.type),
                 AsStatements(*site.family, property.body), site.style, site.file->grammar);
  }
  const std::string value =
      property.value.empty() && property.type.empty() ? "None" : property.value;
  return absl::StrCat(property.name, property.type.empty() ? "" : ": ", property.type,
                      value.empty() ? "" : " = ", value);
}

// The names of a struct stand in one column, their types in the next.
std::string GoField(const CodeSite& site, const TypeBody& body, const WantedProperty& property) {
  size_t width = 0;
  for (const TypeMember& member : body.members) {
    if (member.kind != MemberKind::kField || member.name.empty()) continue;
    const absl::string_view line = site.text().substr(member.begin, member.end - member.begin);
    const size_t type = line.find_first_not_of(' ', std::min(line.find(' '), line.size()));
    width = type == absl::string_view::npos ? 0 : type;
  }
  std::string text = property.name;
  do text.push_back(' ');
  while (text.size() < width);
  return absl::StrCat(text, property.type, property.tag.empty() ? "" : " ", property.tag);
}

absl::Status CheckNew(const CodeSite& site, const TypeBody& body, const std::string& name,
                      const std::string& owner) {
  for (const TypeMember& member : body.members) {
    if (member.name != name) continue;
    return absl::AlreadyExistsError(
        absl::StrCat(owner, ".", name, " exists already (", site.file->path, ":",
                     site.file->PlaceOf(member.begin).line, "); change it with file.modify"));
  }
  return absl::OkStatus();
}

void PlanJava(const TypeSite& type, const TypeBody& body, const WantedProperty& property,
              EditPlan* plan) {
  const CodeSite& site = type.site;
  const bool is_boolean = property.type == "boolean";
  const std::string suffix = PascalCase(property.name);
  const std::string get = absl::StrCat(is_boolean ? "is" : "get", suffix, "()");
  std::vector<std::string> modifiers = property.modifiers;
  const auto has = [&](const char* word) {
    return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
  };
  const bool is_static = has("static");
  const std::string access = absl::StrCat("public ", is_static ? "static " : "");
  if (body.is_interface) {
    plan->Edit(*site.file,
               InsertMember(*site.file, *site.family, body, site.style, MemberKind::kMethod,
                            absl::StrCat(property.type, " ", get, ";"), true));
    return;
  }
  const bool is_final = has("final");
  if (!has("private") && !has("protected") && !has("public"))
    modifiers.insert(modifiers.begin(), "private");
  const std::string field =
      absl::StrCat(property.attributes, Words(modifiers), property.type, " ", property.name,
                   property.value.empty() ? "" : " = ", property.value, ";");
  const std::string getter_body = property.body.empty()
                                      ? absl::StrCat("return ", property.name, ";")
                                      : AsStatements(*site.family, property.body);
  std::string accessors = Block(absl::StrCat(access, property.type, " ", get), getter_body,
                                site.style, site.file->grammar);
  const bool is_record = absl::StrContains(
      site.text().substr(body.declaration_begin, body.name_end - body.declaration_begin),
      "record ");
  if (!is_final && property.body.empty()) {
    absl::StrAppend(
        &accessors, "\n\n",
        Block(absl::StrCat(access, "void set", suffix, "(", property.type, " ", property.name, ")"),
              absl::StrCat(is_static ? type.name() : "this", ".", property.name, " = ",
                           property.name, ";"),
              site.style, site.file->grammar));
  }
  const bool no_field = is_record || !property.body.empty();
  if (no_field) {
    plan->Edit(*site.file, InsertMember(*site.file, *site.family, body, site.style,
                                        MemberKind::kMethod, accessors));
    return;
  }
  const TextEdit first =
      InsertMember(*site.file, *site.family, body, site.style, MemberKind::kField, field);
  const TextEdit second =
      InsertMember(*site.file, *site.family, body, site.style, MemberKind::kMethod, accessors);
  // In a type without methods both would go to one place: one piece keeps their order and gap.
  if (first.begin == second.begin || first.end > second.begin) {
    plan->Edit(*site.file,
               InsertMember(*site.file, *site.family, body, site.style, MemberKind::kField,
                            absl::StrCat(field, "\n\n", accessors)));
    return;
  }
  plan->Edit(*site.file, first);
  plan->Edit(*site.file, second);
}

}  // namespace

absl::StatusOr<Generated> PlanProperty(const GenerateContext& context,
                                       const GenerateRequest& request) {
  STILE_ASSIGN_OR_RETURN(const TypeSite type, FindTypeSite(context, request));
  const CodeSite& site = type.site;
  STILE_ASSIGN_OR_RETURN(const TypeBody body, type.Body());
  STILE_ASSIGN_OR_RETURN(WantedProperty property, ReadProperty(*site.family, request));
  STILE_RETURN_IF_ERROR(CheckNew(site, body, property.name, type.name()));
  Generated result;
  result.what = absl::StrCat("property ", type.name(), ".", property.name);
  const GenerationFacts& facts = site.generation();
  std::string code;
  MemberKind kind = MemberKind::kField;
  if (facts.properties_are_methods) {
    PlanJava(type, body, property, &result.plan);
    return result;
  }
  if (facts.properties_have_accessors) {
    kind = MemberKind::kProperty;
    code = CSharpProperty(site, body, std::move(property));
  } else if (facts.fields_in_columns) {
    if (body.is_interface) {
      return absl::InvalidArgumentError("an interface of Go has no fields: use operation method");
    }
    code = GoField(site, body, property);
  } else if (facts.properties_by_decorator) {
    if (!property.body.empty()) kind = MemberKind::kMethod;
    code = PythonProperty(site, property);
  } else {
    if (!property.body.empty() && !body.is_interface) kind = MemberKind::kMethod;
    code = NameFirstProperty(site, body, property, &result.notes);
  }
  result.plan.Edit(*site.file, InsertMember(*site.file, *site.family, body, site.style, kind, code,
                                            kind != MemberKind::kMethod));
  return result;
}

}  // namespace stile
