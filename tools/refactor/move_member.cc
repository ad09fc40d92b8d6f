#include "tools/refactor/move_member.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/syntax_tree.h"
#include "tools/codegen/insert_code.h"
#include "tools/index/code_index.h"
#include "tools/index/type_relations.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/language_family.h"
#include "tools/language/syntax_nodes.h"
#include "tools/language/type_body.h"
#include "tools/refactor/member_checks.h"
#include "tools/refactor/moved_field.h"
#include "tools/refactor/safe_delete.h"

namespace stile {
namespace {

const LanguageBackend& BackendOf(const SourceFile& file) {
  return LanguageBackendOf(file.language.id);
}

// Bases that bring no member that a call could mean.
bool IsRoot(absl::string_view base) {
  return IsOneOf(base, {"object", "Object", "ABC", "Generic"});
}

std::string PlaceOf(const Declaration& declaration) {
  return absl::StrCat(ToUtf8(declaration.file->path), ":", declaration.place().line);
}

// A member that moves from one class to another.
struct MovedMember {
  const SourceFile& file;
  const Symbol& symbol;

  bool IsField() const {
    return symbol.kind == SymbolKind::kField || symbol.kind == SymbolKind::kProperty ||
           symbol.kind == SymbolKind::kConstant;
  }
  // With its documentation.
  size_t Begin() const {
    return symbol.doc_end > 0 && symbol.doc_end <= symbol.begin ? symbol.doc_begin : symbol.begin;
  }
  size_t End() const { return IsField() ? EndOfField(file, symbol) : symbol.end; }
  absl::string_view Text() const {
    return absl::string_view(file.text).substr(Begin(), End() - Begin());
  }
};

class MemberMove {
 public:
  MemberMove(const Declaration& member, const Resolution& resolution, CodeIndex* index)
      : file_(*member.file),
        member_(member.AsSymbol()),
        moved_{file_, member_},
        resolution_(resolution),
        index_(index),
        family_(*FindLanguageFamily(file_.language.id)),
        owner_{member.file, member_.parent} {}

  absl::StatusOr<EditPlan> PullUp(const std::string& wanted) {
    STILE_RETURN_IF_ERROR(CheckMember());
    STILE_ASSIGN_OR_RETURN(const ClassSite base, BaseOf(owner_, wanted));
    STILE_ASSIGN_OR_RETURN(const std::vector<ClassSite> above,
                           BasesAbove(moved_.IsField() ? owner_ : base));
    STILE_ASSIGN_OR_RETURN(const std::vector<ClassSite> below, ClassesBelow(base));
    STILE_RETURN_IF_ERROR(CheckOthers(base, below));
    STILE_RETURN_IF_ERROR(Unless(WhyDifferentIn(owner_, member_, base)));
    STILE_RETURN_IF_ERROR(CheckHooks(above));
    STILE_RETURN_IF_ERROR(CheckHooks(below));
    STILE_RETURN_IF_ERROR(Unless(WhyDerivedUnseen(base, index_)));
    for (const ClassSite& type : below) {
      const bool has_it = (type.Is(file_, owner_.symbol) || IsChild(type)) && !IsPrivate();
      if (!has_it) STILE_RETURN_IF_ERROR(Unless(WhyDerivedUnseen(type, index_)));
      if (type.Is(file_, owner_.symbol) || IsChild(type) || Declares(type)) continue;
      STILE_RETURN_IF_ERROR(Unless(WhyNamed(type)));
    }
    if (moved_.IsField()) {
      STILE_ASSIGN_OR_RETURN(const std::string reason,
                             WhyFieldStays(owner_, member_, above, below));
      STILE_RETURN_IF_ERROR(Unless(reason));
    }
    STILE_RETURN_IF_ERROR(CheckUsesOfOwner(base));
    STILE_RETURN_IF_ERROR(CheckNamesIn(*base.file));
    EditPlan plan;
    STILE_RETURN_IF_ERROR(Remove(&plan));
    STILE_RETURN_IF_ERROR(Insert(base, &plan));
    return plan;
  }

