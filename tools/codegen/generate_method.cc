#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/write_method.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

// The impl block of a type that implements no trait.
TSNode InherentImpl(const CodeSite& site, const std::string& name) {
  TSNode found{};
  for (const TSNode node : NamedChildren(site.tree.root())) {
    if (!IsNode(node, "impl_item") || !ts_node_is_null(FieldOf(node, "trait"))) continue;
    const absl::string_view type = TextOf(FieldOf(node, "type"), site.text());
    if (type.substr(0, type.find('<')) == name) found = node;
  }
  return found;
}

absl::Status AlreadyThere(const CodeSite& site, const std::string& what, uint32_t at) {
  return absl::AlreadyExistsError(absl::StrCat(what, " exists already (", site.file->path, ":",
                                               site.file->PlaceOf(at).line,
                                               "); change it with file.modify"));
}

// Overloads differ by the number of their parameters; where a language has none, by the name.
absl::Status CheckNew(const CodeSite& site, const TypeBody& body, const MethodSignature& header,
                      const std::string& owner) {
  const bool overloads = site.generation().has_overloads;
  const size_t wanted = ParseParameters(*site.family, header.parameters).size();
  for (const TypeMember& member : body.members) {
    if (member.name != header.name || header.name.empty()) continue;
    if (overloads &&
        (member.kind == MemberKind::kMethod || member.kind == MemberKind::kConstructor)) {
      const auto other = ParseMethodSignature(
          *site.family, site.text().substr(member.begin, member.end - member.begin));
      if (other.ok() && ParseParameters(*site.family, other->parameters).size() != wanted) continue;
    }
    return AlreadyThere(site, absl::StrCat(owner, ".", header.name), member.begin);
  }
  return absl::OkStatus();
}

absl::Status CheckNewFunction(const CodeSite& site, const std::string& name,
                              const std::string& container) {
  const bool overloads = site.generation().functions_overload;
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.name == name && symbol.container == container && symbol.is_definition &&
        !overloads) {
      return AlreadyThere(site, container.empty() ? name : absl::StrCat(container, ".", name),
                          symbol.name_begin);
    }
  }
  return absl::OkStatus();
}

// `func (s *Server)`: as the other methods of the type have it.
std::string ReceiverOf(const CodeSite& site, const std::string& type) {
  for (const TSNode node : NamedChildren(site.tree.root())) {
    if (!IsNode(node, "method_declaration")) continue;
    absl::string_view receiver = TextOf(FieldOf(node, "receiver"), site.text());
    absl::ConsumePrefix(&receiver, "(");
    absl::ConsumeSuffix(&receiver, ")");
    absl::string_view owner =
        receiver.substr(std::min(receiver.find_last_of(" *") + 1, receiver.size()));
    if (owner.substr(0, owner.find('[')) == type) return std::string(receiver);
  }
  std::string letter(1, absl::ascii_tolower(static_cast<unsigned char>(type[0])));
  return absl::StrCat(letter, " *", type);
}

absl::StatusOr<Generated> PlanGoMethod(const TypeSite& type, MethodSignature header,
                                       const std::string& body) {
  const CodeSite& site = type.site;
  STILE_RETURN_IF_ERROR(CheckNewFunction(site, header.name, type.name()));
  if (header.receiver.empty()) header.receiver = ReceiverOf(site, type.name());
  size_t end = type.type().end;
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.container == type.name() && symbol.kind == SymbolKind::kMethod) {
      end = std::max<size_t>(end, symbol.end);
    }
  }
  end = DeclarationListEnd(site, end);
  STILE_ASSIGN_OR_RETURN(const std::string code,
                         WriteMethod(site, header, body, MethodPlace::kFunction));
  Generated result;
  result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, end,
                                            Indent(code, "", site.style, site.file->grammar), 1));
  result.what = absl::StrCat("method ", type.name(), ".", header.name);
  return result;
}

absl::StatusOr<Generated> PlanFunction(const CodeSite& site, const MethodSignature& header,
                                       const std::string& body) {
  STILE_RETURN_IF_ERROR(CheckNewFunction(site, header.name, ""));
  STILE_ASSIGN_OR_RETURN(const std::string code,
                         WriteMethod(site, header, body, MethodPlace::kFunction));
  Generated result;
  result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, TopLevelEnd(site),
                                            Indent(code, "", site.style, site.file->grammar),
                                            site.facts().top_level_gap));
  if (body.empty() && absl::EndsWith(code, "}"))
    AddImport(site, site.family->stub_uses, &result.plan);
  result.what = absl::StrCat("function ", header.name);
  return result;
}

