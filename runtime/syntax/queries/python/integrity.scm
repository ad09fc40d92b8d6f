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
((assignment left: (identifier) @name right: (_) @skip)
  (#eq? @name "pytestmark") (#match? @skip "\\b(skip|skipif|xfail)\\b"))
((keyword_argument name: (identifier) @name value: (_) @skip)
  (#eq? @name "marks") (#match? @skip "\\b(skip|skipif|xfail)\\b"))
((call function: (attribute attribute: (identifier) @name) arguments: (argument_list) @skip)
  (#any-of? @name "add_marker" "applymarker") (#match? @skip "\\b(skip|skipif|xfail)\\b"))

; What decides which tests there are, and whether they passed, for all files below.
(function_definition name: (identifier) @skip.in_test_setup
  (#any-of? @skip.in_test_setup
    "pytest_collect_file" "pytest_collection" "pytest_collection_modifyitems" "pytest_deselected"
    "pytest_fixture_setup" "pytest_generate_tests" "pytest_ignore_collect" "pytest_itemcollected"
    "pytest_make_collect_report" "pytest_pycollect_makeitem" "pytest_pycollect_makemodule"
    "pytest_pyfunc_call" "pytest_report_teststatus" "pytest_runtest_call"
    "pytest_runtest_logreport" "pytest_runtest_makereport" "pytest_runtest_protocol"
    "pytest_runtest_setup" "pytest_runtestloop" "pytest_sessionfinish"))
((assignment left: (identifier) @skip.in_test_setup)
  (#any-of? @skip.in_test_setup "collect_ignore" "collect_ignore_glob"))
((call function: (attribute) @skip.in_test_setup)
  (#eq? @skip.in_test_setup "pytest.importorskip"))

; Checkers leave out the bodies of functions that have no annotation at all.
(function_definition name: (identifier) @function)
(function_definition name: (identifier) @annotated return_type: (type))
(function_definition name: (identifier) @annotated
  parameters: (parameters [(typed_parameter) (typed_default_parameter)]))
