((annotation name: (identifier) @name) @suppression.line (#eq? @name "SuppressWarnings"))

((marker_annotation name: (identifier) @name) @test (#any-of? @name "Test" "ParameterizedTest" "RepeatedTest"))
((annotation name: (identifier) @name) @test (#any-of? @name "Test" "ParameterizedTest" "RepeatedTest"))
((marker_annotation name: (identifier) @name) @skip (#any-of? @name "Disabled" "Ignore"))
((annotation name: (identifier) @name) @skip (#any-of? @name "Disabled" "Ignore"))
