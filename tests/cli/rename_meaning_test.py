"""Renames after which code would build and mean something else: stile refactor refuses them, or lists the places."""

import json
import os
import subprocess

from harness import StileTest, main

STRICT = "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"target\": \"es2022\"}}\n"
OFF = {"STILE_RESOLVERS": "off"}
SERVER = {"STILE_RESOLVERS": "on"}

# Files, arguments, words of the refusal.
REFUSED = {
    "a promoted method of Go": ({
        "go.mod": "module m\n\ngo 1.19\n",
        "a.go": "package m\n\nimport \"sync\"\n\ntype Outer struct{ sync.Mutex }\n\nfunc (o *Outer) Go() {}\n\n"
                "func Use(o *Outer) {\n\to.Lock()\n\to.Go()\n}\n"},
        ("Outer.Go", "Lock"), "Lock at a.go:10 means something else now", SERVER),
    "an overload of C++": ({
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p main.cc)\n",
        "a.h": "#pragma once\ninline int f(int) { return 1; }\n",
        "b.h": "#pragma once\ninline int g(long) { return 2; }\n",
        "main.cc": "#include \"a.h\"\n#include \"b.h\"\nint main() { return f(5L) + g(3L); }\n"},
        ("g", "f"), "f at main.cc:3 means something else now", SERVER),
    "a method that every object of Java has": ({"A.java": "class A { String describe() { return \"\"; } }\n"},
                                               ("A.describe", "toString"), "Java gives the method name toString", OFF),
    "a method that Python calls": ({"a.py": "class A:\n    def go(self):\n        pass\n"},
                                   ("A.go", "__init__"), "Python gives the method name __init__", OFF),
    "a letter that cannot be seen": ({"a.py": "def go():\n    pass\n"}, ("go", "x\u200b"), "is not a name", OFF),
    "a method that fmt looks for": ({
        "go.mod": "module m\n\ngo 1.19\n",
        "a.go": "package m\n\nimport \"fmt\"\n\ntype T []int\n\nfunc (t T) Format(s fmt.State, verb rune) {}\n"},
        ("T.Format", "Show"), "(fmt.Formatter)", SERVER),
    "a method that errors looks for": ({
        "go.mod": "module m\n\ngo 1.19\n",
        "a.go": "package m\n\ntype wrap struct{ error }\n\nfunc (w *wrap) Unwrap() error { return w.error }\n"},
        ("wrap.Unwrap", "Inner"), "(errors.Unwrap)", OFF),
    "a method that fmt would look for": ({
        "go.mod": "module m\n\ngo 1.19\n",
        "a.go": "package m\n\ntype T struct{}\n\nfunc (T) Label() string { return \"\" }\n"},
        ("T.Label", "String"), "a library looks for a method String of this signature", OFF),
    "a file for another build": ({
        "go.mod": "module m\n\ngo 1.19\n",
        "a.go": "package m\n",
        "old.go": "//go:build !go1.18\n\npackage m\n\ntype T struct{}\n\nfunc (t T) Grow() int { return 1 }\n"},
        ("Grow", "Wax", "--file", "old.go", "--line", "7"), "the build leaves out old.go", SERVER),
    "a style that the project demands": ({
        "Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        "src/lib.rs": "#![deny(warnings)]\n\npub struct B {\n    p: usize,\n}\n\nimpl B {\n    pub fn pos(&self) -> usize {\n"
                      "        self.p\n    }\n}\n"},
        ("B.pos", "posOf"), "a rule of the project for the style of names refuses the new name", OFF),
    "a name that the linker knows": (
        {"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
         "src/lib.rs": "extern \"C\" {\n    pub fn abs(x: i32) -> i32;\n}\n"},
        ("abs", "absolute"), "the linker knows the symbol", OFF),
    "a reserved word": ({"a.rs": "fn kind() {}\n"}, ("kind", "type"), "type is a reserved word of Rust", OFF),
}


