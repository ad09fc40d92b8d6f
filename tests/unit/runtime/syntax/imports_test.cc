#include "runtime/syntax/imports.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stile {
namespace {

// "module:name as alias" of each import, one a line.
std::string Imports(absl::string_view grammar, absl::string_view text) {
  const auto tree = SyntaxTree::Parse(*FindGrammar(grammar), text);
  std::string print;
  for (const Import& import : FindImports(*FindGrammar(grammar), *tree, text)) {
    EXPECT_LT(import.begin, import.end);
    absl::StrAppend(&print, import.module, ":", import.name, import.alias.empty() ? "" : " as ",
                    import.alias, "\n");
  }
  return print;
}

TEST(ImportsTest, Python) {
  EXPECT_EQ(Imports("python",
                    "import os.path, json as j\nfrom .base import Base, helper as h\n"
                    "from ..x import *\nfrom __future__ import annotations\n"),
            "os.path:\njson: as j\n.base:Base\n.base:helper as h\n..x:*\n:annotations\n");
}

TEST(ImportsTest, Go) {
  EXPECT_EQ(Imports("go",
                    "package p\nimport \"fmt\"\nimport (\n\tstr \"strings\"\n\t. \"a/b\"\n"
                    "\t_ \"c\"\n)\n"),
            "fmt:\nstrings: as str\na/b:*\nc: as _\n");
}

TEST(ImportsTest, Java) {
  EXPECT_EQ(
      Imports("java", "import java.util.List;\nimport static a.B.entry;\nimport java.io.*;\n"),
      "java.util:List\na.B:entry\njava.io:*\n");
}

TEST(ImportsTest, CSharp) {
  EXPECT_EQ(Imports("c_sharp",
                    "using System;\nusing System.Linq;\nusing Text = System.Text;\n"
                    "using static System.Math;\n"),
            "System:\nSystem.Linq:\nSystem.Text: as Text\nSystem.Math:\n");
}

TEST(ImportsTest, JavaScriptAndTypeScript) {
  const std::string text =
      "import def, { a, b as c } from './m'\nimport * as ns from \"n\"\nimport './effect'\n"
      "export { x, y as z } from 'r'\nexport * from 's'\n";
  const std::string expected =
      "./m: as def\n./m:a\n./m:b as c\nn:* as ns\n./effect:\nr:x\nr:y as z\ns:*\n";
  for (const absl::string_view grammar : {"javascript", "typescript", "tsx"}) {
    EXPECT_EQ(Imports(grammar, text), expected) << grammar;
  }
  EXPECT_EQ(Imports("typescript", "import type { T } from './t'\n"), "./t:T\n");
  EXPECT_EQ(Imports("javascript",
                    "const fs = require('fs'), { join, x: y } = require('path')\n"
                    "require('effect')\n"),
            "fs: as fs\npath:join\npath:x as y\neffect:\n");
}

TEST(ImportsTest, CAndCpp) {
  EXPECT_EQ(Imports("c", "#include <stdio.h>\n#include \"a/b.h\"\n"), "stdio.h:\na/b.h:\n");
  EXPECT_EQ(Imports("cpp", "#include <vector>\nusing namespace std;\nusing net::Server;\n"),
            "vector:\nstd:\nnet:Server\n");
}

TEST(ImportsTest, Rust) {
  EXPECT_EQ(Imports("rust",
                    "use std::fmt;\nuse std::io::{self, Read, Write as W};\nuse a::b as c;\n"
                    "use x::*;\nmod inner;\n"),
            "std:fmt\nstd::io:self\nstd::io:Read\nstd::io:Write as W\na:b as c\nx:*\n:inner\n");
}

}  // namespace
}  // namespace stile
