#include "tools/extract/extract_interface.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/syntax/imports.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/import_fixups.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/new_file.h"
#include "tools/codegen/type_bases.h"
#include "tools/codegen/write_method.h"
#include "tools/index/symbol_query.h"
#include "tools/language/brackets.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

// The parameters of a method, as an interface declares them.
absl::StatusOr<std::string> ParametersOf(const CodeSite& site, absl::string_view code,
                                         const MethodSignature& header,
                                         const InferredType& inferred) {
  const LanguageBackend& language = LanguageBackendOf(site.language());
  const size_t list = code.find(header.name + "(");
  std::vector<std::string> written;
  for (const Parameter& parameter : ParseParameters(*site.family, header.parameters)) {
    std::string type;
    const size_t at = list == absl::string_view::npos ? list : code.find(parameter.text, list);
    const bool infers = !parameter.value.empty() && parameter.type.empty() && inferred != nullptr &&
                        language.facts.optional_annotations && at != absl::string_view::npos;
    if (infers) {
      type = inferred(site.file->path, static_cast<uint32_t>(code.data() - site.text().data() +
                                                             static_cast<std::ptrdiff_t>(at)));
      if (!language.types->IsKnownEverywhere(type)) type.clear();
    }
    written.push_back(language.members->InterfaceParameter(parameter, type));
    if (!written.back().empty()) continue;
    return absl::FailedPreconditionError(absl::StrCat("nothing tells the type of parameter `",
                                                      parameter.text, "` of ", header.name,
                                                      ": write the type first"));
  }
  return absl::StrJoin(written, ", ");
}

// "" for what is no part of an interface.
absl::StatusOr<std::string> MethodOf(const CodeSite& site, absl::string_view code,
                                     const InferredType& inferred) {
  STILE_ASSIGN_OR_RETURN(MethodSignature header, ParseMethodSignature(*site.family, code));
  const LanguageBackend& language = LanguageBackendOf(site.language());
  if (header.name.empty() || !language.members->IsPublic(header) || header.HasModifier("static")) {
    return "";
  }
  if (absl::StrContains(header.name, ".") ||
      absl::StrContains(code, absl::StrCat("#", header.name))) {
    return "";
  }
  // What a base asks for is in its contract already.
  if (header.HasModifier("override")) return "";
  if (header.returns.empty() && inferred != nullptr && language.facts.optional_annotations) {
    const size_t name = code.find(header.name + "(");
    if (name != absl::string_view::npos) {
      header.returns =
          inferred(site.file->path, static_cast<uint32_t>(code.data() - site.text().data() +
                                                          static_cast<std::ptrdiff_t>(name)));
    }
    // What it names has to be known there.
    if (!language.types->IsKnownEverywhere(header.returns)) header.returns.clear();
  }
  if (header.returns.empty() && language.facts.interface_needs_result &&
      !header.HasModifier("set")) {
    return absl::FailedPreconditionError(
        absl::StrCat(header.name,
                     " returns what no type says, and no language server could tell "
                     "it: write the type first"));
  }
  if (const auto accessor = language.members->AccessorOf(header); accessor.has_value()) {
    return *accessor;
  }
  for (const std::string& attribute : header.attributes) {
    if (attribute == "@Override" || absl::StrContains(attribute, "staticmethod") ||
        absl::StrContains(attribute, "classmethod")) {
      return "";
    }
  }
  std::vector<std::string> kept;
  for (const std::string& attribute : header.attributes) {
    if (attribute == "@property") kept.push_back(attribute);
    if (absl::EndsWith(attribute, ".setter")) return "";
  }
  header.attributes = std::move(kept);
  STILE_ASSIGN_OR_RETURN(header.parameters, ParametersOf(site, code, header, inferred));
  const bool is_async = header.HasModifier("async") && language.facts.async_is_contract;
  header.modifiers.clear();
  if (is_async) header.modifiers.emplace_back("async");
  header.body.reset();
  header.body_is_expression = false;
  header.receiver.clear();
  return WriteMethod(site, std::move(header), "", MethodPlace::kInterface);
}

