; See runtime/syntax/imports.h for the captures.
(import_statement name: (dotted_name) @module @place) @import
(import_statement name: (aliased_import name: (dotted_name) @module @place alias: (_) @alias)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @name) @import
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @name alias: (_) @alias)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @wildcard) @import
(future_import_statement name: (dotted_name) @name) @import
