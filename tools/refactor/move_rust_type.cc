#include "tools/refactor/move_rust_type.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/code_index.h"
#include "tools/index/references.h"
#include "tools/index/type_relations.h"
#include "tools/language/code_style.h"
#include "tools/language/language_family.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/safe_delete.h"

namespace stile {
namespace {

// The folder in which the compiler looks for the child modules of a file, see "The Rust Reference",
// "Module source filenames".
absl::StatusOr<std::string> ChildFolder(const std::string& path) {
  const std::string folder = DirName(path);
  const std::string name = BaseName(path);
  if (name == "lib.rs" || name == "main.rs" || name == "mod.rs" || name == "build.rs") {
    return folder;
  }
  const std::string holder = BaseName(folder);
  for (const char* targets : {"bin", "tests", "examples", "benches"}) {
    if (holder != targets) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(path), " is a program of its own, and so would a new file beside it be",
                     "; use file.write and file.modify"));
  }
  return folder == "." ? name.substr(0, name.size() - 3)
                       : JoinPath(folder, name.substr(0, name.size() - 3));
}

bool IsModuleName(absl::string_view name) {
  static const auto* const kKeywords = new std::set<absl::string_view>{
      "as",       "async", "await",  "box",    "break",   "const",   "continue", "crate",
      "do",       "dyn",   "else",   "enum",   "extern",  "false",   "final",    "fn",
      "for",      "gen",   "if",     "impl",   "in",      "let",     "loop",     "macro",
      "match",    "mod",   "move",   "mut",    "priv",    "pub",     "ref",      "self",
      "static",   "super", "struct", "trait",  "true",    "try",     "type",     "use",
      "where",    "while", "yield",  "unsafe", "unsized", "virtual", "abstract", "become",
      "override", "typeof"};
  return !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), IsIdentifierByte) && kKeywords->count(name) == 0;
}

// Comments and attributes of the file or module itself.
bool IsInner(TSNode node, absl::string_view text) {
  const absl::string_view written = TextOf(node, text);
  return IsNode(node, "inner_attribute_item") || IsNode(node, "shebang") ||
         absl::StartsWith(written, "//!") || absl::StartsWith(written, "/*!");
}

TSNode VisibilityOf(TSNode item) { return ChildOf(item, "visibility_modifier"); }

// One thing: the plan of one move; what is found out about the type stays at hand.
class RustMover {
 public:
  RustMover(const Declaration& type, const SyntaxTree& tree, CodeIndex* index)
      : file_(*type.file), type_(type.AsSymbol()), tree_(tree), index_(index) {
    const size_t first = file_.text.find('\n');
    newline_ =
        first != std::string::npos && first > 0 && file_.text[first - 1] == '\r' ? "\r\n" : "\n";
    for (const TSNode item : NamedChildren(tree_.root())) {
      if (!IsNode(item, "use_declaration") && !IsNode(item, "extern_crate_declaration")) continue;
      WalkTree(item, [&](TSNode node) {
        const bool is_path =
            absl::StartsWith(absl::string_view(file_.text).substr(EndOf(node)), "::");
        const absl::string_view text = TextOf(node, file_.text);
        const bool is_name = IsNode(node, "identifier") || text == "*" || text == "_";
        if (is_name && !is_path && !text.empty()) imported_.insert(text);
        return true;
      });
    }
  }

  absl::StatusOr<EditPlan> Plan(const std::string& wanted) {
    STILE_RETURN_IF_ERROR(ChooseModule(wanted));
    STILE_RETURN_IF_ERROR(FindPieces());
    for (const TSNode item : moved_items_) STILE_RETURN_IF_ERROR(Lengthen(item));
    WidenType();
    std::vector<TextEdit> deletions;
    for (const auto& [begin, end] : pieces_) {
      Symbol piece;
      piece.begin = begin;
      piece.end = end;
      deletions.push_back(DeletionOf(file_, piece));
    }
    const TextEdit declaration = Declare();
    JoinDeletions(file_.text, declaration.begin, &deletions);
    EditPlan plan;
    plan.Edit(file_, declaration);
    for (TextEdit& edit : deletions) plan.Edit(file_, std::move(edit));
    plan.Create(destination_, MovedText());
    return plan;
  }

