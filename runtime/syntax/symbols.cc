#include "runtime/syntax/symbols.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "runtime/syntax/symbol_captures.h"
#include "runtime/syntax/symbol_parts.h"

namespace stile {
namespace {

bool IsType(SymbolKind kind) {
  return kind == SymbolKind::kClass || kind == SymbolKind::kStruct ||
         kind == SymbolKind::kInterface || kind == SymbolKind::kEnum;
}

bool HoldsFields(SymbolKind kind) {
  return IsType(kind) || kind == SymbolKind::kTypeAlias || kind == SymbolKind::kField;
}

bool IsCallable(SymbolKind kind) {
  return kind == SymbolKind::kFunction || kind == SymbolKind::kMethod ||
         kind == SymbolKind::kConstructor;
}

bool IsValue(SymbolKind kind) {
  return kind == SymbolKind::kVariable || kind == SymbolKind::kConstant ||
         kind == SymbolKind::kField || kind == SymbolKind::kProperty;
}

struct GrammarRules {
  bool is_cpp = false;         // names may be qualified; a constructor is named as its class
  bool has_first_use = false;  // assigning declares: only the first of a name in an owner counts
  bool ends_in_semicolon = false;          // one that the tree leaves out of the declaration
  bool has_constructor_functions = false;  // `new` may call a function
};

// Grammars without a row have the defaults.
GrammarRules RulesOf(absl::string_view grammar) {
  static const auto* const kRules = new std::map<std::string, GrammarRules, std::less<>>{
      {"c", {.ends_in_semicolon = true}},
      {"cpp", {.is_cpp = true, .ends_in_semicolon = true}},
      {"javascript",
       {.has_first_use = true, .ends_in_semicolon = true, .has_constructor_functions = true}},
      {"python", {.has_first_use = true}},
      {"tsx", {.has_first_use = true, .ends_in_semicolon = true}},
      {"typescript", {.has_first_use = true, .ends_in_semicolon = true}},
  };
  const auto found = kRules->find(grammar);
  return found == kRules->end() ? GrammarRules() : found->second;
}

// Puts the captures together: one pass over everything in the order of the text with a stack of
// what is around.
class Assembler {
 public:
  Assembler(const Grammar& grammar, SymbolCaptures captures, absl::string_view text)
      : rules_(RulesOf(grammar.name)),
        captures_(std::move(captures)),
        text_(text),
        prefixes_(captures_.prefixes, text) {}

  std::vector<Symbol> Assemble() {
    for (size_t i = 0; i < captures_.names.size(); ++i) shared_.push_back(IsShared(i));
    for (const Event& event : Events()) {
      while (!around_.empty() && around_.back().range.end <= event.range.begin) around_.pop_back();
      switch (event.type) {
        case EventType::kContainer:
          around_.push_back({event.range, -1, false,
                             PathOf(TextIn(captures_.containers[event.index].owner, text_))});
          break;
        case EventType::kName:
          Add(event.index);
          break;
        case EventType::kLocal:
          if (!IsBodyOfDeclarations(event.range)) around_.push_back({event.range, -1, true, ""});
          break;
        case EventType::kBase:
          AddBase(event.range);
          break;
        case EventType::kDoc:
          AddDoc(event.range);
          break;
      }
    }
    AddBasesFromContainers();
    return Sorted();
  }

 private:
  enum class EventType : uint8_t { kContainer, kName, kLocal, kBase, kDoc };
  struct Event {
    ByteRange range;
    EventType type;
    uint32_t index;
  };
  struct Frame {
    ByteRange range;
    int symbol;  // -1: none
    bool is_local;
    std::string path;         // of what is in it
    uint32_t body_begin = 0;  // of a symbol, 0: it has none
  };

  std::vector<Event> Events() const {
    std::vector<Event> events;
    events.reserve(captures_.names.size() + captures_.locals.size() + captures_.bases.size());
    const auto add = [&](EventType type, ByteRange range, size_t index) {
      events.push_back({range, type, static_cast<uint32_t>(index)});
    };
    for (size_t i = 0; i < captures_.containers.size(); ++i) {
      add(EventType::kContainer, captures_.containers[i].range, i);
    }
    for (size_t i = 0; i < captures_.names.size(); ++i) {
      const DeclaredName& name = captures_.names[i];
      add(EventType::kName, shared_[i] ? name.declarator : name.range, i);
    }
    for (const ByteRange& local : captures_.locals) add(EventType::kLocal, local, 0);
    for (const ByteRange& base : captures_.bases) add(EventType::kBase, base, 0);
    for (const ByteRange& doc : captures_.docs) add(EventType::kDoc, doc, 0);
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      if (!(a.range == b.range)) return a.range < b.range;
      return a.type != b.type ? a.type < b.type : a.index < b.index;
    });
    return events;
  }

