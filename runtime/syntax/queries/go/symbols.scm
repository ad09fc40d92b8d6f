(package_clause (package_identifier) @name) @definition.namespace
(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name) @definition.method
(type_declaration
  (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @declarator) @definition.struct
(type_declaration
  (type_spec name: (_) @name type: (interface_type "{" @body)) @declarator) @definition.interface
(type_declaration (type_spec name: (_) @name) @declarator) @definition.type_alias
(type_declaration (type_alias name: (_) @name) @declarator) @definition.type_alias
(const_declaration (const_spec (identifier) @name) @declarator) @definition.constant
(var_declaration (var_spec name: (identifier) @name) @declarator) @definition.variable
(var_declaration (var_spec_list (var_spec name: (identifier) @name) @declarator)) @definition.variable
(field_declaration name: (field_identifier) @name) @definition.field
(method_elem name: (field_identifier) @name) @declaration.method

(field_declaration !name type: (_) @base)
(interface_type (type_elem . (_) @base .))
(block) @local
(comment) @comment
