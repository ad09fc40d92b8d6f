; See runtime/syntax/query.h for the form, validators/integrity/source_findings.h for the captures.
((comment) @suppression.file
  (#match? @suppression.file "^#\\s*mypy:.*\\b(ignore-errors|disable-error-code|allow-|implicit-|no-|follow-imports|[a-z-]+\\s*=\\s*[Ff]alse)"))
((comment) @suppression.file
  (#match? @suppression.file "^#\\s*pyright:\\s*(basic|standard|report\\w+\\s*=\\s*(false|none|warning|information))"))
((comment) @suppression.top (#match? @suppression.top "^#\\s*type:\\s*ignore"))
((comment) @suppression.line (#match? @suppression.line "^#\\s*pyright:\\s*ignore"))

(function_definition name: (identifier) @test (#match? @test "^test"))
((decorator) @skip
  (#match? @skip "^@(pytest\\.mark\\.(skip|skipif|xfail)|unittest\\.(skip|skipIf|skipUnless|expectedFailure))\\b"))
(call function: (attribute) @skip (#any-of? @skip "pytest.skip" "pytest.xfail" "self.skipTest"))
