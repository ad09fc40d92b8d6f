#include "tools/refactor/member_checks.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

// How far a look at the text around a name goes.
constexpr size_t kMaxLook = 500;

absl::string_view BodyOf(const ClassSite& site) {
  const Symbol& type = site.type();
  return absl::string_view(site.file->text)
      .substr(type.signature_end, type.end - std::min(type.end, type.signature_end));
}

absl::string_view HeadOf(const ClassSite& site) {
  const Symbol& type = site.type();
  return absl::string_view(site.file->text).substr(type.begin, type.signature_end - type.begin);
}

absl::string_view TextOfMember(const ClassSite& owner, const Symbol& member) {
  return absl::string_view(owner.file->text).substr(member.begin, member.end - member.begin);
}

const NamingFacts& NamingOf(const ClassSite& site) {
  return LanguageBackendOf(site.file->language.id).naming;
}

// Whether what is written as `this` in the text is more than the receiver of a member.
bool PassesThis(absl::string_view text) {
  for (size_t at = 0; (at = FindWord(text, "this", at)) != absl::string_view::npos; at += 4) {
    const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(at + 4));
    if (!absl::StartsWith(behind, ".") && !absl::StartsWith(behind, "->")) return true;
  }
  return false;
}

// Whether the member behind the dot at `dot` is deleted: `del order.total`.
bool IsDeleted(absl::string_view text, size_t dot) {
  size_t begin = dot;
  while (begin > 0 && dot - begin < kMaxLook &&
         (IsIdentifierByte(text[begin - 1]) || text[begin - 1] == '.')) {
    --begin;
  }
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  for (absl::string_view word : {"del", "delete"}) {
    absl::string_view before = text.substr(0, begin);
    if (absl::ConsumeSuffix(&before, word) &&
        (before.empty() || !IsIdentifierByte(before.back()))) {
      return true;
    }
  }
  return false;
}

// Whether the name before the dot at `dot` is spelt as that of a type, or is a prototype.
bool IsOfType(absl::string_view text, size_t dot) {
  size_t begin = dot;
  while (begin > 0 && IsIdentifierByte(text[begin - 1])) --begin;
  const absl::string_view name = text.substr(begin, dot - begin);
  return name == "prototype" ||
         (!name.empty() && absl::ascii_isupper(static_cast<unsigned char>(name[0])));
}

// The names in `<T, U extends V>` right behind the name of a type.
std::vector<std::string> TypeParametersOf(const ClassSite& site) {
  std::vector<std::string> names;
  const absl::string_view text = absl::string_view(site.file->text).substr(site.type().name_end);
  if (!absl::StartsWith(text, "<") && !absl::StartsWith(text, "[")) return names;
  int depth = 0;
  std::string word;
  bool is_name = true;
  for (const char c : text) {
    if (IsIdentifierByte(c)) {
      word += c;
      continue;
    }
    if (!word.empty() && is_name && depth == 1) {
      names.push_back(word);
      is_name = false;
    }
    word.clear();
    if (c == '<' || c == '[') ++depth;
    if (c == '>' || c == ']') --depth;
    if (c == ',' && depth == 1) is_name = true;
    if (depth == 0) break;
  }
  return names;
}

const Symbol* MemberOf(const ClassSite& site, const std::string& name) {
  for (const Symbol& symbol : site.file->symbols) {
    if (symbol.parent == site.symbol && symbol.name == name) return &symbol;
  }
  return nullptr;
}

absl::string_view HeadOf(const ClassSite& site, const Symbol& member) {
  return absl::string_view(site.file->text)
      .substr(member.begin, member.signature_end - member.begin);
}

// Whether a call on any object of the hierarchy reaches the member of the object's own class: `a`
// and `b` are of classes of which one extends the other. In C# that takes a word.
bool IsDispatched(const ClassSite& one, const Symbol& a, const ClassSite& other, const Symbol& b) {
  const auto can_be = [](const Symbol& member, absl::string_view head) {
    return (member.kind == SymbolKind::kMethod || member.kind == SymbolKind::kProperty) &&
           !HoldsWord(head, "private") && !HoldsWord(head, "static") && !HoldsWord(head, "new");
  };
  const absl::string_view head = HeadOf(one, a);
  const absl::string_view other_head = HeadOf(other, b);
  if (!can_be(a, head) || !can_be(b, other_head)) return false;
  const bool takes_word = LanguageBackendOf(one.file->language.id).facts.imports_name_spaces;
  return !takes_word || HoldsWord(head, "override") || HoldsWord(other_head, "override");
}