  absl::StatusOr<EditPlan> PushDown() {
    if (moved_.IsField()) return No("push_down moves methods only");
    STILE_RETURN_IF_ERROR(CheckMember());
    STILE_RETURN_IF_ERROR(BasesAbove(owner_).status());
    if (HoldsWord(moved_.Text(), "override") || absl::StrContains(moved_.Text(), "@Override")) {
      return No("it overrides a method of another class, which calls would get then");
    }
    STILE_ASSIGN_OR_RETURN(const std::vector<ClassSite> below, ClassesBelow(owner_));
    EditPlan plan;
    size_t copies = 0;
    for (const ClassSite& derived : below) {
      const std::vector<std::string>& bases = derived.type().bases;
      if (std::find(bases.begin(), bases.end(), owner_.type().name) == bases.end()) continue;
      STILE_ASSIGN_OR_RETURN(const ClassSite found, ClassNamed(owner_.type().name, derived));
      if (!found.Is(file_, owner_.symbol)) continue;
      if (Declares(derived)) {
        STILE_RETURN_IF_ERROR(CheckSameParameters(derived));
        continue;
      }
      STILE_RETURN_IF_ERROR(Unless(WhyDifferentIn(owner_, member_, derived)));
      STILE_RETURN_IF_ERROR(CheckNamesIn(*derived.file));
      STILE_RETURN_IF_ERROR(Insert(derived, &plan));
      ++copies;
    }
    if (copies == 0) {
      return No(
          absl::StrCat("no class of the project that extends ", owner_.type().name, " lacks it"));
    }
    for (const Declaration& other : resolution_.all) {
      const ClassSite site{other.file, other.symbol < 0 ? -1 : other.AsSymbol().parent};
      if (IsMember(other) || site.symbol < 0) continue;
      const bool is_below = std::any_of(below.begin(), below.end(), [&](const ClassSite& type) {
        return type.Is(*site.file, site.symbol);
      });
      if (!is_below && IsType(site.type().kind)) {
        return No(absl::StrCat(site.type().name, " declares ", member_.name, ", too (",
                               PlaceOf(other), "), and calls may mean that then"));
      }
    }
    STILE_RETURN_IF_ERROR(Unless(WhyDerivedUnseen(owner_, index_)));
    STILE_RETURN_IF_ERROR(CheckNoPlainCall(owner_));
    STILE_RETURN_IF_ERROR(Remove(&plan));
    return plan;
  }

 private:
  // A refusal with the reason; "" : none.
  absl::Status Unless(absl::string_view reason) const {
    return reason.empty() ? absl::OkStatus() : No(reason);
  }

  bool IsChild(const ClassSite& type) const {
    const std::vector<std::string>& bases = type.type().bases;
    return std::find(bases.begin(), bases.end(), owner_.type().name) != bases.end();
  }

  // Of a class beside: its body names the method without declaring it.
  std::string WhyNamed(const ClassSite& type) const {
    const auto body = absl::string_view(type.file->text)
                          .substr(type.type().name_end, type.type().end - type.type().name_end);
    if (!HoldsWord(body, member_.name)) return "";
    return absl::StrCat(ToUtf8(type.type().name), " names it, and would get it from then on");
  }

  // A derived class that has another overload only would lose this one.
  absl::Status CheckSameParameters(const ClassSite& derived) const {
    const auto head = [](const SourceFile& file, const Symbol& symbol) {
      return absl::string_view(file.text).substr(symbol.name_end,
                                                 symbol.signature_end - symbol.name_end);
    };
    for (const Symbol& symbol : derived.file->symbols) {
      if (symbol.parent != derived.symbol || symbol.name != member_.name) continue;
      if (head(*derived.file, symbol) == head(file_, member_)) return absl::OkStatus();
    }
    return No(absl::StrCat(ToUtf8(derived.type().name), " declares ", ToUtf8(member_.name),
                           " with other parameters"));
  }

  absl::Status No(absl::string_view reason) const {
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(member_.name), " cannot move: ", reason));
  }

  bool IsMember(const Declaration& other) const {
    return other.file->path == file_.path && other.name_begin() == member_.name_begin;
  }

