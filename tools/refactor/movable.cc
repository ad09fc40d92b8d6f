#include "tools/refactor/movable.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/extract/evaluation_order.h"
#include "tools/extract/selection.h"
#include "tools/index/code_index.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/syntax_nodes.h"

namespace stile {
namespace {

using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;

const NamingFacts& NamingOf(const SourceFile& file) {
  return LanguageBackendOf(file.language.id).naming;
}

const GenerationFacts& FactsOf(const SourceFile& file) {
  return LanguageBackendOf(file.language.id).generation;
}

absl::Status No(const Symbol& symbol, absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(ToUtf8(symbol.name), " cannot move: ", reason));
}

bool Holds(const Ranges& ranges, uint32_t at) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return range.first <= at && at < range.second; });
}

// Words that mean the file or the module they stand in.
std::string OwnPlace(const SourceFile& file, absl::string_view code) {
  if (FactsOf(file).imports_files) {
    for (const absl::string_view word : {"import.meta", "__dirname", "__filename"}) {
      if (absl::StrContains(code, word)) return std::string(word);
    }
    for (const absl::string_view call : {"import(", "require("}) {
      const size_t at = code.find(call);
      if (at == absl::string_view::npos) continue;
      const absl::string_view argument = code.substr(at + call.size(), 2);
      if (argument == "'." || argument == "\"." || argument == "`.") return std::string(call) + ")";
    }
  }
  for (const std::string& word : NamingOf(file).module_words) {
    if (HoldsWord(code, word)) return word;
  }
  return "";
}

// A file for one platform, or for tests.
std::string BuildConstraint(const std::string& path, absl::string_view text) {
  if (absl::StrContains(text, "//go:build") || absl::StrContains(text, "// +build")) {
    return "a build constraint";
  }
  const std::string base = BaseName(path);
  const size_t bar = base.rfind('_');
  if (bar == std::string::npos) return "";
  const std::string word = base.substr(bar + 1, base.rfind('.') - bar - 1);
  // https://pkg.go.dev/cmd/go#hdr-Build_constraints
  const bool is_known = IsOneOf(
      word, {"test",  "aix",     "android", "darwin",  "dragonfly", "freebsd", "illumos", "ios",
             "js",    "linux",   "netbsd",  "openbsd", "plan9",     "solaris", "wasip1",  "windows",
             "386",   "amd64",   "arm",     "arm64",   "loong64",   "mips",    "mips64",  "mipsle",
             "ppc64", "ppc64le", "riscv64", "s390x",   "wasm",      "unix"});
  return is_known ? absl::StrCat("the ending _", word, " of its file") : "";
}

// The value that a variable gets where it is declared; null for none.
TSNode InitialValue(const Symbol& symbol, const SyntaxTree& tree) {
  for (TSNode node = NodeAt(tree, symbol.name_begin, symbol.name_end); !ts_node_is_null(node);
       node = ts_node_parent(node)) {
    for (const char* field : {"value", "right"}) {
      const TSNode value = FieldOf(node, field);
      if (!ts_node_is_null(value) && BeginOf(value) > symbol.name_begin) return value;
    }
    if (BeginOf(node) < symbol.begin || EndOf(node) > symbol.end) break;
  }
  return TSNode{};
}

