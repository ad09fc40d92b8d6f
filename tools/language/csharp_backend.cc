// C#.
#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tools/language/backends.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

class CSharpTypes : public TypeRules {
 public:
  std::string NumberType(absl::string_view word) const override {
    SuffixedNumbers numbers;
    numbers.unsigned_type = "uint";
    numbers.unsigned_long_type = "ulong";
    numbers.decimal_type = "decimal";
    return SuffixedNumberType(numbers, word);
  }

  std::string ProbeOf(absl::string_view probe, absl::string_view expression) const override {
    return absl::StrCat("System.Collections.Specialized.BitVector32.Section ", probe, " = ",
                        expression, ";\n");
  }

  std::string TypeInMessage(absl::string_view message) const override {
    return TextBetween(message, "convert type '", "' to");
  }

  // Structs, and records that are structs, as far as the file declares them.
  bool CopiesArgument(const std::string& type, TSNode root, absl::string_view text) const override {
    const absl::string_view name = absl::string_view(type).substr(0, type.find_first_of("<?"));
    bool found = false;
    WalkTree(root, [&](TSNode node) {
      if (found || !absl::StrContains(TypeOf(node), "_declaration")) return !found;
      const bool is_struct =
          absl::StrContains(TypeOf(node), "struct") ||
          (absl::StrContains(TypeOf(node), "record") && HasChildText(node, "struct", text));
      found = is_struct && TextOf(FieldOf(node, "name"), text) == name;
      return !found;
    });
    return found;
  }

  bool MayChangeReceiver(const std::string&, absl::string_view, absl::string_view) const override {
    return true;
  }

  std::string AsyncResult(const std::string& type) const override {
    return type == "void" ? "Task" : absl::StrCat("Task<", type, ">");
  }
};

class CSharpMembers : public ClassMembers {
 public:
  std::string PropertyOf(absl::string_view code, const std::string&) const override {
    const size_t brace = code.find('{');
    if (!absl::StrContains(code.substr(0, brace), "public ")) return "";
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

  bool IsPublicHead(absl::string_view head, absl::string_view) const override {
    return absl::StrContains(head, "public ");
  }

  void CompleteOverride(bool of_interface, MethodSignature* header) const override {
    header->attributes.clear();
    std::vector<std::string> kept;
    bool has_access = false;
    for (const std::string& word : header->modifiers) {
      const bool is_access = word == "public" || word == "protected" || word == "internal";
      if (is_access || word == "static") kept.push_back(word);
      has_access = has_access || is_access;
    }
    if (!has_access) kept.insert(kept.begin(), "public");
    if (!of_interface) kept.emplace_back("override");
    // C# forbids constraints on an override: it inherits those of the base.
    if (!of_interface) header->suffix.clear();
    header->modifiers = std::move(kept);
  }

  std::string FieldFor(absl::string_view declared, bool of_interface,
                       const std::string& stub) const override {
    const size_t brace = declared.find('{');
    if (brace == absl::string_view::npos) return "";
    std::string head(absl::StripAsciiWhitespace(declared.substr(0, brace)));
    const absl::string_view accessors = declared.substr(brace);
    if (absl::StrContains(accessors, "=>")) return "";
    for (const std::string word : {"public ", "abstract "}) {
      const size_t at = head.find(word);
      if (at != std::string::npos) head.erase(at, word.size());
    }
    std::string code = absl::StrCat(of_interface ? "public " : "public override ", head, " {");
    const std::set<std::string> words = IdentifiersOf(accessors);
    for (const char* word : {"get", "set", "init"}) {
      if (words.count(word) > 0) absl::StrAppend(&code, " ", word, " => ", stub);
    }
    return absl::StrCat(code, " }");
  }

  std::optional<BasePlace> PlaceOfBase(TSNode declaration, uint32_t head_end) const override {
    const TSNode list = ChildOf(declaration, "base_list");
    if (!ts_node_is_null(list)) return BasePlace{EndOf(list), ", ", ""};
    return BasePlace{head_end, " : ", ""};
  }

  std::string InterfaceHead(absl::string_view type_head, const std::string& name,
                            const std::string& generics) const override {
    return absl::StrCat(absl::StrContains(type_head, "public ") ? "public " : "internal ",
                        "interface ", name, generics);
  }
};

class CSharpWriter : public TypeFirstWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat("var ", name, " = ", value, ";");
  }

  std::string DeclareConstant(const std::string& name, const std::string& type,
                              absl::string_view value, bool) const override {
    if (type.empty()) return "";
    return absl::StrCat("private const ", type, " ", name, " = ", value, ";");
  }

  std::string KeepInField(const std::string& field, const std::string& parameter) const override {
    if (field == parameter) return CodeWriter::KeepInField(field, parameter);
    return absl::StrCat(field, " = ", parameter, ";");
  }

  std::string TypeOfResults(const std::vector<TakenResult>& results) const override {
    std::vector<std::string> types;
    for (const TakenResult& result : results) {
      types.push_back(absl::StrCat(result.type, " ", result.name));
    }
    return absl::StrCat("(", absl::StrJoin(types, ", "), ")");
  }

  std::string ResultList(const std::vector<std::string>& names) const override {
    return absl::StrCat("(", absl::StrJoin(names, ", "), ")");
  }

  std::string TakeResults(const ResultTaking& taking) const override {
    bool all_fresh = true;
    std::vector<std::string> names;
    std::vector<std::string> declared;
    for (const TakenResult& result : taking.results) {
      all_fresh = all_fresh && result.is_fresh;
      names.push_back(result.name);
      declared.push_back(absl::StrCat(result.is_fresh ? "var " : "", result.name));
    }
    const std::string end = absl::StrCat(" = ", taking.call, ";");
    if (names.size() == 1) return declared[0] + end;
    if (all_fresh) return absl::StrCat("var ", ResultList(names), end);
    return absl::StrCat(ResultList(declared), end);
  }
};

}  // namespace