 private:
  absl::Status ChooseModule(const std::string& wanted) {
    STILE_ASSIGN_OR_RETURN(const std::string folder, ChildFolder(file_.path));
    if (!wanted.empty()) {
      if (CleanPath(DirName(wanted)) != CleanPath(folder)) {
        return absl::FailedPreconditionError(
            absl::StrCat("a type of ", ToUtf8(file_.path), " moves into a module below it, like ",
                         ToUtf8(JoinPath(folder, BaseName(wanted)))));
      }
      return TakeModule(CleanPath(wanted));
    }
    const std::string name = SnakeCase(type_.name);
    if (TakeModule(JoinPath(folder, name + ".rs")).ok()) return absl::OkStatus();
    return TakeModule(JoinPath(folder, name + "_type.rs"));
  }

  absl::Status TakeModule(const std::string& path) {
    destination_ = path;
    module_ = BaseName(path).substr(0, BaseName(path).rfind('.'));
    std::string why;
    if (!absl::EndsWith(path, ".rs") || !IsModuleName(module_) || module_ == "mod" ||
        module_ == "lib" || module_ == "main") {
      why = absl::StrCat(ToUtf8(path), " is no file of a module");
    } else if (IsTaken()) {
      why = absl::StrCat(ToUtf8(file_.path), " calls something else ", module_);
    }
    for (const std::string& taken : {path, JoinPath(DirName(path), module_ + "/mod.rs")}) {
      if (index_->Open(taken).ok()) why = absl::StrCat(ToUtf8(taken), " exists already");
    }
    if (why.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(why, "; give another file for the module as newName"));
  }

  // Whether the name of the module means something to the file: a module shares a namespace with
  // types, and hides a crate.
  bool IsTaken() const {
    for (const Symbol& symbol : file_.symbols) {
      const bool shares = symbol.kind == SymbolKind::kNamespace || stile::IsType(symbol.kind);
      if (shares && symbol.parent < 0 && symbol.name == module_) return true;
    }
    if (imported_.count(module_) > 0) return true;
    const absl::string_view text = file_.text;
    for (size_t at = FindWord(text, module_); at != absl::string_view::npos;
         at = FindWord(text, module_, at + 1)) {
      const bool begins_path = absl::StartsWith(text.substr(at + module_.size()), "::") &&
                               !absl::EndsWith(text.substr(0, at), "::");
      if (begins_path) return true;
    }
    return false;
  }

  // Attributes and comments that stand directly before an item.
  struct Lead {
    bool is_open = false;
    uint32_t begin = 0;
    bool stays_with_item = false;  // attributes and documentation, whatever lies between
    std::vector<std::string> conditions;
  };

