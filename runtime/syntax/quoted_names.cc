#include "runtime/syntax/quoted_names.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/query.h"

namespace stile {
namespace {

constexpr size_t kMaxQuotedBytes = 4096;
constexpr int kMaxDepth = 8;  // of types in quotes in quotes, and of Annotated in Annotated

bool IsNode(TSNode node, absl::string_view type) {
  return !ts_node_is_null(node) && ts_node_type(node) == type;
}

TSNode FieldOf(TSNode node, absl::string_view name) {
  return ts_node_child_by_field_name(node, name.data(), static_cast<uint32_t>(name.size()));
}

bool IsOneOf(absl::string_view word, std::initializer_list<absl::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "Order", or dotted names with `dots`.
bool IsPlainName(absl::string_view text, bool dots) {
  bool begins = true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '.' && dots && !begins) {
      begins = true;
      continue;
    }
    const bool fits = absl::ascii_isalpha(byte) || c == '_' || byte >= 0x80 ||
                      (!begins && absl::ascii_isdigit(byte));
    if (!fits) return false;
    begins = false;
  }
  return !begins;
}

absl::string_view LastName(absl::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

// A function of Python's library some of whose arguments are types (`cast`), or whose first
// argument is the name of the result (`TypeVar`).
struct TypeFunction {
  absl::string_view module;
  absl::string_view name;
  bool names_result;  // `T = TypeVar("T")`
  // Positional arguments that are types, [first, last].
  uint32_t first_type;
  uint32_t last_type;
};
constexpr uint32_t kNone = 1;
constexpr TypeFunction kTypeFunctions[] = {
    {"typing", "cast", false, 0, 0},
    {"typing", "assert_type", false, 1, 1},
    {"typing", "TypeVar", true, 1, 1000},
    {"typing", "ParamSpec", true, kNone, 0},
    {"typing", "TypeVarTuple", true, kNone, 0},
    {"typing", "NewType", true, 1, 1},
    {"typing", "TypeAliasType", true, 1, 1},
    {"typing", "NamedTuple", true, kNone, 0},
    {"typing", "TypedDict", true, kNone, 0},
    {"collections", "namedtuple", true, kNone, 0},
    {"enum", "Enum", true, kNone, 0},
    {"enum", "IntEnum", true, kNone, 0},
    {"enum", "StrEnum", true, kNone, 0},
    {"enum", "Flag", true, kNone, 0},
    {"enum", "IntFlag", true, kNone, 0},
};

// What is between the quotation marks.
struct Quoted {
  absl::string_view text;
  uint32_t begin = 0;  // in the text that the node is of
};

// One thing: a reader by recursive descent, one function a rule.
class QuotedNameReader {
 public:
  QuotedNameReader(const Grammar& grammar, const SyntaxTree& tree, absl::string_view text,
                   ScopeCaptures* captures)
      : grammar_(grammar), tree_(tree), text_(text), captures_(captures) {}

  void Read() {
    const SyntaxQuery* query = FindQuery(grammar_, "quoted");
    if (query == nullptr) return;
    const std::vector<absl::string_view> names = query->CaptureNames();
    std::vector<Captured> all;  // before other queries ask the tree
    SyntaxQuery::Matches matches(*query, tree_, text_);
    while (const TSQueryMatch* match = matches.Next()) {
      Captured& found = all.emplace_back();
      for (uint16_t i = 0; i < match->capture_count; ++i) {
        found.emplace_back(names[match->captures[i].index], match->captures[i].node);
      }
    }
    for (const Captured& found : all) Use(found);
    AddAll();
  }

 private:
  using Captured = absl::InlinedVector<std::pair<absl::string_view, TSNode>, 3>;
  // A text that is read: the file, or what stands in one of its strings.
  struct Part {
    absl::string_view text;
    uint32_t offset = 0;  // of the part in the file
    bool is_quoted = false;
    int depth = 0;
  };
  struct LibraryName {
    absl::string_view module;
    absl::string_view name;
  };

  Part File() const { return {text_, 0, false, 0}; }

  void Use(const Captured& found) {
    const auto of = [&](absl::string_view name) {
      for (const auto& [known, node] : found) {
        if (known == name) return node;
      }
      return TSNode{};
    };
    const auto has = [&](absl::string_view name) { return !ts_node_is_null(of(name)); };
    if (has("annotation")) {
      ReadOuterType(of("annotation"));
    } else if (has("alias")) {
      if (LastName(TextOf(of("alias"), text_)) == "TypeAlias") ReadType(of("value"), File());
    } else if (has("base")) {
      if (IsClassName(LastName(TextOf(of("base"), text_)))) ReadOuterType(of("bases"));
    } else if (has("generic")) {
      if (IsGenericType(of("generic"))) ReadOuterType(of("arguments"));
    } else if (has("function")) {
      ReadCall(of("function"), of("arguments"), of("call"));
    } else if (has("names")) {
      ReadNames(of("names"));
    } else if (has("comment")) {
      ReadComment(of("comment"));
    }
  }

  void AddAll() {
    if (added_.empty()) return;
    const auto is_before = [](const ScopeCaptures::Identifier& a,
                              const ScopeCaptures::Identifier& b) {
      return a.range.begin < b.range.begin;
    };
    const auto is_same = [](const ScopeCaptures::Identifier& a,
                            const ScopeCaptures::Identifier& b) { return a.range == b.range; };
    std::sort(added_.begin(), added_.end(), is_before);
    added_.erase(std::unique(added_.begin(), added_.end(), is_same), added_.end());
    std::vector<ScopeCaptures::Identifier>& all = captures_->identifiers;
    const auto middle = all.insert(all.end(), added_.begin(), added_.end());
    std::inplace_merge(all.begin(), middle, all.end(), is_before);
  }

  // Types in types are matched by themselves, too.
  void ReadOuterType(TSNode node) {
    if (ts_node_start_byte(node) < types_end_) return;
    types_end_ = ts_node_end_byte(node);
    ReadType(node, File());
  }

  void ReadType(TSNode type, const Part& part) {
    WalkTree(type, [&](TSNode node) {
      const absl::string_view kind = ts_node_type(node);
      if (kind == "string") {
        ReadQuotedType(node, part);
        return false;
      }
      if (kind == "identifier") {
        if (part.is_quoted) AddIdentifier(node, part);
        return false;
      }
      if (kind == "subscript" || kind == "generic_type") return !ReadSpecialForm(node, part);
      return IsOneOf(kind, {"type", "type_parameter", "union_type", "splat_type", "member_type",
                            "constrained_type", "attribute", "list", "tuple", "binary_operator",
                            "parenthesized_expression", "list_splat", "dictionary_splat", "module",
                            "expression_statement"});
    });
  }

  // `Literal` holds values, `Annotated` a type and values. False: the node is like any other.
  bool ReadSpecialForm(TSNode node, const Part& part) {
    const TSNode base = ts_node_named_child(node, 0);
    const absl::string_view name = SpecialName(LastName(TextOf(base, part.text)));
    if (name != "Literal" && name != "Annotated") return false;
    if (part.is_quoted && !ts_node_is_null(base)) ReadType(base, part);
    if (name == "Literal") return true;
    TSNode first = ts_node_named_child(node, 1);
    if (IsNode(first, "type_parameter")) first = ts_node_named_child(first, 0);
    if (ts_node_is_null(first) || part.depth >= kMaxDepth) return true;
    Part inner = part;
    ++inner.depth;
    ReadType(first, inner);
    return true;
  }

  // `from typing import Literal as L`.
  absl::string_view SpecialName(absl::string_view name) {
    const bool may_have_alias =
        absl::StrContains(text_, "Literal as ") || absl::StrContains(text_, "Annotated as ");
    if (!may_have_alias) return name;
    const auto known = Imports().find(name);
    return known == Imports().end() || known->second.name.empty() ? name : known->second.name;
  }

  static Quoted QuotedText(TSNode string, absl::string_view text) {
    constexpr uint32_t kPlainParts = 3;  // both quotation marks and what is between them
    const TSNode open = ts_node_child(string, 0);
    const TSNode content = ts_node_child(string, 1);
    const bool is_plain = ts_node_child_count(string) == kPlainParts &&
                          IsNode(content, "string_content") &&
                          ts_node_named_child_count(content) == 0;
    if (!is_plain) return {};
    for (const char c : TextOf(open, text)) {
      if (!absl::StrContains("\"'rRuU", c)) return {};
    }
    return {TextOf(content, text), ts_node_start_byte(content)};
  }

  void ReadQuotedType(TSNode string, const Part& part) {
    const Quoted quoted = QuotedText(string, part.text);
    ReadTypeText(quoted.text, part.offset + quoted.begin, part.depth + 1);
  }

  // `offset` is in the file.
  void ReadTypeText(absl::string_view type, uint32_t offset, int depth) {
    if (type.empty() || type.size() > kMaxQuotedBytes || depth > kMaxDepth) return;
    if (IsPlainName(type, /*dots=*/false)) {
      Add({offset, offset + static_cast<uint32_t>(type.size())}, {});
      return;
    }
    // In parentheses a type may have several lines, as the checkers allow.
    const std::string expression = absl::StrCat("(", type, ")");
    const auto tree = SyntaxTree::Parse(grammar_, expression);
    if (!tree.ok() || tree->has_error()) return;
    ReadType(tree->root(), {expression, offset - 1, true, depth});
  }

  void AddIdentifier(TSNode identifier, const Part& part) {
    const auto in_file = [&](TSNode node) {
      return ByteRange{part.offset + ts_node_start_byte(node),
                       part.offset + ts_node_end_byte(node)};
    };
    const TSNode parent = ts_node_parent(identifier);
    const bool is_member =
        IsNode(parent, "attribute") && ts_node_eq(FieldOf(parent, "attribute"), identifier);
    Add(in_file(identifier), is_member ? in_file(FieldOf(parent, "object")) : ByteRange{});
  }

  void Add(ByteRange range, ByteRange receiver) {
    ScopeCaptures::Identifier identifier;
    identifier.range = range;
    identifier.receiver = receiver;
    identifier.is_decided = true;
    if (!receiver.empty()) identifier.role = OccurrenceRole::kMember;
    captures_->regions.push_back({range, false, {}});
    added_.push_back(identifier);
  }

  void ReadCall(TSNode function, TSNode arguments, TSNode call) {
    const LibraryName name = NameInLibrary(function);
    const auto* const known = std::find_if(
        std::begin(kTypeFunctions), std::end(kTypeFunctions),
        [&](const auto& row) { return row.module == name.module && row.name == name.name; });
    if (known == std::end(kTypeFunctions)) return;
    uint32_t position = 0;
    for (uint32_t i = 0; i < ts_node_named_child_count(arguments); ++i) {
      const TSNode argument = ts_node_named_child(arguments, i);
      if (IsNode(argument, "comment")) continue;
      if (IsNode(argument, "keyword_argument")) {
        const absl::string_view keyword = TextOf(FieldOf(argument, "name"), text_);
        if (IsOneOf(keyword, {"typ", "bound", "default", "value"})) {
          ReadType(FieldOf(argument, "value"), File());
        }
        continue;
      }
      if (position == 0 && known->names_result) ReadOwnName(argument, call);
      if (position == 1) ReadFields(argument, known->name);
      if (known->first_type <= position && position <= known->last_type) {
        ReadType(argument, File());
      }
      ++position;
    }
  }

  // `T = TypeVar("T")`: checkers want the same name in both places.
  void ReadOwnName(TSNode argument, TSNode call) {
    const TSNode assignment = ts_node_parent(call);
    if (!IsNode(argument, "string") || !IsNode(assignment, "assignment")) return;
    const Quoted quoted = QuotedText(argument, text_);
    if (quoted.text.empty() || quoted.text != TextOf(FieldOf(assignment, "left"), text_)) return;
    Add({quoted.begin, quoted.begin + static_cast<uint32_t>(quoted.text.size())}, {});
  }

  // `NamedTuple("Line", [("order", "Order")])`, `TypedDict("Line", {"order": "Order"})`.
  void ReadFields(TSNode fields, absl::string_view function) {
    for (uint32_t i = 0; i < ts_node_named_child_count(fields); ++i) {
      const TSNode field = ts_node_named_child(fields, i);
      TSNode type{};
      if (function == "NamedTuple" && IsNode(field, "tuple")) type = ts_node_named_child(field, 1);
      if (function == "TypedDict" && IsNode(field, "pair")) type = FieldOf(field, "value");
      if (!ts_node_is_null(type)) ReadType(type, File());
    }
  }

  // Names of submodules stand in `__all__`, too: only what the file has, or may have from
  // elsewhere.
  void ReadNames(TSNode names) {
    WalkTree(names, [&](TSNode node) {
      const absl::string_view kind = ts_node_type(node);
      if (kind != "string") {
        return IsOneOf(kind, {"list", "tuple", "set", "binary_operator", "argument_list",
                              "parenthesized_expression"});
      }
      const Quoted quoted = QuotedText(node, text_);
      if (IsPlainName(quoted.text, /*dots=*/false) && MayDeclare(quoted.text)) {
        Add({quoted.begin, quoted.begin + static_cast<uint32_t>(quoted.text.size())}, {});
      }
      return false;
    });
  }

  bool MayDeclare(absl::string_view name) {
    if (Imports().count("*") > 0) return true;
    if (declared_.empty()) {
      for (const ScopeCaptures::Identifier& identifier : captures_->identifiers) {
        if (identifier.role != OccurrenceRole::kDefinition &&
            identifier.role != OccurrenceRole::kReference) {
          continue;
        }
        declared_.insert(
            text_.substr(identifier.range.begin, identifier.range.end - identifier.range.begin));
      }
    }
    return declared_.count(name) > 0;
  }

  // `# type: List[Order]`, `# type: (Order, *str) -> None`.
  void ReadComment(TSNode comment) {
    const absl::string_view written = TextOf(comment, text_);
    absl::string_view rest = written.substr(written.find(':') + 1);
    rest = absl::StripAsciiWhitespace(rest.substr(0, rest.find('#')));
    if (rest == "ignore" || absl::StartsWith(rest, "ignore[")) return;
    const size_t arrow = rest.find("->");
    for (absl::string_view type :
         {rest.substr(0, arrow),
          arrow == absl::string_view::npos ? absl::string_view() : rest.substr(arrow + 2)}) {
      type = absl::StripAsciiWhitespace(type);
      ReadTypeText(type, static_cast<uint32_t>(type.data() - text_.data()), 1);
    }
  }

  // Order, not ORDERS or orders: a type by its spelling, where nothing else tells.
  static bool IsClassName(absl::string_view name) {
    return !name.empty() && absl::ascii_isupper(static_cast<unsigned char>(name[0])) &&
           std::any_of(name.begin(), name.end(),
                       [](char c) { return absl::ascii_islower(static_cast<unsigned char>(c)); });
  }

  bool IsGenericType(TSNode name) {
    const absl::string_view written = TextOf(name, text_);
    if (IsOneOf(written, {"list", "dict", "set", "frozenset", "tuple", "type"})) return true;
    return IsOneOf(NameInLibrary(name).module, {"typing", "collections", "collections.abc"});
  }

  // What the file has imported under a name, {} for what is not of the library's typing.
  LibraryName NameInLibrary(TSNode name) {
    const absl::string_view written = TextOf(name, text_);
    const auto& imports = Imports();
    if (IsNode(name, "identifier")) {
      auto known = imports.find(written);
      if (known == imports.end() && MayDeclareByWildcard()) return {"typing", written};
      return known == imports.end() || known->second.name.empty()
                 ? LibraryName()
                 : Canonical(known->second.module, known->second.name);
    }
    const TSNode object = FieldOf(name, "object");
    const auto module = imports.find(TextOf(object, text_));
    if (module == imports.end()) return {};
    const Import& import = module->second;
    return Canonical(
        import.name.empty() ? import.module : absl::StrCat(import.module, ".", import.name),
        TextOf(FieldOf(name, "attribute"), text_));
  }

  bool MayDeclareByWildcard() {
    const auto wildcard = Imports().find("*");
    return wildcard != Imports().end() && wildcard->second.module == "typing";
  }

  static LibraryName Canonical(absl::string_view module, absl::string_view name) {
    for (const absl::string_view known : {"typing", "collections", "collections.abc", "enum"}) {
      if (module == known) return {known, name};
    }
    return module == "typing_extensions" ? LibraryName{"typing", name} : LibraryName();
  }

  // By the name in the file; "*": of one of them that has no other.
  const std::map<std::string, Import, std::less<>>& Imports() {
    if (!has_imports_) {
      has_imports_ = true;
      for (Import& import : FindImports(grammar_, tree_, text_)) {
        std::string name = !import.alias.empty()  ? import.alias
                           : !import.name.empty() ? import.name
                                                  : import.module;
        if (name == "*" && import.module == "typing") imports_.erase(name);
        imports_.emplace(std::move(name), std::move(import));
      }
    }
    return imports_;
  }

  const Grammar& grammar_;
  const SyntaxTree& tree_;
  const absl::string_view text_;
  ScopeCaptures* const captures_;
  uint32_t types_end_ = 0;  // byte at which the last annotation that was read ends
  std::vector<ScopeCaptures::Identifier> added_;
  std::set<absl::string_view> declared_;  // names that stand in the file as code
  bool has_imports_ = false;
  std::map<std::string, Import, std::less<>> imports_;
};

}  // namespace

void AddQuotedNames(const Grammar& grammar, const SyntaxTree& tree, absl::string_view text,
                    ScopeCaptures* captures) {
  QuotedNameReader(grammar, tree, text, captures).Read();
}

}  // namespace stile
