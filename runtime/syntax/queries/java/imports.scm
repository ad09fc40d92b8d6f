(import_declaration (scoped_identifier) @module @place (asterisk) @wildcard) @import
(import_declaration (identifier) @module @place (asterisk) @wildcard) @import
(import_declaration (scoped_identifier scope: (_) @module name: (_) @name) .) @import
