((comment) @suppression.file (#match? @suppression.file "^(//|/\\*)\\s*<auto-?generated"))
((preproc_pragma) @suppression.line (#match? @suppression.line "warning\\s+disable"))
((preproc_nullable) @suppression.line (#match? @suppression.line "disable"))
((attribute name: (_) @name) @suppression.line (#match? @name "\\bSuppressMessage(Attribute)?$"))

((attribute name: (_) @name) @test (#match? @name "\\b(Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)(Attribute)?$"))
((attribute name: (_) @name) @skip (#match? @name "\\bIgnore(Attribute)?$"))
((attribute) @skip (#match? @skip "(?s)^(\\w+\\.)*(Fact|Theory)\\w*\\s*\\(.*\\bSkip\\s*="))