// Whether an import of `user` from `module` reads the file at `path` itself.
bool IsModuleOf(const SourceFile& user, absl::string_view module, const std::string& path) {
  std::string file = path.substr(0, path.rfind('.'));
  if (LanguageBackendOf(user.language.id).generation.imports_files) {
    if (!absl::StartsWith(module, ".")) return false;
    std::string wanted = CleanPath(JoinPath(DirName(user.path), std::string(module)));
    const std::string name = BaseName(wanted);
    if (name.find('.') != std::string::npos) wanted.resize(wanted.rfind('.'));
    return wanted == file || absl::StrCat(wanted, "/index") == file;
  }
  if (BaseName(file) == "__init__") file = DirName(file);
  std::string folder = DirName(user.path);
  const bool is_relative = absl::ConsumePrefix(&module, ".");
  while (absl::ConsumePrefix(&module, ".")) folder = DirName(folder);
  std::string wanted(module);
  std::replace(wanted.begin(), wanted.end(), '.', '/');
  if (is_relative) return CleanPath(JoinPath(folder, wanted)) == file;
  return file == wanted || absl::EndsWith(file, absl::StrCat("/", wanted));
}

}  // namespace

absl::StatusOr<std::string> WhyBoundToClass(const ClassSite& owner, const Symbol& member) {
  const SourceFile& file = *owner.file;
  for (int i = owner.symbol; i >= 0; i = file.symbols[static_cast<size_t>(i)].parent) {
    const SymbolKind kind = file.symbols[static_cast<size_t>(i)].kind;
    if (kind == SymbolKind::kFunction || kind == SymbolKind::kMethod) {
      return std::string("its class is local to a function, whose names it may use");
    }
  }
  const NamingFacts& naming = NamingOf(owner);
  const auto attached =
      absl::string_view(file.text).substr(member.begin, member.name_begin - member.begin);
  for (absl::string_view rest = attached; !rest.empty();) {
    const size_t mark = rest.find_first_of("@[");
    if (mark == absl::string_view::npos) break;
    absl::string_view name = rest.substr(mark + 1);
    size_t size = 0;
    while (size < name.size() && (IsIdentifierByte(name[size]) || name[size] == '.')) ++size;
    name = name.substr(0, size);
    const bool is_array = rest[mark] == '[' && name.empty();
    if (!is_array && !IsOneOf(name, {"staticmethod", "classmethod", "Deprecated"})) {
      return absl::StrCat("`", rest.substr(mark, size + 1),
                          "` is attached to it, which may read its class");
    }
    rest = rest.substr(mark + 1);
  }
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
  for (TSNode node = ts_node_parent(NodeAt(tree, member.name_begin, member.name_end));
       !ts_node_is_null(node) && BeginOf(node) > owner.type().name_begin;
       node = ts_node_parent(node)) {
    const absl::string_view type = TypeOf(node);
    if (absl::StartsWith(type, "preproc") || type == "if_statement" || type == "try_statement" ||
        type == "with_statement" || type == "for_statement" || type == "while_statement" ||
        type == "match_statement") {
      return std::string("it is declared under a condition");
    }
  }
  if (absl::StrContains(TextOfMember(owner, member), "\n#")) {
    return std::string("it has directives of the preprocessor");
  }
  // Overloads are chosen by the type of the class around.
  if (naming.implicit_this && PassesThis(TextOfMember(owner, member))) {
    return std::string("it passes `this` on, whose type would be another one");
  }
  return std::string();
}

std::string WhyHooked(const ClassSite& site) {
  const std::string name = ToUtf8(site.type().name);
  for (const char* word : {"__init_subclass__", "__getattr__", "__getattribute__", "__slots__"}) {
    if (HoldsWord(BodyOf(site), word)) return absl::StrCat(name, " has ", word);
  }
  return HoldsWord(HeadOf(site), "metaclass") ? absl::StrCat(name, " has a metaclass") : "";
}

