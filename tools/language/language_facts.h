// What a language is like, one fact a field. A fact names a property that an operation depends on,
// never the language.
#ifndef STILE_TOOLS_LANGUAGE_LANGUAGE_FACTS_H_
#define STILE_TOOLS_LANGUAGE_LANGUAGE_FACTS_H_

#include <string>
#include <vector>

namespace stile {

// A method that a library looks for while the program runs: no type says that it implements it.
struct AssertedMethod {
  std::string name;
  std::vector<std::string> parameters;  // their types
  std::string result;
  std::string wanted_by;  // "fmt.Formatter"
};

// A table, not an object: it has as many members as there are questions.
struct LanguageFacts {
  // How statements are written.
  std::string statement_end = ";";
  std::string line_comment = "//";
  bool condition_in_parentheses = true;  // `if (x)`
  bool lines_join = false;  // without a semicolon, a line can go on with the one before it
  int top_level_gap = 1;    // blank lines between the declarations of a file

  // Names of types.
  std::string truth_type = "bool";
  std::string comparison_type = "bool";  // of `a == b` and `!a`
  std::string text_type = "string";      // of a literal
  std::string character_type = "char";
  std::string number_type;                // the only one; "": there are several
  std::vector<std::string> number_types;  // that values can be converted to
  std::string conversion;          // "({type}) {value}": how; "" : numbers have no other type
  std::string result_mark = ": ";  // before the result of a function
  std::string no_result;           // what a function declares that returns nothing

  // Types.
  bool has_annotations = true;           // parameters and results can have types
  bool requires_types = true;            // parameters must have them
  bool requires_result_type = false;     // a method without a result names that, too
  bool infers_results = false;           // a function's result needs no type
  std::string default_mark = " = ";      // before the default of a parameter without a type
  bool optional_annotations = false;     // what has no type written still has one
  bool types_choose_overloads = false;   // see `constants_convert`
  bool constants_convert = false;        // a constant converts where a variable does not
  bool const_locals = false;             // a local can be declared as a constant
  bool constants_by_convention = false;  // no word says that a variable is one
  bool compares_identity = false;        // `==` of texts asks whether they are the same object
  bool declared_types_convert = true;    // a written type changes what the value is
  bool untyped_constants = false;        // a number takes the type of the other operand
  bool division_gives_float = false;
  bool logic_gives_operand = false;       // `a && b` is a or b, not a truth value
  bool truth_is_number = false;           // `!x` is 0 or 1
  bool erases_type_parameters = false;    // an interface repeats none of a class
  bool single_result = false;             // a function gives one value back
  bool qualifiers_surround_type = false;  // `const char *x`: the type is all before the name

  // Values.
  bool copies_structs = false;        // what is written to a variable does not reach its source
  bool has_value_categories = false;  // a name and a call choose different overloads
  bool has_getters = false;           // reading a member may run code
  bool unordered_operands = false;    // operands are evaluated in an order that nothing defines
  bool targets_last = false;          // an assignment evaluates its left side last
  bool condition_first = false;       // `a if c else b`: the second part is evaluated first
  bool arguments_reordered = false;   // `*list` is evaluated before arguments with names
  bool takes_addresses = false;       // `&x` gives others the variable itself
  bool has_macros = false;            // what looks like a call may be text that is replaced

  // Functions and types.
  bool this_is_parameter = false;  // the object is a parameter with a name
  bool functions_only_in_types = false;
  bool functions_take_names = false;  // a function has the name of the variable it is stored in
  bool defaults_replace_undefined = false;  // a default serves for an argument that has no value
  bool docstrings = false;                  // a text that begins a body documents it
  bool lines_end_statements = false;        // outside of brackets
  bool call_binds_this = false;             // `x.f()` and `f()` give f another `this`
  bool has_arguments_object = false;        // `arguments` holds the parameters
  bool constants_in_types = false;          // a constant stands in a type, not in the file
  bool members_hide_globals = false;   // a member of a base class comes before a name of the file
  bool modules_run_at_import = false;  // a constant of a module has its value when its line ran
  // Methods that the language itself calls by name; empty: LanguageFamily::library_members.
  std::vector<std::string> implicit_methods;
  bool async_is_contract = false;  // an interface says which methods are async

