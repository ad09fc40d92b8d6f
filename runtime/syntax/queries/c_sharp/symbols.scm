(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace @to_end
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_member_declaration name: (_) @name) @definition.enum_member
(delegate_declaration name: (_) @name) @definition.type_alias
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.constructor
(destructor_declaration name: (_) @name) @definition.constructor
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration type: (_) @name) @definition.method
(local_function_statement name: (_) @name) @definition.function
(property_declaration name: (_) @name accessors: (_) @body) @definition.property
(property_declaration name: (_) @name value: (_) @body) @definition.property
(indexer_declaration "this" @name accessors: (_) @body) @definition.property
(indexer_declaration "this" @name value: (_) @body) @definition.property
(event_declaration name: (_) @name accessors: (_) @body) @definition.property
(event_field_declaration
  (variable_declaration (variable_declarator name: (_) @name) @declarator)) @definition.property
(field_declaration
  (variable_declaration (variable_declarator name: (_) @name) @declarator)) @definition.variable
(record_declaration (parameter_list (parameter name: (_) @name) @definition.property))

(base_list [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @base)
(primary_constructor_base_type type: (_) @base)
(comment) @comment