std::string WhyDifferentIn(const ClassSite& owner, const Symbol& member, const ClassSite& to) {
  const std::string name = ToUtf8(to.type().name);
  const absl::string_view text = TextOfMember(owner, member);
  if (HoldsWord(BodyOf(to), member.name)) {
    return absl::StrCat(name, " names ", ToUtf8(member.name),
                        " in its body, and would get it from then on");
  }
  const std::string hook = WhyHooked(to);
  if (!hook.empty()) return hook;
  if (!NamingOf(owner).implicit_this) {
    for (const ClassSite* site : {&owner, &to}) {
      if (absl::StartsWith(HeadOf(*site), "@") && !HoldsWord(HeadOf(*site), "dataclass")) {
        return absl::StrCat("the decorator of ", ToUtf8(site->type().name),
                            " may read its members");
      }
    }
  }
  // Where a head is evaluated with its class, its names have to be there before.
  const auto head = absl::string_view(owner.file->text)
                        .substr(member.name_end, member.signature_end - member.name_end);
  for (const Symbol& later : owner.file->symbols) {
    const bool is_later = later.parent < 0 && later.begin >= to.type().begin;
    if (to.file->path == owner.file->path && is_later && HoldsWord(head, later.name) &&
        NamingOf(owner).gradual_types) {
      return absl::StrCat("its head names ", ToUtf8(later.name), ", which comes after ", name);
    }
  }
  for (const ClassSite* site : {&owner, &to}) {
    for (const std::string& parameter : TypeParametersOf(*site)) {
      if (HoldsWord(text, parameter)) {
        return absl::StrCat("it uses the type parameter ", parameter, " of ",
                            ToUtf8(site->type().name));
      }
    }
  }
  // A private member is not inherited: the method means another one, of a class around.
  for (const Symbol& other : to.file->symbols) {
    if (other.parent != to.symbol || !NamingOf(owner).implicit_this) continue;
    const auto before =
        absl::string_view(to.file->text).substr(other.begin, other.name_begin - other.begin);
    if (HoldsWord(before, "private") && HoldsWord(text, other.name) &&
        MemberOf(owner, other.name) == nullptr) {
      return absl::StrCat("it uses ", ToUtf8(other.name), ", which is a private member of ", name);
    }
  }
  for (const Symbol& other : owner.file->symbols) {
    if (other.parent != owner.symbol || other.name == member.name) continue;
    const Symbol* const there = MemberOf(to, other.name);
    if (there == nullptr || !HoldsWord(text, other.name)) continue;
    // What is found by the object at run time is the same from wherever it is named.
    const bool by_object = !NamingOf(owner).implicit_this &&
                           (absl::StrContains(text, absl::StrCat("self.", other.name)) ||
                            absl::StrContains(text, absl::StrCat("this.", other.name)));
    if (by_object || IsDispatched(owner, other, to, *there)) continue;
    return absl::StrCat("it uses ", ToUtf8(other.name), ", which is another one in ", name);
  }
  return "";
}

