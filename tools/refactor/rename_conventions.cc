#include "tools/refactor/rename_conventions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/imports.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/extract/selection.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/symbol_family.h"

namespace stile {
namespace {

// Whether a text ends with a call of a function of Python up to its second argument, where the
// first is the object or class of the method around it, and the second the name of an attribute.
bool IsNamedOfSelf(absl::string_view before) {
  const auto consume = [&before](absl::string_view token) {
    before = absl::StripTrailingAsciiWhitespace(before);
    return absl::ConsumeSuffix(&before, token);
  };
  if (!consume(",")) return false;
  if (!consume("self") && !consume("cls")) return false;
  if (!consume("(")) return false;
  before = absl::StripTrailingAsciiWhitespace(before);
  for (const char* function : {"getattr", "setattr", "hasattr", "delattr", "__getattribute__",
                               "__setattr__", "__delattr__"}) {
    absl::string_view rest = before;
    if (absl::ConsumeSuffix(&rest, function) && (rest.empty() || !IsIdentifierByte(rest.back()))) {
      return true;
    }
  }
  return false;
}

// The method of the class `type` around a node; null: none.
TSNode MethodAround(TSNode node, TSNode type) {
  TSNode method{};
  for (node = ts_node_parent(node); !ts_node_is_null(node); node = ts_node_parent(node)) {
    if (SameNode(node, type)) return method;
    if (IsNode(node, "class_definition")) return TSNode{};
    if (IsNode(node, "function_definition")) method = node;
  }
  return TSNode{};
}

// What the method calls its object or its class: `self`, `cls`; "" if it is static, or gives the
// name another value, also as a parameter of a function within.
absl::string_view ReceiverOf(TSNode method, absl::string_view text) {
  const TSNode definition = ts_node_parent(method);
  const bool is_static =
      IsNode(definition, "decorated_definition") &&
      absl::StrContains(TextOf(definition, text).substr(0, BeginOf(method) - BeginOf(definition)),
                        "staticmethod");
  const std::vector<TSNode> parameters = NamedChildren(FieldOf(method, "parameters"));
  if (is_static || parameters.empty() || !IsNode(parameters[0], "identifier")) return "";
  const absl::string_view name = TextOf(parameters[0], text);
  bool is_set = false;
  WalkTree(FieldOf(method, "body"), [&](TSNode node) {
    if (is_set || !IsNode(node, "identifier") || TextOf(node, text) != name) return !is_set;
    const TSNode parent = ts_node_parent(node);
    is_set = SameNode(FieldOf(parent, "left"), node) ||
             IsOneOf(TypeOf(parent), {"parameters", "lambda_parameters"});
    return !is_set;
  });
  return is_set ? "" : name;
}

// The names by which a file knows `replace` of dataclasses and copy, and `evolve` of attrs.
std::set<std::string> CopyFunctions(const SourceFile& file, const SyntaxTree& tree) {
  std::set<std::string> names;
  for (const Import& import : FindImports(file.grammar, tree, file.text)) {
    if (!IsOneOf(import.module, {"dataclasses", "copy", "attr", "attrs"})) continue;
    const std::string& bound = import.alias.empty() ? import.name : import.alias;
    if (import.name == "replace" || import.name == "evolve") names.insert(bound);
    if (!import.name.empty()) continue;
    const std::string& module = import.alias.empty() ? import.module : import.alias;
    names.insert(absl::StrCat(module, ".replace"));
    names.insert(absl::StrCat(module, ".evolve"));
  }
  // A function of the file itself takes the name over.
  for (const Symbol& symbol : file.symbols) {
    if (symbol.parent < 0) names.erase(symbol.name);
  }
  return names;
}

// Whether the class has a constructor that is made of its fields.
bool IsMadeOfFields(TSNode type, absl::string_view text) {
  const TSNode definition = ts_node_parent(type);
  if (!IsNode(definition, "decorated_definition")) return false;
  const absl::string_view head =
      TextOf(definition, text).substr(0, BeginOf(type) - BeginOf(definition));
  return absl::StrContains(head, "dataclass") || absl::StrContains(head, "attr") ||
         absl::StrContains(head, "define") || absl::StrContains(head, "frozen");
}

// The index of the innermost type in which a byte stands; -1: none.
int InnermostType(const SourceFile& file, size_t at) {
  int innermost = -1;
  for (size_t i = 0; i < file.symbols.size(); ++i) {
    const Symbol& symbol = file.symbols[i];
    if (!IsType(symbol.kind) || at < symbol.begin || at >= symbol.end) continue;
    if (innermost < 0 || symbol.begin >= file.symbols[static_cast<size_t>(innermost)].begin) {
      innermost = static_cast<int>(i);
    }
  }
  return innermost;
}

// What stands before the name of a declaration: decorators among it.
absl::string_view HeadOf(const SourceFile& file, const Symbol& symbol) {
  return absl::string_view(file.text).substr(symbol.begin, symbol.name_begin - symbol.begin);
}

// Whether a `parametrize` at the offset is for the function: it decorates it or a class around it,
// or stands in no decorator (`pytestmark`).
bool GivesValuesTo(const SourceFile& file, size_t at, const Symbol& function) {
  for (const Symbol& decorated : file.symbols) {
    if (at < decorated.begin || decorated.name_begin <= at) continue;
    return decorated.begin <= function.begin && function.end <= decorated.end;
  }
  return true;
}

// Whether pytest calls the function around the parameter, and gives it a fixture. Values of
// `parametrize` come before fixtures, also those that a class or the module gives its tests.
bool TakesFixture(const SourceFile& file, const Binding& parameter) {
  const int around = file.SymbolAround(parameter.name_begin);
  if (around < 0) return false;
  const Symbol& function = file.symbols[static_cast<size_t>(around)];
  const absl::string_view head = HeadOf(file, function);
  if (!absl::StartsWith(function.name, "test") && !HoldsWord(head, "fixture")) return false;
  const absl::string_view text = file.text;
  constexpr absl::string_view kValues = "parametrize(";
  for (size_t at = 0; (at = text.find(kValues, at)) != absl::string_view::npos;
       at += kValues.size()) {
    // The names come before the values.
    const absl::string_view names = text.substr(at + kValues.size(), 200);
    if (!HoldsWord(names.substr(0, names.find('\n')), parameter.name)) continue;
    if (GivesValuesTo(file, at, function)) return false;
  }
  return true;
}

// A call in a method of Python, as it is written: `replace(self, …)`.
struct CallOfMethod {
  absl::string_view function;
  absl::string_view receiver;  // what the method calls its object or its class
  absl::string_view first_argument;
};

class ConventionFinder {
 public:
  ConventionFinder(const Resolution& symbol, const std::string& new_name)
      : symbol_(symbol), old_name_(symbol.targets[0].name()), new_name_(new_name) {}