absl::Status CheckVariables(const SourceFile& file, const Symbol& symbol, const Ranges& ranges,
                            const SyntaxTree& tree) {
  for (size_t i = 0; i < file.scopes.bindings.size(); ++i) {
    const Binding& binding = file.scopes.bindings[i];
    if (!binding.is_file_level || binding.kind != BindingKind::kVariable) continue;
    const bool moves = Holds(ranges, binding.name_begin);
    for (const Occurrence& use : UsesOf(file, static_cast<int>(i))) {
      if (use.begin == binding.name_begin || Holds(ranges, use.begin) == moves) continue;
      const bool is_written =
          use.role == OccurrenceRole::kDefinition || IsWrite(tree, use, file.text);
      if (is_written && FactsOf(file).imports_files) {
        return No(symbol, absl::StrCat("line ", file.PlaceOf(use.begin).line, " writes ",
                                       ToUtf8(binding.name), ", which only its own file can"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool HasGlobalWrites(const SourceFile& file) { return HoldsWord(file.text, "global"); }

bool LoadsQuietly(const SourceFile& file, const SyntaxTree& tree, const Ranges& ranges) {
  for (const TSNode node : NamedChildren(tree.root())) {
    if (Holds(ranges, BeginOf(node))) continue;
    const absl::string_view type = TypeOf(node);
    const absl::string_view code = TextOf(node, file.text);
    if (FactsOf(file).imports_files) {
      // `import "./setup"` loads a file for its effects.
      const bool is_bare = type == "import_statement" && NamedChildren(node).size() == 1;
      const bool is_directive =
          type == "expression_statement" && IsNode(ts_node_named_child(node, 0), "string");
      if (is_bare || (type == "expression_statement" && !is_directive)) return false;
      if (absl::EndsWith(type, "_statement") && type != "import_statement" &&
          type != "export_statement" && !is_directive) {
        return false;
      }
      const bool declares = absl::StrContains(type, "function") ||
                            absl::StrContains(type, "class") ||
                            absl::StrContains(type, "interface") ||
                            absl::StrContains(type, "type") || absl::StrContains(type, "import");
      const bool is_function = absl::StrContains(code.substr(0, 60), "function ") ||
                               absl::StrContains(code.substr(0, 60), "class ");
      if (!declares && !is_function && HasEffects(node, file.text)) return false;
      continue;
    }
    if (IsOneOf(type, {"import_statement", "import_from_statement", "future_import_statement",
                       "function_definition", "class_definition", "comment"})) {
      continue;
    }
    const TSNode inner = type == "expression_statement" ? ts_node_named_child(node, 0) : TSNode{};
    const bool is_quiet =
        IsNode(inner, "string") ||
        (IsNode(inner, "assignment") && IsNode(FieldOf(inner, "left"), "identifier") &&
         !ts_node_is_null(FieldOf(inner, "right")) &&
         !HasEffects(FieldOf(inner, "right"), file.text));
    if (!is_quiet) return false;
  }
  return true;
}

absl::Status CheckMovable(const SourceFile& file, const Symbol& symbol, const Ranges& ranges,
                          const SyntaxTree& tree, const std::vector<Import>& imports,
                          const std::string& destination) {
  for (const auto& [begin, end] : ranges) {
    const absl::string_view code = absl::string_view(file.text).substr(begin, end - begin);
    if (const std::string word = OwnPlace(file, code); !word.empty()) {
      return No(symbol, absl::StrCat("it uses ", word, ", which depends on its file"));
    }
    if (NamingOf(file).global_statement && HoldsWord(code, "global")) {
      return No(symbol, "it writes a variable of its module");
    }
  }
  if (NamingOf(file).has_build_constraints) {
    const std::string constraint = BuildConstraint(file.path, file.text);
    if (!constraint.empty() && constraint != BuildConstraint(destination, "")) {
      return No(symbol, absl::StrCat(constraint, " says where it is built"));
    }
  }
  const bool is_variable =
      symbol.kind == SymbolKind::kVariable || symbol.kind == SymbolKind::kConstant;
  const TSNode value = is_variable ? InitialValue(symbol, tree) : TSNode{};
  const bool is_prepared =
      !NamingOf(file).initializes_in_order || !LoadsQuietly(file, tree, ranges);
  const bool is_code = !ts_node_is_null(value) && IsFunctionNode(value);
  const bool depends =
      !ts_node_is_null(value) && !is_code &&
      (HasEffects(value, file.text) || (NamingOf(file).initializes_in_order && UsesNames(value)));
  if (is_prepared && depends) {
    return No(symbol, "its value is made while the file is loaded, in the order of its lines");
  }
  for (const Import& import : imports) {
    if (!FactsOf(file).imports_files && !FactsOf(file).imports_dotted_modules) break;
    if (IndentationAt(file.text, import.begin).empty()) continue;
    const std::string& name = import.alias.empty() ? import.name : import.alias;
    const std::string& bound = name.empty() ? import.module : name;
    for (const Occurrence& use :
         FindOccurrences(file.grammar, file.scopes, file.text, bound.substr(0, bound.find('.')))) {
      if (!Holds(ranges, use.begin) || Holds(ranges, import.begin)) continue;
      return No(symbol,
                absl::StrCat("it uses ", ToUtf8(bound), ", which line ",
                             file.PlaceOf(import.begin).line, " imports under a condition"));
    }
  }
  return CheckVariables(file, symbol, ranges, tree);
}

}  // namespace stile
