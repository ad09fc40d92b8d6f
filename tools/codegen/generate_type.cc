#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/insert_code.h"
#include "tools/codegen/new_file.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

struct WantedType {
  std::string name;
  std::string head;
  std::string use;   // an import that the head needs
  std::string body;  // in pieces; "": none
  std::string kind;
  bool is_whole = false;  // `body` is the declaration
};

bool IsWordIn(absl::string_view text, absl::string_view word) {
  const size_t at = text.find(word);
  if (at == absl::string_view::npos) return false;
  const auto is_part = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  return (at == 0 || !is_part(text[at - 1])) &&
         (at + word.size() >= text.size() || !is_part(text[at + word.size()]));
}

// The kind that a head names: `public sealed class Order`.
std::string KindIn(const LanguageFamily& family, absl::string_view text) {
  // The more telling words first: `record struct`, `data class`.
  std::string best;
  size_t place = absl::string_view::npos;
  for (const auto& [kind, head] : family.types) {
    if (!IsWordIn(text, kind)) continue;
    if (text.find(kind) < place) {
      place = text.find(kind);
      best = kind;
    }
  }
  return best;
}

// In no other type.
bool IsAtTop(const Symbol& symbol, const std::vector<Symbol>& symbols) {
  return symbol.parent < 0 ||
         symbols[static_cast<size_t>(symbol.parent)].kind == SymbolKind::kNamespace;
}

// The types that a piece of code declares at its top.
std::vector<std::string> TypesIn(const Grammar& grammar, const std::string& code) {
  std::vector<std::string> names;
  const auto tree = SyntaxTree::Parse(grammar, code);
  if (!tree.ok()) return names;
  const std::vector<Symbol> symbols = FindSymbols(grammar, *tree, code);
  for (const Symbol& symbol : symbols) {
    if (IsType(symbol.kind) && IsAtTop(symbol, symbols)) names.push_back(symbol.name);
  }
  return names;
}

// "class Order<T>(Base):" → what the head says its name is.
std::string NameBehind(absl::string_view text, absl::string_view kind) {
  text = text.substr(std::min(text.find(kind) + kind.size(), text.size()));
  text = absl::StripLeadingAsciiWhitespace(text);
  for (const absl::string_view word : {"class ", "struct "}) absl::ConsumePrefix(&text, word);
  size_t end = 0;
  while (end < text.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text[end])) ||
                               text[end] == '_' || static_cast<unsigned char>(text[end]) >= 0x80)) {
    ++end;
  }
  return std::string(text.substr(0, end));
}

struct SplitSignature {
  std::string head;
  std::string body;  // "": none
};

SplitSignature SplitHeadAndBody(const LanguageFamily& family, absl::string_view text) {
  SplitSignature split;
  text = absl::StripAsciiWhitespace(text);
  const size_t brace = text.find('{');
  if (family.blocks != BlockStyle::kColon && brace != absl::string_view::npos) {
    const size_t close = MatchingBracket(text, brace);
    if (close != absl::string_view::npos)
      split.body = Dedent(text.substr(brace + 1, close - brace - 1));
    text = absl::StripAsciiWhitespace(text.substr(0, brace));
  }
  while (!text.empty() && absl::StrContains(";:{", text.back())) text.remove_suffix(1);
  split.head = std::string(text);
  return split;
}

// The head of a new type. `rest`: its bases, or all that stands behind the name.
std::string WriteHead(const LanguageFamily& family, const std::string& kind,
                      const std::string& name, const std::string& rest) {
  const std::string head = Fill(family.types.at(kind), {{"name", name}});
  if (rest.empty()) return head;
  if (rest[0] == '(' || rest[0] == '<') return absl::StrCat(head, rest);
  const bool spelled =
      rest[0] == ':' || absl::StartsWith(rest, "extends") || absl::StartsWith(rest, "implements");
  return absl::StrCat(head,
                      spelled ? absl::StrCat(" ", rest) : Fill(family.bases, {{"bases", rest}}));
}

// Whether the signature names another type than className.
bool NamesOther(const std::string& signature, const std::string& named, const std::string& wanted) {
  return !wanted.empty() && IsIdentifier(named) && !absl::StrContains(signature, wanted) &&
         named != "extends" && named != "implements";
}