absl::StatusOr<std::string> WhyNamesDiffer(const ClassSite& owner, const Symbol& member,
                                           const SourceFile& other) {
  const SourceFile& file = *owner.file;
  const absl::string_view text = TextOfMember(owner, member);
  const LanguageBackend& language = LanguageBackendOf(file.language.id);
  if (!language.facts.imports_name_spaces && DirName(file.path) != DirName(other.path)) {
    return absl::StrCat(ToUtf8(other.path), " is of another package, where names may mean others");
  }
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto imports = [](const SourceFile& of) -> absl::StatusOr<std::set<Key>> {
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(of.grammar, of.text));
    std::set<Key> found;
    for (const Import& import : FindImports(of.grammar, tree, of.text)) {
      found.emplace(import.module, import.name, import.alias);
    }
    return found;
  };
  STILE_ASSIGN_OR_RETURN(const std::set<Key> here, imports(file));
  STILE_ASSIGN_OR_RETURN(const std::set<Key> there, imports(other));
  for (const Key& import : there) {
    if (here.count(import) > 0) continue;
    const auto& [module, name, alias] = import;
    const std::string whole = name.empty() ? module : name;
    const std::string bound = alias.empty() ? LastComponent(whole) : alias;
    const bool is_all =
        name == "*" || bound == "*" || (alias.empty() && language.facts.imports_name_spaces);
    if (is_all || HoldsWord(text, bound)) {
      return absl::StrCat(ToUtf8(other.path), " imports ", ToUtf8(module), ", and ",
                          ToUtf8(file.path), " does not");
    }
  }
  for (const Key& import : here) {
    const auto& [module, name, alias] = import;
    const bool is_named = !alias.empty() && HoldsWord(text, alias);
    if (is_named && there.count(import) == 0) {
      return absl::StrCat("it uses ", ToUtf8(alias), ", an alias of ", ToUtf8(file.path));
    }
  }
  return std::string();
}

bool NamesType(const ClassSite& user, const Declaration& base) {
  if (user.file->path == base.file->path) return true;
  const LanguageBackend& language = LanguageBackendOf(user.file->language.id);
  // Of the same package, or imported by its own name.
  const bool is_beside =
      language.facts.imports_name_spaces || DirName(user.file->path) == DirName(base.file->path);
  const auto tree = SyntaxTree::Parse(user.file->grammar, user.file->text);
  if (!tree.ok()) return false;
  const std::string& name = base.name();
  const std::string path = absl::StrCat(DirName(base.file->path), "/", name);
  bool is_imported = false;
  bool is_other = false;
  for (const Import& import : FindImports(user.file->grammar, *tree, user.file->text)) {
    if (!language.naming.implicit_this) {
      const std::string& bound = import.alias.empty() ? import.name : import.alias;
      if (bound != name) continue;
      return import.name == name && IsModuleOf(*user.file, import.module, base.file->path);
    }
    const std::string whole =
        import.name.empty() ? import.module : absl::StrCat(import.module, ".", import.name);
    if (!import.alias.empty()) is_other = is_other || import.alias == name;
    if (whole != name && !absl::EndsWith(whole, absl::StrCat(".", name))) continue;
    std::string as_path = whole;
    std::replace(as_path.begin(), as_path.end(), '.', '/');
    (absl::EndsWith(path, as_path) ? is_imported : is_other) = true;
  }
  return language.naming.implicit_this && !is_other && (is_imported || is_beside);
}

std::string WhyReachedOtherwise(const ClassSite& owner, const Symbol& member,
                                const Resolution& named) {
  const bool is_typed = !LanguageBackendOf(owner.file->language.id).naming.gradual_types;
  if (!is_typed && absl::StartsWith(absl::AsciiStrToLower(member.name), "test")) {
    return "a runner of tests may find it by its name in every class";
  }
  for (const auto& file : named.files) {
    const absl::string_view text = file->text;
    const bool is_same_language = SeeEachOther(file->language, owner.file->language);
    for (size_t at = 0; (at = FindWord(text, member.name, at)) != absl::string_view::npos;
         at += member.name.size()) {
      const bool is_own =
          file->path == owner.file->path && at >= owner.type().begin && at < owner.type().end;
      if (is_own) continue;
      const absl::string_view behind =
          absl::StripLeadingAsciiWhitespace(text.substr(at + member.name.size()));
      const bool is_set = at > 0 && text[at - 1] == '.' && absl::StartsWith(behind, "=") &&
                          !absl::StartsWith(behind, "==") && !absl::StartsWith(behind, "=>") &&
                          (member.kind == SymbolKind::kMethod || IsOfType(text, at - 1));
      const bool is_quoted = at > 0 && (text[at - 1] == '"' || text[at - 1] == '\'') &&
                             at + member.name.size() < text.size() &&
                             text[at + member.name.size()] == text[at - 1];
      const std::string where =
          absl::StrCat(ToUtf8(file->path), ":", file->PlaceOf(static_cast<uint32_t>(at)).line);
      if (is_set) return absl::StrCat(where, " gives the name another value");
      if (!is_typed && at > 0 && text[at - 1] == '.' && IsDeleted(text, at - 1)) {
        return absl::StrCat(where, " deletes it");
      }
      if (is_quoted && is_same_language) return absl::StrCat(where, " names it in a string");
    }
  }
  for (const Declaration& other : named.all) {
    if (other.symbol < 0) continue;
    const Symbol& symbol = other.AsSymbol();
    const auto parameters = absl::string_view(other.file->text)
                                .substr(symbol.name_end, symbol.signature_end - symbol.name_end);
    if (NamingOf(owner).implicit_this && absl::StartsWith(parameters, "(this ")) {
      return absl::StrCat("an extension method has the name (", ToUtf8(other.file->path), ":",
                          other.place().line, ")");
    }
  }
  return "";
}

