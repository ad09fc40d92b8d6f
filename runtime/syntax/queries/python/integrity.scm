; See runtime/syntax/query.h for the form, validators/integrity/source_findings.h for the captures.
((comment) @suppression.file
  (#match? @suppression.file "^#\\s*mypy:.*\\b(ignore-errors|disable-error-code|allow-|implicit-|no-|follow-imports|[a-z-]+\\s*=\\s*[Ff]alse)"))
((comment) @suppression.file
  (#match? @suppression.file "^#\\s*pyright:\\s*(basic|standard|report\\w+\\s*=\\s*(false|none|warning|information))"))
((comment) @suppression.top (#match? @suppression.top "^#\\s*type:\\s*ignore"))
((comment) @suppression.line (#match? @suppression.line "^#\\s*pyright:\\s*ignore"))

; Checkers leave out the bodies of functions that have no annotation at all.
(function_definition name: (identifier) @function)
(function_definition name: (identifier) @annotated return_type: (type))
(function_definition name: (identifier) @annotated
  parameters: (parameters [(typed_parameter) (typed_default_parameter)]))
