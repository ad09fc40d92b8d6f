(mod_item name: (_) @name body: (_)) @definition.namespace
(mod_item name: (_) @name !body) @declaration.namespace
(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(enum_variant name: (_) @name) @definition.enum_member
(trait_item name: (_) @name) @definition.interface
(type_item name: (_) @name) @definition.type_alias
(associated_type name: (_) @name) @declaration.type_alias
(const_item name: (identifier) @name) @definition.constant
(static_item name: (_) @name) @definition.variable
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @declaration.function
(macro_definition name: (_) @name) @definition.macro
(field_declaration name: (_) @name) @definition.field

(impl_item type: (_) @owner) @container
(impl_item trait: (_) @base)
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))
(block) @local
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
