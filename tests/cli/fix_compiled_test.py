"""Everyday errors of C++ and Rust, each mended by stile refactor apply_fix."""

from fix_case import FixCase
from harness import main

CPP_MAKE = "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_library(p use.cc shape.cc)\n"
CPP_SHAPE = ("#pragma once\nstruct Shape {\n  virtual ~Shape() = default;\n  virtual double area() const = 0;\n"
             "  virtual void scale(double by) = 0;\n};\n")


class FixCompiledTest(FixCase):
    # C++

    def cpp(self, use):
        self.write_all({"CMakeLists.txt": CPP_MAKE, "shape.h": CPP_SHAPE, "use.cc": use,
                        "shape.cc": "#include \"shape.h\"\n"})

    def test_cpp_include_of_the_library(self):
        self.env["LC_ALL"] = "C.UTF-8"
        self.cpp("int f() {\n  std::vector<int> v;\n  return static_cast<int>(v.size());\n}\n")
        self.assert_mends("use.cc", "std::vector", "#include <vector>\n", by="the compiler")

    def test_cpp_include_of_the_project(self):
        self.env["LC_ALL"] = "C.UTF-8"  # gcc quotes names with letters of Unicode
        self.cpp("double f(const Shape& s) {\n  return s.area();\n}\n")
        self.assert_mends("use.cc", "const Shape", "#include \"shape.h\"\n")

    def test_cpp_misspelt_member(self):
        self.cpp("#include \"shape.h\"\ndouble f(const Shape& s) {\n  return s.aria();\n}\n")
        self.assert_mends("use.cc", "s.aria", "return s.area();")

    def test_cpp_names_that_are_as_near(self):
        self.cpp("struct P {\n  int get_x();\n  int get_y();\n};\nint f(P& p) {\n  return p.get_z();\n}\n")
        said = self.fix("use.cc", code=2)
        self.assertIn("2 changes mend this error", said)
        self.assertIn("get_x", said)
        self.assertIn("get_y", said)

    def test_cpp_members_of_a_base_class(self):
        self.cpp("#include \"shape.h\"\nstruct Square : Shape {\n  double size = 1;\n};\n"
                 "double f() {\n  Square s;\n  return s.size;\n}\n")
        self.env["LC_ALL"] = "C.UTF-8"
        self.assert_mends("use.cc", "Square s;", "void scale(double by) override")
        self.assertIn("double area() const override", self.read("use.cc"))

    # Rust: the suggestions of the compiler itself.

    def test_rust(self):
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
                        "src/lib.rs": (
                            "pub struct S {\n    pub size: i32,\n}\n\npub enum Kind {\n    A,\n    B,\n}\n\n"
                            "pub fn f(s: &S, k: Kind) -> i32 {\n    let mut map = HashMap::new();\n"
                            "    map.insert(1, s.sise);\n    match k {\n        Kind::A => 1,\n    }\n}\n")})
        self.assert_mends("src/lib.rs", "HashMap::new", "use std::collections::HashMap;\n")
        self.fix("src/lib.rs", "--line", str(self.line_of("src/lib.rs", "s.sise")))
        self.assertIn("map.insert(1, s.size);", self.read("src/lib.rs"))
        self.assert_mends("src/lib.rs", "match k", "Kind::B => todo!()")

    def test_rust_members_of_a_trait(self):
        self.write_all({"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
                        "src/lib.rs": "pub trait Shape {\n    fn area(&self) -> f64;\n    fn scale(&mut self, by: f64);\n}\n\n"
                                      "pub struct Square;\n\nimpl Shape for Square {}\n"})
        self.assert_mends("src/lib.rs", "impl Shape", "fn scale(&mut self, _: f64) { todo!() }", by="the compiler")


if __name__ == "__main__":
    main()
