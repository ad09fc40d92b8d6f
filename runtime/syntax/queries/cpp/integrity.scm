; inherits: c

(function_declarator declarator: (identifier) @test
  (#match? @test "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|TEST_CASE|BOOST_AUTO_TEST_CASE)$"))
(call_expression function: (identifier) @skip (#eq? @skip "GTEST_SKIP"))
((type_identifier) @skip (#match? @skip "^DISABLED_"))