std::string PropertyOf(const CodeSite& site, absl::string_view code, const InferredType& inferred) {
  const MemberRules& members = *LanguageBackendOf(site.language()).members;
  const size_t name = members.NameToInfer(code);
  std::string type;
  if (name != absl::string_view::npos && inferred != nullptr) {
    const auto at = static_cast<uint32_t>(code.data() - site.text().data());
    type = inferred(site.file->path, at + static_cast<uint32_t>(name));
  }
  return members.PropertyOf(code, type);
}

// "<T>" or "[T any]" behind the name, and the same as arguments.
struct Generics {
  std::string parameters;
  std::string arguments;
};

Generics GenericsOf(const CodeSite& site, const TypeBody& body) {
  Generics generics;
  const absl::string_view parameters = TypeParametersAt(site.text(), body.name_end);
  if (parameters.empty() || LanguageBackendOf(site.language()).facts.erases_type_parameters) {
    return generics;
  }
  generics.parameters = std::string(parameters);
  std::vector<std::string> names;
  for (const std::string& part : SplitAtCommas(parameters.substr(1, parameters.size() - 2))) {
    names.push_back(part.substr(0, part.find_first_of(" :")));
  }
  generics.arguments = absl::StrCat(parameters.substr(0, 1), absl::StrJoin(names, ", "),
                                    parameters.substr(parameters.size() - 1));
  return generics;
}

