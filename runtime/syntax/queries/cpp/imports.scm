; inherits: c

(using_declaration "namespace" (_) @module @place) @import
(using_declaration (qualified_identifier scope: (_) @module name: (_) @name)) @import
