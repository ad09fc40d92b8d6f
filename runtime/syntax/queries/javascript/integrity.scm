((comment) @suppression.file (#match? @suppression.file "@ts-nocheck"))
((comment) @check (#match? @check "@ts-check"))
((comment) @suppression.line (#match? @suppression.line "@ts-(ignore|expect-error)"))

(call_expression function: (identifier) @test.in_test_file (#any-of? @test.in_test_file "it" "test"))
(call_expression
  function: (call_expression
    function: (member_expression object: (identifier) @test.in_test_file property: (property_identifier) @each))
  (#any-of? @test.in_test_file "it" "test")
  (#eq? @each "each"))
((member_expression object: (identifier) @object property: (property_identifier) @property) @skip.in_test_file
  (#any-of? @object "it" "test" "describe" "suite")
  (#any-of? @property "skip" "skipIf" "todo" "failing" "only"))
(call_expression function: (identifier) @skip.in_test_file
  (#any-of? @skip.in_test_file "xit" "xtest" "xdescribe" "fit" "fdescribe"))