  // Interfaces.
  bool has_rest_parameters = false;  // `...name`
  bool implicit_interfaces = false;  // a type names none of those that it has
  std::vector<AssertedMethod> asserted_methods;
  bool fields_in_interfaces = false;
  bool interface_needs_result = false;  // a method of an interface must declare its result
  bool imports_name_spaces = false;     // an import brings every name of a name space
  std::string
      interface_extension;       // of the file for an interface alone: ".cs"; "": beside its type
  std::string interface_import;  // the line that an interface needs; "" : none
  int interface_member_gap = 0;  // blank lines between its members
};

// How names reach other places, for renames, moves and deletions. One field a fact, as above.
struct NamingFacts {
  // Which uses mean a declaration.
  bool gradual_types = false;    // no checker has to refute a wrong name
  bool implicit_this = false;    // in a type, a name alone can mean a member
  bool keys_are_members = true;  // `{size: 1}` can stand where an object with `size` is wanted
  bool has_declaration_files = false;      // `.d.ts`, and paths that a setting maps to folders
  bool wildcard_imports_module = false;    // `from shop import *` brings every name of a file
  bool names_in_strings = false;           // parts are found by their names in strings
  bool scope_operator = false;             // `Colour::kRed`
  bool wildcard_variants = false;          // `use Colour::*` brings the names of its variants
  bool open_enumerations = false;          // their members are names of the scope around them
  std::vector<std::string> style_codes;    // of errors that only blame how a name is written
  std::vector<std::string> meaning_codes;  // of warnings that a name means the function around it
  std::vector<std::string> default_names;  // types that every file knows without an import
  std::string shares_names_with;           // another language whose code knows the same names
  bool union_names = false;                // a place can mean several declarations
  // `{size: 1}` declares a member, and a place can mean those of several literals.
  bool literals_declare_members = false;
  bool anonymous_classes = false;
  bool fixtures = false;         // a parameter of a test names what it is given
  bool slots = false;            // `__slots__` names the fields
  bool attribute_texts = false;  // `getattr(self, "total")` names a field
  bool doc_tests = false;        // examples in comments are compiled
  // A call in a template means functions in the name spaces of its arguments' types.
  bool lookup_by_arguments = false;
  // What a declaration begins with if the compiler has to warn of its uses; "": nothing does it.
  // Code that such a declaration holds is not warned of.
  std::string deprecation_mark;
  bool example_functions = false;     // `ExampleOrder_Total` documents Order.Total
  bool types_embed = false;           // a type alone in a struct is a field of its name
  bool docs_begin_with_name = false;  // the comment of a declaration begins with its name
  bool types_name_files = false;      // a file has the name of its type

  // Which declarations are one.
  bool partial_types = false;          // parts of a type stand in several files
  bool has_prototypes = false;         // a function is declared in one file and defined in another
  bool fields_override = false;        // a field can override one of a base
  bool accessors_are_fields = false;   // a field and a method of one name are one member
  bool fields_have_own_names = false;  // … are two members
  bool separate_name_spaces = false;   // a module, a macro and a function of one name are three
  std::vector<std::string> object_members;      // those that every object has
  bool double_underscores_are_special = false;  // `__len__` is called by the language

  // What may move.
  bool functions_move = false;  // functions, constants and variables of a file do, as types do
  bool snake_file_names = false;
  bool has_build_constraints = false;
  bool modules_have_versions = false;  // a folder may be built with a published version of another
  bool initializes_in_order = true;    // values of a file are made in the order of its lines
  bool global_statement = false;
  std::vector<std::string> module_words;    // names whose value depends on the file
  std::vector<std::string> tool_folders;    // folders whose files are made by the build
  std::vector<std::string> class_words;     // names whose meaning depends on the class
  bool bases_can_compete = false;           // a method can come from any of several bases
  bool private_by_underscore = false;       // by convention, `_name` is used in its class only
  bool explicit_interface_members = false;  // `string INamed.Name` is that of INamed alone
  bool deref_methods = false;               // `Deref` gives a type the methods of another one
  bool base_fields_first = false;           // an object gets the fields of its base before its own
  bool fields_are_keys = false;             // … and those without a value, too: a loop finds them
  // Words of a pattern before the short form of a field, which belong to the variable.
  std::vector<std::string> pattern_words;
  std::vector<std::string> frame_words;  // names whose value depends on the function around them
  bool has_private_word = true;          // `private` before a member hides it from derived types
  bool members_private_by_default = false;
  bool compiler_checks_names = false;    // a name of another file that is missing is an error
  bool globals_are_constructed = false;  // making a variable of a file can run code