  // The body of a namespace, or of a class behind a macro, looks like a block in some grammars.
  bool IsBodyOfDeclarations(ByteRange local) const {
    if (around_.empty() || around_.back().symbol < 0) return false;
    const SymbolKind kind = symbols_[around_.back().symbol].kind;
    return around_.back().body_begin == local.begin &&
           (kind == SymbolKind::kNamespace || IsType(kind));
  }

  // Whether another name has the same declaration; each then has its own declarator.
  bool IsShared(size_t i) const {
    const std::vector<DeclaredName>& names = captures_.names;
    if (names[i].declarator.empty()) return false;
    return (i > 0 && names[i - 1].range == names[i].range) ||
           (i + 1 < names.size() && names[i + 1].range == names[i].range);
  }

  void Add(uint32_t index) {
    const DeclaredName& declared = captures_.names[index];
    Symbol symbol;
    symbol.kind = declared.kind;
    const ByteRange own = shared_[index] ? declared.declarator : declared.range;
    symbol.begin = own.begin;
    symbol.end = own.end;
    symbol.is_definition = declared.is_definition;
    std::string owner = PathOf(TextIn(declared.owner, text_));
    SetName(declared, &symbol, &owner);
    const Surroundings of{owner, IsFriend(declared, owner), IsInCallback(declared)};
    if (symbol.name.empty() || !Place(&symbol, of)) return;
    FinishKind(declared, owner, &symbol);
    SetSurroundings(declared, own, &symbol);
    if (rules_.has_first_use && IsValue(symbol.kind) &&
        !seen_.emplace(symbol.container, symbol.name).second) {
      return;
    }
    around_.push_back(
        {own, static_cast<int>(symbols_.size()), false,
         JoinPath(symbol.container,
                  symbol.kind == SymbolKind::kNamespace ? PathOf(symbol.name) : symbol.name),
         declared.body_begin});
    symbols_.push_back(std::move(symbol));
  }

  struct Surroundings {
    std::string owner;  // as written before the name
    bool is_friend = false;
    bool is_in_callback = false;
  };

  // Whether the innermost function around, arrow functions aside, is the value of no name: its
  // `this` may be any object.
  bool IsInCallback(const DeclaredName& declared) const {
    if (!rules_.has_constructor_functions || declared.kind != SymbolKind::kField) return false;
    for (TSNode node = declared.name; !ts_node_is_null(node); node = ts_node_parent(node)) {
      const absl::string_view type = ts_node_type(node);
      if (type == "function_declaration" || type == "method_definition") return false;
      if (type != "function_expression" && type != "generator_function") continue;
      const absl::string_view of = ts_node_type(ts_node_parent(node));
      return of != "variable_declarator" && of != "assignment_expression" && of != "pair";
    }
    return false;
  }

  // A function of the namespace that is written in a class of C++: `friend bool operator==(…)`.
  bool IsFriend(const DeclaredName& declared, const std::string& owner) const {
    if (!rules_.is_cpp || declared.kind != SymbolKind::kFunction || !owner.empty()) return false;
    for (TSNode node = declared.name; !ts_node_is_null(node); node = ts_node_parent(node)) {
      const absl::string_view type = ts_node_type(node);
      if (type == "friend_declaration") return true;
      if (type == "field_declaration_list") return false;
    }
    return false;
  }

  // `function Queue(limit) { this.limit = limit; }`, by its name.
  bool IsConstructor(const Symbol& function) const {
    return rules_.has_constructor_functions && function.kind == SymbolKind::kFunction &&
           absl::ascii_isupper(static_cast<unsigned char>(function.name[0]));
  }

