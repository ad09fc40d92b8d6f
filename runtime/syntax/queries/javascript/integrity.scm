((comment) @suppression.file (#match? @suppression.file "@ts-nocheck"))
((comment) @check (#match? @check "@ts-check"))
((comment) @suppression.line (#match? @suppression.line "@ts-(ignore|expect-error)"))
