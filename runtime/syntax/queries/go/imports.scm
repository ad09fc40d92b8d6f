(import_spec name: (package_identifier) @alias path: (_) @module @place) @import
(import_spec name: (dot) @wildcard path: (_) @module @place) @import
(import_spec name: (blank_identifier) @alias path: (_) @module @place) @import
(import_spec path: (_) @module @place) @import
