(using_directive name: (_) @alias (_) @module @place .) @import
(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @module @place) @import