  // The name and where it stands; what qualifies it goes to `owner`.
  void SetName(const DeclaredName& declared, Symbol* symbol, std::string* owner) const {
    TSNode node = declared.name;
    absl::string_view type = ts_node_type(node);
    while (rules_.is_cpp && (type == "qualified_identifier" || type == "template_function" ||
                             type == "template_type" || type == "template_method")) {
      const TSNode inner = ts_node_child_by_field_name(node, "name", 4);
      if (ts_node_is_null(inner)) break;
      node = inner;
      type = ts_node_type(node);
    }
    symbol->name_begin = ts_node_start_byte(node);
    symbol->name_end = ts_node_end_byte(node);
    const uint32_t whole_begin = ts_node_start_byte(declared.name);
    if (symbol->name_begin > whole_begin) {
      *owner = PathOf(TextIn({whole_begin, symbol->name_begin}, text_));
    }
    absl::string_view name = TextOf(node, text_);
    if (type == "operator_cast") name = absl::StripAsciiWhitespace(name.substr(0, name.find('(')));
    if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'') &&
        name.back() == name.front()) {
      name = name.substr(1, name.size() - 2);
      ++symbol->name_begin;
    }
    symbol->name = std::string(name);
    symbol->name_end = symbol->name_begin + static_cast<uint32_t>(name.size());
    const TSPoint point = ts_node_start_point(node);
    symbol->line = static_cast<int>(point.row) + 1;
    symbol->column =
        static_cast<int>(point.column + symbol->name_begin - ts_node_start_byte(node)) + 1;
  }

  // Finds what the symbol is in; false if it is a local there, and so no symbol.
  bool Place(Symbol* symbol, const Surroundings& of) {
    // A declaration that two names share is not around the second.
    while (!around_.empty() && around_.back().symbol >= 0 &&
           around_.back().range == ByteRange{symbol->begin, symbol->end}) {
      around_.pop_back();
    }
    int top = static_cast<int>(around_.size()) - 1;
    const auto kind_at = [&](int i) { return symbols_[around_[i].symbol].kind; };
    if (symbol->kind == SymbolKind::kField) {
      // `self.x = …` in a method and parameters that are properties: fields of the type around.
      int steps = 0;
      constexpr int kMaxSteps = 64;
      int innermost = -1;  // function
      while (top >= 0 &&
             (around_[top].is_local || (around_[top].symbol >= 0 && IsCallable(kind_at(top))))) {
        if (++steps > kMaxSteps) return false;
        if (innermost < 0 && around_[top].symbol >= 0) innermost = top;
        --top;
      }
      if (top < 0 && innermost >= 0 && !of.is_in_callback &&
          IsConstructor(symbols_[around_[innermost].symbol])) {
        top = innermost;
      }
      if (top < 0) return false;
    } else if (top >= 0) {
      const bool in_code =
          around_[top].is_local || (around_[top].symbol >= 0 && IsCallable(kind_at(top)));
      const bool is_prototype = symbol->kind == SymbolKind::kFunction && !symbol->is_definition;
      const bool is_member = symbol->kind == SymbolKind::kMethod && of.owner.empty();
      if (in_code && (IsValue(symbol->kind) || is_prototype || is_member)) return false;
      if (IsType(symbol->kind)) {
        while (top >= 0 && around_[top].symbol >= 0 &&
               (IsValue(kind_at(top)) || kind_at(top) == SymbolKind::kTypeAlias)) {
          --top;
        }
      }
    }
    while (top >= 0 && around_[top].is_local) --top;
    while (of.is_friend && top >= 0 && around_[top].symbol >= 0 && IsType(kind_at(top))) --top;
    if (top >= 0) {
      symbol->container = around_[top].path;
      int parent = top;
      while (parent >= 0 && around_[parent].symbol < 0) --parent;
      symbol->parent = parent < 0 ? -1 : around_[parent].symbol;
      is_in_type_ = around_[top].symbol < 0 || HoldsFields(kind_at(top));
    } else {
      is_in_type_ = false;
    }
    symbol->container = JoinPath(symbol->container, of.owner);
    return true;
  }

  // What only the surroundings tell: functions of types are methods, and so on.
  void FinishKind(const DeclaredName& declared, const std::string& owner, Symbol* symbol) const {
    const bool is_member = is_in_type_ || !owner.empty();
    if (is_member && symbol->kind == SymbolKind::kVariable) symbol->kind = SymbolKind::kField;
    if (is_member && symbol->kind == SymbolKind::kFunction) symbol->kind = SymbolKind::kMethod;
    if (IsCallable(symbol->kind) && !declared.is_alone && declared.body_begin == 0) {
      symbol->is_definition = false;
    }
    if (symbol->kind == SymbolKind::kMethod && rules_.is_cpp &&
        symbol->name == LastComponent(symbol->container)) {
      symbol->kind = SymbolKind::kConstructor;
    }
    if (symbol->kind == SymbolKind::kVariable && declared.is_alone) {
      symbol->is_definition = !absl::StartsWith(text_.substr(declared.range.begin), "extern ");
    } else if (declared.is_alone && !IsCallable(symbol->kind)) {
      symbol->is_definition = true;
    }
  }

  void SetSurroundings(const DeclaredName& declared, ByteRange own, Symbol* symbol) {
    const DeclarationPrefixes::Found prefix = prefixes_.Before(own.begin);
    symbol->begin = prefix.begin;
    while (symbol->end > symbol->name_end && absl::ascii_isspace(text_[symbol->end - 1])) {
      --symbol->end;  // the line break of a macro
    }
    ByteRange doc = prefix.doc;
    if (doc.empty() && shared_[static_cast<size_t>(&declared - captures_.names.data())]) {
      doc = prefixes_.Before(declared.range.begin).doc;
    }
    symbol->doc_begin = doc.begin;
    symbol->doc_end = doc.end;
    if (rules_.ends_in_semicolon && !IsCallable(symbol->kind) &&
        symbol->kind != SymbolKind::kNamespace && symbol->kind != SymbolKind::kMacro &&
        symbol->kind != SymbolKind::kEnumMember && symbol->end < text_.size() &&
        text_[symbol->end] == ';') {
      ++symbol->end;
    }
    uint32_t head = declared.body_begin > symbol->name_end && declared.body_begin <= symbol->end
                        ? declared.body_begin
                        : symbol->end;
    while (head > symbol->name_end && absl::ascii_isspace(text_[head - 1])) --head;
    symbol->signature_end = head;
  }

  void AddBase(ByteRange range) {
    std::string base = LastComponent(PathOf(TextIn(range, text_)));
    if (base.empty()) return;
    int steps = 0;
    constexpr int kMaxSteps = 8;
    for (auto frame = around_.rbegin(); frame != around_.rend() && ++steps < kMaxSteps; ++frame) {
      if (frame->is_local) return;
      if (frame->symbol < 0) {
        container_bases_.emplace_back(LastComponent(frame->path), std::move(base));
        return;
      }
      if (IsType(symbols_[frame->symbol].kind)) {
        symbols_[frame->symbol].bases.push_back(std::move(base));
        return;
      }
    }
  }

  void AddDoc(ByteRange range) {
    for (auto frame = around_.rbegin(); frame != around_.rend(); ++frame) {
      if (frame->symbol < 0) continue;
      symbols_[frame->symbol].doc_begin = range.begin;
      symbols_[frame->symbol].doc_end = range.end;
      return;
    }
  }

  void AddBasesFromContainers() {
    if (container_bases_.empty()) return;
    std::map<absl::string_view, Symbol*> types;
    for (Symbol& symbol : symbols_) {
      if (IsType(symbol.kind)) types.emplace(symbol.name, &symbol);
    }
    for (auto& [name, base] : container_bases_) {
      const auto type = types.find(name);
      if (type != types.end()) type->second->bases.push_back(std::move(base));
    }
  }

  // Attributes may have moved beginnings: by `begin` again, with parents renumbered.
  std::vector<Symbol> Sorted() {
    std::vector<int> order(symbols_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return ByteRange{symbols_[a].begin, symbols_[a].end} <
             ByteRange{symbols_[b].begin, symbols_[b].end};
    });
    std::vector<int> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
    std::vector<Symbol> sorted;
    sorted.reserve(order.size());
    for (const int i : order) {
      sorted.push_back(std::move(symbols_[i]));
      if (sorted.back().parent >= 0) sorted.back().parent = place[sorted.back().parent];
    }
    return sorted;
  }

  const GrammarRules rules_;
  const SymbolCaptures captures_;
  const absl::string_view text_;
  DeclarationPrefixes prefixes_;
  std::vector<bool> shared_;  // by name
  std::vector<Frame> around_;
  std::vector<Symbol> symbols_;
  std::vector<std::pair<std::string, std::string>> container_bases_;  // type, base
  std::set<std::pair<std::string, std::string>> seen_;                // container, name
  bool is_in_type_ = false;
};

}  // namespace

absl::string_view SymbolKindName(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kNamespace:
      return "namespace";
    case SymbolKind::kClass:
      return "class";
    case SymbolKind::kStruct:
      return "struct";
    case SymbolKind::kInterface:
      return "interface";
    case SymbolKind::kEnum:
      return "enum";
    case SymbolKind::kEnumMember:
      return "enum_member";
    case SymbolKind::kFunction:
      return "function";
    case SymbolKind::kMethod:
      return "method";
    case SymbolKind::kConstructor:
      return "constructor";
    case SymbolKind::kField:
      return "field";
    case SymbolKind::kProperty:
      return "property";
    case SymbolKind::kConstant:
      return "constant";
    case SymbolKind::kVariable:
      return "variable";
    case SymbolKind::kTypeAlias:
      return "type_alias";
    case SymbolKind::kMacro:
      return "macro";
  }
  return "";
}

std::vector<Symbol> FindSymbols(const Grammar& grammar, const SyntaxTree& tree,
                                absl::string_view text) {
  return Assembler(grammar, CaptureSymbols(grammar, tree, text), text).Assemble();
}

}  // namespace stile