  // Signatures.
  bool has_default_arguments = false;
  bool has_named_arguments = false;
  bool arguments_named_by_colon = false;  // `f(size: 1)`
  std::string argument_mark = ": ";       // behind the name of an argument
  bool defaults_once = false;             // with the prototype only
};

// Where the tests of a file stand.
enum class TestLocation {
  kBesideSource,  // in its folder
  kByConvention,  // where most tests of the project are: beside it or in a folder of their own
  kTestsFolder,   // in the nearest folder of tests
  kParallelTree,  // src/test for src/main
  kOwnProject,    // in a project of tests
};

// What new code of a language needs. One field a fact, as above.
struct GenerationFacts {
  std::string method_example;    // for messages: a head as it is written
  std::string property_example;  // "{name}" stands for the name

  // Files.
  std::string header_language;  // whose headers can have the same extension; "" : none
  bool headers_hold_prototypes = false;
  bool has_includes = false;
  bool space_blocks = false;            // the code of a file stands in `namespace shop { }`
  bool import_lists = false;            // imports stand in one list
  bool import_is_path = false;          // an import names nothing but a path
  bool imports_files = false;           // `from './order'`
  bool imports_dotted_modules = false;  // `from shop.order`
  bool imports_types = false;           // `import shop.Order;`
  bool imports_packages = false;        // all that one folder declares
  std::string package_line_end;         // of `package shop`, which begins a file; "" : none does
  bool may_be_commonjs = false;         // `require` and `module.exports`
  bool files_are_declared = false;      // a parent names its modules
  bool public_type_names_file = false;

  // Types and their members.
  bool has_methods = true;
  bool methods_outside_types = false;  // a method names its type in its head
  bool impl_blocks = false;            // methods stand in blocks beside the type
  bool out_of_line_members = false;    // a body can stand in another file than its declaration
  bool has_overloads = false;          // methods of one name and other parameters
  bool functions_overload = false;     // the same for functions
  bool package_private = false;        // no access word means the package
  bool access_labels = false;          // `public:` before members
  bool has_events = false;
  bool bracket_attributes = false;        // `[Test]`
  bool arrow_bodies = false;              // `=> x` is a body of its own, not a `return`
  bool generics_lead = false;             // `<T> T find()`
  bool bodiless_records = false;          // `record P(int X);`
  bool records_have_constructor = false;  // `record P(int x) {}`
  bool primary_constructors = false;      // `class P(int x)`
  bool constructors_are_functions = false;
  std::string constructor_name;    // "" : that of the type
  std::string constructor_result;  // the type that it declares
  std::string super_call = "super();";
  std::string empty_body;                  // the statement of a body that does nothing
  bool properties_have_accessors = false;  // `{ get; set; }`
  bool properties_are_methods = false;     // getX and setX
  bool properties_by_decorator = false;
  bool fields_in_columns = false;  // names in one, types in the next
  bool abstract_bodies = false;    // what asks for an implementation can have a body
  bool static_interface_methods_have_body = false;
  bool optional_members = false;  // `name?`

  // Tests.
  TestLocation tests = TestLocation::kBesideSource;
  std::string test_extension;        // of their files; "" : that of the code
  bool tests_share_package = false;  // they see the code without an import
  bool tests_share_space = false;    // they are written in the name space of the code
  bool tests_are_calls = false;      // `test('…', () => {})`, statements of the file
  bool test_classes = false;         // a class can hold tests
  bool test_group_is_file = false;   // that class has the name of its file
  std::string test_group_suffix;     // else added to the name of the tested type
  bool static_test_imports = false;  // functions of a framework are imported one by one
};

}  // namespace stile

#endif  // STILE_TOOLS_LANGUAGE_LANGUAGE_FACTS_H_
