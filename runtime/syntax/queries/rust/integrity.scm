((attribute_item) @suppression.line (#match? @suppression.line "^#\\[\\s*(allow|expect)\\b"))
((inner_attribute_item) @suppression.line (#match? @suppression.line "^#!\\[\\s*(allow|expect)\\b"))

((attribute_item) @test (#match? @test "^#\\[\\s*(\\w+\\s*::\\s*)*test\\b"))
((attribute_item) @skip (#match? @skip "^#\\[\\s*(ignore\\b|cfg_attr\\(.*\\bignore\\b)"))