absl::Status ReadSignature(const LanguageFamily& family, const std::string& signature,
                           const std::string& type_parameters, WantedType* wanted) {
  wanted->kind = KindIn(family, signature);
  const std::string named = wanted->kind.empty() ? "" : NameBehind(signature, wanted->kind);
  if (!named.empty() && (wanted->name.empty() || named == wanted->name)) {
    wanted->name = named;
    wanted->head = signature;
    return absl::OkStatus();
  }
  if (NamesOther(signature, named, wanted->name)) {
    return absl::InvalidArgumentError(absl::StrCat("signature names ", named, " and className ",
                                                   wanted->name, "; give the same name"));
  }
  std::string rest = signature;
  if (wanted->kind.empty()) {
    wanted->kind = family.default_type;
  } else {
    const size_t behind = signature.find(wanted->kind) + wanted->kind.size();
    rest = std::string(absl::StripAsciiWhitespace(absl::string_view(signature).substr(behind)));
  }
  wanted->head = WriteHead(family, wanted->kind, wanted->name + type_parameters, rest);
  const auto use = family.type_uses.find(wanted->kind);
  if (use != family.type_uses.end()) wanted->use = use->second;
  return absl::OkStatus();
}

absl::StatusOr<WantedType> ReadType(const LanguageFamily& family, const Grammar& grammar,
                                    const GenerateRequest& request) {
  WantedType wanted;
  wanted.name = std::string(absl::StripAsciiWhitespace(request.class_name));
  const size_t generics = wanted.name.find('<');
  const std::string type_parameters =
      generics == std::string::npos ? "" : wanted.name.substr(generics);
  wanted.name = wanted.name.substr(0, generics);
  const std::vector<std::string> whole = TypesIn(grammar, Dedent(request.body));
  if (!whole.empty() &&
      (wanted.name.empty() || std::find(whole.begin(), whole.end(), wanted.name) != whole.end())) {
    if (wanted.name.empty()) wanted.name = whole.front();
    wanted.is_whole = true;
    wanted.body = Dedent(request.body);
    return wanted;
  }
  const SplitSignature signature = SplitHeadAndBody(family, request.signature);
  wanted.body = CleanBody(family, request.body);
  if (wanted.body.empty()) wanted.body = signature.body;
  STILE_RETURN_IF_ERROR(ReadSignature(family, signature.head, type_parameters, &wanted));
  if (!IsIdentifier(wanted.name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "create_type needs className, the name of the type",
        wanted.name.empty() ? "" : absl::StrCat("; ", ToUtf8(wanted.name), " is no name")));
  }
  return wanted;
}

std::string WriteType(const LanguageFamily& family, const CodeStyle& style, const Grammar& grammar,
                      const WantedType& wanted) {
  if (wanted.is_whole) return wanted.body;
  const GenerationFacts& facts = LanguageBackendOf(family.language).generation;
  std::string body = wanted.body;
  if (family.blocks == BlockStyle::kColon && body.empty()) body = "pass";
  if (facts.access_labels && absl::StrContains(wanted.head, "class ") &&
      !absl::StrContains(wanted.head, "enum ") && !body.empty() &&
      !absl::StrContains(body, "public:") && !absl::StrContains(body, "private:")) {
    // Labels stand half a level left of the members; Indent knows whole levels only.
    const std::string whole = Block(wanted.head, body, style, grammar);
    const size_t at = whole.find("{\n") + 2;
    return absl::StrCat(whole.substr(0, at), style.indent.size() == 2 ? " public:\n" : "public:\n",
                        whole.substr(at), ";");
  }
  const bool is_record = absl::StrContains(wanted.head, "record ");
  if (is_record && body.empty() && facts.bodiless_records && absl::StrContains(wanted.head, "(")) {
    return absl::StrCat(wanted.head, ";");
  }
  if (facts.records_have_constructor && is_record && !absl::StrContains(wanted.head, "(")) {
    const std::string head = absl::StrCat(wanted.head, "()");
    return Block(head, body, style, grammar);
  }
  return absl::StrCat(Block(wanted.head, body, style, grammar), family.type_end);
}