  absl::Status CheckMember() const {
    const bool is_method = member_.kind == SymbolKind::kMethod && member_.is_definition;
    if (owner_.symbol < 0 || owner_.type().kind != SymbolKind::kClass ||
        (!is_method && !moved_.IsField())) {
      return No("it is no field of a class, and no method with a body");
    }
    const auto& library = family_.library_members;
    const bool is_called = !moved_.IsField() &&
                           std::find(library.begin(), library.end(), member_.name) != library.end();
    if (is_called || absl::StartsWith(member_.name, "__") || member_.name == "constructor" ||
        member_.name == "toJSON") {
      return No(moved_.IsField() ? "its name means something to the language"
                                 : "libraries call methods of that name");
    }
    // What super, a private name and the class itself mean depends on the class.
    std::vector<std::string> words = BackendOf(file_).naming.class_words;
    words.insert(words.end(), {"super", "__class__"});
    for (const std::string& word : words) {
      if (HoldsWord(moved_.Text(), word)) return No(absl::StrCat("it uses ", word));
    }
    if (BackendOf(file_).generation.imports_files &&
        (absl::StrContains(moved_.Text(), ".#") || absl::StartsWith(member_.name, "#"))) {
      return No("it uses a private name of its class");
    }
    if (BackendOf(file_).naming.double_underscores_are_special &&
        absl::StrContains(moved_.Text(), "__")) {
      return No("it uses a private or special name");
    }
    if (BackendOf(file_).generation.imports_files &&
        absl::StrContains(moved_.Text(), "import.meta")) {
      return No("it uses import.meta");
    }
    STILE_ASSIGN_OR_RETURN(const std::string bound, WhyBoundToClass(owner_, member_));
    STILE_RETURN_IF_ERROR(Unless(bound));
    return Unless(WhyReachedOtherwise(owner_, member_, resolution_));
  }

  // Code of a class that runs for each of its members, or for each that is missing.
  absl::Status CheckHooks(const std::vector<ClassSite>& types) const {
    for (const ClassSite& type : types) STILE_RETURN_IF_ERROR(Unless(WhyHooked(type)));
    return absl::OkStatus();
  }

  bool IsPrivate() const {
    const absl::string_view head =
        absl::string_view(file_.text).substr(member_.begin, member_.name_begin - member_.begin);
    const bool has_access =
        std::any_of(family_.access.begin(), family_.access.end(),
                    [&](const std::string& word) { return HoldsWord(head, word); });
    return HoldsWord(head, "private") ||
           (BackendOf(file_).naming.members_private_by_default && !has_access);
  }

  // The class that the head of `user` means by a name.
  absl::StatusOr<ClassSite> ClassNamed(const std::string& name, const ClassSite& user) const {
    const SourceFile& near = *user.file;
    SymbolQuery query;
    query.name = name;
    const auto found = Resolve(query, index_);
    if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
    std::vector<Declaration> types;
    std::vector<Declaration> here;
    for (const Declaration& target : found.ok() ? found->targets : std::vector<Declaration>()) {
      if (target.symbol < 0 || !SeeEachOther(near.language, target.file->language)) continue;
      if (!IsType(target.AsSymbol().kind)) continue;
      types.push_back(target);
      if (target.file->path == near.path) here.push_back(target);
    }
    if (here.size() == 1) types = here;
    if (types.empty()) {
      return absl::NotFoundError(absl::StrCat("the project does not declare ", ToUtf8(name)));
    }
    if (types.size() > 1) {
      return absl::FailedPreconditionError(
          absl::StrCat("several types are called ", ToUtf8(name), ": ", PlaceOf(types[0]), ", ",
                       PlaceOf(types[1]), types.size() > 2 ? ", …" : ""));
    }
    if (!NamesType(user, types[0])) {
      return absl::NotFoundError(absl::StrCat("it is not certain that ", ToUtf8(name),
                                              " is the one of ", PlaceOf(types[0])));
    }
    return ClassSite{types[0].file, types[0].symbol};
  }

  absl::StatusOr<ClassSite> BaseOf(const ClassSite& type, const std::string& wanted) const {
    std::vector<ClassSite> classes;
    std::vector<std::string> names;
    std::string doubt;
    for (const std::string& base : type.type().bases) {
      if (!wanted.empty() && base != wanted) continue;
      const auto found = ClassNamed(base, type);
      if (absl::IsNotFound(found.status())) {
        if (!wanted.empty()) return No(found.status().message());
        if (absl::StrContains(found.status().message(), "certain")) {
          doubt = absl::StrCat(": ", found.status().message());
        }
        continue;
      }
      if (!found.ok()) return No(found.status().message());
      if (found->type().kind != SymbolKind::kClass) continue;
      classes.push_back(*found);
      names.push_back(ToUtf8(base));
    }
    if (classes.size() == 1) return classes[0];
    const std::string name = ToUtf8(type.type().name);
    if (classes.empty()) {
      return No(absl::StrCat(name, " extends no class ", wanted.empty() ? "" : ToUtf8(wanted) + " ",
                             "that the project declares", doubt));
    }
    return absl::InvalidArgumentError(absl::StrCat(
        name, " extends several classes; give one as newName: ", absl::StrJoin(names, ", ")));
  }