// A class of a header, and the file with the bodies of its members.
absl::StatusOr<Generated> PlanOutOfLine(const CodeSite& site, const TypeSite& type,
                                        MethodSignature header, const std::string& body) {
  STILE_ASSIGN_OR_RETURN(const TypeBody members, type.Body());
  STILE_RETURN_IF_ERROR(CheckNew(type.site, members, header, type.name()));
  STILE_ASSIGN_OR_RETURN(const std::string declaration,
                         WriteMethod(type.site, header, "", MethodPlace::kPrototype));
  Generated result;
  result.plan.Edit(*type.site.file,
                   InsertMember(*type.site.file, *type.site.family, members, type.site.style,
                                MemberKind::kMethod, declaration, true));
  for (const char* word : {"virtual", "static", "explicit", "friend", "[[nodiscard]]"}) {
    header.modifiers.erase(std::remove(header.modifiers.begin(), header.modifiers.end(), word),
                           header.modifiers.end());
  }
  const std::string name = header.name;
  header.name = absl::StrCat(type.name(), "::", name);
  for (const absl::string_view word : {"override", "final"}) {
    absl::string_view suffix = header.suffix;
    if (absl::ConsumeSuffix(&suffix, word)) {
      header.suffix = std::string(absl::StripAsciiWhitespace(suffix));
    }
  }
  STILE_ASSIGN_OR_RETURN(const std::string code,
                         WriteMethod(site, header, body, MethodPlace::kFunction));
  result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, TopLevelEnd(site),
                                            Indent(code, "", site.style, site.file->grammar), 1));
  if (body.empty() && absl::EndsWith(code, "}"))
    AddImport(site, site.family->stub_uses, &result.plan);
  result.what = absl::StrCat("method ", type.name(), ".", name);
  return result;
}

absl::StatusOr<Generated> PlanRustMethod(const TypeSite& type, const MethodSignature& header,
                                         const std::string& body) {
  const CodeSite& site = type.site;
  const std::string name = type.name();
  Generated result;
  result.what = absl::StrCat("method ", name, ".", header.name);
  STILE_ASSIGN_OR_RETURN(const std::string code,
                         WriteMethod(site, header, body, MethodPlace::kMember));
  const TSNode block = InherentImpl(site, name);
  if (!ts_node_is_null(block)) {
    STILE_ASSIGN_OR_RETURN(const TypeBody members, TypeBodyOf(*site.family, block, site.text()));
    STILE_RETURN_IF_ERROR(CheckNew(site, members, header, name));
    result.plan.Edit(*site.file, InsertMember(*site.file, *site.family, members, site.style,
                                              MemberKind::kMethod, code));
    return result;
  }
  // `struct Stack<T: Ord>` → `impl<T: Ord> Stack<T>`.
  const TSNode declared =
      ts_node_parent(NodeAt(site.tree, type.type().name_begin, type.type().name_end));
  const TSNode parameters = FieldOf(declared, "type_parameters");
  std::string generics;
  std::string arguments;
  if (!ts_node_is_null(parameters)) {
    generics = std::string(TextOf(parameters, site.text()));
    for (const std::string& part :
         SplitAtCommas(absl::string_view(generics).substr(1, generics.size() - 2))) {
      std::string argument = part.substr(0, part.find(':'));
      if (absl::StartsWith(argument, "const ")) argument = argument.substr(6);
      absl::StrAppend(&arguments, arguments.empty() ? "" : ", ",
                      absl::StripAsciiWhitespace(argument));
    }
    arguments = absl::StrCat("<", arguments, ">");
  }
  const std::string whole = Block(absl::StrCat("impl", generics, " ", name, arguments), code,
                                  site.style, site.file->grammar);
  result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, type.type().end,
                                            Indent(whole, "", site.style, site.file->grammar), 1));
  return result;
}

// A function of the file, or the method of a type that only its receiver names.
absl::StatusOr<Generated> PlanWithoutType(const GenerateContext& context,
                                          const GenerateRequest& request) {
  STILE_ASSIGN_OR_RETURN(const CodeSite site, OpenSite(context, request.file));
  STILE_ASSIGN_OR_RETURN(const WantedMethod wanted, ReadMethod(*site.family, request));
  const std::string& receiver = wanted.header.receiver;
  if (receiver.empty()) return PlanFunction(site, wanted.header, wanted.body);
  // `func (s *Server) Run()` says whose it is.
  GenerateRequest with_type = request;
  with_type.class_name = receiver.substr(receiver.find_last_of(" *") + 1);
  return PlanMethod(context, with_type);
}