class RenameMeaningTest(StileTest):
    def setUp(self):
        super().setUp()
        self.use_compilers()

    def rename(self, *arguments, **more):
        result = self.stile("refactor", "rename", *arguments, "--json", timeout=600, **more)
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def refuse(self, case):
        files, arguments, words, env = REFUSED[case]
        self.write_all(files)
        result = self.stile("refactor", "rename", *arguments, env=env, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn(words, result.stderr)
        for name, text in files.items():
            self.assertEqual(self.read(name), text, name)

    def test_calls_of_promoted_methods_keep_their_meaning(self):
        self.refuse("a promoted method of Go")

    def test_names_that_the_linker_knows(self):
        self.refuse("a name that the linker knows")

    def test_fields_and_exports_by_another_name(self):
        text = ("pub struct Item {\n    pub total: u8,\n}\npub struct Order {\n    pub item: Item,\n    pub total: u8,\n}\n"
                "impl std::ops::Deref for Order {\n    type Target = Item;\n    fn deref(&self) -> &Item { &self.item }\n}\n"
                "pub fn f(o: &[Order]) -> u8 { o[0].total + o.first().unwrap().total + o[0].item.total }\n")
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": text})
        self.rename("Order.total", "sum", env=OFF)
        expected = text.replace("item: Item,\n    pub total", "item: Item,\n    pub sum").replace("o[0].total", "o[0].sum")
        self.assertEqual(self.read("src/lib.rs"), expected.replace("unwrap().total", "unwrap().sum"))
        lib = "pub enum Color {\n    Red,\n    Green,\n}\npub use Color::Red as Rouge;\n"
        user = "use p::Color::*;\n#[test]\nfn t() {\n    let c = Green;\n    assert_eq!(match c { Red => 1, Green => 2 }, 2);\n}\n"
        self.write_all({"src/lib.rs": lib, "tests/t.rs": user})
        self.rename("Color.Red", "Crimson", env=OFF)
        self.assertEqual(self.read("src/lib.rs"), lib.replace("Red", "Crimson"))
        self.assertEqual(self.read("tests/t.rs"), user.replace("Red", "Crimson"))

    def test_calls_of_overloads_keep_their_meaning(self):
        self.refuse("an overload of C++")

    def test_names_that_a_language_gives_a_meaning(self):
        for case in ("a method that every object of Java has", "a method that Python calls", "a letter that cannot be seen",
                     "a reserved word"):
            self.refuse(case)

    def test_methods_that_a_library_looks_for_while_the_program_runs(self):
        self.refuse("a method that fmt looks for")
        self.refuse("a method that errors looks for")

    def test_a_method_with_another_signature_is_one_of_the_project(self):
        text = "package m\n\ntype T []int\n\nfunc (t T) Format(wide bool) string { return \"\" }\n"
        self.write_all({"go.mod": "module m\n\ngo 1.19\n", "a.go": text})
        self.rename("T.Format", "Show", env=OFF)
        self.assertEqual(self.read("a.go"), text.replace("Format", "Show"))

    def test_a_style_that_is_demanded_is_named(self):
        self.refuse("a style that the project demands")

    def test_what_another_build_compiles_is_listed(self):
        text = "package m\n\ntype T struct{}\n\nfunc (t T) Grow() int { return 1 }\n\nfunc use() int { return T{}.Grow() }\n"
        old = "//go:build !go1.18\n\n" + text
        self.write_all({"go.mod": "module m\n\ngo 1.19\n", "new.go": "//go:build go1.18\n\n" + text, "old.go": old})
        found = json.loads(self.stile("navigate", "references", "Grow", "--json", env=SERVER, timeout=600).stdout)
        self.assertIn("gopls", found["resolvedBy"])
        self.assertIn("the build leaves out old.go", found["resolutionNote"])
        result = self.rename("Grow", "Wax", "--file", "new.go", "--line", "7", env=SERVER)
        self.assertIn("gopls", result["resolvedBy"])
        self.assertEqual([f"{place['file']}:{place['line']}" for place in result["blastRadius"]["uncertain"]],
                         ["old.go:7", "old.go:9"])
        self.assertEqual(self.read("new.go"), "//go:build go1.18\n\n" + text.replace("Grow", "Wax"))
        self.assertEqual(self.read("old.go"), old)

    def test_a_file_that_only_another_build_compiles(self):
        self.refuse("a file for another build")

    def test_variants_in_patterns(self):
        # Without its variant, `One` in the pattern is a variable that matches everything.
        text = ("#[derive(Debug)]\nenum E { One, Two }\nuse E::*;\nfn f(e: E) -> i32 { match e { One => 1, Two => 2 } }\n"
                "fn main() { println!(\"{} {} {:?}\", f(One), f(E::Two), E::One); }\n")
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": text})
        self.rename("E.One", "Uno", env=OFF)
        self.assertEqual(self.read("src/main.rs"), text.replace("One", "Uno"))

    def test_examples_of_rust_are_shown(self):
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
                        "src/lib.rs": "//! ```\n//! Buffer::new();\n//! ```\n//! A Buffer.\n\nuse std::fmt;\n\n#[derive(Debug)]\npub struct Buffer {}\n"
                                      "impl Buffer { pub fn new() -> Buffer { Buffer {} } }\n"})
        result = self.stile("refactor", "rename", "Buffer", "Store", env=OFF, timeout=600)
        self.assert_exit(result, 0)
        # The example does not compile, before as after: nothing says what it means.
        self.assertIn("Documentation tests that name it have no new errors.", result.stdout)
        self.assertIn("//! Buffer::new();", self.read("src/lib.rs"))

    def test_calls_in_examples_of_a_trait_follow_its_method(self):
        text = ("/// Shouts, as `to_loud` of others does.\n/// ```\n/// use p::Loud;\n/// assert_eq!(\"a\".to_loud(), \"A\");\n"
                "/// let to_loud = 1; // no call of it\n/// ```\npub trait Loud {\n    fn to_loud(&self) -> String;\n}\n\n"
                "impl Loud for str {\n    fn to_loud(&self) -> String {\n        self.to_uppercase()\n    }\n}\n")
        files = {"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": text}
        for line in ("8", "12"):
            self.write_all(files)
            self.rename("to_loud", "shout", "--file", "src/lib.rs", "--line", line, env=OFF)
            self.assertEqual(self.read("src/lib.rs"), text.replace(".to_loud()", ".shout()").replace("fn to_loud", "fn shout"), line)

    def write_crate(self, text):
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": text})

    def test_a_method_that_a_type_has_by_itself_is_not_that_of_its_trait(self):
        # Called on a value, the method of the type comes first; renamed, the call would mean itself.
        text = ("pub trait Ones {\n    fn count_ones(self) -> u32;\n    fn grow(&self) -> u32;\n}\n\n"
                "impl Ones for i8 {\n    fn count_ones(self) -> u32 {\n        self.count_ones()\n    }\n"
                "    fn grow(&self) -> u32 {\n        1\n    }\n}\n\npub struct Foo;\n\n"
                "impl Foo {\n    pub fn grow(&self) -> u32 {\n        2\n    }\n}\n\n"
                "impl Ones for Foo {\n    fn count_ones(self) -> u32 {\n        0\n    }\n"
                "    fn grow(&self) -> u32 {\n        Foo::grow(self)\n    }\n}\n")
        self.write_crate(text)
        self.renames("Ones.count_ones", "bits", text.replace("fn count_ones", "fn bits"), line=2)
        self.write_crate(text)
        self.renames("Ones.grow", "rise", text.replace("    fn grow", "    fn rise"), line=3)
        self.write_crate(text)
        self.renames("Foo.grow", "rise", text.replace("pub fn grow", "pub fn rise").replace("Foo::grow", "Foo::rise"), line=18)

    def test_the_compiler_tells_methods_of_one_name_apart(self):
        twins = ("pub trait Size {\n    fn size(&self) -> usize;\n}\npub struct Inner;\nimpl Inner {\n    pub fn size(&self) -> usize { 1 }\n}\n"
                 "impl Size for Inner {\n    fn size(&self) -> usize { 2 }\n}\n")
        own = "pub fn f() -> usize { let i = Inner; i.size() }\n#[test]\nfn t() {\n    assert_eq!(Inner.size() + <Inner as Size>::TRAIT(&Inner), 3);\n}\n"
        text = twins + own.replace("TRAIT", "size")
        self.write_crate(text)
        self.renames("size", "other", twins.replace("fn size", "fn other").replace("pub fn other", "pub fn size") + own.replace("TRAIT", "other"),
                     line=2)
        self.write_crate(text)
        self.renames("size", "other", twins.replace("pub fn size", "pub fn other") + own.replace(".size()", ".other()").replace("TRAIT", "size"),
                     line=6)
        by_value = ("pub trait Tap {\n    fn tap(self) -> u8;\n}\npub struct Mine;\nimpl Tap for Mine {\n    fn tap(self) -> u8 { 0 }\n}\n"
                    "impl Mine {\n    pub fn tap(&self) -> u8 { 1 }\n}\npub fn f() -> u8 { (&Mine).tap() }\npub fn g() -> u8 { Mine.tap() }\n")
        self.write_crate(by_value)
        self.renames("tap", "other", by_value.replace("fn tap(&self)", "fn other(&self)").replace("(&Mine).tap", "(&Mine).other"), line=9)

    def test_the_compiler_knows_what_a_library_gives_a_type(self):
        for text, line in (
                ("pub struct Stack(Vec<u8>);\nimpl Stack {\n    pub fn len(&self) -> usize { 7 }\n}\nimpl std::ops::Deref for Stack {\n"
                 "    type Target = Vec<u8>;\n    fn deref(&self) -> &Vec<u8> { &self.0 }\n}\n"
                 "#[test]\nfn t() {\n    assert_eq!(Stack(vec![]).len(), 7);\n    let v = vec![Stack(vec![])];\n"
                 "    assert_eq!(v.iter().map(|s| s.len()).sum::<usize>(), 7 * v.capacity().min(1));\n}\n", 3),
                ("#[derive(PartialEq, Eq, PartialOrd, Ord)]\npub struct Score(u8);\nimpl Score {\n"
                 "    pub fn len(self, _: Score) -> u8 { 9 }\n}\n#[test]\nfn t() {\n    assert_eq!(Score(1).len(Score(2)), 9);\n}\n", 4)):
            self.write_crate(text)
            self.renames("len", "count", text.replace("fn len", "fn count").replace(".len(", ".count("), line=line)

    def test_the_compiler_follows_wildcard_imports(self):
        text = ("mod a {\n    pub fn f() -> u8 { 1 }\n}\nmod b {\n    pub use super::a::*;\n    pub fn f() -> u8 { 2 }\n}\n"
                "mod c {\n    use super::b::*;\n    pub fn g() -> u8 { f() }\n    pub fn h() -> u8 {\n        use super::a::*;\n        f()\n    }\n}\n"
                "pub fn all() -> u8 { c::g() + c::h() }\n")
        self.write_crate(text)
        self.renames("f", "other", text.replace("fn f() -> u8 { 2", "fn other() -> u8 { 2").replace("{ f() }", "{ other() }"), line=6)
        self.write_crate(text)
        self.renames("f", "other", text.replace("fn f() -> u8 { 1", "fn other() -> u8 { 1").replace("        f()\n", "        other()\n"), line=2)

    def test_code_that_the_compiler_does_not_read_is_listed(self):
        text = ("pub struct Conf {\n    pub depth: u8,\n}\n#[cfg(windows)]\npub fn f(c: &Conf) -> u8 {\n"
                "    let Conf { depth } = c;\n    *depth\n}\npub fn g(c: &Conf) -> u8 { c.depth }\n")
        self.write_crate(text)
        answer = self.rename("Conf.depth", "level", env=OFF)
        self.assertEqual([place["line"] for place in answer["left"]["places"]], [6])
        self.assertEqual(self.read("src/lib.rs"), text.replace("pub depth", "pub level").replace("c.depth", "c.level"))

    def test_a_new_name_that_takes_over_calls_is_refused(self):
        text = ("pub struct A;\nimpl A {\n    pub fn size(&self) -> u8 { 1 }\n}\npub struct B(pub A);\nimpl B {\n"
                "    pub fn width(&self) -> u8 { 2 }\n}\nimpl std::ops::Deref for B {\n    type Target = A;\n"
                "    fn deref(&self) -> &A { &self.0 }\n}\npub fn f(b: &B) -> u8 { b.size() + b.width() }\n")
        self.write_crate(text)
        result = self.stile("refactor", "rename", "B.width", "size", env=OFF, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("size at src/lib.rs:13 means something else now", result.stderr)
        self.assertEqual(self.read("src/lib.rs"), text)

    def test_what_hides_uses_from_the_compiler(self):
        twins = ("pub struct A;\npub trait Size {\n    fn size(&self) -> u8 { 2 }\n}\nimpl Size for A {}\nimpl A {\n"
                 "    pub fn size(&self) -> u8 { 1 }\n}\npub fn f() -> u8 { [A].iter().map(|a| a.size()).sum() }\n")
        # Flags of a target come in place of those of the build; the crate silences the warning.
        self.write_crate("#![allow(deprecated)]\n" + twins)
        self.write(".cargo/config.toml", "[target.\"cfg(all())\"]\nrustflags = [\"--cfg\", \"wide\"]\n")
        self.renames("size", "other", "#![allow(deprecated)]\n" + twins.replace("pub fn size", "pub fn other").replace("a.size", "a.other"), line=8)
        # Another symbol of the name is deprecated already.
        text = ("#![allow(deprecated)]\npub struct A;\nimpl A {\n    pub fn size(&self) -> u8 { 1 }\n}\npub struct B(A);\nimpl B {\n"
                "    #[deprecated]\n    pub fn size(&self) -> u8 { 2 }\n}\nimpl std::ops::Deref for B {\n    type Target = A;\n"
                "    fn deref(&self) -> &A { &self.0 }\n}\npub fn f(b: &B) -> u8 { b.size() + b.0.size() }\n")
        self.write_crate(text)
        self.renames("size", "other", text.replace("size(&self) -> u8 { 1", "other(&self) -> u8 { 1").replace("b.0.size", "b.0.other"), line=4)
        # A use by another name, with the old name behind it.
        text = ("mod a {\n    pub const MIN: u8 = 1;\n}\nmod b {\n    pub const MIN: u8 = 2;\n    pub const MAX: u8 = 3;\n}\n"
                "use a::MIN as LOW;\nuse b::*;\npub const ALL: [u8; 3] = [LOW, MIN, MAX];\n")
        self.write_crate(text)
        self.renames("MIN", "LEAST", text.replace("MIN: u8 = 1", "LEAST: u8 = 1").replace("a::MIN", "a::LEAST"), line=2)

    def test_a_field_and_a_method_of_rust_are_two(self):
        self.write_crate("pub struct Stack {\n    len: u8,\n}\nimpl Stack {\n    pub fn len(&self) -> u8 { self.len }\n}\n")
        result = self.stile("refactor", "rename", "Stack.len", "count", env=OFF)
        self.assert_exit(result, 2)
        self.assertIn("src/lib.rs:2", result.stderr)
        self.assertIn("src/lib.rs:5", result.stderr)

    def test_a_macro_for_a_trait_calls_the_method_of_the_type(self):
        text = ("pub trait Ones {\n    fn count_ones(self) -> u32;\n}\n\nmacro_rules! ones {\n    ($T:ty) => {\n"
                "        impl Ones for $T {\n            fn count_ones(self) -> u32 {\n"
                "                <$T>::count_ones(self)\n            }\n        }\n    };\n}\n\nones!(u8);\n")
        self.write_crate(text)
        self.renames("count_ones", "bits", text.replace("fn count_ones", "fn bits"), line=2)

    def test_a_name_that_a_macro_takes_follows_unless_it_means_more(self):
        text = ("pub trait Core {\n    fn nan() -> Self;\n}\n\nmacro_rules! constant {\n    ($method:ident, $value:expr) => {\n"
                "        fn $method() -> Self {\n            $value\n        }\n    };\n}\n\n"
                "impl Core for f32 {\n    constant!(nan, f32::NAN);\n}\n")
        self.write_crate(text)
        self.renames("nan", "none", text.replace("fn nan", "fn none").replace("(nan,", "(none,"), line=2)
        # The same name in the block of another trait is another method.
        two = text + "\npub trait Float {\n    fn nan() -> Self;\n}\n\nimpl Float for f64 {\n    constant!(nan, f64::NAN);\n}\n"
        self.write_crate(two)
        self.renames("Core.nan", "none", two.replace("fn nan", "fn none", 1).replace("(nan, f32", "(none, f32"), line=2)
        text = ("pub trait Plus {\n    fn checked_add(self, v: u8) -> Option<u8>;\n}\n\nmacro_rules! plus {\n"
                "    ($method:ident, $t:ty) => {\n        impl Plus for $t {\n"
                "            fn $method(self, v: $t) -> Option<$t> {\n                <$t>::$method(self, v)\n"
                "            }\n        }\n    };\n}\n\nplus!(checked_add, u8);\n")
        self.write_crate(text)
        result = self.stile("refactor", "rename", "checked_add", "sum", "--file", "src/lib.rs", "--line", "2", env=OFF, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("function cannot return without recursing", result.stderr)
        self.assertNotIn("from outside of the project", result.stderr)
        self.assertEqual(self.read("src/lib.rs"), text)

    def renames(self, symbol, new_name, expected, line):
        result = self.stile("refactor", "rename", symbol, new_name, "--file", "src/lib.rs", "--line", str(line), env=OFF, timeout=600)
        self.assert_exit(result, 0)
        self.assertEqual(self.read("src/lib.rs"), expected)

    def test_examples_that_import_a_name_follow_it(self):
        text = ("//! ```\n//! use p::{once, twice};\n//! assert_eq!(twice!(once(1)), 2);\n//! ```\n\n"
                "/// ```\n/// use p::twice;\n/// assert_eq!(twice!(2), 4);\n/// ```\n#[macro_export]\nmacro_rules! twice {\n"
                "    ($x:expr) => {\n        $x * 2\n    };\n}\n\n/// Calls `once(1)`.\npub fn once(x: i32) -> i32 {\n    x\n}\n")
        self.write_crate(text)
        self.renames("twice", "double", text.replace("twice", "double"), line=11)
        self.write_crate(text)
        self.renames("once", "single", text.replace("once", "single"), line=18)

    def test_a_method_of_an_interface_without_a_name_is_listed(self):
        self.write_all({
            "go.mod": "module m\n\ngo 1.19\n",
            "a.go": "package m\n\ntype Dog struct{}\n\nfunc (Dog) Name() string { return \"dog\" }\n\n"
                    "func Of(v any) string {\n\tif n, ok := v.(interface {\n\t\tName() string\n\t}); ok {\n\t\treturn n.Name()\n\t}\n"
                    "\treturn \"?\"\n}\n"})
        answer = json.loads(self.stile("refactor", "rename", "Dog.Name", "Call", "--json", env=SERVER, timeout=600).stdout)
        self.assertEqual([place["line"] for place in answer["left"]["places"]], [9])

    def test_a_module_that_is_built_with_a_published_version_keeps_its_names(self):
        def files(more):
            return {"go.mod": "module example.com/m\n\ngo 1.19\n",
                    "m.go": "package m\n\ntype Mux struct{}\n\nfunc (m *Mux) Use(n int) {}\n",
                    "ex/go.mod": "module example.com/m/ex\n\ngo 1.19\n\nrequire example.com/m v0.0.1\n" + more,
                    "ex/main.go": "package main\n\nimport \"example.com/m\"\n\nfunc main() {\n\t(&m.Mux{}).Use(1)\n}\n"}

        self.write_all(files(""))
        result = self.stile("refactor", "rename", "Mux.Use", "Add", "--file", "m.go", env=SERVER, timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("1 place in 1 file. It builds as before", result.stdout)
        self.write_all(files("\nreplace example.com/m => ../\n"))
        self.assert_exit(self.stile("refactor", "rename", "Mux.Use", "Add", "--file", "m.go", env=SERVER, timeout=600), 0)
        self.assertIn("Add(1)", self.read("ex/main.go"))

    def test_generic_types_of_go_that_implement_a_generic_interface(self):
        files = {
            "go.mod": "module example.com/m\n\ngo 1.19\n",
            "iface/i.go": "package iface\n\ntype Cache[K comparable] interface {\n\tKeys() []K\n}\n",
            "lru/l.go": "package lru\n\ntype LRU[K comparable] struct{ items []K }\n\n"
                        "func (c *LRU[K]) Keys() []K { return c.items }\n",
            "lru/l_test.go": "package lru\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/iface\"\n)\n\n"
                             "func TestAll(t *testing.T) {\n\tvar c iface.Cache[int] = &LRU[int]{}\n\tif len(c.Keys()) != 0 {\n"
                             "\t\tt.Fatal(c)\n\t}\n}\n",
        }
        # Another type of the same name, in another package, has to follow as well.
        files["exp/e.go"] = files["lru/l.go"].replace("package lru", "package exp")
        files["exp/e_test.go"] = files["lru/l_test.go"].replace("package lru", "package exp")
        for file, line in (("lru/l.go", "5"), ("iface/i.go", "4"), ("exp/e.go", "5")):
            self.write_all(files)
            result = self.stile("refactor", "rename", "Keys", "Names", "--file", file, "--line", line, env=SERVER, timeout=600)
            self.assert_exit(result, 0)
            self.assertEqual([self.read(name).count("Names") for name in files], [0, 1, 1, 1, 1, 1])

    def test_a_destructured_name_of_an_untyped_value_is_renamed(self):
        for text, line, expected in (
                ("export function Item({ label }) {\n  return label;\n}\n", "2", "export function Item({ label: text }) {\n  return text;\n}\n"),
                ("export function Item(a) {\n  const { label } = a;\n  return label;\n}\n", "2",
                 "export function Item(a) {\n  const { label: text } = a;\n  return text;\n}\n")):
            for environment in (OFF, SERVER):
                self.write("a.js", text)
                result = self.stile("refactor", "rename", "label", "text", "--file", "a.js", "--line", line, env=environment, timeout=600)
                self.assert_exit(result, 0)
                self.assertEqual(self.read("a.js"), expected)

    def test_keys_of_untyped_objects_are_listed(self):
        text = ("interface A { size?: number; other?: string }\nconst raw = { size: 3, other: \"1\" };\n"
                "function f(o: A) { return o.size; }\nexport const n = f(raw);\n")
        self.write_all({"tsconfig.json": STRICT, "a.ts": text})
        answer = self.rename("A.size", "extent")
        self.assertEqual([place["line"] for place in answer["left"]["places"]], [2])

    def test_a_key_is_the_one_that_is_pointed_at(self):
        self.write_all({"tsconfig.json": STRICT, "a.ts":
                        "type Info = { link: number }\nexport const all: Info[] = []\n"
                        "export const make = () => {\n  return {\n    kind: 'x',\n    link: 1,\n  }\n}\n"
                        "export const two = make().link\nall.push({ link: 3 })\n"})
        self.rename("link", "bond", "--file", "a.ts", "--line", "6")
        self.assertEqual([number for number, line in enumerate(self.read("a.ts").splitlines(), 1) if "bond" in line], [6, 9])

    def test_a_method_behind_an_unknown_macro(self):
        self.write_all({
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p main.cc)\n",
            "a.hpp": "#pragma once\n#include <string>\n#define NODISCARD [[nodiscard]]\nclass Details {\n public:\n"
                     "  NODISCARD\n  const std::string&\n  essential() const\n  {\n    return name_;\n  }\n private:\n"
                     "  std::string name_;\n};\n",
            "main.cc": "#include \"a.hpp\"\nint main() { Details d; return static_cast<int>(d.essential().size()); }\n"})
        self.rename("essential", "basic", "--file", "a.hpp", "--line", "8")
        self.assertIn("  basic() const", self.read("a.hpp"))
        self.assertIn("d.basic()", self.read("main.cc"))

    def test_a_line_means_one_of_several_overloads(self):
        self.write("A.java", "class A {\n    int one(int v) { return v; }\n    int one(String s) { return one(s.length()); }\n"
                             "    int two() { return one(\"two\"); }\n}\n")
        self.rename("one", "first", "--file", "A.java", "--line", "3")
        self.assertEqual(self.read("A.java"), "class A {\n    int one(int v) { return v; }\n"
                         "    int first(String s) { return one(s.length()); }\n    int two() { return first(\"two\"); }\n}\n")

    def test_places_that_only_the_compiler_knows(self):
        rust = ("struct P { left: i32 }\nmacro_rules! mk { ($f:ident, $v:expr) => { P { $f: $v } }; }\n"
                "fn main() { let p = mk!(left, 9); println!(\"{}\", p.left); }\n")
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": rust})
        self.rename("P.left", "west", env=OFF)
        self.assertEqual(self.read("src/main.rs"), rust.replace("left", "west"))
        go = ("package m\n\ntype Base struct{ N int }\n\ntype Derived struct{ *Base }\n\n"
              "func Make() int {\n\td := Derived{Base: &Base{N: 1}}\n\treturn d.Base.N\n}\n")
        self.write_all({"go.mod": "module m\n\ngo 1.19\n", "a.go": go})
        self.rename("Base", "Root", "--file", "a.go", "--line", "3")
        self.assertEqual(self.read("a.go"), go.replace("Base", "Root"))

    def test_a_line_of_something_else_is_not_taken(self):
        self.write("a.py", "import os.path\n\n\nclass K:\n    def join(self):\n        return 1\n\n\nprint(os.path.join('a'))\n")
        for env in (OFF, SERVER):
            result = self.stile("refactor", "rename", "join", "merge", "--file", "a.py", "--line", "9", env=env)
            self.assert_exit(result, 2)
            self.assertIn("def join", self.read("a.py"))

    def test_a_stub_follows_its_module(self):
        self.write_all({"a.py": "def fetch():\n    return 1\n", "a.pyi": "def fetch() -> int: ...\n",
                        "c.py": "from a import fetch\n\nprint(fetch())\n"})
        self.rename("fetch", "load", "--file", "a.py")
        self.assertEqual(self.read("a.pyi"), "def load() -> int: ...\n")
        self.assertIn("load()", self.read("c.py"))

    def test_unions_are_not_torn_apart(self):
        self.write("a.py", "class A:\n    x: int = 1\n\n\nclass C:\n    x = 9\n\n\nfor o in (A(), C()):\n    print(o.x)\n")
        result = self.stile("refactor", "rename", "A.x", "y", env=SERVER)
        self.assert_exit(result, 2)
        self.assertIn("at a.py:10 it may mean x of a.py:6, too", result.stderr)

    def test_code_that_is_not_compiled_is_listed(self):
        text = ("#include <vector>\nstruct Cache { int n = 3; void clear() { n = 0; } };\n"
                "template <class T> void reset(T& t) { t.clear(); }\n#ifdef _WIN32\nvoid w(std::vector<int>& v) { v.clear(); }\n"
                "#endif\nint main() { Cache c; c.clear(); return c.n; }\n")
        self.write_all({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p a.cc)\n",
                        "a.cc": text})
        answer = self.rename("Cache.clear", "empty_it")
        self.assertEqual([place["line"] for place in answer["left"]["places"]], [3, 5])
        self.assertIn("c.empty_it()", self.read("a.cc"))
        self.assertIn("v.clear()", self.read("a.cc"))

    def test_functions_that_a_template_finds_by_its_argument_have_one_name(self):
        text = ("#include <string>\ntemplate <class T> std::string describe(const T &) { return \"any\"; }\nnamespace shop {\n"
                "struct Item { int n; };\ninline std::string describe(const Item &) { return \"item\"; }\n}\n"
                "template <class T> std::string show(const T &t) { return describe(t); }\n"
                "namespace other { inline int size(int) { return 1; }\ninline int describe(int) { return 3; } }\n"
                "inline int size(int) { return 2; }\n"
                "template <class T, class U = shop::Item> int half(const T &) { return size(4) / 2; }\n"
                "int main() { return show(shop::Item{3}) == \"item\" && half(1) + other::size(1) == 2 ? 0 : 1; }\n")
        manifest = "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p a.cc)\n"
        for line in ("2", "5"):
            self.write_all({"CMakeLists.txt": manifest, "a.cc": text})
            self.rename("describe", "name_of", "--file", "a.cc", "--line", line, env=SERVER)
            self.assertEqual(self.read("a.cc"), text.replace("describe", "name_of").replace("name_of(int)", "describe(int)"))
        # An argument that does not depend on the template finds nothing else.
        self.write("a.cc", text)
        self.rename("size", "extent", "--file", "a.cc", "--line", "10", env=SERVER)
        self.assertIn("inline int size(int) { return 1; }", self.read("a.cc"))

    def test_members_of_two_interfaces_that_a_class_implements_are_two(self):
        text = ("namespace L;\npublic interface INamed { string Name { get; } }\npublic interface ICoded { string Name { get; } }\n"
                "public class Item : INamed, ICoded {\n    string INamed.Name => \"named\";\n    string ICoded.Name => \"coded\";\n"
                "    public string Both() => ((INamed)this).Name + ((ICoded)this).Name;\n}\n")
        self.write_all({"L.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>"
                                    "net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework></PropertyGroup></Project>\n",
                        "Lib.cs": text})
        self.rename("Name", "Label", "--file", "Lib.cs", "--line", "2", env=SERVER)
        self.assertEqual(self.read("Lib.cs"), text.replace("INamed { string Name", "INamed { string Label")
                         .replace("INamed.Name", "INamed.Label").replace("((INamed)this).Name", "((INamed)this).Label"))

    def test_installed_packages_stay(self):
        files = {".gitignore": "node_modules\n", "tsconfig.json": STRICT,
                 "node_modules/lib/package.json": "{\"name\": \"lib\", \"types\": \"index.d.ts\"}\n",
                 "node_modules/lib/index.d.ts": "export declare class L { fetchIt(): void }\n",
                 "main.ts": "import { L } from \"lib\";\nclass M extends L { fetchIt() { } }\nnew M().fetchIt();\n"}
        self.write_all(files)
        self.git("init", "-q")
        result = self.stile("refactor", "rename", "M.fetchIt", "load", env=SERVER)
        self.assert_exit(result, 2)
        for name, text in files.items():
            self.assertEqual(self.read(name), text, name)

    def test_declarations_of_a_package_follow_its_code(self):
        files = {"package.json": "{\"name\": \"p\", \"type\": \"module\", \"exports\": {\".\": {\"types\": "
                                 "\"./index.d.ts\", \"import\": \"./dist/p.mjs\"}}}\n",
                 "index.d.ts": "export function exec(url: string): boolean;\n",
                 "src/index.js": "export { exec } from \"./util.js\";\n",
                 "src/util.js": "export function exec(url) {\n  return url !== \"\";\n}\n",
                 "match/index.js": "import { exec } from \"p\";\n\nexport const found = exec(\"/\");\n"}
        for path, line in (("src/util.js", "1"), ("index.d.ts", "1"), ("match/index.js", "3")):
            with self.subTest(asked_at=path):
                self.write_all(files)
                self.rename("exec", "run", "--file", path, "--line", line, env=SERVER)
                for name in files:
                    self.assertEqual(self.read(name), files[name].replace("exec", "run"), name)

    def test_imports_of_the_own_package_are_listed(self):
        files = {"package.json": "{\"name\": \"p\", \"main\": \"dist/p.js\", \"types\": \"index.d.ts\"}\n",
                 "match/package.json": "{\"name\": \"match\"}\n",
                 "index.d.ts": "export function exec(url: string): boolean;\n",
                 "index.js": "export function exec(url) {\n  return url !== \"\";\n}\n",
                 "match/own.js": "import { exec } from \"p\";\n\nexport const found = exec(\"/\");\n",
                 "match/other.js": "import { exec } from \"q\";\n\nexport const found = exec(\"/\");\n"}
        self.write_all(files)
        answer = self.rename("exec", "run", "--file", "index.js", env=SERVER)
        self.assertEqual([(place["file"], place["line"]) for place in answer["left"]["places"]],
                         [("match/own.js", 1), ("match/own.js", 3)])

    def test_documentation_tests_are_compiled(self):
        manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
        files = {
            "Cargo.toml": manifest,
            "README.md": "# p\n\n```rust\nassert_eq!(p::Conf::new(1).depth, 1);\n```\n\nThe depth of a Conf.\n",
            "src/lib.rs":
                "#![doc = include_str!(\"../README.md\")]\n\n/// ```\n/// use p::Conf;\n/// let c = Conf { depth: 1 };\n"
                "/// let Conf { depth } = c;\n/// struct Own { depth: u8 }\n/// assert_eq!(Own { depth: 2 }.depth, 1 + depth);\n"
                "/// ```\npub struct Conf {\n    pub depth: u8,\n}\n\nimpl Conf {\n    /**\n    ```\n"
                "    assert_eq!(p::Conf::new(3).depth, 3);\n    ```\n    */\n    pub fn new(depth: u8) -> Self {\n"
                "        Conf { depth }\n    }\n}\n",
        }
        self.write_all(files)
        answer = self.rename("Conf.depth", "level", env=OFF)
        self.assertEqual(answer["validation"]["examples"], {"judged": True, "errors": []})
        self.assertEqual(self.read("README.md"), files["README.md"].replace(".depth", ".level"))
        text = self.read("src/lib.rs")
        for line in ("/// let c = Conf { level: 1 };\n", "/// let Conf { level: depth } = c;\n", "1 + depth);\n", "/// struct Own { depth: u8 }\n",
                     "    assert_eq!(p::Conf::new(3).level, 3);\n", "pub fn new(depth: u8)", "Conf { level: depth }"):
            self.assertIn(line, text)
        tests = subprocess.run(["cargo", "test", "--doc", "--offline", "-q"], cwd=self.path("."), env=self.env, check=False,
                               capture_output=True, text=True)
        self.assertEqual(tests.returncode, 0, tests.stdout)

    def test_documentation_tests_that_break_are_listed(self):
        self.write_all({
            "Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            "src/lib.rs": "/// ```\n/// macro_rules! call { ($a:ident $b:ident) => { p::$a() } }\n"
                          "/// assert_eq!(p::make(), 1);\n/// nothing();\n/// ```\npub fn make() -> u8 {\n    1\n}\n"})
        result = self.stile("refactor", "rename", "make", "build", env=OFF, timeout=600)
        self.assert_exit(result, 0)
        # It was broken before.
        self.assertIn("Documentation tests that name it have no new errors.", result.stdout)
        self.assertIn("/// assert_eq!(p::build(), 1);", self.read("src/lib.rs"))
        self.write("src/lib.rs", "#[doc = \"```\\nlet _ = \\\"x\\\"; p::make();\\n```\"]\npub fn other() {}\n\npub fn make() {}\n")
        result = self.stile("refactor", "rename", "make", "build", env=OFF, timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("Documentation tests have new errors:", result.stdout)

    def test_a_type_of_go_that_holds_another_hides_its_methods(self):
        text = ("package m\n\ntype Inner struct{ n int }\n\nfunc (i *Inner) Reset() { i.n = 0 }\n\ntype Outer struct{ *Inner }\n\n"
                "func (o *Outer) Reset() {}\n\nfunc Use(i *Inner, o *Outer) { i.Reset(); o.Reset() }\n")
        self.write_all({"go.mod": "module m\n\ngo 1.19\n", "a.go": text})
        self.rename("Inner.Reset", "Clear", env=SERVER)
        self.assertEqual(self.read("a.go"), text.replace("Inner) Reset", "Inner) Clear").replace("i.Reset", "i.Clear"))

    def test_constraints_of_go_without_a_name_follow(self):
        text = ("package m\n\ntype Node struct{ k int }\n\nfunc (n Node) Key() int { return n.k }\n\n"
                "func Sum[T interface{ Key() int }](v []T) (n int) {\n\tfor _, x := range v {\n\t\tn += x.Key()\n\t}\n\treturn n\n}\n\n"
                "var X = Sum([]Node{{1}})\n")
        self.write_all({"go.mod": "module m\n\ngo 1.19\n", "a.go": text})
        self.rename("Node.Key", "Id", env=SERVER)
        self.assertEqual(self.read("a.go"), text.replace("Key()", "Id()"))

    def test_a_type_of_go_is_not_another_of_its_name(self):
        part = "package {}\n\ntype Cache[K comparable, V any] struct{{ v V }}\n\nfunc (c *Cache[K, V]) Get(key K) V {{ return c.v }}\n"
        files = {"go.mod": "module m\n\ngo 1.19\n", "lru/l.go": part.format("lru"), "mru/m.go": part.format("mru"),
                 "cache.go": "package m\n\nimport (\n\t\"m/lru\"\n\t\"m/mru\"\n)\n\ntype Getter[K comparable, V any] interface {\n"
                             "\tGet(key K) V\n}\n\nvar _ = []Getter[int, any]{(*lru.Cache[int, any])(nil), (*mru.Cache[int, any])(nil)}\n\n"
                             "type Cache[K comparable, V any] struct{ in Getter[K, V] }\n\n"
                             "func (c *Cache[K, V]) Get(key K) V { return c.in.Get(key) }\n"}
        self.write_all(files)
        self.rename("Getter.Get", "Load", env=SERVER)
        self.assertEqual(self.read("cache.go"), files["cache.go"].replace("\tGet(", "\tLoad(").replace("in.Get", "in.Load"))
        for name in ("lru/l.go", "mru/m.go"):
            self.assertEqual(self.read(name), files[name].replace("Get(", "Load("))

    def test_templates_are_named(self):
        self.write_all({"go.mod": "module m\n\ngo 1.19\n",
                        "a.go": "package m\n\ntype Item struct{ Price int }\n\nconst page = \"{{.Price}} {{.Price}}\"\n\nvar X = Item{Price: 1}\n"})
        result = self.stile("refactor", "rename", "Item.Price", "Cost", env=SERVER, timeout=600)
        self.assert_exit(result, 0)
        self.assertIn("2 mentions in comments, strings and macros", result.stdout)
        self.assertIn("these may be looked up or run:\na.go:5:18: ", result.stdout)
        self.assertNotIn("a.go:5:29: ", result.stdout)

    def test_a_class_that_makes_itself_gives_keywords(self):
        text = ("class Shape:\n    def __init__(self, width: int):\n        self.w = width\n\n    @classmethod\n    def make(cls, n):\n"
                "        return cls(width=n)\n\n    def copy(self):\n        return type(self)(width=self.w)\n\n    def other(self):\n"
                "        return self.__class__(width=max(self.w, int(self.w)))\n\n    def stay(self, width):\n        return dict(width=width)\n\n\n"
                "class Box:\n    def __init__(self, width):\n        self.v = width\n\n    @classmethod\n    def make(cls):\n"
                "        return cls(width=1)\n")
        self.write("m.py", text)
        for env in (OFF, SERVER):
            self.write("m.py", text)
            self.rename("width", "size", "--file", "m.py", "--line", "2", env=env)
            head = text[:text.index("    def stay")]
            self.assertEqual(self.read("m.py"), head.replace("width", "size") + text[len(head):])

    def test_a_protocol_of_python_is_listed(self):
        text = ("from typing import Protocol\n\n\nclass HasArea(Protocol):\n    def area(self) -> int: ...\n\n\nclass Box:\n"
                "    def area(self) -> int:\n        return 2\n\n    def other(self) -> int:\n        return 3\n\n\n"
                "class Named(Protocol):\n    def area(self) -> int: ...\n    def name(self) -> str: ...\n\n\n"
                "def total(items: list[HasArea]) -> int:\n    return sum(item.area() for item in items)\n\n\n"
                "def one(box: Box) -> int:\n    return box.area()\n")
        for symbol, lines in (("Box.area", [5, 22]), ("HasArea.area", [9, 26])):
            self.write("m.py", text)
            answer = self.rename(symbol, "size", env=SERVER)
            self.assertEqual(sorted(place["line"] for place in answer["left"]["places"]), lines)

    def test_values_for_one_test_are_no_fixture(self):
        self.write("conftest.py", "import pytest\n\n\n@pytest.fixture\ndef size():\n    return 1\n")
        text = ("import pytest\n\n\ndef test_a(size):\n    assert size == 1\n\n\n@pytest.mark.parametrize(\"size\", [7])\n"
                "def test_b(size):\n    assert size == 7\n")
        self.write("test_m.py", text)
        self.rename("size", "width", "--file", "conftest.py", env=SERVER)
        self.assertEqual(self.read("test_m.py"), text.replace("test_a(size)", "test_a(width)").replace("size == 1", "width == 1"))

    def test_names_that_are_looked_for_in_an_object(self):
        text = ("interface Circle { radius?: number; name: string }\ninterface Square { side: number }\n"
                "export function f(s: Circle | Square): number {\n  if (\"radius\" in s) return s.radius ?? 1;\n  return 0;\n}\n"
                "export function g(o: object): boolean {\n  return \"radius\" in o;\n}\nexport const x: Circle = { radius: 1, name: \"a\" };\n")
        self.write_all({"tsconfig.json": STRICT, "a.ts": text})
        answer = self.rename("Circle.radius", "size", env=SERVER)
        self.assertEqual(self.read("a.ts"), text.replace("radius", "size").replace("\"size\" in o", "\"radius\" in o"))
        self.assertEqual([place["line"] for place in answer["left"]["places"]], [8])

    def test_names_that_commonjs_exports_stay(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "lib.js": "function parse(t) { return t; }\nconst helpers = { parse };\nmodule.exports = { parse, helpers };\n",
                 "index.js": "const lib = require(\"./lib\");\nconst { parse } = require(\"./lib\");\n"
                             "if (lib.parse(1) + parse(2) + lib.helpers.parse(3) !== 6) throw new Error(\"no\");\n",
                 "other.js": "const { parse: read } = require('./lib.js');\nconst { parse } = require('./third');\n"
                             "if (read(1) + parse() !== 6) throw new Error('no');\n",
                 "third.js": "module.exports = { parse: () => 5 };\n"}
        self.write_all(files)
        self.rename("parse", "decode", "--file", "lib.js", "--line", "1", env=SERVER)
        self.assertEqual(self.read("lib.js"), "function decode(t) { return t; }\nconst helpers = { parse: decode };\n"
                                              "module.exports = { parse: decode, helpers };\n")
        for name in ("index.js", "other.js", "third.js"):
            self.assertEqual(self.read(name), files[name])
        for name in ("index.js", "other.js"):
            self.assertEqual(subprocess.run(["node", name], cwd=self.path("."), env=self.env, check=False).returncode, 0, name)

    def test_keys_that_commonjs_exports_one_by_one_stay(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "b.js": "class Node { walk() { return 1; } }\nmodule.exports.Node = Node;\nconst walk = (n) => n;\nexports.walk = walk;\n",
                 "index.js": "const b = require(\"./b\");\nif (new b.Node().walk() + b.walk(1) !== 2) throw new Error(\"no\");\n"}
        self.write_all(files)
        self.rename("Node", "Knot", "--file", "b.js", "--line", "1", env=SERVER)
        self.rename("walk", "visit", "--file", "b.js", "--line", "3", env=SERVER)
        self.assertEqual(self.read("b.js"), files["b.js"].replace("class Node", "class Knot").replace("= Node", "= Knot")
                         .replace("const walk", "const visit").replace("= walk", "= visit"))
        self.assertEqual(self.read("index.js"), files["index.js"])
        self.assertEqual(subprocess.run(["node", "index.js"], cwd=self.path("."), env=self.env, check=False).returncode, 0)

    def test_what_other_files_require_from_a_commonjs_module_follows(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "lib.js": "exports.parse = function (t) { return t; };\n",
                 "a.js": "const { parse } = require(\"./lib\");\nif (parse(1) !== 1) throw new Error(\"no\");\n",
                 "b.js": "const lib = require(\"./lib.js\");\nconst { parse: read } = lib;\n"
                         "if (read(1) + require('./lib').parse(2) !== 3) throw new Error(\"no\");\n",
                 "c.js": "const { parse } = require(\"./other\");\nif (parse(1) !== 5) throw new Error(\"no\");\n",
                 "other.js": "exports.parse = () => 5;\n",
                 "d.js": "const { parse } = require(\"./all\");\n",
                 "all.js": "module.exports = require(\"./lib\");\n"}
        self.write_all(files)
        answer = self.rename("parse", "decode", "--file", "lib.js", "--line", "1", env=SERVER)
        self.assertEqual(self.read("lib.js"), files["lib.js"].replace("parse", "decode"))
        self.assertEqual(self.read("a.js"), files["a.js"].replace("{ parse }", "{ decode: parse }"))
        self.assertEqual(self.read("b.js"), files["b.js"].replace("parse", "decode"))
        for name in ("c.js", "other.js"):
            self.assertEqual(self.read(name), files[name])
        for name in ("a.js", "b.js", "c.js"):
            self.assertEqual(subprocess.run(["node", name], cwd=self.path("."), env=self.env, check=False).returncode, 0, name)
        self.assertEqual(self.read("d.js"), files["d.js"].replace("{ parse }", "{ decode: parse }"))
        self.assertEqual(answer["left"]["places"], [])

    def test_other_objects_that_patterns_take_a_name_from_stay(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "lib.js": "exports.parse = (t) => t;\n",
                 "a.js": "const lib = require(\"./lib\");\nfunction f(lib) { const { parse } = lib; return parse; }\n"
                         "if (f({ parse: 5 }) + lib.parse(1) !== 6) throw new Error(\"no\");\n",
                 "b.js": "function f() { const x = require(\"./lib\"); const { parse } = x; return parse(1); }\n"
                         "function g() { const x = { parse: () => 2 }; const { parse } = x; return parse(); }\n"
                         "if (f() + g() !== 3) throw new Error(\"no\");\n",
                 "c.js": "function f(require) { const { parse } = require(\"./lib\"); return parse; }\n"
                         "if (f(() => ({ parse: 5 })) !== 5) throw new Error(\"no\");\n",
                 "d.js": "const { parse } = JSON;\nif (parse(\"1\") !== 1) throw new Error(\"no\");\n",
                 "f.js": "const parse = 4;\nconst { limit = parse } = require(\"./lib\");\nif (limit !== 4) throw new Error(\"no\");\n",
                 "e.js": "function run({ parse }) { return parse(1); }\nmodule.exports = run;\n"}
        self.write_all(files)
        answer = self.rename("parse", "decode", "--file", "lib.js", "--line", "1", env=SERVER)
        for name in ("a.js", "b.js", "c.js", "d.js", "f.js"):
            self.assertEqual(subprocess.run(["node", name], cwd=self.path("."), env=self.env, check=False).returncode, 0,
                             self.read(name))
        self.assertIn("const { decode: parse } = x; return parse(1);", self.read("b.js"))
        self.assertIn(("e.js", 1), [(place["file"], place["line"]) for place in answer["left"]["places"]])

    def test_the_key_of_a_function_that_a_commonjs_module_exports_stays(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "lib.js": "function parse(t) {\n  return t;\n}\nexports.parse = parse;\n",
                 "a.js": "const { parse } = require('./lib');\nif (parse(1) !== 1) throw new Error('no');\n"}
        self.write_all(files)
        self.rename("parse", "decode", "--file", "lib.js", "--line", "1", env=SERVER)
        self.assertEqual(self.read("a.js"), files["a.js"])
        self.assertEqual(self.read("lib.js"), files["lib.js"].replace("function parse", "function decode").replace("= parse", "= decode"))

    def test_a_key_that_a_commonjs_module_exports_by_a_pair_stays(self):
        files = {"package.json": "{\"name\": \"p\"}\n",
                 "lib.js": "function parse(t) { return t; }\nmodule.exports = { parse: parse };\n",
                 "a.js": "const lib = require(\"./lib\");\nif (lib.parse(1) !== 1) throw new Error(\"no\");\n"}
        self.write_all(files)
        self.rename("parse", "decode", "--file", "lib.js", "--line", "1", env=SERVER)
        self.assertEqual(self.read("a.js"), files["a.js"])
        self.assertEqual(self.read("lib.js"), "function decode(t) { return t; }\nmodule.exports = { parse: decode };\n")

    def test_functions_that_are_called_like_a_copy_keep_their_parameters(self):
        text = ("from dataclasses import dataclass, replace\nimport dataclasses\n\n\ndef replace(box, size=1):\n    return size\n\n\n@dataclass\n"
                "class Box:\n    size: int = 1\n\n    def a(self):\n        return replace(self, size=3)\n\n"
                "    def b(self):\n        return dataclasses.replace(\n            self, size=4)\n\n"
                "    def c(self):\n        return \"replace(self, size=5)\"\n\n    @staticmethod\n    def d(self):\n"
                "        return dataclasses.replace(self, size=6)\n")
        self.write_all({"a.py": text})
        self.rename("Box.size", "width", env=SERVER)
        self.assertEqual(self.read("a.py"), text.replace("    size: int", "    width: int").replace("size=4", "width=4"))

    def test_a_copy_of_an_object_names_the_field(self):
        text = ("from dataclasses import dataclass, replace\n\n\n@dataclass\nclass Box:\n    width: int = 1\n\n"
                "    def wider(self):\n        return replace(self, width=self.width + 1)\n\n"
                "    def other(self, bag):\n        return replace(bag, width=2)\n")
        self.write_all({"a.py": text})
        answer = self.rename("Box.width", "size", env=SERVER)
        self.assertEqual(self.read("a.py"), text.replace("width", "size").replace("bag, size", "bag, width"))
        self.assertEqual([place["line"] for place in answer["left"]["places"]], [12])

    def test_a_template_in_a_file_of_its_own_is_listed(self):
        self.write_all({"go.mod": "module m\n\ngo 1.19\n", "a.go": "package m\n\ntype Item struct{ Price int }\n",
                        "a.tmpl": "{{ .Label }} {{.Price}}\n"})
        answer = self.rename("Item.Price", "Cost", env=SERVER)
        self.assertEqual([(place["file"], place["column"]) for place in answer["documents"]["places"]], [("a.tmpl", 17)])

    def test_documentation_that_names_a_parameter_of_a_record_twice(self):
        text = ("namespace L;\n/// <summary>See <see cref=\"Width\"/>.</summary>\n/// <param name=\"Width\">w</param>\n"
                "public record Pt(int Width) : ISized;\npublic interface ISized { int Width { get; } }\n")
        self.write_all({"L.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>"
                                    "net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework></PropertyGroup></Project>\n",
                        "Lib.cs": text})
        self.rename("Width", "Breadth", "--file", "Lib.cs", "--line", "4", env=SERVER)
        self.assertEqual(self.read("Lib.cs"), text.replace("Width", "Breadth"))

    def test_a_module_that_exports_for_another_file_keeps_its_key(self):
        files = {"lib.js": "export function parse(t) { return t; }\n",
                 "mid.js": "import { parse } from './lib.js';\nmodule.exports = { parse };\n"}
        self.write_all(files)
        self.rename("parse", "decode", "--file", "lib.js", "--line", "1", env=SERVER)
        self.assertEqual(self.read("lib.js"), files["lib.js"].replace("parse", "decode"))
        self.assertEqual(self.read("mid.js"), "import { decode } from './lib.js';\nmodule.exports = { parse: decode };\n")

    def test_lines_of_macros_mean_no_other_line(self):
        files = {"a.h": "#define LIST(name, T) \\\n  struct name { T *items; int count; }\nstruct box { int count; };\n"
                        "struct bag { int count; };\nLIST(ints, int);\n",
                 "a.c": "#include \"a.h\"\nint main(void) { struct box b = {0}; return b.count; }\n",
                 "Makefile": "all:\n\t$(CC) -c a.c -o /dev/null\n"}
        self.write_all(files)
        result = self.stile("refactor", "rename", "count", "total", "--file", "a.h", "--line", "2", env=SERVER, timeout=600)
        self.assert_exit(result, 2)
        self.assertIn("in the definition of a macro", result.stderr)
        for name, text in files.items():
            self.assertEqual(self.read(name), text)

    def test_slots_declare_fields(self):
        text = ("class Box:\n    __slots__ = (\"size\", \"other\")\n\n    def __init__(self, size):\n        self.size = size\n\n"
                "    def get(self):\n        return self.size\n")
        self.write("a.py", text)
        for env in (OFF, SERVER):
            self.write("a.py", text)
            self.rename("Box.size", "extent", env=env)
            self.assertEqual(self.read("a.py"), text.replace("\"size\"", "\"extent\"").replace("self.size", "self.extent"))

    def test_names_of_attributes_of_self_are_the_attributes(self):
        text = ("class Box:\n    size: int\n\n    def __init__(self, size):\n"
                "        object.__setattr__(self, \"size\", size)\n\n"
                "    def get(self, other):\n        return getattr(self, 'size') + getattr(other, 'size')\n\n"
                "    class Lid:\n        def get(self):\n            return getattr(self, \"size\", 0)\n")
        for env in (OFF, SERVER):
            self.write("a.py", text)
            self.rename("Box.size", "extent", env=env)
            expected = text.replace("    size: int", "    extent: int").replace("(self, \"size\", size)", "(self, \"extent\", size)")
            self.assertEqual(self.read("a.py"), expected.replace("(self, 'size')", "(self, 'extent')"))

    def test_what_super_means_is_not_in_the_class(self):
        text = ("const { EventEmitter } = require(\"events\");\nclass My extends EventEmitter {\n"
                "  emit(...a) { return super.emit(...a); }\n}\nnew My().emit(\"x\");\n")
        for env in (OFF, SERVER):
            self.write("main.js", text)
            answer = self.rename("My.emit", "send", "--file", "main.js", env=env)
            self.assertIn("super.emit", self.read("main.js"))
            self.assertEqual(answer["validation"]["unchecked"], "it is not known whether emit overrides a member of "
                             "EventEmitter, whose declaration was not found")

    def test_a_line_with_a_field_and_a_parameter_of_one_name(self):
        text = ("class Group:\n    size: int\n\n    def __init__(self, size):\n        self.size = size\n\n"
                "    def read(self):\n        return self.size\n")
        self.write("a.py", text)
        result = self.stile("refactor", "rename", "size", "width", "--file", "a.py", "--line", "5")
        self.assert_exit(result, 2)
        self.assertIn("line 5 of a.py uses size twice: as a member or key, and as the local that line 4 declares. "
                      "Give that line for the local, or Owner.size for the member", result.stderr)
        self.assertEqual(self.read("a.py"), text)
        self.rename("Group.size", "width", "--file", "a.py", "--line", "5")
        self.assertEqual(self.read("a.py"), text.replace("self.size", "self.width").replace("    size: int", "    width: int"))

    def test_the_key_of_a_literal_stands_on_its_line_and_its_value_does_not(self):
        config = "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"target\": \"es2020\"}}\n"
        text = "const x = 1;\nconst o = {\n  x: x,\n};\nconsole.log(o.x);\n"
        self.write_all({"tsconfig.json": config, "a.ts": text})
        self.rename("x", "size", "--file", "a.ts", "--line", "3")
        self.assertEqual(self.read("a.ts"), text.replace("  x:", "  size:").replace("o.x", "o.size"))
        # The key of a typed literal is declared elsewhere, and so is its value.
        text = "export interface S { x: number }\nconst x = 1;\nexport const s: S = { x: x };\n"
        self.write("a.ts", text)
        result = self.stile("refactor", "rename", "x", "size", "--file", "a.ts", "--line", "3")
        self.assert_exit(result, 2)
        self.assertIn("line 3 of a.ts uses x twice: as the member that a.ts:1 declares, and as a value. "
                      "Give the line that declares the one that you mean", result.stderr)
        self.assertEqual(self.read("a.ts"), text)
        self.rename("S.x", "size", "--file", "a.ts", "--line", "3")
        self.assertEqual(self.read("a.ts"), text.replace("S { x", "S { size").replace("{ x: x", "{ size: x"))

    def test_literals_of_one_list_have_one_name_for_a_member(self):
        text = ("export const tests = [\n  { input: \"\", out: \"1\" },\n  { input: 2, out: \"2\" },\n] as const;\n"
                "export const more = [...tests, { input: 3, out: \"3\" }];\nexport const other = { out: 1 };\n"
                "export function check(f: (x: unknown) => string) {\n  for (const t of more) if (f(t.input) !== t.out) throw new Error(t.out);\n"
                "  return tests.map((t) => t.out).concat(String(other.out));\n}\n")
        self.write_all({"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"target\": \"es2020\"}, \"include\": [\"src\"]}\n",
                        "src/a.ts": text})
        expected = text.replace("out", "result").replace("other = { result", "other = { out").replace("other.result", "other.out")
        for line in ("2", "5", "8"):
            self.write("src/a.ts", text)
            answer = self.rename("out", "result", "--file", "src/a.ts", "--line", line)
            self.assertEqual(self.read("src/a.ts"), expected, line)
            self.assertNotIn("unread", answer["validation"])
        # A file that tsconfig.json leaves out is renamed, and no compiler reads it.
        self.write_all({"tests/a.ts": text, "src/a.ts": "export {};\n"})
        answer = self.rename("out", "result", "--file", "tests/a.ts", "--line", "2")
        self.assertEqual(self.read("tests/a.ts"), expected)
        self.assertEqual(answer["validation"]["unread"], ["tests/a.ts"])
        shown = self.stile("refactor", "rename", "result", "out", "--file", "tests/a.ts", "--line", "2").stdout
        self.assertIn("The build passes as before, and reads none of the changed files.\n", shown)
        self.assertIn("The compiler did not read 1 changed file: tests/a.ts. Run the tests.\n", shown)

    def test_literals_that_typescript_reduces_to_one_type_are_renamed_together(self):
        # The union of the list has only two of the four types: no use leads to the others.
        text = ("const cases = [\n  { input: '&', out: {} },\n  { input: '=', out: { '': '' } },\n  { input: 'a', out: { a: '1' } },\n"
                "  { 'input': 'b', out: {} },\n];\nconst other = { input: 1 };\n%s\n")
        use = "cases.map((c) => c.input + Object.keys(c.out).length + String(other.input))"
        for name, last, mark in (("cases.js", f"module.exports = {use};", "module.exports = cases"),
                                 ("cases.ts", f"export const all = {use};", "export const all = cases")):
            self.write_all({"tsconfig.json": STRICT, name: text % last})
            expected = (text % last).replace("input", "entry").replace("other = { entry", "other = { input").replace("other.entry", "other.input")
            self.assertIn(mark, expected)
            for line in ("2", "4"):
                self.write(name, text % last)
                self.rename("input", "entry", "--file", name, "--line", line, env=SERVER)
                self.assertEqual(self.read(name), expected, f"{name}:{line}")
            os.remove(self.path(name))

    def test_literals_of_which_one_is_taken_are_renamed_together(self):
        text = ("function f(n) {\n  if (n) {\n    return { ok: true, value: 1 };\n  }\n  return { ok: false, value: 2 };\n}\n"
                "const g = (c) => c ? { size: 1 } : { size: 2 };\nconst h = (c) => (Boolean(c) && { mode: 1 }) ||\n  { mode: 2 };\n"
                "console.log(`${f(1).value} ${f(0).value} ${g(1).size} ${g(0).size} ${h(1).mode} ${h(0).mode}`);\n")
        self.write("a.js", text)
        for name, lines in (("value", "35"), ("size", "7"), ("mode", "89")):
            for line in lines:
                self.write("a.js", text)
                self.rename(name, "entry", "--file", "a.js", "--line", line, env=SERVER)
                self.assertEqual(self.read("a.js"), text.replace(name, "entry"), f"{name}:{line}")

    def test_elements_of_a_tuple_are_renamed_by_themselves(self):
        text = ("const [opts, desc] = [{ value: 1, mine: 1 }, { value: 2, enumerable: true }];\nObject.defineProperty(opts, 'k', desc);\n"
                "console.log(opts.value, opts.k);\n")
        self.write("a.js", text)
        self.rename("value", "width", "--file", "a.js", "--line", "3", env=SERVER)
        self.assertEqual(self.read("a.js"), text.replace("{ value: 1", "{ width: 1").replace("opts.value", "opts.width"))

    def test_a_program_beside_a_package_of_go_is_another(self):
        package = "package m\n\ntype T struct{}\n\nfunc (T) Grow() {}\n\nfunc Helper() { T{}.Grow() }\n"
        program = "//go:build ignore\n\npackage main\n\ntype T struct{}\n\nfunc (T) Grow() {}\n\nfunc Helper() {}\n\nfunc main() { T{}.Grow(); Helper() }\n"
        for env in (SERVER, OFF):
            for old, new in (("Helper", "Aid"), ("T", "Tree"), ("Grow", "Wax")):
                self.write_all({"go.mod": "module m\n\ngo 1.19\n", "a.go": package, "gen.go": program})
                line = str([number for number, text in enumerate(package.split("\n"), 1) if f"{old}(" in text or f"type {old} " in text][0])
                self.rename(old, new, "--file", "a.go", "--line", line, env=env)
                self.assertEqual(self.read("gen.go"), program, f"{old} {env}")
                self.assertIn(new, self.read("a.go"))

    def test_the_use_of_a_macro_that_looks_like_a_function_means_the_macro(self):
        files = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p m.cc)\n",
                 "m.h": "#ifndef CASE\n#define CASE(Name) static void Test##Name()\n#endif\n",
                 "m.cc": "#include \"m.h\"\n\nCASE(Foo) {\n}\nint main() { TestFoo(); }\n"}
        for place in (("m.cc", "3"), ("m.h", "2")):
            self.write_all(files)
            self.rename("CASE", "CHECK_IT", "--file", place[0], "--line", place[1])
            for name in ("m.h", "m.cc"):
                self.assertEqual(self.read(name), files[name].replace("CASE", "CHECK_IT"), place)

    def test_objects_of_the_users_build_stay_older_than_renamed_sources(self):
        self.write_all({"Makefile": "all: a\na.o: a.h\nb.o: a.h\na: a.o b.o\n\tcc -o $@ $^\n.c.o:\n\tcc -c $<\n",
                        "a.h": "int foo(void);\n", "a.c": "#include \"a.h\"\nint main(void){return foo();}\n",
                        "b.c": "#include \"a.h\"\nint foo(void){return 0;}\n", ".gitignore": "*.o\na\n"})
        self.init_git()
        for old, new in (("foo", "bar"), ("bar", "baz"), ("baz", "foo")):
            self.assertEqual(subprocess.run(["make"], cwd=self.workspace, capture_output=True, check=False).returncode, 0)
            self.rename(old, new, "--file", "b.c", "--line", "2")
            for name in ("a.o", "b.o"):
                self.assertLess(os.stat(self.path(name)).st_mtime_ns, os.stat(self.path(name[0] + ".c")).st_mtime_ns, (name, new))
            self.assertEqual(subprocess.run(["make", "-q"], cwd=self.workspace, capture_output=True, check=False).returncode, 1)

    def test_files_that_the_build_leaves_out_are_renamed_with_their_header(self):
        header = ("#pragma once\nclass Zip {\n public:\n  void Reset();\n  void Run();\n\n private:\n  int state_ = 0;\n};\n")
        tool = ("#include \"zip.h\"\nvoid Zip::Reset() { state_ = 0; }\nvoid Zip::Run() {\n  Reset();\n  state_ = 1;\n}\n"
                "#if WITH_MORE\nint more(Zip& zip) { zip.Reset(); return 0; }\n#endif\n")
        self.write_all({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(p main.cc)\n",
                        "zip.h": header, "tool.cc": tool, "main.cc": "#include \"zip.h\"\nint main() { return sizeof(Zip) == 0; }\n"})
        said = self.rename("Reset", "Clear", "--file", "zip.h", "--line", "4")
        self.assertEqual(self.read("zip.h"), header.replace("Reset", "Clear"))
        self.assertEqual(self.read("tool.cc"), tool.replace("Zip::Reset", "Zip::Clear").replace("  Reset", "  Clear"))
        self.assertEqual([place["line"] for place in said["left"]["places"]], [8], said)
        self.rename("state_", "phase_", "--file", "zip.h", "--line", "8")
        self.assertEqual(self.read("tool.cc").count("phase_"), 2)

    def test_members_of_an_enumeration_of_c_are_names_of_their_own(self):
        files = {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_executable(p main.c)\n",
                 "kind.h": "#pragma once\ntypedef enum { SMALL, LARGE } kind_t;\nint size_of(kind_t kind);\n",
                 "main.c": "#include \"kind.h\"\nint size_of(kind_t kind) { return kind == LARGE ? 2 : 1; }\n"
                           "#ifdef EXTRA\nint extra(void) { return size_of(LARGE); }\n#endif\n"
                           "int main(void) { int SMALL = 0; return size_of(LARGE) + SMALL; }\n",
                 "unbuilt.c": "#include \"elsewhere.h\"\n#include \"kind.h\"\nint other(void) { return size_of(LARGE); }\n"}
        for env in (OFF, SERVER):
            self.write_all(files)
            said = self.rename("LARGE", "HUGE_ONE", "--file", "kind.h", "--line", "2", env=env)
            self.assertNotIn("LARGE", self.read("kind.h"), env)
            self.assertEqual(self.read("main.c").count("HUGE_ONE"), 3 if env is OFF else 2, env)
            left = [(place["file"], place["line"]) for place in said["left"]["places"]]
            self.assertEqual(self.read("unbuilt.c").count("HUGE_ONE") + left.count(("unbuilt.c", 3)), 1, (env, said))
            self.assertEqual(self.read("main.c").count("LARGE"), left.count(("main.c", 4)), (env, said))
            self.rename("SMALL", "TINY", "--file", "kind.h", "--line", "2", env=env)
            self.assertIn("int SMALL = 0; ", self.read("main.c"))
            self.assertIn(" + SMALL;", self.read("main.c"))

    def test_of_two_places_on_a_line_each_is_judged(self):
        text = ("class A { go() { return 1; } }\nclass B { go() { return 2; } }\nconst a = new A();\n"
                "a.go(); (a as any).go();\nexport const b = new B();\n")
        self.write_all({"tsconfig.json": STRICT, "a.ts": text})
        answer = self.rename("A.go", "run", env=OFF)
        self.assertEqual([(place["line"], place["column"]) for place in answer["left"]["places"]], [(4, 20)])


if __name__ == "__main__":
    main()