// Lines of the class's file that the interface's needs too.
std::vector<std::string> ImportsFor(const CodeSite& site, const std::string& code) {
  std::vector<std::string> lines;
  const std::set<std::string> used = IdentifiersOf(code);
  for (const Import& import : FindImports(site.file->grammar, site.tree, site.text())) {
    const std::string line(site.text().substr(import.begin, import.end - import.begin));
    const bool needed = LanguageBackendOf(site.language()).facts.imports_name_spaces
                            ? !absl::StartsWith(line, "global ")
                            : import.name == "*" || used.count(import.name) > 0;
    if (needed && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

absl::Status CheckNewType(const GenerateContext& context, const SourceFile& beside,
                          const std::string& name) {
  for (const auto& file : context.index->FilesWith(name)) {
    for (const Symbol& symbol : file->symbols) {
      if (symbol.name == name && SeeEachOther(file->language, beside.language) &&
          (file->path == beside.path || DirName(file->path) == DirName(beside.path))) {
        return absl::InvalidArgumentError(absl::StrCat(name, " exists already (", file->path, ":",
                                                       symbol.line, "); choose another newName"));
      }
    }
  }
  return absl::OkStatus();
}

// The declarations of an interface, each once.
class MemberList {
 public:
  void Add(std::string member) {
    if (member.empty() || std::find(members_.begin(), members_.end(), member) != members_.end())
      return;
    members_.push_back(std::move(member));
  }
  const std::vector<std::string>& members() const { return members_; }

 private:
  std::vector<std::string> members_;
};

// The methods of a type of Go, which stand in any file of its folder.
absl::Status AddMethodsOfFolder(const GenerateContext& context, const TypeSite& type,
                                MemberList* list) {
  const CodeSite& site = type.site;
  for (const auto& file : context.index->FilesWith(type.name())) {
    if (DirName(file->path) != DirName(site.file->path)) continue;
    for (const Symbol& symbol : file->symbols) {
      if (symbol.container != type.name() || symbol.kind != SymbolKind::kMethod) continue;
      const auto code =
          absl::string_view(file->text).substr(symbol.begin, symbol.end - symbol.begin);
      STILE_ASSIGN_OR_RETURN(std::string method, MethodOf(site, code, nullptr));
      list->Add(std::move(method));
    }
  }
  return absl::OkStatus();
}

absl::Status AddMembersOfBody(const CodeSite& site, const TypeBody& body,
                              const InferredType& inferred, MemberList* list) {
  for (const TypeMember& member : body.members) {
    const absl::string_view code = site.text().substr(member.begin, member.end - member.begin);
    if (member.kind == MemberKind::kMethod) {
      STILE_ASSIGN_OR_RETURN(std::string method, MethodOf(site, code, inferred));
      list->Add(std::move(method));
    } else if (member.kind == MemberKind::kProperty ||
               (member.kind == MemberKind::kField && site.facts().fields_in_interfaces)) {
      list->Add(PropertyOf(site, code, inferred));
    }
  }
  return absl::OkStatus();
}

std::string WriteInterface(const TypeSite& type, const std::string& name, const Generics& generics,
                           const std::vector<std::string>& members) {
  const CodeSite& site = type.site;
  const absl::string_view head =
      site.text().substr(type.type().begin, type.type().name_begin - type.type().begin);
  return Block(site.backend().members->InterfaceHead(head, name, generics.parameters),
               absl::StrJoin(members, site.facts().interface_member_gap > 0 ? "\n\n" : "\n"),
               site.style, site.file->grammar);
}

// The code as lines above the type and its comment.
TextEdit InsertAbove(const TypeSite& type, const std::string& code) {
  const CodeSite& site = type.site;
  uint32_t at = type.type().begin;
  if (type.type().doc_end > 0 && type.type().doc_end <= at) at = type.type().doc_begin;
  at = static_cast<uint32_t>(LineBegin(site.text(), at));
  const std::string indent(IndentationAt(site.text(), type.type().begin));
  const std::string gap(static_cast<size_t>(site.facts().top_level_gap) + 1, '\n');
  return {at, at,
          WithNewlines(Indent(code, indent, site.style, site.file->grammar) + gap, site.style)};
}

}  // namespace

absl::StatusOr<EditPlan> PlanExtractInterface(const GenerateContext& context,
                                              const std::string& path, const std::string& type_name,
                                              const std::string& new_name,
                                              const InferredType& inferred) {
  if (!IsIdentifier(new_name)) {
    return absl::InvalidArgumentError("give the name of the interface in newName");
  }
  GenerateRequest request;
  request.file = path;
  request.class_name = type_name;
  STILE_ASSIGN_OR_RETURN(const TypeSite type, FindTypeSite(context, request));
  const CodeSite& site = type.site;
  const LanguageFacts& facts = site.facts();
  if (!site.family->Supports("extract_interface")) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_interface is not available for ",
                     site.file->language.name, "; use file.modify"));
  }
  if (type.type().kind == SymbolKind::kInterface) {
    return absl::InvalidArgumentError(absl::StrCat(type.name(), " is an interface already"));
  }
  STILE_RETURN_IF_ERROR(CheckNewType(context, *site.file, new_name));
  STILE_ASSIGN_OR_RETURN(const TypeBody body, type.Body());
  MemberList list;
  if (facts.implicit_interfaces) STILE_RETURN_IF_ERROR(AddMethodsOfFolder(context, type, &list));
  STILE_RETURN_IF_ERROR(AddMembersOfBody(site, body, inferred, &list));
  if (list.members().empty()) {
    return absl::FailedPreconditionError(absl::StrCat(type.name(), " has no public members"));
  }
  const Generics generics = GenericsOf(site, body);
  const std::string code = WriteInterface(type, new_name, generics, list.members());
  EditPlan plan;
  if (!facts.implicit_interfaces) AddBases(type, {new_name + generics.arguments}, &plan);
  if (!facts.interface_extension.empty()) {
    STILE_ASSIGN_OR_RETURN(NewFile file,
                           PlanNewFile(context, JoinPath(DirName(site.file->path),
                                                         new_name + facts.interface_extension)));
    file.style = site.style;
    plan.Create(file.path, file.Render(ImportsFor(site, code), code));
    return plan;
  }
  if (!facts.interface_import.empty()) AddImports(site, {facts.interface_import}, &plan);
  plan.Edit(*site.file, InsertAbove(type, code));
  return plan;
}

}  // namespace stile