  absl::Status FindPieces() {
    Lead lead;
    uint32_t above = 0;  // where the last item, attribute or comment ends
    for (const TSNode item : NamedChildren(tree_.root())) {
      const uint32_t begin = BeginOf(item);
      if (!lead.stays_with_item && BlankLineBetween(above, begin)) lead = {};
      if (IsLead(item)) {
        if (lead.is_open || !IsBehindItem(above, begin)) {
          AddToLead(item, &lead);
        } else if (!pieces_.empty() && pieces_.back().second == above) {
          pieces_.back().second = EndOf(item);  // behind what moves, on its line
          while (file_.text[pieces_.back().second - 1] == '\n') --pieces_.back().second;
        }
      } else {
        const uint32_t whole_begin = lead.is_open ? lead.begin : begin;
        if (!IsInner(item, file_.text)) first_item_ = std::min(first_item_, whole_begin);
        if (IsType(item)) {
          type_item_ = item;
          conditions_ = lead.conditions;
        }
        if (IsType(item) || IsImplementation(item)) {
          pieces_.emplace_back(whole_begin, EndOf(item));
          moved_items_.push_back(item);
        } else if (!IsInner(item, file_.text)) {
          something_stays_ = true;
        }
        lead = {};
      }
      above = EndOf(item);
    }
    const auto twins =
        std::count_if(file_.symbols.begin(), file_.symbols.end(), [&](const Symbol& symbol) {
          return symbol.parent < 0 && symbol.container.empty() && symbol.name == type_.name &&
                 stile::IsType(symbol.kind);
        });
    if (twins > 1) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToUtf8(file_.path), " declares ", twins, " types ", ToUtf8(type_.name),
                       " under different conditions; use file.write and file.modify"));
    }
    if (!ts_node_is_null(type_item_)) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(ToUtf8(type_.name),
                     type_.parent >= 0 ? " is nested in " + file_.QualifiedName(type_.parent)
                                       : " does not stand by itself",
                     "; only types of the top level move"));
  }

  bool IsLead(TSNode item) const {
    return (IsNode(item, "attribute_item") || IsComment(item)) && !IsInner(item, file_.text);
  }

  void AddToLead(TSNode item, Lead* lead) const {
    if (!lead->is_open) lead->begin = BeginOf(item);
    lead->is_open = true;
    const absl::string_view text = TextOf(item, file_.text);
    lead->stays_with_item |= IsNode(item, "attribute_item") || absl::StartsWith(text, "///") ||
                             absl::StartsWith(text, "/**");
    if (absl::StartsWith(text, "#[cfg(")) lead->conditions.emplace_back(text);
  }

  bool BlankLineBetween(uint32_t begin, uint32_t end) const {
    // A comment for documentation has its newline within.
    const uint32_t from = begin > 0 && file_.text[begin - 1] == '\n' ? begin - 1 : begin;
    return std::count(file_.text.begin() + from, file_.text.begin() + end, '\n') > 1;
  }

  // A comment at the end of the line of an item belongs to that.
  bool IsBehindItem(uint32_t above, uint32_t begin) const {
    return above > 0 && file_.text.find('\n', above) >= begin && file_.text[above - 1] != '\n';
  }

  bool IsType(TSNode item) const {
    const TSNode name = FieldOf(item, "name");
    return !ts_node_is_null(name) && BeginOf(name) == type_.name_begin;
  }

  bool IsImplementation(TSNode item) const {
    if (!IsNode(item, "impl_item")) return false;
    TSNode owner = FieldOf(item, "type");
    if (IsNode(owner, "generic_type")) owner = FieldOf(owner, "type");
    return IsNode(owner, "type_identifier") && TextOf(owner, file_.text) == type_.name;
  }

  bool Moves(uint32_t at) const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [&](const auto& piece) { return piece.first <= at && at < piece.second; });
  }

  // Paths that begin at the module get one step longer, and so does what is visible from there.
  absl::Status Lengthen(TSNode item) {
    absl::Status status;
    const absl::string_view text = file_.text;
    WalkTree(item, [&](TSNode node) {
      if (!status.ok()) return false;
      const absl::string_view type = TypeOf(node);
      if (type == "mod_item" || type == "macro_definition") {
        status = absl::FailedPreconditionError(
            absl::StrCat(ToUtf8(type_.name), " holds a module or a macro of its own (line ",
                         file_.PlaceOf(BeginOf(node)).line, "); use file.write and file.modify"));
        return false;
      }
      if (type == "visibility_modifier") {
        LengthenVisibility(node, &status);
        return false;
      }
      if (type == "identifier" && IsFileMacro(node)) {
        status = absl::FailedPreconditionError(
            absl::StrCat("it reads a file by a path that starts at the source (line ",
                         file_.PlaceOf(BeginOf(node)).line,
                         "), and that moves; use file.write and file.modify"));
        return false;
      }
      if (type != "self" && type != "super") return true;
      const bool goes_on =
          absl::StartsWith(absl::StripLeadingAsciiWhitespace(text.substr(EndOf(node))), "::");
      const bool begins =
          !absl::EndsWith(absl::StripTrailingAsciiWhitespace(text.substr(0, BeginOf(node))), "::");
      if (goes_on && begins) {
        edits_.push_back({BeginOf(node), EndOf(node), type == "self" ? "super" : "super::super"});
      }
      return true;
    });
    return status;
  }

  // include_str! and the like in a folder that changes.
  bool IsFileMacro(TSNode name) const {
    const absl::string_view text = file_.text;
    if (DirName(destination_) == DirName(file_.path) || text.substr(EndOf(name), 1) != "!") {
      return false;
    }
    const absl::string_view word = TextOf(name, text);
    return word == "include" || word == "include_str" || word == "include_bytes";
  }

  void LengthenVisibility(TSNode node, absl::Status* status) {
    const std::string written =
        absl::StrReplaceAll(TextOf(node, file_.text), {{" ", ""}, {"\n", ""}, {"\t", ""}});
    if (written == "pub(self)") {
      edits_.push_back({BeginOf(node), EndOf(node), "pub(super)"});
    } else if (written == "pub(super)") {
      edits_.push_back({BeginOf(node), EndOf(node), "pub(in super::super)"});
    } else if (absl::StartsWith(written, "pub(in") && !absl::StartsWith(written, "pub(incrate")) {
      *status = absl::FailedPreconditionError(
          absl::StrCat("write the path of ", TextOf(node, file_.text), " (line ",
                       file_.PlaceOf(BeginOf(node)).line, ") from crate:: on first"));
    }
  }

  // What was private to the module and is used by what stays there, or below it.
  void WidenType() {
    if (ts_node_is_null(VisibilityOf(type_item_))) {
      edits_.push_back({BeginOf(type_item_), BeginOf(type_item_), "pub(super) "});
    }
    const bool all_fields = IsBuiltFromAnother();
    const TSNode body = FieldOf(type_item_, "body");
    if (IsNode(body, "field_declaration_list")) {
      for (const TSNode field : NamedChildren(body)) {
        if (IsNode(field, "field_declaration")) WidenMember(field, all_fields);
      }
    } else if (IsNode(body, "ordered_field_declaration_list") && IsOpened()) {
      WidenTuple(body);
    }
    for (const TSNode item : moved_items_) {
      if (!IsNode(item, "impl_item") || !ts_node_is_null(FieldOf(item, "trait"))) continue;
      for (const TSNode member : NamedChildren(FieldOf(item, "body"))) {
        if (!ts_node_is_null(FieldOf(member, "name"))) WidenMember(member, false);
      }
    }
  }

  void WidenMember(TSNode member, bool always) {
    if (!ts_node_is_null(VisibilityOf(member))) return;
    const TSNode name = FieldOf(member, "name");
    if (!always && !IsUsedOutside(name)) return;
    edits_.push_back({BeginOf(member), BeginOf(member), "pub(super) "});
  }

  bool IsUsedOutside(TSNode name) const {
    SymbolQuery query;
    query.name = std::string(TextOf(name, file_.text));
    query.owner = type_.name;
    query.file = file_.path;
    query.line = file_.PlaceOf(BeginOf(name)).line;
    const auto resolution = Resolve(query, index_);
    if (!resolution.ok()) return true;
    const std::vector<Reference> references = FindReferences(*resolution);
    return std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
      return !reference.is_declaration &&
             (reference.file->path != file_.path || !Moves(reference.occurrence.begin));
    });
  }

  // Tuple fields have no names to look for: anything that names the type may take one apart, make
  // one, or hold one.
  bool IsOpened() const {
    const auto found = Resolve({type_.name, "", file_.path, type_.line}, index_);
    if (!found.ok()) return true;
    const std::vector<Reference> references = FindReferences(*found);
    return std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
      return !reference.is_declaration &&
             (reference.file->path != file_.path || !Moves(reference.occurrence.begin));
    });
  }

  void WidenTuple(TSNode body) {
    bool is_visible = false;
    for (const TSNode child : NamedChildren(body)) {
      if (IsNode(child, "visibility_modifier")) {
        is_visible = true;
      } else if (!IsNode(child, "attribute_item") && !IsComment(child)) {
        if (!is_visible) edits_.push_back({BeginOf(child), BeginOf(child), "pub(super) "});
        is_visible = false;
      }
    }
  }

  // `Order { total, ..other }` needs to see all fields.
  bool IsBuiltFromAnother() const {
    bool is_built = false;
    WalkTree(tree_.root(), [&](TSNode node) {
      is_built |=
          IsNode(node, "base_field_initializer") && !Moves(BeginOf(node)) &&
          TextOf(FieldOf(ts_node_parent(ts_node_parent(node)), "name"), file_.text) == type_.name;
      return !is_built;
    });
    return is_built;
  }

  // `mod order;` and `use order::Order;`, behind the declarations at the head of the file and
  // behind the macros that the moved code uses, which are known only behind their definitions.
  TextEdit Declare() const {
    const absl::string_view text = file_.text;
    uint32_t head = 0;
    bool is_head = true;
    uint32_t end_of_inner = 0;
    for (const TSNode item : NamedChildren(tree_.root())) {
      const absl::string_view type = TypeOf(item);
      const bool declares = type == "use_declaration" || type == "extern_crate_declaration" ||
                            (type == "mod_item" && ts_node_is_null(FieldOf(item, "body")));
      const bool is_needed = type == "macro_definition" && IsUsedByMoved(FieldOf(item, "name"));
      if (is_needed || (is_head && declares)) {
        head = EndOf(item);
      } else if (is_head && IsInner(item, text)) {
        end_of_inner = EndOf(item);
      } else if (type != "attribute_item" && type != "macro_definition" && !IsComment(item)) {
        is_head = false;
      }
    }
    std::string lines;
    const std::string condition =
        conditions_.empty() ? "" : absl::StrCat(absl::StrJoin(conditions_, newline_), newline_);
    absl::StrAppend(&lines, condition, "mod ", module_, ";", newline_, condition, ExportWord(),
                    "use ", module_, "::", type_.name, ";", newline_);
    uint32_t at = std::max(head, end_of_inner);
    if (at == 0) {
      // Before the first item, behind a licence.
      at = first_item_;
      return {at, at, absl::StrCat(lines, something_stays_ ? newline_ : "")};
    }
    at = text[at - 1] == '\n' ? at : static_cast<uint32_t>(LineEnd(text, at));
    const bool has_newline = at > 0 && text[at - 1] == '\n';
    const bool stands_close =
        at < text.size() && text[at] != '\n' && text[at] != '\r' && !Moves(at);
    return {
        at, at,
        absl::StrCat(has_newline ? "" : newline_, newline_, lines, stands_close ? newline_ : "")};
  }

  bool IsUsedByMoved(TSNode macro_name) const {
    const absl::string_view name = TextOf(macro_name, file_.text);
    return std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& piece) {
      return HoldsWord(
          absl::string_view(file_.text).substr(piece.first, piece.second - piece.first), name);
    });
  }

  std::string ExportWord() const {
    const TSNode visibility = VisibilityOf(type_item_);
    const std::string written =
        ts_node_is_null(visibility) ? "" : std::string(TextOf(visibility, file_.text));
    return written.empty() || written == "pub(self)" ? "" : written + " ";
  }

  std::string MovedText() const {
    std::string text;
    // The compiler says where nothing needs it, see ApplyPlan: macros and traits are not named.
    if (something_stays_) absl::StrAppend(&text, "use super::*;", newline_, newline_);
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const auto [begin, end] = pieces_[i];
      std::vector<TextEdit> edits;
      for (TextEdit edit : edits_) {
        if (edit.begin < begin || edit.end > end) continue;
        edit.begin -= begin;
        edit.end -= begin;
        edits.push_back(std::move(edit));
      }
      absl::StrAppend(&text, i == 0 ? "" : newline_,
                      ApplyEdits(absl::string_view(file_.text).substr(begin, end - begin), edits),
                      newline_);
    }
    return text;
  }

  const SourceFile& file_;
  const Symbol& type_;
  const SyntaxTree& tree_;
  CodeIndex* const index_;
  std::string newline_;
  // Leaves of the use declarations at the top of the file: what they bring.
  std::set<absl::string_view> imported_;
  std::string destination_;
  std::string module_;
  TSNode type_item_{};
  bool something_stays_ = false;
  uint32_t first_item_ = UINT32_MAX;
  std::vector<std::string> conditions_;  // #[cfg(…)] of the type
  std::vector<TSNode> moved_items_;
  std::vector<std::pair<uint32_t, uint32_t>> pieces_;  // of the text, with what stands before them
  std::vector<TextEdit> edits_;                        // of what moves, at its old place
};

}  // namespace

absl::StatusOr<EditPlan> PlanMoveRustType(const Declaration& type, const std::string& destination,
                                          CodeIndex* index) {
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree,
                         SyntaxTree::Parse(type.file->grammar, type.file->text));
  return RustMover(type, tree, index).Plan(destination);
}

}  // namespace stile