// Whether the class `name` may be extended at the offset by an expression, or gets another name
// there: `class B extends mixin(A)`, `type("B", (A,), {})`, `const Base = A;`.
static bool IsExtendedUnseen(absl::string_view text, const std::string& name, size_t at) {
  const size_t from = std::max(at - std::min(at, kMaxLook), LineBegin(text, at));
  const absl::string_view before = text.substr(from, at - from);
  const absl::string_view behind = absl::StripAsciiWhitespace(
      text.substr(at + name.size(), LineEnd(text, at) - at - name.size()).substr(0, kMaxLook));
  const size_t head = before.rfind("extends ");
  const bool is_argument =
      head != absl::string_view::npos && absl::StrContains(before.substr(head), "(");
  const size_t make = FindWord(before, "type", 0);
  const bool is_made = make != absl::string_view::npos &&
                       absl::StartsWith(before.substr(make + 4), "(") &&
                       absl::StrContains(before.substr(make), ", (");
  const absl::string_view target = absl::StripTrailingAsciiWhitespace(before);
  const bool is_renamed = absl::EndsWith(target, "=") && !absl::EndsWith(target, "==") &&
                          (behind.empty() || behind == ";");
  return is_argument || is_made || is_renamed;
}

// Whether the file knows the class by another name: `import { A as Base }`, `from a import A as B`.
static bool HasAlias(const SourceFile& file, const std::string& name) {
  const auto tree = SyntaxTree::Parse(file.grammar, file.text);
  if (!tree.ok()) return false;
  const std::vector<Import> imports = FindImports(file.grammar, *tree, file.text);
  return std::any_of(imports.begin(), imports.end(), [&](const Import& import) {
    return import.name == name && !import.alias.empty() && import.alias != name;
  });
}

std::string WhyDerivedUnseen(const ClassSite& type, CodeIndex* index) {
  const NamingFacts& naming = NamingOf(type);
  if (!naming.anonymous_classes && !naming.gradual_types) return "";
  const std::string& name = type.type().name;
  for (const auto& file : index->FilesWith(name)) {
    const absl::string_view text = file->text;
    if (naming.gradual_types && HasAlias(*file, name)) {
      return absl::StrCat(ToUtf8(file->path), " knows ", ToUtf8(name), " by another name");
    }
    for (size_t at = 0; (at = FindWord(text, name, at)) != absl::string_view::npos;
         at += name.size()) {
      if (naming.gradual_types && IsExtendedUnseen(text, name, at)) {
        return absl::StrCat(ToUtf8(file->path), ":", file->PlaceOf(static_cast<uint32_t>(at)).line,
                            " may make a class of ", ToUtf8(name), " by another name");
      }
      if (!naming.anonymous_classes) continue;
      const bool is_made =
          absl::EndsWith(absl::StripTrailingAsciiWhitespace(text.substr(0, at)), "new");
      const size_t close = text.find(')', at);
      const bool has_body =
          close != absl::string_view::npos &&
          absl::StartsWith(absl::StripLeadingAsciiWhitespace(text.substr(close + 1)), "{");
      if (is_made && has_body) {
        return absl::StrCat("an anonymous class extends ", ToUtf8(name), " (", ToUtf8(file->path),
                            ":", file->PlaceOf(static_cast<uint32_t>(at)).line, ")");
      }
    }
  }
  return "";
}

}  // namespace stile