  // The class first, and then those that it extends. Those of libraries may have the name, and call
  // it.
  absl::StatusOr<std::vector<ClassSite>> BasesAbove(ClassSite type) const {
    constexpr size_t kMaxDepth = 50;
    std::vector<ClassSite> all;
    std::vector<ClassSite> open = {std::move(type)};
    while (!open.empty()) {
      if (all.size() > kMaxDepth) return No("the hierarchy of classes is too deep, or a circle");
      const ClassSite site = open.back();
      open.pop_back();
      all.push_back(site);
      for (const std::string& base : site.type().bases) {
        if (IsRoot(base)) continue;
        const auto found = ClassNamed(base, site);
        if (!found.ok()) {
          return No(absl::StrCat(ToUtf8(site.type().name), " extends ", ToUtf8(base), ", and ",
                                 found.status().message(), ": it may have the name, too"));
        }
        // What the class promises may come from its base.
        const bool is_promise = found->type().kind == SymbolKind::kInterface &&
                                BackendOf(file_).facts.fields_in_interfaces;
        if (Declares(*found) && !is_promise) {
          return No(absl::StrCat(ToUtf8(base), " declares ", ToUtf8(member_.name), ", too"));
        }
        open.push_back(*found);
      }
    }
    return all;
  }

  bool Declares(const ClassSite& type) const {
    return std::any_of(type.file->symbols.begin(), type.file->symbols.end(),
                       [&](const Symbol& symbol) {
                         return symbol.parent == type.symbol && symbol.name == member_.name;
                       });
  }

  absl::StatusOr<std::vector<ClassSite>> ClassesBelow(const ClassSite& base) const {
    Resolution types;
    types.targets = {{base.file, base.symbol, -1}};
    types.all = types.targets;
    std::vector<ClassSite> below;
    for (const RelatedSymbol& related : FindDerivedTypes(types, index_)) {
      below.push_back({related.declaration.file, related.declaration.symbol});
      if (BackendOf(file_).naming.bases_can_compete && below.back().type().bases.size() > 1) {
        return No(absl::StrCat(ToUtf8(below.back().type().name),
                               " extends several classes, and may take the name from another"));
      }
    }
    return below;
  }

  // Nothing below the base, and the base itself, has the name or means something else by it.
  absl::Status CheckOthers(const ClassSite& base, const std::vector<ClassSite>& below) const {
    if (Declares(base)) {
      return No(
          absl::StrCat(ToUtf8(base.type().name), " declares ", ToUtf8(member_.name), ", too"));
    }
    STILE_RETURN_IF_ERROR(CheckNoPlainCall(base));
    for (const ClassSite& type : below) {
      if (type.Is(file_, owner_.symbol)) continue;
      const bool has_it_before = moved_.IsField() && IsChild(type) && !IsPrivate();
      if (!has_it_before) STILE_RETURN_IF_ERROR(CheckNoPlainCall(type));
      if (Declares(type) && !IsChild(type)) {
        return No(absl::StrCat(ToUtf8(type.type().name), " declares ", ToUtf8(member_.name),
                               ", too: it would override the moved one"));
      }
      // A default of an interface gives way to a method of a base class.
      STILE_RETURN_IF_ERROR(CheckInterfaces(type, 0));
    }
    return absl::OkStatus();
  }

  absl::Status CheckInterfaces(const ClassSite& type, int depth) const {
    constexpr int kMaxDepth = 20;
    if (depth > kMaxDepth) return No("the hierarchy of interfaces is too deep, or a circle");
    for (const std::string& name : type.type().bases) {
      if (IsRoot(name)) continue;
      const auto found = ClassNamed(name, type);
      if (!found.ok() || found->type().kind != SymbolKind::kInterface) continue;
      if (Declares(*found)) {
        return No(absl::StrCat(ToUtf8(name), ", above ", ToUtf8(type.type().name), ", declares ",
                               ToUtf8(member_.name), ", too"));
      }
      STILE_RETURN_IF_ERROR(CheckInterfaces(*found, depth + 1));
    }
    return absl::OkStatus();
  }

