((comment) @suppression.line (#match? @suppression.line "^//\\s*nolint"))

(function_declaration name: (identifier) @test (#match? @test "^(Test|Fuzz)([A-Z_0-9]|$)"))
(call_expression
  function: (selector_expression
    operand: (identifier) @tester
    field: (field_identifier) @method) @skip
  (#any-of? @tester "t" "b" "f" "tb")
  (#any-of? @method "Skip" "Skipf" "SkipNow"))
