#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/import_fixups.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/type_bases.h"
#include "tools/codegen/write_method.h"
#include "tools/language/brackets.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

constexpr size_t kMaxInterfaces = 50;  // circular ones end somewhere

// "IStore<Order>" → its name and what stands in brackets.
struct WantedInterface {
  std::string written;
  std::string name;
  std::vector<std::string> arguments;
};

WantedInterface ReadInterface(absl::string_view text) {
  WantedInterface wanted;
  text = absl::StripAsciiWhitespace(text);
  for (const absl::string_view word : {":", "implements ", "extends ", "interface ", "class "}) {
    absl::ConsumePrefix(&text, word);
    text = absl::StripAsciiWhitespace(text);
  }
  wanted.written = std::string(text);
  const size_t open = text.find_first_of("<[");
  wanted.name = std::string(absl::StripAsciiWhitespace(text.substr(0, open)));
  if (open != absl::string_view::npos && text.size() > open + 2) {
    wanted.arguments = SplitAtCommas(text.substr(open + 1, text.size() - open - 2));
  }
  return wanted;
}

// What a type has already: names, and where there are overloads the types of parameters.
std::string KeyOf(const CodeSite& site, const std::string& name, absl::string_view parameters) {
  std::string key = name;
  if (!site.generation().has_overloads) return key;
  for (const Parameter& parameter : ParseParameters(*site.family, parameters)) {
    absl::StrAppend(&key, "/", absl::StrReplaceAll(parameter.type, {{" ", ""}}));
  }
  return key;
}

std::string ParametersOf(const CodeSite& site, const TypeMember& member) {
  const auto header = ParseMethodSignature(
      *site.family, site.text().substr(member.begin, member.end - member.begin));
  return header.ok() ? header->parameters : "";
}

void CollectHad(const GenerateContext& context, const TypeSite& type, int depth,
                std::set<std::string>* had) {
  const CodeSite& site = type.site;
  const auto body = type.Body();
  if (body.ok() && !body->is_interface) {
    for (const TypeMember& member : body->members) {
      if (member.is_abstract) continue;
      const bool is_method = member.kind == MemberKind::kMethod;
      had->insert(is_method ? KeyOf(site, member.name, ParametersOf(site, member)) : member.name);
    }
    for (const TypeField& field : body->fields) had->insert(field.name);
  }
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.parent != type.symbol) continue;
    const absl::string_view head = site.text().substr(symbol.begin, symbol.name_end - symbol.begin);
    const bool is_event = symbol.kind == SymbolKind::kProperty && HoldsWord(head, "event") &&
                          !HoldsWord(head, "abstract");
    if (symbol.kind == SymbolKind::kField || is_event) had->insert(symbol.name);
  }
  if (site.generation().methods_outside_types) {
    for (const auto& file : context.index->FilesWith(type.name())) {
      if (DirName(file->path) != DirName(site.file->path)) continue;
      for (const Symbol& symbol : file->symbols) {
        if (symbol.container == type.name()) had->insert(symbol.name);
      }
    }
  }
  if (depth > 10) return;
  for (const std::string& base : type.type().bases) {
    const auto above = FindTypeNamed(context, base, site.file->path);
    if (above.ok() && above->type().kind == SymbolKind::kClass) {
      CollectHad(context, *above, depth + 1, had);
    }
  }
}

class Implementer {
 public:
  Implementer(const GenerateContext& context, const TypeSite& type, Generated* result)
      : context_(context), type_(type), result_(result) {
    CollectHad(context, type, 0, &had_);
  }

  absl::Status Add(const WantedInterface& wanted) {
    if (++interfaces_ > kMaxInterfaces) return absl::OkStatus();
    STILE_ASSIGN_OR_RETURN(const TypeSite from,
                           FindTypeNamed(context_, wanted.name, type_.site.file->path));
    STILE_ASSIGN_OR_RETURN(const TypeBody body, from.Body());
    std::map<std::string, std::string> arguments;
    ReadTypeParameters(from, body, wanted, &arguments);
    std::set<std::string> names = {from.name()};
    for (const TypeMember& member : body.members) {
      STILE_ASSIGN_OR_RETURN(const std::string code, Write(from, body, member, arguments, &names));
      if (!code.empty()) (member.kind == MemberKind::kMethod ? pieces_ : fields_).push_back(code);
    }
    for (const auto& [parameter, argument] : arguments) names.erase(parameter);
    BorrowNames(context_, from.site, type_.site, names, &imports_);
    for (const std::string& base : from.type().bases) {
      const auto above = FindTypeNamed(context_, base, from.site.file->path);
      if (above.ok()) {
        STILE_RETURN_IF_ERROR(Add({base, base, {}}));
      } else if (base != "Protocol" && base != "ABC" && base != "Generic" && base != "object") {
        result_->notes.push_back(absl::StrCat(base,
                                              " is not declared in the project: what it asks for "
                                              "is not written"));
      }
    }
    return absl::OkStatus();
  }

