((comment) @suppression.line (#match? @suppression.line "^//\\s*nolint"))
