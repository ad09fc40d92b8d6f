#include "tools/codegen/code_site.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/codegen/insert_code.h"
#include "tools/index/symbol_query.h"
#include "tools/index/type_relations.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 10;

bool IsTypeWithBody(const Symbol& symbol) { return IsType(symbol.kind) && symbol.is_definition; }

std::vector<int> TypesOf(const SourceFile& file, absl::string_view name) {
  std::vector<int> found;
  for (size_t i = 0; i < file.symbols.size(); ++i) {
    const Symbol& symbol = file.symbols[i];
    if (!IsTypeWithBody(symbol)) continue;
    const std::string qualified = file.QualifiedName(static_cast<int>(i));
    if (name.empty() || symbol.name == name || qualified == name ||
        absl::EndsWith(qualified, absl::StrCat(".", name))) {
      found.push_back(static_cast<int>(i));
    }
  }
  return found;
}

std::string Names(const SourceFile& file, const std::vector<int>& symbols) {
  std::vector<std::string> names;
  for (const int symbol : symbols) {
    if (names.size() == kMaxListed) {
      names.emplace_back("…");
      break;
    }
    names.push_back(ToUtf8(file.QualifiedName(symbol)));
  }
  return absl::StrJoin(names, ", ");
}

// Type arguments and the words around a name: "Order<T>", "class Order".
std::string BareName(absl::string_view name) {
  name = absl::StripAsciiWhitespace(name);
  name = name.substr(0, name.find_first_of("<[("));
  const size_t space = name.rfind(' ');
  if (space != absl::string_view::npos) name = name.substr(space + 1);
  return std::string(name);
}

}  // namespace

absl::Status NotAvailable(const std::string& operation, const std::string& language_name) {
  return absl::UnimplementedError(absl::StrCat(
      "code.generate ", operation, " is not available for ", language_name, "; use file.modify"));
}

absl::StatusOr<CodeSite> OpenSite(const GenerateContext& context, const std::string& path) {
  STILE_ASSIGN_OR_RETURN(std::shared_ptr<const SourceFile> file, context.index->Open(path));
  // Headers of C++ are often named as those of C are.
  const std::string& other = LanguageBackendOf(file->language.id).generation.header_language;
  const Language* cpp = context.languages->Find(other);
  if (cpp != nullptr && absl::EndsWith(path, ".h") &&
      (absl::StrContains(file->text, "class ") || absl::StrContains(file->text, "namespace ") ||
       absl::StrContains(file->text, "template"))) {
    STILE_ASSIGN_OR_RETURN(file,
                           SourceFile::Parse(path, *cpp, *FindGrammar(cpp->grammar), file->text));
  }
  const LanguageFamily* family = FindLanguageFamily(file->language.id);
  if (family == nullptr) return NotAvailable("", file->language.name);
  STILE_ASSIGN_OR_RETURN(SyntaxTree tree, SyntaxTree::Parse(file->grammar, file->text));
  CodeStyle style = StyleOf(file->text, *family);
  return CodeSite{std::move(file), family, std::move(tree), std::move(style)};
}

absl::StatusOr<TypeBody> TypeSite::Body() const {
  return FindTypeBody(*site.family, site.tree, site.text(), type().name_begin);
}

absl::StatusOr<TypeSite> FindTypeNamed(const GenerateContext& context, const std::string& name,
                                       const std::string& near_file) {
  SymbolQuery query = ParseSymbolName(BareName(name));
  STILE_ASSIGN_OR_RETURN(const Resolution resolution, Resolve(query, context.index));
  std::vector<Declaration> types;
  std::vector<Declaration> near;
  for (const Declaration& target : resolution.targets) {
    if (target.symbol < 0 || !IsTypeWithBody(target.AsSymbol())) continue;
    if (!near_file.empty()) {
      const Language* language = context.languages->OfFile(near_file);
      if (language != nullptr && !SeeEachOther(*language, target.file->language)) continue;
    }
    types.push_back(target);
    if (target.file->path == near_file) near.push_back(target);
  }
  if (!near.empty()) types = near;
  if (types.empty()) {
    return absl::NotFoundError(absl::StrCat("the project declares no type ", BareName(name)));
  }
  if (types.size() > 1) {
    std::vector<std::string> places;
    for (const Declaration& type : types) {
      if (places.size() == kMaxListed) break;
      places.push_back(
          absl::StrCat(type.QualifiedName(), " (", type.file->path, ":", type.place().line, ")"));
    }
    return absl::InvalidArgumentError(absl::StrCat(
        BareName(name), " may be any of ", absl::StrJoin(places, ", "), "; give targetFile"));
  }
  STILE_ASSIGN_OR_RETURN(CodeSite site, OpenSite(context, types[0].file->path));
  return TypeSite{std::move(site), types[0].symbol};
}