  const std::vector<std::string>& pieces() const { return pieces_; }
  const std::vector<std::string>& fields() const { return fields_; }
  const std::set<std::string>& imports() const { return imports_; }
  size_t count() const { return pieces_.size() + fields_.size(); }

 private:
  static void ReadTypeParameters(const TypeSite& from, const TypeBody& body,
                                 const WantedInterface& wanted,
                                 std::map<std::string, std::string>* arguments) {
    const absl::string_view list = TypeParametersAt(from.site.text(), body.name_end);
    if (list.empty()) return;
    const std::vector<std::string> parameters = SplitAtCommas(list.substr(1, list.size() - 2));
    for (size_t i = 0; i < parameters.size(); ++i) {
      absl::string_view name = parameters[i];
      absl::ConsumePrefix(&name, "in ");
      absl::ConsumePrefix(&name, "out ");
      name = name.substr(0, name.find_first_of(" :="));
      if (i < wanted.arguments.size()) (*arguments)[std::string(name)] = wanted.arguments[i];
    }
  }

  // "" for what needs no code.
  absl::StatusOr<std::string> Write(const TypeSite& from, const TypeBody& body,
                                    const TypeMember& member,
                                    const std::map<std::string, std::string>& arguments,
                                    std::set<std::string>* names) {
    const CodeSite& site = type_.site;
    const bool asks = body.is_interface || member.is_abstract;
    std::string text(from.site.text().substr(member.begin, member.end - member.begin));
    if (asks && site.generation().has_events && member.kind == MemberKind::kOther) {
      if (std::string event = EventOf(body, text); !event.empty()) return event;
    }
    if (!asks || member.name.empty()) {
      if (asks && member.kind == MemberKind::kOther && absl::StrContains(text, "[")) {
        result_->notes.push_back(absl::StrCat("not written: ", text.substr(0, 80)));
      }
      return "";
    }
    const auto substituted = [&](const std::string& code) {
      return ReplaceIdentifiers(code, [&](const std::string& word, char before) {
        const auto found = arguments.find(word);
        return found == arguments.end() || before == '.' ? word : found->second;
      });
    };
    if (member.kind == MemberKind::kMethod) {
      STILE_ASSIGN_OR_RETURN(MethodSignature header, ParseMethodSignature(*from.site.family, text));
      const bool has_default =
          header.body.has_value() && body.is_interface && !site.generation().abstract_bodies;
      const bool is_static =
          header.HasModifier("static") && site.generation().static_interface_methods_have_body;
      const bool is_optional = site.generation().optional_members &&
                               absl::StrContains(text.substr(0, text.find('(')), "?");
      header.parameters = substituted(header.parameters);
      header.returns = substituted(header.returns);
      if (has_default || is_static || is_optional || header.name.empty() ||
          !had_.insert(KeyOf(site, member.name, header.parameters)).second) {
        return "";
      }
      for (const std::string& name : IdentifiersOf(absl::StrCat(
               header.parameters, " ", header.returns, " ", header.generics, " ", header.suffix))) {
        names->insert(name);
      }
      return WriteMember(from, body, std::move(header));
    }
    if ((member.kind == MemberKind::kProperty || member.kind == MemberKind::kField) &&
        had_.insert(member.name).second) {
      text = substituted(text);
      for (const std::string& name : IdentifiersOf(text)) names->insert(name);
      return WriteField(body, text);
    }
    return "";
  }

  absl::StatusOr<std::string> WriteMember(const TypeSite& from, const TypeBody& body,
                                          MethodSignature header) {
    const CodeSite& site = type_.site;
    header.body.reset();
    site.backend().members->CompleteOverride(body.is_interface, &header);
    MethodPlace place = MethodPlace::kMember;
    if (site.generation().methods_outside_types) {
      place = MethodPlace::kFunction;
      header.receiver = Receiver();
      Qualify(from, &header);
    }
    return WriteMethod(site, std::move(header), "", place);
  }