  // A name alone that means a member can mean another one after the move.
  absl::Status CheckNoPlainCall(const ClassSite& type) const {
    if (!BackendOf(file_).naming.implicit_this) return absl::OkStatus();
    for (const Occurrence& occurrence :
         FindOccurrences(type.file->grammar, type.file->scopes, type.file->text, member_.name)) {
      const bool is_inside =
          occurrence.begin >= type.type().begin && occurrence.begin < type.type().end;
      const bool is_own = type.file->path == file_.path && occurrence.begin >= member_.begin &&
                          occurrence.begin < member_.end;
      if (!is_inside || is_own || occurrence.role != OccurrenceRole::kReference) continue;
      return No(absl::StrCat(ToUtf8(type.type().name), " uses the name (", ToUtf8(type.file->path),
                             ":", type.file->PlaceOf(occurrence.begin).line,
                             "), which could mean something else then"));
    }
    return absl::OkStatus();
  }

  // Members that the base lacks.
  absl::Status CheckUsesOfOwner(const ClassSite& base) const {
    for (size_t i = 0; i < file_.symbols.size(); ++i) {
      const Symbol& other = file_.symbols[i];
      if (other.parent != owner_.symbol || other.name == member_.name) continue;
      const bool in_base = std::any_of(
          base.file->symbols.begin(), base.file->symbols.end(), [&](const Symbol& symbol) {
            return symbol.parent == base.symbol && symbol.name == other.name;
          });
      if (in_base) continue;
      for (const Occurrence& occurrence :
           FindOccurrences(file_.grammar, file_.scopes, file_.text, other.name)) {
        if (occurrence.begin < member_.begin || occurrence.begin >= member_.end) continue;
        if (occurrence.role != OccurrenceRole::kMember &&
            occurrence.role != OccurrenceRole::kReference) {
          continue;
        }
        return No(absl::StrCat("it uses ", ToUtf8(other.name), " (line ",
                               file_.PlaceOf(occurrence.begin).line, "), which ",
                               ToUtf8(base.type().name), " does not declare"));
      }
    }
    return absl::OkStatus();
  }

