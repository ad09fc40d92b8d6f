// Go.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tools/language/backends.h"

namespace stile {
namespace {

std::string Word(TSNode node, absl::string_view text) {
  return ts_node_is_null(node) ? "" : std::string(absl::StripAsciiWhitespace(TextOf(node, text)));
}

// The methods for which packages of the standard library assert an interface and do something else
// without it: encoding/json, fmt, errors and others. Most are those that `go vet` checks.
// https://pkg.go.dev/golang.org/x/tools/go/analysis/passes/stdmethods
std::vector<AssertedMethod> AssertedMethods() {
  return {
      {"As", {"any"}, "bool", "errors.As"},
      {"Error", {}, "string", "error"},
      {"Format", {"fmt.State", "rune"}, "", "fmt.Formatter"},
      {"GoString", {}, "string", "fmt.GoStringer"},
      {"GobDecode", {"[]byte"}, "error", "gob.GobDecoder"},
      {"GobEncode", {}, "([]byte, error)", "gob.GobEncoder"},
      {"Is", {"error"}, "bool", "errors.Is"},
      {"IsZero", {}, "bool", "json, for omitzero"},
      {"MarshalBinary", {}, "([]byte, error)", "encoding.BinaryMarshaler"},
      {"MarshalJSON", {}, "([]byte, error)", "json.Marshaler"},
      {"MarshalText", {}, "([]byte, error)", "encoding.TextMarshaler"},
      {"MarshalXML", {"*xml.Encoder", "xml.StartElement"}, "error", "xml.Marshaler"},
      {"ReadFrom", {"io.Reader"}, "(int64, error)", "io.ReaderFrom"},
      {"Scan", {"any"}, "error", "sql.Scanner"},
      {"Scan", {"fmt.ScanState", "rune"}, "error", "fmt.Scanner"},
      {"String", {}, "string", "fmt.Stringer"},
      {"LogValue", {}, "slog.Value", "slog.LogValuer"},
      {"MarshalXMLAttr", {"xml.Name"}, "(xml.Attr, error)", "xml.MarshalerAttr"},
      {"UnmarshalXMLAttr", {"xml.Attr"}, "error", "xml.UnmarshalerAttr"},
      {"Value", {}, "(driver.Value, error)", "driver.Valuer"},
      {"UnmarshalBinary", {"[]byte"}, "error", "encoding.BinaryUnmarshaler"},
      {"UnmarshalJSON", {"[]byte"}, "error", "json.Unmarshaler"},
      {"UnmarshalText", {"[]byte"}, "error", "encoding.TextUnmarshaler"},
      {"UnmarshalXML", {"*xml.Decoder", "xml.StartElement"}, "error", "xml.Unmarshaler"},
      {"Unwrap", {}, "[]error", "errors.Is"},
      {"Timeout", {}, "bool", "os.IsTimeout"},
      {"Unwrap", {}, "error", "errors.Unwrap"},
      {"WriteString", {"string"}, "(int, error)", "io.StringWriter"},
      {"WriteTo", {"io.Writer"}, "(int64, error)", "io.WriterTo"},
  };
}

class GoTypes : public TypeRules {
 public:
  std::string NumberType(absl::string_view word) const override {
    return IsFloatLiteral(word) ? "float64" : "int";
  }

  std::string ValueType(TSNode value, absl::string_view text) const override {
    const absl::string_view kind = TypeOf(value);
    if (kind == "float_literal") return "float64";
    if (kind == "unary_expression" && absl::StartsWith(TextOf(value, text), "&")) {
      const TSNode operand = FieldOf(value, "operand");
      if (!IsNode(operand, "composite_literal")) return "";
      return absl::StrCat("*", Word(FieldOf(operand, "type"), text));
    }
    if (kind != "call_expression") return "";
    const std::string function = Word(FieldOf(value, "function"), text);
    const TSNode first = ts_node_named_child(FieldOf(value, "arguments"), 0);
    if (function == "make") return Word(first, text);
    if (function == "new") return absl::StrCat("*", Word(first, text));
    return function == "len" || function == "cap" ? "int" : "";
  }

  std::optional<TypeSource> DeclaredBeside(TSNode name, absl::string_view text) const override {
    const TSNode declaration = ts_node_parent(name);
    const absl::string_view kind = TypeOf(declaration);
    TypeSource source;
    if (kind == "parameter_declaration" || kind == "var_spec") {
      source.type = Word(FieldOf(declaration, "type"), text);
    } else if (kind == "variadic_parameter_declaration") {
      source.type = absl::StrCat("[]", Word(FieldOf(declaration, "type"), text));
    } else if (kind == "expression_list" &&
               IsNode(ts_node_parent(declaration), "short_var_declaration")) {
      // As many values as names: the one in its place.
      const std::vector<TSNode> names = NamedChildren(declaration);
      const std::vector<TSNode> values =
          NamedChildren(FieldOf(ts_node_parent(declaration), "right"));
      for (size_t i = 0; i < names.size() && names.size() == values.size(); ++i) {
        if (SameNode(names[i], name)) source.value = values[i];
      }
    }
    return source;
  }