// The type of a method that is written in another file than the type.
absl::StatusOr<TypeSite> FindTypeElsewhere(const GenerateContext& context,
                                           const GenerateRequest& request) {
  absl::StatusOr<TypeSite> type = FindTypeNamed(context, request.class_name, request.file);
  if (type.ok()) return type;
  // A header that the index takes for one of C.
  GenerateRequest header = request;
  header.file = request.file.substr(0, request.file.rfind('.')) + ".h";
  return FindTypeSite(context, header);
}

// A method in the file of the request, which is not the file of its type.
absl::StatusOr<Generated> PlanInOtherFile(const GenerateContext& context,
                                          const GenerateRequest& request, const TypeSite& type) {
  STILE_ASSIGN_OR_RETURN(const CodeSite site, OpenSite(context, request.file));
  STILE_ASSIGN_OR_RETURN(WantedMethod wanted, ReadMethod(*site.family, request));
  if (!type.site.generation().methods_outside_types)
    return PlanOutOfLine(site, type, std::move(wanted.header), wanted.body);
  if (wanted.header.receiver.empty()) wanted.header.receiver = ReceiverOf(type.site, type.name());
  return PlanFunction(site, wanted.header, wanted.body);
}

// A method between the braces of its type.
absl::StatusOr<Generated> PlanMember(const TypeSite& type, MethodSignature header,
                                     const std::string& body) {
  const CodeSite& site = type.site;
  STILE_ASSIGN_OR_RETURN(const TypeBody members, type.Body());
  STILE_RETURN_IF_ERROR(CheckNew(site, members, header, type.name()));
  const bool is_constructor =
      header.name == type.name() || header.name == "__init__" || header.name == "constructor";
  if (is_constructor) header.returns = "";
  const MethodPlace place = is_constructor         ? MethodPlace::kConstructor
                            : members.is_interface ? MethodPlace::kInterface
                                                   : MethodPlace::kMember;
  STILE_ASSIGN_OR_RETURN(const std::string code, WriteMethod(site, header, body, place));
  Generated result;
  result.plan.Edit(
      *site.file,
      InsertMember(*site.file, *site.family, members, site.style,
                   is_constructor ? MemberKind::kConstructor : MemberKind::kMethod, code));
  if (body.empty() && absl::EndsWith(code, "}"))
    AddImport(site, site.family->stub_uses, &result.plan);
  result.what = absl::StrCat("method ", type.name(), ".", header.name);
  return result;
}

bool NeedsType(const GenerateContext& context, const std::string& file) {
  const Language* language = context.languages->OfFile(file);
  return language != nullptr && LanguageBackendOf(language->id).facts.functions_only_in_types;
}

}  // namespace

absl::StatusOr<Generated> PlanMethod(const GenerateContext& context,
                                     const GenerateRequest& request) {
  if (request.class_name.empty() && !NeedsType(context, request.file))
    return PlanWithoutType(context, request);
  const absl::StatusOr<TypeSite> type = FindTypeSite(context, request);
  if (absl::IsNotFound(type.status()) && !request.file.empty() && !request.class_name.empty()) {
    const auto elsewhere = FindTypeElsewhere(context, request);
    if (elsewhere.ok() && (elsewhere->site.generation().methods_outside_types ||
                           elsewhere->site.generation().out_of_line_members)) {
      return PlanInOtherFile(context, request, *elsewhere);
    }
  }
  STILE_RETURN_IF_ERROR(type.status());
  const CodeSite& site = type->site;
  if (!site.generation().has_methods) {
    return absl::InvalidArgumentError(absl::StrCat(
        site.file->language.name, " has no methods: leave className out for a function"));
  }
  STILE_ASSIGN_OR_RETURN(WantedMethod wanted, ReadMethod(*site.family, request));
  const bool is_interface = type->type().kind == SymbolKind::kInterface;
  if (site.generation().methods_outside_types && !is_interface)
    return PlanGoMethod(*type, std::move(wanted.header), wanted.body);
  if (site.generation().impl_blocks && !is_interface)
    return PlanRustMethod(*type, wanted.header, wanted.body);
  return PlanMember(*type, std::move(wanted.header), wanted.body);
}

}  // namespace stile