LanguageBackend CSharpBackend() {
  static const CSharpTypes types;
  static const CSharpMembers members;
  static const CSharpWriter writer;
  LanguageFacts facts;
  facts.requires_result_type = true;
  facts.constants_convert = true;
  facts.const_locals = true;
  facts.number_types = {"sbyte", "byte",  "short", "ushort", "int",    "uint",
                        "long",  "ulong", "float", "double", "decimal"};
  facts.conversion = "({type}){value}";
  facts.types_choose_overloads = true;
  facts.copies_structs = true;
  facts.has_getters = true;
  facts.functions_only_in_types = true;
  facts.constants_in_types = true;
  facts.interface_extension = ".cs";
  facts.imports_name_spaces = true;
  GenerationFacts generation;
  generation.method_example = "public int Add(int a, int b)";
  generation.property_example = "public int {name} { get; set; }";
  generation.has_overloads = true;
  generation.has_events = true;
  generation.bodiless_records = true;
  generation.primary_constructors = true;
  generation.properties_have_accessors = true;
  generation.tests = TestLocation::kOwnProject;
  generation.test_classes = true;
  generation.test_group_is_file = true;
  generation.bracket_attributes = true;
  generation.arrow_bodies = true;
  NamingFacts naming;
  naming.implicit_this = true;
  naming.types_name_files = true;
  naming.partial_types = true;
  naming.explicit_interface_members = true;
  naming.frame_words = {"nameof"};
  naming.object_members = {"Equals",  "Finalize",        "GetHashCode",
                           "GetType", "MemberwiseClone", "ToString"};
  naming.tool_folders = {"obj", "bin"};
  naming.class_words = {"base"};
  naming.members_private_by_default = true;
  naming.compiler_checks_names = true;
  naming.has_default_arguments = true;
  naming.has_named_arguments = true;
  naming.arguments_named_by_colon = true;
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

}  // namespace stile