  std::string ProbeOf(absl::string_view probe, absl::string_view expression) const override {
    return absl::StrCat("var ", probe, " struct{ ", probe, " int } = ", expression, "; _ = ", probe,
                        "\n");
  }

  std::string TypeInMessage(absl::string_view message) const override {
    return TextBetween(message, " of type ", ") as ");
  }

  bool CopiesArgument(const std::string& type, TSNode, absl::string_view) const override {
    return !absl::StartsWith(type, "*") && !absl::StartsWith(type, "map[") &&
           !absl::StartsWith(type, "[]");
  }

  bool MayChangeReceiver(const std::string& type, absl::string_view method,
                         absl::string_view text) const override {
    return absl::StrContains(text, absl::StrCat("*", type, ") ", method, "("));
  }
};

class GoMembers : public MemberRules {
 public:
  FunctionOwner OwnerOf(TSNode member, absl::string_view text) const override {
    FunctionOwner owner = MemberRules::OwnerOf(member, text);
    const TSNode receiver = FieldOf(member, "receiver");
    if (ts_node_is_null(receiver)) return owner;
    const absl::string_view list = TextOf(receiver, text);
    owner.receiver_text = std::string(list.substr(1, list.size() - 2));
    owner.receiver = FieldOf(ts_node_named_child(receiver, 0), "name");
    if (!ts_node_is_null(owner.receiver)) {
      owner.receiver_name = std::string(TextOf(owner.receiver, text));
    }
    return owner;
  }

  void CompleteHelper(const FunctionOwner& owner, bool uses_this, std::vector<std::string>*,
                      MethodSignature* header) const override {
    if (uses_this) header->receiver = owner.receiver_text;
  }

  std::string CallPrefix(const FunctionOwner& owner, bool uses_this) const override {
    return uses_this ? absl::StrCat(owner.receiver_name, ".") : "";
  }

  bool IsPublic(const MethodSignature& header) const override {
    return absl::ascii_isupper(static_cast<unsigned char>(header.name[0]));
  }

  bool IsPublicHead(absl::string_view, absl::string_view name) const override {
    return absl::ascii_isupper(static_cast<unsigned char>(name[0]));
  }

  std::string InterfaceHead(absl::string_view, const std::string& name,
                            const std::string& generics) const override {
    return absl::StrCat("type ", name, generics, " interface");
  }
};

class GoWriter : public CodeWriter {
 public:
  std::string DeclareLocal(const std::string& name, const std::string&,
                           absl::string_view value) const override {
    return absl::StrCat(name, " := ", value);
  }

  std::string DeclareUnset(const std::string& name, const std::string& type) const override {
    return absl::StrCat("var ", name, " ", type);
  }

  std::string DeclareConstant(const std::string& name, const std::string&, absl::string_view value,
                              bool) const override {
    return absl::StrCat("const ", name, " = ", value);
  }

  std::string ParameterText(const std::string& name, const std::string& type) const override {
    return type.empty() ? name : absl::StrCat(name, " ", type);
  }

  std::string TakeResults(const ResultTaking& taking) const override {
    bool all_fresh = true;
    std::vector<std::string> names;
    for (const TakenResult& result : taking.results) {
      all_fresh = all_fresh && result.is_fresh;
      names.push_back(result.name);
    }
    std::string before;
    for (const TakenResult& result : taking.results) {
      if (all_fresh || !result.is_fresh) continue;
      absl::StrAppend(&before, DeclareUnset(result.name, result.type), "\n", taking.indentation);
    }
    return absl::StrCat(before, absl::StrJoin(names, ", "), all_fresh ? " := " : " = ",
                        taking.call);
  }
};

}  // namespace

LanguageBackend GoBackend() {
  static const GoTypes types;
  static const GoMembers members;
  static const GoWriter writer;
  LanguageFacts facts;
  facts.statement_end = "";
  facts.condition_in_parentheses = false;
  facts.character_type = "rune";
  facts.declared_types_convert = false;
  facts.untyped_constants = true;
  facts.number_types = {"int",     "int8",    "int16",   "int32",  "int64",
                        "uint",    "uint8",   "uint16",  "uint32", "uint64",
                        "uintptr", "float32", "float64", "byte",   "rune"};
  facts.conversion = "{type}({value})";
  facts.copies_structs = true;
  facts.unordered_operands = true;
  facts.takes_addresses = true;
  facts.this_is_parameter = true;
  facts.implicit_interfaces = true;
  facts.asserted_methods = AssertedMethods();
  GenerationFacts generation;
  generation.method_example = "Add(a, b int) int";
  generation.property_example = "{name} int";
  generation.import_lists = true;
  generation.import_is_path = true;
  generation.imports_packages = true;
  generation.package_line_end = "\n";
  generation.methods_outside_types = true;
  generation.constructors_are_functions = true;
  generation.fields_in_columns = true;
  generation.tests_share_package = true;
  NamingFacts naming;
  naming.docs_begin_with_name = true;
  naming.types_embed = true;
  naming.example_functions = true;
  naming.functions_move = true;
  naming.snake_file_names = true;
  naming.has_build_constraints = true;
  naming.modules_have_versions = true;
  naming.initializes_in_order = false;
  naming.frame_words = {"recover"};
  return {nullptr, facts, generation, naming, &types, &members, &writer};
}

}  // namespace stile