// A new file of Rust is no part of anything until its parent says so.
void AddRustModule(const GenerateContext& context, const std::string& path, Generated* result) {
  const std::string folder = DirName(path);
  const std::string name = BaseName(path).substr(0, BaseName(path).size() - 3);
  if (name == "lib" || name == "main" || name == "mod") return;
  for (const std::string& parent : {JoinPath(folder, "lib.rs"), JoinPath(folder, "main.rs"),
                                    JoinPath(folder, "mod.rs"), absl::StrCat(folder, ".rs")}) {
    auto site = OpenSite(context, parent);
    if (!site.ok()) continue;
    if (absl::StrContains(site->text(), absl::StrCat("mod ", name, ";"))) return;
    const std::string line =
        absl::StrCat(absl::EndsWith(parent, "main.rs") ? "" : "pub ", "mod ", name, ";");
    AddImport(*site, line, &result->plan);
    return;
  }
  result->notes.push_back(absl::StrCat("declare `mod ", name, ";` in the parent module"));
}

}  // namespace

absl::StatusOr<Generated> PlanType(const GenerateContext& context, const GenerateRequest& request) {
  Generated result;
  if (FileExists(JoinPath(context.workspace, request.file))) {
    STILE_ASSIGN_OR_RETURN(const CodeSite site, OpenSite(context, request.file));
    STILE_ASSIGN_OR_RETURN(const WantedType wanted,
                           ReadType(*site.family, site.file->grammar, request));
    for (const Symbol& symbol : site.file->symbols) {
      if (symbol.name == wanted.name && IsType(symbol.kind) && symbol.is_definition &&
          IsAtTop(symbol, site.file->symbols)) {
        return absl::AlreadyExistsError(absl::StrCat(request.file, " declares ", wanted.name,
                                                     " already, in line ", symbol.line,
                                                     "; change it with file.modify"));
      }
    }
    const size_t end = TopLevelEnd(site);
    const std::string code = WriteType(*site.family, site.style, site.file->grammar, wanted);
    const std::string prefix(end < site.text().size() ? IndentationAt(site.text(), end) : "");
    result.plan.Edit(*site.file, InsertBehind(*site.file, site.style, end,
                                              Indent(code, prefix, site.style, site.file->grammar),
                                              site.facts().top_level_gap));
    AddImport(site, wanted.use, &result.plan);
    result.what = absl::StrCat("type ", wanted.name);
    return result;
  }
  STILE_ASSIGN_OR_RETURN(const NewFile file, PlanNewFile(context, request.file));
  STILE_ASSIGN_OR_RETURN(const WantedType wanted, ReadType(*file.family, *file.grammar, request));
  std::string code = WriteType(*file.family, file.style, *file.grammar, wanted);
  if (!file.is_module) {
    code = absl::StrCat(absl::StripPrefix(code, "export "), "\n\nmodule.exports = { ", wanted.name,
                        " };");
  }
  std::vector<std::string> uses;
  if (!wanted.use.empty()) uses.push_back(wanted.use);
  const bool has_frame =
      wanted.is_whole && !file.space.empty() &&
      (absl::StrContains(code, "namespace ") || absl::StrContains(code, "package "));
  NewFile frame = file;
  if (has_frame || (wanted.is_whole &&
                    (absl::StartsWith(code, "using ") || absl::StartsWith(code, "package ")))) {
    frame.space.clear();
  }
  result.plan.Create(request.file, frame.Render(uses, code));
  const GenerationFacts& facts = LanguageBackendOf(file.language->id).generation;
  if (facts.files_are_declared) AddRustModule(context, request.file, &result);
  if (facts.public_type_names_file) {
    const std::string base = BaseName(request.file);
    const std::string stem = base.substr(0, base.rfind('.'));
    if (stem != wanted.name && absl::StrContains(code, "public ")) {
      result.notes.push_back(absl::StrCat("a public type of ", file.language->name, " must be in ",
                                          wanted.name, base.substr(stem.size())));
    }
  }
  result.what = absl::StrCat("type ", wanted.name);
  return result;
}

}  // namespace stile