  std::string WriteField(const TypeBody& body, std::string text) {
    const CodeSite& site = type_.site;
    while (!text.empty() && (text.back() == ';' || text.back() == ',')) text.pop_back();
    const std::string stub = Fill(
        site.family->stub, {{"system", HasLine(site.text(), "using System;") ? "" : "System."}});
    return site.backend().members->FieldFor(text, body.is_interface, stub);
  }

  // C#: `event Handler Changed;` of an interface or an abstract class; "" for what is none.
  std::string EventOf(const TypeBody& body, const std::string& text) {
    const size_t at = text.find("event ");
    const bool is_declaration = absl::EndsWith(text, ";") && !absl::StrContains(text, "{");
    if (at == std::string::npos || !is_declaration) return "";
    const absl::string_view list = absl::StripSuffix(text, ";");
    const size_t name = list.find_last_of(" \t\n") + 1;
    if (!IsIdentifier(list.substr(name)) || !had_.insert(std::string(list.substr(name))).second) {
      return "";
    }
    return absl::StrCat(body.is_interface ? "public " : "public override ", text.substr(at));
  }

  std::string Receiver() const {
    for (const auto& file : context_.index->FilesWith(type_.name())) {
      for (const Symbol& symbol : file->symbols) {
        if (symbol.container != type_.name() || symbol.kind != SymbolKind::kMethod) continue;
        const auto header = ParseMethodSignature(
            *type_.site.family,
            absl::string_view(file->text).substr(symbol.begin, symbol.end - symbol.begin));
        if (header.ok() && !header->receiver.empty()) return header->receiver;
      }
    }
    return absl::StrCat(
        std::string(1, absl::ascii_tolower(static_cast<unsigned char>(type_.name()[0]))), " *",
        type_.name());
  }

  // Types of the interface's own package get its name in another one.
  void Qualify(const TypeSite& from, MethodSignature* header) {
    const std::string folder = DirName(from.site.file->path);
    if (folder == DirName(type_.site.file->path)) return;
    const std::string package = GoPackageOf(from.site);
    bool used = false;
    const auto qualified = [&](const std::string& text) {
      return ReplaceIdentifiers(text, [&](const std::string& word, char before) {
        if (before == '.' || !absl::ascii_isupper(static_cast<unsigned char>(word[0]))) return word;
        for (const auto& file : context_.index->FilesWith(word)) {
          if (DirName(file->path) != folder) continue;
          for (const Symbol& symbol : file->symbols) {
            if (symbol.name == word && symbol.container.empty()) {
              used = true;
              return absl::StrCat(package, ".", word);
            }
          }
        }
        return word;
      });
    };
    header->parameters = qualified(header->parameters);
    header->returns = qualified(header->returns);
    if (used && !imported_package_) {
      imported_package_ = true;
      const std::string path = GoImportPath(context_.workspace, from.site.file->path);
      if (!path.empty()) imports_.insert(absl::StrCat("import \"", path, "\""));
    }
  }

  const GenerateContext& context_;
  const TypeSite& type_;
  Generated* result_;
  std::set<std::string> had_;
  std::vector<std::string> pieces_;
  std::vector<std::string> fields_;
  std::set<std::string> imports_;
  size_t interfaces_ = 0;
  bool imported_package_ = false;
};

// What the head of the type names, with its type arguments.
std::vector<WantedInterface> BasesInHead(const TypeSite& type) {
  std::vector<WantedInterface> bases;
  const std::string head(type.site.text().substr(type.type().name_end,
                                                 type.type().signature_end - type.type().name_end));
  for (const std::string& base : type.type().bases) {
    const size_t at = head.find(base);
    std::string written = base;
    if (at != std::string::npos && at + base.size() < head.size() &&
        head[at + base.size()] == '<') {
      const size_t close = head.find('>', at);
      if (close != std::string::npos) written = head.substr(at, close + 1 - at);
    }
    bases.push_back(ReadInterface(written));
  }
  return bases;
}

