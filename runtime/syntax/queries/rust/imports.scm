(use_declaration argument: (scoped_identifier path: (_) @module name: (_) @name)) @import
(use_declaration argument: (identifier) @module @place) @import
(use_declaration argument: (use_wildcard (_) @module @place) @wildcard) @import
(use_declaration argument: (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @name) alias: (_) @alias)) @import
(use_declaration argument: (use_as_clause path: (identifier) @module @place alias: (_) @alias)) @import
(scoped_use_list path: (_) @module list: (use_list [(identifier) (self)] @name)) @import
(scoped_use_list path: (_) @module list: (use_list (use_as_clause path: [(identifier) (self)] @name alias: (_) @alias))) @import
(scoped_use_list path: (_) @module list: (use_list (scoped_identifier) @name)) @import
(scoped_use_list path: (_) @module list: (use_list (use_wildcard) @wildcard @place)) @import
(use_declaration argument: (use_list (scoped_identifier path: (_) @module name: (_) @name))) @import
(mod_item name: (_) @name !body) @import
(extern_crate_declaration name: (_) @module @place) @import
