((annotation name: (identifier) @name) @suppression.line (#eq? @name "SuppressWarnings"))