absl::Status NotInProject(const TypeSite& type, const std::string& interface,
                          absl::string_view reason) {
  return absl::NotFoundError(
      absl::StrCat(reason, ". Only interfaces of the project can be read; ",
                   type.site.facts().implicit_interfaces
                       ? absl::StrCat("write `var _ ", interface, " = (*", type.name(),
                                      ")(nil)` and let code.refactor apply_fix mend that line")
                       : "write the members of others with operation method"));
}

// Methods of Go: behind the type and the methods that it has.
void InsertBehindType(const TypeSite& type, const std::string& code, EditPlan* plan) {
  const CodeSite& site = type.site;
  size_t end = type.type().end;
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.container == type.name()) end = std::max<size_t>(end, symbol.end);
  }
  end = DeclarationListEnd(site, end);
  plan->Edit(*site.file, InsertBehind(*site.file, site.style, end,
                                      Indent(code, "", site.style, site.file->grammar), 1));
}

// Fields and methods, each among its kind; in one piece where both go to the same place.
void InsertMembers(const CodeSite& site, const TypeBody& body, const std::string& fields,
                   const std::string& methods, EditPlan* plan) {
  const MemberKind field_kind =
      site.generation().properties_have_accessors ? MemberKind::kProperty : MemberKind::kField;
  const auto insertion = [&](MemberKind kind, const std::string& code) {
    return InsertMember(*site.file, *site.family, body, site.style, kind, code);
  };
  if (fields.empty() || methods.empty()) {
    plan->Edit(*site.file,
               insertion(fields.empty() ? MemberKind::kMethod : field_kind, fields + methods));
    return;
  }
  const TextEdit first = insertion(field_kind, fields);
  const TextEdit second = insertion(MemberKind::kMethod, methods);
  if (first.end > second.begin || first.begin == second.begin) {
    plan->Edit(*site.file, insertion(field_kind, absl::StrCat(fields, "\n\n", methods)));
    return;
  }
  plan->Edit(*site.file, first);
  plan->Edit(*site.file, second);
}

absl::Status InsertCode(const TypeSite& type, const Implementer& implementer, EditPlan* plan) {
  const std::string methods = absl::StrJoin(implementer.pieces(), "\n\n");
  if (type.site.generation().methods_outside_types) {
    InsertBehindType(type, methods, plan);
    return absl::OkStatus();
  }
  STILE_ASSIGN_OR_RETURN(const TypeBody body, type.Body());
  InsertMembers(type.site, body, absl::StrJoin(implementer.fields(), "\n"), methods, plan);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Generated> PlanImplementInterface(const GenerateContext& context,
                                                 const GenerateRequest& request) {
  STILE_ASSIGN_OR_RETURN(const TypeSite type, FindTypeSite(context, request));
  if (type.type().kind == SymbolKind::kInterface) {
    return absl::InvalidArgumentError(
        absl::StrCat(type.name(), " is an interface itself; give the class in className"));
  }
  std::vector<WantedInterface> wanted;
  std::vector<std::string> requested;
  for (const std::string& text : SplitAtCommas(request.signature)) {
    wanted.push_back(ReadInterface(text));
    requested.push_back(wanted.back().written);
  }
  if (wanted.empty()) wanted = BasesInHead(type);
  if (wanted.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(type.name(), " names no interface; give the interface's name in signature"));
  }
  Generated result;
  Implementer implementer(context, type, &result);
  std::vector<std::string> names;
  for (const WantedInterface& interface : wanted) {
    const absl::Status added = implementer.Add(interface);
    if (added.ok()) {
      names.push_back(interface.written);
    } else if (!requested.empty()) {
      return absl::IsNotFound(added) ? NotInProject(type, interface.written, added.message())
                                     : added;
    }
  }
  if (!requested.empty()) AddBases(type, requested, &result.plan);
  AddImports(type.site, implementer.imports(), &result.plan);
  if (names.empty()) {
    return absl::NotFoundError(absl::StrCat("the project declares no interface of ", type.name(),
                                            "; give the interface's name in signature"));
  }
  if (implementer.count() == 0 && result.plan.empty()) {
    return absl::AlreadyExistsError(
        absl::StrCat(type.name(), " has all that ", absl::StrJoin(names, ", "), " asks for"));
  }
  result.what = absl::StrCat(Count(implementer.count(), "member"), " of ",
                             absl::StrJoin(names, ", "), " in ", type.name());
  if (implementer.count() > 0) STILE_RETURN_IF_ERROR(InsertCode(type, implementer, &result.plan));
  return result;
}

}  // namespace stile
