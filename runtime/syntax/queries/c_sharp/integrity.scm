((comment) @suppression.file (#match? @suppression.file "^(//|/\\*)\\s*<auto-?generated"))
((preproc_pragma) @suppression.line (#match? @suppression.line "warning\\s+disable"))
((preproc_nullable) @suppression.line (#match? @suppression.line "disable"))
((attribute name: (_) @name) @suppression.line (#match? @name "\\bSuppressMessage(Attribute)?$"))
