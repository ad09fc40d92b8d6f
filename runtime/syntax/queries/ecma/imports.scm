(import_statement (import_clause (identifier) @alias) source: (_) @module) @import
(import_statement (import_clause (namespace_import (identifier) @alias) @wildcard) source: (_) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @name alias: (_) @alias)))
  source: (_) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @name)))
  source: (_) @module) @import
(import_statement . source: (_) @module) @import
(export_statement (export_clause (export_specifier name: (_) @name alias: (_) @alias)) source: (_) @module) @import
(export_statement (export_clause (export_specifier name: (_) @name)) source: (_) @module) @import
(export_statement "*" @wildcard source: (_) @module) @import
((variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern (pair_pattern key: (_) @name value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (identifier) @alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))) @import
  (#eq? @_require "require"))
((expression_statement
  (call_expression function: (identifier) @_require arguments: (arguments . (string) @module @place))) @import
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @module @place)) @import