absl::StatusOr<TypeSite> FindTypeSite(const GenerateContext& context,
                                      const GenerateRequest& request) {
  if (request.file.empty()) {
    if (request.class_name.empty()) {
      return absl::InvalidArgumentError("give className, targetFile or both");
    }
    return FindTypeNamed(context, request.class_name, "");
  }
  STILE_ASSIGN_OR_RETURN(CodeSite site, OpenSite(context, request.file));
  const std::string name = BareName(request.class_name);
  std::vector<int> found = TypesOf(*site.file, name);
  if (found.size() > 1) {
    // A type that lies in another one is not meant by the file alone.
    std::vector<int> outer;
    for (const int symbol : found) {
      const int parent = site.file->symbols[static_cast<size_t>(symbol)].parent;
      if (parent < 0 ||
          site.file->symbols[static_cast<size_t>(parent)].kind == SymbolKind::kNamespace) {
        outer.push_back(symbol);
      }
    }
    if (outer.size() == 1) found = outer;
  }
  if (found.size() == 1) return TypeSite{std::move(site), found[0]};
  const std::vector<int> all = TypesOf(*site.file, "");
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat(
        name.empty() ? "no type" : absl::StrCat("no type ", name), " in ", request.file,
        site.tree.has_error() ? ", which has syntax errors" : "", ". ",
        all.empty() ? "It declares none" : absl::StrCat("It declares ", Names(*site.file, all))));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(request.file, " declares ", Names(*site.file, found), "; give className"));
}

size_t TopLevelEnd(const CodeSite& site) {
  TSNode container = site.tree.root();
  for (int depth = 0; depth < 4; ++depth) {
    TSNode inner{};
    for (const TSNode child : NamedChildren(container)) {
      const absl::string_view type = TypeOf(child);
      if (type == "namespace_definition" || type == "namespace_declaration" ||
          type == "linkage_specification") {
        inner = FieldOf(child, "body");
      } else if (type == "preproc_ifdef" && depth == 0) {
        inner = child;
      }
    }
    if (ts_node_is_null(inner)) break;
    container = inner;
  }
  size_t end = site.text().size();
  for (const TSNode child : NamedChildren(container)) {
    const absl::string_view type = TypeOf(child);
    for (const absl::string_view word :
         {"function",  "class",    "struct",     "enum",        "interface",   "record",
          "impl",      "trait",    "method",     "type_",       "declaration", "lexical",
          "decorated", "export",   "const_item", "static_item", "union",       "template",
          "alias",     "abstract", "delegate",   "var_",        "const_"}) {
      if (absl::StartsWith(type, word)) end = EndOf(child);
    }
  }
  // `};`: what ends a declaration on its line belongs to it.
  return end;
}

size_t DeclarationListEnd(const CodeSite& site, size_t end) {
  for (const TSNode node : NamedChildren(site.tree.root())) {
    if (BeginOf(node) <= end && EndOf(node) > end) end = EndOf(node);
  }
  return end;
}

std::string CleanBody(const LanguageFamily& family, absl::string_view body) {
  std::string clean = Dedent(body);
  if (family.blocks == BlockStyle::kColon || clean.empty() || clean[0] != '{') return clean;
  if (MatchingBracket(clean, 0) != clean.size() - 1) return clean;
  return Dedent(absl::string_view(clean).substr(1, clean.size() - 2));
}

std::string StubBody(const CodeSite& site, absl::string_view name) {
  return Fill(site.family->stub,
              {{"name", std::string(name)},
               {"quote", site.style.quote},
               {"system", HasLine(site.text(), "using System;") ? "" : "System."}});
}

void AddImport(const CodeSite& site, absl::string_view line, EditPlan* plan) {
  if (line.empty() || HasLine(site.text(), line)) return;
  // Another quote, or a list of Go.
  const size_t quote = line.find_first_of("\"'<");
  if (quote != absl::string_view::npos && line.size() > quote + 2) {
    const absl::string_view module = line.substr(quote + 1, line.find_last_of("\"'>") - quote - 1);
    const bool plain = site.generation().import_is_path || absl::StartsWith(line, "#include");
    if (plain && (absl::StrContains(site.text(), absl::StrCat("\"", module, "\"")) ||
                  absl::StrContains(site.text(), absl::StrCat("<", module, ">")))) {
      return;
    }
  }
  plan->Edit(*site.file, InsertImport(*site.file, site.tree, site.style, line));
}

}  // namespace stile