  std::vector<RenameCandidate> Find() {
    if (symbol_.targets[0].symbol < 0) {
      AddConstructorKeywords();
      return std::move(found_);
    }
    AddFixtureUsers();
    AddSlots();
    AddCopyKeywords();
    AddAttributeTexts();
    AddExamples();
    return std::move(found_);
  }

 private:
  void AddFixtureUsers();
  void AddFixtureParameters(const std::shared_ptr<const SourceFile>& file, bool is_sure);
  void AddFixtureTexts(const std::shared_ptr<const SourceFile>& file);
  void AddSlots();
  void AddConstructorKeywords();
  void AddCopyKeywords();
  void AddKeywords(const std::shared_ptr<const SourceFile>& file, int owner,
                   const std::function<bool(const CallOfMethod&)>& is_it);
  void AddAttributeTexts();
  void AddExamples();
  // The old name at `begin`, in a string or as a part of another name, which means the symbol.
  void AddExactText(const std::shared_ptr<const SourceFile>& file, uint32_t begin);

  const Resolution& symbol_;
  const std::string old_name_;
  const std::string& new_name_;
  std::vector<RenameCandidate> found_;
};

// pytest gives a test, or another fixture, the fixture that its parameter is called after; no
// checker knows that. https://docs.pytest.org/en/stable/reference/fixtures.html
void ConventionFinder::AddFixtureUsers() {
  for (const Declaration& target : symbol_.targets) {
    const SourceFile& declaring = *target.file;
    const absl::string_view head = HeadOf(declaring, target.AsSymbol());
    if (!LanguageBackendOf(declaring.language.id).naming.fixtures || !HoldsWord(head, "fixture") ||
        HoldsWord(head, "name")) {
      continue;
    }
    const bool has_namesake =
        std::any_of(symbol_.all.begin(), symbol_.all.end(), [&](const Declaration& other) {
          return other.symbol >= 0 && !symbol_.IsTarget(*other.file, other.symbol) &&
                 HoldsWord(HeadOf(*other.file, other.AsSymbol()), "fixture");
        });
    const bool is_shared = BaseName(declaring.path) == "conftest.py";
    for (const auto& file : symbol_.files) {
      if (!IsWithin(file->path, DirName(declaring.path))) continue;
      const bool is_sure = !has_namesake && (is_shared || file->path == declaring.path);
      AddFixtureParameters(file, is_sure);
      if (is_sure) AddFixtureTexts(file);
    }
  }
}

void ConventionFinder::AddFixtureParameters(const std::shared_ptr<const SourceFile>& file,
                                            bool is_sure) {
  for (size_t i = 0; i < file->scopes.bindings.size(); ++i) {
    const Binding& binding = file->scopes.bindings[i];
    if (binding.kind != BindingKind::kParameter || binding.name != old_name_) continue;
    if (is_sure && TakesFixture(*file, binding)) {
      for (const Occurrence& use : UsesOf(*file, static_cast<int>(i)))
        AddExactText(file, use.begin);
      continue;
    }
    RenameCandidate candidate{file, {}, Certainty::kLikely, false};
    candidate.occurrence.begin = binding.name_begin;
    candidate.occurrence.end = binding.name_end;
    candidate.occurrence.role = OccurrenceRole::kDefinition;
    found_.push_back(std::move(candidate));
  }
}

// `@pytest.mark.usefixtures("db")` and `request.getfixturevalue("db")`.
void ConventionFinder::AddFixtureTexts(const std::shared_ptr<const SourceFile>& file) {
  const absl::string_view text = file->text;
  for (size_t at = 0; (at = FindWord(text, old_name_, at)) != absl::string_view::npos;
       at += old_name_.size()) {
    const size_t behind = at + old_name_.size();
    const bool is_quoted = at > 0 && (text[at - 1] == '"' || text[at - 1] == '\'') &&
                           behind < text.size() && text[behind] == text[at - 1];
    const absl::string_view line = file->Line(file->PlaceOf(static_cast<uint32_t>(at)).line);
    const bool names_fixture =
        absl::StrContains(line, "usefixtures(") || absl::StrContains(line, "getfixturevalue(");
    if (is_quoted && names_fixture) AddExactText(file, static_cast<uint32_t>(at));
  }
}

// A parameter of `__init__` in Python: `cls(total=1)`, `type(self)(total=1)` and
// `self.__class__(total=1)` in its class call it.
void ConventionFinder::AddConstructorKeywords() {
  const Declaration& target = symbol_.targets[0];
  const SourceFile& file = *target.file;
  if (!LanguageBackendOf(file.language.id).naming.slots) return;
  const int around = file.SymbolAround(target.name_begin());
  if (around < 0) return;
  const Symbol& function = file.symbols[static_cast<size_t>(around)];
  if (function.name != "__init__" || function.parent < 0 || target.name_begin() < function.begin ||
      target.name_begin() >= function.signature_end) {
    return;
  }
  const auto makes_one = [&](const CallOfMethod& call) {
    if (call.receiver == "cls") return call.function == "cls";
    return call.function == absl::StrCat("type(", call.receiver, ")") ||
           call.function == absl::StrCat(call.receiver, ".__class__");
  };
  AddKeywords(target.file, function.parent, makes_one);
}

// A field of Python: a copy of the object gives it another value.
void ConventionFinder::AddCopyKeywords() {
  for (const Declaration& target : symbol_.targets) {
    const Symbol& field = target.AsSymbol();
    const SourceFile& file = *target.file;
    if (!LanguageBackendOf(file.language.id).naming.slots || field.parent < 0 ||
        field.kind != SymbolKind::kField) {
      continue;
    }
    const auto tree = SyntaxTree::Parse(file.grammar, file.text);
    if (!tree.ok()) return;
    const Symbol& owner = file.symbols[static_cast<size_t>(field.parent)];
    const TSNode type = ts_node_parent(NodeAt(*tree, owner.name_begin, owner.name_end));
    const bool is_tuple =
        std::find(owner.bases.begin(), owner.bases.end(), "NamedTuple") != owner.bases.end();
    const bool is_made_of_fields = IsMadeOfFields(type, file.text);
    const std::set<std::string> copies = CopyFunctions(file, *tree);
    AddKeywords(target.file, field.parent, [&](const CallOfMethod& call) {
      if (is_tuple && call.function == absl::StrCat(call.receiver, "._replace")) return true;
      return is_made_of_fields && call.first_argument == call.receiver &&
             copies.count(std::string(call.function)) > 0;
    });
  }
}

// Keyword arguments of the name in calls that stand in methods of the class `owner`.
void ConventionFinder::AddKeywords(const std::shared_ptr<const SourceFile>& file, int owner,
                                   const std::function<bool(const CallOfMethod&)>& is_it) {
  const absl::string_view text = file->text;
  const auto tree = SyntaxTree::Parse(file->grammar, text);
  if (!tree.ok()) return;
  const Symbol& symbol = file->symbols[static_cast<size_t>(owner)];
  const TSNode type = ts_node_parent(NodeAt(*tree, symbol.name_begin, symbol.name_end));
  std::map<const void*, absl::string_view> receivers;  // by method
  WalkTree(type, [&](TSNode node) {
    const TSNode name = IsNode(node, "keyword_argument") ? FieldOf(node, "name") : TSNode{};
    if (ts_node_is_null(name) || TextOf(name, text) != old_name_) return true;
    const TSNode arguments = ts_node_parent(node);
    const TSNode function = FieldOf(ts_node_parent(arguments), "function");
    const TSNode method = MethodAround(node, type);
    if (ts_node_is_null(function) || ts_node_is_null(method)) return true;
    const auto [receiver, is_new] = receivers.try_emplace(method.id);
    if (is_new) receiver->second = ReceiverOf(method, text);
    const CallOfMethod call{TextOf(function, text), receiver->second,
                            TextOf(ts_node_named_child(arguments, 0), text)};
    if (!call.receiver.empty() && is_it(call)) AddExactText(file, BeginOf(name));
    return true;
  });
}

// `__slots__ = ("total",)` declares the fields of a class of Python.
void ConventionFinder::AddSlots() {
  for (const Declaration& target : symbol_.targets) {
    const SourceFile& file = *target.file;
    const int owner = target.AsSymbol().parent;
    if (!LanguageBackendOf(file.language.id).naming.slots || owner < 0 ||
        !IsMember(target.AsSymbol().kind))
      continue;
    const Symbol& type = file.symbols[static_cast<size_t>(owner)];
    const auto body = absl::string_view(file.text).substr(0, type.end);
    for (const char* list : {"__slots__", "__match_args__"}) {
      const size_t begin = FindWord(body, list, type.begin);
      if (begin == absl::string_view::npos) continue;
      const size_t open = body.find_first_of("([{\n", begin);
      if (open == absl::string_view::npos) continue;
      const size_t end = body[open] == '\n' ? open : body.find_first_of(")]}", open);
      for (size_t at = begin; (at = FindWord(body, old_name_, at)) < std::min(end, body.size());
           at += old_name_.size()) {
        const bool is_text = absl::StrContains("\"'", body[at - 1]) &&
                             absl::StrContains("\"'", file.text[at + old_name_.size()]);
        if (!is_text) continue;
        AddExactText(target.file, static_cast<uint32_t>(at));
      }
    }
  }
}

// In a class of Python, `getattr(self, "total")` and `object.__setattr__(self, "total", 0)` mean
// its own attribute.
void ConventionFinder::AddAttributeTexts() {
  for (const Declaration& target : symbol_.targets) {
    const SourceFile& file = *target.file;
    const int owner = target.AsSymbol().parent;
    if (!LanguageBackendOf(file.language.id).naming.attribute_texts || owner < 0 ||
        !IsMember(target.AsSymbol().kind)) {
      continue;
    }
    const Symbol& type = file.symbols[static_cast<size_t>(owner)];
    const auto body = absl::string_view(file.text).substr(0, type.end);
    for (size_t at = type.begin; (at = FindWord(body, old_name_, at)) < body.size();
         at += old_name_.size()) {
      const size_t behind = at + old_name_.size();
      const char quote = body[at - 1];
      if ((quote != '"' && quote != '\'') || behind >= body.size() || body[behind] != quote ||
          !IsNamedOfSelf(body.substr(0, at - 1)) || InnermostType(file, at) != owner) {
        continue;
      }
      AddExactText(target.file, static_cast<uint32_t>(at));
    }
  }
}

void ConventionFinder::AddExactText(const std::shared_ptr<const SourceFile>& file, uint32_t begin) {
  RenameCandidate candidate{file, {}, Certainty::kExact, false};
  candidate.occurrence.begin = begin;
  candidate.occurrence.end = begin + static_cast<uint32_t>(old_name_.size());
  candidate.occurrence.role = OccurrenceRole::kRaw;
  candidate.is_resolved = true;
  candidate.is_renamed = true;
  found_.push_back(std::move(candidate));
}

// `go vet` refuses an example that documents nothing (https://pkg.go.dev/testing#hdr-Examples). An
// example of a name that is not exported has no name at all: it stays.
void ConventionFinder::AddExamples() {
  static constexpr absl::string_view kExample = "Example";
  if (!absl::ascii_isupper(static_cast<unsigned char>(new_name_[0]))) return;
  for (const Declaration& target : symbol_.targets) {
    if (!LanguageBackendOf(target.file->language.id).naming.example_functions) continue;
    const std::string type = LastComponent(target.AsSymbol().container);
    const std::string before = type.empty() ? "" : absl::StrCat(type, "_");
    for (const auto& file : symbol_.files) {
      if (DirName(file->path) != DirName(target.file->path) ||
          !absl::EndsWith(file->path, "_test.go")) {
        continue;
      }
      for (const Symbol& symbol : file->symbols) {
        absl::string_view rest = symbol.name;
        if (symbol.kind != SymbolKind::kFunction || !absl::ConsumePrefix(&rest, kExample) ||
            !absl::ConsumePrefix(&rest, before) || !absl::ConsumePrefix(&rest, old_name_)) {
          continue;
        }
        const bool is_whole = rest.empty() || rest[0] == '_';
        // `ExampleOrder_Total`: the member of a type, or a suffix in small letters.
        const bool is_suffix = rest.size() < 2 || IsType(target.AsSymbol().kind) ||
                               absl::ascii_islower(static_cast<unsigned char>(rest[1]));
        if (!is_whole || !is_suffix) continue;
        AddExactText(file,
                     symbol.name_begin + static_cast<uint32_t>(kExample.size() + before.size()));
      }
    }
  }
}

}  // namespace

std::vector<RenameCandidate> ConventionalNames(const Resolution& symbol,
                                               const std::string& new_name) {
  return ConventionFinder(symbol, new_name).Find();
}

}  // namespace stile
