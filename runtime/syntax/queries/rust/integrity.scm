((attribute_item) @suppression.line (#match? @suppression.line "^#\\[\\s*(allow|expect)\\b"))
((inner_attribute_item) @suppression.line (#match? @suppression.line "^#!\\[\\s*(allow|expect)\\b"))
