#include "tools/refactor/extract_interface.h"

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
#include "tools/backend/syntax_nodes.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/code_site.h"
#include "tools/refactor/import_fixups.h"
#include "tools/refactor/insert_code.h"
#include "tools/refactor/new_file.h"
#include "tools/refactor/type_bases.h"
#include "tools/refactor/write_method.h"

namespace stile {
namespace {

bool IsPublic(const CodeSite& site, const MethodSignature& header) {
  const std::string& language = site.language();
  if (language == "csharp" || language == "java") return header.HasModifier("public");
  if (language == "typescript") {
    return !header.HasModifier("private") && !header.HasModifier("protected") &&
           !absl::StartsWith(header.name, "#");
  }
  if (language == "go") return absl::ascii_isupper(static_cast<unsigned char>(header.name[0]));
  return !absl::StartsWith(header.name, "_");
}

// Of Python: made of names that need no import.
bool IsBuiltinType(const std::string& type) {
  if (type.empty()) return false;
  const std::set<std::string> names = IdentifiersOf(type);
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return IsOneOf(name, {"int", "str", "float", "bool", "bytes", "None", "list", "dict", "set",
                          "tuple", "frozenset", "object"});
  });
}

// "" for what is no part of an interface.
absl::StatusOr<std::string> MethodOf(const CodeSite& site, absl::string_view code,
                                     const InferredType& inferred) {
  STILE_ASSIGN_OR_RETURN(MethodSignature header, ParseMethodSignature(*site.family, code));
  if (header.name.empty() || !IsPublic(site, header) || header.HasModifier("static")) return "";
  if (absl::StrContains(header.name, ".") ||
      absl::StrContains(code, absl::StrCat("#", header.name))) {
    return "";
  }
  // What a base asks for is in its contract already.
  if (header.HasModifier("override")) return "";
  const bool is_typescript = site.language() == "typescript";
  if (header.returns.empty() && inferred != nullptr &&
      (is_typescript || site.language() == "python")) {
    const size_t name = code.find(header.name + "(");
    if (name != absl::string_view::npos) {
      header.returns =
          inferred(site.file->path, static_cast<uint32_t>(code.data() - site.text().data() +
                                                          static_cast<std::ptrdiff_t>(name)));
    }
    // What it names has to be known there.
    if (!is_typescript && !IsBuiltinType(header.returns)) header.returns.clear();
  }
  if (header.returns.empty() && is_typescript && !header.HasModifier("set")) {
    return absl::FailedPreconditionError(
        absl::StrCat(header.name,
                     " returns what no type says, and no language server could tell "
                     "it: write the type first"));
  }
  const bool is_accessor =
      is_typescript && (header.HasModifier("get") || header.HasModifier("set"));
  if (is_accessor) {
    if (header.HasModifier("set")) return "";
    return absl::StrCat("readonly ", header.name, header.returns.empty() ? "" : ": ",
                        header.returns, ";");
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
  const bool is_async = header.HasModifier("async") && site.language() == "python";
  header.modifiers.clear();
  if (is_async) header.modifiers.emplace_back("async");
  header.body.reset();
  header.body_is_expression = false;
  header.receiver.clear();
  return WriteMethod(site, std::move(header), "", MethodPlace::kInterface);
}

std::string PropertyOf(const CodeSite& site, absl::string_view code, const InferredType& inferred) {
  if (site.language() == "typescript") {
    for (const absl::string_view word : {"private ", "protected ", "static ", "#", "declare "}) {
      if (absl::StartsWith(code, word)) return "";
    }
    absl::ConsumePrefix(&code, "public ");
    absl::string_view name = code;
    for (const absl::string_view word : {"readonly ", "override "})
      absl::ConsumePrefix(&name, word);
    code = absl::StripAsciiWhitespace(code.substr(0, code.find('=')));
    std::string text(code);
    if (!absl::StrContains(code, ":")) {
      const std::string type =
          inferred == nullptr
              ? ""
              : inferred(site.file->path, static_cast<uint32_t>(name.data() - site.text().data()));
      if (type.empty()) return "";
      absl::StrAppend(&text, ": ", type);
    }
    const size_t mark = text.find('!');
    if (mark != std::string::npos && mark < text.find(':')) text.erase(mark, 1);
    while (absl::EndsWith(text, ";")) text.pop_back();
    return text + ";";
  }
  if (site.language() != "csharp" ||
      !absl::StrContains(code.substr(0, code.find('{')), "public ")) {
    return "";
  }
  const size_t brace = code.find('{');
  const size_t arrow = code.find("=>");
  std::string head(absl::StripAsciiWhitespace(code.substr(0, std::min(brace, arrow))));
  if (absl::StrContains(head, "static ")) return "";
  // Attributes stay with the class.
  while (absl::StartsWith(head, "[")) {
    const size_t close = MatchingBracket(head, 0);
    if (close == std::string::npos) return "";
    head = std::string(absl::StripAsciiWhitespace(absl::string_view(head).substr(close + 1)));
  }
  for (const std::string word :
       {"public ", "virtual ", "override ", "required ", "sealed ", "abstract "}) {
    const size_t at = head.find(word);
    if (at != std::string::npos) head.erase(at, word.size());
  }
  if (arrow < brace) return head + " { get; }";
  const size_t close = MatchingBracket(code, brace);
  const absl::string_view accessors =
      code.substr(brace, close == absl::string_view::npos ? close : close - brace);
  std::string list;
  for (const absl::string_view word : {"get", "set", "init"}) {
    const bool hidden = absl::StrContains(accessors, absl::StrCat("private ", word)) ||
                        absl::StrContains(accessors, absl::StrCat("protected ", word)) ||
                        absl::StrContains(accessors, absl::StrCat("internal ", word));
    const std::set<std::string> words = IdentifiersOf(accessors);
    if (!hidden && words.count(std::string(word)) > 0) absl::StrAppend(&list, " ", word, ";");
  }
  return absl::StrCat(head, " {", list, " }");
}

// "<T>" or "[T any]" behind the name, and the same as arguments.
struct Generics {
  std::string parameters;
  std::string arguments;
};

Generics GenericsOf(const CodeSite& site, const TypeBody& body) {
  Generics generics;
  const absl::string_view parameters = TypeParametersAt(site.text(), body.name_end);
  if (parameters.empty() || site.language() == "python") return generics;
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
    const bool needed = site.language() == "csharp"
                            ? !absl::StartsWith(line, "global ")
                            : import.name == "*" || used.count(import.name) > 0;
    if (needed && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
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
  const std::string& language = site.language();
  if (language != "csharp" && language != "typescript" && language != "java" && language != "go" &&
      language != "python") {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor extract_interface is not available for ",
                     site.file->language.name, "; use file.modify"));
  }
  if (type.type().kind == SymbolKind::kInterface) {
    return absl::InvalidArgumentError(absl::StrCat(type.name(), " is an interface already"));
  }
  for (const auto& file : context.index->FilesWith(new_name)) {
    for (const Symbol& symbol : file->symbols) {
      if (symbol.name == new_name && SeeEachOther(file->language, site.file->language) &&
          (file->path == site.file->path || DirName(file->path) == DirName(site.file->path))) {
        return absl::InvalidArgumentError(absl::StrCat(new_name, " exists already (", file->path,
                                                       ":", symbol.line,
                                                       "); choose another newName"));
      }
    }
  }
  STILE_ASSIGN_OR_RETURN(const TypeBody body, type.Body());
  std::vector<std::string> members;
  const auto add = [&](std::string member) {
    if (!member.empty() && std::find(members.begin(), members.end(), member) == members.end()) {
      members.push_back(std::move(member));
    }
  };
  if (language == "go") {
    for (const auto& file : context.index->FilesWith(type.name())) {
      if (DirName(file->path) != DirName(site.file->path)) continue;
      for (const Symbol& symbol : file->symbols) {
        if (symbol.container != type.name() || symbol.kind != SymbolKind::kMethod) continue;
        STILE_ASSIGN_OR_RETURN(
            std::string member,
            MethodOf(site,
                     absl::string_view(file->text).substr(symbol.begin, symbol.end - symbol.begin),
                     nullptr));
        add(std::move(member));
      }
    }
  }
  for (const TypeMember& member : body.members) {
    const absl::string_view code = site.text().substr(member.begin, member.end - member.begin);
    if (member.kind == MemberKind::kMethod) {
      STILE_ASSIGN_OR_RETURN(std::string method, MethodOf(site, code, inferred));
      add(std::move(method));
    } else if (member.kind == MemberKind::kProperty ||
               (member.kind == MemberKind::kField && language == "typescript")) {
      add(PropertyOf(site, code, inferred));
    }
  }
  if (members.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(type.name(), " has no public members"));
  }
  const Generics generics = GenericsOf(site, body);
  const std::string members_text = absl::StrJoin(members, language == "python" ? "\n\n" : "\n");
  const absl::string_view head =
      site.text().substr(type.type().begin, type.type().name_begin - type.type().begin);
  std::string code_head;
  if (language == "csharp") {
    code_head = absl::StrCat(absl::StrContains(head, "public ") ? "public " : "internal ",
                             "interface ", new_name, generics.parameters);
  } else if (language == "java") {
    code_head = absl::StrCat("public interface ", new_name, generics.parameters);
  } else if (language == "typescript") {
    code_head = absl::StrCat(absl::StrContains(head, "export ") ? "export " : "", "interface ",
                             new_name, generics.parameters);
  } else if (language == "go") {
    code_head = absl::StrCat("type ", new_name, generics.parameters, " interface");
  } else {
    code_head = absl::StrCat("class ", new_name, "(Protocol)");
  }
  const std::string code = Block(code_head, members_text, site.style, site.file->grammar);
  EditPlan plan;
  if (language != "go") AddBases(type, {new_name + generics.arguments}, &plan);
  if (language == "csharp" || language == "java") {
    const std::string extension = language == "csharp" ? ".cs" : ".java";
    STILE_ASSIGN_OR_RETURN(NewFile file, PlanNewFile(context, JoinPath(DirName(site.file->path),
                                                                       new_name + extension)));
    file.style = site.style;
    plan.Create(file.path, file.Render(ImportsFor(site, code), code));
    return plan;
  }
  if (language == "python") AddImports(site, {"from typing import Protocol"}, &plan);
  uint32_t at = type.type().begin;
  if (type.type().doc_end > 0 && type.type().doc_end <= at) at = type.type().doc_begin;
  at = static_cast<uint32_t>(LineBegin(site.text(), at));
  const std::string indent(IndentationAt(site.text(), type.type().begin));
  const std::string gap = language == "python" ? "\n\n\n" : "\n\n";
  plan.Edit(*site.file,
            {at, at,
             WithNewlines(Indent(code, indent, site.style, site.file->grammar) + gap, site.style)});
  return plan;
}

}  // namespace stile