  // Names of the file that the moved code uses must mean the same in the other one, unless the
  // compiler knows that.
  absl::Status CheckNamesIn(const SourceFile& other) const {
    if (other.path == file_.path) return absl::OkStatus();
    if (BackendOf(file_).naming.compiler_checks_names) {
      STILE_ASSIGN_OR_RETURN(const std::string reason,
                             WhyNamesDiffer({owner_.file, owner_.symbol}, member_, other));
      return Unless(reason);
    }
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(file_.grammar, file_.text));
    STILE_ASSIGN_OR_RETURN(const SyntaxTree other_tree,
                           SyntaxTree::Parse(other.grammar, other.text));
    const std::vector<Import> there = FindImports(other.grammar, other_tree, other.text);
    std::set<std::string> names;
    for (const Import& import : FindImports(file_.grammar, tree, file_.text)) {
      const bool is_known = !absl::StartsWith(import.module, ".") &&
                            std::any_of(there.begin(), there.end(), [&](const Import& known) {
                              return known.module == import.module && known.name == import.name &&
                                     known.alias == import.alias;
                            });
      const std::string& bound = !import.alias.empty()  ? import.alias
                                 : !import.name.empty() ? import.name
                                                        : import.module;
      if (!is_known) names.insert(bound.substr(0, bound.find('.')));
    }
    for (const Symbol& symbol : file_.symbols) {
      if (symbol.parent < 0) names.insert(symbol.name);
    }
    for (const Symbol& symbol : other.symbols) {
      if (symbol.parent < 0) names.insert(symbol.name);
    }
    for (const std::string& name : names) {
      for (const Occurrence& occurrence :
           FindOccurrences(file_.grammar, file_.scopes, file_.text, name)) {
        if (occurrence.begin < moved_.Begin() || occurrence.begin >= member_.end) continue;
        if (occurrence.role == OccurrenceRole::kMember || occurrence.role == OccurrenceRole::kKey) {
          continue;
        }
        return No(absl::StrCat("it uses ", ToUtf8(name), " of ", ToUtf8(file_.path), " (line ",
                               file_.PlaceOf(occurrence.begin).line, "), which ",
                               ToUtf8(other.path), " does not import in the same way"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Remove(EditPlan* plan) const {
    const bool is_alone =
        !BackendOf(file_).generation.empty_body.empty() &&
        std::none_of(file_.symbols.begin(), file_.symbols.end(), [&](const Symbol& other) {
          return other.parent == owner_.symbol && other.name_begin != member_.name_begin;
        });
    if (is_alone) {
      plan->Edit(file_, {static_cast<uint32_t>(moved_.Begin()), static_cast<uint32_t>(moved_.End()),
                         BackendOf(file_).generation.empty_body});
    } else {
      Symbol whole = member_;
      whole.end = static_cast<uint32_t>(moved_.End());
      plan->Edit(file_, DeletionOf(file_, whole));
    }
    return absl::OkStatus();
  }

  absl::Status Insert(const ClassSite& type, EditPlan* plan) const {
    STILE_ASSIGN_OR_RETURN(const SyntaxTree own, SyntaxTree::Parse(file_.grammar, file_.text));
    std::set<size_t> rows;
    AddLinesInStrings(own.root(), &rows);
    const size_t first = static_cast<size_t>(std::count(
        file_.text.begin(), file_.text.begin() + static_cast<long>(moved_.Begin()), '\n'));
    std::set<size_t> in_strings;
    for (const size_t row : rows) {
      if (row >= first) in_strings.insert(row - first);
    }
    // What only the class itself could call, its derived classes have to.
    std::string member(moved_.Text());
    const size_t declared_at = member_.begin - moved_.Begin();
    const absl::string_view head =
        absl::string_view(file_.text).substr(member_.begin, member_.name_begin - member_.begin);
    if (BackendOf(file_).naming.has_private_word && HoldsWord(head, "private")) {
      member.replace(member.find("private", declared_at), std::string("private").size(),
                     "protected");
    } else if (BackendOf(file_).naming.members_private_by_default && IsPrivate()) {
      member.insert(declared_at, "protected ");
    }
    const std::string code =
        Dedent(absl::StrReplaceAll(absl::StrCat(IndentationAt(file_.text, moved_.Begin()), member),
                                   {{"\r\n", "\n"}}),
               in_strings);
    STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                           SyntaxTree::Parse(type.file->grammar, type.file->text));
    STILE_ASSIGN_OR_RETURN(const TypeBody body,
                           FindTypeBody(family_, tree, type.file->text, type.type().name_begin));
    const CodeStyle style = StyleOf(type.file->text, family_);
    const MemberKind kind = moved_.IsField() ? MemberKind::kField : MemberKind::kMethod;
    TextEdit edit = InsertMember(*type.file, family_, body, style, kind, code);
    const bool joins = moved_.IsField() && BackendOf(file_).facts.lines_join &&
                       GoesOn(absl::string_view(type.file->text).substr(edit.end));
    const absl::string_view declaration =
        absl::string_view(file_.text).substr(member_.begin, moved_.End() - member_.begin);
    const bool has_end = absl::StrContains(declaration.substr(member_.end - member_.begin), ";") ||
                         absl::EndsWith(declaration, ";");
    if (joins && !has_end) {
      return No(absl::StrCat("no semicolon ends it, and a line of ", ToUtf8(type.type().name),
                             " would go on with it"));
    }
    plan->Edit(*type.file, std::move(edit));
    return absl::OkStatus();
  }

  const SourceFile& file_;
  const Symbol& member_;
  const MovedMember moved_;
  const Resolution& resolution_;
  CodeIndex* const index_;
  const LanguageFamily& family_;
  const ClassSite owner_;
};

absl::StatusOr<Declaration> OneMember(const Resolution& resolution, absl::string_view operation) {
  if (resolution.targets.size() != 1 || resolution.targets[0].symbol < 0) {
    return absl::InvalidArgumentError(
        resolution.targets.size() > 1
            ? "several declarations have that name; give Owner.name, or filePath and line"
            : "it is a local variable, not a member of a class");
  }
  const Declaration& target = resolution.targets[0];
  const LanguageFamily* const family = LanguageBackendOf(target.file->language.id).family;
  if (family == nullptr || !family->Supports(operation)) {
    return absl::UnimplementedError(absl::StrCat("code.refactor ", operation,
                                                 " is not available for ",
                                                 target.file->language.name, "; use file.modify"));
  }
  return target;
}

}  // namespace

absl::StatusOr<EditPlan> PlanPullUp(const Resolution& resolution, const std::string& base,
                                    CodeIndex* index) {
  STILE_ASSIGN_OR_RETURN(const Declaration member, OneMember(resolution, "pull_up"));
  return MemberMove(member, resolution, index).PullUp(base);
}

absl::StatusOr<EditPlan> PlanPushDown(const Resolution& resolution, CodeIndex* index) {
  STILE_ASSIGN_OR_RETURN(const Declaration member, OneMember(resolution, "push_down"));
  return MemberMove(member, resolution, index).PushDown();
}

}  // namespace stile
